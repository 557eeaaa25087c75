//! Recordings (`.drec`): the frames of a run, to be looked at and exported later.
//!
//! ```text
//! "DRYSTREC"  magic                                              8 bytes, numbers little-endian
//! layout      version of this layout                             4
//! chunks, each:
//!   kind      "SCEN", "CAST", "FRAM" or "INDX"                   4
//!   count     frames in it                                       4
//!   raw       length of the content before compression           8
//!   packed    length as it follows                               8
//!   first     time of the first frame [s]                        8
//!   last      time of the last frame [s]                         8
//!   checksum  blake3 of all of the above and what follows       32
//!   content   zstd
//! end         where "INDX" begins (8), then "DRYSTEND"          16
//! ```
//!
//! `SCEN` comes first: the version of Drystone that wrote it, and the scene as JSON. `CAST` holds what
//! stays: names, radii, colours, triangles; there is another one where that changes. `FRAM` holds
//! some frames with all their numbers, bit for bit (contacts in single precision). Chunks are written as they come: of a run that
//! was killed all whole chunks can be read, and the index is made anew.

mod pack;
mod read;
mod write;

pub use read::{Frames, Recording};
pub use write::RecordSink;

use std::io;

const MAGIC: &[u8; 8] = b"DRYSTREC";
const END: &[u8; 8] = b"DRYSTEND";
/// Version of the layout of recordings.
pub const LAYOUT: u32 = 1;
/// Bytes of a chunk before its content.
const HEADER: usize = 72;
/// Longest content before compression \[bytes\].
const LONGEST_CHUNK: u64 = 4 << 30;

const SCENE: [u8; 4] = *b"SCEN";
const CAST: [u8; 4] = *b"CAST";
const FRAMES: [u8; 4] = *b"FRAM";
const INDEX: [u8; 4] = *b"INDX";

/// Header of a chunk.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Header {
    kind: [u8; 4],
    count: u32,
    raw: u64,
    packed: u64,
    first: f64,
    last: f64,
    checksum: [u8; 32],
}

impl Header {
    fn bytes(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..4].copy_from_slice(&self.kind);
        bytes[4..8].copy_from_slice(&self.count.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.raw.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.packed.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.first.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.last.to_le_bytes());
        bytes[40..].copy_from_slice(&self.checksum);
        bytes
    }

    fn parse(bytes: &[u8; HEADER]) -> Self {
        let eight = |at: usize| {
            let mut part = [0; 8];
            part.copy_from_slice(&bytes[at..at + 8]);
            part
        };
        let mut header = Self {
            kind: [bytes[0], bytes[1], bytes[2], bytes[3]],
            count: u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]),
            raw: u64::from_le_bytes(eight(8)),
            packed: u64::from_le_bytes(eight(16)),
            first: f64::from_le_bytes(eight(24)),
            last: f64::from_le_bytes(eight(32)),
            checksum: [0; 32],
        };
        header.checksum.copy_from_slice(&bytes[40..]);
        header
    }

    /// Checksum of the fields and of `content`.
    fn sum(&self, content: &[u8]) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.bytes()[..40]).update(content);
        *hasher.finalize().as_bytes()
    }

    /// A chunk of `raw` bytes: its header and its content.
    fn chunk(kind: [u8; 4], times: &[f64], raw: &[u8]) -> io::Result<(Self, Vec<u8>)> {
        let content = zstd::bulk::compress(raw, 3)?;
        let mut header = Self {
            kind,
            count: times.len() as u32,
            raw: raw.len() as u64,
            packed: content.len() as u64,
            first: times.first().copied().unwrap_or(0.0),
            last: times.last().copied().unwrap_or(0.0),
            checksum: [0; 32],
        };
        header.checksum = header.sum(&content);
        Ok((header, content))
    }
}
