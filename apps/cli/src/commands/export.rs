//! `drystone export`: files, pictures, films and pages of a recorded run.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use drystone_formats::{Recording, Sink, open_sink};
use drystone_picture::film::Film;
use drystone_picture::frame::Scenery;
use drystone_picture::render::Settings;
use drystone_view::Page;
use drystone_world::{Frame, World};
use indicatif::{ProgressBar, ProgressDrawTarget};

use crate::arguments::Export;
use crate::failure::{BROKEN, Failure, INTERRUPTED, WELL};
use crate::{interrupt, outputs, say};

/// Destination of an output.
enum Target {
    Frames(Box<dyn Sink>),
    Film(Film),
    Picture(PathBuf),
    Page(PathBuf, Box<Page>),
}

pub(crate) fn run(export: &Export) -> Result<ExitCode, Failure> {
    // all that can be refused is refused before the first frame
    let mut recording = Recording::open(&export.recording)?;
    let name = export.recording.display();
    let Some((first, last)) = recording.times() else {
        return Err(Failure::input(format!("`{name}` has no frame")));
    };
    if !recording.is_complete() {
        let count = recording.len();
        say::stderr_line(format_args!(
            "warning: `{name}` was cut off; its {count} whole frames end at {last:.3} s"
        ));
    }
    let frames = match export.time {
        None => 0..recording.len(),
        Some(time) => {
            let slack = 0.5 / recording.scene().frame_rate;
            if !(first - slack..=last + slack).contains(&time) {
                let message =
                    format!("--time {time}: the recording goes from {first:.3} s to {last:.3} s");
                return Err(Failure::input(message));
            }
            let i = recording.nearest(time)?;
            i..i + 1
        }
    };
    let mut targets = open(export, &recording)?;
    interrupt::listen();

    // hand every frame to every target
    let bar = ProgressBar::with_draw_target(
        Some(frames.len() as u64),
        ProgressDrawTarget::stderr_with_hz(10),
    );
    let mut failures: Vec<String> = Vec::new();
    let mut shown: Option<Frame> = None;
    for i in frames {
        if interrupt::asked() {
            break;
        }
        let (frame, record) = match recording.frame(i) {
            Ok(read) => read,
            Err(error) => {
                // what came before is kept
                failures.push(error.to_string());
                break;
            }
        };
        targets.retain_mut(|target| match target {
            Target::Frames(sink) => match sink.frame(&frame, &record) {
                Ok(()) => true,
                Err(error) => {
                    failures.push(error.to_string());
                    false
                }
            },
            Target::Film(film) => {
                film.frame(frame.clone());
                true
            }
            Target::Picture(_) => true,
            Target::Page(_, page) => {
                page.frame(&frame, &record);
                true
            }
        });
        shown = Some(frame);
        bar.inc(1);
    }
    bar.finish_and_clear();

    // complete the files
    let scenery = || World::new(recording.scene()).map(|world| Scenery::of(&world));
    for target in targets {
        let written = match (target, &shown) {
            (Target::Frames(sink), _) => sink.finish().map(|w| w.path).map_err(|e| e.to_string()),
            (Target::Film(film), _) => film.finish().map(|w| w.path).map_err(|e| e.to_string()),
            (Target::Picture(_), None) => continue,
            (Target::Page(path, page), _) => std::fs::write(&path, page.finish())
                .map_err(|error| format!("`{}` cannot be written: {error}", path.display()))
                .map(|()| path),
            (Target::Picture(path), Some(frame)) => match scenery() {
                Ok(scenery) => {
                    let image = scenery.picture(frame, &Settings::default());
                    image
                        .write_png(&path)
                        .map(|()| path)
                        .map_err(|e| e.to_string())
                }
                Err(error) => Err(error.to_string()),
            },
        };
        match written {
            Ok(path) => {
                let bytes = std::fs::metadata(&path).map_or(0, |data| data.len());
                let size = if bytes > 0 {
                    format!(" ({})", say::bytes(bytes))
                } else {
                    String::new()
                };
                say::line(format_args!("wrote {}{size}", path.display()));
            }
            Err(error) => failures.push(error),
        }
    }
    for failure in &failures {
        say::stderr_line(format_args!("error: {failure}"));
    }
    Ok(match (failures.is_empty(), interrupt::asked()) {
        (false, _) => BROKEN,
        (true, true) => INTERRUPTED,
        (true, false) => WELL,
    }
    .into())
}

/// Opens or tries out every output.
fn open(export: &Export, recording: &Recording) -> Result<Vec<Target>, Failure> {
    let scene = recording.scene();
    let mut names = BTreeSet::new();
    let mut targets = Vec::new();
    for path in &export.output {
        let shown = path.display();
        if !names.insert(path) || *path == export.recording {
            return Err(Failure::input(format!("`{shown}` is named twice")));
        }
        outputs::writable(path)?;
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        let target = match ending.as_deref() {
            Some("png") => Target::Picture(path.clone()),
            Some("html") => Target::Page(path.clone(), Box::new(Page::new(scene)?)),
            Some("mp4" | "webm" | "gif") => {
                if export.time.is_some() {
                    let message = format!("`{shown}` is a film, and --time wants one frame");
                    return Err(Failure::input(message));
                }
                let scenery = Scenery::of(&World::new(scene)?);
                let filming = &export.filming;
                Target::Film(outputs::start_film(
                    path,
                    scenery,
                    scene.frame_rate,
                    filming,
                )?)
            }
            _ => Target::Frames(open_sink(path, scene)?),
        };
        targets.push(target);
    }
    Ok(targets)
}
