//! The coarse level of the two-level solve: stack layers as aggregates.
//!
//! Between the bodies of height k and those of height k + 1 lies an *interface*. On each
//! interface six impulse fields are allowed, `f(x) = a + w × (x - x0)/L`, taken along the
//! active rows of its contacts. With these fields as columns of P the Galerkin matrix
//! `Pᵀ A P` couples an interface only with the next above and below: block tridiagonal, 6x6,
//! solved exactly in one pass. The correction is projected on the friction cones and scaled by
//! an exact line search in each island, so that it never raises the energy of the problem.
//! All impulses stay equal and opposite; nothing is fixated.

use drystone_base::Vec3;
use drystone_base::lanes::{Dispatch, Eight, Kernel, Lanes, Real, dispatch};

use crate::blocks::{Block, Blocks, NONE, POINTS, PatchInput, V3, symmetric_times};
use crate::sweep::{Frame8, Motion8, largest, onto_disc};

type Vector6 = [f64; 6];
type Matrix6 = [[f64; 6]; 6];

/// Share of the friction bound below which a contact counts as sticking.
const STICKING: f64 = 0.98;
/// Approach at which a contact without impulse counts as closing [m/s].
const CLOSING: f64 = 1e-6;
/// Share of changed contacts above which the matrix is built again.
const STALE: f64 = 0.05;

/// What the coarse level keeps beside each block.
#[derive(Clone, Debug, Default)]
struct CoarseBlock<T> {
    interface: [u32; 8],
    /// +1 where `b` is the upper body, -1 where `a` is, 0 where there is no interface.
    sign: Eight<T>,
    /// From the interface's reference to the centre of `a`, over its length [1].
    offset: [Eight<T>; 3],
    /// One over the interface's length [1/m].
    per_length: Eight<T>,
    point: [CoarsePoint<T>; POINTS],
}

#[derive(Clone, Debug, Default)]
struct CoarsePoint<T> {
    /// 1 where the normal row is active.
    normal: Eight<T>,
    /// 1 where the tangent rows are active too.
    stick: Eight<T>,
    /// Velocity still wrong along n, t1, t2.
    wrong: [Eight<T>; 3],
    /// Change of the impulse that is proposed.
    change: [Eight<T>; 3],
}

/// An interface between two heights.
#[derive(Clone, Copy, Debug)]
struct Interface {
    reference: Vec3,
    length: f64,
    island: u32,
}

type LaneMatrix<T> = [[Eight<T>; 6]; 6];

/// Eight bodies and the interfaces below (0) and above (1) each.
#[derive(Clone, Debug, Default)]
struct BodyBlock<T> {
    /// From the interface's reference to the body's centre [m].
    offset: [[Eight<T>; 3]; 2],
    /// One over the interface's length [1/m].
    per_length: [Eight<T>; 2],
    inverse_mass: Eight<T>,
    inverse_inertia: [Eight<T>; 6],
    /// Sums over the sticking points: `1, r, r rᵀ`.
    stick: [[Eight<T>; 10]; 2],
    /// Force and torque by unit fields, at first of the sliding points alone.
    wrench: [LaneMatrix<T>; 2],
}

/// How far a problem is from being solved.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wrong {
    /// Fastest approach that is not allowed [m/s].
    pub approach: f64,
    /// Share of the contacts that approach faster than [`Coarse::look`] was told to count [1].
    pub share: f64,
    /// Largest velocity that a pressed or sticking contact should not have [m/s]; infinite while
    /// one slides.
    pub velocity: f64,
}

/// The coarse level of a [`Blocks`] problem.
#[derive(Clone, Debug)]
pub struct Coarse<T> {
    blocks: Vec<CoarseBlock<T>>,
    interfaces: Vec<Interface>,
    islands: usize,
    /// Per body: the interfaces below and above it.
    around: Vec<[u32; 2]>,
    bodies: Vec<BodyBlock<T>>,
    diagonal: Vec<Matrix6>,
    above: Vec<Matrix6>,
    right: Vec<Vector6>,
    solution: Vec<Vector6>,
    shove: Vec<Eight<T>>,
    slope: Vec<f64>,
    curve: Vec<f64>,
    step: Vec<f64>,
    points: usize,
    /// Rows that became active or passive since the matrix was built.
    changed: f64,
    built: bool,
    body_island: Vec<u32>,
}

impl<T> Default for Coarse<T> {
    fn default() -> Self {
        Self {
            blocks: Vec::new(),
            interfaces: Vec::new(),
            islands: 0,
            around: Vec::new(),
            bodies: Vec::new(),
            diagonal: Vec::new(),
            above: Vec::new(),
            right: Vec::new(),
            solution: Vec::new(),
            shove: Vec::new(),
            slope: Vec::new(),
            curve: Vec::new(),
            step: Vec::new(),
            points: 0,
            changed: 0.0,
            built: false,
            body_island: Vec::new(),
        }
    }
}

