//! What every solver sees of a contact problem: the verbs of [`Operator`], the same for the
//! factored form and for a matrix.
//!
//! A solver is written once, generic over [`Operator`], and compiled for both; [`crate::on_operator`]
//! chooses outside of its loops.

use drystone_base::Vec3;

use crate::kernel::largest_eigenvalue;
use crate::matrix::{Block, BlockMatrix};
use crate::problem::{Problem, Rows, Twist, prepare};

/// Impulses, and what a form keeps up to date beside them. Linear in the impulses, so iterates may
/// be added and scaled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Iterate {
    /// `λ` by contact and row \[N s\].
    pub impulses: Vec<[f64; 3]>,
    /// `ΔV = M⁻¹ Jᵀ λ` of each body in the factored form; empty for a matrix.
    pub delta_v: Vec<Twist>,
}

impl Iterate {
    /// `self += factor * other`.
    pub fn add_scaled(&mut self, factor: f64, other: &Self) {
        for (x, y) in self.impulses.iter_mut().zip(&other.impulses) {
            for i in 0..3 {
                x[i] += factor * y[i];
            }
        }
        for (x, y) in self.delta_v.iter_mut().zip(&other.delta_v) {
            x.linear += y.linear * factor;
            x.angular += y.angular * factor;
        }
    }

    /// `self *= factor`.
    pub fn scale(&mut self, factor: f64) {
        for x in self.impulses.iter_mut().flatten() {
            *x *= factor;
        }
        for x in &mut self.delta_v {
            x.linear *= factor;
            x.angular *= factor;
        }
    }
}

/// Data of one contact with which its three rows can be treated together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AtContact {
    /// `w` \[m/s\].
    pub velocity: [f64; 3],
    /// `λ` \[N s\].
    pub impulse: [f64; 3],
    /// The block of `A` on the diagonal \[1/kg\].
    pub block: Block,
    /// See [`Operator::tangential`] \[1/kg\].
    pub tangential: f64,
    /// Coulomb's coefficient \[1\].
    pub friction: f64,
}

impl AtContact {
    /// The contact with `γ` added to the diagonal of `A` (Erleben 2007, eq. 41) \[1/kg\].
    #[inline]
    pub(crate) fn relaxed(&self, gamma: f64) -> Self {
        let mut relaxed = *self;
        relaxed.tangential += gamma;
        for i in 0..3 {
            relaxed.velocity[i] += gamma * self.impulse[i];
            relaxed.block[i][i] += gamma;
        }
        relaxed
    }
}

/// A contact problem `w = A λ + b` with friction, ready to be swept over.
///
/// Rows of contact `k` are `i = 0` normal, `1` and `2` tangents. Indices out of range are the
/// caller's mistake and panic as slices do.
pub trait Operator: Sync {
    /// How many contacts.
    fn contacts(&self) -> usize;

    /// `b` \[m/s\].
    fn b(&self) -> &[[f64; 3]];

    /// Coulomb's coefficient at contact `k` \[1\].
    fn friction(&self, k: usize) -> f64;

    /// The 3x3 block of `A` on the diagonal at contact `k` \[1/kg\].
    fn block(&self, k: usize) -> Block;

    /// `A_ii` of the rows of contact `k` \[1/kg\].
    fn diagonal(&self, k: usize) -> [f64; 3];

    /// Larger eigenvalue of the tangential 2x2 part of the block (of its symmetric part)
    /// \[1/kg\].
    fn tangential(&self, k: usize) -> f64;

    /// The iterate with given impulses.
    fn iterate(&self, impulses: Vec<[f64; 3]>) -> Iterate;

    /// `w_i = (A λ + b)_i` at contact `k`, row `i` \[m/s\].
    fn velocity_row(&self, k: usize, i: usize, iterate: &Iterate) -> f64;

    /// `w` of the three rows of contact `k` \[m/s\].
    fn velocity(&self, k: usize, iterate: &Iterate) -> [f64; 3];

    /// `λ_i += change` at contact `k`, row `i`.
    fn change(&self, k: usize, i: usize, change: f64, iterate: &mut Iterate);

    /// `A λ` \[m/s\].
    fn product(&self, impulses: &[[f64; 3]]) -> Vec<[f64; 3]>;

