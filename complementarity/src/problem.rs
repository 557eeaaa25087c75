//! The contact problem in factored form: masses, contact frames and a right-hand side, never
//! the matrix itself.
//!
//! Find impulses `λ` with `w = A λ + b`, `A = J M⁻¹ Jᵀ` (Erleben 2007, eq. 20), such that a
//! normal impulse never pulls and friction stays below `μ λ_n` and opposes sliding (eq. 15).
//! Three rows a contact, in the order normal, first tangent, second tangent.

use drystone_base::{Symmetric3, Vec3};

use crate::kernel::largest_eigenvalue;

/// Inverse mass and inverse inertia of a body; both zero for one that cannot move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mass {
    /// \[1/kg\]
    pub inverse_mass: f64,
    /// Inverse inertia, world axes \[1/(kg m²)\].
    pub inverse_inertia: Symmetric3,
}

impl Mass {
    /// Whether no impulse can move it.
    #[inline]
    pub fn is_fixed(&self) -> bool {
        self.inverse_mass == 0.0 && self.inverse_inertia == Symmetric3::ZERO
    }
}

/// A velocity, or a change of one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// Velocity of the centre of mass \[m/s\].
    pub linear: Vec3,
    /// Angular velocity, world axes \[rad/s\].
    pub angular: Vec3,
}

impl Twist {
    /// At rest.
    pub const ZERO: Self = Self {
        linear: Vec3::ZERO,
        angular: Vec3::ZERO,
    };

    /// Velocity of the material point at `r` from the centre of mass \[m/s\].
    #[inline]
    pub fn at(&self, r: Vec3) -> Vec3 {
        self.linear + self.angular.cross(r)
    }
}

/// One contact point between two bodies of the problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Index of the body the normal points away from.
    pub a: usize,
    /// Index of the body the normal points to.
    pub b: usize,
    /// Unit vector from `a` to `b`.
    pub normal: Vec3,
    /// Two unit vectors that complete the normal to a right-handed frame.
    pub tangents: [Vec3; 2],
    /// From the centre of mass of `a` to the point \[m\].
    pub r_a: Vec3,
    /// From the centre of mass of `b` to the point \[m\].
    pub r_b: Vec3,
    /// Coulomb's coefficient \[1\].
    pub friction: f64,
}

impl Contact {
    /// The directions of the three rows.
    #[inline]
    pub fn axes(&self) -> [Vec3; 3] {
        [self.normal, self.tangents[0], self.tangents[1]]
    }

    /// An impulse on `b` given by its rows, as a world vector \[N s\].
    #[inline]
    pub fn to_world(&self, rows: [f64; 3]) -> Vec3 {
        self.normal * rows[0] + self.tangents[0] * rows[1] + self.tangents[1] * rows[2]
    }

    /// A world vector by rows.
    #[inline]
    pub fn to_rows(&self, v: Vec3) -> [f64; 3] {
        self.axes().map(|axis| axis.dot(v))
    }
}

/// The factored contact problem. `contacts` and `b` are of one length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Problem {
    /// The bodies that the contacts name.
    pub bodies: Vec<Mass>,
    /// Contact points.
    pub contacts: Vec<Contact>,
    /// Relative velocity wanted away, by rows: at `λ = 0`, `w = b` \[m/s\].
    pub b: Vec<[f64; 3]>,
    /// Relaxation `γ` added to the diagonal of the first sweep, fading to nothing at the last
    /// (Erleben 2007, eq. 41) \[1/kg\].
    pub relaxation: f64,
}

impl Problem {
    /// Empties the problem, keeping its memory.
    pub fn clear(&mut self) {
        self.bodies.clear();
        self.contacts.clear();
        self.b.clear();
        self.relaxation = 0.0;
    }

    /// No impulse at any contact.
    pub fn zero_impulses(&self) -> Vec<[f64; 3]> {
        vec![[0.0; 3]; self.contacts.len()]
    }

