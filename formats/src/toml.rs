//! Scene files in TOML, and the same in JSON: one model, errors that point at the line.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use drystone_world::{Scene, SceneError, nearest};

use crate::{FileError, curves, locate, obj};

/// Longest scene file \[bytes\].
pub const LONGEST_FILE: u64 = 64 << 20;

/// Reads the scene file at `path`: JSON if it ends in `.json`, else TOML. Meshes and
/// curves are read, and the scene is checked as a whole.
pub fn read_scene(path: impl AsRef<Path>) -> Result<Scene, FileError> {
    let path = path.as_ref();
    let text = read_text(path, LONGEST_FILE)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    parse_scene(&text, &path.display().to_string(), folder)
}

/// The scene in `text`, which errors call `name`: JSON if that ends in `.json`, else TOML.
/// Files of meshes and curves are looked for in `folder`.
pub fn parse_scene(text: &str, name: &str, folder: impl AsRef<Path>) -> Result<Scene, FileError> {
    if text.trim().is_empty() {
        return Err(FileError::new(
            name,
            "the file is empty; wanted a scene with at least one body",
        )
        .with_help("add a `[[body]]` or a `[[generate]]`"));
    }
    let mut scene = if is_json(name) {
        parse_json(text, name)?
    } else {
        ::toml::from_str(text).map_err(|e| {
            let span = e.span().unwrap_or(0..0);
            complaint(text, name, e.message(), widened(text, span))
        })?
    };
    let located = |e: SceneError| locate::file_error(&e, text, name);
    if scene.preset.is_some()
        && let Some(file) = as_data(text, name)
    {
        scene.settle_given(&file).map_err(located)?;
    }
    obj::resolve_meshes(&mut scene, folder.as_ref()).map_err(located)?;
    curves::resolve_curves(&mut scene, folder.as_ref()).map_err(located)?;
    scene.validate().map_err(located)?;
    if !is_json(name) {
        check_lengths(text, name)?;
    }
    Ok(scene)
}

/// `text` as data.
fn as_data(text: &str, name: &str) -> Option<serde_json::Value> {
    match is_json(name) {
        true => serde_json::from_str(text).ok(),
        false => ::toml::from_str(text).ok(),
    }
}

/// Refuses lists that are too long, of which the TOML reader reads only the beginning;
/// serde_json refuses them, but without their places.
fn check_lengths(text: &str, name: &str) -> Result<(), FileError> {
    let broken = |e: &dyn std::fmt::Display| FileError::new(name, e.to_string());
    let found: serde_json::Value = ::toml::from_str(text).map_err(|e| broken(&e))?;
    let Err(error) = serde_json::from_value::<Scene>(found) else {
        return Ok(());
    };
    let read: Scene = ::toml::from_str(text).map_err(|e| broken(&e))?;
    let read = serde_json::to_value(&read).map_err(|e| broken(&e))?;
    let error = broken(&error);
    Err(match locate::longer_list(text, &read) {
        Some((span, found, wanted)) => {
            let message = format!("a list of {found} values; wanted {wanted}");
            FileError { message, ..error }.at(text, span)
        }
        None => error,
    })
}

/// Locates the cause of `error` in the scene file at `path`, as far as that can be
/// found; for errors that show up later than [`read_scene`].
pub fn explain(path: impl AsRef<Path>, error: &SceneError) -> FileError {
    let path = path.as_ref();
    match read_text(path, LONGEST_FILE) {
        Ok(text) => locate::file_error(error, &text, &path.display().to_string()),
        Err(_) => FileError::new(path, error.to_string()),
    }
}

/// `scene` as a TOML scene file; reading it gives the same scene.
pub fn write_scene(scene: &Scene) -> Result<String, FileError> {
    ::toml::to_string(scene).map_err(|e| FileError::new(&scene.name, format!("cannot write: {e}")))
}

/// `scene` as a JSON scene file; reading it gives the same scene.
pub fn write_scene_json(scene: &Scene) -> Result<String, FileError> {
    serde_json::to_string_pretty(scene)
        .map_err(|e| FileError::new(&scene.name, format!("cannot write: {e}")))
}

/// Whether a file of that name holds JSON.
pub(crate) fn is_json(name: &str) -> bool {
    let extension = Path::new(name).extension();
    extension.is_some_and(|e| e.eq_ignore_ascii_case("json"))
}

