//! The files a run writes: looked at before it starts, kept whole whatever happens later.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use drystone_formats::{FileError, Sink, Written, open_sink};
use drystone_picture::film::{self, Film, FilmSettings};
use drystone_picture::frame::Scenery;
use drystone_picture::render::Settings;
use drystone_picture::report::Tips;
use drystone_world::{Frame, FrameRecord, RunReport, World};

use crate::arguments::{Filming, Run};
use crate::failure::Failure;
use crate::say;

/// The files that a run writes. One that fails is kept in mind and does not affect the others.
pub(crate) struct Outputs {
    sinks: Vec<Box<dyn Sink>>,
    film: Option<Film>,
    /// Whether somebody wants contacts in the frames.
    pub(crate) with_contacts: bool,
    report: Option<PathBuf>,
    plots: Vec<PathBuf>,
    tips: Tips,
    picture: Option<PathBuf>,
    /// Files that are whole, with their sizes \[bytes\].
    pub(crate) written: Vec<(PathBuf, u64)>,
    /// Messages about files that could not be written.
    pub(crate) failures: Vec<String>,
}

impl Outputs {
    /// Opens or tries out every file that `run` names for `world`.
    pub(crate) fn open(run: &Run, world: &World) -> Result<Self, Failure> {
        // endings of file names
        if let Some(path) = &run.record {
            endings(path, &["drec"])?;
        }
        if let Some(path) = &run.film {
            endings(path, &film::ENDINGS)?;
        } else if run.filming != Filming::default() {
            let message = "--film-size and --orbit say how a film is made; add --film FILE.mp4";
            return Err(Failure::input(message));
        }
        if let Some(path) = &run.report {
            endings(path, &["json"])?;
        }
        for path in &run.plot {
            endings(path, &["svg", "png"])?;
        }
        if let Some(path) = &run.picture {
            endings(path, &["png"])?;
        }
        // nothing is overwritten by a resumed run, and no file is named twice
        let frames = run.output.iter().chain(&run.record).chain(&run.film);
        let frames = frames.chain(&run.report).chain(&run.plot);
        if run.resume.is_some()
            && let Some(path) = frames.clone().find(|path| path.exists())
        {
            return Err(Failure::input(format!(
                "`{}` exists, and a resumed run writes only what comes after {} s; name another \
                 file",
                path.display(),
                world.time()
            )));
        }
        let mut names = BTreeSet::new();
        let problems = run.dump_problem.iter().map(|dump| &dump.path);
        let files = frames.chain(&run.picture).chain(&run.checkpoint);
        for (path, probe) in problems
            .map(|path| (path, false))
            .chain(files.map(|path| (path, true)))
        {
            if !names.insert(path) {
                let name = path.display();
                return Err(Failure::input(format!("`{name}` is named for two outputs")));
            }
            if probe {
                writable(path)?;
            }
        }
        // open what takes frames
        let sink = |path: &PathBuf| open_sink(path, world.scene());
        let recorded = |path: &&PathBuf| path.extension().is_some_and(|e| e == "drec");
        let taken = run.output.iter().chain(&run.record);
        let film = run.film.as_deref().map(|path| {
            let rate = world.scene().frame_rate;
            start_film(path, Scenery::of(world), rate, &run.filming)
        });
        Ok(Self {
            with_contacts: taken.clone().any(|path| recorded(&path)),
            sinks: taken.map(sink).collect::<Result<_, _>>()?,
            film: film.transpose()?,
            report: run.report.clone(),
            plots: run.plot.clone(),
            tips: Tips::default(),
            picture: run.picture.clone(),
            written: Vec::new(),
            failures: Vec::new(),
        })
    }

    /// Whether somebody takes frames.
    pub(crate) fn takes_frames(&self) -> bool {
        !self.sinks.is_empty() || self.film.is_some() || !self.plots.is_empty()
    }

    /// Hands a frame to every sink; one that fails gets no more.
    pub(crate) fn frame(&mut self, frame: &Frame, record: &FrameRecord) {
        if !self.plots.is_empty() {
            self.tips.push(frame);
        }
        if let Some(film) = &mut self.film {
            film.frame(frame.clone());
        }
        let failures = &mut self.failures;
        self.sinks
            .retain_mut(|sink| match sink.frame(frame, record) {
                Ok(()) => true,
                Err(error) => {
                    failures.push(error.to_string());
                    false
                }
            });
    }

    /// Completes the files of frames.
    pub(crate) fn finish(&mut self) {
        for sink in std::mem::take(&mut self.sinks) {
            match sink.finish() {
                Ok(Written { path, bytes, .. }) => self.written.push((path, bytes)),
                Err(error) => self.failures.push(error.to_string()),
            }
        }
        if let Some(film) = self.film.take() {
            match film.finish() {
                Ok(made) => self.note(made.path, Ok(())),
                Err(error) => self.failures.push(error.to_string()),
            }
        }
    }

