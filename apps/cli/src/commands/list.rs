//! `drystone list`: the scenes of the gallery.

use std::process::ExitCode;

use drystone_gallery::{ALL, DEFAULT, Entry};
use serde::Serialize;

use crate::failure::{Failure, WELL};
use crate::say;

/// One scene, as `--json` shows it.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    about: &'static str,
    system: &'static str,
    bodies: usize,
    strands: usize,
    cloths: usize,
    seconds: f64,
    truths: usize,
}

pub(crate) fn run(json: bool) -> Result<ExitCode, Failure> {
    if json {
        let rows = ALL.iter().map(row).collect::<Result<Vec<_>, _>>()?;
        let text = serde_json::to_string_pretty(&rows).map_err(Failure::input)?;
        say::line(text);
        return Ok(WELL.into());
    }
    let width = ALL.iter().map(|entry| entry.name.len()).max().unwrap_or(0);
    for Entry { name, about, .. } in ALL {
        let mark = if *name == DEFAULT { " (default)" } else { "" };
        say::line(format_args!("{name:width$}  {about}{mark}"));
    }
    Ok(WELL.into())
}

fn row(entry: &Entry) -> Result<Row, Failure> {
    let scene = (entry.build)();
    Ok(Row {
        name: entry.name,
        about: entry.about,
        system: entry.system,
        bodies: scene.expand()?.len(),
        strands: scene.expand_strands()?.len(),
        cloths: scene.cloths.len(),
        seconds: scene.duration,
        truths: scene.truths.len(),
    })
}
