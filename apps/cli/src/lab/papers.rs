//! `drystone lab --papers DIR`: the figures and tables of Erleben 2007, §3 and Poulsen 2010 made
//! again, with numbers beside each and an index that says what they show and where we differ.

mod album;
mod configurations;
mod matrices;
mod orderings;
mod relaxation;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use drystone_complementarity::ContactProblem;
use drystone_rigid::Stepper;

use super::progress::Tasks;
use super::source;
use crate::arguments::Adjust;
use crate::failure::{Failure, INTERRUPTED, WELL};
use crate::{interrupt, say};
use album::Album;

/// One part of the album: its name, and the function that makes it.
type Part = (&'static str, fn(&mut Album) -> Result<(), Failure>);

const PARTS: [Part; 7] = [
    ("ball grid", matrices::ball_grid),
    ("wall", matrices::wall),
    ("box stack", matrices::box_stack),
    ("configurations", configurations::make),
    ("relaxation", relaxation::make),
    ("setups and heuristics", orderings::setups),
    ("35 orderings", orderings::all),
];

/// Writes everything into `folder`, which is made if it is not there.
pub(crate) fn write(folder: &Path) -> Result<ExitCode, Failure> {
    let mut album = Album::new(folder)?;
    let mut tasks = Tasks::new(PARTS.len());
    for (name, make) in PARTS {
        if interrupt::asked() {
            tasks.finish();
            return Ok(INTERRUPTED.into());
        }
        tasks.begin(name);
        let started = Instant::now();
        make(&mut album)?;
        tasks.end();
        let seconds = say::seconds(started.elapsed().as_secs_f64());
        tasks.line(&format!("{name}: {seconds}"));
    }
    let seconds = tasks.finish();
    album.index()?;
    say::line(format_args!(
        "{} in {}: {}",
        say::count(album.files() as u64, "file"),
        say::seconds(seconds),
        folder.join("index.md").display()
    ));
    Ok(WELL.into())
}

/// The problem that plain PGS meets in a scene at `time` \[s\]: hard contacts over the whole step,
/// as the papers pose it.
fn posed(scene: &str, time: f64) -> Result<ContactProblem, Failure> {
    let adjust = Adjust {
        stepper: Some(Stepper::PgsProjection.name().to_owned()),
        ..Adjust::default()
    };
    source::of_scene(scene, time, &adjust)
}
