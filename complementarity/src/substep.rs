//! What opens and closes a substep in lanes: targets, warm start, totals, distances and the account
//! of work.

use drystone_base::lanes::{Dispatch, Kernel, Lanes, Real, Wide8, dispatch};

use crate::blocks::{Block, Blocks, ColdPoint, NONE, POINTS, V3};
use crate::motion8::{Frame8, Motion8, push};

type Cold<T> = [ColdPoint<T>; POINTS];

/// Approach below which nothing bounces, over that of a calm patch \[1\].
pub const RESTING: f64 = 2.0;

struct Begin<'a, T> {
    blocks: &'a mut [Block<T>],
    cold: &'a [Cold<T>],
    before: &'a [Wide8<T>],
    h: f64,
    zone: f64,
    bounce: bool,
}

impl<T: Real> Kernel<T> for Begin<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) {
        let (h, zone, zero) = (L::splat(self.h), L::splat(self.zone), L::splat(0.0));
        let rate = L::splat(1.0 / self.h);
        let still = L::splat(-RESTING);
        for (block, cold) in self.blocks.iter_mut().zip(self.cold) {
            let a = Motion8::<L>::gather(self.before, &block.body[0]);
            let b = Motion8::<L>::gather(self.before, &block.body[1]);
            let n = V3::<L>::load(&block.normal);
            let e = L::load(&block.restitution);
            let zone = zone * L::load(&block.length);
            let per_calm_speed = L::load(&block.per_calm_speed);
            for k in 0..block.points as usize {
                let point = &block.point[k];
                let (ra, rb) = (V3::load(&point.ra), V3::load(&point.rb));
                let speed = n.dot(b.at(rb).minus(a.at(ra)));
                let separation = L::load(&cold[k].separation);
                // a gap may close; what meets within the substep leaves again with -e times its speed
                let gap = zero.smaller(zone - separation) * rate;
                let target = if self.bounce {
                    let bounce = still.if_above(speed * per_calm_speed, -(e * speed), zero);
                    let meets = (zone - separation).if_above(h * speed, bounce, gap);
                    bounce.if_above(zero, meets, gap)
                } else {
                    gap
                };
                target.store(&mut block.point[k].target);
            }
        }
    }
}

struct WarmStart<'a, T> {
    blocks: &'a [Block<T>],
    velocity: &'a mut [Wide8<T>],
}

impl<T: Real> Kernel<T> for WarmStart<'_, T> {
    type Output = ();
    /// Applies the impulses of all points.
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) {
        for block in self.blocks {
            let mut a = Motion8::<L>::gather(self.velocity, &block.body[0]);
            let mut b = Motion8::<L>::gather(self.velocity, &block.body[1]);
            let frame = Frame8::<L>::load(block);
            for point in &block.point[..block.points as usize] {
                let (ra, rb) = (V3::load(&point.ra), V3::load(&point.rb));
                let impulse = frame.vector(
                    L::load(&point.impulse[0]),
                    L::load(&point.impulse[1]),
                    L::load(&point.impulse[2]),
                );
                push(block, &mut a, &mut b, ra, rb, impulse);
            }
            a.scatter(self.velocity, &block.body[0]);
            b.scatter(self.velocity, &block.body[1]);
        }
    }
}

/// `ACCOUNT`: whether the work is asked for.
struct End<'a, T, const ACCOUNT: bool> {
    blocks: &'a [Block<T>],
    cold: &'a mut [Cold<T>],
    velocity: &'a [Wide8<T>],
    /// Per body: velocity at the start of the substep plus that at its end.
    both: &'a [Wide8<T>],
    /// Per island: `λ·(u₀ + u₁)`, twice the work of the contacts \[J\]; added to.
    work: &'a mut [[f64; 3]],
    h: f64,
}

impl<T: Real, const ACCOUNT: bool> Kernel<T> for End<'_, T, ACCOUNT> {
    type Output = ();
    /// Impulses to the totals, distances to where the velocities take them, and the work of both.
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) {
        let h = L::splat(self.h);
        for (block, cold) in self.blocks.iter().zip(self.cold) {
            let a = Motion8::<L>::gather(self.velocity, &block.body[0]);
            let b = Motion8::<L>::gather(self.velocity, &block.body[1]);
            let (mut both_a, mut both_b) = (a, b);
            if ACCOUNT {
                both_a = Motion8::<L>::gather(self.both, &block.body[0]);
                both_b = Motion8::<L>::gather(self.both, &block.body[1]);
            }
            let frame = Frame8::<L>::load(block);
            let mut work = L::splat(0.0);
            for (point, cold) in block.point.iter().zip(cold).take(block.points as usize) {
                let impulse = [
                    L::load(&point.impulse[0]),
                    L::load(&point.impulse[1]),
                    L::load(&point.impulse[2]),
                ];
                for row in 0..3 {
                    (L::load(&cold.total[row]) + impulse[row]).store(&mut cold.total[row]);
                }
                let (ra, rb) = (V3::load(&point.ra), V3::load(&point.rb));
                let moved = h * frame.n.dot(b.at(rb).minus(a.at(ra)));
                (L::load(&cold.separation) + moved).store(&mut cold.separation);
                if ACCOUNT {
                    let push = frame.vector(impulse[0], impulse[1], impulse[2]);
                    work = work + push.dot(both_b.at(rb).minus(both_a.at(ra)));
                }
            }
            if !ACCOUNT {
                continue;
            }
            let mut lanes = Wide8::<T>::default();
            work.store(&mut lanes);
            for lane in 0..8 {
                if block.patch[lane] != NONE {
                    self.work[block.island[lane] as usize][0] += lanes.0[lane].f64();
                }
            }
        }
    }
}

