//! What solvers, orderings and sweeps must do, in one program.

#![allow(missing_docs, clippy::unwrap_used)]

mod forms;
mod lanes;
mod newton;
mod properties;
mod solvers;
mod solvers_orderings;
mod solvers_problems;
mod two_level;
