//! Text as words between white space, each with its place, for formats made of numbers.
//! A `#` begins a comment to the end of its line.

use std::fmt::Display;
use std::ops::Range;
use std::path::Path;
use std::str::FromStr;

use crate::FileError;

/// Reads a text word by word.
pub(super) struct Words<'a> {
    file: &'a Path,
    text: &'a str,
    at: usize,
    /// The word read last.
    last: Range<usize>,
}

impl<'a> Words<'a> {
    /// Reader of `text`, which errors call `file`.
    pub(super) fn new(text: &'a str, file: &'a Path) -> Self {
        Self {
            file,
            text,
            at: 0,
            last: 0..0,
        }
    }

    /// The next word, if any.
    pub(super) fn next(&mut self) -> Option<&'a str> {
        let bytes = self.text.as_bytes();
        loop {
            while self.at < bytes.len() && bytes[self.at].is_ascii_whitespace() {
                self.at += 1;
            }
            if bytes.get(self.at) != Some(&b'#') {
                break;
            }
            while self.at < bytes.len() && bytes[self.at] != b'\n' {
                self.at += 1;
            }
        }
        let start = self.at;
        while self.at < bytes.len() && !bytes[self.at].is_ascii_whitespace() {
            self.at += 1;
        }
        self.last = start..self.at;
        (start < self.at).then(|| &self.text[start..self.at])
    }

    /// The next word without reading it.
    pub(super) fn peek(&mut self) -> Option<&'a str> {
        let (at, last) = (self.at, self.last.clone());
        let word = self.next();
        (self.at, self.last) = (at, last);
        word
    }

    /// The rest of the line, without white space at its ends.
    pub(super) fn rest_of_line(&mut self) -> &'a str {
        let end = self.text[self.at..].find('\n');
        let end = end.map_or(self.text.len(), |n| self.at + n);
        let start = self.at;
        self.at = end;
        self.last = start..end;
        self.text[start..end].trim()
    }

    /// The next word, which is `thing`.
    pub(super) fn word(&mut self, thing: impl Display) -> Result<&'a str, FileError> {
        match self.next() {
            Some(word) => Ok(word),
            None => {
                let message = format!("the file ends before {thing}");
                Err(FileError::new(self.file, message).at(self.text, self.last.clone()))
            }
        }
    }

    /// `thing` as a value of some kind, `wanted` in words.
    fn parsed<T: FromStr>(&mut self, thing: impl Display, wanted: &str) -> Result<T, FileError> {
        let word = self.word(&thing)?;
        word.parse().map_err(|_| self.wrong(thing, wanted))
    }

    /// A number of things.
    pub(super) fn count(&mut self, thing: impl Display) -> Result<usize, FileError> {
        self.parsed(thing, "a whole number, zero or more")
    }

    /// A number of things known beforehand.
    pub(super) fn exactly(&mut self, thing: impl Display, wanted: usize) -> Result<(), FileError> {
        match self.count(&thing)? == wanted {
            true => Ok(()),
            false => Err(self.wrong(thing, &wanted.to_string())),
        }
    }

    /// An index that must be below `limit`.
    pub(super) fn index(&mut self, thing: impl Display, limit: usize) -> Result<usize, FileError> {
        let index = self.count(&thing)?;
        match index < limit {
            true => Ok(index),
            false => Err(self.wrong(thing, &format!("an index below {limit}"))),
        }
    }

    /// A finite number.
    pub(super) fn number(&mut self, thing: impl Display) -> Result<f64, FileError> {
        let value: f64 = self.parsed(&thing, "a number")?;
        match value.is_finite() {
            true => Ok(value),
            false => Err(self.wrong(thing, "a finite number")),
        }
    }

    /// A number that may be infinite, as bounds are.
    pub(super) fn bound(&mut self, thing: impl Display) -> Result<f64, FileError> {
        let value: f64 = self.parsed(&thing, "a number")?;
        match value.is_nan() {
            true => Err(self.wrong(thing, "a number or an infinity")),
            false => Ok(value),
        }
    }

    /// Reads `N` finite numbers.
    pub(super) fn numbers<const N: usize>(
        &mut self,
        thing: impl Display,
    ) -> Result<[f64; N], FileError> {
        let mut values = [0.0; N];
        for value in &mut values {
            *value = self.number(&thing)?;
        }
        Ok(values)
    }

    /// Reads a coefficient of friction.
    pub(super) fn friction(&mut self, thing: impl Display) -> Result<f64, FileError> {
        let value = self.number(&thing)?;
        match value >= 0.0 {
            true => Ok(value),
            false => Err(self.wrong(thing, "zero or more")),
        }
    }

    /// Fails unless the text ends here.
    pub(super) fn end(&mut self) -> Result<(), FileError> {
        match self.next() {
            Some(_) => Err(self.wrong("what follows the problem", "the end of the file")),
            None => Ok(()),
        }
    }

    /// Bytes of the last word.
    pub(super) fn place(&self) -> Range<usize> {
        self.last.clone()
    }

    /// The word read last is `thing` and not what is `wanted`.
    pub(super) fn wrong(&self, thing: impl Display, wanted: &str) -> FileError {
        let found = &self.text[self.last.clone()];
        let shown: String = found.chars().take(40).collect();
        let more = if shown.len() < found.len() { "..." } else { "" };
        let message = format!("{thing} is `{shown}{more}`; wanted {wanted}");
        FileError::new(self.file, message).at(self.text, self.last.clone())
    }
}
