//! Many contacts of one strand: projected Gauss-Seidel sweeps along the chain, without the matrix.
//!
//! A sweep needs the diagonal blocks of `K = N H⁻¹ Nᵀ`, and how the change of a force moves the next contact. Both
//! come from the step's factor: the compliance `G_k` of every link, root to tip, and the joints between two
//! contacts. A wrench further out acts on link `k` as what is carried in to it, times `G_k`; a motion further in
//! reaches `k` through the joints between. A sweep costs as much as there are links and contacts, and gives what
//! the same sweep over the dense matrix gives ([`drystone_complementarity::solvers::sor_lcp`]).

use drystone_base::{Mat3, Vec3};
use drystone_complementarity::largest_eigenvalue;
use drystone_complementarity::solvers::Bound;

use crate::chain::BASE;
use crate::factor::{Factor, Moved, Wrench};
use crate::kinematics::Link;
use crate::response::{Row, RowJacobian};

/// Turn and shift of a link under a wrench on it.
#[derive(Clone, Copy, Debug)]
struct Compliance {
    turn_moment: Mat3,
    turn_force: Mat3,
    shift_moment: Mat3,
    shift_force: Mat3,
}

impl Compliance {
    const ZERO: Self = Self {
        turn_moment: Mat3::ZERO,
        turn_force: Mat3::ZERO,
        shift_moment: Mat3::ZERO,
        shift_force: Mat3::ZERO,
    };

    #[inline]
    fn times(&self, p: Wrench) -> Moved {
        (
            self.turn_moment * p.moment + self.turn_force * p.force,
            self.shift_moment * p.moment + self.shift_force * p.force,
        )
    }
}

/// Three rows at one place of a link.
#[derive(Clone, Copy, Debug)]
struct Block {
    /// First of the rows.
    row: usize,
    link: usize,
    lever: Vec3,
    axes: [Vec3; 3],
    /// Motion of the rows under unit forces along them, column by column.
    response: [[f64; 3]; 3],
    friction: f64,
    /// Error of the rows at the end of the step under the forces at the start of this sweep.
    off: [f64; 3],
    force: [f64; 3],
}

/// Scratch of the sweeps.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChainSweep {
    compliance: Vec<Compliance>,
    /// Place of each link when branches are followed to their tips one after the other.
    order: Vec<usize>,
    stack: Vec<usize>,
    blocks: Vec<Block>,
    /// Change of each link's motion in this sweep, and the wrench that is still to be carried in.
    delta: Vec<Moved>,
    carried: Vec<Wrench>,
    known: Vec<bool>,
}

/// Parameters of sweeps; see [`drystone_complementarity::solvers::SorLcp`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sweeps {
    pub regularisation: f64,
    pub sweeps: u32,
    pub tolerance: f64,
}

const STILL: Moved = (Vec3::ZERO, Vec3::ZERO);

impl ChainSweep {
    /// Whether `rows` are of the kind that sweeps are made for: contacts, each with a normal and a
    /// disc of friction.
    pub(crate) fn fits(rows: &[Row]) -> bool {
        rows.len().is_multiple_of(3)
            && rows.chunks_exact(3).all(|rows| {
                let single = matches!(rows[0].jacobian, RowJacobian::Points(_, None));
                single && rows[0].bound == Bound::Unilateral
            })
    }

    /// Finds the forces of `rows`; `force` is the first guess, `off` the error of the rows under it \[m\]. Returns the
    /// largest motion of a row under its own force alone, and the largest error without any forces \[m\].
    pub(crate) fn solve(
        &mut self,
        rows: &[Row],
        factor: &mut Factor,
        links: &[Link],
        force: &mut [f64],
        off: &[f64],
        how: Sweeps,
    ) -> (f64, f64) {
        self.list_blocks(rows, factor, links, force, off);
        let (mut largest, mut start) = (0.0f64, 0.0f64);
        for block in &self.blocks {
            for k in 0..3 {
                let response = block.response[k][k];
                largest = largest.max(response);
                start = start.max(block.off[k].abs() + (response * block.force[k]).abs());
            }
        }
        let epsilon = how.regularisation * largest;
        for sweep in 0..how.sweeps {
            let (change, size) = self.sweep(factor, epsilon);
            if change <= how.tolerance * size || sweep + 1 == how.sweeps {
                break;
            }
            self.renew(rows, factor, links, force, off);
        }
        let mut moved = 0.0f64;
        for block in &self.blocks {
            for k in 0..3 {
                let far = (block.response[k][k] * block.force[k]).abs();
                // keeps a NaN
                moved = if far > moved || far.is_nan() {
                    far
                } else {
                    moved
                };
                force[block.row + k] = block.force[k];
            }
        }
        (moved, start)
    }

