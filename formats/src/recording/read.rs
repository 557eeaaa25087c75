//! A recording as it is looked at.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use drystone_world::{Frame, FrameRecord, Scene};
use serde::{Deserialize, Serialize};

use super::pack::{Cast, unpack};
use super::{CAST, END, FRAMES, HEADER, Header, INDEX, LAYOUT, LONGEST_CHUNK, MAGIC, SCENE};
use crate::FileError;

/// Offset of the first chunk.
const START: u64 = 12;

/// Place of a chunk, and its header.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Entry {
    offset: u64,
    kind: [u8; 4],
    count: u32,
    packed: u64,
    first: f64,
    last: f64,
}

impl Entry {
    pub(super) fn new(offset: u64, header: &Header) -> Self {
        Self {
            offset,
            kind: header.kind,
            count: header.count,
            packed: header.packed,
            first: header.first,
            last: header.last,
        }
    }

    fn end(&self) -> u64 {
        (self.offset + HEADER as u64).saturating_add(self.packed)
    }
}

/// Frames that can be asked for in any order. Nothing is read before it is asked for.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    file: File,
    scene: Scene,
    engine: String,
    /// Chunks with frames: the number of the first, the chunk, and its cast.
    chunks: Vec<(usize, Entry, Entry)>,
    frames: usize,
    complete: bool,
    /// The cast read last, by where it stands.
    cast: Option<(u64, Cast)>,
    /// The chunk read last, by its index.
    open: Option<(usize, Vec<(Frame, FrameRecord)>)>,
}

