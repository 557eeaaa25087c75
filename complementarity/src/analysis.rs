//! Why sweeps converge as they do: eigenvalues and sparsity of `A` and of the iteration matrices
//! of its splittings (Erleben 2007, §3.1; Poulsen 2010, §4), for problems of moderate size.
//!
//! ```
//! use drystone_complementarity::analysis::{RowSet, Splitting, Study, spectral_radius};
//! use drystone_complementarity::{ContactProblem, Problem};
//! let problem = ContactProblem::factored("nothing touches", Problem::default());
//! let study = Study::new(&problem, RowSet::All);
//! assert_eq!(spectral_radius(&study.iteration_eigenvalues(Splitting::GaussSeidel)?), 0.0);
//! # Ok::<(), drystone_complementarity::analysis::AnalysisError>(())
//! ```

use std::fmt;

use drystone_base::Vec3;

use crate::contact_problem::{ContactProblem, Form};
use crate::matrix::BlockMatrix;
use crate::problem::Problem;

mod eigenvalues;
mod sparsity;

pub use eigenvalues::Eigenvalue;
pub use sparsity::Pattern;

use eigenvalues::{Square, general, symmetric};

/// Most rows or, of a factored problem, most degrees of freedom of its bodies whose eigenvalues
/// are computed: a minute's work.
pub const MOST: usize = 2000;
/// Eigenvalues of an iteration matrix as near to 1 as this belong to the null space of `A` \[1\].
const AT_ONE: f64 = 1e-7;

/// How `A = M - N` is split; the iteration matrix is `T = M⁻¹ N = 1 - M⁻¹ A`, with `D` the
/// diagonal and `L` what is strictly below it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Splitting {
    /// `M = D` (Poulsen 2010, eq. 18a).
    Jacobi,
    /// `M = D + L` (Poulsen 2010, eq. 18b; Erleben 2007, eq. 35 with its sign mended).
    GaussSeidel,
    /// `M = D / ω + L` (Poulsen 2010, eq. 18c, as a splitting of `A` itself).
    Sor(f64),
}

impl Splitting {
    /// Whether the newest values are used, and the factor on the step.
    fn sweeps(self) -> (bool, f64) {
        match self {
            Self::Jacobi => (false, 1.0),
            Self::GaussSeidel => (true, 1.0),
            Self::Sor(omega) => (true, omega),
        }
    }
}

impl fmt::Display for Splitting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Jacobi => f.write_str("jacobi"),
            Self::GaussSeidel => f.write_str("gauss-seidel"),
            Self::Sor(omega) => write!(f, "sor {omega:.3}"),
        }
    }
}

/// The rows of a problem that are analysed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowSet {
    /// Three a contact.
    #[default]
    All,
    /// The normal of each contact, as if there were no friction.
    Normals,
}

/// A problem under the magnifying glass.
#[derive(Clone, Debug)]
pub struct Study<'a> {
    problem: &'a ContactProblem,
    matrix: BlockMatrix,
    /// The rows that are analysed; rows of contacts that cannot move are left out.
    kept: Vec<usize>,
    /// `γ` (Erleben 2007, eq. 41) \[1/kg\].
    relaxation: f64,
}

impl<'a> Study<'a> {
    /// Assembles the matrix of `problem`. Rows without a diagonal, between bodies that cannot
    /// move, are left out.
    pub fn new(problem: &'a ContactProblem, rows: RowSet) -> Self {
        let matrix = problem.to_matrix().matrix;
        let step = if rows == RowSet::Normals { 3 } else { 1 };
        let kept = (0..3 * matrix.contacts())
            .step_by(step)
            .filter(|row| matrix.diagonal_block(row / 3)[row % 3][row % 3] > 0.0)
            .collect();
        Self {
            problem,
            matrix,
            kept,
            relaxation: 0.0,
        }
    }

    /// The same with `γ` added to the diagonal: `A' = A + γ 1`   (Erleben 2007, eq. 41) \[1/kg\].
    pub fn relaxed(mut self, relaxation: f64) -> Self {
        self.relaxation = relaxation;
        self
    }

    /// Rows of the matrix.
    pub fn rows(&self) -> usize {
        self.kept.len()
    }

    /// Sparsity pattern of `A`.
    pub fn pattern(&self) -> Pattern {
        Pattern::of_matrix(&self.matrix, &self.kept)
    }

    /// Sparsity pattern of the iteration matrix.
    pub fn iteration_pattern(&self, splitting: Splitting) -> Pattern {
        self.pattern().iterated(splitting)
    }

    /// Eigenvalues of `A`, ascending \[1/kg\].
    ///
    /// Of a factored problem whose bodies have fewer degrees of freedom than there are rows, those
    /// of `Bᵀ B` with `A = B Bᵀ` and as many zeros as are missing.
    pub fn matrix_eigenvalues(&self) -> Result<Vec<f64>, AnalysisError> {
        let mut values = match self.factor()? {
            Some(factor) => {
                let gram = factor.times_transposed(|_, row, into| into.extend(row));
                let mut values = symmetric(gram)?;
                values.resize(self.rows(), 0.0);
                values.sort_by(f64::total_cmp);
                values
            }
            None => symmetric(self.dense()?)?,
        };
        for x in &mut values {
            *x += self.relaxation;
        }
        Ok(values)
    }