impl<T: Dispatch> Coarse<T> {
    /// Sets the level up for a step. `island[k]` is the island of interface k; interface k + 1
    /// lies above interface k where both belong to one island. `centres` are the bodies' centres,
    /// `positions(k)` the contact points of patch k, world.
    pub fn set_up(
        &mut self,
        problem: &Blocks<T>,
        patches: &[PatchInput],
        centres: &[Vec3],
        island: &[u32],
        positions: impl Fn(usize, &mut dyn FnMut(Vec3)),
    ) {
        self.built = false;
        self.islands = island.iter().map(|&i| i as usize + 1).max().unwrap_or(0);

        // reference and length of each interface: mean and spread of its points
        self.interfaces.clear();
        self.interfaces
            .extend(island.iter().map(|&island| Interface {
                reference: Vec3::ZERO,
                length: 0.0,
                island,
            }));
        self.right.clear();
        self.right.resize(island.len(), [0.0; 6]);
        self.points = 0;
        for (k, patch) in patches.iter().enumerate() {
            if patch.interface == NONE {
                continue;
            }
            let sum = &mut self.right[patch.interface as usize];
            positions(k, &mut |p| {
                sum[0] += p.x;
                sum[1] += p.y;
                sum[2] += p.z;
                sum[3] += 1.0;
                self.points += 1;
            });
        }
        for (interface, sum) in self.interfaces.iter_mut().zip(&self.right) {
            interface.reference = Vec3::new(sum[0], sum[1], sum[2]) / sum[3].max(1.0);
        }
        for (k, patch) in patches.iter().enumerate() {
            if patch.interface == NONE {
                continue;
            }
            let interface = &mut self.interfaces[patch.interface as usize];
            let reference = interface.reference;
            positions(k, &mut |p| {
                interface.length += p.distance_squared(reference);
            });
        }
        for (interface, sum) in self.interfaces.iter_mut().zip(&self.right) {
            interface.length = (interface.length / sum[3].max(1.0)).sqrt().max(1e-6);
        }

        // lanes
        self.blocks.clear();
        self.blocks
            .resize_with(problem.blocks.len(), || CoarseBlock {
                interface: [NONE; 8],
                ..CoarseBlock::default()
            });
        self.around.clear();
        self.around.resize(centres.len(), [NONE; 2]);
        self.body_island.clear();
        self.body_island.resize(centres.len() + 1, NONE);
        for (k, patch) in patches.iter().enumerate() {
            if patch.interface == NONE {
                continue;
            }
            let place = problem.place[k] as usize;
            let (block, lane) = (&mut self.blocks[place / 8], place % 8);
            let interface = &self.interfaces[patch.interface as usize];
            block.interface[lane] = patch.interface;
            block.sign.0[lane] = T::of(if patch.upward { 1.0 } else { -1.0 });
            block.per_length.0[lane] = T::of(1.0 / interface.length);
            let offset =
                (centres[patch.bodies[0] as usize] - interface.reference) / interface.length;
            for axis in 0..3 {
                block.offset[axis].0[lane] = T::of(offset[axis]);
            }
            let upper = usize::from(patch.upward);
            let parts = [(patch.bodies[upper], 0), (patch.bodies[1 - upper], 1)];
            for (slot, side) in parts {
                if problem.inverse_mass[slot as usize].f64() > 0.0 {
                    self.around[slot as usize][side] = patch.interface;
                }
            }
            for side in 0..2 {
                if problem.inverse_mass[patch.bodies[side] as usize].f64() > 0.0 {
                    self.body_island[patch.bodies[side] as usize] = interface.island;
                }
            }
        }

        // bodies in lanes
        self.bodies
            .resize_with(centres.len().div_ceil(8), BodyBlock::default);
        for (slot, around) in self.around.iter().enumerate() {
            let (block, lane) = (&mut self.bodies[slot / 8], slot % 8);
            block.inverse_mass.0[lane] = problem.inverse_mass[slot];
            for (entry, &value) in block
                .inverse_inertia
                .iter_mut()
                .zip(&problem.inverse_inertia[slot])
            {
                entry.0[lane] = value;
            }
            for side in 0..2 {
                if around[side] != NONE {
                    let interface = &self.interfaces[around[side] as usize];
                    let offset = centres[slot] - interface.reference;
                    block.per_length[side].0[lane] = T::of(1.0 / interface.length);
                    for axis in 0..3 {
                        block.offset[side][axis].0[lane] = T::of(offset[axis]);
                    }
                }
            }
        }
    }

    /// Whether there is no interface: nothing rests on anything fixed.
    pub fn is_empty(&self) -> bool {
        self.interfaces.is_empty()
    }

