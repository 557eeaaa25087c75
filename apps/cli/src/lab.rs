//! The laboratory: contact problems from anywhere, every solver and ordering on each of them, and
//! what came of it as a table, as numbers and as plots.

pub(crate) mod agreement;
pub(crate) mod charts;
pub(crate) mod papers;
pub(crate) mod progress;
pub(crate) mod source;
pub(crate) mod table;
pub(crate) mod trial;