/// The file at `path` as text, if it is UTF-8 and at most `limit` bytes long.
pub(crate) fn read_text(path: &Path, limit: u64) -> Result<String, FileError> {
    let bytes = read_bytes(path, limit)?;
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(e.as_bytes());
        let byte = e.as_bytes().get(at).copied().unwrap_or(0);
        let message = format!("byte {at} is 0x{byte:02x}, which is no UTF-8; wanted a text file");
        // up to the bad byte the lossy text is as long as the bytes
        FileError::new(path, message).at(&text, at..at + 1)
    })
}

/// The file at `path`, if it is at most `limit` bytes long.
pub(crate) fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    let refused = |e: std::io::Error| FileError::io(path, "read", &e);
    if path.is_dir() {
        return Err(FileError::new(path, "this is a folder; wanted a file"));
    }
    let file = File::open(path).map_err(refused)?;
    let mut bytes = Vec::new();
    file.take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(refused)?;
    if bytes.len() as u64 > limit {
        let message = format!(
            "the file is longer than {} MiB, the most allowed",
            limit >> 20
        );
        return Err(FileError::new(path, message));
    }
    Ok(bytes)
}

fn parse_json(text: &str, name: &str) -> Result<Scene, FileError> {
    serde_json::from_str(text).map_err(|e| {
        let whole = e.to_string();
        // the place is said by the error itself
        let message = whole
            .rfind(" at line ")
            .map_or(whole.as_str(), |at| &whole[..at]);
        let lines = text.split_inclusive('\n').take(e.line().saturating_sub(1));
        let line: usize = lines.map(str::len).sum();
        // serde_json counts bytes, and stands behind what it complains about
        let end = (line + e.column()).min(text.len());
        let span = match text.get(..end.saturating_sub(1)) {
            Some(before) if message.starts_with("unknown") => {
                let start = before.rfind('"').map_or(end, |at| at + 1);
                start..end.saturating_sub(1).max(start)
            }
            _ => end.saturating_sub(1)..end,
        };
        complaint(text, name, message, span)
    })
}

const UNEXPECTED: &str = "unexpected keys in table: ";
const AVAILABLE: &str = ", available keys: ";

/// The message of serde in our words, with the nearest valid name where one was misspelt.
fn complaint(text: &str, name: &str, message: &str, span: Range<usize>) -> FileError {
    let message = message.trim().replace('\n', ", ");
    let words = backticked(&message);
    let (message, help) = match words.split_first() {
        Some((found, known)) if message.starts_with("unknown field") => (
            format!("there is no key `{found}` here"),
            suggestion(found, known, "the keys here are"),
        ),
        Some((found, known)) if message.starts_with("unknown variant") => (
            format!("`{found}` is not known here"),
            suggestion(found, known, "wanted one of"),
        ),
        Some((missing, _)) if message.starts_with("missing field") => (
            format!("`{missing}` is missing"),
            Some(format!("add `{missing} = ...`")),
        ),
        // in inline tables of an enum, toml counts the keys itself
        _ if message.starts_with(UNEXPECTED) => {
            let (found, known) = message[UNEXPECTED.len()..]
                .split_once(AVAILABLE)
                .unwrap_or_default();
            let first = found.split(", ").next().unwrap_or_default();
            let known: Vec<String> = known.split(", ").map(str::to_owned).collect();
            (
                format!("there is no key `{first}` here"),
                suggestion(first, &known, "the keys here are"),
            )
        }
        Some((twice, _)) if message.starts_with("duplicate") => {
            (format!("`{twice}` is given twice"), None)
        }
        _ => (message, None),
    };
    let mut error = FileError::new(name, message).at(text, span);
    error.help = help;
    error
}

fn suggestion(found: &str, known: &[String], all: &str) -> Option<String> {
    if let Some(near) = nearest(found, known.iter().map(String::as_str)) {
        return Some(format!("did you mean `{near}`?"));
    }
    (!known.is_empty()).then(|| format!("{all} {}", known.join(", ")))
}

/// The words between backticks.
fn backticked(message: &str) -> Vec<String> {
    message
        .split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// An empty span becomes the rest of its line's word, so that there is something to underline.
fn widened(text: &str, span: Range<usize>) -> Range<usize> {
    let rest = match text.get(span.start..) {
        Some(rest) if span.is_empty() => rest,
        _ => return span,
    };
    let first = rest.chars().next().map_or(0, char::len_utf8);
    let word = rest.find(|c: char| c.is_whitespace()).unwrap_or(rest.len());
    span.start..span.start + word.max(first)
}
