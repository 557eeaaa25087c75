//! Newton's method on the Fischer function of every row: dense, for small problems, and exact
//! (Silcowitz 2009).

use crate::operator::Operator;
use crate::solvers::dense::{Factors, Square};
use crate::solvers::gauss_seidel::Pyramid;
use crate::solvers::run::Run;
use crate::solvers::sor_lcp::dense;
use crate::solvers::stagnation::Stagnation;
use crate::solvers::sweeper::Sweeper;
use crate::solvers::{SolveError, Solver, too_large};

/// Contacts beyond which a dense factorisation takes too long.
const MOST_CONTACTS: usize = 700;
/// Sweeps for a first guess, and again where no step helps.
const SWEEPS: u32 = 20;
/// Iterations without a new least merit after which some are sweeps alone.
const AGE: u32 = 30;
/// Halvings of a step that makes things worse.
const HALVINGS: usize = 8;
/// Decrease asked of a step, as a part of what the slope promises.
const ENOUGH: f64 = 1e-4;
/// Shifts of the singular Jacobian, rows scaled to one: the next where one does not help.
const SHIFTS: [f64; 4] = [1e-12, 1e-8, 1e-5, 1e-2];

/// `φ(a, b) = sqrt(a² + b²) − a − b` is zero where `a`, `b` and `a b` are as complementarity asks
/// (Silcowitz 2009, §3). A normal has `φ(λ, w) = 0`; a tangent between bounds has
/// `φ(λ + μ λ_n, φ(μ λ_n − λ, −w)) = 0`.
///
/// Unknowns are scaled by `sqrt(A_ii)`. The Jacobian is singular on faces with a point too many
/// and is shifted by as little as gives a step of descent. An iteration is such a step, or some
/// sweeps where there is none; where Newton's steps cycle, sweeps follow, twice as
/// many each time.
pub(crate) fn solve<O: Operator>(run: &mut Run<'_, O>) -> Result<(), SolveError> {
    let operator = run.operator;
    too_large(Solver::FischerNewton, operator.contacts(), MOST_CONTACTS)?;
    let scaled = Scaled::of(operator);
    let mut sweeper = Sweeper::new(run, Pyramid::new(run.settings))?;
    let sweeps = run.settings.inner_sweeps.unwrap_or(SWEEPS);
    let mut impulses = run.first_iterate().impulses;
    let mut sweep_next = true;
    let mut stagnation = Stagnation::new(AGE, AGE);
    while run.goes_on(&impulses) {
        if sweep_next {
            let mut iterate = operator.iterate(impulses);
            let rows = (0..sweeps).map(|_| sweeper.cycle(&mut iterate)).sum();
            impulses = iterate.impulses;
            run.count(rows);
            sweep_next = stagnation.plain_next(scaled.merit(&scaled.scaled(&impulses)));
            continue;
        }
        let (better, evaluations) = scaled.newton(&scaled.scaled(&impulses));
        match better {
            Some((z, merit)) => {
                impulses = scaled.to_impulses(&z);
                sweep_next = stagnation.plain_next(merit);
            }
            None => sweep_next = true,
        }
        run.count(evaluations * run.all_rows());
    }
    Ok(())
}

/// The problem with unit diagonal.
struct Scaled {
    /// Rows that can move.
    matrix: Square,
    b: Vec<f64>,
    /// `sqrt(A_ii)`; zero where nothing moves.
    root: Vec<f64>,
    /// Bound of a friction row as a part of its scaled normal; zero for normals.
    bound: Vec<f64>,
}

fn fischer(a: f64, b: f64) -> (f64, f64, f64) {
    let length = (a * a + b * b).sqrt();
    if length <= 0.0 {
        let slope = std::f64::consts::FRAC_1_SQRT_2 - 1.0;
        return (0.0, slope, slope);
    }
    (length - a - b, a / length - 1.0, b / length - 1.0)
}

