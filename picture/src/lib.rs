//! Things to look at: pictures of bodies, strands and cloth ([`render`]), films of them ([`film`])
//! and charts of numbers ([`plot`]).
//!
//! All run on the CPU, need neither a graphics card nor installed fonts, and give the
//! same bytes for the same input, whatever the number of threads. Only `.mp4` and `.webm` films
//! need another program.

mod error;
pub mod film;
pub mod frame;
pub mod plot;
pub mod render;
pub mod report;

pub use error::Error;
