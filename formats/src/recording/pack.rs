//! Frames to bytes and back, bit for bit but for contacts, which are kept in single precision: there
//! are many, they tremble, and nothing is computed from them.
//!
//! The numbers of a frame are set against those of the frame before (exclusive or of their bits,
//! so that what rests becomes zeros), and the first bytes of all numbers are put together, then the
//! second ones, and so on: slow change leaves most of them alike, which is what zstd looks for.

use std::sync::Arc;

use drystone_base::{Pose, Quat, Vec3};
use drystone_world::{Frame, FrameBody, FrameCloth, FrameContact, FrameRecord, FrameStrand};
use serde::{Deserialize, Serialize};

/// The parts of frames that stay the same over many frames.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Cast {
    pub(super) bodies: Vec<Arc<str>>,
    pub(super) strands: Vec<CastStrand>,
    pub(super) cloths: Vec<CastCloth>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct CastStrand {
    name: Arc<str>,
    points: u32,
    orientations: u32,
    radii: Arc<[f64]>,
    colour: Option<[f64; 3]>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct CastCloth {
    name: Arc<str>,
    points: u32,
    triangles: Arc<[[u32; 3]]>,
    colour: Option<[f64; 3]>,
}

/// Numbers of a body.
const BODY: usize = 13;
/// Number of values stored for a contact.
const CONTACT: usize = 10;

impl Cast {
    pub(super) fn of(frame: &Frame) -> Self {
        let strand = |s: &FrameStrand| CastStrand {
            name: s.name.clone(),
            points: s.points.len() as u32,
            orientations: s.orientations.len() as u32,
            radii: s.radii.clone(),
            colour: s.colour,
        };
        let cloth = |c: &FrameCloth| CastCloth {
            name: c.name.clone(),
            points: c.points.len() as u32,
            triangles: c.triangles.clone(),
            colour: c.colour,
        };
        Self {
            bodies: frame.bodies.iter().map(|body| body.name.clone()).collect(),
            strands: frame.strands.iter().map(strand).collect(),
            cloths: frame.cloths.iter().map(cloth).collect(),
        }
    }

    /// Whether `frame` has just this cast.
    pub(super) fn fits(&self, frame: &Frame) -> bool {
        let lengths = self.bodies.len() == frame.bodies.len()
            && self.strands.len() == frame.strands.len()
            && self.cloths.len() == frame.cloths.len();
        let same_slice = |a: &Arc<[f64]>, b: &Arc<[f64]>| Arc::ptr_eq(a, b) || a == b;
        lengths
            && self
                .bodies
                .iter()
                .zip(&frame.bodies)
                .all(|(a, b)| *a == b.name)
            && self.strands.iter().zip(&frame.strands).all(|(a, b)| {
                a.name == b.name
                    && a.points as usize == b.points.len()
                    && a.orientations as usize == b.orientations.len()
                    && a.colour == b.colour
                    && same_slice(&a.radii, &b.radii)
            })
            && self.cloths.iter().zip(&frame.cloths).all(|(a, b)| {
                a.name == b.name
                    && a.points as usize == b.points.len()
                    && a.colour == b.colour
                    && (Arc::ptr_eq(&a.triangles, &b.triangles) || a.triangles == b.triangles)
            })
    }

    /// Numbers of a frame without its contacts.
    fn numbers(&self) -> usize {
        let strands = self.strands.iter();
        let strands = strands.map(|s| 3 * s.points as usize + 4 * s.orientations as usize);
        let cloths = self.cloths.iter().map(|c| 3 * c.points as usize);
        BODY * self.bodies.len() + strands.sum::<usize>() + cloths.sum::<usize>()
    }
}

/// A frame without its numbers.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Head {
    step: u64,
    visible: Vec<bool>,
    pairs: Vec<[u64; 2]>,
    /// The record as JSON, so that fields can be added.
    record: String,
}

/// Frames that are gathered for a chunk.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) times: Vec<f64>,
    heads: Vec<Head>,
    numbers: Vec<Vec<u64>>,
}

impl Batch {
    pub(super) fn push(&mut self, frame: &Frame, record: &FrameRecord) -> Result<(), String> {
        let mut numbers: Vec<u64> = Vec::new();
        let mut put = |values: &[f64]| numbers.extend(values.iter().map(|x| x.to_bits()));
        for body in &frame.bodies {
            put(&body.pose.position.to_array());
            put(&body.pose.rotation.to_array());
            put(&body.linear_velocity.to_array());
            put(&body.angular_velocity.to_array());
        }
        for strand in &frame.strands {
            strand.points.iter().for_each(|p| put(&p.to_array()));
            strand.orientations.iter().for_each(|q| put(&q.to_array()));
        }
        for cloth in &frame.cloths {
            cloth.points.iter().for_each(|p| put(&p.to_array()));
        }
        let mut put_single = |values: &[f64]| {
            let single = values.iter().map(|&x| f64::from(x as f32).to_bits());
            numbers.extend(single);
        };
        for contact in &frame.contacts {
            put_single(&contact.point.to_array());
            put_single(&contact.normal.to_array());
            put_single(&[contact.distance]);
            put_single(&contact.force.to_array());
        }
        self.times.push(frame.time);
        self.numbers.push(numbers);
        self.heads.push(Head {
            step: frame.step,
            visible: frame.bodies.iter().map(|body| body.visible).collect(),
            pairs: frame
                .contacts
                .iter()
                .map(|c| [c.a as u64, c.b as u64])
                .collect(),
            record: serde_json::to_string(record).map_err(|e| e.to_string())?,
        });
        Ok(())
    }

