//! Contacts take energy and never give it.
//!
//! Over a substep in which forces `f` act, velocities go from `v₀` to `v_f = v₀ + h M⁻¹ f`, contacts add
//! `Δ = M⁻¹ Jᵀ λ`, and bodies move with `v₁ = v_f + Δ`. Energy then changes by
//!
//! `½ λ·(u₀ + u₁) − ½ (v_f − v₀)·M (v₁ − v₀)`
//!
//! with `u = J v`. A solution of the contact problem never makes that positive; an iterate that is not one
//! can. Under a heavy load a little is enough to keep a tower rocking, and under large friction
//! Gauss-Seidel may run away (Painlevé's paradox). Where an island would gain, all of its impulses are
//! taken by one share `s`, the largest that gains nothing:
//!
//! `s² λ·(u₁ − u_f) + s (λ·(u₀ + u_f) − (v_f − v₀)·M Δ) = (v_f − v₀)·M (v_f − v₀)`.
//!
//! It is next to one where a load is carried. Cones are convex, so that the impulses stay allowed, and
//! they stay equal and opposite.

use drystone_base::lanes::{Dispatch, Kernel, Lanes, Real, Wide8, dispatch};

use crate::blocks::{Block, Blocks, ColdPoint, NONE, POINTS, V3};
use crate::motion8::{Frame8, Motion8};

/// Share from which impulses are scaled at once; with less the island is swept further, in at most so
/// many rounds of so many sweeps.
const NEARLY: f64 = 0.99;
const ROUNDS: u32 = 5;
const SWEEPS: u32 = 10;

struct Work<'a, T> {
    blocks: &'a [Block<T>],
    cold: &'a [[ColdPoint<T>; POINTS]],
    some: Option<&'a [u32]>,
    /// Per body: velocity at the start plus that without contacts, and what contacts changed.
    sum: &'a [Wide8<T>],
    change: &'a [Wide8<T>],
    /// Whether impulses count `1 + e` times.
    reflected: bool,
    terms: &'a mut [[f64; 3]],
}

impl<T: Real> Kernel<T> for Work<'_, T> {
    type Output = ();
    /// `λ·(u₀ + u_f)` and `λ·(u₁ − u_f)` of each island.
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) {
        let count = self.some.map_or(self.blocks.len(), <[u32]>::len);
        for k in 0..count {
            let k = self.some.map_or(k, |some| some[k] as usize);
            let (block, cold) = (&self.blocks[k], &self.cold[k]);
            let frame = Frame8::<L>::load(block);
            let (sum_a, sum_b) = (
                Motion8::<L>::gather(self.sum, &block.body[0]),
                Motion8::<L>::gather(self.sum, &block.body[1]),
            );
            let (change_a, change_b) = (
                Motion8::<L>::gather(self.change, &block.body[0]),
                Motion8::<L>::gather(self.change, &block.body[1]),
            );
            let (mut first, mut second) = (L::splat(0.0), L::splat(0.0));
            for (point, cold) in block.point.iter().zip(cold).take(block.points as usize) {
                let (ra, rb) = (V3::load(&point.ra), V3::load(&point.rb));
                let impulse = frame.vector(
                    L::load(&point.impulse[0]),
                    L::load(&point.impulse[1]),
                    L::load(&point.impulse[2]),
                );
                let impulse = if self.reflected {
                    impulse.times(L::splat(1.0) + L::load(&cold.bounce))
                } else {
                    impulse
                };
                first = first + impulse.dot(sum_b.at(rb).minus(sum_a.at(ra)));
                second = second + impulse.dot(change_b.at(rb).minus(change_a.at(ra)));
            }
            let mut lanes = [Wide8::<T>::default(); 2];
            first.store(&mut lanes[0]);
            second.store(&mut lanes[1]);
            for lane in 0..8 {
                if block.patch[lane] != NONE {
                    let terms = &mut self.terms[block.island[lane] as usize];
                    terms[0] += lanes[0].0[lane].f64();
                    terms[1] += lanes[1].0[lane].f64();
                }
            }
        }
    }
}

impl<T: Dispatch> Blocks<T> {
    /// Shares nearer to one than this are taken for one: in double precision, and in single, where the
    /// sums have few digits and a load must not be shed for their sake.
    const WHOLE: f64 = if size_of::<T>() == 4 { 1e-3 } else { 1e-6 };

    /// What contacts changed in the substep into `change`, velocities at its start plus those now into
    /// `summed`. Returns per island: nothing yet, the linear term of the forces, the constant one.
    /// Forces act on centres; bodies that no contact has changed are moved exactly.
    pub(crate) fn begin_account(&mut self) -> Vec<[f64; 3]> {
        let mut terms = std::mem::take(&mut self.terms);
        terms.clear();
        terms.resize(self.islands, [0.0; 3]);
        self.note_change();
        self.summed.clear();
        let pairs = self.velocity.iter().zip(&self.before);
        self.summed.extend(pairs.map(|(now, before)| {
            let mut sum = *now;
            for (sum, &before) in sum.0.iter_mut().zip(&before.0) {
                *sum = *sum + before;
            }
            sum
        }));
        let bodies = self.body_island.iter().zip(&self.inverse_mass);
        let motions = self.change.iter().zip(&self.free).zip(&self.before);
        for ((&island, inverse_mass), ((change, free), before)) in bodies.zip(motions) {
            if island == NONE || *change == Wide8::default() {
                continue;
            }
            let (mut linear, mut constant) = (0.0, 0.0);
            for k in 0..3 {
                let force = free.0[k].f64() - before.0[k].f64();
                linear += force * change.0[k].f64();
                constant += force * force;
            }
            let mass = 1.0 / inverse_mass.f64();
            let terms = &mut terms[island as usize];
            terms[1] += mass * linear;
            terms[2] += mass * constant;
        }
        terms
    }

