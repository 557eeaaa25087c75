//! What can be wrong with a file, and where in it.

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// A file that cannot be read or written, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct FileError {
    /// Name of the file, as the user gave it.
    pub file: String,
    /// What is wrong: the thing, what was found, what was wanted.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The place in a text file.
    pub place: Option<Box<Place>>,
    /// The pieces of cloth that are where they cannot be, as the text of an OBJ file.
    pub patch: Option<String>,
}

/// A place in a text file.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1, in characters.
    pub column: usize,
    /// Bytes of [`Self::text`] that are meant.
    pub span: Range<usize>,
    /// Text of the whole file.
    pub text: Arc<str>,
}

impl FileError {
    /// `message` about the file at `path` as a whole.
    pub fn new(path: impl AsRef<Path>, message: impl Into<String>) -> Self {
        Self {
            file: path.as_ref().display().to_string(),
            message: message.into(),
            help: None,
            patch: None,
            place: None,
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says which bytes of `text` are meant; a span beyond the text means its end.
    #[must_use]
    pub fn at(mut self, text: &str, span: Range<usize>) -> Self {
        self.place = Some(Box::new(Place::new(text, span)));
        self
    }

    /// An attempt to `act` (such as `read`) that the system refused.
    pub(crate) fn io(path: impl AsRef<Path>, act: &str, error: &io::Error) -> Self {
        let reason = match error.kind() {
            io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
            io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
            _ => error.to_string(),
        };
        Self::new(path, format!("cannot {act}: {reason}"))
    }

    /// Line, counted from 1, if the error is about one.
    pub fn line(&self) -> Option<usize> {
        self.place.as_ref().map(|place| place.line)
    }

    /// Column, counted from 1 in characters, if the error is about one.
    pub fn column(&self) -> Option<usize> {
        self.place.as_ref().map(|place| place.column)
    }
}

impl Place {
    /// The bytes `span` of `text`.
    pub fn new(text: &str, span: Range<usize>) -> Self {
        let whole = |mut at: usize| {
            at = at.min(text.len());
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let start = whole(span.start);
        let end = whole(span.end).max(start);
        let before = &text[..start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            span: start..end,
            text: text.into(),
        }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{}:{}:{}: ", self.file, place.line, place.column)?,
            None => write!(f, "{}: ", self.file)?,
        }
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for FileError {}
