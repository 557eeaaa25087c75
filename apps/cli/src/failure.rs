//! What went wrong, as a person reads it, and the exit code that goes with it.

use std::fmt::Display;
use std::process::ExitCode;

use drystone_formats::FileError;
use drystone_world::SceneError;
use miette::{LabeledSpan, MietteDiagnostic, NamedSource, Report};

use crate::say;

/// Success.
pub(crate) const WELL: u8 = 0;
/// A truth is broken, or a result could not be written.
pub(crate) const BROKEN: u8 = 1;
/// The input is invalid.
pub(crate) const BAD_INPUT: u8 = 2;
/// The run came to its end, or was stopped by `--strict`, with findings.
pub(crate) const UNSOUND: u8 = 3;
/// Stopped by Ctrl-C.
pub(crate) const INTERRUPTED: u8 = 130;

/// Why a command did not do what was asked.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    what: What,
}

#[derive(Debug)]
enum What {
    Line(String),
    /// A line, and pieces of cloth as the text of an OBJ file.
    Refused(String, String),
    File(Box<FileError>),
}

impl Failure {
    /// Bad usage or input, in one line.
    pub(crate) fn input(message: impl Display) -> Self {
        Self {
            code: BAD_INPUT,
            what: What::Line(message.to_string()),
        }
    }

    /// The triangles of cloth whose start is not allowed, as the text of an OBJ file, if that is the failure.
    pub(crate) fn patch(&self) -> Option<&str> {
        match &self.what {
            What::Refused(_, patch) => Some(patch),
            What::File(error) => error.patch.as_deref(),
            What::Line(_) => None,
        }
    }

    /// Shows it and gives the exit code.
    pub(crate) fn present(self) -> ExitCode {
        match self.what {
            What::Line(message) | What::Refused(message, _) => {
                say::stderr_line(format_args!("error: {message}"));
            }
            What::File(error) => present_file_error(*error),
        }
        ExitCode::from(self.code)
    }
}

/// A file error: with its line and a caret where it has a place, else in one line.
fn present_file_error(error: FileError) {
    let Some(place) = &error.place else {
        return say::stderr_line(format_args!("error: {error}"));
    };
    // a caret under nothing is not seen
    let length = place.span.len().max(1);
    let mut diagnostic =
        MietteDiagnostic::new(format!("{}:{}: {}", error.file, place.line, error.message))
            .with_label(LabeledSpan::new(None, place.span.start, length));
    if let Some(help) = &error.help {
        diagnostic = diagnostic.with_help(help);
    }
    let source = NamedSource::new(&error.file, place.text.to_string());
    say::stderr_line(format_args!(
        "{:?}",
        Report::new(diagnostic).with_source_code(source)
    ));
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Self {
            code: BAD_INPUT,
            what: What::File(Box::new(error)),
        }
    }
}

impl From<SceneError> for Failure {
    fn from(error: SceneError) -> Self {
        Self::from(&error)
    }
}

impl From<&SceneError> for Failure {
    fn from(error: &SceneError) -> Self {
        let line = error.to_string();
        Self {
            code: BAD_INPUT,
            what: match error.patch() {
                Some(patch) => What::Refused(line, patch),
                None => What::Line(line),
            },
        }
    }
}