    /// What is wrong with the contacts of `problem` now; call before [`Self::solve`].
    /// `enough` is the approach from which contacts are counted [m/s].
    pub fn look(&mut self, problem: &Blocks<T>, enough: f64) -> Wrong {
        self.right.fill([0.0; 6]);
        let (wrong, changed) = dispatch(Restrict {
            blocks: &problem.blocks,
            coarse: &mut self.blocks,
            velocity: &problem.velocity,
            right: &mut self.right,
            enough,
        });
        self.changed += changed;
        wrong
    }

    /// One coarse solve: corrects impulses and velocities of `problem` from what [`Self::look`]
    /// found.
    pub fn solve(&mut self, problem: &mut Blocks<T>) {
        if self.interfaces.is_empty() {
            return;
        }
        if !self.built || self.changed > STALE * self.points as f64 {
            self.build(problem);
            self.factor();
            self.built = true;
            self.changed = 0.0;
        }
        self.solve_tridiagonal();
        self.prolong(problem);
        self.line_search(problem);
        self.apply(problem);
    }

    /// `Pᵀ A P` from the active rows.
    fn build(&mut self, problem: &Blocks<T>) {
        let zero = [[0.0; 6]; 6];
        for matrices in [&mut self.diagonal, &mut self.above] {
            matrices.clear();
            matrices.resize(self.interfaces.len(), zero);
        }
        let Self {
            blocks,
            around,
            bodies,
            diagonal,
            above,
            ..
        } = self;
        dispatch(Assemble {
            problem,
            blocks,
            around,
            bodies,
            diagonal,
            above,
        });
    }

    /// Block Cholesky, bottom up: `D_k ← D_k - E_{k-1}ᵀ D_{k-1}⁻¹ E_{k-1}`.
    fn factor(&mut self) {
        for k in 0..self.diagonal.len() {
            if k > 0 && self.interfaces[k].island == self.interfaces[k - 1].island {
                // columns of L⁻¹ E, then their products
                let (lower, upper) = self.diagonal.split_at_mut(k);
                let mut half = self.above[k - 1];
                forward_columns(&lower[k - 1], &mut half);
                for i in 0..6 {
                    for j in 0..6 {
                        let mut sum = 0.0;
                        for row in &half {
                            sum += row[i] * row[j];
                        }
                        upper[0][i][j] -= sum;
                    }
                }
                self.above[k - 1] = half;
            }
            cholesky(&mut self.diagonal[k]);
        }
    }

    /// Forward and back substitution; the right-hand side is what is wrong, negated.
    fn solve_tridiagonal(&mut self) {
        let count = self.diagonal.len();
        self.solution.clear();
        self.solution
            .extend(self.right.iter().map(|r| r.map(|x| -x)));
        for k in 0..count {
            if k > 0 && self.interfaces[k].island == self.interfaces[k - 1].island {
                let below = self.solution[k - 1];
                for (row, &x) in self.above[k - 1].iter().zip(&below) {
                    for (to, &entry) in self.solution[k].iter_mut().zip(row) {
                        *to -= entry * x;
                    }
                }
            }
            forward(&self.diagonal[k], &mut self.solution[k]);
        }
        for k in (0..count).rev() {
            if k + 1 < count && self.interfaces[k].island == self.interfaces[k + 1].island {
                let upper = self.solution[k + 1];
                for (row, to) in self.above[k].iter().zip(self.solution[k].iter_mut()) {
                    *to -= row.iter().zip(&upper).map(|(e, x)| e * x).sum::<f64>();
                }
            }
            backward(&self.diagonal[k], &mut self.solution[k]);
        }
    }

    /// From coarse fields to a change of every active impulse, on its cone.
    fn prolong(&mut self, problem: &Blocks<T>) {
        self.slope.clear();
        self.slope.resize(self.islands, 0.0);
        self.shove.clear();
        self.shove.resize(problem.velocity.len(), Eight::default());
        dispatch(Prolong {
            blocks: &problem.blocks,
            coarse: &mut self.blocks,
            solution: &self.solution,
            interfaces: &self.interfaces,
            shove: &mut self.shove,
            slope: &mut self.slope,
        });
    }

    /// In each island the best share of the change, at most all of it.
    fn line_search(&mut self, problem: &Blocks<T>) {
        self.curve.clear();
        self.curve.resize(self.islands, 0.0);
        for slot in 0..self.shove.len() {
            let island = self.body_island[slot];
            if island == NONE {
                self.shove[slot] = Eight::default();
                continue;
            }
            let s = self.shove[slot].0.map(Real::f64);
            let m = problem.inverse_mass[slot].f64();
            let i = problem.inverse_inertia[slot].map(Real::f64);
            let moved = [
                m * s[0],
                m * s[1],
                m * s[2],
                i[0] * s[3] + i[3] * s[4] + i[4] * s[5],
                i[3] * s[3] + i[1] * s[4] + i[5] * s[5],
                i[4] * s[3] + i[5] * s[4] + i[2] * s[5],
                0.0,
                0.0,
            ];
            self.curve[island as usize] += (0..6).map(|k| s[k] * moved[k]).sum::<f64>();
            self.shove[slot] = Eight(moved.map(T::of));
        }
        self.step.clear();
        for (&slope, &curve) in self.slope.iter().zip(&self.curve) {
            let best = -slope / curve;
            self.step.push(if best.is_finite() && best > 0.0 {
                best.min(1.0)
            } else {
                0.0
            });
        }
    }