    /// Writes into `change` what contacts changed in the substep.
    pub(crate) fn note_change(&mut self) {
        self.change.clear();
        let pairs = self.velocity.iter().zip(&self.free);
        self.change.extend(pairs.map(|(now, free)| {
            let mut change = *now;
            for (change, &free) in change.0.iter_mut().zip(&free.0) {
                *change = *change - free;
            }
            change
        }));
    }

    /// Whether an island may have gained so much energy that [`Self::take_back_gains`] would act; `terms`
    /// has the work of its contacts, twice, and what [`Self::begin_account`] found.
    pub(crate) fn gains(&self, terms: &[[f64; 3]]) -> bool {
        // with a = linear, b = square and c = constant term, a share below 1 - w means
        // a + b - c > w (a + 2 b) > w c; no number counts as a gain
        let whole = 1.0 + Self::WHOLE;
        let sound = |[work, linear, constant]: &[f64; 3]| work - linear <= whole * constant;
        !terms.iter().all(sound)
    }

    /// Where the impulses of an island have done positive work, takes the share of them that does
    /// none. Velocities at the start of what is looked at are in `before`, those without contacts in
    /// `free`. Looks at `some` blocks only, where given; impulses of impacts count `1 + e` times
    /// (`reflected`).
    pub(crate) fn take_back_gains(&mut self, some: Option<&[u32]>, reflected: bool) {
        if self.find_shares(some, reflected) < 1.0 {
            let terms = std::mem::take(&mut self.terms);
            self.scale_islands(&terms);
            self.terms = terms;
        }
    }

    /// The same for the whole problem. An island that has gained much is far from solved, and a small
    /// share would drop what its bodies rest on: it is swept further first.
    pub(crate) fn solve_on_and_take_back_gains(&mut self) {
        for _ in 0..ROUNDS {
            if self.find_shares(None, false) >= NEARLY {
                break;
            }
            for sweep in 0..SWEEPS {
                self.sweep(sweep % 2 == 1);
            }
        }
        self.take_back_gains(None, false);
    }

    /// The share of the impulses of each island that adds no energy, into `terms`; returns the smallest.
    fn find_shares(&mut self, some: Option<&[u32]>, reflected: bool) -> f64 {
        // what contacts did, and the sum of the velocities at start and without them
        self.note_change();
        self.summed.clear();
        let pairs = self.before.iter().zip(&self.free);
        self.summed.extend(pairs.map(|(before, free)| {
            let mut sum = *before;
            for (sum, &free) in sum.0.iter_mut().zip(&free.0) {
                *sum = *sum + free;
            }
            sum
        }));

        // linear, square and constant term of each island; forces act on centres, bodies that no
        // contact has changed are moved exactly
        let mut terms = std::mem::take(&mut self.terms);
        terms.clear();
        terms.resize(self.islands, [0.0; 3]);
        dispatch(Work {
            blocks: &self.blocks,
            cold: &self.cold,
            some,
            sum: &self.summed,
            change: &self.change,
            reflected,
            terms: &mut terms,
        });
        for (slot, &island) in self.body_island.iter().enumerate() {
            let change = &self.change[slot];
            if island == NONE || *change == Wide8::default() {
                continue;
            }
            let terms = &mut terms[island as usize];
            let mass = 1.0 / self.inverse_mass[slot].f64();
            for k in 0..3 {
                let force = self.free[slot].0[k].f64() - self.before[slot].0[k].f64();
                terms[0] -= mass * force * change.0[k].f64();
                terms[2] += mass * force * force;
            }
        }
        let mut least = 1.0f64;
        for [linear, square, constant] in &mut terms {
            let share = if *linear + *square > *constant {
                let root = (*linear * *linear + 4.0 * *square * *constant).sqrt();
                (0.5 * (root - *linear) / *square).clamp(0.0, 1.0)
            } else {
                1.0
            };
            // no number is no share
            *linear = if share > 1.0 - Self::WHOLE {
                1.0
            } else if share >= 0.0 {
                share
            } else {
                0.0
            };
            least = least.min(*linear);
        }
        self.terms = terms;
        least
    }

    /// Takes the share `shares[island][0]` of every impulse, and of what it did.
    fn scale_islands(&mut self, shares: &[[f64; 3]]) {
        for block in &mut self.blocks {
            for lane in 0..8 {
                if block.patch[lane] == NONE {
                    continue;
                }
                let share = shares[block.island[lane] as usize][0];
                if share >= 1.0 {
                    continue;
                }
                for point in &mut block.point[..block.points as usize] {
                    for row in &mut point.impulse {
                        row.0[lane] = T::of(share * row.0[lane].f64());
                    }
                }
            }
        }
        for (slot, &island) in self.body_island.iter().enumerate() {
            if island == NONE || shares[island as usize][0] >= 1.0 {
                continue;
            }
            let share = shares[island as usize][0];
            for k in 0..8 {
                let change = T::of(share * self.change[slot].0[k].f64());
                self.change[slot].0[k] = change;
                self.velocity[slot].0[k] = self.free[slot].0[k] + change;
            }
        }
    }
}
