//! Where scenes come from: the gallery, or files of one folder and nowhere else.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use drystone_formats::{FileError, explain, read_scene};
use drystone_gallery::Entry;
use drystone_world::{Scene, SceneError};
use serde::Serialize;

use crate::player::{self, Player};

/// Where a scene comes from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Gallery(&'static Entry),
    File(PathBuf),
}

/// What is wrong with a scene, for the page.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Complaint {
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u32>,
    pub(crate) column: Option<u32>,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    /// The lines around the place, numbered.
    pub(crate) excerpt: Vec<(usize, String)>,
}

impl Complaint {
    pub(crate) fn new(message: impl ToString) -> Self {
        Self {
            message: message.to_string(),
            ..Self::default()
        }
    }
}

impl From<FileError> for Complaint {
    fn from(error: FileError) -> Self {
        // a page need not know where on the disk the folder is
        let name = Path::new(&error.file).file_name();
        let file = name.map_or(error.file.clone(), |name| {
            name.to_string_lossy().into_owned()
        });
        let excerpt = error.place.as_ref().map_or(Vec::new(), |place| {
            let lines = place.text.lines().enumerate();
            lines
                .map(|(k, line)| (k + 1, line.chars().take(200).collect()))
                .filter(|(number, _)| number.abs_diff(place.line) <= 2)
                .collect()
        });
        Self {
            file: Some(file),
            line: error.line().map(|line| line as u32),
            column: error.column().map(|column| column as u32),
            message: error.message,
            help: error.help,
            excerpt,
        }
    }
}

/// Endings of scene files and recordings.
const ENDINGS: [&str; 3] = ["toml", "json", player::ENDING];

impl Source {
    /// The scene of the gallery called `name`, or the file of that name in `folder`: a bare file
    /// name, of a file that is really there and not a link to somewhere else.
    pub(crate) fn find(name: &str, folder: Option<&Path>) -> Option<Self> {
        if let Some(entry) = drystone_gallery::find(name) {
            return Some(Self::Gallery(entry));
        }
        let bare = Path::new(name).file_name()? == name && !name.starts_with('.');
        let path = folder?.join(name);
        let known = path.extension().is_some_and(|ending| {
            ENDINGS
                .iter()
                .any(|known| ending.eq_ignore_ascii_case(known))
        });
        if !bare || !known {
            return None;
        }
        // an error about a file that has just been removed is for the reader to find
        match (path.canonicalize(), folder?.canonicalize()) {
            (Ok(real), Ok(folder)) => (real.parent()? == folder).then_some(Self::File(path)),
            _ => None,
        }
    }

    /// The scene as it is written now.
    pub(crate) fn read(&self) -> Result<Scene, Complaint> {
        match self {
            Self::Gallery(entry) => Ok((entry.build)()),
            Self::File(path) if self.is_recording() => Ok(Player::open(path)?.scene().clone()),
            Self::File(path) => {
                let mut scene = read_scene(path)?;
                if scene.name.is_empty() {
                    scene.name = self.name();
                }
                Ok(scene)
            }
        }
    }

    /// Whether it is a recorded run.
    pub(crate) fn is_recording(&self) -> bool {
        match self {
            Self::Gallery(_) => false,
            Self::File(path) => path
                .extension()
                .is_some_and(|ending| ending.eq_ignore_ascii_case(player::ENDING)),
        }
    }

    /// The recording, if it is one.
    pub(crate) fn player(&self) -> Result<Option<Player>, Complaint> {
        match self {
            Self::File(path) if self.is_recording() => Ok(Some(Player::open(path)?)),
            _ => Ok(None),
        }
    }

    /// `error` with its place in the file, if there is one.
    pub(crate) fn complaint(&self, error: &SceneError) -> Complaint {
        match self {
            Self::File(path) if !self.is_recording() => explain(path, error).into(),
            _ => Complaint::new(error),
        }
    }

    /// Its name in the address of the page.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Gallery(entry) => entry.name.into(),
            Self::File(path) => path
                .file_name()
                .map_or(String::new(), |name| name.to_string_lossy().into_owned()),
        }
    }

    /// The system that the scene is about.
    pub(crate) fn system(&self) -> &'static str {
        match self {
            Self::Gallery(entry) => entry.system,
            Self::File(_) if self.is_recording() => "recording",
            Self::File(_) => "file",
        }
    }

    /// Time of the last write to the file and its length; `None` for the gallery.
    pub(crate) fn version(&self) -> Option<(SystemTime, u64)> {
        match self {
            Self::Gallery(_) => None,
            Self::File(path) => {
                let data = path.metadata().ok()?;
                Some((data.modified().ok()?, data.len()))
            }
        }
    }
}

/// Names of the scene files in `folder`, in order.
pub(crate) fn files(folder: &Path) -> Vec<String> {
    let Ok(entries) = folder.read_dir() else {
        return Vec::new();
    };
    let names = entries.flatten().take(10_000);
    let mut names: Vec<String> = names
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| matches!(Source::find(name, Some(folder)), Some(Source::File(_))))
        .take(500)
        .collect();
    names.sort();
    names
}