struct Reopen<'a, T> {
    blocks: &'a [Block<T>],
    cold: &'a mut [Cold<T>],
    velocity: &'a [Wide8<T>],
    h: f64,
}

impl<T: Real> Kernel<T> for Reopen<'_, T> {
    type Output = ();
    /// Takes back what [`End`] did to totals and distances.
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) {
        let h = L::splat(self.h);
        for (block, cold) in self.blocks.iter().zip(self.cold) {
            let a = Motion8::<L>::gather(self.velocity, &block.body[0]);
            let b = Motion8::<L>::gather(self.velocity, &block.body[1]);
            let n = V3::<L>::load(&block.normal);
            for (point, cold) in block.point.iter().zip(cold).take(block.points as usize) {
                for row in 0..3 {
                    let sum = L::load(&cold.total[row]) - L::load(&point.impulse[row]);
                    sum.store(&mut cold.total[row]);
                }
                let (ra, rb) = (V3::load(&point.ra), V3::load(&point.rb));
                let moved = h * n.dot(b.at(rb).minus(a.at(ra)));
                (L::load(&cold.separation) - moved).store(&mut cold.separation);
            }
        }
    }
}

impl<T: Dispatch> Blocks<T> {
    /// Opens a substep of `h` seconds: targets are set, the last impulses are applied to
    /// `velocity`; as what they did to each body in the substep before, where nothing but time has
    /// passed since (`same`). Contacts closer than the share `zone` of their length count as touching.
    /// With `bounce` what meets leaves again by Newton's law, all in one solve.
    pub fn begin(&mut self, h: f64, zone: f64, same: bool, bounce: bool) {
        self.free.clear();
        self.free.extend_from_slice(&self.velocity);
        let Self {
            blocks,
            cold,
            before,
            velocity,
            carried,
            ..
        } = self;
        dispatch(Begin {
            blocks,
            cold,
            before,
            h,
            zone,
            bounce,
        });
        if same {
            // impulses that stay do again what they did to each body in the last substep
            for (velocity, carried) in velocity.iter_mut().zip(carried) {
                for (v, &change) in velocity.0.iter_mut().zip(&carried.0) {
                    *v = *v + change;
                }
            }
        } else {
            self.apply_impulses();
        }
    }

    /// Applies the impulses that the points have to `velocity`.
    pub fn apply_impulses(&mut self) {
        let Self {
            blocks, velocity, ..
        } = self;
        dispatch(WarmStart { blocks, velocity });
    }

    /// Closes a substep of `h` seconds: impulses go to the totals and distances follow the velocities.
    /// Impulses that would have added energy are taken back first; those of the substep before that
    /// `held` do no work.
    pub fn end(&mut self, h: f64, held: bool) {
        if held {
            self.note_change();
            self.close::<false>(h, &mut []);
            std::mem::swap(&mut self.carried, &mut self.change);
            return;
        }
        let mut terms = self.begin_account();
        self.close::<true>(h, &mut terms);
        if self.gains(&terms) {
            let Self {
                blocks,
                cold,
                velocity,
                ..
            } = self;
            dispatch(Reopen {
                blocks,
                cold,
                velocity,
                h,
            });
            self.terms = terms;
            self.solve_on_and_take_back_gains();
            terms = self.begin_account();
            self.close::<true>(h, &mut terms);
        }
        self.terms = terms;
        std::mem::swap(&mut self.carried, &mut self.change);
    }

    fn close<const ACCOUNT: bool>(&mut self, h: f64, work: &mut [[f64; 3]]) {
        let Self {
            blocks,
            cold,
            velocity,
            summed,
            ..
        } = self;
        dispatch(End::<T, ACCOUNT> {
            blocks,
            cold,
            velocity,
            both: summed,
            work,
            h,
        });
    }

    /// Takes the present velocities for those at the start of the substep, before forces act.
    pub fn remember(&mut self) {
        self.before.clear();
        self.before.extend_from_slice(&self.velocity);
    }
}
