//! What has been seen of a run as a file of another program.

use std::path::PathBuf;

use drystone_formats::open_sink;
use drystone_world::{Frame, FrameRecord, Scene};

use crate::source::Complaint;

/// Formats that a page may ask for, besides a page: ending and media type.
pub(crate) const FORMATS: [(&str, &str); 5] = [
    ("usda", "text/plain; charset=utf-8"),
    ("glb", "model/gltf-binary"),
    ("csv", "text/csv; charset=utf-8"),
    ("drec", "application/octet-stream"),
    ("html", "text/html; charset=utf-8"),
];

/// A folder of its own that goes when it is no longer needed.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Self> {
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
        let name = format!("drystone-{:016x}", u64::from_le_bytes(bytes));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // what cannot be removed is left to the system
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The `frames` of `scene` in the format of `ending`.
pub(crate) fn write(
    scene: &Scene,
    ending: &str,
    frames: &mut dyn Iterator<Item = Result<(Frame, FrameRecord), Complaint>>,
) -> Result<Vec<u8>, Complaint> {
    let folder = Folder::new().map_err(Complaint::new)?;
    let path = folder.0.join(format!("run.{ending}"));
    let mut sink = open_sink(&path, scene)?;
    for frame in frames {
        let (frame, record) = frame?;
        sink.frame(&frame, &record)?;
    }
    let written = sink.finish()?;
    std::fs::read(written.path).map_err(Complaint::new)
}