    /// Adds the change to impulses and velocities.
    fn apply(&mut self, problem: &mut Blocks<T>) {
        for (slot, moved) in self.shove.iter().enumerate() {
            let island = self.body_island[slot];
            if island != NONE {
                let step = T::of(self.step[island as usize]);
                add_scaled(&mut problem.velocity[slot], moved, step);
            }
        }
        let Self {
            blocks,
            interfaces,
            step,
            ..
        } = self;
        dispatch(Apply {
            blocks: &mut problem.blocks,
            coarse: blocks,
            interfaces,
            step,
        });
    }
}

fn add_scaled<T: Real>(to: &mut Eight<T>, what: &Eight<T>, factor: T) {
    for (to, &x) in to.0.iter_mut().zip(&what.0) {
        *to = T::of(to.f64() + x.f64() * factor.f64());
    }
}

struct Restrict<'a, T> {
    blocks: &'a [Block<T>],
    coarse: &'a mut [CoarseBlock<T>],
    velocity: &'a [Eight<T>],
    right: &'a mut [Vector6],
    enough: f64,
}

impl<T: Real> Kernel<T> for Restrict<'_, T> {
    type Output = (Wrong, f64);
    /// Which rows are active, what is still wrong on them, its sums over each interface, and
    /// how many rows changed between active and passive.
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) -> (Wrong, f64) {
        let (zero, one) = (L::splat(0.0), L::splat(1.0));
        let (closing, sticking) = (L::splat(CLOSING), L::splat(STICKING * STICKING));
        let (mut approach, mut velocity, mut changed) = (zero, zero, zero);
        let enough = L::splat(self.enough);
        let (mut closing_count, mut pressed_count) = (zero, zero);
        for (block, coarse) in self.blocks.iter().zip(self.coarse) {
            let a = Motion8::<L>::gather(self.velocity, &block.body[0]);
            let b = Motion8::<L>::gather(self.velocity, &block.body[1]);
            let frame = Frame8::<L>::load(block);
            let friction = L::load(&block.friction);
            let per_length = L::load(&coarse.per_length);
            let (offset, sign) = (V3::<L>::load(&coarse.offset), L::load(&coarse.sign));
            let there = sign * sign;
            let (mut force, mut moment) = (V3::zero(), V3::zero());
            for k in 0..block.points as usize {
                let point = &block.point[k];
                let (ra, rb) = (V3::load(&point.ra), V3::load(&point.rb));
                let relative = b.at(rb).minus(a.at(ra));
                let short = L::load(&point.target) - frame.n.dot(relative);
                approach = approach.larger(short);
                let (y1, y2) = (frame.t1.dot(relative), frame.t2.dot(relative));

                // active: pressed, or about to be; sticking: well inside the cone
                let (ln, l1, l2) = (
                    L::load(&point.impulse[0]),
                    L::load(&point.impulse[1]),
                    L::load(&point.impulse[2]),
                );
                let pressed = ln.if_above(zero, one, zero);
                let about = (short + closing).if_above(zero, one, pressed);
                let about = L::load(&point.mass_n).if_above(zero, about, zero);
                closing_count = closing_count + short.if_above(enough, about, zero);
                pressed_count = pressed_count + about;
                let bound = friction * ln;
                let limit = bound * bound * sticking;
                let square = l1 * l1 + l2 * l2;
                let inside = limit.if_above(square, about, zero);
                let sliding = (square + limit).if_above(zero, about - inside, zero);
                let slip = (y1 * y1 + y2 * y2) * inside + sliding;
                velocity = velocity.larger(short * short * about).larger(slip);

                let (normal, stick) = (about * there, inside * there);
                let rho = offset.plus(ra.times(per_length));
                let wrong = frame.vector(-(normal * short), stick * y1, stick * y2);
                force = force.plus(wrong);
                moment = moment.plus(rho.cross(wrong));

                let kept = &mut coarse.point[k];
                let flip = normal - L::load(&kept.normal);
                let slip = stick - L::load(&kept.stick);
                changed = changed + flip * flip + slip * slip;
                normal.store(&mut kept.normal);
                stick.store(&mut kept.stick);
                (-short).store(&mut kept.wrong[0]);
                y1.store(&mut kept.wrong[1]);
                y2.store(&mut kept.wrong[2]);
            }
            let mut lanes = [Eight::<T>::default(); 6];
            (force.0 * sign).store(&mut lanes[0]);
            (force.1 * sign).store(&mut lanes[1]);
            (force.2 * sign).store(&mut lanes[2]);
            (moment.0 * sign).store(&mut lanes[3]);
            (moment.1 * sign).store(&mut lanes[4]);
            (moment.2 * sign).store(&mut lanes[5]);
            for lane in 0..8 {
                if coarse.interface[lane] != NONE {
                    let right = &mut self.right[coarse.interface[lane] as usize];
                    for row in 0..6 {
                        right[row] += lanes[row].0[lane].f64();
                    }
                }
            }
        }
        let wrong = Wrong {
            approach: largest(approach),
            share: sum(closing_count) / sum(pressed_count).max(1.0),
            velocity: largest(velocity).sqrt(),
        };
        (wrong, sum(changed))
    }
}