    /// Sets the impulse of contact `k` to the result of `rule`: the whole contact at once, for
    /// sweeps that would otherwise go over its bodies three times.
    #[inline]
    fn update(&self, k: usize, iterate: &mut Iterate, rule: impl FnOnce(&AtContact) -> [f64; 3])
    where
        Self: Sized,
    {
        let at = AtContact {
            velocity: self.velocity(k, iterate),
            impulse: iterate.impulses[k],
            block: self.block(k),
            tangential: self.tangential(k),
            friction: self.friction(k),
        };
        let new = rule(&at);
        for i in 0..3 {
            self.change(k, i, new[i] - at.impulse[i], iterate);
        }
    }

    /// The iterate at `λ = 0`.
    fn zero_iterate(&self) -> Iterate {
        self.iterate(vec![[0.0; 3]; self.contacts()])
    }

    /// `w = A λ + b` \[m/s\].
    fn velocities_after(&self, impulses: &[[f64; 3]]) -> Vec<[f64; 3]> {
        let mut w = self.product(impulses);
        for (w, b) in w.iter_mut().zip(self.b()) {
            for i in 0..3 {
                w[i] += b[i];
            }
        }
        w
    }
}

/// A factored [`Problem`] with its rows prepared.
pub struct FactoredOperator<'a> {
    problem: &'a Problem,
    rows: Vec<Rows>,
    compact: Vec<Compact>,
}

/// All that [`Operator::update`] reads of a contact, in one place: a sweep over many contacts is
/// bound by memory.
struct Compact {
    a: u32,
    b: u32,
    axes: [Vec3; 3],
    r_a: Vec3,
    r_b: Vec3,
    free: [f64; 3],
    /// Upper half of the block: nn, n1, n2, 11, 12, 22.
    block: [f64; 6],
    tangential: f64,
    friction: f64,
}

impl<'a> FactoredOperator<'a> {
    /// Prepares the rows.
    pub fn new(problem: &'a Problem) -> Self {
        let rows = prepare(problem);
        let compact = (problem.contacts.iter().zip(&problem.b).zip(&rows))
            .map(|((c, b), rows)| {
                let m = Rows::coupling(rows, rows);
                Compact {
                    a: c.a as u32,
                    b: c.b as u32,
                    axes: c.axes(),
                    r_a: c.r_a,
                    r_b: c.r_b,
                    free: *b,
                    block: [m[0][0], m[0][1], m[0][2], m[1][1], m[1][2], m[2][2]],
                    tangential: rows.tangential,
                    friction: c.friction,
                }
            })
            .collect();
        Self {
            problem,
            rows,
            compact,
        }
    }

    /// The problem that it was prepared from.
    pub fn problem(&self) -> &'a Problem {
        self.problem
    }
}

