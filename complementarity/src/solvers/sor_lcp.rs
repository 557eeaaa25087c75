//! Successive over-relaxation on a small dense complementarity problem (Hadap 2006, Alg. 2), as
//! constraints of strands ask for, with friction inside the sweep.

use crate::kernel::{largest_eigenvalue, onto_disc};
use crate::operator::Operator;
use crate::solvers::run::Run;
use crate::solvers::{SolveError, Solver, too_large};

/// Contacts beyond which a dense matrix is no longer a small thing.
const MOST_CONTACTS: usize = 1500;

/// Bounds of a row's unknown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// Anything: the row's equation holds.
    Bilateral,
    /// Zero or more.
    Unilateral,
    /// Friction along one direction, between 0 and `friction` times the unknown of row `normal`.
    OneWayFriction {
        /// Bound of the normal.
        normal: usize,
        /// Coulomb's coefficient \[1\].
        friction: f64,
    },
    /// Friction in this row and the next together, at most `friction` times the unknown of row
    /// `normal` in any direction. The entry of the next row is not read.
    Disc {
        /// Bound of the normal.
        normal: usize,
        /// Coulomb's coefficient \[1\].
        friction: f64,
    },
}

/// Parameters of [`sor_lcp`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SorLcp {
    /// Over-relaxation `ω`, 1.0 to 1.3 \[1\].
    pub relaxation: f64,
    /// `ε` on the diagonal, as a part of its largest value \[1\].
    pub regularisation: f64,
    /// Most sweeps.
    pub sweeps: u32,
    /// Stops when no unknown changes by more than this part of the largest \[1\]. Zero: never.
    pub tolerance: f64,
}

impl Default for SorLcp {
    fn default() -> Self {
        Self {
            relaxation: 1.2,
            regularisation: 1e-6,
            sweeps: 50,
            tolerance: 0.0,
        }
    }
}

/// Finds `x >= 0` with `w = A x − b >= 0` and `xᵀw = 0`; returns the sweeps done.
///
/// `x_i ← (1 − ω) x_i + ω (b_i − Σ_{j≠i} A_ij x_j) / (A_ii + ε)`, then into its bounds
/// (Hadap 2006, Alg. 2)
///
/// `matrix` is `A` row by row, as many rows as `b`, `x` and `rows` have entries. Ours: `x` is
/// the first guess and is not zeroed; friction is projected inside the sweep instead of the rows
/// with `λ` of eq. 17, whose zero diagonal only `ε` held up; `ε` is relative. A row that nothing
/// can move, `A_ii <= 0`, keeps its value. There may be no solution, so it always ends after the
/// sweeps it was given; a step that is not finite is left out.
pub fn sor_lcp(
    matrix: &[f64],
    b: &[f64],
    x: &mut [f64],
    rows: &[Bound],
    settings: SorLcp,
) -> Result<u32, SolveError> {
    let n = x.len();
    for (thing, found, wanted) in [
        ("right-hand side", b.len(), n),
        ("kinds of rows", rows.len(), n),
        ("matrix", matrix.len(), n * n),
    ] {
        if found != wanted {
            return Err(SolveError::Count {
                thing,
                found,
                wanted,
            });
        }
    }
    let largest = (0..n).fold(0.0f64, |most, i| most.max(matrix[i * n + i]));
    let epsilon = settings.regularisation * largest;
    for sweep in 0..settings.sweeps {
        let (mut size, mut change) = (0.0f64, 0.0f64);
        let mut i = 0;
        while i < n {
            let next = relaxed(matrix, b, x, rows, i, settings.relaxation, epsilon);
            let width = if matches!(rows[i], Bound::Disc { .. }) {
                2
            } else {
                1
            };
            for (k, new) in next.into_iter().enumerate().take(width.min(n - i)) {
                if new.is_finite() {
                    change = change.max((new - x[i + k]).abs());
                    size = size.max(new.abs());
                    x[i + k] = new;
                }
            }
            i += width;
        }
        if change <= settings.tolerance * size {
            return Ok(sweep + 1);
        }
    }
    Ok(settings.sweeps)
}

