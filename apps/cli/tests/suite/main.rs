//! The command line as a user types it, in one program.

#![allow(missing_docs, clippy::unwrap_used)]

mod bad_input;
mod commands;
mod common;
mod lab;
mod problems;
mod recordings;
mod resume;
mod trial;
mod verdict;
