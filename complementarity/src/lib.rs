//! Contact problems and their solvers, one vocabulary. Knows masses and contact frames; not
//! shapes, not time, not where a problem comes from.
//!
//! A [`Problem`] is factored (Erleben 2007, §3): [`sweeping`] sweeps over it, [`Law`] says how
//! far the impulses are from a solution. A [`ContactProblem`] is one as data, factored or as a
//! [`BlockMatrix`], with a name, a first guess and places; solvers generic over [`Operator`] take
//! both forms, and [`Solver`] names them all, each in any [`Ordering`].

pub mod analysis;
pub mod block_cholesky;
pub mod blocks;
pub mod coarse;
mod contact_problem;
mod dense_factor;
pub mod history;
mod impact;
pub mod in_lanes;
mod kernel;
mod matrix;
mod motion8;
pub mod newton;
mod operator;
pub mod ordering;
mod passive;
mod problem;
mod push_out;
pub mod solvers;
pub mod substep;
mod sweep;
pub mod sweeping;
#[cfg(test)]
mod test_problems;

pub use contact_problem::{ContactGraph, ContactProblem, Form, ProblemError};
pub use dense_factor::DenseFactor;
pub use history::Entry;
pub use kernel::{largest_eigenvalue, onto_disc};
pub use matrix::{Block, BlockMatrix};
pub use operator::{AtContact, FactoredOperator, Iterate, MatrixProblem, Operator};
pub use ordering::{Ordering, OrderingError};
pub use problem::{Contact, Mass, Problem, Twist};
pub use solvers::{Aggregates, Ended, Law, Outcome, Record, Settings, SolveError, Solver};
pub use sweeping::{Solved, Sweeping};
