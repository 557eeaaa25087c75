//! Subspace minimisation: sweeps guess which rows are between their bounds, a direct solve makes
//! exactly those right (Silcowitz 2010).

use crate::operator::{Iterate, Operator};
use crate::solvers::dense::{Factors, Square};
use crate::solvers::gauss_seidel::Pyramid;
use crate::solvers::run::Run;
use crate::solvers::sor_lcp::dense;
use crate::solvers::stagnation::Stagnation;
use crate::solvers::sweeper::Sweeper;
use crate::solvers::{SolveError, Solver, too_large};

/// Contacts beyond which a dense factorisation takes too long.
const MOST_CONTACTS: usize = 700;
/// Sweeps between direct solves.
const SWEEPS: u32 = 10;
/// Steps of iterative refinement of a direct solve.
const REFINEMENTS: usize = 3;
/// Iterations without a new least residual after which some are sweeps alone.
const AGE: u32 = 10;
/// Halvings of a direct step that makes things worse.
const HALVINGS: usize = 6;
/// What is added to the diagonal of a row, as a part of it: four points on a face are one too
/// many, and the repeated solve takes it out again.
const EPSILON: f64 = 1e-9;

/// An iteration is some projected sweeps on the pyramid and a direct solve of the rows that they
/// leave free, `w_F = 0`, where full friction follows its normal, `λ_t = ±μ λ_n`. The step is put
/// into its bounds and halved until the residual falls; if it never does the sweeps stand. Where
/// the two only undo each other, sweeps alone follow, twice as many each time.
pub(crate) fn solve<O: Operator>(run: &mut Run<'_, O>) -> Result<(), SolveError> {
    let operator = run.operator;
    too_large(Solver::Subspace, operator.contacts(), MOST_CONTACTS)?;
    let matrix = dense(operator);
    let mut sweeper = Sweeper::new(run, Pyramid::new(run.settings))?;
    let mut iterate = run.first_iterate();
    let sweeps = run.settings.inner_sweeps.unwrap_or(SWEEPS);
    let mut stagnation = Stagnation::new(AGE, AGE);
    let mut plain = false;
    while run.goes_on(&iterate.impulses) {
        let mut rows: u64 = (0..sweeps).map(|_| sweeper.cycle(&mut iterate)).sum();
        let free = Free::of(operator, &iterate);
        let mut error = run.law.residual_norm(operator, &iterate.impulses);
        rows += run.all_rows();
        if !plain && let Some(factors) = free.factors(operator, &matrix) {
            rows += improve(run, &free, &factors, &mut iterate, &mut error);
        }
        plain = stagnation.plain_next(error);
        run.count(rows);
    }
    Ok(())
}

/// Direct steps as long as they make `now`, the residual norm, smaller; returns the rows computed.
fn improve<O: Operator>(
    run: &Run<'_, O>,
    free: &Free,
    factors: &Factors,
    iterate: &mut Iterate,
    now: &mut f64,
) -> u64 {
    let (operator, law) = (run.operator, run.law);
    let mut evaluations = 0;
    for _ in 0..REFINEMENTS {
        let right: Vec<f64> = (free.rows.iter())
            .map(|(k, i, _)| -operator.velocity_row(*k, *i, iterate))
            .collect();
        let step = factors.solve(&right);
        evaluations += 1;
        let mut length = 1.0;
        let better = (0..HALVINGS).find_map(|_| {
            let mut impulses = iterate.impulses.clone();
            free.add(&step, length, &mut impulses);
            for (k, lambda) in impulses.iter_mut().enumerate() {
                *lambda = law.project(operator.friction(k), *lambda);
            }
            let then = law.residual_norm(operator, &impulses);
            evaluations += 1;
            length *= 0.5;
            (then < *now).then_some((impulses, then))
        });
        let Some((impulses, then)) = better else {
            break;
        };
        *iterate = operator.iterate(impulses);
        *now = then;
    }
    evaluations * run.all_rows()
}

/// The rows between their bounds, and the full friction that follows a normal.
struct Free {
    /// Contact, row, and for a normal what full friction adds: `±μ` of both tangents.
    rows: Vec<(usize, usize, [f64; 2])>,
}

impl Free {
    fn of<O: Operator>(operator: &O, iterate: &Iterate) -> Self {
        let mut rows = Vec::new();
        for (k, lambda) in iterate.impulses.iter().enumerate() {
            let diagonal = operator.diagonal(k);
            if lambda[0] <= 0.0 || diagonal.iter().any(|d| *d <= 0.0) {
                continue;
            }
            let friction = operator.friction(k);
            let most = friction * lambda[0];
            let full = |x: f64| match x.abs() >= most * (1.0 - 1e-12) {
                true if x > 0.0 => friction,
                true if x < 0.0 => -friction,
                _ => 0.0,
            };
            let follow = [full(lambda[1]), full(lambda[2])];
            rows.push((k, 0, follow));
            for i in 1..3 {
                if follow[i - 1] == 0.0 && most > 0.0 {
                    rows.push((k, i, [0.0; 2]));
                }
            }
        }
        Self { rows }
    }

    fn factors<O: Operator>(&self, operator: &O, matrix: &[f64]) -> Option<Factors> {
        let n = 3 * operator.contacts();
        let mut m = Square::zero(self.rows.len());
        for (row, (k, i, _)) in self.rows.iter().enumerate() {
            let values = &matrix[(3 * k + i) * n..][..n];
            for (column, (l, j, follow)) in self.rows.iter().enumerate() {
                let mut value = values[3 * l + j];
                if *j == 0 {
                    value += follow[0] * values[3 * l + 1] + follow[1] * values[3 * l + 2];
                }
                m[(row, column)] = value;
            }
            m[(row, row)] += EPSILON * values[3 * k + i];
        }
        Factors::of(m)
    }

    fn add(&self, step: &[f64], length: f64, impulses: &mut [[f64; 3]]) {
        for ((k, i, follow), step) in self.rows.iter().zip(step) {
            impulses[*k][*i] += length * step;
            if *i == 0 {
                impulses[*k][1] += length * follow[0] * step;
                impulses[*k][2] += length * follow[1] * step;
            }
        }
    }
}
