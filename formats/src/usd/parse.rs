//! Enough of USD's text format to find prims and the values of their attributes.
//!
//! Layers are read as they stand: references, payloads, variants and sublayers are not followed.

use std::collections::BTreeMap;
use std::ops::Range;

/// Deepest nesting of prims and values.
const DEEPEST: usize = 200;

/// Message of an error, and the bytes that it is about.
pub(super) type Fault = (String, Range<usize>);

/// A value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// Numbers in brackets of any kind, flattened, and where the value stands.
    Numbers(Vec<f64>),
    /// One number.
    Number(f64),
    /// A string, token or asset.
    Text(String),
    /// Strings in brackets.
    Texts(Vec<String>),
    /// A dictionary, a path or nothing.
    Other,
}

/// An attribute of a prim.
#[derive(Clone, Debug, Default)]
pub(super) struct Attribute {
    /// Value without time.
    pub(super) plain: Option<Value>,
    /// Earliest sample.
    pub(super) sample: Option<(f64, Value)>,
    pub(super) interpolation: Option<String>,
    /// Bytes of its value.
    pub(super) span: Range<usize>,
}

impl Attribute {
    /// The plain value, or else the earliest sample.
    pub(super) fn value(&self) -> Option<&Value> {
        self.plain
            .as_ref()
            .or(self.sample.as_ref().map(|(_, value)| value))
    }