    /// `J v`: relative velocity of `b` against `a` at each contact, by rows (Erleben 2007,
    /// eq. 14) \[m/s\].
    pub fn row_velocities(&self, v: &[Twist]) -> Vec<[f64; 3]> {
        self.contacts
            .iter()
            .map(|c| c.to_rows(v[c.b].at(c.r_b) - v[c.a].at(c.r_a)))
            .collect()
    }

    /// `ΔV = M⁻¹ Jᵀ λ`: what the impulses change in each body's velocity (Erleben 2007, eq. 19).
    pub fn delta_v(&self, impulses: &[[f64; 3]]) -> Vec<Twist> {
        let mut v = vec![Twist::ZERO; self.bodies.len()];
        for (c, rows) in self.contacts.iter().zip(impulses) {
            let p = c.to_world(*rows);
            self.push(&mut v, c.a, c.r_a, -p);
            self.push(&mut v, c.b, c.r_b, p);
        }
        v
    }

    /// `w = A λ + b`: relative velocity after the impulses \[m/s\].
    pub fn velocities_after(&self, impulses: &[[f64; 3]]) -> Vec<[f64; 3]> {
        let mut w = self.row_velocities(&self.delta_v(impulses));
        for (w, b) in w.iter_mut().zip(&self.b) {
            for i in 0..3 {
                w[i] += b[i];
            }
        }
        w
    }

    /// The whole of `A`, row by row: for tests and small problems only \[1/kg\].
    pub fn dense(&self) -> Vec<Vec<f64>> {
        let rows = 3 * self.contacts.len();
        let mut dense = vec![vec![0.0; rows]; rows];
        let mut unit = self.zero_impulses();
        for column in 0..rows {
            unit[column / 3][column % 3] = 1.0;
            let product = self.row_velocities(&self.delta_v(&unit));
            unit[column / 3][column % 3] = 0.0;
            for row in 0..rows {
                dense[row][column] = product[row / 3][row % 3];
            }
        }
        dense
    }

    fn push(&self, v: &mut [Twist], body: usize, r: Vec3, p: Vec3) {
        let mass = &self.bodies[body];
        v[body].linear += p * mass.inverse_mass;
        v[body].angular += mass.inverse_inertia.times(r.cross(p));
    }
}

/// The rows of one contact prepared for sweeping: the twelve non-zeros of each row of `J`
/// as two cross products, and `T = M⁻¹ Jᵀ` beside them (Erleben 2007, eq. 33).
pub(crate) struct Rows {
    a: usize,
    b: usize,
    axes: [Vec3; 3],
    /// `r × axis` for both bodies.
    twist_a: [Vec3; 3],
    twist_b: [Vec3; 3],
    inverse_mass_a: f64,
    inverse_mass_b: f64,
    /// `I⁻¹ (r × axis)` for both bodies.
    spin_a: [Vec3; 3],
    spin_b: [Vec3; 3],
    pub(crate) diagonal: [f64; 3],
    /// Larger eigenvalue of the tangential 2x2 block of `A` \[1/kg\].
    pub(crate) tangential: f64,
}

impl Rows {
    pub(crate) fn of(problem: &Problem, k: usize) -> Self {
        let c = &problem.contacts[k];
        let (mass_a, mass_b) = (&problem.bodies[c.a], &problem.bodies[c.b]);
        let axes = c.axes();
        let twist_a = axes.map(|axis| c.r_a.cross(axis));
        let twist_b = axes.map(|axis| c.r_b.cross(axis));
        let spin_a = twist_a.map(|t| mass_a.inverse_inertia.times(t));
        let spin_b = twist_b.map(|t| mass_b.inverse_inertia.times(t));
        let mut diagonal = [mass_a.inverse_mass + mass_b.inverse_mass; 3];
        for i in 0..3 {
            diagonal[i] += twist_a[i].dot(spin_a[i]) + twist_b[i].dot(spin_b[i]);
        }
        let off = twist_a[1].dot(spin_a[2]) + twist_b[1].dot(spin_b[2]);
        let tangential = largest_eigenvalue(diagonal[1], diagonal[2], off);
        let (inverse_mass_a, inverse_mass_b) = (mass_a.inverse_mass, mass_b.inverse_mass);
        Self {
            a: c.a,
            b: c.b,
            axes,
            twist_a,
            twist_b,
            inverse_mass_a,
            inverse_mass_b,
            spin_a,
            spin_b,
            diagonal,
            tangential,
        }
    }

