//! Frames as OBJ files: cloths, then strands as lines, then bodies, each an object by its name.
//!
//! `cloth.####.obj` is a sequence, with the frame's number (from 0 at the start) in place of the
//! `#`; a name without `#` is the last frame. Cloths come first, so that their vertices have the
//! same numbers in every file. A floor without end is left out.

use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

use drystone_base::Vec3;
use drystone_world::{Body, Frame, FrameRecord, Scene, Shape};

use crate::atomic_file::AtomicFile;
use crate::surface::{Surface, surface};
use crate::{FileError, Sink, Written};

/// Writes OBJ files.
pub struct ObjSink {
    path: PathBuf,
    /// Text before and after the number, and its width; `None` for a single file.
    pattern: Option<(String, String, usize)>,
    bodies: Vec<Body>,
    surfaces: Vec<Surface>,
    frame_rate: f64,
    bytes: u64,
    frames: usize,
    /// Text of the last frame, where only that is wanted.
    last: String,
}

impl ObjSink {
    /// Files that will stand at `path`, of the bodies of `scene` and of all strands and cloth.
    pub fn create(path: impl AsRef<Path>, scene: &Scene) -> Result<Self, FileError> {
        let path = path.as_ref();
        let bodies = scene
            .expand()
            .map_err(|e| FileError::new(path, e.to_string()))?;
        let surfaces = bodies.iter().map(|body| match body.shape {
            Shape::HalfSpace => Surface::default(),
            _ => surface(&body.shape, 0.0),
        });
        // whether anything can be written there is known at once
        drop(AtomicFile::create(path)?);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Ok(Self {
            pattern: name.find('#').map(|start| {
                let width = name[start..].chars().take_while(|&c| c == '#').count();
                (
                    name[..start].to_owned(),
                    name[start + width..].to_owned(),
                    width,
                )
            }),
            path: path.to_owned(),
            surfaces: surfaces.collect(),
            bodies,
            frame_rate: scene.frame_rate,
            bytes: 0,
            frames: 0,
            last: String::new(),
        })
    }

    fn text(&self, frame: &Frame) -> String {
        let mut text = format!("# {} s\n", frame.time);
        let mut first = 1;
        // writing to a string does not fail
        for cloth in &frame.cloths {
            let _ = writeln!(text, "o {}", word(&cloth.name));
            vertices(&mut text, cloth.points.iter().copied());
            for [a, b, c] in cloth
                .triangles
                .iter()
                .map(|t| t.map(|i| i as usize + first))
            {
                let _ = writeln!(text, "f {a} {b} {c}");
            }
            first += cloth.points.len();
        }
        for strand in &frame.strands {
            let _ = writeln!(text, "o {}", word(&strand.name));
            vertices(&mut text, strand.points.iter().copied());
            text.push('l');
            for i in 0..strand.points.len() {
                let _ = write!(text, " {}", first + i);
            }
            text.push('\n');
            first += strand.points.len();
        }
        for ((body, surface), now) in self.bodies.iter().zip(&self.surfaces).zip(&frame.bodies) {
            if !now.visible || surface.triangles.is_empty() {
                continue;
            }
            let _ = writeln!(text, "o {}", word(&body.name));
            vertices(
                &mut text,
                surface.positions.iter().map(|&p| now.pose.point(p)),
            );
            for [a, b, c] in surface
                .triangles
                .iter()
                .map(|t| t.map(|i| i as usize + first))
            {
                let _ = writeln!(text, "f {a} {b} {c}");
            }
            first += surface.positions.len();
        }
        text
    }
}

impl Sink for ObjSink {
    fn frame(&mut self, frame: &Frame, _: &FrameRecord) -> Result<(), FileError> {
        let text = self.text(frame);
        let Some((before, after, width)) = &self.pattern else {
            (self.last, self.frames) = (text, 1);
            return Ok(());
        };
        let number = (frame.time * self.frame_rate).round().max(0.0) as u64;
        let path = self
            .path
            .with_file_name(format!("{before}{number:0width$}{after}"));
        self.bytes += AtomicFile::create(&path)?.commit(|out| out.write_all(text.as_bytes()))?;
        self.frames += 1;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Written, FileError> {
        if self.pattern.is_none() {
            let text = std::mem::take(&mut self.last);
            self.bytes =
                AtomicFile::create(&self.path)?.commit(|out| out.write_all(text.as_bytes()))?;
        }
        Ok(Written {
            path: self.path,
            bytes: self.bytes,
            frames: self.frames,
        })
    }
}

/// A name without blanks, as readers want it.
fn word(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join("_")
}

/// Writes vertices, rounded to a tenth of a micrometre.
fn vertices(text: &mut String, points: impl Iterator<Item = Vec3>) {
    for p in points {
        let p = if p.is_finite() { p } else { Vec3::ZERO };
        let _ = writeln!(text, "v {:.7} {:.7} {:.7}", p.x, p.y, p.z);
    }
}