/// The sum of eight lanes.
#[inline(always)]
fn sum<L: Lanes>(x: L) -> f64 {
    let mut out = Eight::default();
    x.store(&mut out);
    out.0.iter().map(|x: &L::Real| x.f64()).sum()
}

struct Prolong<'a, T> {
    blocks: &'a [Block<T>],
    coarse: &'a mut [CoarseBlock<T>],
    solution: &'a [Vector6],
    interfaces: &'a [Interface],
    shove: &'a mut [Eight<T>],
    slope: &'a mut [f64],
}

impl<T: Real> Kernel<T> for Prolong<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) {
        let zero = L::splat(0.0);
        for (block, coarse) in self.blocks.iter().zip(self.coarse) {
            // the fields of each lane's interface
            let mut field = [Eight::<T>::default(); 6];
            for lane in 0..8 {
                if coarse.interface[lane] != NONE {
                    let x = &self.solution[coarse.interface[lane] as usize];
                    for (to, &x) in field.iter_mut().zip(x) {
                        to.0[lane] = T::of(x);
                    }
                }
            }
            let sign = L::load(&coarse.sign);
            let constant = V3::<L>::load(&[field[0], field[1], field[2]]).times(sign);
            let linear = V3::<L>::load(&[field[3], field[4], field[5]]).times(sign);
            let per_length = L::load(&coarse.per_length);
            let offset = V3::<L>::load(&coarse.offset);
            let frame = Frame8::<L>::load(block);
            let friction = L::load(&block.friction);
            let mut a = Motion8::<L>::gather(self.shove, &block.body[0]);
            let mut b = Motion8::<L>::gather(self.shove, &block.body[1]);
            let mut slope = zero;
            for k in 0..block.points as usize {
                let point = &block.point[k];
                let kept = &mut coarse.point[k];
                let (ra, rb) = (V3::load(&point.ra), V3::load(&point.rb));
                let rho = offset.plus(ra.times(per_length));
                let impulse = constant.plus(linear.cross(rho));
                let (normal, stick) = (L::load(&kept.normal), L::load(&kept.stick));
                let (ln, l1, l2) = (
                    L::load(&point.impulse[0]),
                    L::load(&point.impulse[1]),
                    L::load(&point.impulse[2]),
                );
                let new_n = zero.larger(ln + normal * frame.n.dot(impulse));
                let (new_1, new_2) = onto_disc(
                    l1 + stick * frame.t1.dot(impulse),
                    l2 + stick * frame.t2.dot(impulse),
                    friction * new_n,
                );
                // contacts without an interface stay as they are
                let there = sign * sign;
                let (dn, d1, d2) = (
                    (new_n - ln) * there,
                    (new_1 - l1) * there,
                    (new_2 - l2) * there,
                );
                slope = slope
                    + dn * L::load(&kept.wrong[0])
                    + d1 * L::load(&kept.wrong[1])
                    + d2 * L::load(&kept.wrong[2]);
                let p = frame.vector(dn, d1, d2);
                a.linear = a.linear.minus(p);
                a.angular = a.angular.minus(ra.cross(p));
                b.linear = b.linear.plus(p);
                b.angular = b.angular.plus(rb.cross(p));
                dn.store(&mut kept.change[0]);
                d1.store(&mut kept.change[1]);
                d2.store(&mut kept.change[2]);
            }
            a.scatter(self.shove, &block.body[0]);
            b.scatter(self.shove, &block.body[1]);
            let mut lanes = Eight::<T>::default();
            slope.store(&mut lanes);
            for lane in 0..8 {
                if coarse.interface[lane] != NONE {
                    let island = self.interfaces[coarse.interface[lane] as usize].island;
                    self.slope[island as usize] += lanes.0[lane].f64();
                }
            }
        }
    }
}

struct Apply<'a, T> {
    blocks: &'a mut [Block<T>],
    coarse: &'a [CoarseBlock<T>],
    interfaces: &'a [Interface],
    step: &'a [f64],
}

