//! A recorded run: nothing is simulated, every moment of it can be shown.

use std::path::Path;

use drystone_formats::Recording;
use drystone_rigid::Graph;
use drystone_world::{Frame, FrameRecord, Scene, World};

use crate::source::Complaint;
use crate::wire::{Header, Known, Numbers, encode};

/// Ending of recordings.
pub(crate) const ENDING: &str = "drec";

pub(crate) struct Player {
    recording: Recording,
    /// Times of the first and the last frame \[s\].
    pub(crate) first: f64,
    pub(crate) last: f64,
}

impl Player {
    pub(crate) fn open(path: &Path) -> Result<Self, Complaint> {
        let recording = Recording::open(path)?;
        let (first, last) = recording
            .times()
            .ok_or_else(|| Complaint::new("the recording has no frame"))?;
        Ok(Self {
            recording,
            first,
            last,
        })
    }

    /// The scene that was run.
    pub(crate) fn scene(&self) -> &Scene {
        self.recording.scene()
    }

    /// Time of the frame `count` places after (or before) the one at `time` \[s\].
    pub(crate) fn beside(&mut self, time: f64, count: i64) -> Option<f64> {
        let time = time.clamp(self.first, self.last);
        let index = self.recording.nearest(time).ok()? as i64 + count;
        let last = self.recording.len() as i64 - 1;
        let index = usize::try_from(index.clamp(0, last)).ok()?;
        Some(self.recording.frame(index).ok()?.0.time)
    }

    /// Number of frames.
    pub(crate) fn len(&self) -> usize {
        self.recording.len()
    }

    /// Frame `index` as it was recorded.
    pub(crate) fn recorded(&mut self, index: usize) -> Result<(Frame, FrameRecord), Complaint> {
        Ok(self.recording.frame(index)?)
    }

    /// The frame nearest to `time` \[s\] as bytes; `world` knows what things are.
    pub(crate) fn frame(
        &mut self,
        time: f64,
        world: &World,
        header: &Header,
        kinds: u8,
    ) -> Result<Vec<u8>, Complaint> {
        let index = self.recording.nearest(time)?;
        let (frame, record) = self.recording.frame(index)?;
        let mut graph = Graph::default();
        Ok(encode(
            &frame,
            Known::Recorded(world),
            header,
            &numbers(&record),
            kinds,
            &mut graph,
        ))
    }
}

/// What plots show of a recorded frame.
pub(crate) fn numbers(record: &FrameRecord) -> Numbers {
    Numbers {
        kinetic: record.kinetic_energy,
        potential: record.potential_energy,
        penetration: record.deepest_penetration,
        contacts: record.contacts as f64,
        step_ms: 1e3 * record.step_seconds,
        collision_ms: 1e3 * record.collision_seconds,
        dynamics_ms: 1e3 * (record.step_seconds - record.collision_seconds),
        moving: record.bodies as f64,
        events: record.cloth.events.iter().sum::<u64>() as f64,
        ..Numbers::default()
    }
}