    /// The iteration matrix `T = 1 - M⁻¹ A`, row by row \[1\].
    pub fn iteration_matrix(&self, splitting: Splitting) -> Result<Vec<Vec<f64>>, AnalysisError> {
        let t = self.iterated(splitting)?;
        Ok((0..t.size).map(|i| t.row(i).to_vec()).collect())
    }

    /// Eigenvalues of the iteration matrix, largest first \[1\].
    ///
    /// Of a factored problem as in [`Study::matrix_eigenvalues`]: `T = 1 - M⁻¹ B Bᵀ` has the
    /// eigenvalues of `1 - Bᵀ M⁻¹ B`, and beside them 1 as often as rows are left over. So a wall
    /// of 200 bricks with thousands of rows is a matrix of 1200 rows.
    pub fn iteration_eigenvalues(
        &self,
        splitting: Splitting,
    ) -> Result<Vec<Eigenvalue>, AnalysisError> {
        let factor = match self.relaxation == 0.0 {
            true => self.factor()?,
            false => None,
        };
        let Some(factor) = factor else {
            return general(self.iterated(splitting)?);
        };
        // M⁻¹ B row by row: forward substitution
        let solved = self.solved(splitting, factor.columns, |row, into| {
            for &(column, value) in &factor.rows[row] {
                into[column] += value;
            }
        });
        let mut t = factor.times_transposed(|at, _, into| {
            let row = &solved[at * factor.columns..][..factor.columns];
            into.extend(row.iter().copied().enumerate());
        });
        for i in 0..t.size {
            for x in t.row_mut(i) {
                *x = -*x;
            }
            t.row_mut(i)[i] += 1.0;
        }
        let mut values = general(t)?;
        values.resize(self.rows(), Eigenvalue::real(1.0));
        values.sort_by(|x, y| y.magnitude().total_cmp(&x.magnitude()));
        Ok(values)
    }

    /// `A'` as a dense matrix.
    fn dense(&self) -> Result<Square, AnalysisError> {
        fits(self.rows())?;
        let mut a = Square::zero(self.rows());
        for at in 0..a.size {
            self.scatter(at, a.row_mut(at));
        }
        Ok(a)
    }

    /// Adds the row of `A'` at `at` to `into`.
    fn scatter(&self, at: usize, into: &mut [f64]) {
        for (column, value) in self.entries(at) {
            into[column] += value;
        }
    }

    /// Entries of the row of `A'` at `at`, columns ascending.
    fn entries(&self, at: usize) -> impl Iterator<Item = (usize, f64)> {
        let row = self.kept[at];
        let (columns, blocks) = self.matrix.row(row / 3);
        let entries = columns.iter().zip(blocks).flat_map(move |(column, block)| {
            (0..3).map(move |j| (3 * *column as usize + j, block[row % 3][j]))
        });
        entries.filter_map(move |(column, value)| {
            let place = self.kept.binary_search(&column).ok()?;
            let extra = if place == at { self.relaxation } else { 0.0 };
            Some((place, value + extra))
        })
    }

    fn iterated(&self, splitting: Splitting) -> Result<Square, AnalysisError> {
        fits(self.rows())?;
        let size = self.rows();
        let values = self.solved(splitting, size, |at, into| self.scatter(at, into));
        let mut t = Square { size, values };
        for i in 0..size {
            for x in t.row_mut(i) {
                *x = -*x;
            }
            t.row_mut(i)[i] += 1.0;
        }
        Ok(t)
    }

    /// `M⁻¹ X` for the rows of `X` that `fill` adds to zeros, each of `width` numbers.
    fn solved(
        &self,
        splitting: Splitting,
        width: usize,
        fill: impl Fn(usize, &mut [f64]),
    ) -> Vec<f64> {
        let (sweeps, omega) = splitting.sweeps();
        let mut solved: Vec<f64> = Vec::with_capacity(self.rows() * width);
        let mut row = vec![0.0; width];
        for at in 0..self.rows() {
            row.fill(0.0);
            fill(at, &mut row);
            let mut diagonal = 0.0;
            for (column, value) in self.entries(at) {
                if column == at {
                    diagonal = value / omega;
                } else if column < at && sweeps && value != 0.0 {
                    let other = &solved[column * width..][..width];
                    for (x, y) in row.iter_mut().zip(other) {
                        *x -= value * y;
                    }
                }
            }
            solved.extend(row.iter().map(|x| x / diagonal));
        }
        solved
    }

    /// `B`, if the problem is factored and that makes matrices smaller.
    fn factor(&self) -> Result<Option<Factor>, AnalysisError> {
        let Form::Factored(problem) = &self.problem.form else {
            return Ok(None);
        };
        let factor = Factor::new(problem, &self.kept);
        if factor.columns >= self.rows() {
            return Ok(None);
        }
        fits(factor.columns)?;
        Ok(Some(factor))
    }
}

