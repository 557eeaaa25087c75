//! HAIR files (`.hair`), the format of Cem Yuksel's hair models, in and out.
//!
//! ```text
//! "HAIR"                                                        4 bytes, all numbers little-endian
//! strands, points       u32 each: how many in all               8
//! flags                 u32: which arrays follow, bit 0 first   4
//! segments              u32: of every strand, without bit 0     4
//! thickness, transparency   f32 each: of all, without bits 2, 3 8
//! colour                3 f32: of all, without bit 4           12
//! information           text, ends with zeros                  88
//! bit 0  segments       u16 for each strand
//! bit 1  points         3 f32 for each point; must be there
//! bit 2  thickness      f32 for each point: a diameter
//! bit 3  transparency   f32 for each point, 0 is opaque
//! bit 4  colour         3 f32 for each point
//! ```
//!
//! The format names neither a unit nor an axis. What we write is in metres with y up, and says so
//! in its information; what we read is taken for the same. The models on the author's page are in
//! other units with z up: [`Hair::convert`] turns and scales them.

use std::io::Write;
use std::path::{Path, PathBuf};

use drystone_base::Vec3;
use drystone_world::{Frame, FrameRecord, FrameStrand};

use crate::atomic_file::AtomicFile;
use crate::curves::Curve;
use crate::deformable::strand_colour;
use crate::toml::read_bytes;
use crate::{FileError, Sink, Written};

/// Longest file \[bytes\].
pub const LONGEST_FILE: u64 = 4 << 30;
const MAGIC: &[u8; 4] = b"HAIR";
const HEADER: usize = 128;
const INFORMATION: usize = 88;
/// Bits of the flags.
const SEGMENTS: u32 = 1;
const POINTS: u32 = 2;
const THICKNESS: u32 = 4;
const TRANSPARENCY: u32 = 8;
const COLOURS: u32 = 16;

/// A HAIR file, as it is: nothing is lost between reading and writing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hair {
    /// Number of segments of each strand: one less than its points.
    pub segments: Vec<u16>,
    /// Points of all strands in turn.
    pub points: Vec<[f32; 3]>,
    /// Diameter at each point; empty if all are alike.
    pub thickness: Vec<f32>,
    /// 0 (opaque) to 1 at each point; empty if all are alike.
    pub transparency: Vec<f32>,
    /// Red, green and blue from 0 to 1 at each point; empty if all are alike.
    pub colours: Vec<[f32; 3]>,
    /// Diameter where `thickness` is empty.
    pub default_thickness: f32,
    /// Transparency where `transparency` is empty.
    pub default_transparency: f32,
    /// Colour where `colours` is empty.
    pub default_colour: [f32; 3],
    /// Free text of at most 88 bytes.
    pub information: String,
}

/// Reads the HAIR file at `path`.
pub fn read_hair(path: impl AsRef<Path>) -> Result<Hair, FileError> {
    let path = path.as_ref();
    parse_hair(&read_bytes(path, LONGEST_FILE)?, path)
}

