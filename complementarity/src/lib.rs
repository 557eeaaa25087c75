//! Contact problems and their solvers, one vocabulary. Knows masses and contact frames; not
//! shapes, not time, not where a problem comes from.
//!
//! A [`Problem`] is factored (Erleben 2007, §3): [`pgs`] and [`cone`] sweep over it, [`merit`]
//! says how far they have come. A [`ContactProblem`] is one as data, factored or as a
//! [`BlockMatrix`], with a name, a first guess and places; solvers generic over [`System`] take
//! both forms, and [`Solver`] names them all, each in any [`Ordering`].

pub mod analysis;
pub mod blocks;
pub mod coarse;
pub mod cone;
mod contact_problem;
pub mod history;
mod impact;
mod matrix;
pub mod merit;
pub mod newton;
pub mod ordering;
mod passive;
pub mod pgs;
mod problem;
pub mod solvers;
pub mod sweep;
mod system;
#[cfg(test)]
mod test_problems;

pub use contact_problem::{ContactGraph, ContactProblem, Form, ProblemError};
pub use history::Entry;
pub use matrix::{Block, BlockMatrix};
pub use ordering::{Ordering, OrderingError};
pub use pgs::{Solved, Sweeping};
pub use problem::{Contact, Mass, Problem, Twist};
pub use solvers::{Aggregates, Ended, Law, Outcome, Record, Settings, SolveError, Solver};
pub use system::{AtContact, FactoredSystem, MatrixProblem, State, System};
