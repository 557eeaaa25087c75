//! USD text (`.usda`): one Xform per body with time-sampled translation and orientation; strands
//! and cloth with time-sampled points (`deformable`); curves in ([`read_curves`]).
//!
//! Time codes are frames, counted from 0 at the start of the simulation. Samples that equal
//! both neighbours are left out, which no reader can tell: USD interpolates linearly, and holds
//! the last value. A body that does not move has a plain value. One that enters later is
//! invisible before that.

mod curves;
mod deformable;
mod parse;

pub use curves::{parse_curves, read_curves};

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use drystone_base::{Pose, Vec3};
use drystone_world::{Body, Frame, FrameRecord, Scene, Shape};

use crate::appearance::{colour, floor_reach, smallest_extent};
use crate::atomic_file::AtomicFile;
use crate::deformable::Deformables;
use crate::surface::{Polygons, polygons};
use crate::tracks::{Track, Tracks};
use crate::{FileError, Sink, Written};

/// Collects frames and writes them as one USD layer.
pub struct UsdSink {
    file: AtomicFile,
    tracks: Tracks,
    deformables: Deformables,
    name: String,
    about: String,
    frame_rate: f64,
}

impl UsdSink {
    /// A layer that will stand at `path`, of the bodies of `scene`.
    pub fn create(path: impl AsRef<Path>, scene: &Scene) -> Result<Self, FileError> {
        let path = path.as_ref();
        Ok(Self {
            file: AtomicFile::create(path)?,
            tracks: Tracks::new(scene).map_err(|e| FileError::new(path, e))?,
            deformables: Deformables::default(),
            name: scene.name.clone(),
            about: scene.about.clone(),
            frame_rate: scene.frame_rate,
        })
    }

    /// Adds a frame; its bodies are those of the scene, in order.
    pub fn push(&mut self, frame: &Frame) -> Result<(), FileError> {
        let frames = self.tracks.times.len();
        let mut pushed = self.tracks.push(frame);
        if pushed.is_ok() && self.tracks.times.len() > frames {
            pushed = self.deformables.push(frame);
        }
        pushed.map_err(|e| FileError::new(self.file.path(), e))
    }

    /// Writes the layer.
    pub fn finish(self) -> Result<Written, FileError> {
        let path = self.file.path().to_owned();
        let layer = Layer {
            tracks: &self.tracks,
            deformables: &self.deformables,
            name: &self.name,
            about: &self.about,
            frame_rate: self.frame_rate,
            digits: digits(&self.tracks.bodies),
            floor: floor_reach(&self.tracks.bodies),
        };
        let bytes = self.file.commit(|out| layer.write(out))?;
        Ok(Written {
            path,
            bytes,
            frames: self.tracks.times.len(),
        })
    }
}

impl Sink for UsdSink {
    fn frame(&mut self, frame: &Frame, _: &FrameRecord) -> Result<(), FileError> {
        self.push(frame)
    }

    fn finish(self: Box<Self>) -> Result<Written, FileError> {
        Self::finish(*self)
    }
}

/// Decimals of positions: a millionth of the smallest extent, and at least a micrometre.
fn digits(bodies: &[Body]) -> usize {
    let mut resolution = 1e-6;
    let mut digits = 6;
    while resolution > 1e-6 * smallest_extent(bodies) && digits < 12 {
        resolution *= 0.1;
        digits += 1;
    }
    digits
}

/// Input of a layer.
struct Layer<'a> {
    tracks: &'a Tracks,
    deformables: &'a Deformables,
    name: &'a str,
    about: &'a str,
    frame_rate: f64,
    digits: usize,
    floor: f64,
}

/// Name of the prim that holds shared surfaces.
const PROTOTYPES: &str = "Prototypes";