/// New values of row `i`, and of the next row if both are tangents of one cone.
fn relaxed(
    matrix: &[f64],
    b: &[f64],
    x: &[f64],
    rows: &[Bound],
    i: usize,
    omega: f64,
    epsilon: f64,
) -> [f64; 2] {
    let n = x.len();
    let row = |i: usize| &matrix[i * n..(i + 1) * n];
    // b_i − Σ_j A_ij x_j
    let missing = |i: usize| b[i] - row(i).iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
    let most = |normal: usize, friction: f64| {
        x.get(normal)
            .map_or(0.0, |normal| (friction * normal).max(0.0))
    };
    let step = |i: usize, stiffness: f64| {
        if stiffness <= 0.0 {
            return x[i];
        }
        let target = (missing(i) + stiffness * x[i]) / (stiffness + epsilon);
        (1.0 - omega) * x[i] + omega * target
    };
    match rows[i] {
        Bound::Bilateral => [step(i, matrix[i * n + i]), 0.0],
        Bound::Unilateral => [step(i, matrix[i * n + i]).max(0.0), 0.0],
        Bound::OneWayFriction { normal, friction } => {
            let free = step(i, matrix[i * n + i]);
            [free.max(0.0).min(most(normal, friction)), 0.0]
        }
        Bound::Disc { normal, friction } if i + 1 < n => {
            let off = 0.5 * (row(i)[i + 1] + row(i + 1)[i]);
            let stiffness = largest_eigenvalue(row(i)[i], row(i + 1)[i + 1], off);
            let (u, v) = (step(i, stiffness), step(i + 1, stiffness));
            let (u, v) = onto_disc(u, v, most(normal, friction));
            [u, v]
        }
        Bound::Disc { .. } => [0.0; 2],
    }
}

/// [`sor_lcp`] on a contact problem with a dense matrix.
pub(crate) fn solve<O: Operator>(run: &mut Run<'_, O>) -> Result<(), SolveError> {
    let (operator, contacts) = (run.operator, run.operator.contacts());
    too_large(Solver::SorLcp, contacts, MOST_CONTACTS)?;
    let n = 3 * contacts;
    let matrix = dense(operator);
    let b: Vec<f64> = operator.b().iter().flatten().map(|b| -b).collect();
    let rows: Vec<Bound> = (0..n)
        .map(|i| match i % 3 {
            0 => Bound::Unilateral,
            _ => Bound::Disc {
                normal: i / 3 * 3,
                friction: operator.friction(i / 3),
            },
        })
        .collect();
    let settings = SorLcp {
        sweeps: 1,
        regularisation: run.settings.regularisation,
        relaxation: run.settings.relaxation.unwrap_or(1.0),
        ..SorLcp::default()
    };
    let mut impulses = run.first_iterate().impulses;
    let mut x: Vec<f64> = impulses.iter().flatten().copied().collect();
    while run.goes_on(&impulses) {
        sor_lcp(&matrix, &b, &mut x, &rows, settings)?;
        for (row, x) in x.iter().enumerate() {
            impulses[row / 3][row % 3] = *x;
        }
        run.count(run.all_rows());
    }
    Ok(())
}

/// All of `A`, row by row.
pub(crate) fn dense<O: Operator>(operator: &O) -> Vec<f64> {
    let n = 3 * operator.contacts();
    let mut matrix = vec![0.0; n * n];
    let mut unit = vec![[0.0; 3]; operator.contacts()];
    for column in 0..n {
        unit[column / 3][column % 3] = 1.0;
        for (row, value) in operator.product(&unit).iter().flatten().enumerate() {
            matrix[row * n + column] = *value;
        }
        unit[column / 3][column % 3] = 0.0;
    }
    matrix
}