impl Recording {
    /// Opens the recording at `path`. One that was cut off has the frames of its whole chunks.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let refused = |e: io::Error| FileError::io(path, "read", &e);
        if path.is_dir() {
            return Err(FileError::new(path, "this is a folder; wanted a recording"));
        }
        let mut file = File::open(path).map_err(refused)?;
        let mut start = Vec::new();
        (&mut file)
            .take(START)
            .read_to_end(&mut start)
            .map_err(refused)?;
        if !start.starts_with(MAGIC) {
            let message = "this is no Drystone recording; it does not begin with DRYSTREC";
            return Err(FileError::new(path, message));
        }
        let Some(layout) = start.get(8..12) else {
            return Err(FileError::new(
                path,
                "the recording is cut off before its scene",
            ));
        };
        let layout = u32::from_le_bytes([layout[0], layout[1], layout[2], layout[3]]);
        if layout != LAYOUT {
            let message = format!("the recording has layout {layout}; wanted {LAYOUT}");
            let error = FileError::new(path, message);
            return Err(error.with_help("open it with the version of Drystone that wrote it"));
        }
        let length = file.metadata().map_err(refused)?.len();
        let mut recording = Self {
            path: path.to_owned(),
            file,
            scene: Scene::new(),
            engine: String::new(),
            chunks: Vec::new(),
            frames: 0,
            complete: true,
            cast: None,
            open: None,
        };
        let entries = match recording.index(length) {
            Some(entries) => entries,
            None => {
                recording.complete = false;
                recording.scan(length)?
            }
        };
        recording.arrange(&entries)?;
        Ok(recording)
    }

    /// The scene that was run: generators expanded, meshes and curves read.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Version of Drystone that made it.
    pub fn engine(&self) -> &str {
        &self.engine
    }

    /// Number of frames.
    pub fn len(&self) -> usize {
        self.frames
    }

    /// Whether there is no frame at all.
    pub fn is_empty(&self) -> bool {
        self.frames == 0
    }

    /// Whether the run was recorded to its end, or until somebody stopped it properly.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Times of the first and the last frame \[s\].
    pub fn times(&self) -> Option<(f64, f64)> {
        let (first, last) = (self.chunks.first()?, self.chunks.last()?);
        Some((first.1.first, last.1.last))
    }

    /// Frame number `i`, counted from 0, and its numbers.
    pub fn frame(&mut self, i: usize) -> Result<(Frame, FrameRecord), FileError> {
        if i >= self.frames {
            let message = format!("there is no frame {i}; there are {} frames", self.frames);
            return Err(FileError::new(&self.path, message));
        }
        let chunk = self.chunks.partition_point(|(first, ..)| *first <= i) - 1;
        let first = self.chunks[chunk].0;
        let frames = self.chunk_frames(chunk)?;
        Ok(frames[i - first].clone())
    }

    /// All frames in turn, with their numbers.
    pub fn frames(&mut self) -> Frames<'_> {
        Frames {
            recording: self,
            next: 0,
        }
    }

    /// Number of the frame nearest to `time` \[s\].
    pub fn nearest(&mut self, time: f64) -> Result<usize, FileError> {
        if self.frames == 0 {
            return Err(FileError::new(&self.path, "the recording has no frame"));
        }
        let at = self
            .chunks
            .partition_point(|(_, chunk, _)| chunk.first <= time);
        // the frame is in the last chunk that begins before, or is the first of the next one
        let mut best = (f64::INFINITY, 0);
        for chunk in at.saturating_sub(1)..(at + 1).min(self.chunks.len()) {
            let first = self.chunks[chunk].0;
            for (k, (frame, _)) in self.chunk_frames(chunk)?.iter().enumerate() {
                let away = (frame.time - time).abs();
                if away < best.0 {
                    best = (away, first + k);
                }
            }
        }
        Ok(best.1)
    }

    fn chunk_frames(&mut self, i: usize) -> Result<&[(Frame, FrameRecord)], FileError> {
        if self.open.as_ref().is_none_or(|(open, _)| *open != i) {
            let (_, entry, cast) = self.chunks[i];
            if self.cast.as_ref().is_none_or(|(at, _)| *at != cast.offset) {
                let content = self.content(&cast)?;
                let read: Cast = postcard::from_bytes(&content)
                    .map_err(|e| self.damaged(&cast, &e.to_string()))?;
                self.cast = Some((cast.offset, read));
            }
            let content = self.content(&entry)?;
            let unpacked = match &self.cast {
                Some((_, cast)) => unpack(&content, cast),
                None => Err("its cast is missing".to_owned()),
            };
            let frames = unpacked.map_err(|e| self.damaged(&entry, &e))?;
            if frames.len() != entry.count as usize {
                return Err(self.damaged(&entry, "it has another number of frames than it says"));
            }
            self.open = Some((i, frames));
        }
        Ok(self.open.as_ref().map_or(&[], |(_, frames)| frames))
    }

    fn damaged(&self, entry: &Entry, what: &str) -> FileError {
        let (kind, at) = (String::from_utf8_lossy(&entry.kind), entry.offset);
        let mut message = format!("the recording is damaged: chunk {kind} at byte {at}: {what}");
        if entry.kind == FRAMES {
            message += &format!(" (frames from {} s to {} s)", entry.first, entry.last);
        }
        FileError::new(&self.path, message)
    }

    /// The header at `offset`, if it is one.
    fn header(&mut self, offset: u64) -> io::Result<Header> {
        let mut bytes = [0; HEADER];
        self.file.seek(SeekFrom::Start(offset))?;
        self.file.read_exact(&mut bytes)?;
        Ok(Header::parse(&bytes))
    }

    /// The content of a chunk, after checking all of it.
    fn content(&mut self, entry: &Entry) -> Result<Vec<u8>, FileError> {
        let read = |recording: &mut Self| -> io::Result<(Header, Vec<u8>)> {
            let header = recording.header(entry.offset)?;
            // as much as there is, whatever the header promises
            let mut packed = Vec::new();
            (&mut recording.file)
                .take(header.packed)
                .read_to_end(&mut packed)?;
            Ok((header, packed))
        };
        let (header, packed) = read(self).map_err(|e| match e.kind() {
            io::ErrorKind::UnexpectedEof => self.damaged(entry, "it is cut off"),
            _ => FileError::io(&self.path, "read", &e),
        })?;
        if (packed.len() as u64) < header.packed {
            return Err(self.damaged(entry, "it is cut off"));
        }
        if header.sum(&packed) != header.checksum || header.kind != entry.kind {
            return Err(self.damaged(entry, "its checksum is not that of its content"));
        }
        if header.raw > LONGEST_CHUNK {
            return Err(self.damaged(entry, "it claims to be longer than 4 GiB"));
        }
        let mut raw = Vec::new();
        let unpacked = zstd::stream::read::Decoder::new(&packed[..])
            .and_then(|decoder| decoder.take(header.raw + 1).read_to_end(&mut raw));
        unpacked.map_err(|e| self.damaged(entry, &e.to_string()))?;
        if raw.len() as u64 != header.raw {
            return Err(self.damaged(entry, "its length is not what it says"));
        }
        Ok(raw)
    }

    /// The index at the end of a recording of `length` bytes, if there is a sound one.
    fn index(&mut self, length: u64) -> Option<Vec<Entry>> {
        let mut end = [0; 16];
        self.file
            .seek(SeekFrom::Start(length.checked_sub(16)?))
            .ok()?;
        self.file.read_exact(&mut end).ok()?;
        let (offset, magic) = end.split_first_chunk::<8>()?;
        let offset = u64::from_le_bytes(*offset);
        if magic != END || offset < START {
            return None;
        }
        let header = self.header(offset).ok().filter(|h| h.kind == INDEX)?;
        let content = self.content(&Entry::new(offset, &header)).ok()?;
        let entries: Vec<Entry> = postcard::from_bytes(&content).ok()?;
        let inside = |e: &Entry| e.offset >= START && e.end() <= length;
        entries.iter().all(inside).then_some(entries)
    }

    /// Finds all complete chunks from the start of the file.
    fn scan(&mut self, length: u64) -> Result<Vec<Entry>, FileError> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut offset = START;
        while offset + HEADER as u64 <= length {
            let header = self.header(offset);
            let header = header.map_err(|e| FileError::io(&self.path, "read", &e))?;
            let entry = Entry::new(offset, &header);
            let known = [SCENE, CAST, FRAMES, INDEX].contains(&header.kind);
            // whatever follows a chunk that is not whole cannot be found
            if !known || entry.end() > length || self.content(&entry).is_err() {
                break;
            }
            offset = entry.end();
            entries.push(entry);
        }
        Ok(entries)
    }

    /// Reads the scene and sorts the chunks.
    fn arrange(&mut self, entries: &[Entry]) -> Result<(), FileError> {
        let scene = entries.first().filter(|entry| entry.kind == SCENE);
        let Some(scene) = scene else {
            let message = "the recording is cut off or damaged before the end of its scene";
            return Err(FileError::new(&self.path, message));
        };
        let content = self.content(scene)?;
        let named = content
            .split_first()
            .and_then(|(n, rest)| rest.split_at_checked(usize::from(*n)));
        let (engine, json) = named.ok_or_else(|| self.damaged(scene, "it ends too soon"))?;
        self.engine = String::from_utf8_lossy(engine).into_owned();
        self.scene = serde_json::from_slice(json).map_err(|e| {
            let ours = env!("CARGO_PKG_VERSION");
            let by = format!(
                "it was written by Drystone {}, this is {ours}: {e}",
                self.engine
            );
            self.damaged(scene, &by)
        })?;
        let mut cast = None;
        for entry in entries {
            match (entry.kind, cast) {
                (CAST, _) => cast = Some(*entry),
                (FRAMES, Some(cast)) if entry.count > 0 => {
                    self.chunks.push((self.frames, *entry, cast));
                    self.frames += entry.count as usize;
                }
                (FRAMES, _) => {
                    return Err(self.damaged(entry, "nothing says what is in its frames"));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// The frames of a recording in turn.
pub struct Frames<'a> {
    recording: &'a mut Recording,
    next: usize,
}

impl Iterator for Frames<'_> {
    type Item = Result<(Frame, FrameRecord), FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.recording.len() {
            return None;
        }
        let frame = self.recording.frame(self.next);
        // nothing can be said about what comes after damage
        self.next = match frame {
            Ok(_) => self.next + 1,
            Err(_) => usize::MAX,
        };
        Some(frame)
    }
}
