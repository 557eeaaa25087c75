//! What a run is measured by, one line per output frame, as comma-separated values.
//!
//! The first line names the columns with their units ([`HEADER`]). Lines are flushed as they
//! come, so that even a killed run leaves what it had measured.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use drystone_world::{Frame, FrameRecord};

use crate::{FileError, Sink, Written};

/// The columns: see [`FrameRecord`] for what each means.
pub const HEADER: &str = "time [s],step,bodies,contacts,kinetic energy [J],potential energy [J],\
deepest penetration [m],mean penetration [m],largest displacement [m],\
largest horizontal displacement [m],largest speed [m/s],\
momentum x [kg m/s],momentum y [kg m/s],momentum z [kg m/s],\
step time [s],collision time [s]";

/// One record as a line without its end, columns as in [`HEADER`]. Numbers read back exactly.
pub fn row(record: &FrameRecord) -> String {
    let r = record;
    let [x, y, z] = r.momentum;
    let head = format!("{},{},{},{}", r.time, r.step, r.bodies, r.contacts);
    let rest = [
        r.kinetic_energy,
        r.potential_energy,
        r.deepest_penetration,
        r.mean_penetration,
        r.largest_displacement,
        r.largest_horizontal_displacement,
        r.largest_speed,
        x,
        y,
        z,
        r.step_seconds,
        r.collision_seconds,
    ];
    rest.iter().fold(head, |line, x| format!("{line},{x:e}"))
}

/// Writes records as they come.
pub struct CsvSink {
    path: PathBuf,
    writer: BufWriter<File>,
    bytes: u64,
    frames: usize,
}

impl CsvSink {
    /// Starts the file with its header; what stood there is gone.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let file = File::create(path).map_err(|e| FileError::io(path, "write", &e))?;
        let mut sink = Self {
            path: path.to_owned(),
            writer: BufWriter::new(file),
            bytes: 0,
            frames: 0,
        };
        sink.line(HEADER)?;
        Ok(sink)
    }

    fn line(&mut self, line: &str) -> Result<(), FileError> {
        let written = writeln!(self.writer, "{line}").and_then(|()| self.writer.flush());
        self.bytes += line.len() as u64 + 1;
        written.map_err(|e| FileError::io(&self.path, "write", &e))
    }
}

impl Sink for CsvSink {
    fn frame(&mut self, _: &Frame, record: &FrameRecord) -> Result<(), FileError> {
        self.frames += 1;
        self.line(&row(record))
    }

    fn finish(mut self: Box<Self>) -> Result<Written, FileError> {
        let synced = self
            .writer
            .flush()
            .and_then(|()| self.writer.get_ref().sync_all());
        synced.map_err(|e| FileError::io(&self.path, "write", &e))?;
        Ok(Written {
            path: self.path,
            bytes: self.bytes,
            frames: self.frames,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_line_has_a_value_for_every_column() {
        let record = FrameRecord {
            time: 0.1 + 0.2,
            kinetic_energy: 1.0 / 3.0,
            momentum: [1.0, -2.5e-17, 3e8],
            ..FrameRecord::default()
        };
        let line = row(&record);
        let values: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
        assert_eq!(values.len(), HEADER.split(',').count());
        assert_eq!((values[0], values[4]), (0.1 + 0.2, 1.0 / 3.0));
        assert_eq!(values[11..14], record.momentum);
    }
}
