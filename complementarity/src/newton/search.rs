//! Which islands of a problem are not solved.

use drystone_base::lanes::{Real, Wide8};

use super::point::natural_residual;
use super::six::{add, parts, six, symmetric, vector};
use super::{Newton, Outcome};
use crate::blocks::{Blocks, NONE};

impl Newton {
    /// Velocities without contacts and with the present impulses, in double precision.
    pub(super) fn take_velocities<T: Real>(&mut self, problem: &Blocks<T>) {
        let wide = |v: &Wide8<T>| Wide8(v.0.map(Real::f64));
        self.velocity.clear();
        self.velocity
            .resize(problem.velocity.len(), Wide8::default());
        // M⁻¹ Jᵀ λ
        for block in &problem.blocks {
            for lane in (0..8).filter(|&lane| block.patch[lane] != NONE) {
                let frame = [&block.normal, &block.tangent1, &block.tangent2];
                let frame = frame.map(|axis| vector(axis, lane));
                let mut sums = [Wide8::default(); 2];
                for point in &block.point[..block.points as usize] {
                    if point.mass_n.0[lane] > T::default() {
                        let l = vector(&point.impulse, lane);
                        let p = frame[0] * l.x + frame[1] * l.y + frame[2] * l.z;
                        add(
                            &mut sums[0],
                            &six(p, vector(&point.ra, lane).cross(p)),
                            -1.0,
                        );
                        add(&mut sums[1], &six(p, vector(&point.rb, lane).cross(p)), 1.0);
                    }
                }
                for (side, sum) in sums.iter().enumerate() {
                    add(
                        &mut self.velocity[block.body[side][lane] as usize],
                        sum,
                        1.0,
                    );
                }
            }
        }
        for (slot, v) in self.velocity.iter_mut().enumerate() {
            let (p, twist) = parts(v);
            let inverse = problem.inverse_mass[slot].f64();
            *v = if inverse > 0.0 {
                let turn = symmetric(&problem.inverse_inertia[slot]).times(twist);
                six(p * inverse, turn)
            } else {
                Wide8::default()
            };
        }

        // the substep's velocities without contacts where they are known, else what is left
        self.free.clear();
        if problem.free.len() == problem.velocity.len() {
            self.free.extend(problem.free.iter().map(wide));
        } else {
            self.free.extend(problem.velocity.iter().map(wide));
            for (free, change) in self.free.iter_mut().zip(&self.velocity) {
                add(free, change, -1.0);
            }
        }
        for (v, free) in self.velocity.iter_mut().zip(&self.free) {
            add(v, free, 1.0);
        }
    }

    /// Connected parts of the contact graph and the natural residual of each; lists the bodies
    /// and patches of those above the tolerance.
    pub(super) fn find_islands<T: Real>(
        &mut self,
        problem: &Blocks<T>,
        tolerance: f64,
        outcome: &mut Outcome,
    ) {
        let moves = |slot: u32| problem.inverse_mass[slot as usize] > T::default();
        self.parent.clear();
        self.parent.extend(0..problem.velocity.len() as u32);
        for block in &problem.blocks {
            for lane in (0..8).filter(|&lane| block.patch[lane] != NONE) {
                let (a, b) = (block.body[0][lane], block.body[1][lane]);
                if moves(a) && moves(b) {
                    let (a, b) = (root(&mut self.parent, a), root(&mut self.parent, b));
                    // the smaller index leads
                    self.parent[a.max(b) as usize] = a.min(b);
                }
            }
        }

        self.worst.clear();
        self.worst.resize(problem.velocity.len(), 0.0);
        for block in &problem.blocks {
            for lane in (0..8).filter(|&lane| block.patch[lane] != NONE) {
                let bodies = [block.body[0][lane], block.body[1][lane]];
                let Some(&mover) = bodies.iter().find(|&&slot| moves(slot)) else {
                    continue;
                };
                let island = root(&mut self.parent, mover) as usize;
                let [a, b] = bodies.map(|slot| parts(&self.velocity[slot as usize]));
                let frame = [&block.normal, &block.tangent1, &block.tangent2];
                let frame = frame.map(|axis| vector(axis, lane));
                for point in &block.point[..block.points as usize] {
                    if point.mass_n.0[lane] <= T::default() {
                        continue;
                    }
                    let (ra, rb) = (vector(&point.ra, lane), vector(&point.rb, lane));
                    let relative = b.0 + b.1.cross(rb) - a.0 - a.1.cross(ra);
                    let wrong = natural_residual(
                        &[0, 1, 2].map(|row| point.impulse[row].0[lane].f64()),
                        &frame.map(|axis| axis.dot(relative)),
                        point.target.0[lane].f64(),
                        block.friction.0[lane].f64(),
                        [point.mass_n.0[lane].f64(), point.mass_t.0[lane].f64()],
                    );
                    self.worst[island] = self.worst[island].max(wrong);
                }
            }
        }

        self.members.clear();
        self.patches.clear();
        for slot in 0..problem.velocity.len() as u32 {
            let island = root(&mut self.parent, slot);
            outcome.before = outcome.before.max(self.worst[slot as usize]);
            if moves(slot) && self.worst[island as usize] > tolerance {
                self.members.push((island, slot));
            }
        }
        for (k, block) in problem.blocks.iter().enumerate() {
            for lane in (0..8).filter(|&lane| block.patch[lane] != NONE) {
                let bodies = [block.body[0][lane], block.body[1][lane]];
                if let Some(&mover) = bodies.iter().find(|&&slot| moves(slot)) {
                    let island = root(&mut self.parent, mover);
                    if self.worst[island as usize] > tolerance {
                        self.patches.push((island, (k * 8 + lane) as u32));
                    }
                }
            }
        }
        self.members.sort_unstable();
        self.patches.sort_unstable();
    }

    /// The worst residual of the islands that are left alone.
    pub(super) fn rest(&self, tolerance: f64) -> f64 {
        let below = self.worst.iter().filter(|&&worst| worst <= tolerance);
        below.fold(0.0, |most, &worst| f64::max(most, worst))
    }
}

/// The root of `slot` in a union-find forest, with path halving.
fn root(parent: &mut [u32], mut slot: u32) -> u32 {
    while parent[slot as usize] != slot {
        let above = parent[parent[slot as usize] as usize];
        parent[slot as usize] = above;
        slot = above;
    }
    slot
}
