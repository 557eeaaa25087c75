//! One file, one command.

pub(crate) mod ccd;
pub(crate) mod check;
pub(crate) mod export;
pub(crate) mod lab;
pub(crate) mod list;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod trial;
pub(crate) mod view;