impl Layer<'_> {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        // layer metadata
        let times = &self.tracks.times;
        let code = |time: Option<&f64>| self.time_code(*time.unwrap_or(&0.0));
        let title = if self.name.is_empty() {
            "scene"
        } else {
            self.name
        };
        writeln!(
            out,
            "#usda 1.0\n(\n    customLayerData = {{\n        string creator = {}\n    }}\n    \
             defaultPrim = \"World\"\n    doc = {}\n    endTimeCode = {}\n    \
             framesPerSecond = {rate}\n    metersPerUnit = 1\n    startTimeCode = {}\n    \
             timeCodesPerSecond = {rate}\n    upAxis = \"Y\"\n)\n",
            quoted(&format!("Drystone {}", env!("CARGO_PKG_VERSION"))),
            quoted(format!("{title}: {}", self.about).trim_end_matches([' ', ':'])),
            code(times.last()),
            code(times.first()),
            rate = self.frame_rate,
        )?;
        // the root prim, and meshes that several bodies share
        writeln!(out, "def Xform \"World\" (\n    kind = \"group\"\n)\n{{")?;
        let prototypes = self.write_prototypes(out)?;
        let mut used: BTreeSet<String> = [PROTOTYPES.to_owned()].into();
        // a transform for each body, its geometry below it
        for (i, (body, track)) in self
            .tracks
            .bodies
            .iter()
            .zip(&self.tracks.motion)
            .enumerate()
        {
            let name = unique(&body.name, &mut used);
            writeln!(
                out,
                "\n    def Xform \"{name}\" (\n        displayName = {}\n    )\n    {{",
                quoted(&body.name)
            )?;
            self.write_motion(out, body, track)?;
            let paint = colour(body, i).map(|c| decimal(f64::from(c), 4));
            let geometry = Geometry {
                layer: self,
                prototypes: &prototypes,
                paint: &paint.join(", "),
            };
            match &body.shape {
                Shape::Compound { parts } => {
                    for (k, part) in parts.iter().enumerate() {
                        let name = format!("{name}_part_{k}");
                        geometry.write(out, &name, &part.shape, &part.pose())?;
                    }
                }
                shape => geometry.write(out, &format!("{name}_shape"), shape, &Pose::IDENTITY)?,
            }
            writeln!(out, "    }}")?;
        }
        // strands and cloth
        self.write_soft(out, &mut used)?;
        writeln!(out, "}}")
    }

    /// Writes each hull and mesh once, however many bodies have it; returns names of prims by key.
    fn write_prototypes(&self, out: &mut impl Write) -> io::Result<BTreeMap<Vec<u8>, String>> {
        let mut known = BTreeMap::new();
        for shape in self.tracks.bodies.iter().flat_map(solids) {
            let Some(key) = prototype_key(shape) else {
                continue;
            };
            if known.contains_key(&key) {
                continue;
            }
            let Some(surface) = polygons(shape, self.floor) else {
                continue;
            };
            if known.is_empty() {
                writeln!(out, "    class Scope \"{PROTOTYPES}\"\n    {{")?;
            }
            let name = format!("{}_{}", shape.kind(), known.len());
            writeln!(out, "        def Mesh \"{name}\"\n        {{")?;
            self.write_polygons(out, &surface, "            ")?;
            writeln!(out, "        }}")?;
            known.insert(key, name);
        }
        if !known.is_empty() {
            writeln!(out, "    }}")?;
        }
        Ok(known)
    }

    fn write_polygons(
        &self,
        out: &mut impl Write,
        surface: &Polygons,
        pad: &str,
    ) -> io::Result<()> {
        let first = surface.points.first().copied().unwrap_or_default();
        let bounds = surface
            .points
            .iter()
            .fold((first, first), |(l, h), &p| (l.min(p), h.max(p)));
        let list = |items: &mut dyn Iterator<Item = String>| items.collect::<Vec<_>>().join(", ");
        writeln!(
            out,
            "{pad}float3[] extent = [{}, {}]",
            self.point(bounds.0),
            self.point(bounds.1)
        )?;
        writeln!(
            out,
            "{pad}int[] faceVertexCounts = [{}]",
            list(&mut surface.counts.iter().map(u32::to_string))
        )?;
        writeln!(
            out,
            "{pad}int[] faceVertexIndices = [{}]",
            list(&mut surface.indices.iter().map(u32::to_string))
        )?;
        writeln!(
            out,
            "{pad}point3f[] points = [{}]",
            list(&mut surface.points.iter().map(|&p| self.point(p)))
        )?;
        writeln!(out, "{pad}uniform token subdivisionScheme = \"none\"")
    }

    fn write_motion(&self, out: &mut impl Write, body: &Body, track: &Track) -> io::Result<()> {
        let pad = "        ";
        if track.position.is_empty() {
            // a layer without frames shows the start
            writeln!(out, "{}", placing(&body.pose(), self.digits, pad))?;
            return Ok(());
        }
        let mut sample = |kind: &str, values: &mut dyn Iterator<Item = String>| {
            let (samples, count, only) = self.samples(values);
            match count {
                1 => writeln!(out, "{pad}{kind} = {only}"),
                _ => writeln!(out, "{pad}{kind}.timeSamples = {{\n{samples}{pad}}}"),
            }
        };
        if !track.is_always_visible() {
            let word = |&v: &bool| if v { "\"inherited\"" } else { "\"invisible\"" };
            sample(
                "token visibility",
                &mut track.visible.iter().map(|v| word(v).to_owned()),
            )?;
            // Blender imports no moving visibility: shrunk to a speck, the body is gone there too
            let size = |&v: &bool| {
                if v {
                    "(1, 1, 1)"
                } else {
                    "(0.0001, 0.0001, 0.0001)"
                }
            };
            sample(
                "float3 xformOp:scale",
                &mut track.visible.iter().map(|v| size(v).to_owned()),
            )?;
        }
        sample(
            "quatd xformOp:orient",
            &mut track.rotation.iter().map(quaternion),
        )?;
        sample(
            "double3 xformOp:translate",
            &mut track.position.iter().map(|&p| self.point(p)),
        )?;
        let scale = if track.is_always_visible() {
            ""
        } else {
            ", \"xformOp:scale\""
        };
        writeln!(
            out,
            "{pad}uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"{scale}]"
        )
    }

    /// Samples that differ from a neighbour, one per line; how many; and the last value.
    fn samples(&self, values: &mut dyn Iterator<Item = String>) -> (String, usize, String) {
        let (mut text, mut count) = (String::new(), 0);
        let mut last = String::new();
        let mut left_out = None;
        let mut put = |time: f64, value: &str| {
            count += 1;
            // writing to a string does not fail
            let _ = writeln!(text, "            {}: {value},", self.time_code(time));
        };
        for (&time, value) in self.tracks.times.iter().zip(values) {
            if value == last {
                left_out = Some(time);
                continue;
            }
            if let Some(time) = left_out.take() {
                put(time, &last);
            }
            put(time, &value);
            last = value;
        }
        (text, count, last)
    }

    fn time_code(&self, time: f64) -> String {
        let code = time * self.frame_rate;
        let whole = code.round();
        if (code - whole).abs() < 1e-6 {
            decimal(whole, 0)
        } else {
            decimal(code, 6)
        }
    }

    fn point(&self, p: Vec3) -> String {
        point(p, self.digits)
    }
}

