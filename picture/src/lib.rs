//! Things to look at: pictures of bodies ([`render`]) and charts of numbers ([`plot`]).
//!
//! Both run on the CPU, need neither a graphics card nor installed fonts, and give the
//! same bytes for the same input, whatever the number of threads.

mod error;
pub mod frame;
pub mod plot;
pub mod render;
pub mod report;

pub use error::Error;
