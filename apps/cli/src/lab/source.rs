//! From a word on the command line to contact problems.

use std::path::{Path, PathBuf};

use drystone_complementarity::ContactProblem;
use drystone_formats::read_problem;

use crate::arguments::Adjust;
use crate::failure::Failure;
use crate::{interrupt, say, scene};

/// Endings of files that are taken from a folder of problems.
const ENDINGS: [&str; 4] = ["dat", "problem", "hdf5", "h5"];

/// The problems that `word` means: a problem file, a folder of them, or a scene, changed as
/// asked, at a time.
pub(crate) fn problems(word: &str, adjust: &Adjust) -> Result<Vec<ContactProblem>, Failure> {
    let path = Path::new(word);
    if path.is_dir() {
        return folder(path);
    }
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    if path.is_file() && !matches!(ending.as_deref(), Some("toml" | "json")) {
        return Ok(vec![read_problem(path)?]);
    }
    let (name, time) = match word.rsplit_once('@') {
        Some((name, time)) => {
            let seconds = time
                .parse()
                .ok()
                .filter(|t: &f64| *t >= 0.0 && t.is_finite());
            let message =
                || format!("`{word}`: the time is `{time}`; wanted seconds, as in {name}@1.5");
            (name, seconds.ok_or_else(|| Failure::input(message()))?)
        }
        None => (word, 0.0),
    };
    of_scene(name, time, adjust).map(|problem| vec![problem])
}

/// The problem that a scene, changed as asked, meets first at or after `time` \[s\].
pub(crate) fn of_scene(name: &str, time: f64, adjust: &Adjust) -> Result<ContactProblem, Failure> {
    let mut world = scene::find(name, adjust)?.world()?;
    while world.time() < time - 0.5 * world.step_length() && !interrupt::asked() {
        world.step();
    }
    Ok(world.contact_problem())
}

/// The problems in a folder, or of a folder that is one itself. Reports and skips files that cannot be read.
fn folder(path: &Path) -> Result<Vec<ContactProblem>, Failure> {
    if path.join("A.dlm").is_file() {
        return Ok(vec![read_problem(path)?]);
    }
    let refused = |error| Failure::input(format!("folder `{}`: {error}", path.display()));
    let entries = std::fs::read_dir(path).map_err(refused)?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    paths.sort();
    paths.retain(|path| {
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        let named = ending.is_some_and(|e| ENDINGS.contains(&e.as_str()));
        path.join("A.dlm").is_file() || path.is_file() && named
    });
    let mut problems = Vec::new();
    for path in &paths {
        match read_problem(path) {
            Ok(problem) => problems.push(problem),
            Err(error) => say::stderr_line(format_args!("left out: {error}")),
        }
    }
    match problems.is_empty() {
        false => Ok(problems),
        true => Err(Failure::input(format!(
            "folder `{}`: no problem in it; wanted files ending in .{} or folders with A.dlm",
            path.display(),
            ENDINGS.join(", .")
        ))),
    }
}