/// How the surfaces of a body are written.
struct Geometry<'a> {
    layer: &'a Layer<'a>,
    prototypes: &'a BTreeMap<Vec<u8>, String>,
    paint: &'a str,
}

impl Geometry<'_> {
    fn write(
        &self,
        out: &mut impl Write,
        name: &str,
        shape: &Shape,
        pose: &Pose,
    ) -> io::Result<()> {
        // attributes of the gprim; a shared mesh is a reference
        let digits = self.layer.digits;
        let number = |x: f64| decimal(x, digits);
        let (kind, mut reference, mut body) = ("Mesh", String::new(), Vec::new());
        let pad = "            ";
        let extent = |body: &mut Vec<u8>, r: Vec3| {
            let [low, high] = [-r, r].map(|corner| point(corner, digits));
            writeln!(body, "{pad}float3[] extent = [{low}, {high}]")
        };
        let kind = match shape {
            Shape::Sphere { radius } => {
                let r = Vec3::splat(*radius);
                extent(&mut body, r)?;
                writeln!(body, "{pad}double radius = {}", number(*radius))?;
                "Sphere"
            }
            Shape::Capsule { length, radius } => {
                let r = Vec3::new(*radius, radius + 0.5 * length, *radius);
                writeln!(body, "{pad}uniform token axis = \"Y\"")?;
                extent(&mut body, r)?;
                writeln!(body, "{pad}double height = {}", number(*length))?;
                writeln!(body, "{pad}double radius = {}", number(*radius))?;
                "Capsule"
            }
            _ => match prototype_key(shape).and_then(|key| self.prototypes.get(&key)) {
                Some(prototype) => {
                    reference = format!(
                        " (\n            prepend references = </World/{PROTOTYPES}/{prototype}>\n        )"
                    );
                    kind
                }
                None => {
                    let surface = polygons(shape, self.layer.floor).unwrap_or_default();
                    self.layer.write_polygons(&mut body, &surface, pad)?;
                    kind
                }
            },
        };
        // the prim, its colour, its place in the body
        writeln!(
            out,
            "\n        def {kind} \"{name}\"{reference}\n        {{"
        )?;
        out.write_all(&body)?;
        writeln!(
            out,
            "{pad}color3f[] primvars:displayColor = [({})]",
            self.paint
        )?;
        if *pose != Pose::IDENTITY {
            writeln!(out, "{}", placing(pose, digits, pad))?;
        }
        writeln!(out, "        }}")
    }
}

