//! Frames back from their bytes: what has been seen of a live run, to be written to a file.

use drystone_base::{Pose, Quat, Vec3};
use drystone_world::{Frame, FrameRecord};

use crate::diagnostics::carried_frames;
use crate::wire::{HEADER, kinds};

/// Reads numbers one after another; zeros where there are none left.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let Some((head, rest)) = self.0.split_first_chunk::<N>() else {
            self.0 = &[];
            return [0; N];
        };
        self.0 = rest;
        *head
    }

    fn skip(&mut self, count: usize) {
        self.0 = self.0.get(count..).unwrap_or_default();
    }

    fn word(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    fn float(&mut self) -> f64 {
        f64::from(f32::from_le_bytes(self.take()))
    }

    fn double(&mut self) -> f64 {
        f64::from_le_bytes(self.take())
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.float(), self.float(), self.float())
    }
}

/// The frame in `bytes`, as exact as single precision has it; names, colours and triangles are those of
/// `like`, another frame of the same world. Velocities are not kept.
pub(crate) fn unpack(bytes: &[u8], like: &Frame) -> (Frame, FrameRecord) {
    // header
    let mut frame = like.clone();
    frame.contacts.clear();
    let mut reader = Reader(bytes);
    let [_, _, present, _] = reader.take();
    reader.skip(4);
    frame.step = u64::from(reader.word());
    let bodies = reader.word() as usize;
    frame.time = reader.double();
    reader.skip(16);
    let origin = Vec3::new(reader.double(), reader.double(), reader.double());
    let mut record = FrameRecord {
        time: frame.time,
        step: frame.step,
        kinetic_energy: reader.float(),
        potential_energy: reader.float(),
        deepest_penetration: reader.float(),
        contacts: reader.float() as usize,
        ..FrameRecord::default()
    };
    // poses and states of bodies
    let mut reader = Reader(bytes.get(HEADER..).unwrap_or_default());
    let pose = |reader: &mut Reader<'_>| {
        let position = origin + reader.vector();
        let [x, y, z, w] = [0; 4].map(|_| reader.float());
        let turn = Quat::from_xyzw(x, y, z, w);
        let unit = turn.length_squared() > 0.5;
        Pose::new(
            position,
            if unit {
                turn.normalize()
            } else {
                Quat::IDENTITY
            },
        )
    };
    let poses: Vec<Pose> = (0..bodies).map(|_| pose(&mut reader)).collect();
    let states: Vec<u8> = (0..bodies).map(|_| reader.take::<1>()[0]).collect();
    reader.skip(bodies.next_multiple_of(4) - bodies);
    for (i, body) in frame.bodies.iter_mut().enumerate() {
        // a body that was thrown in later had not come yet
        body.visible = states.get(i).is_some_and(|state| state & 1 != 0);
        body.pose = poses.get(i).copied().unwrap_or(body.pose);
        (body.linear_velocity, body.angular_velocity) = (Vec3::ZERO, Vec3::ZERO);
    }
    record.bodies = frame.bodies.iter().filter(|body| body.visible).count();
    // kinds that a frame does not keep
    if present & kinds::VELOCITIES != 0 {
        reader.skip(24 * bodies);
    }
    if present & kinds::GRAPH != 0 {
        reader.skip(8 * bodies);
    }
    if present & kinds::CONTACTS != 0 {
        let count = reader.word() as usize;
        reader.skip(40 * count);
    }
    // points of strands and cloth
    let curves = |reader: &mut Reader<'_>, kind: u8| -> Vec<Vec<Vec3>> {
        let count = if present & kind == 0 {
            0
        } else {
            reader.word()
        };
        let points = |reader: &mut Reader<'_>| {
            let count = reader.word();
            (0..count).map(|_| origin + reader.vector()).collect()
        };
        (0..count).map(|_| points(reader)).collect()
    };
    for (strand, points) in frame
        .strands
        .iter_mut()
        .zip(curves(&mut reader, kinds::STRANDS))
    {
        strand.orientations = carried_frames(&points);
        strand.points = points;
    }
    for (cloth, points) in frame
        .cloths
        .iter_mut()
        .zip(curves(&mut reader, kinds::CLOTHS))
    {
        cloth.points = points;
    }
    (frame, record)
}