impl Scaled {
    fn of<O: Operator>(operator: &O) -> Self {
        let n = 3 * operator.contacts();
        let values = dense(operator);
        let root: Vec<f64> = (0..n).map(|i| values[i * n + i].max(0.0).sqrt()).collect();
        let per = |i: usize| if root[i] > 0.0 { 1.0 / root[i] } else { 0.0 };
        let mut matrix = Square::zero(n);
        for i in 0..n {
            for j in 0..n {
                matrix[(i, j)] = values[i * n + j] * per(i) * per(j);
            }
        }
        let b = operator.b().iter().flatten().enumerate();
        let b = b.map(|(i, b)| b * per(i)).collect();
        let bound = (0..n)
            .map(|i| match i % 3 {
                0 => 0.0,
                _ => operator.friction(i / 3) * root[i] * per(i / 3 * 3),
            })
            .collect();
        Self {
            matrix,
            b,
            root,
            bound,
        }
    }

    fn scaled(&self, impulses: &[[f64; 3]]) -> Vec<f64> {
        let rows = impulses.iter().flatten().zip(&self.root);
        rows.map(|(x, root)| x * root).collect()
    }

    fn to_impulses(&self, z: &[f64]) -> Vec<[f64; 3]> {
        let value = |row: usize| match self.root[row] {
            root if root > 0.0 => z[row] / root,
            _ => 0.0,
        };
        (0..z.len() / 3)
            .map(|k| [value(3 * k), value(3 * k + 1), value(3 * k + 2)])
            .collect()
    }

    fn velocities(&self, z: &[f64]) -> Vec<f64> {
        let product = |i: usize| {
            self.matrix
                .row(i)
                .iter()
                .zip(z)
                .map(|(a, z)| a * z)
                .sum::<f64>()
        };
        (0..z.len()).map(|i| product(i) + self.b[i]).collect()
    }

    /// `Φ_i` and its slopes by `z_i`, by `w_i` and by the normal `z_n`.
    fn row(&self, i: usize, z: &[f64], w: &[f64]) -> [f64; 4] {
        if self.root[i] <= 0.0 {
            return [z[i], 1.0, 0.0, 0.0];
        }
        if i.is_multiple_of(3) {
            let (value, by_z, by_w) = fischer(z[i], w[i]);
            return [value, by_z, by_w, 0.0];
        }
        let normal = z[i / 3 * 3];
        let (most, slope) = match normal > 0.0 {
            true => (self.bound[i] * normal, self.bound[i]),
            false => (0.0, 0.0),
        };
        let (upper, by_upper, by_w) = fischer(most - z[i], -w[i]);
        let (value, by_lower, by_inner) = fischer(z[i] + most, upper);
        [
            value,
            by_lower - by_inner * by_upper,
            -by_inner * by_w,
            slope * (by_lower + by_inner * by_upper),
        ]
    }

    fn merit(&self, z: &[f64]) -> f64 {
        let w = self.velocities(z);
        (0..z.len())
            .map(|i| 0.5 * self.row(i, z, &w)[0].powi(2))
            .sum()
    }

    /// A Newton step that lowers the merit, if there is one, with its merit; and the number of products with `A`.
    fn newton(&self, z: &[f64]) -> (Option<(Vec<f64>, f64)>, u64) {
        let (n, w) = (z.len(), self.velocities(z));
        let rows: Vec<[f64; 4]> = (0..n).map(|i| self.row(i, z, &w)).collect();
        let now: f64 = rows.iter().map(|row| 0.5 * row[0] * row[0]).sum();
        let right: Vec<f64> = rows.iter().map(|row| -row[0]).collect();
        let mut evaluations = 1;
        for shift in SHIFTS {
            // J = D_z + D_w A + D_n; both slopes of Φ are negative, and so is the shift
            let mut jacobian = Square::zero(n);
            for (i, [_, by_z, by_w, by_normal]) in rows.iter().enumerate() {
                for j in 0..n {
                    jacobian[(i, j)] = by_w * self.matrix[(i, j)];
                }
                jacobian[(i, i)] += by_z - shift;
                jacobian[(i, i / 3 * 3)] += by_normal;
            }
            let Some(factors) = Factors::of(jacobian) else {
                continue;
            };
            let step = factors.solve(&right);
            let mut length = 1.0;
            for _ in 0..HALVINGS {
                let next: Vec<f64> = z.iter().zip(&step).map(|(z, d)| z + length * d).collect();
                let then = self.merit(&next);
                evaluations += 1;
                if then <= (1.0 - 2.0 * ENOUGH * length) * now {
                    return (Some((next, then)), evaluations);
                }
                length *= 0.5;
            }
        }
        (None, evaluations)
    }
}