    /// The block of `A` that maps impulses at `l` to velocities at `k`, `J_k T_l` over the
    /// bodies they share (Erleben 2007, eq. 20 and 33) \[1/kg\].
    pub(crate) fn coupling(k: &Self, l: &Self) -> [[f64; 3]; 3] {
        let ends = |rows: &Self| {
            [
                (rows.a, -1.0, rows.inverse_mass_a),
                (rows.b, 1.0, rows.inverse_mass_b),
            ]
        };
        let mut block = [[0.0; 3]; 3];
        for (end_k, (body_k, sign_k, inverse_mass)) in ends(k).into_iter().enumerate() {
            for (end_l, (body_l, sign_l, _)) in ends(l).into_iter().enumerate() {
                if body_k != body_l {
                    continue;
                }
                let twist = [&k.twist_a, &k.twist_b][end_k];
                let spin = [&l.spin_a, &l.spin_b][end_l];
                for i in 0..3 {
                    for j in 0..3 {
                        block[i][j] += sign_k
                            * sign_l
                            * (inverse_mass * k.axes[i].dot(l.axes[j]) + twist[i].dot(spin[j]));
                    }
                }
            }
        }
        block
    }

    /// `J_i ΔV` \[m/s\].
    #[inline]
    pub(crate) fn velocity(&self, i: usize, v: &[Twist]) -> f64 {
        let (a, b) = (&v[self.a], &v[self.b]);
        self.axes[i].dot(b.linear - a.linear) + self.twist_b[i].dot(b.angular)
            - self.twist_a[i].dot(a.angular)
    }

    /// `ΔV += T_i Δλ_i` (Erleben 2007, eq. 33).
    #[inline]
    pub(crate) fn push(&self, i: usize, change: f64, v: &mut [Twist]) {
        v[self.a].linear -= self.axes[i] * (self.inverse_mass_a * change);
        v[self.a].angular -= self.spin_a[i] * change;
        v[self.b].linear += self.axes[i] * (self.inverse_mass_b * change);
        v[self.b].angular += self.spin_b[i] * change;
    }
}

/// All rows of a problem.
pub(crate) fn prepare(problem: &Problem) -> Vec<Rows> {
    (0..problem.contacts.len())
        .map(|k| Rows::of(problem, k))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_problems::random_cluster;

    #[test]
    fn the_matrix_is_symmetric_with_the_stated_diagonal_blocks() {
        let problem = random_cluster(11);
        let dense = problem.dense();
        for i in 0..dense.len() {
            for j in 0..dense.len() {
                assert!((dense[i][j] - dense[j][i]).abs() < 1e-13);
            }
        }
        for k in 0..problem.contacts.len() {
            let rows = Rows::of(&problem, k);
            let block = Rows::coupling(&rows, &rows);
            for i in 0..3 {
                assert!((rows.diagonal[i] - dense[3 * k + i][3 * k + i]).abs() < 1e-13);
                for j in 0..3 {
                    assert!((block[i][j] - dense[3 * k + i][3 * k + j]).abs() < 1e-13);
                }
            }
        }
    }

    #[test]
    fn impulses_are_equal_and_opposite() {
        let problem = random_cluster(5);
        let impulses: Vec<[f64; 3]> = (0..problem.contacts.len())
            .map(|k| [1.0 + k as f64, 0.3, -0.2])
            .collect();
        let v = problem.delta_v(&impulses);
        let momentum: Vec3 = problem
            .bodies
            .iter()
            .zip(&v)
            .filter(|(mass, _)| mass.inverse_mass > 0.0)
            .map(|(mass, v)| v.linear / mass.inverse_mass)
            .sum();
        // what the fixed body (index 0) received instead
        let ground: Vec3 = problem
            .contacts
            .iter()
            .zip(&impulses)
            .filter(|(c, _)| c.a == 0)
            .map(|(c, rows)| c.to_world(*rows))
            .sum();
        assert!((momentum - ground).length() < 1e-12);
    }
}