impl<T: Real> Kernel<T> for Apply<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) {
        for (block, coarse) in self.blocks.iter_mut().zip(self.coarse) {
            let mut share = Eight::<T>::default();
            for lane in 0..8 {
                if coarse.interface[lane] != NONE {
                    let island = self.interfaces[coarse.interface[lane] as usize].island;
                    share.0[lane] = T::of(self.step[island as usize]);
                }
            }
            let share = L::load(&share);
            for k in 0..block.points as usize {
                for row in 0..3 {
                    let change = L::load(&coarse.point[k].change[row]);
                    let new = L::load(&block.point[k].impulse[row]) + share * change;
                    new.store(&mut block.point[k].impulse[row]);
                }
            }
        }
    }
}

struct Assemble<'a, T> {
    problem: &'a Blocks<T>,
    blocks: &'a [CoarseBlock<T>],
    around: &'a [[u32; 2]],
    bodies: &'a mut [BodyBlock<T>],
    diagonal: &'a mut [Matrix6],
    above: &'a mut [Matrix6],
}

/// Running sums of a weighted vector and of its square: `1, v, v vᵀ`.
struct Moments<L>([L; 10]);

impl<L: Lanes> Moments<L> {
    #[inline(always)]
    fn new() -> Self {
        Self([L::splat(0.0); 10])
    }

    #[inline(always)]
    fn add(&mut self, weight: L, v: V3<L>) {
        let w = v.times(weight);
        let sums = &mut self.0;
        sums[0] = sums[0] + weight;
        sums[1] = sums[1] + w.0;
        sums[2] = sums[2] + w.1;
        sums[3] = sums[3] + w.2;
        sums[4] = sums[4] + w.0 * v.0;
        sums[5] = sums[5] + w.1 * v.1;
        sums[6] = sums[6] + w.2 * v.2;
        sums[7] = sums[7] + w.0 * v.1;
        sums[8] = sums[8] + w.0 * v.2;
        sums[9] = sums[9] + w.1 * v.2;
    }

    #[inline(always)]
    fn store(&self, to: &mut [Eight<L::Real>; 10]) {
        for k in 0..10 {
            self.0[k].store(&mut to[k]);
        }
    }
}

impl<T: Real> Kernel<T> for Assemble<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) {
        let Self {
            problem,
            blocks,
            around,
            bodies,
            diagonal,
            above,
        } = self;
        for body in bodies.iter_mut() {
            body.stick = Default::default();
            body.wrench = Default::default();
        }

        // every patch to its bodies: sums of the sticking points, wrenches of the sliding ones
        let (mut sticks, mut slides) = ([Eight::default(); 10], LaneMatrix::<T>::default());
        for (block, coarse) in problem.blocks.iter().zip(blocks) {
            let n = V3::<L>::load(&block.normal);
            let per_length = L::load(&coarse.per_length);
            for side in 0..2 {
                let (mut stick, mut slide) = (Moments::<L>::new(), Moments::<L>::new());
                for k in 0..block.points as usize {
                    let (point, kept) = (&block.point[k], &coarse.point[k]);
                    let r = V3::<L>::load(if side == 0 { &point.ra } else { &point.rb });
                    let sticks = L::load(&kept.stick);
                    stick.add(sticks, r);
                    slide.add(L::load(&kept.normal) - sticks, r.cross(n));
                }
                stick.store(&mut sticks);
                let mut sliding = Eight::default();
                slide.0[0].store(&mut sliding);
                let some_slide = largest(slide.0[0]) > 0.0;
                if some_slide {
                    // both bodies meet the interface at the same points
                    let (ra, rb) = (
                        V3::<L>::load(&block.point[0].ra),
                        V3::<L>::load(&block.point[0].rb),
                    );
                    let offset = V3::<L>::load(&coarse.offset);
                    let across = ra.minus(rb).times(per_length);
                    let o = if side == 0 {
                        offset
                    } else {
                        offset.plus(across)
                    };
                    let sign = L::load(&coarse.sign);
                    let sign = if side == 0 { -sign } else { sign };
                    sliding_wrench(&slide, n, o, per_length, sign, &mut slides);
                }
                for lane in 0..8 {
                    let slot = block.body[side][lane] as usize;
                    if coarse.interface[lane] == NONE || problem.inverse_mass[slot] == T::default()
                    {
                        continue;
                    }
                    // a body is the upper one on the interface below it
                    let upper = (side == 1) == (coarse.sign.0[lane] > T::default());
                    let (to, which, place) = (&mut bodies[slot / 8], usize::from(!upper), slot % 8);
                    for k in 0..10 {
                        let sum = &mut to.stick[which][k].0[place];
                        *sum = *sum + sticks[k].0[lane];
                    }
                    if sliding.0[lane] > T::default() {
                        for i in 0..6 {
                            for j in 0..6 {
                                let entry = &mut to.wrench[which][i][j].0[place];
                                *entry = *entry + slides[i][j].0[lane];
                            }
                        }
                    }
                }
            }
        }