    pub(super) fn numbers(&self) -> Option<&[f64]> {
        match self.value()? {
            Value::Numbers(all) => Some(all),
            Value::Number(one) => Some(std::slice::from_ref(one)),
            _ => None,
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match self.value()? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// A prim with its children.
#[derive(Clone, Debug, Default)]
pub(super) struct Prim {
    pub(super) kind: String,
    pub(super) name: String,
    /// Whether it is a class or an `over`, which define nothing by themselves.
    pub(super) is_abstract: bool,
    /// Whether it references other layers or prims.
    pub(super) composed: bool,
    pub(super) attributes: BTreeMap<String, Attribute>,
    pub(super) children: Vec<Prim>,
    pub(super) span: Range<usize>,
}

/// A layer.
#[derive(Clone, Debug, Default)]
pub(super) struct Stage {
    pub(super) metadata: BTreeMap<String, Value>,
    pub(super) prims: Vec<Prim>,
}

/// Reads a layer.
pub(super) fn parse(text: &str) -> Result<Stage, Fault> {
    let mut reader = Reader {
        text,
        at: 0,
        depth: 0,
    };
    if !text.starts_with("#usda") {
        let end = text.lines().next().unwrap_or_default().len();
        return Err(("the file does not begin with `#usda`".into(), 0..end));
    }
    let mut stage = Stage::default();
    reader.skip();
    if reader.peek() == Some('(') {
        stage.metadata = reader.metadata()?;
    }
    loop {
        reader.skip();
        if reader.rest().is_empty() {
            return Ok(stage);
        }
        if let Some(prim) = reader.prim_or_none()? {
            stage.prims.push(prim);
        } else {
            let word = reader.word();
            let span = reader.at - word.len()..reader.at.max(reader.at - word.len() + 1);
            return Err((
                format!("found `{}`; wanted def, over or class", reader.shown(&word)),
                span,
            ));
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Over blanks and comments.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with('#') {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    fn fault<T>(&self, message: impl Into<String>) -> Result<T, Fault> {
        let width = self.peek().map_or(0, char::len_utf8);
        Err((message.into(), self.at..self.at + width))
    }

    /// The text found, for messages.
    fn shown(&self, word: &str) -> String {
        match (word.is_empty(), self.peek()) {
            (false, _) => word.to_owned(),
            (true, Some(c)) => c.to_string(),
            (true, None) => "the end of the file".to_owned(),
        }
    }

    fn expect(&mut self, wanted: char) -> Result<(), Fault> {
        self.skip();
        if self.peek() == Some(wanted) {
            self.at += wanted.len_utf8();
            return Ok(());
        }
        let found = self.shown("");
        self.fault(format!("found `{found}`; wanted `{wanted}`"))
    }

    /// Takes `wanted` if it comes next.
    fn take(&mut self, wanted: char) -> bool {
        self.skip();
        let there = self.peek() == Some(wanted);
        self.at += if there { wanted.len_utf8() } else { 0 };
        there
    }

    /// Letters, digits, `_`, `:` and `.`; may be empty.
    fn word(&mut self) -> String {
        self.skip();
        let inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '.');
        let rest = self.rest();
        let end = rest.find(|c| !inside(c)).unwrap_or(rest.len());
        self.at += end;
        rest[..end].to_owned()
    }

    /// Whether the next word is `wanted`; takes it then.
    fn take_word(&mut self, wanted: &str) -> bool {
        self.skip();
        let start = self.at;
        if self.word() == wanted {
            return true;
        }
        self.at = start;
        false
    }

    /// `"..."`, `'...'` or either three times.
    fn string(&mut self) -> Result<String, Fault> {
        let start = self.at;
        let Some(quote @ ('"' | '\'')) = self.peek() else {
            let found = self.shown("");
            return self.fault(format!("found `{found}`; wanted a string"));
        };
        let triple: String = [quote; 3].iter().collect();
        let close = match self.rest().starts_with(&triple) {
            true => triple,
            false => quote.to_string(),
        };
        self.at += close.len();
        let mut found = String::new();
        loop {
            let rest = self.rest();
            if rest.starts_with(&close) {
                self.at += close.len();
                return Ok(found);
            }
            let mut letters = rest.chars();
            match letters.next() {
                None => return Err(("a string without an end".into(), start..start + 1)),
                Some('\n') if close.len() == 1 => {
                    return Err(("a string without an end".into(), start..self.at));
                }
                Some('\\') => {
                    let next = letters.next().unwrap_or('\\');
                    found.push(match next {
                        'n' => '\n',
                        't' => '\t',
                        other => other,
                    });
                    self.at += 1 + next.len_utf8();
                }
                Some(letter) => {
                    found.push(letter);
                    self.at += letter.len_utf8();
                }
            }
            self.at = self.at.min(self.text.len());
        }
    }

    fn enter(&mut self) -> Result<(), Fault> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.fault(format!("nested deeper than {DEEPEST} times"));
        }
        Ok(())
    }

    /// A value of any kind.
    fn value(&mut self) -> Result<Value, Fault> {
        self.skip();
        match self.peek() {
            Some('(' | '[') => {
                let (mut numbers, mut texts) = (Vec::new(), Vec::new());
                self.list(&mut numbers, &mut texts)?;
                Ok(match texts.is_empty() {
                    true => Value::Numbers(numbers),
                    false => Value::Texts(texts),
                })
            }
            Some('"' | '\'') => Ok(Value::Text(self.string()?)),
            Some('@') => Ok(Value::Text(self.asset()?)),
            Some('<') => self.path().map(|()| Value::Other),
            Some('{') => {
                self.enter()?;
                self.dictionary()?;
                self.depth -= 1;
                Ok(Value::Other)
            }
            _ => {
                if let Some(number) = self.number() {
                    return Ok(Value::Number(number));
                }
                let word = self.word();
                match word.is_empty() {
                    true => {
                        let found = self.shown("");
                        self.fault(format!("found `{found}`; wanted a value"))
                    }
                    false => Ok(Value::Text(word)),
                }
            }
        }
    }

    /// Brackets with numbers or strings, however nested.
    fn list(&mut self, numbers: &mut Vec<f64>, texts: &mut Vec<String>) -> Result<(), Fault> {
        self.enter()?;
        let close = if self.peek() == Some('(') { ')' } else { ']' };
        self.at += 1;
        loop {
            if self.take(close) {
                break;
            }
            match self.peek() {
                Some('(' | '[') => self.list(numbers, texts)?,
                None => return self.fault("the file ends inside a list"),
                _ => match self.number() {
                    Some(number) => numbers.push(number),
                    None => match self.value()? {
                        Value::Text(text) => texts.push(text),
                        _ => texts.push(String::new()),
                    },
                },
            }
            // the last one may have a comma, too
            if !self.take(',') && self.peek() != Some(close) {
                let found = self.shown("");
                return self.fault(format!("found `{found}`; wanted `,` or `{close}`"));
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn number(&mut self) -> Option<f64> {
        let rest = self.rest();
        let inside = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
        let end = rest.find(|c| !inside(c)).unwrap_or(rest.len());
        let special = ["-inf", "inf", "nan"];
        let (number, length) = match special.iter().find(|word| rest.starts_with(**word)) {
            Some(word) => (word.parse().ok()?, word.len()),
            None => (rest[..end].parse::<f64>().ok()?, end),
        };
        let ends = |c: char| !(c.is_alphanumeric() || c == '_');
        if !rest[length..].chars().next().is_none_or(ends) {
            return None;
        }
        self.at += length;
        Some(number)
    }

    fn asset(&mut self) -> Result<String, Fault> {
        let marks = if self.rest().starts_with("@@@") { 3 } else { 1 };
        let mark = &"@@@"[..marks];
        let inside = &self.rest()[marks..];
        let Some(end) = inside.find(mark) else {
            return self.fault("an asset without an end");
        };
        self.at += end + 2 * marks;
        Ok(inside[..end].to_owned())
    }

    fn path(&mut self) -> Result<(), Fault> {
        match self.rest().find('>') {
            Some(end) => {
                self.at += end + 1;
                Ok(())
            }
            None => self.fault("a path without an end"),
        }
    }

    /// `{ ... }` of anything, skipped.
    fn dictionary(&mut self) -> Result<(), Fault> {
        self.expect('{')?;
        let mut open = 1;
        while open > 0 {
            self.skip();
            match self.peek() {
                None => return self.fault("the file ends inside braces"),
                Some('"' | '\'') => drop(self.string()?),
                Some('@') => drop(self.asset()?),
                Some('{') => (open, self.at) = (open + 1, self.at + 1),
                Some('}') => (open, self.at) = (open - 1, self.at + 1),
                Some(other) => self.at += other.len_utf8(),
            }
        }
        Ok(())
    }

    /// `( key = value ... )`; a string on its own is a comment.
    fn metadata(&mut self) -> Result<BTreeMap<String, Value>, Fault> {
        let mut all = BTreeMap::new();
        self.expect('(')?;
        while !self.take(')') {
            match self.peek() {
                None => return self.fault("the file ends inside parentheses"),
                Some('"' | '\'') => drop(self.string()?),
                Some(';' | ',') => self.at += 1,
                _ => {
                    let mut words = Vec::new();
                    while !self.take('=') {
                        let word = self.word();
                        if word.is_empty() {
                            let found = self.shown("");
                            return self.fault(format!("found `{found}`; wanted `key = value`"));
                        }
                        words.push(word);
                    }
                    let value = self.value()?;
                    // a reference: @file@</path> (offset = 10)
                    self.skip();
                    if self.peek() == Some('<') {
                        self.path()?;
                        self.skip();
                    }
                    if self.peek() == Some('(') {
                        self.metadata()?;
                    }
                    all.insert(words.pop().unwrap_or_default(), value);
                }
            }
        }
        Ok(all)
    }

    fn prim_or_none(&mut self) -> Result<Option<Prim>, Fault> {
        self.skip();
        let start = self.at;
        let word = self.word();
        if !matches!(word.as_str(), "def" | "over" | "class") {
            self.at = start;
            return Ok(None);
        }
        self.skip();
        let mut prim = Prim {
            is_abstract: word != "def",
            kind: self.word(),
            ..Prim::default()
        };
        self.skip();
        prim.name = self.string()?;
        prim.span = start..self.at;
        self.skip();
        if self.peek() == Some('(') {
            let metadata = self.metadata()?;
            let composed = [
                "references",
                "payload",
                "inherits",
                "specializes",
                "variantSets",
            ];
            prim.composed = composed.iter().any(|key| metadata.contains_key(*key));
        }
        self.enter()?;
        self.expect('{')?;
        while !self.take('}') {
            self.statement(&mut prim)?;
        }
        self.depth -= 1;
        Ok(Some(prim))
    }

    fn statement(&mut self, prim: &mut Prim) -> Result<(), Fault> {
        if self.rest().is_empty() {
            let message = format!("the file ends inside prim `{}`", prim.name);
            return Err((message, prim.span.clone()));
        }
        if self.peek() == Some(';') {
            self.at += 1;
            return Ok(());
        }
        // child prims and statements without a value
        if let Some(child) = self.prim_or_none()? {
            prim.children.push(child);
            return Ok(());
        }
        if self.take_word("variantSet") {
            prim.composed = true;
            self.skip();
            self.string()?;
            self.expect('=')?;
            return self.dictionary();
        }
        if self.take_word("reorder") {
            self.word();
            self.expect('=')?;
            return self.value().map(drop);
        }
        // custom uniform token[] name.timeSamples = value (metadata)
        while [
            "custom", "uniform", "varying", "prepend", "append", "delete", "add",
        ]
        .iter()
        .any(|word| self.take_word(word))
        {}
        let start = self.at;
        let kind = self.word();
        if kind.is_empty() {
            let found = self.shown("");
            return self.fault(format!("found `{found}`; wanted an attribute or a prim"));
        }
        if self.take('[') {
            self.expect(']')?;
        }
        let full = self.word();
        if full.is_empty() {
            let found = self.shown("");
            return self.fault(format!("found `{found}`; wanted the name after `{kind}`"));
        }
        let (name, part) = match full.rsplit_once('.') {
            Some((name, part)) => (name, part),
            None => (full.as_str(), ""),
        };
        // value, or samples over time
        let attribute = prim.attributes.entry(name.to_owned()).or_default();
        if self.take('=') {
            self.skip();
            let from = self.at;
            match part {
                "timeSamples" => attribute.sample = self.samples()?,
                "" if kind != "rel" => attribute.plain = Some(self.value()?),
                _ => drop(self.value()?),
            }
            attribute.span = from..self.at;
        } else {
            attribute.span = start..self.at;
        }
        // metadata of the attribute
        self.skip();
        if self.peek() == Some('(') {
            let metadata = self.metadata()?;
            if let Some(Value::Text(how)) = metadata.get("interpolation") {
                attribute.interpolation = Some(how.clone());
            }
        }
        Ok(())
    }

    /// The earliest of `{ time: value, ... }`.
    fn samples(&mut self) -> Result<Option<(f64, Value)>, Fault> {
        let mut earliest: Option<(f64, Value)> = None;
        self.expect('{')?;
        while !self.take('}') {
            self.skip();
            let Some(time) = self.number() else {
                let found = self.shown("");
                return self.fault(format!("found `{found}`; wanted the time of a sample"));
            };
            self.expect(':')?;
            let value = self.value()?;
            if earliest.as_ref().is_none_or(|(before, _)| time < *before) {
                earliest = Some((time, value));
            }
            self.take(',');
        }
        Ok(earliest)
    }
}
