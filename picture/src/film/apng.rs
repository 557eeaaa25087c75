//! Animated PNG: frames compressed each on its own, then put into one file.
//!
//! The chunk that says how many frames there are comes first, and is set right at the end.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use crate::Error;
use crate::render::Image;

const SIGNATURE: [u8; 8] = [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n'];

/// An animated PNG being written.
pub(super) struct Apng {
    file: BufWriter<File>,
    /// Offset of the number of frames in the file.
    count_at: u64,
    /// Sequence number of the next animation chunk.
    sequence: u32,
    frames: u32,
    /// Duration of a frame \[ms\].
    delay: u16,
}

impl Apng {
    pub(super) fn create(path: &Path, frame_rate: f64) -> io::Result<Self> {
        Ok(Self {
            file: BufWriter::new(File::create(path)?),
            count_at: 0,
            sequence: 0,
            frames: 0,
            delay: (1000.0 / frame_rate).round().clamp(1.0, 60_000.0) as u16,
        })
    }

    pub(super) fn add(&mut self, image: &Image) -> Result<(), Error> {
        let mut alone = Vec::new();
        image.write_png_to(&mut alone)?;
        self.put(image, &alone).map_err(|error| Error::Png {
            width: image.width,
            height: image.height,
            message: error.to_string(),
        })
    }

    /// Takes over the chunks of a PNG of one frame.
    fn put(&mut self, image: &Image, alone: &[u8]) -> io::Result<()> {
        let mut rest = &alone[SIGNATURE.len()..];
        let mut data = Vec::new();
        let first = self.frames == 0;
        if first {
            self.file.write_all(&SIGNATURE)?;
        }
        while let Some((length, after)) = rest.split_first_chunk::<4>() {
            let length = u32::from_be_bytes(*length) as usize;
            let Some((chunk, after)) = after.split_at_checked(length + 8) else {
                return Err(io::Error::other("the frame's own PNG is cut off"));
            };
            let (kind, content) = (&chunk[..4], &chunk[4..4 + length]);
            match kind {
                b"IDAT" => data.extend(content),
                b"IEND" => break,
                _ if first => {
                    self.chunk(kind, content)?;
                    if kind == b"IHDR" {
                        self.count_at = self.file.stream_position()? + 8;
                        self.chunk(b"acTL", &[0; 8])?;
                    }
                }
                _ => {}
            }
            rest = after;
        }
        let mut control = self.next().to_vec();
        for number in [image.width, image.height, 0, 0] {
            control.extend(number.to_be_bytes());
        }
        control.extend(self.delay.to_be_bytes());
        control.extend(1000u16.to_be_bytes());
        // neither disposed of nor blended: the next one covers it
        control.extend([0, 0]);
        self.chunk(b"fcTL", &control)?;
        if first {
            self.chunk(b"IDAT", &data)?;
        } else {
            let mut numbered = self.next().to_vec();
            numbered.extend(data);
            self.chunk(b"fdAT", &numbered)?;
        }
        self.frames += 1;
        Ok(())
    }

    fn next(&mut self) -> [u8; 4] {
        self.sequence += 1;
        (self.sequence - 1).to_be_bytes()
    }

    fn chunk(&mut self, kind: &[u8], content: &[u8]) -> io::Result<()> {
        self.file.write_all(&(content.len() as u32).to_be_bytes())?;
        self.file.write_all(kind)?;
        self.file.write_all(content)?;
        let sum = checksum(kind.iter().chain(content));
        self.file.write_all(&sum.to_be_bytes())
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        if self.frames == 0 {
            return Err(io::Error::other("there was no frame"));
        }
        self.chunk(b"IEND", &[])?;
        // how many frames, shown again and again
        let mut control = self.frames.to_be_bytes().to_vec();
        control.extend([0; 4]);
        let sum = checksum(b"acTL".iter().chain(&control));
        control.extend(sum.to_be_bytes());
        self.file.seek(SeekFrom::Start(self.count_at))?;
        self.file.write_all(&control)?;
        self.file.flush()?;
        self.file.get_ref().sync_all()
    }
}

/// CRC-32 as PNG wants it (ISO 3309).
fn checksum<'a>(bytes: impl Iterator<Item = &'a u8>) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut i = 0;
        while i < 256 {
            let mut value = i as u32;
            let mut bit = 0;
            while bit < 8 {
                value = (value >> 1) ^ (0xEDB8_8320 & (value & 1).wrapping_neg());
                bit += 1;
            }
            table[i] = value;
            i += 1;
        }
        table
    };
    let step = |sum: u32, byte: &u8| TABLE[usize::from(sum as u8 ^ byte)] ^ (sum >> 8);
    !bytes.fold(u32::MAX, step)
}
