//! Writing a file so that its name never stands for half of it: write to a temporary name, sync, rename.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::FileError;

/// A file being written beside the place where it will stand. Removed again if not committed.
pub(crate) struct AtomicFile {
    path: PathBuf,
    temporary: PathBuf,
    writer: Option<BufWriter<File>>,
}

impl AtomicFile {
    /// Starts the file that will stand at `path`; what stands there now stays until
    /// [`Self::commit`].
    pub(crate) fn create(path: &Path) -> Result<Self, FileError> {
        let name = path.file_name().ok_or_else(|| {
            FileError::new(path, "this is no file name; wanted one such as `out.usda`")
        })?;
        if path.is_dir() {
            return Err(FileError::new(path, "this is a folder; wanted a file name"));
        }
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.part", std::process::id()));
        let temporary = path.with_file_name(hidden);
        let file = File::create(&temporary).map_err(|e| FileError::io(path, "write", &e))?;
        Ok(Self {
            path: path.to_owned(),
            temporary,
            writer: Some(BufWriter::with_capacity(1 << 18, file)),
        })
    }

    /// Path of the finished file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the file with `fill`, syncs it, and only then renames it. Returns its size.
    pub(crate) fn commit(
        mut self,
        fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<u64, FileError> {
        let written = self.write_and_rename(fill);
        written.map_err(|e| FileError::io(&self.path, "write", &e))
    }

    fn write_and_rename(
        &mut self,
        fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> io::Result<u64> {
        let Some(mut writer) = self.writer.take() else {
            return Err(io::Error::other("already written"));
        };
        fill(&mut writer)?;
        writer.flush()?;
        let file = writer.into_inner().map_err(|e| e.into_error())?;
        file.sync_all()?;
        let bytes = file.metadata()?.len();
        drop(file);
        fs::rename(&self.temporary, &self.path)?;
        self.temporary.clear();
        sync_folder(&self.path)?;
        Ok(bytes)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        self.writer = None;
        if !self.temporary.as_os_str().is_empty() {
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Makes the new name itself survive a power cut; only Unix lets a folder be synced.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().file_name());
        names.map(|n| n.into_string().unwrap()).collect()
    }

    #[test]
    fn the_old_file_stands_until_the_new_one_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "old").unwrap();
        let file = AtomicFile::create(&path).unwrap();
        let failed = file.commit(|w| {
            w.write_all(b"half")?;
            Err(io::Error::other("power cut"))
        });
        assert!(failed.unwrap_err().to_string().contains("power cut"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names(folder.path()), ["a.txt"]);

        drop(AtomicFile::create(&path).unwrap());
        assert_eq!(names(folder.path()), ["a.txt"]);

        let bytes = AtomicFile::create(&path)
            .unwrap()
            .commit(|w| w.write_all(b"new!"))
            .unwrap();
        assert_eq!(bytes, 4);
        assert_eq!(fs::read_to_string(&path).unwrap(), "new!");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn a_folder_or_a_missing_folder_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |path: &Path| AtomicFile::create(path).err().map(|e| e.to_string());
        assert!(refused(folder.path()).unwrap().contains("folder"));
        let missing = refused(&folder.path().join("no/out.usda")).unwrap();
        assert!(missing.contains("no such file or folder"), "{missing}");
    }
}