    /// Renders `frame`, once.
    pub(crate) fn picture(&mut self, world: &World, frame: &Frame) {
        let Some(path) = self.picture.take() else {
            return;
        };
        let image = drystone_picture::frame::picture(world, frame, &Settings::default());
        let result = image.write_png(&path).map_err(|error| error.to_string());
        self.note(path, result);
    }

    /// Writes the report and draws the plots.
    pub(crate) fn numbers(&mut self, report: &RunReport) {
        if let Some(path) = self.report.take() {
            let result = write_json(&path, report);
            self.note(path, result);
        }
        if self.plots.is_empty() {
            return;
        }
        let mut charts = drystone_picture::report::charts(report);
        charts.extend(self.tips.chart());
        for path in std::mem::take(&mut self.plots) {
            let result = drystone_picture::plot::write(&charts, &path).map_err(|e| e.to_string());
            self.note(path, result);
        }
    }

    /// Puts the run by; whether that worked.
    pub(crate) fn checkpoint(&mut self, path: &Path, world: &World) -> bool {
        match drystone_formats::checkpoint::save(path, world) {
            Ok(()) => true,
            Err(error) => {
                // full disks empty again: the next one may work, and this is said at once
                say::stderr_line(format_args!("warning: {error}"));
                self.failures.push(error.to_string());
                false
            }
        }
    }

    /// Remembers what became of the file at `path`.
    pub(crate) fn note(&mut self, path: PathBuf, result: Result<(), String>) {
        match result {
            Ok(()) => {
                let bytes = fs::metadata(&path).map_or(0, |data| data.len());
                self.written.push((path, bytes));
            }
            Err(message) => self.failures.push(message),
        }
    }
}

/// Whether the name of a file has one of the endings wanted.
pub(crate) fn endings(path: &Path, wanted: &[&str]) -> Result<(), Failure> {
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    if ending.as_deref().is_some_and(|e| wanted.contains(&e)) {
        return Ok(());
    }
    let found = ending.map_or("has no extension".into(), |e| format!("ends in .{e}"));
    let wanted: Vec<String> = wanted.iter().map(|e| format!(".{e}")).collect();
    let (name, wanted) = (path.display(), wanted.join(" or "));
    Err(Failure::input(format!("`{name}` {found}; wanted {wanted}")))
}

/// Starts the film at `path`; says it if another file is made instead.
pub(crate) fn start_film(
    path: &Path,
    scenery: Scenery,
    frame_rate: f64,
    filming: &Filming,
) -> Result<Film, Failure> {
    let mut settings = FilmSettings {
        frame_rate,
        ..FilmSettings::default()
    };
    if let Some((width, height)) = filming.film_size {
        (settings.render.width, settings.render.height) = (width, height);
    }
    if let Some(orbit) = filming.orbit {
        if !orbit.is_finite() {
            return Err(Failure::input(format!(
                "--orbit {orbit}: wanted degrees per second"
            )));
        }
        settings.orbit_degrees = orbit;
    }
    let film = Film::create(path, scenery, &settings).map_err(Failure::input)?;
    if let Some(note) = film.note() {
        say::stderr_line(format_args!("warning: {note}"));
    }
    Ok(film)
}

/// Makes the folder of `path` and tries to write there.
pub(crate) fn writable(path: &Path) -> Result<(), Failure> {
    let refuse = |message: String| Failure::from(FileError::new(path, message));
    if path.is_dir() {
        return Err(refuse("this is a folder; wanted a file".into()));
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        fs::create_dir_all(folder).map_err(|e| {
            refuse(format!(
                "cannot make the folder `{}`: {e}",
                folder.display()
            ))
        })?;
    }
    let existed = path.exists();
    OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .map_err(|e| refuse(format!("cannot write: {e}")))?;
    if !existed {
        // nothing is to be seen of a run that never started
        fs::remove_file(path).map_err(|e| refuse(format!("cannot write: {e}")))?;
    }
    Ok(())
}

/// Writes `report` as JSON.
fn write_json(path: &Path, report: &RunReport) -> Result<(), String> {
    let named = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let mut text = serde_json::to_string_pretty(report).map_err(|e| named(&e))?;
    text.push('\n');
    write_text(path, &text)
}

/// Writes `text` under a temporary name and renames it, so that its name always stands for a whole file.
pub(crate) fn write_text(path: &Path, text: &str) -> Result<(), String> {
    let named = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|e| named(&e))?;
    }
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".part");
    fs::write(&temporary, text).map_err(|e| named(&e))?;
    fs::rename(&temporary, path).map_err(|e| named(&e))
}