/// The operations that place something that does not move.
fn placing(pose: &Pose, digits: usize, pad: &str) -> String {
    format!(
        "{pad}quatd xformOp:orient = {}\n{pad}double3 xformOp:translate = {}\n\
         {pad}uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]",
        quaternion(&pose.rotation.to_array()),
        point(pose.position, digits)
    )
}

/// The simple solids of a body.
fn solids(body: &Body) -> Vec<&Shape> {
    match &body.shape {
        Shape::Compound { parts } => parts.iter().map(|part| &part.shape).collect(),
        shape => vec![shape],
    }
}

/// Key by which equal surfaces are shared; `None` for those too small to be worth it.
fn prototype_key(shape: &Shape) -> Option<Vec<u8>> {
    matches!(shape, Shape::Hull { .. } | Shape::Mesh(_)).then(|| {
        let json = serde_json::to_vec(shape).unwrap_or_default();
        blake3::hash(&json).as_bytes().to_vec()
    })
}

/// USD writes the real part first, and takes its arc cosine: near the identity 7 digits of it
/// would leave an angle of 3e-4, 12 leave 1e-6.
fn quaternion(q: &[f64; 4]) -> String {
    let [x, y, z, w] = q.map(|x| decimal(x, 12));
    format!("({w}, {x}, {y}, {z})")
}

fn point(p: Vec3, digits: usize) -> String {
    let [x, y, z] = p.to_array().map(|x| decimal(x, digits));
    format!("({x}, {y}, {z})")
}

/// `x` with at most `digits` decimals, without trailing zeros.
fn decimal(x: f64, digits: usize) -> String {
    let mut text = format!("{x:.digits$}");
    if text.contains('.') {
        text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    }
    if text == "-0" { "0".into() } else { text }
}

/// A USD string; what the text format cannot hold becomes a blank.
fn quoted(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let escaped = plain
        .collect::<String>()
        .replace('\\', "\\\\")
        .replace('"', "\\\"");
    format!("\"{escaped}\"")
}

/// `name` as a prim name that is not in `used` yet.
fn unique(name: &str, used: &mut BTreeSet<String>) -> String {
    let plain = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
    let mut base: String = plain.collect();
    if base.is_empty() || base.starts_with(|c: char| c.is_ascii_digit()) {
        base.insert(0, '_');
    }
    let mut candidate = base.clone();
    let mut number = 2;
    while !used.insert(candidate.clone()) {
        candidate = format!("{base}_{number}");
        number += 1;
    }
    candidate
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_valid_and_stay_different() {
        let mut used = BTreeSet::new();
        let names = ["tower/3/17", "tower_3_17", "3", "", "größe", "tower/3/17"];
        let made = names.map(|name| unique(name, &mut used));
        assert_eq!(
            made,
            [
                "tower_3_17",
                "tower_3_17_2",
                "_3",
                "_",
                "gr__e",
                "tower_3_17_3"
            ]
        );
    }

    #[test]
    fn numbers_are_short_and_right() {
        assert_eq!(decimal(0.1 + 0.2, 7), "0.3");
        assert_eq!(decimal(-1e-9, 6), "0");
        assert_eq!(decimal(100.0, 0), "100");
        assert_eq!(decimal(-12.3456789, 6), "-12.345679");
    }
}