/// `B = J C` with `M⁻¹ = C Cᵀ`, so that `A = B Bᵀ`: for each row at most twelve entries.
struct Factor {
    columns: usize,
    rows: Vec<Vec<(usize, f64)>>,
}

impl Factor {
    fn new(problem: &Problem, kept: &[usize]) -> Self {
        // degrees of freedom of what moves
        let mut columns = 0;
        let mut first = Vec::with_capacity(problem.bodies.len());
        for body in &problem.bodies {
            first.push((!body.is_fixed()).then_some(columns));
            columns += if body.is_fixed() { 0 } else { 6 };
        }
        let rows = kept.iter().map(|row| {
            let c = &problem.contacts[row / 3];
            let axis = c.axes()[row % 3];
            let mut entries = Vec::with_capacity(12);
            for (body, r, sign) in [(c.a, c.r_a, -1.0), (c.b, c.r_b, 1.0)] {
                let Some(first) = first[body] else { continue };
                let mass = &problem.bodies[body];
                let linear = axis * (sign * mass.inverse_mass.sqrt());
                let turn = r.cross(axis) * sign;
                let matrix = mass.inverse_inertia.matrix();
                let columns = root(&matrix.to_cols_array());
                let angular = columns.map(|column| column.dot(turn));
                let values = linear.to_array().into_iter().chain(angular);
                entries.extend(values.enumerate().map(|(i, x)| (first + i, x)));
            }
            entries
        });
        Self {
            columns,
            rows: rows.collect(),
        }
    }

    /// `Bᵀ X`, where `entries` gives the entries of row `at` of `X`, knowing that of `B`.
    fn times_transposed(
        &self,
        entries: impl Fn(usize, &[(usize, f64)], &mut Vec<(usize, f64)>),
    ) -> Square {
        let mut product = Square::zero(self.columns);
        let mut row = Vec::new();
        for (at, factors) in self.rows.iter().enumerate() {
            row.clear();
            entries(at, factors, &mut row);
            for &(i, factor) in factors {
                let into = product.row_mut(i);
                for &(column, value) in &row {
                    into[column] += factor * value;
                }
            }
        }
        product
    }
}

/// Columns of the lower triangular `C` with `C Cᵀ` the symmetric positive matrix given; a
/// direction that cannot turn has none.
fn root(a: &[f64; 9]) -> [Vec3; 3] {
    let mut rest = [[a[0], a[1], a[2]], [a[3], a[4], a[5]], [a[6], a[7], a[8]]];
    let largest = a[0].max(a[4]).max(a[8]);
    let mut columns = [Vec3::ZERO; 3];
    for k in 0..3 {
        let pivot = rest[k][k];
        if pivot <= 1e-14 * largest {
            continue;
        }
        let mut column = [0.0; 3];
        for i in k..3 {
            column[i] = rest[k][i] / pivot.sqrt();
        }
        for i in k..3 {
            for j in k..3 {
                rest[i][j] -= column[i] * column[j];
            }
        }
        columns[k] = Vec3::from_array(column);
    }
    columns
}

/// Largest magnitude of all \[1\]; 0 of none.
pub fn spectral_radius(values: &[Eigenvalue]) -> f64 {
    values.iter().map(|e| e.magnitude()).fold(0.0, f64::max)
}

/// Largest magnitude of those that are not 1: the rate at which the residual falls in the end. An
/// eigenvalue of 1 belongs to impulses that move nothing, and does not slow anything down \[1\].
pub fn convergence_factor(values: &[Eigenvalue]) -> f64 {
    let acting = values.iter().filter(|e| !is_one(**e));
    acting.map(|e| e.magnitude()).fold(0.0, f64::max)
}

/// Number of eigenvalues of an iteration matrix that are 1.
pub fn at_one(values: &[Eigenvalue]) -> usize {
    values.iter().filter(|e| is_one(**e)).count()
}

fn is_one(e: Eigenvalue) -> bool {
    (e.re - 1.0).hypot(e.im) < AT_ONE
}

/// Number of eigenvalues of `A` that are zero, up to rounding.
pub fn zeros(values: &[f64]) -> usize {
    let largest = values.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    values.iter().filter(|x| x.abs() <= 1e-10 * largest).count()
}

fn fits(found: usize) -> Result<(), AnalysisError> {
    match found <= MOST {
        true => Ok(()),
        false => Err(AnalysisError::TooLarge { found }),
    }
}

/// Why an analysis was not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnalysisError {
    /// More rows than a dense method should take.
    TooLarge {
        /// Rows that the matrix would have.
        found: usize,
    },
    /// The QR steps went on for too long.
    NotFound {
        /// Eigenvalues that were found.
        found: usize,
    },
}

impl fmt::Display for AnalysisError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { found } => write!(
                f,
                "eigenvalues: the matrix has {found} rows; at most {MOST} are wanted"
            ),
            Self::NotFound { found } => write!(
                f,
                "eigenvalues: the next after {found} was not found; finite, well scaled values \
                 are wanted"
            ),
        }
    }
}

impl std::error::Error for AnalysisError {}

#[cfg(test)]
mod tests;
