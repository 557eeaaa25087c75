//! Contact problems in files: Siconos `.dat`, OpenTissue's `dlm` folder, FCLIB's HDF5 and our
//! own text, so that solvers can be compared on each other's problems.

pub mod dlm;
#[cfg(feature = "hdf5")]
pub mod fclib;
pub mod own;
pub mod siconos;
mod words;

use std::path::Path;

use drystone_complementarity::ContactProblem;

use crate::FileError;
use crate::atomic_file::AtomicFile;
use crate::toml::{read_bytes, read_text};

/// Longest problem file \[bytes\].
pub const LONGEST_FILE: u64 = 512 << 20;

/// First bytes of every HDF5 file.
const HDF5: &[u8] = b"\x89HDF\r\n\x1a\n";

/// Reads the contact problem at `path`, whatever its format: a folder is OpenTissue's, HDF5 is
/// FCLIB's, text is ours if it says so and otherwise Siconos'.
pub fn read_problem(path: impl AsRef<Path>) -> Result<ContactProblem, FileError> {
    let path = path.as_ref();
    if path.is_dir() {
        return dlm::read(path);
    }
    if starts_with(path, HDF5)? {
        return read_hdf5(path);
    }
    let text = read_text(path, LONGEST_FILE)?;
    match text.split_whitespace().next() {
        Some(own::MARK) => own::parse(&text, path),
        Some(word) if word.bytes().all(|c| c.is_ascii_digit()) => siconos::parse(&text, path),
        found => {
            let found = found.unwrap_or("nothing at all");
            let start = text.find(found).unwrap_or(0);
            let shown: String = found.chars().take(40).collect();
            let message = format!(
                "the file begins with `{shown}`; wanted `{}` or the dimension of a Siconos problem",
                own::MARK
            );
            Err(FileError::new(path, message).at(&text, start..start + shown.len()))
        }
    }
}

/// Writes `problem` to `path`: Siconos' format for `.dat`, OpenTissue's into a folder that is
/// there or is called `.dlm`, otherwise ours. Only ours keeps all that is known; a factored
/// problem is assembled for the others.
pub fn write_problem(path: impl AsRef<Path>, problem: &ContactProblem) -> Result<(), FileError> {
    let path = path.as_ref();
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    problem
        .check()
        .map_err(|e| FileError::new(path, format!("will not be written: {e}")))?;
    match extension.to_ascii_lowercase().as_str() {
        "hdf5" | "h5" => {
            let message = format!("`.{extension}` is FCLIB's format, which is only read");
            Err(FileError::new(path, message)
                .with_help("write `.dat`, a folder, or `.problem` instead"))
        }
        "dlm" => dlm::write(path, problem),
        _ if path.is_dir() => dlm::write(path, problem),
        "dat" => write_text(path, &siconos::write(problem)),
        _ => write_text(path, &own::write(problem)),
    }
}

/// The name a problem has from its file: without folders and endings.
fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    let mut name = name.to_string_lossy().into_owned();
    for ending in [".dat", ".hdf5", ".h5", ".dlm", ".problem", ".hdf5"] {
        if name.len() > ending.len() && name.ends_with(ending) {
            name.truncate(name.len() - ending.len());
        }
    }
    name
}

fn write_text(path: &Path, text: &str) -> Result<(), FileError> {
    let file = AtomicFile::create(path)?;
    file.commit(|file| std::io::Write::write_all(file, text.as_bytes()))?;
    Ok(())
}

fn starts_with(path: &Path, bytes: &[u8]) -> Result<bool, FileError> {
    use std::io::Read;
    let refused = |e: std::io::Error| FileError::io(path, "read", &e);
    let mut found = Vec::new();
    let file = std::fs::File::open(path).map_err(refused)?;
    let start = file.take(bytes.len() as u64).read_to_end(&mut found);
    start.map_err(refused)?;
    Ok(found == bytes)
}

#[cfg(feature = "hdf5")]
fn read_hdf5(path: &Path) -> Result<ContactProblem, FileError> {
    fclib::parse(read_bytes(path, LONGEST_FILE)?, path)
}

#[cfg(not(feature = "hdf5"))]
fn read_hdf5(path: &Path) -> Result<ContactProblem, FileError> {
    // whether it can be read at all comes first
    read_bytes(path, LONGEST_FILE)?;
    let message = "this is an HDF5 file; wanted a format that this build reads";
    Err(FileError::new(path, message).with_help("build with the feature `hdf5` to read it"))
}
