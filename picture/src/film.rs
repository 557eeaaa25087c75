//! Films: frames drawn one after the other while the world runs on.
//!
//! The format follows the name: `.mp4` and `.webm` through the program ffmpeg, `.gif` and animated
//! `.png` by ourselves. Frames are drawn on threads of their own, as many as rayon has for the run,
//! which waits only when it is several frames ahead. The file has its name when it is whole.

mod apng;
mod encode;

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use drystone_base::{Vec3, functions};
use drystone_world::Frame;

use crate::Error;
use crate::frame::Scenery;
use crate::render::{Camera, Settings};
use encode::Encoder;

/// Frames that may wait to be drawn.
const AHEAD: usize = 3;
/// Stack of the threads that draw \[bytes\].
const STACK: usize = 4 << 20;
/// Time in which the camera moves back when something comes into view \[s\].
const FOLLOWS_IN: f64 = 0.25;

/// Endings that a film may have.
pub const ENDINGS: [&str; 4] = ["mp4", "webm", "gif", "png"];

/// Settings of a film.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilmSettings {
    /// Settings of each picture, its size included.
    pub render: Settings,
    /// Frames shown in a second \[1/s\].
    pub frame_rate: f64,
    /// How fast the camera goes around what it looks at, counter-clockwise seen from above
    /// \[degrees/s\].
    pub orbit_degrees: f64,
}

impl Default for FilmSettings {
    fn default() -> Self {
        Self {
            render: Settings {
                width: 960,
                height: 540,
                sky_directions: 32,
                ..Settings::default()
            },
            frame_rate: 50.0,
            orbit_degrees: 0.0,
        }
    }
}

/// A film that is whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilmWritten {
    /// Path of the file.
    pub path: PathBuf,
    /// Number of frames.
    pub frames: usize,
}

/// A film being made.
pub struct Film {
    path: PathBuf,
    frames: Option<SyncSender<Frame>>,
    maker: JoinHandle<Result<FilmWritten, Error>>,
    note: Option<String>,
}

impl Film {
    /// A film that will stand at `path`. Where ffmpeg is wanted but not there, an animated PNG is
    /// made beside it instead, and [`Film::note`] says so.
    pub fn create(
        path: impl AsRef<Path>,
        scenery: Scenery,
        settings: &FilmSettings,
    ) -> Result<Self, Error> {
        let path = path.as_ref();
        let mut settings = *settings;
        if !(settings.frame_rate.is_finite() && settings.frame_rate > 0.0) {
            settings.frame_rate = 25.0;
        }
        let (encoder, note) = match Encoder::create(path, &settings) {
            Err(Error::NoFfmpeg { .. }) => {
                let beside = path.with_extension("png");
                let note = format!(
                    "`{}` needs the program ffmpeg, which is not installed; made `{}` instead, an \
                     animated PNG",
                    path.display(),
                    beside.display()
                );
                (Encoder::create(&beside, &settings)?, Some(note))
            }
            other => (other?, None),
        };
        let path = encoder.path().to_owned();
        let (frames, queue) = sync_channel(AHEAD);
        let maker = std::thread::Builder::new()
            .name("film".into())
            .spawn(move || make(encoder, &scenery, &settings, &queue))
            .map_err(|source| Error::File {
                path: path.clone(),
                source,
            })?;
        Ok(Self {
            path,
            frames: Some(frames),
            maker,
            note,
        })
    }

    /// Path of the finished file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Says what was made instead of what was asked for, if that is not the same.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Adds a frame. After a failure it is dropped; [`Film::finish`] says why.
    pub fn frame(&mut self, frame: Frame) {
        if let Some(frames) = &self.frames
            && frames.send(frame).is_err()
        {
            self.frames = None;
        }
    }

    /// Draws what waits and completes the file.
    pub fn finish(mut self) -> Result<FilmWritten, Error> {
        self.frames = None;
        self.maker.join().unwrap_or_else(|_| {
            Err(Error::Film {
                path: self.path,
                message: "drawing broke off".into(),
            })
        })
    }
}

/// Draws frames until there are no more.
fn make(
    mut encoder: Encoder,
    scenery: &Scenery,
    settings: &FilmSettings,
    queue: &Receiver<Frame>,
) -> Result<FilmWritten, Error> {
    let mut operator = Operator::new(scenery, settings);
    // a step that shared its threads with a picture would wait for the picture's tiles
    let pool = rayon::ThreadPoolBuilder::new().stack_size(STACK).build();
    let mut frames = 0;
    for frame in queue {
        let camera = operator.camera(&frame);
        let draw = || scenery.picture_from(&camera, &frame, &settings.render);
        let image = match &pool {
            Ok(pool) => pool.install(draw),
            Err(_) => draw(),
        };
        encoder.add(&image)?;
        frames += 1;
    }
    Ok(FilmWritten {
        path: encoder.finish(frames)?,
        frames,
    })
}

/// Moves the camera: around the scene if asked to, and back where the picture gets too small.
pub struct Operator<'a> {
    scenery: &'a Scenery,
    aspect: f64,
    orbit_degrees: f64,
    /// Box of what is in view, and its time \[m\], \[s\].
    held: Option<(Vec3, Vec3, f64)>,
}

impl<'a> Operator<'a> {
    /// The camera at the start of a film of `scenery`.
    pub fn new(scenery: &'a Scenery, settings: &FilmSettings) -> Self {
        Self {
            scenery,
            aspect: settings.render.aspect(),
            orbit_degrees: settings.orbit_degrees,
            held: None,
        }
    }

    /// The camera of the next frame.
    pub fn camera(&mut self, frame: &Frame) -> Camera {
        let angle = (self.orbit_degrees * frame.time).to_radians();
        let turn = |v: Vec3| functions::rotation_about(Vec3::Y, angle) * v;
        if let Some(camera) = self.scenery.own_camera(frame.time) {
            return Camera {
                eye: camera.target + turn(camera.eye - camera.target),
                ..camera
            };
        }
        // the picture holds all that has been in it, and opens slowly for what is new
        let (mut low, mut high) = self.scenery.framed(frame);
        if let Some((old_low, old_high, time)) = self.held {
            let share = 1.0 - functions::exp(-(frame.time - time).max(0.0) / FOLLOWS_IN);
            low = old_low + (low.min(old_low) - old_low) * share;
            high = old_high + (high.max(old_high) - old_high) * share;
        }
        self.held = Some((low, high, frame.time));
        if self.orbit_degrees != 0.0 {
            // as wide from every side, so that nothing pumps
            let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
            let reach = half.x.hypot(half.z);
            let half = Vec3::new(reach, half.y, reach);
            let size = half.length();
            let mut camera = Camera::framing(
                middle - half,
                middle + half,
                Camera::THREE_QUARTER,
                self.aspect,
            );
            let away = (camera.eye - camera.target).length().max(size);
            camera.target = middle;
            camera.eye = middle + turn(Camera::THREE_QUARTER).normalize() * away;
            return camera;
        }
        Camera::framing(low, high, Camera::THREE_QUARTER, self.aspect)
    }
}

#[cfg(test)]
mod tests;
