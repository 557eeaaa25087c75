//! `--dump-problem T:FILE`: contact problems that a run meets, for `complementarity`'s laboratory
//! and for other programs.

use std::path::PathBuf;

use drystone_world::World;

use crate::failure::Failure;
use crate::outputs::{Outputs, writable};

/// When to write the contact problem, and where.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dump {
    /// Simulated time \[s\].
    pub(crate) time: f64,
    pub(crate) path: PathBuf,
}

impl Dump {
    /// `T:FILE`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (time, path) = text
            .split_once(':')
            .ok_or("no colon; wanted T:FILE, such as 1.5:tower.dat")?;
        let seconds: f64 = time
            .trim()
            .parse()
            .map_err(|_| format!("the time is `{time}`; wanted seconds, such as 1.5:tower.dat"))?;
        if path.is_empty() {
            return Err("no file after the colon; wanted T:FILE, such as 1.5:tower.dat".into());
        }
        Ok(Self {
            time: seconds,
            path: path.into(),
        })
    }

    /// Whether the run has a step at or after the time, and the file can be written.
    pub(crate) fn check(&self, world: &World, end: f64) -> Result<(), Failure> {
        let (start, last) = (world.time(), end - world.step_length());
        let slack = 0.5 * world.step_length();
        if !(start - slack..=last + slack).contains(&self.time) {
            return Err(Failure::input(format!(
                "--dump-problem {}:{}: the steps of the run begin from {start} s to {last} s",
                self.time,
                self.path.display()
            )));
        }
        let as_folder = self.path.extension().is_some_and(|e| e == "dlm")
            || self.path.to_string_lossy().ends_with(['/', '\\']);
        if as_folder || self.path.is_dir() {
            return std::fs::create_dir_all(&self.path).map_err(|error| {
                let folder = self.path.display();
                Failure::input(format!("cannot make the folder `{folder}`: {error}"))
            });
        }
        writable(&self.path)
    }

    /// Whether the step from here is the one.
    pub(crate) fn is_due(&self, world: &World) -> bool {
        world.time() >= self.time - 0.5 * world.step_length()
    }
}

/// Writes the problems that are due before the next step of `world`, and leaves the others.
pub(crate) fn write_due(dumps: &mut Vec<Dump>, world: &World, outputs: &mut Outputs) {
    for dump in dumps.extract_if(.., |dump| dump.is_due(world)) {
        let written = drystone_formats::write_problem(&dump.path, &world.contact_problem());
        outputs.note(dump.path, written.map_err(|error| error.to_string()));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_first_colon_parts_time_and_file() {
        let dump = Dump::parse("1.5:C:\\out\\tower.dat").unwrap();
        assert_eq!(dump.time, 1.5);
        assert_eq!(dump.path, PathBuf::from("C:\\out\\tower.dat"));
        for (text, words) in [
            ("tower.dat", "no colon"),
            ("soon:tower.dat", "`soon`"),
            ("1.5:", "no file"),
        ] {
            let said = Dump::parse(text).unwrap_err();
            assert!(said.contains(words), "{text}: {said}");
        }
    }
}
