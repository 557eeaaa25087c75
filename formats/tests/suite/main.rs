//! Files that go in and come out, in one program.

#![allow(missing_docs, clippy::unwrap_used)]

mod caches;
mod contact_solver;
mod deformable;
#[cfg(feature = "hdf5")]
mod fclib;
mod malformed;
mod malformed_problems;
mod problems;
mod recordings;
mod round_trip;