        // eight bodies at a time to the matrix: Wᵀ M⁻¹ W
        let (mut below, mut over, mut across): (LaneMatrix<T>, LaneMatrix<T>, LaneMatrix<T>) =
            Default::default();
        for (block, around) in bodies.iter_mut().zip(around.chunks(8)) {
            add_sticking::<L>(block, 0, 1.0);
            add_sticking::<L>(block, 1, -1.0);
            let (lower, upper) = (
                load_matrix::<L>(&block.wrench[0]),
                load_matrix::<L>(&block.wrench[1]),
            );
            let mobile = mobility_times::<L>(block, &lower);
            transposed_product(&mobile, &lower, &mut below);
            transposed_product(&mobile, &upper, &mut across);
            let mobile = mobility_times::<L>(block, &upper);
            transposed_product(&mobile, &upper, &mut over);
            // neighbours in memory mostly belong to one interface: add their lanes first
            let mut lane = 0;
            while lane < around.len() {
                let [under, top] = around[lane];
                let start = lane;
                while lane < around.len() && around[lane] == [under, top] {
                    lane += 1;
                }
                let lanes = start..lane;
                if under != NONE {
                    add_lanes(&mut diagonal[under as usize], &below, lanes.clone());
                }
                if top != NONE {
                    add_lanes(&mut diagonal[top as usize], &over, lanes.clone());
                }
                if under != NONE && top != NONE {
                    add_lanes(&mut above[under as usize], &across, lanes);
                }
            }
        }
    }
}

/// What sliding points feel of a unit field: `Σ (n, m) (n, ρ × n)ᵀ` with `m = r × n`, `ρ = o + r/L`.
#[inline(always)]
fn sliding_wrench<L: Lanes>(
    sums: &Moments<L>,
    n: V3<L>,
    o: V3<L>,
    per_length: L,
    sign: L,
    to: &mut LaneMatrix<L::Real>,
) {
    let [count, x, y, z, xx, yy, zz, xy, xz, yz] = sums.0;
    let turn = o.cross(n);
    let m = [x, y, z];
    let n = [n.0, n.1, n.2];
    let turn = [turn.0, turn.1, turn.2];
    let squares = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    for i in 0..3 {
        for j in 0..3 {
            let (ni, mi) = (sign * n[i], sign * m[i]);
            (count * ni * n[j]).store(&mut to[i][j]);
            (ni * (count * turn[j] + m[j] * per_length)).store(&mut to[i][3 + j]);
            (mi * n[j]).store(&mut to[3 + i][j]);
            (mi * turn[j] + sign * squares[i][j] * per_length).store(&mut to[3 + i][3 + j]);
        }
    }
}

/// Adds what the sticking points of eight bodies feel of a unit field: force `Σ a + w × ρ`,
/// torque `Σ r × (a + w × ρ)`, with `ρ = (o + r)/L`.
#[inline(always)]
fn add_sticking<L: Lanes>(block: &mut BodyBlock<L::Real>, side: usize, sign: f64) {
    let sums = &block.stick[side];
    let sign = L::splat(sign);
    let count = L::load(&sums[0]) * sign;
    let arm = V3(L::load(&sums[1]), L::load(&sums[2]), L::load(&sums[3])).times(sign);
    let (xx, yy, zz) = (
        L::load(&sums[4]) * sign,
        L::load(&sums[5]) * sign,
        L::load(&sums[6]) * sign,
    );
    let (xy, xz, yz) = (
        L::load(&sums[7]) * sign,
        L::load(&sums[8]) * sign,
        L::load(&sums[9]) * sign,
    );
    let o = V3::<L>::load(&block.offset[side]);
    let per_length = L::load(&block.per_length[side]);
    let k = o.times(count).plus(arm).times(per_length);
    let w = &mut block.wrench[side];

    add_to(&mut w[0][0], count);
    add_to(&mut w[1][1], count);
    add_to(&mut w[2][2], count);
    // -[k]x
    add_to(&mut w[0][4], k.2);
    add_to(&mut w[0][5], -k.1);
    add_to(&mut w[1][3], -k.2);
    add_to(&mut w[1][5], k.0);
    add_to(&mut w[2][3], k.1);
    add_to(&mut w[2][4], -k.0);
    // [arm]x
    add_to(&mut w[3][1], -arm.2);
    add_to(&mut w[3][2], arm.1);
    add_to(&mut w[4][0], arm.2);
    add_to(&mut w[4][2], -arm.0);
    add_to(&mut w[5][0], -arm.1);
    add_to(&mut w[5][1], arm.0);
    // -([arm]x [o]x + Σ r rᵀ - |r|²)/L, with [arm]x [o]x = o armᵀ - (o · arm)
    let dot = o.dot(arm);
    add_to(&mut w[3][3], (dot - o.0 * arm.0 + yy + zz) * per_length);
    add_to(&mut w[4][4], (dot - o.1 * arm.1 + xx + zz) * per_length);
    add_to(&mut w[5][5], (dot - o.2 * arm.2 + xx + yy) * per_length);
    add_to(&mut w[3][4], -(o.0 * arm.1 + xy) * per_length);
    add_to(&mut w[3][5], -(o.0 * arm.2 + xz) * per_length);
    add_to(&mut w[4][3], -(o.1 * arm.0 + xy) * per_length);
    add_to(&mut w[4][5], -(o.1 * arm.2 + yz) * per_length);
    add_to(&mut w[5][3], -(o.2 * arm.0 + xz) * per_length);
    add_to(&mut w[5][4], -(o.2 * arm.1 + yz) * per_length);
}