impl Operator for FactoredOperator<'_> {
    fn contacts(&self) -> usize {
        self.rows.len()
    }

    fn b(&self) -> &[[f64; 3]] {
        &self.problem.b
    }

    #[inline]
    fn friction(&self, k: usize) -> f64 {
        self.problem.contacts[k].friction
    }

    fn block(&self, k: usize) -> Block {
        Rows::coupling(&self.rows[k], &self.rows[k])
    }

    #[inline]
    fn diagonal(&self, k: usize) -> [f64; 3] {
        self.rows[k].diagonal
    }

    #[inline]
    fn tangential(&self, k: usize) -> f64 {
        self.rows[k].tangential
    }

    fn iterate(&self, impulses: Vec<[f64; 3]>) -> Iterate {
        let delta_v = self.problem.delta_v(&impulses);
        Iterate { impulses, delta_v }
    }

    #[inline]
    fn velocity_row(&self, k: usize, i: usize, iterate: &Iterate) -> f64 {
        self.problem.b[k][i] + self.rows[k].velocity(i, &iterate.delta_v)
    }

    #[inline]
    fn velocity(&self, k: usize, iterate: &Iterate) -> [f64; 3] {
        let (rows, b) = (&self.rows[k], &self.problem.b[k]);
        std::array::from_fn(|i| b[i] + rows.velocity(i, &iterate.delta_v))
    }

    #[inline]
    fn change(&self, k: usize, i: usize, change: f64, iterate: &mut Iterate) {
        iterate.impulses[k][i] += change;
        self.rows[k].push(i, change, &mut iterate.delta_v);
    }

    #[inline]
    fn update(&self, k: usize, iterate: &mut Iterate, rule: impl FnOnce(&AtContact) -> [f64; 3]) {
        let c = &self.compact[k];
        let (a, b) = (c.a as usize, c.b as usize);
        let (v_a, v_b) = (iterate.delta_v[a], iterate.delta_v[b]);
        let v = v_b.at(c.r_b) - v_a.at(c.r_a);
        let [nn, n1, n2, m11, m12, m22] = c.block;
        let at = AtContact {
            velocity: std::array::from_fn(|i| c.free[i] + c.axes[i].dot(v)),
            impulse: iterate.impulses[k],
            block: [[nn, n1, n2], [n1, m11, m12], [n2, m12, m22]],
            tangential: c.tangential,
            friction: c.friction,
        };
        let new = rule(&at);
        iterate.impulses[k] = new;
        // both bodies once, by the sum of the rows
        let p = c.axes[0] * (new[0] - at.impulse[0])
            + c.axes[1] * (new[1] - at.impulse[1])
            + c.axes[2] * (new[2] - at.impulse[2]);
        let (mass_a, mass_b) = (&self.problem.bodies[a], &self.problem.bodies[b]);
        iterate.delta_v[a] = Twist {
            linear: v_a.linear - p * mass_a.inverse_mass,
            angular: v_a.angular - mass_a.inverse_inertia.times(c.r_a.cross(p)),
        };
        iterate.delta_v[b] = Twist {
            linear: v_b.linear + p * mass_b.inverse_mass,
            angular: v_b.angular + mass_b.inverse_inertia.times(c.r_b.cross(p)),
        };
    }

    fn product(&self, impulses: &[[f64; 3]]) -> Vec<[f64; 3]> {
        self.problem.row_velocities(&self.problem.delta_v(impulses))
    }
}

/// A contact problem with its matrix assembled. `b` and `friction` have one entry for each of the
/// matrix's contacts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatrixProblem {
    /// `A` \[1/kg\].
    pub matrix: BlockMatrix,
    /// `b` \[m/s\].
    pub b: Vec<[f64; 3]>,
    /// Coulomb's coefficient at each contact \[1\].
    pub friction: Vec<f64>,
}

impl Operator for MatrixProblem {
    fn contacts(&self) -> usize {
        self.matrix.contacts()
    }

    fn b(&self) -> &[[f64; 3]] {
        &self.b
    }

    #[inline]
    fn friction(&self, k: usize) -> f64 {
        self.friction[k]
    }

    #[inline]
    fn block(&self, k: usize) -> Block {
        *self.matrix.diagonal_block(k)
    }

    #[inline]
    fn diagonal(&self, k: usize) -> [f64; 3] {
        let block = self.matrix.diagonal_block(k);
        [block[0][0], block[1][1], block[2][2]]
    }

    #[inline]
    fn tangential(&self, k: usize) -> f64 {
        let block = self.matrix.diagonal_block(k);
        largest_eigenvalue(block[1][1], block[2][2], 0.5 * (block[1][2] + block[2][1]))
    }

    fn iterate(&self, impulses: Vec<[f64; 3]>) -> Iterate {
        Iterate {
            impulses,
            delta_v: Vec::new(),
        }
    }

    #[inline]
    fn velocity_row(&self, k: usize, i: usize, iterate: &Iterate) -> f64 {
        self.b[k][i] + self.matrix.times_row(k, i, &iterate.impulses)
    }

    #[inline]
    fn velocity(&self, k: usize, iterate: &Iterate) -> [f64; 3] {
        let product = self.matrix.times_rows(k, &iterate.impulses);
        std::array::from_fn(|i| self.b[k][i] + product[i])
    }

    #[inline]
    fn change(&self, k: usize, i: usize, change: f64, iterate: &mut Iterate) {
        iterate.impulses[k][i] += change;
    }

    fn product(&self, impulses: &[[f64; 3]]) -> Vec<[f64; 3]> {
        self.matrix.times(impulses)
    }
}
