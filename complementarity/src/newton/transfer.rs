//! An island copied out of the lanes, and its solution written back.

use drystone_base::Symmetric3;
use drystone_base::lanes::{Real, Wide8};

use super::Newton;
use super::island::Body;
use super::point::Point;
use super::six::{dot, six, symmetric, vector};
use crate::blocks::{Blocks, NONE};

/// Inertia of a direction that cannot turn, over the largest of the body \[1\].
const LOCKED: f64 = 1e9;

impl Newton {
    /// Copies an island.
    pub(super) fn gather<T: Real>(
        &mut self,
        problem: &Blocks<T>,
        members: std::ops::Range<usize>,
        patches: std::ops::Range<usize>,
    ) {
        let island = &mut self.island;
        island.bodies.clear();
        island.free.clear();
        island.v.clear();
        self.local.clear();
        self.local.resize(problem.velocity.len(), NONE);
        let mut mass = 0.0;
        // bodies, with the velocities of now and those without contacts
        for &(_, slot) in &self.members[members] {
            let k = slot as usize;
            let inverse_mass = problem.inverse_mass[k].f64();
            let inverse_inertia = symmetric(&problem.inverse_inertia[k]);
            self.local[k] = island.bodies.len() as u32;
            let body = Body {
                slot,
                inverse_mass,
                inverse_inertia,
                mass: 1.0 / inverse_mass,
                inertia: inverse_of(&inverse_inertia, inverse_mass),
                reach: 0.0,
            };
            mass += body.mass;
            island.bodies.push(body);
            island.free.push(self.free[k]);
            island.v.push(self.velocity[k]);
        }
        island.mass = mass;

        // contact points: rows of J, with what fixed bodies bring as a bias
        island.points.clear();
        island.edges.clear();
        for &(_, place) in &self.patches[patches] {
            let (k, lane) = (place as usize / 8, place as usize % 8);
            let block = &problem.blocks[k];
            let slots = [block.body[0][lane], block.body[1][lane]];
            let body = slots.map(|slot| self.local[slot as usize]);
            if body[0] != NONE && body[1] != NONE {
                island
                    .edges
                    .push([body[0].min(body[1]), body[0].max(body[1])]);
            }
            let frame = [&block.normal, &block.tangent1, &block.tangent2];
            let frame = frame.map(|axis| vector(axis, lane));
            for (number, point) in block.point[..block.points as usize].iter().enumerate() {
                if point.mass_n.0[lane] <= T::default() {
                    continue;
                }
                let mut rows = [[Wide8::default(); 3]; 2];
                let mut bias = [0.0; 3];
                for side in 0..2 {
                    let arm = vector(if side == 0 { &point.ra } else { &point.rb }, lane);
                    let sign = if side == 0 { -1.0 } else { 1.0 };
                    for row in 0..3 {
                        let axis = frame[row] * sign;
                        let entry = six(axis, arm.cross(axis));
                        if body[side] == NONE {
                            let v = &self.velocity[slots[side] as usize];
                            bias[row] += dot(&entry, v);
                        } else {
                            rows[side][row] = entry;
                        }
                    }
                    if body[side] != NONE {
                        let reach = &mut island.bodies[body[side] as usize].reach;
                        *reach = reach.max(arm.length());
                    }
                }
                let lambda = [0, 1, 2].map(|row| point.impulse[row].0[lane].f64());
                let friction = block.friction.0[lane].f64();
                island.points.push(Point {
                    body,
                    rows,
                    bias,
                    target: point.target.0[lane].f64(),
                    friction,
                    mass: [point.mass_n.0[lane].f64(), point.mass_t.0[lane].f64()],
                    lambda,
                    lift: 0.0,
                    u: [0.0; 3],
                    change: [0.0; 3],
                    best: lambda,
                    at: (k as u32, lane as u8, number as u8),
                    place: None,
                });
            }
        }
        island.edges.sort_unstable();
        island.edges.dedup();
    }

    /// Impulses as the problem's numbers can hold them, and the velocities that follow.
    pub(super) fn write_back<T: Real>(&mut self, problem: &mut Blocks<T>) {
        let island = &mut self.island;
        for point in &mut island.points {
            let (block, lane, number) = point.at;
            let to = &mut problem.blocks[block as usize].point[number as usize];
            for row in 0..3 {
                let value = T::of(point.best[row]);
                to.impulse[row].0[lane as usize] = value;
                point.lambda[row] = value.f64();
            }
        }
        island.velocities_after();
        for (body, v) in island.bodies.iter().zip(&island.trial) {
            let to = &mut problem.velocity[body.slot as usize];
            for i in 0..6 {
                to.0[i] = T::of(v.0[i]);
            }
        }
    }
}

/// Inertia from its inverse; what cannot turn gets a very large one.
fn inverse_of(inverse: &Symmetric3, inverse_mass: f64) -> Symmetric3 {
    let trace = inverse.xx + inverse.yy + inverse.zz;
    let least = if trace > 0.0 { trace } else { inverse_mass } / LOCKED;
    let stiff = Symmetric3 {
        xx: inverse.xx + least,
        yy: inverse.yy + least,
        zz: inverse.zz + least,
        ..*inverse
    };
    stiff.inverse()
}
