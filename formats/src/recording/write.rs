//! A recording as it is made.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use drystone_world::{Frame, FrameRecord, Scene};

use super::pack::{Batch, Cast};
use super::read::Entry;
use super::{CAST, END, FRAMES, Header, INDEX, LAYOUT, MAGIC, SCENE};
use crate::{FileError, Sink, Written};

/// Frames in a chunk.
const MOST_FRAMES: usize = 24;
/// Content of a chunk before compression, about \[bytes\].
const LARGEST: usize = 4 << 20;
/// Longest that a frame waits for its chunk.
const PATIENCE: Duration = Duration::from_secs(5);

/// Records frames as they come.
pub struct RecordSink {
    path: PathBuf,
    file: File,
    /// Length of the file.
    at: u64,
    cast: Option<Cast>,
    batch: Batch,
    index: Vec<Entry>,
    frames: usize,
    since: Instant,
}

impl RecordSink {
    /// Starts the recording of a run of `scene`; what stood at `path` is gone. The scene can be
    /// read from then on.
    pub fn create(path: impl AsRef<Path>, scene: &Scene) -> Result<Self, FileError> {
        let path = path.as_ref();
        let file = File::create(path).map_err(|e| FileError::io(path, "write", &e))?;
        let mut sink = Self {
            path: path.to_owned(),
            file,
            at: 0,
            cast: None,
            batch: Batch::default(),
            index: Vec::new(),
            frames: 0,
            since: Instant::now(),
        };
        let mut start = MAGIC.to_vec();
        start.extend(LAYOUT.to_le_bytes());
        sink.write(&start)?;
        let engine = env!("CARGO_PKG_VERSION");
        let mut content = vec![engine.len() as u8];
        content.extend(engine.as_bytes());
        serde_json::to_writer(&mut content, scene).map_err(|e| sink.failed(&e))?;
        sink.chunk(SCENE, &[], &content)?;
        Ok(sink)
    }

    fn failed(&self, error: &dyn std::fmt::Display) -> FileError {
        FileError::new(&self.path, format!("cannot record: {error}"))
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        let written: io::Result<()> = self.file.write_all(bytes);
        written.map_err(|e| FileError::io(&self.path, "write", &e))?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    /// Writes a chunk with one call, so that it is there as a whole or not at all, as far as that
    /// is up to us.
    fn chunk(&mut self, kind: [u8; 4], times: &[f64], raw: &[u8]) -> Result<(), FileError> {
        let (header, content) = Header::chunk(kind, times, raw).map_err(|e| self.failed(&e))?;
        let offset = self.at;
        let mut bytes = header.bytes().to_vec();
        bytes.extend(content);
        self.write(&bytes)?;
        self.index.push(Entry::new(offset, &header));
        Ok(())
    }

    /// Writes the frames that wait.
    fn flush(&mut self) -> Result<(), FileError> {
        if self.batch.times.is_empty() {
            return Ok(());
        }
        let batch = std::mem::take(&mut self.batch);
        let content = batch.content().map_err(|e| self.failed(&e))?;
        self.since = Instant::now();
        self.chunk(FRAMES, &batch.times, &content)
    }
}

impl Sink for RecordSink {
    fn frame(&mut self, frame: &Frame, record: &FrameRecord) -> Result<(), FileError> {
        if !self.cast.as_ref().is_some_and(|cast| cast.fits(frame)) {
            self.flush()?;
            let cast = Cast::of(frame);
            let content = postcard::to_stdvec(&cast).map_err(|e| self.failed(&e))?;
            self.chunk(CAST, &[], &content)?;
            self.cast = Some(cast);
        }
        if self.batch.times.is_empty() {
            self.since = Instant::now();
        }
        self.batch
            .push(frame, record)
            .map_err(|e| self.failed(&e))?;
        self.frames += 1;
        let full = self.batch.times.len() >= MOST_FRAMES || self.batch.len() >= LARGEST;
        match full || self.since.elapsed() > PATIENCE {
            true => self.flush(),
            false => Ok(()),
        }
    }

    fn finish(mut self: Box<Self>) -> Result<Written, FileError> {
        self.flush()?;
        let offset = self.at;
        let index = postcard::to_stdvec(&self.index).map_err(|e| self.failed(&e))?;
        self.chunk(INDEX, &[], &index)?;
        let mut end = offset.to_le_bytes().to_vec();
        end.extend(END);
        self.write(&end)?;
        let synced = self.file.sync_all();
        synced.map_err(|e| FileError::io(&self.path, "write", &e))?;
        Ok(Written {
            path: self.path,
            bytes: self.at,
            frames: self.frames,
        })
    }
}
