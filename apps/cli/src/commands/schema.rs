//! `drystone schema`: what a scene file may contain, as JSON Schema.

use std::process::ExitCode;

use crate::failure::{Failure, WELL};
use crate::say;

pub(crate) fn run() -> Result<ExitCode, Failure> {
    say::line(format_args!("{:#}", drystone_formats::scene_schema()));
    Ok(WELL.into())
}
