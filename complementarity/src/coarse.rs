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
mod assembly;
mod small;
mod transfer;

use assembly::Assemble;
use drystone_base::lanes::{Dispatch, Real, Wide8, dispatch};

use small::{backward, cholesky, forward, forward_columns};
use transfer::{Apply, Prolong, Restrict};

use crate::blocks::{Blocks, NONE, POINTS, PatchInput};

type Vector6 = [f64; 6];
type Matrix6 = [[f64; 6]; 6];

/// Share of the friction bound below which a contact counts as sticking.
pub(crate) const STICKING: f64 = 0.98;
/// Approach at which a contact without impulse counts as closing, over that of a calm one \[1\].
const CLOSING: f64 = 5e-4;
/// Fraction of the contacts of one interface whose change makes the matrix too old \[1\].
const REBUILD_INTERFACE: f64 = 0.5;

/// Data of the coarse level for each block.
#[derive(Clone, Debug, Default)]
struct CoarseBlock<T> {
    interface: [u32; 8],
    /// +1 where `b` is the upper body, -1 where `a` is, 0 where there is no interface.
    sign: Wide8<T>,
    /// From the interface's reference to the centre of `a`, over its length \[1\].
    offset: [Wide8<T>; 3],
    /// One over the interface's length \[1/m\].
    per_length: Wide8<T>,
    /// Largest violation of the lane's active points as a speed, over the calm speed \[1\].
    approach: Wide8<T>,
    point: [CoarsePoint<T>; POINTS],
}

#[derive(Clone, Debug, Default)]
struct CoarsePoint<T> {
    /// 1 where the normal row is active.
    normal: Wide8<T>,
    /// 1 where the tangent rows are active too.
    stick: Wide8<T>,
    /// Residual velocity along n, t1, t2 \[m/s\].
    residual: [Wide8<T>; 3],
    /// Impulse change of the coarse correction \[N s\].
    change: [Wide8<T>; 3],
}

/// An interface between two heights.
#[derive(Clone, Copy, Debug)]
struct Interface {
    reference: Vec3,
    length: f64,
    island: u32,
}

type LaneMatrix<T> = [[Wide8<T>; 6]; 6];
/// Twenty-one sums over the active rows at one side of a body; see [`assembly`].
type Sums<T> = [Wide8<T>; 3];

/// Eight bodies and the interfaces below (0) and above (1) each.
#[derive(Clone, Debug, Default)]
struct BodyBlock<T> {
    /// From the interface's reference to the body's centre \[m\].
    offset: [[Wide8<T>; 3]; 2],
    /// One over the interface's length \[1/m\].
    per_length: [Wide8<T>; 2],
    inverse_mass: Wide8<T>,
    inverse_inertia: [Wide8<T>; 6],
}

/// How far the contacts are from their solution. Velocities are in units of the calm speed of
/// their patch.
#[derive(Clone, Copy, Debug, Default)]
pub struct Residual {
    /// Fastest approach that violates its target \[1\].
    pub approach: f64,
    /// Share of the contacts that approach faster than the bound given to [`Coarse::residual`] \[1\].
    pub share: f64,
    /// Largest velocity of an active contact, approach or slip \[1\].
    pub velocity: f64,
    /// Whether a contact is at its friction bound.
    pub slides: bool,
    /// Sum over the active rows of velocity squared over the diagonal of `A` \[J\].
    pub energy: f64,
}

/// The coarse level of a [`Blocks`] problem.
#[derive(Clone, Debug, Default)]
pub struct Coarse<T> {
    // written by `set_up`
    interfaces: Vec<Interface>,
    islands: usize,
    /// Per interface: its contact points.
    points: Vec<f64>,
    /// Per body: the interfaces below and above it.
    around: Vec<[u32; 2]>,
    body_island: Vec<u32>,
    /// Geometry by `set_up`, inertia also by `take_inertia`.
    bodies: Vec<BodyBlock<T>>,
    /// Geometry by `set_up`; active rows and residual by `residual`; impulse changes by `prolong`.
    blocks: Vec<CoarseBlock<T>>,

    // written by `residual`
    /// `Pᵀ w` per interface; scratch of `set_up` before.
    right: Vec<Vector6>,
    /// Rows of each interface that became active or passive since the matrix was built.
    changed: Vec<f64>,

    // written by `build` and `factor`
    sums: Vec<[Sums<T>; 2]>,
    diagonal: Vec<Matrix6>,
    above: Vec<Matrix6>,
    /// Whether the matrix belongs to this step; cleared by `set_up` and `take_inertia`.
    built: bool,