/// The HAIR file in `bytes`, which errors call `name`. Nothing is believed before the bytes are
/// there: a huge count in a short file costs nothing.
pub fn parse_hair(bytes: &[u8], name: impl AsRef<Path>) -> Result<Hair, FileError> {
    let name = name.as_ref();
    let refuse = |at: usize, message: String| FileError::new(name, format!("byte {at}: {message}"));
    // magic number and header
    if !bytes.starts_with(MAGIC) {
        let found = String::from_utf8_lossy(&bytes[..bytes.len().min(4)]).into_owned();
        return Err(refuse(
            0,
            format!("the file begins with {found:?}; wanted \"HAIR\""),
        ));
    }
    if bytes.len() < HEADER {
        return Err(refuse(
            bytes.len(),
            format!("the file ends inside its header of {HEADER} bytes"),
        ));
    }
    let word = |at: usize| u32::from_le_bytes(four(&bytes[at..]));
    let real = |at: usize| f32::from_le_bytes(four(&bytes[at..]));
    let (strands, points, flags) = (word(4), word(8), word(12));
    if flags & POINTS == 0 {
        return Err(refuse(
            12,
            format!("the flags are {flags:#x}, without points (bit 1)"),
        ));
    }
    if flags >> 5 != 0 {
        let message = format!("the flags are {flags:#x}; bits beyond 4 mean nothing known");
        return Err(refuse(12, message));
    }

    // what the header promises must be there
    let arrays = [
        (SEGMENTS, "segments", u64::from(strands) * 2),
        (POINTS, "points", u64::from(points) * 12),
        (THICKNESS, "thickness", u64::from(points) * 4),
        (TRANSPARENCY, "transparency", u64::from(points) * 4),
        (COLOURS, "colours", u64::from(points) * 12),
    ];
    let mut at = HEADER;
    let mut parts: [(usize, &[u8]); 5] = [(0, &[]); 5];
    for (part, (bit, what, length)) in parts.iter_mut().zip(arrays) {
        if flags & bit == 0 {
            continue;
        }
        let rest = &bytes[at..];
        let Some(all) = usize::try_from(length).ok().and_then(|n| rest.get(..n)) else {
            return Err(refuse(
                at,
                format!(
                    "the {what} of {strands} strands and {points} points take {length} bytes; \
                     the file has {} left",
                    rest.len()
                ),
            ));
        };
        *part = (at, all);
        at += all.len();
    }
    if at != bytes.len() {
        let more = bytes.len() - at;
        return Err(refuse(
            at,
            format!("{more} bytes follow the end of the last array"),
        ));
    }

    // number of segments of each strand, and that they account for every point
    let segments: Vec<u16> = if flags & SEGMENTS != 0 {
        let pairs = parts[0].1.as_chunks::<2>().0;
        pairs.iter().map(|&b| u16::from_le_bytes(b)).collect()
    } else {
        let every = u16::try_from(word(16)).map_err(|_| {
            refuse(
                16,
                format!("{} segments a strand; wanted up to 65535", word(16)),
            )
        })?;
        let needed = u64::from(strands) * (u64::from(every) + 1);
        if needed != u64::from(points) {
            let message = format!(
                "{strands} strands of {every} segments have {needed} points; the file says {points}"
            );
            return Err(refuse(8, message));
        }
        vec![every; strands as usize]
    };
    let needed: u64 = segments.iter().map(|&s| u64::from(s) + 1).sum();
    if needed != u64::from(points) {
        let message = format!(
            "the segments of {strands} strands make {needed} points; the file says {points}"
        );
        return Err(refuse(8, message));
    }
    // arrays and defaults
    let hair = Hair {
        segments,
        points: triples(parts[1].1),
        thickness: reals(parts[2].1),
        transparency: reals(parts[3].1),
        colours: triples(parts[4].1),
        default_thickness: real(20),
        default_transparency: real(24),
        default_colour: [real(28), real(32), real(36)],
        information: String::from_utf8_lossy(&bytes[40..HEADER])
            .trim_end_matches('\0')
            .to_owned(),
    };
    // every number must be finite, and no thickness negative
    let numbers = [
        (
            parts[1].0,
            hair.points.as_flattened(),
            "a coordinate",
            f32::MIN,
        ),
        (parts[2].0, &hair.thickness, "a thickness", 0.0),
        (parts[3].0, &hair.transparency, "a transparency", f32::MIN),
        (
            parts[4].0,
            hair.colours.as_flattened(),
            "a colour",
            f32::MIN,
        ),
        (20, &[hair.default_thickness], "the thickness of all", 0.0),
    ];
    for (first, values, what, least) in numbers {
        let bad = |x: &f32| !(x.is_finite() && *x >= least);
        if let Some(i) = values.iter().position(bad) {
            let wanted = if least == 0.0 {
                "at least 0"
            } else {
                "a finite number"
            };
            let message = format!("{what} is {}; wanted {wanted}", values[i]);
            return Err(refuse(first + 4 * i, message));
        }
    }
    Ok(hair)
}