#[inline(always)]
fn add_to<L: Lanes>(to: &mut Eight<L::Real>, x: L) {
    (L::load(to) + x).store(to);
}

#[inline(always)]
fn load_matrix<L: Lanes>(from: &LaneMatrix<L::Real>) -> [[L; 6]; 6] {
    let mut out = [[L::splat(0.0); 6]; 6];
    for i in 0..6 {
        for j in 0..6 {
            out[i][j] = L::load(&from[i][j]);
        }
    }
    out
}

/// `M⁻¹ W`.
#[inline(always)]
fn mobility_times<L: Lanes>(block: &BodyBlock<L::Real>, w: &[[L; 6]; 6]) -> [[L; 6]; 6] {
    let mass = L::load(&block.inverse_mass);
    let mut out = *w;
    for k in 0..6 {
        out[0][k] = mass * w[0][k];
        out[1][k] = mass * w[1][k];
        out[2][k] = mass * w[2][k];
        let turned = symmetric_times(&block.inverse_inertia, V3(w[3][k], w[4][k], w[5][k]));
        out[3][k] = turned.0;
        out[4][k] = turned.1;
        out[5][k] = turned.2;
    }
    out
}

/// `to = Aᵀ B`.
#[inline(always)]
fn transposed_product<L: Lanes>(a: &[[L; 6]; 6], b: &[[L; 6]; 6], to: &mut LaneMatrix<L::Real>) {
    for i in 0..6 {
        for j in 0..6 {
            let sum = a[0][i] * b[0][j]
                + a[1][i] * b[1][j]
                + a[2][i] * b[2][j]
                + a[3][i] * b[3][j]
                + a[4][i] * b[4][j]
                + a[5][i] * b[5][j];
            sum.store(&mut to[i][j]);
        }
    }
}

#[inline(always)]
fn add_lanes<T: Real>(to: &mut Matrix6, from: &LaneMatrix<T>, lanes: std::ops::Range<usize>) {
    for i in 0..6 {
        for j in 0..6 {
            let x = &from[i][j].0;
            let sum = if lanes.len() == 8 {
                ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]))
            } else {
                lanes.clone().fold(T::of(0.0), |sum, lane| sum + x[lane])
            };
            to[i][j] += sum.f64();
        }
    }
}

/// Lower Cholesky factor in place. Fields that nothing feels get an endless stiffness, so
/// that their share of the solution is zero.
fn cholesky(m: &mut Matrix6) {
    let largest = (0..6).fold(0.0, |most, i| f64::max(most, m[i][i]));
    let floor = 1e-10 * largest;
    for j in 0..6 {
        let mut pivot = m[j][j];
        for k in 0..j {
            pivot -= m[j][k] * m[j][k];
        }
        let useful = pivot > floor;
        let root = if useful { pivot.sqrt() } else { f64::INFINITY };
        m[j][j] = root;
        for i in j + 1..6 {
            let mut sum = m[i][j];
            for k in 0..j {
                sum -= m[i][k] * m[j][k];
            }
            m[i][j] = if useful { sum / root } else { 0.0 };
        }
    }
}

/// `L⁻¹ x`.
fn forward(l: &Matrix6, x: &mut Vector6) {
    for i in 0..6 {
        let mut sum = x[i];
        for k in 0..i {
            sum -= l[i][k] * x[k];
        }
        x[i] = sum / l[i][i];
    }
}

/// `L⁻ᵀ x`.
fn backward(l: &Matrix6, x: &mut Vector6) {
    for i in (0..6).rev() {
        let mut sum = x[i];
        for k in i + 1..6 {
            sum -= l[k][i] * x[k];
        }
        x[i] = sum / l[i][i];
    }
}

/// `L⁻¹ E`, column by column.
fn forward_columns(l: &Matrix6, e: &mut Matrix6) {
    for i in 0..6 {
        for k in 0..i {
            let factor = l[i][k];
            let (done, now) = e.split_at_mut(i);
            for (to, &from) in now[0].iter_mut().zip(&done[k]) {
                *to -= factor * from;
            }
        }
        let scale = 1.0 / l[i][i];
        for entry in &mut e[i] {
            *entry *= scale;
        }
    }
}