    /// Blocks in the order of the chain, and the compliances they need.
    fn list_blocks(
        &mut self,
        rows: &[Row],
        factor: &Factor,
        links: &[Link],
        force: &[f64],
        off: &[f64],
    ) {
        let n = factor.len();
        self.number(factor);
        self.compliance.clear();
        self.compliance.resize(n, Compliance::ZERO);
        self.known.clear();
        self.known.resize(n, false);
        self.delta.resize(n, STILL);
        self.carried.resize(n, Wrench::default());
        self.blocks.clear();
        for (c, three) in rows.chunks_exact(3).enumerate() {
            let RowJacobian::Points(point, _) = three[0].jacobian else {
                continue;
            };
            self.find_compliance(factor, point.link);
            let (lever, axes) = (point.lever(links), [0, 1, 2].map(|k| three[k].direction));
            let g = &self.compliance[point.link];
            let mut response = [[0.0; 3]; 3];
            for (k, axis) in axes.iter().enumerate() {
                let (turn, shift) = g.times(load(lever, *axis));
                let at = shift + turn.cross(lever);
                response[k] = axes.map(|axis| axis.dot(at));
            }
            let friction = match three[1].bound {
                Bound::Disc { friction, .. } => friction,
                _ => 0.0,
            };
            let three = |from: &[f64]| [from[3 * c], from[3 * c + 1], from[3 * c + 2]];
            self.blocks.push(Block {
                row: 3 * c,
                link: point.link,
                lever,
                axes,
                response,
                friction,
                off: three(off),
                force: three(force),
            });
        }
        let order = &self.order;
        self.blocks
            .sort_unstable_by_key(|block| (order[block.link], block.row));
    }

    /// Numbers the links depth first.
    fn number(&mut self, factor: &Factor) {
        let n = factor.len();
        self.order.clear();
        self.order.resize(n, 0);
        if (0..n).all(|j| factor.parent(j) == j.wrapping_sub(1)) {
            for (j, place) in self.order.iter_mut().enumerate() {
                *place = j;
            }
            return;
        }
        // how many links hang from each, itself included; then places from the root outwards
        self.stack.clear();
        self.stack.resize(n, 1);
        for j in (0..n).rev() {
            let i = factor.parent(j);
            if i != BASE {
                self.stack[i] += self.stack[j];
            }
        }
        let mut next = 0;
        for j in 0..n {
            let (i, count) = (factor.parent(j), self.stack[j]);
            if i == BASE {
                self.order[j] = next;
                next += count;
            } else {
                // what is left of the parent's range is kept in its own count
                self.order[j] = self.order[i] + self.stack[i] - count;
                self.stack[i] -= count;
            }
        }
    }

    /// Compliance of `link`, and of all between it and the base.
    fn find_compliance(&mut self, factor: &Factor, link: usize) {
        self.stack.clear();
        let mut j = link;
        while j != BASE && !self.known[j] {
            self.stack.push(j);
            j = factor.parent(j);
        }
        while let Some(j) = self.stack.pop() {
            let i = factor.parent(j);
            let column = |p: Wrench| {
                let (reduced, p) = factor.carry_in(j, p, (Vec3::ZERO, 0.0));
                let parent = if i == BASE {
                    STILL
                } else {
                    self.compliance[i].times(p)
                };
                factor.carry_out(j, reduced, parent).2
            };
            let axes = [Vec3::X, Vec3::Y, Vec3::Z];
            let force = Vec3::ZERO;
            let moments = axes.map(|moment| column(Wrench { moment, force }));
            let moment = Vec3::ZERO;
            let forces = axes.map(|force| column(Wrench { moment, force }));
            let matrix = |columns: [Moved; 3], part: fn(Moved) -> Vec3| {
                Mat3::from_cols(part(columns[0]), part(columns[1]), part(columns[2]))
            };
            self.compliance[j] = Compliance {
                turn_moment: matrix(moments, |m| m.0),
                turn_force: matrix(forces, |m| m.0),
                shift_moment: matrix(moments, |m| m.1),
                shift_force: matrix(forces, |m| m.1),
            };
            self.known[j] = true;
        }
    }