fn four(bytes: &[u8]) -> [u8; 4] {
    let mut all = [0; 4];
    all.copy_from_slice(&bytes[..4]);
    all
}

fn reals(bytes: &[u8]) -> Vec<f32> {
    let words = bytes.as_chunks::<4>().0;
    words.iter().map(|&b| f32::from_le_bytes(b)).collect()
}

fn triples(bytes: &[u8]) -> Vec<[f32; 3]> {
    let words = bytes.as_chunks::<12>().0;
    let triple = |b: &[u8; 12]| [0, 4, 8].map(|k| f32::from_le_bytes(four(&b[k..])));
    words.iter().map(triple).collect()
}

impl Hair {
    /// The strands of a frame, in metres with y up.
    pub fn of(strands: &[FrameStrand]) -> Result<Self, String> {
        let mut hair = Self {
            default_thickness: 1e-4,
            default_colour: crate::appearance::HAIR,
            information: format!(
                "Drystone {}: metres, y up, thickness is a diameter",
                env!("CARGO_PKG_VERSION")
            ),
            ..Self::default()
        };
        let own = strands.iter().any(|strand| strand.colour.is_some());
        for strand in strands {
            let count = strand.points.len().saturating_sub(1);
            let segments = u16::try_from(count).map_err(|_| {
                let name = &strand.name;
                format!("strand `{name}` has {count} segments; the format holds 65535")
            })?;
            hair.segments.push(segments);
            let last = strand.radii.last().copied().unwrap_or(0.5e-4);
            let first = hair.points.len();
            let points = strand.points.iter().map(|p| p.as_vec3().to_array());
            hair.points.extend(points.take(count + 1));
            for i in 0..hair.points.len() - first {
                let radius = strand.radii.get(i).copied().unwrap_or(last);
                hair.thickness.push(2.0 * radius as f32);
            }
            if own {
                hair.colours
                    .resize(hair.points.len(), strand_colour(strand));
            }
        }
        Ok(hair)
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, String> {
        // counts must fit the header and each other
        let count = |what: &str, n: usize| {
            u32::try_from(n).map_err(|_| format!("{n} {what}; the format holds {}", u32::MAX))
        };
        let (strands, points) = (
            count("strands", self.segments.len())?,
            count("points", self.points.len())?,
        );
        let needed: u64 = self.segments.iter().map(|&s| u64::from(s) + 1).sum();
        if needed != u64::from(points) {
            return Err(format!("{needed} points by segments, but {points} points"));
        }
        // strands that are all alike need no list
        let every = self.segments.first().copied().unwrap_or(0);
        let alike = self.segments.iter().all(|&s| s == every);
        let mut flags = POINTS;
        for (bit, there, length) in [
            (SEGMENTS, !alike, self.points.len()),
            (THICKNESS, !self.thickness.is_empty(), self.thickness.len()),
            (
                TRANSPARENCY,
                !self.transparency.is_empty(),
                self.transparency.len(),
            ),
            (COLOURS, !self.colours.is_empty(), self.colours.len()),
        ] {
            if !there {
                continue;
            }
            if length != self.points.len() {
                return Err(format!("{length} values for {points} points"));
            }
            flags |= bit;
        }
        // header
        let mut bytes = MAGIC.to_vec();
        for number in [strands, points, flags, u32::from(every)] {
            bytes.extend(number.to_le_bytes());
        }
        let [red, green, blue] = self.default_colour;
        let defaults = [
            self.default_thickness,
            self.default_transparency,
            red,
            green,
            blue,
        ];
        bytes.extend(defaults.iter().flat_map(|x| x.to_le_bytes()));
        let mut end = self.information.len().min(INFORMATION);
        while !self.information.is_char_boundary(end) {
            end -= 1;
        }
        bytes.extend(&self.information.as_bytes()[..end]);
        bytes.resize(HEADER, 0);
        // arrays, in the order of their bits
        if !alike {
            bytes.extend(self.segments.iter().flat_map(|s| s.to_le_bytes()));
        }
        let rest = [
            self.points.as_flattened(),
            &self.thickness,
            &self.transparency,
            self.colours.as_flattened(),
        ];
        bytes.extend(rest.into_iter().flatten().flat_map(|x| x.to_le_bytes()));
        Ok(bytes)
    }

    /// Makes metres with y up of a file in units of `metre_per_unit` \[m\], whose z axis is up if
    /// `z_up`.
    #[must_use]
    pub fn convert(mut self, metre_per_unit: f64, z_up: bool) -> Self {
        let scale = metre_per_unit as f32;
        for p in &mut self.points {
            let [x, y, z] = p.map(|v| v * scale);
            *p = if z_up { [x, z, -y] } else { [x, y, z] };
        }
        self.thickness.iter_mut().for_each(|t| *t *= scale);
        self.default_thickness *= scale;
        self
    }

    /// The strands as curves called `hair/0`, `hair/1`, ..., the file at `path` taken as metres
    /// with y up. Refuses a strand without a segment.
    pub fn curves(&self, path: impl AsRef<Path>) -> Result<Vec<Curve>, FileError> {
        let mut curves = Vec::with_capacity(self.segments.len());
        let mut first = 0;
        for (i, &segments) in self.segments.iter().enumerate() {
            let end = first + usize::from(segments) + 1;
            if segments == 0 {
                let message = format!("strand {i} has 1 point; wanted at least 2");
                return Err(FileError::new(path, message));
            }
            let thickness = |k: usize| self.thickness.get(k).unwrap_or(&self.default_thickness);
            let radii = (first..end).map(|k| 0.5 * f64::from(*thickness(k)));
            let colour = match self.colours.get(first) {
                Some(colour) => *colour,
                None => self.default_colour,
            };
            curves.push(Curve {
                name: format!("hair/{i}"),
                points: self.points[first..end]
                    .iter()
                    .map(|p| Vec3::from(p.map(f64::from)))
                    .collect(),
                radii: radii.collect(),
                colour: Some(colour.map(f64::from)),
            });
            first = end;
        }
        Ok(curves)
    }
}

/// Writes `hair` at `path`.
pub fn write_hair(path: impl AsRef<Path>, hair: &Hair) -> Result<u64, FileError> {
    let path = path.as_ref();
    let bytes = hair.to_bytes().map_err(|e| FileError::new(path, e))?;
    AtomicFile::create(path)?.commit(|out| out.write_all(&bytes))
}

/// Writes the strands of the last frame as a HAIR file.
pub struct HairSink {
    path: PathBuf,
    file: AtomicFile,
    last: Vec<FrameStrand>,
    frames: usize,
}

impl HairSink {
    /// A file that will stand at `path`.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        Ok(Self {
            path: path.to_owned(),
            file: AtomicFile::create(path)?,
            last: Vec::new(),
            frames: 0,
        })
    }
}

impl Sink for HairSink {
    fn frame(&mut self, frame: &Frame, _: &FrameRecord) -> Result<(), FileError> {
        if frame.strands.is_empty() {
            let message = "the scene has no strands; a .hair file holds nothing else";
            return Err(FileError::new(&self.path, message));
        }
        self.last.clone_from(&frame.strands);
        self.frames = 1;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Written, FileError> {
        let bytes = Hair::of(&self.last).and_then(|hair| hair.to_bytes());
        let bytes = bytes.map_err(|e| FileError::new(&self.path, e))?;
        Ok(Written {
            bytes: self.file.commit(|out| out.write_all(&bytes))?,
            path: self.path,
            frames: self.frames,
        })
    }
}
