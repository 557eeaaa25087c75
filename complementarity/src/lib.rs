//! Contact problems and their solvers, one vocabulary. Knows masses and contact frames; not
//! shapes, not time, not where a problem comes from.
//!
//! A [`Problem`] is factored (Erleben 2007, §3): [`pgs`] and [`cone`] sweep over it, [`merit`]
//! says how far they have come.

pub mod blocks;
pub mod coarse;
pub mod cone;
pub mod merit;
pub mod pgs;
mod problem;
pub mod sweep;
#[cfg(test)]
mod test_problems;

pub use pgs::{Solved, Sweeping};
pub use problem::{Contact, Mass, Problem, Twist};
