//! Laws of geometry, in one program.

#![allow(missing_docs, clippy::unwrap_used)]

mod box_contacts;
mod broad_phase;
mod convex_contacts;
mod overlap;
mod queries;
mod scale;