    /// One sweep over all contacts, root to tips. Returns the largest change and the largest force.
    fn sweep(&mut self, factor: &Factor, epsilon: f64) -> (f64, f64) {
        let Self {
            compliance,
            stack,
            blocks,
            delta,
            carried,
            ..
        } = self;
        let (mut change, mut size) = (0.0f64, 0.0f64);
        let mut here = BASE;
        for block in blocks.iter_mut() {
            // from where the last change was made: in to where the ways part, and out again
            let (mut low, mut high) = (here, block.link);
            stack.clear();
            while low != high {
                if high == BASE || (low != BASE && low > high) {
                    let (_, p) = factor.carry_in(low, carried[low], (Vec3::ZERO, 0.0));
                    low = factor.parent(low);
                    if low != BASE {
                        carried[low].moment += p.moment;
                        carried[low].force += p.force;
                        let (turn, shift) = compliance[low].times(p);
                        delta[low].0 += turn;
                        delta[low].1 += shift;
                    }
                } else {
                    stack.push(high);
                    high = factor.parent(high);
                }
            }
            let mut moving = if low == BASE { STILL } else { delta[low] };
            while let Some(j) = stack.pop() {
                moving = factor.carry_out(j, (Vec3::ZERO, 0.0), moving).2;
                delta[j] = moving;
                carried[j] = Wrench::default();
            }
            // one contact: project its force onto the cone, and carry the change to its link
            here = block.link;
            let before = block.force;
            block.relax(delta[here], epsilon);
            let mut push = Vec3::ZERO;
            for k in 0..3 {
                push += block.axes[k] * (block.force[k] - before[k]);
                change = change.max((block.force[k] - before[k]).abs());
                size = size.max(block.force[k].abs());
            }
            let p = load(block.lever, push);
            carried[here].moment += p.moment;
            carried[here].force += p.force;
            let (turn, shift) = compliance[here].times(p);
            delta[here].0 += turn;
            delta[here].1 += shift;
        }
        (change, size)
    }

    /// Error of all rows under the present forces, by one solve.
    fn renew(
        &mut self,
        rows: &[Row],
        factor: &mut Factor,
        links: &[Link],
        start: &[f64],
        off: &[f64],
    ) {
        factor.clear_loads();
        for block in &self.blocks {
            for k in 0..3 {
                let more = block.force[k] - start[block.row + k];
                rows[block.row + k].load(factor, links, more);
            }
        }
        factor.respond_to_loads();
        for block in &mut self.blocks {
            for k in 0..3 {
                let row = block.row + k;
                block.off[k] = off[row] + rows[row].moved(factor, links);
            }
        }
    }
}

impl Block {
    /// New forces, when the link has moved by `delta` since `off` was found: the normal, then both
    /// directions of friction together.
    fn relax(&mut self, (turn, shift): Moved, epsilon: f64) {
        let at = shift + turn.cross(self.lever);
        let mut off = [0, 1, 2].map(|k| self.off[k] + self.axes[k].dot(at));
        let r = &self.response;
        let stiffness = r[0][0];
        if stiffness > 0.0 {
            let wanted = (stiffness * self.force[0] - off[0]) / (stiffness + epsilon);
            let wanted = wanted.max(0.0);
            if wanted.is_finite() {
                let more = wanted - self.force[0];
                self.force[0] = wanted;
                for k in 0..3 {
                    off[k] += r[0][k] * more;
                }
            }
        }
        let stiffness = largest_eigenvalue(r[1][1], r[2][2], 0.5 * (r[1][2] + r[2][1]));
        if stiffness > 0.0 {
            let wanted = |k: usize| (stiffness * self.force[k] - off[k]) / (stiffness + epsilon);
            let (u, v) = (wanted(1), wanted(2));
            let most = (self.friction * self.force[0]).max(0.0);
            let length = (u * u + v * v).sqrt();
            let part = if length > most { most / length } else { 1.0 };
            if (u * part).is_finite() && (v * part).is_finite() {
                (self.force[1], self.force[2]) = (u * part, v * part);
            }
        }
    }
}

/// Wrench of a force at `lever`.
#[inline]
fn load(lever: Vec3, force: Vec3) -> Wrench {
    Wrench {
        moment: -lever.cross(force),
        force: -force,
    }
}