    /// Field coefficients per interface, written by `solve_tridiagonal`.
    solution: Vec<Vector6>,
    /// Per body: impulse of the coarse correction, written by `prolong`; velocity change, written by
    /// `line_search`.
    correction: Vec<Wide8<T>>,
    /// Per island: derivative of the energy along the correction, written by `prolong`.
    slope: Vec<f64>,
    /// Per island: second derivative and step length, written by `line_search`.
    curve: Vec<f64>,
    step: Vec<f64>,

    // written by `active_set`
    active_bodies: Vec<bool>,
    active_blocks: Vec<u32>,
}

impl<T: Dispatch> Coarse<T> {
    /// Sets the level up for a step. `island[k]` is the island of interface k; interface k + 1
    /// lies above interface k where both belong to one island. `centres` are the bodies' centres,
    /// `positions(k)` the contact points of patch k, world.
    pub fn set_up<I: Iterator<Item = Vec3>>(
        &mut self,
        problem: &Blocks<T>,
        patches: &[PatchInput],
        centres: &[Vec3],
        island: &[u32],
        positions: impl Fn(usize) -> I,
    ) {
        self.built = false;
        self.islands = island.iter().map(|&i| i as usize + 1).max().unwrap_or(0);

        // reference and length of each interface: mean and spread of its points, summed from
        // the first of them so that nothing is lost far from the origin
        self.interfaces.clear();
        self.interfaces
            .extend(island.iter().map(|&island| Interface {
                reference: Vec3::ZERO,
                length: 0.0,
                island,
            }));
        self.right.clear();
        self.right.resize(island.len(), [0.0; 6]);
        for (k, patch) in patches.iter().enumerate() {
            if patch.interface == NONE {
                continue;
            }
            let sum = &mut self.right[patch.interface as usize];
            let origin = &mut self.interfaces[patch.interface as usize].reference;
            for p in positions(k) {
                if sum[3] == 0.0 {
                    *origin = p;
                }
                let p = p - *origin;
                sum[0] += p.x;
                sum[1] += p.y;
                sum[2] += p.z;
                sum[3] += 1.0;
                sum[4] += p.length_squared();
            }
        }
        self.points.clear();
        self.points.extend(self.right.iter().map(|sum| sum[3]));
        self.changed.clear();
        self.changed.resize(island.len(), 0.0);
        for (interface, sum) in self.interfaces.iter_mut().zip(&self.right) {
            let count = sum[3].max(1.0);
            let mean = Vec3::new(sum[0], sum[1], sum[2]) / count;
            interface.reference += mean;
            let spread = sum[4] / count - mean.length_squared();
            interface.length = spread.max(0.0).sqrt().max(1e-6);
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
        self.take_inertia(problem);
        for (slot, around) in self.around.iter().enumerate() {
            let (block, lane) = (&mut self.bodies[slot / 8], slot % 8);
            block.inverse_mass.0[lane] = problem.inverse_mass[slot];
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

    /// Takes the inertia that bodies of `problem` have now; the matrix is built again.
    pub fn take_inertia(&mut self, problem: &Blocks<T>) {
        self.built = false;
        for (slot, inertia) in problem.inverse_inertia[..self.around.len()]
            .iter()
            .enumerate()
        {
            let block = &mut self.bodies[slot / 8];
            for (entry, &value) in block.inverse_inertia.iter_mut().zip(inertia) {
                entry.0[slot % 8] = value;
            }
        }
    }

    /// Whether there is no interface: nothing rests on anything fixed.
    pub fn is_empty(&self) -> bool {
        self.interfaces.is_empty()
    }

    /// Residual of the contacts of `problem`, and their active rows; call before [`Self::solve`].
    /// Contacts that approach faster than `enough` are counted in [`Residual::share`], in units of
    /// the calm speed \[1\].
    pub fn residual(&mut self, problem: &Blocks<T>, enough: f64) -> Residual {
        self.right.fill([0.0; 6]);
        dispatch(Restrict {
            blocks: &problem.blocks,
            coarse: &mut self.blocks,
            velocity: &problem.velocity,
            right: &mut self.right,
            changed: &mut self.changed,
            enough,
        })
    }

    /// Whether the matrix is too old: more than the fraction `rebuild` of all contacts has changed, or
    /// more than [`REBUILD_INTERFACE`] of one interface. (A roof that meets a tower changes less
    /// than a hundredth of the contacts. With a matrix from before, the coarse level does not see the
    /// blow, and sweeps alone leave so much of it that the tower leans.)
    fn is_outdated(&self, rebuild: f64) -> bool {
        let total = |sums: &[f64]| sums.iter().sum::<f64>();
        let pairs = self.changed.iter().zip(&self.points);
        !self.built
            || total(&self.changed) > rebuild * total(&self.points)
            || pairs
                .into_iter()
                .any(|(changed, points)| *changed > REBUILD_INTERFACE * points)
    }

    /// Predicted decrease of the energy by a coarse solve of the last [`Self::residual`], with the
    /// matrix built last \[J\]; infinite if there is none yet.
    pub fn predicted_decrease(&mut self) -> f64 {
        if !self.built {
            return f64::INFINITY;
        }
        self.solve_tridiagonal();
        let dot = |x: &Vector6, y: &Vector6| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        let pairs = self.right.iter().zip(&self.solution);
        -pairs.map(|(right, x)| dot(right, x)).sum::<f64>()
    }

    /// The active set: all blocks of bodies with a contact that approached faster than `enough` at
    /// the last [`Self::residual`], in units of the calm speed \[1\].
    pub fn active_set(&mut self, problem: &Blocks<T>, enough: f64) -> &[u32] {
        self.active_bodies.clear();
        self.active_bodies.resize(problem.velocity.len(), false);
        let enough = T::of(enough);
        for (block, coarse) in problem.blocks.iter().zip(&self.blocks) {
            for lane in 0..8 {
                if coarse.approach.0[lane] > enough {
                    for slot in [block.body[0][lane] as usize, block.body[1][lane] as usize] {
                        self.active_bodies[slot] |= problem.inverse_mass[slot] > T::default();
                    }
                }
            }
        }
        self.active_blocks.clear();
        for (k, block) in problem.blocks.iter().enumerate() {
            let touches =
                |side: &[u32; 8]| side.iter().any(|&slot| self.active_bodies[slot as usize]);
            if touches(&block.body[0]) || touches(&block.body[1]) {
                self.active_blocks.push(k as u32);
            }
        }
        &self.active_blocks
    }

    /// One coarse correction of the impulses and velocities of `problem`, from the last
    /// [`Self::residual`]. The matrix is rebuilt if more than the fraction `rebuild` of the contacts
    /// has changed between active and passive.
    pub fn solve(&mut self, problem: &mut Blocks<T>, rebuild: f64) {
        if self.interfaces.is_empty() {
            return;
        }
        if self.is_outdated(rebuild) {
            self.build(problem);
            self.factor();
            self.built = true;
            self.changed.fill(0.0);
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
        self.sums.clear();
        self.sums.resize(problem.velocity.len(), Default::default());
        dispatch(Assemble {
            problem,
            blocks: &self.blocks,
            around: &self.around,
            bodies: &self.bodies,
            sums: &mut self.sums,
            diagonal: &mut self.diagonal,
            above: &mut self.above,
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

    /// Forward and back substitution; the right-hand side is the restricted residual, negated.
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

    /// Prolongation: turns coarse fields into a change of every active impulse, projected onto its cone.
    fn prolong(&mut self, problem: &Blocks<T>) {
        self.slope.clear();
        self.slope.resize(self.islands, 0.0);
        self.correction.clear();
        self.correction
            .resize(problem.velocity.len(), Wide8::default());
        dispatch(Prolong {
            blocks: &problem.blocks,
            coarse: &mut self.blocks,
            solution: &self.solution,
            interfaces: &self.interfaces,
            correction: &mut self.correction,
            slope: &mut self.slope,
        });
    }

    /// Exact line search in each island: takes the fraction of the change, at most 1, that lowers the merit most.
    fn line_search(&mut self, problem: &Blocks<T>) {
        self.curve.clear();
        self.curve.resize(self.islands, 0.0);
        for slot in 0..self.correction.len() {
            let island = self.body_island[slot];
            if island == NONE {
                self.correction[slot] = Wide8::default();
                continue;
            }
            let s = self.correction[slot].0.map(Real::f64);
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
            self.correction[slot] = Wide8(moved.map(T::of));
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
        for (slot, moved) in self.correction.iter().enumerate() {
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

fn add_scaled<T: Real>(to: &mut Wide8<T>, what: &Wide8<T>, factor: T) {
    for (to, &x) in to.0.iter_mut().zip(&what.0) {
        *to = T::of(to.f64() + x.f64() * factor.f64());
    }
}
