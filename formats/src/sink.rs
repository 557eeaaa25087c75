//! Where frames go: one trait, one file per format.

use std::path::{Path, PathBuf};

use drystone_world::{Frame, FrameRecord, Scene, nearest};

use crate::FileError;
use crate::csv::CsvSink;
use crate::gltf::GltfSink;
use crate::hair::HairSink;
use crate::obj::ObjSink;
use crate::recording::RecordSink;
use crate::usd::UsdSink;

/// Something that takes the frames of a run, in order of time.
pub trait Sink: Send {
    /// Takes one frame and its numbers.
    fn frame(&mut self, frame: &Frame, record: &FrameRecord) -> Result<(), FileError>;

    /// Completes the file with the frames so far; without it, only CSV, sequences and recordings leave something.
    fn finish(self: Box<Self>) -> Result<Written, FileError>;
}

/// A file that is whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Path of the file.
    pub path: PathBuf,
    /// Length of the file in bytes.
    pub bytes: u64,
    /// Number of frames in the file.
    pub frames: usize,
}

/// Extensions that [`open_sink`] knows.
pub const EXTENSIONS: [&str; 6] = ["usda", "glb", "csv", "obj", "hair", "drec"];

/// The sink that writes `path`, chosen by its extension: `.usda`, `.glb` (bodies alone), `.csv`,
/// `.obj` (a sequence if there is a `#` in its name), `.hair` (strands of the last frame) or `.drec`
/// (a recording). Fails at once if nothing can be written there.
pub fn open_sink(path: impl AsRef<Path>, scene: &Scene) -> Result<Box<dyn Sink>, FileError> {
    let path = path.as_ref();
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    Ok(match extension.as_deref() {
        Some("usda") => Box::new(UsdSink::create(path, scene)?),
        Some("glb") => Box::new(GltfSink::create(path, scene)?),
        Some("csv") => Box::new(CsvSink::create(path)?),
        Some("obj") => Box::new(ObjSink::create(path, scene)?),
        Some("hair") => Box::new(HairSink::create(path)?),
        Some("drec") => Box::new(RecordSink::create(path, scene)?),
        other => {
            let found = match other {
                Some(other) => format!("the extension is `.{other}`"),
                None => "the name has no extension".to_owned(),
            };
            let error = FileError::new(
                path,
                format!("{found}; wanted .usda, .glb, .csv, .obj, .hair or .drec"),
            );
            return Err(match other.and_then(|other| nearest(other, EXTENSIONS)) {
                Some(near) => error.with_help(format!("did you mean `.{near}`?")),
                None => error,
            });
        }
    })
}
