//! The command line as a user sees it: words in, text and an exit code out.
#![allow(dead_code, clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use tempfile::TempDir;

/// What a command left behind.
pub(crate) struct Outcome {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

impl Outcome {
    /// The same, if all went well.
    pub(crate) fn well(self) -> Self {
        assert_eq!(self.code, 0, "{}\n{}", self.stdout, self.stderr);
        self
    }
}

/// Runs `drystone` with `words`.
pub(crate) fn drystone(words: &[&str]) -> Outcome {
    drystone_in(Path::new("."), words)
}

/// Runs `drystone` with `words` in a folder.
pub(crate) fn drystone_in(folder: &Path, words: &[&str]) -> Outcome {
    let mut command = Command::cargo_bin("drystone").unwrap();
    let output = command
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .args(words)
        .output()
        .unwrap();
    Outcome {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().unwrap_or(-1),
    }
}

/// A folder that goes away by itself.
pub(crate) fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// The JSON in a file.
pub(crate) fn json(path: &Path) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// A stack of three boxes and a falling ball, 0.4 s: a folder with it, and its path.
pub(crate) fn small_scene() -> (TempDir, String) {
    let at = folder();
    let path = at.path().join("small.toml");
    fs::write(&path, SMALL).unwrap();
    let name = path.to_str().unwrap().to_owned();
    (at, name)
}

pub(crate) const SMALL: &str = r#"
name = "small"
duration = 0.4

[material.brick]
friction = 0.5

[[body]]
name = "ground"
shape = "half-space"
motion = "fixed"

[[generate]]
name = "stack"
material = "brick"
pattern.stack = { count = 3, shape.box = { size = [1, 1, 1] } }

[[body]]
name = "ball"
shape.sphere = { radius = 0.3 }
position = [3, 1, 0]

[[truth]]
stands-still = { bodies = "stack/*", drift = 0.001 }
"#;
