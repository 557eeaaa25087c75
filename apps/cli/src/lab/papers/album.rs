//! Files of a folder and the index that explains them.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use drystone_picture::plot::Chart;

use crate::failure::Failure;
use crate::lab::table;

/// The album: what has been made so far.
pub(super) struct Album {
    folder: PathBuf,
    text: String,
    files: usize,
}

const OPENING: &str = "# The solver figures of two papers, made again

Made by `drystone lab --papers`. Each figure has its numbers beside it as CSV. Erleben 2007 is
*Velocity-based shock propagation for multibody dynamics animation*, Poulsen 2010 is *Heuristic
convergence rate improvements of the projected Gauss-Seidel method for frictional contact
problems*. Problems are those of our gallery's scenes of the same description, as plain PGS meets
them (hard contacts, pyramid friction, no first guess); our y is up, theirs is z. `e` is the
scale-free residual: what one more projected step would change, in the energy norm, as a part of
the same at the start. What the papers printed is told from their text and tables. Times are of the machine that made this page.
";

impl Album {
    pub(super) fn new(folder: &Path) -> Result<Self, Failure> {
        std::fs::create_dir_all(folder).map_err(|error| {
            let folder = folder.display();
            Failure::input(format!("cannot make the folder `{folder}`: {error}"))
        })?;
        Ok(Self {
            folder: folder.to_owned(),
            text: OPENING.to_owned(),
            files: 0,
        })
    }

    /// Begins a chapter of the index.
    pub(super) fn chapter(&mut self, title: &str) {
        let _ = writeln!(self.text, "\n## {title}\n");
    }

    /// Adds to the index.
    pub(super) fn say(&mut self, text: impl AsRef<str>) {
        self.text += text.as_ref();
        self.text += "\n";
    }

    /// Writes a figure and shows it in the index.
    pub(super) fn figure(
        &mut self,
        name: &str,
        charts: &[Chart],
        columns: usize,
    ) -> Result<(), Failure> {
        let file = format!("{name}.svg");
        table::draw(&self.folder.join(&file), charts, columns)?;
        self.files += 1;
        self.say(format!("![{name}]({file})\n"));
        Ok(())
    }

    /// Writes numbers and names them in the index.
    pub(super) fn numbers<H: AsRef<str>>(
        &mut self,
        name: &str,
        header: &[H],
        records: &[Vec<String>],
    ) -> Result<(), Failure> {
        let file = format!("{name}.csv");
        table::write(&self.folder.join(&file), &table::csv(header, records))?;
        self.files += 1;
        self.say(format!("Numbers: [{file}]({file})\n"));
        Ok(())
    }

    /// A table in the index.
    pub(super) fn table<H: AsRef<str>>(&mut self, header: &[H], records: &[Vec<String>]) {
        let names: Vec<&str> = header.iter().map(AsRef::as_ref).collect();
        let _ = writeln!(self.text, "| {} |", names.join(" | "));
        let _ = writeln!(self.text, "|{}", "---|".repeat(names.len()));
        for record in records {
            let _ = writeln!(self.text, "| {} |", record.join(" | "));
        }
        self.text += "\n";
    }

    /// Writes the index.
    pub(super) fn index(&mut self) -> Result<(), Failure> {
        self.files += 1;
        table::write(&self.folder.join("index.md"), &self.text)
    }

    pub(super) fn files(&self) -> usize {
        self.files
    }
}