    /// Length of the content so far, about \[bytes\].
    pub(super) fn len(&self) -> usize {
        self.numbers.iter().map(|n| 8 * n.len()).sum()
    }

    /// The content of a chunk.
    pub(super) fn content(&self) -> Result<Vec<u8>, String> {
        let heads = postcard::to_stdvec(&(&self.times, &self.heads)).map_err(|e| e.to_string())?;
        let mut content = (heads.len() as u64).to_le_bytes().to_vec();
        content.extend(heads);
        let mut words = Vec::with_capacity(self.len() / 8);
        let mut before: &[u64] = &[];
        for numbers in &self.numbers {
            let old = before.iter().copied().chain(std::iter::repeat(0));
            words.extend(numbers.iter().zip(old).map(|(new, old)| new ^ old));
            before = numbers;
        }
        for byte in 0..8 {
            content.extend(words.iter().map(|word| (word >> (8 * byte)) as u8));
        }
        Ok(content)
    }
}

/// The frames in the content of a chunk; says in words what is wrong with it.
pub(super) fn unpack(content: &[u8], cast: &Cast) -> Result<Vec<(Frame, FrameRecord)>, String> {
    let cut = || "it ends too soon".to_owned();
    let (length, rest) = content.split_first_chunk::<8>().ok_or_else(cut)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| cut())?;
    let (heads, planes) = rest.split_at_checked(length).ok_or_else(cut)?;
    let (times, heads): (Vec<f64>, Vec<Head>) =
        postcard::from_bytes(heads).map_err(|e| e.to_string())?;

    let own = cast.numbers();
    let lengths: Vec<usize> = heads
        .iter()
        .map(|head| own + CONTACT * head.pairs.len())
        .collect();
    let count: usize = lengths.iter().sum();
    let sound = |head: &Head| head.visible.len() == cast.bodies.len();
    if planes.len() != 8 * count || times.len() != heads.len() || !heads.iter().all(sound) {
        return Err("its numbers are not those of its cast".to_owned());
    }
    let word = |i: usize| {
        (0..8).fold(0, |word, byte| {
            word | u64::from(planes[byte * count + i]) << (8 * byte)
        })
    };
    let (mut first, mut before) = (0, Vec::new());
    let mut frames = Vec::with_capacity(heads.len());
    for ((head, time), length) in heads.into_iter().zip(times).zip(lengths) {
        let old = |k: usize| before.get(k).copied().unwrap_or(0);
        let numbers: Vec<u64> = (0..length).map(|k| word(first + k) ^ old(k)).collect();
        let record = serde_json::from_str(&head.record).map_err(|e| e.to_string())?;
        frames.push((cast.frame(time, &head, &numbers), record));
        first += length;
        before = numbers;
    }
    Ok(frames)
}

impl Cast {
    /// The frame of these `numbers`, of which there are as many as there should be.
    fn frame(&self, time: f64, head: &Head, numbers: &[u64]) -> Frame {
        // numbers in the order in which they were packed
        let mut rest = numbers.iter().map(|&bits| f64::from_bits(bits));
        let mut next = || rest.next().unwrap_or_default();
        let vector = |next: &mut dyn FnMut() -> f64| Vec3::new(next(), next(), next());
        let turn = |next: &mut dyn FnMut() -> f64| Quat::from_xyzw(next(), next(), next(), next());
        let next = &mut next;
        let bodies = self
            .bodies
            .iter()
            .zip(&head.visible)
            .map(|(name, &visible)| FrameBody {
                name: name.clone(),
                visible,
                pose: Pose {
                    position: vector(next),
                    rotation: turn(next),
                },
                linear_velocity: vector(next),
                angular_velocity: vector(next),
            });
        let bodies = bodies.collect();
        let strands = self.strands.iter().map(|strand| FrameStrand {
            name: strand.name.clone(),
            points: (0..strand.points).map(|_| vector(next)).collect(),
            orientations: (0..strand.orientations).map(|_| turn(next)).collect(),
            radii: strand.radii.clone(),
            colour: strand.colour,
        });
        let strands = strands.collect();
        let cloths = self.cloths.iter().map(|cloth| FrameCloth {
            name: cloth.name.clone(),
            points: (0..cloth.points).map(|_| vector(next)).collect(),
            triangles: cloth.triangles.clone(),
            colour: cloth.colour,
        });
        let cloths = cloths.collect();
        let contacts = head.pairs.iter().map(|&[a, b]| FrameContact {
            a: a as usize,
            b: b as usize,
            point: vector(next),
            normal: vector(next),
            distance: next(),
            force: vector(next),
        });
        Frame {
            time,
            step: head.step,
            bodies,
            strands,
            cloths,
            contacts: contacts.collect(),
        }
    }
}
