//! What has been seen and can be looked at again: encoded frames in order of time, within bounds.

/// Most bytes that the history of a session may take.
const MOST_BYTES: usize = 128 << 20;

/// Encoded frames in order of time.
#[derive(Debug, Default)]
pub(crate) struct History {
    frames: Vec<(f64, Vec<u8>)>,
    bytes: usize,
}

impl History {
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Adds a frame later than all before. Where memory runs out, every second frame of the past
    /// goes: the whole time can still be looked at, in larger steps.
    pub(crate) fn push(&mut self, time: f64, frame: Vec<u8>) {
        self.bytes += frame.len();
        self.frames.push((time, frame));
        while self.bytes > MOST_BYTES && self.frames.len() > 2 {
            let mut index = 0;
            let last = self.frames.len() - 1;
            self.frames.retain(|_| {
                index += 1;
                index % 2 == 1 || index > last
            });
            self.bytes = self.frames.iter().map(|(_, frame)| frame.len()).sum();
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Every frame, in order of time.
    pub(crate) fn frames(&self) -> impl Iterator<Item = &[u8]> {
        self.frames.iter().map(|(_, frame)| frame.as_slice())
    }

    pub(crate) fn first(&self) -> Option<f64> {
        self.frames.first().map(|(time, _)| *time)
    }

    pub(crate) fn last(&self) -> Option<f64> {
        self.frames.last().map(|(time, _)| *time)
    }

    /// The last frame that is not after `time`, or the first of all.
    pub(crate) fn at(&self, time: f64) -> Option<(f64, &[u8])> {
        let after = self.frames.partition_point(|(t, _)| *t <= time + 1e-9);
        let (time, frame) = self.frames.get(after.saturating_sub(1))?;
        Some((*time, frame))
    }

    /// Time of the frame `count` places after (or before) the one at `time`.
    pub(crate) fn beside(&self, time: f64, count: i64) -> Option<f64> {
        let after = self.frames.partition_point(|(t, _)| *t <= time + 1e-9);
        let index = after as i64 - 1 + count;
        let last = self.frames.len() as i64 - 1;
        let index = usize::try_from(index.clamp(0, last.max(0))).ok()?;
        self.frames.get(index).map(|(time, _)| *time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_past_is_found_by_time_and_stays_within_its_memory() {
        let mut history = History::default();
        assert!(history.at(0.0).is_none());
        let frame = vec![0; 1 << 20];
        for k in 0..400 {
            history.push(f64::from(k), frame.clone());
        }
        assert!(history.bytes <= MOST_BYTES);
        assert_eq!((history.first(), history.last()), (Some(0.0), Some(399.0)));
        let (time, _) = history.at(200.5).unwrap_or_default();
        assert!((197.0..=200.5).contains(&time), "{time}");
        assert_eq!(history.beside(399.0, -1000), Some(0.0));
        assert_eq!(history.at(-1.0).map(|(time, _)| time), Some(0.0));
    }
}
