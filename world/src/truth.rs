//! What must hold when a scene is run: a quantity of some things, sampled over a window of time, within a bound.
//!
//! Every truth is a row of the table in `truth/table.rs`: its word and fields, its sentences, what is
//! measured (`truth/quantity.rs`), when it is sampled and which values will do (`truth/judge.rs`).
//! Reading, writing and the schema follow from the row (`truth/field.rs`).

use std::fmt;
use std::ops::{Bound as End, RangeBounds};

use crate::{Body, Cloth, Finding, FindingKind, SceneError, Strand, Subject};
use field::Spec;
use judge::{Bound, Sampling, Watch};
use quantity::Sampler;

mod field;
pub(crate) mod judge;
mod quantity;
mod table;

pub use field::Value;
pub use table::bodies::*;
pub use table::{bodies, cloth, strands};

/// Something that must hold when the scene is run: a row of the table and the values of its fields.
///
/// ```
/// use drystone_world::truth;
/// let truth = truth::stands_still("tower/*", 0.001).over(..2.0);
/// assert_eq!(truth.to_string(), "`tower/*` stands still within 1 mm until 2 s");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Truth {
    row: &'static Row,
    /// Values of the row's fields, in order.
    values: Vec<Value>,
    /// Values given in Rust for fields that the row does not have.
    misplaced: Vec<(String, Value)>,
}

/// What a truth is about.
#[derive(Clone, Copy, Debug, PartialEq)]
enum System {
    /// Bodies, or the whole world.
    Rigid,
    Strand,
    Cloth,
}

/// A kind of truth.
struct Row {
    system: System,
    /// As scene files spell it.
    name: &'static str,
    doc: &'static [&'static str],
    names: &'static [&'static str],
    fields: &'static [Spec],
    /// The truth in one line, and what it asks for; see [`Truth::fill_in`].
    text: &'static str,
    wanted: &'static str,
    /// Writes a measured value for people.
    shown: fn(&Watch, f64) -> String,
    sampler: Sampler,
    sampling: Sampling,
    bound: Bound,
}

impl PartialEq for Row {
    fn eq(&self, other: &Self) -> bool {
        (self.system, self.name) == (other.system, other.name)
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// All truths about a system.
struct Table {
    doc: &'static [&'static str],
    rows: &'static [Row],
    /// The words that a file may have there.
    words: &'static [&'static str],
}

impl System {
    fn table(self) -> &'static Table {
        match self {
            Self::Rigid => &bodies::TABLE,
            Self::Strand => &strands::TABLE,
            Self::Cloth => &cloth::TABLE,
        }
    }

    /// The word before truths about it, if there is one.
    fn word(self) -> Option<&'static str> {
        match self {
            Self::Rigid => None,
            Self::Strand => Some("strands"),
            Self::Cloth => Some("cloth"),
        }
    }
}

/// Whether `name` fits `pattern`, in which `*` stands for any letters.
pub fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    if !pattern.contains('*') {
        return rest.is_empty();
    }
    let parts: Vec<&str> = parts.collect();
    let (last, middle) = parts
        .split_last()
        .map_or(("", &[][..]), |(last, middle)| (*last, middle));
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

impl Truth {
    /// A truth of that kind with those fields; the others as if left out of a file.
    fn new<const N: usize>(row: &'static Row, given: [(&str, Value); N]) -> Self {
        let left_out = |field: &Spec| field.left_out().unwrap_or(Value::None);
        let truth = Self {
            row,
            values: row.fields.iter().map(left_out).collect(),
            misplaced: Vec::new(),
        };
        let set = |truth: Self, (field, value)| truth.with(field, value);
        given.into_iter().fold(truth, set)
    }

    /// Sets one of its fields. A field it does not have, or a value of another kind, is refused when
    /// the scene is checked.
    #[must_use]
    pub fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        let value = value.into();
        let fits = |k: &usize| self.row.fields[*k].takes(&value);
        match self.place(field).filter(fits) {
            Some(k) => self.values[k] = value,
            None => self.misplaced.push((field.to_owned(), value)),
        }
        self
    }

    /// Only in that span of time \[s\]: `2.0..` is from two seconds on.
    #[must_use]
    pub fn over(self, times: impl RangeBounds<f64>) -> Self {
        let time = |end: End<&f64>| match end {
            End::Included(&t) | End::Excluded(&t) => Some(t),
            End::Unbounded => None,
        };
        let last = self.place("before").map_or("to", |_| "before");
        let ends = [
            ("from", time(times.start_bound())),
            (last, time(times.end_bound())),
        ];
        let set = |truth: Self, (field, time): (_, Option<f64>)| match time {
            Some(time) => truth.with(field, time),
            None => truth,
        };
        ends.into_iter().fold(self, set)
    }

    /// Judged at `time` instead of the end \[s\].
    #[must_use]
    pub fn at(self, time: f64) -> Self {
        let field = self.place("time").map_or("at", |_| "time");
        self.with(field, time)
    }

    /// The word that scene files use: `stands-still`.
    pub fn name(&self) -> &'static str {
        self.row.name
    }

    /// The value of one of its fields.
    pub fn get(&self, field: &str) -> Option<&Value> {
        self.place(field).map(|k| &self.values[k])
    }

    /// The value of a field that holds a number or a count.
    pub fn number(&self, field: &str) -> Option<f64> {
        match *self.get(field)? {
            Value::Number(x) => Some(x),
            Value::Count(n) => Some(n as f64),
            _ => None,
        }
    }

    /// The value of a field that holds a place or a direction.
    pub fn vector(&self, field: &str) -> Option<[f64; 3]> {
        match *self.get(field)? {
            Value::Vector(v) => Some(v),
            _ => None,
        }
    }

    fn place(&self, field: &str) -> Option<usize> {
        self.row.names.iter().position(|name| *name == field)
    }

    /// The first of some fields that holds a name.
    fn named(&self, fields: &[&str]) -> Option<&str> {
        fields.iter().find_map(|field| match self.get(field) {
            Some(Value::Text(name)) => Some(name.as_str()),
            _ => None,
        })
    }

    /// The pattern or name of the things it is about, if it names some.
    pub fn about(&self) -> Option<&str> {
        self.named(&["bodies", "body", "strands", "strand", "cloths"])
    }

    /// The other things it is about.
    fn others(&self) -> Option<&str> {
        self.named(&["with", "from"])
    }

    /// Whether it names a single body or strand rather than a pattern.
    fn is_about_one(&self) -> bool {
        self.named(&["body", "strand"]).is_some()
    }

    /// Whether `finding` is one that it speaks of.
    pub fn expects(&self, finding: &Finding) -> bool {
        match (self.name(), self.named(&["things"])) {
            ("known-finding", Some(things)) => {
                self.get("kind") == Some(&finding.kind.into()) && fits(things, &finding.thing)
            }
            ("stalls", _) => finding.kind == FindingKind::ClothStalled,
            _ => false,
        }
    }

    /// Says whether it speaks of things that are not there, or states no limit.
    pub(crate) fn validate(
        &self,
        bodies: &[Body],
        strands: &[Strand],
        cloths: &[Cloth],
    ) -> Result<(), SceneError> {
        let place = || Subject::named("truth", self.to_string());
        if let Some((field, value)) = self.misplaced.first() {
            let wanted = format!("one of its fields: {}", self.row.names.join(", "));
            return Err(SceneError::value(
                place(),
                field,
                format!("{value:?}"),
                wanted,
            ));
        }
        // things that are not there
        let (kind, known): (_, Vec<&str>) = match self.row.system {
            System::Rigid => ("body", bodies.iter().map(|body| &*body.name).collect()),
            System::Strand => (
                "strand",
                strands.iter().map(|strand| &*strand.name).collect(),
            ),
            System::Cloth => ("cloth", cloths.iter().map(|cloth| &*cloth.name).collect()),
        };
        let any = (self.row.system != System::Rigid).then_some("*");
        for pattern in [self.about().or(any), self.others()].into_iter().flatten() {
            if !known.iter().any(|name| fits(pattern, name)) {
                return Err(SceneError::unknown(place(), kind, pattern, known));
            }
        }
        // no limit
        let limits = ["joules", "per_kg", "at_least", "at_most"];
        let mut limits = limits.iter().filter_map(|field| self.get(field)).peekable();
        if limits.peek().is_some() && limits.all(|limit| *limit == Value::None) {
            let wanted = "`joules` or `per_kg`; `at_least` or `at_most`";
            return Err(SceneError::value(place(), "limit", "left out", wanted));
        }
        Ok(())
    }

    /// `template` with the fields filled in; `None` if it names one that is left out.
    ///
    /// `{field}` is the value as such, `{field:m}` a length, `{field:e}` with an exponent, `{field:%}`
    /// in percent; `{span}` and `{when}` say from when to when, and when. Of `[a|b]` those parts are
    /// taken whose fields are given, with "and" in between.
    fn fill_in(&self, template: &str) -> Option<String> {
        let (mut text, mut rest) = (String::new(), template);
        while let Some(begin) = rest.find(['{', '[']) {
            let choice = rest[begin..].starts_with('[');
            let end = begin + rest[begin..].find(if choice { ']' } else { '}' })?;
            let inner = &rest[begin + 1..end];
            text += &rest[..begin];
            text += &if choice {
                let parts: Vec<String> = inner.split('|').filter_map(|p| self.fill_in(p)).collect();
                parts.join(" and ")
            } else {
                self.show(inner)?
            };
            rest = &rest[end + 1..];
        }
        Some(text + rest)
    }

    /// The text that replaces `{key}`.
    fn show(&self, key: &str) -> Option<String> {
        let (field, form) = key.split_once(':').unwrap_or((key, ""));
        let first = |fields: [&str; 2]| fields.iter().find_map(|field| self.number(field));
        Some(match (field, self.get(field)) {
            ("span", _) => span(self.number("from").unwrap_or(0.0), first(["to", "before"])),
            ("when", _) => match first(["at", "time"]) {
                Some(t) => format!("at {t} s"),
                None => "at the end".into(),
            },
            (_, Some(Value::Number(x))) => match form {
                "m" => metres(*x),
                "e" => format!("{x:e}"),
                "%" => format!("{} %", tidy(x * 100.0)),
                _ => x.to_string(),
            },
            (_, Some(Value::Count(n))) => n.to_string(),
            (_, Some(Value::Flag(true))) => format!(" {field}"),
            (_, Some(Value::Flag(false))) => String::new(),
            (_, Some(Value::Vector(v))) => crate::error::show(v),
            (_, Some(Value::Text(name))) => name.clone(),
            (_, Some(Value::Finding(kind))) => kind.to_string(),
            (_, Some(Value::Column(_) | Value::None) | None) => return None,
        })
    }
}

impl fmt::Display for Truth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.fill_in(self.row.text);
        f.write_str(text.as_deref().unwrap_or(self.row.name))
    }
}

/// "from 2 s to 5 s", or as much of it as is said.
fn span(from: f64, to: Option<f64>) -> String {
    match (from, to) {
        (0.0, None) => String::new(),
        (0.0, Some(to)) => format!(" until {to} s"),
        (from, None) => format!(" from {from} s on"),
        (from, Some(to)) => format!(" from {from} s to {to} s"),
    }
}

/// A length as a person says it.
fn metres(x: f64) -> String {
    match x.abs() {
        0.0 => "0 m".into(),
        x if x < 1e-9 => format!("{x:.1e} m"),
        a if a < 1e-5 => format!("{:.4} um", x * 1e6),
        a if a < 0.1 => format!("{} mm", tidy(x * 1e3)),
        _ => format!("{} m", tidy(x)),
    }
}

/// Writes `x` with at most four digits after the point and no trailing zeros.
fn tidy(x: f64) -> String {
    let text = format!("{x:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::field::Kind;
    use super::*;

    #[test]
    fn a_star_stands_for_any_letters() {
        for (pattern, name, fit) in [
            ("*", "anything", true),
            ("tower/*", "tower/3/17", true),
            ("tower/*", "roof", false),
            ("tower/*/0", "tower/3/0", true),
            ("tower/*/0", "tower/3/10", false),
            ("roof", "roof", true),
            ("roof", "roofs", false),
            ("*o*f", "roof", true),
            ("", "roof", false),
        ] {
            assert_eq!(fits(pattern, name), fit, "{pattern} against {name}");
        }
    }

    /// An example of a value that the field takes.
    fn any(field: &Spec) -> Value {
        match field.kind {
            Kind::Number => 2.5.into(),
            Kind::Count => 2_u64.into(),
            Kind::Flag => true.into(),
            Kind::Vector => [1.0, 0.0, 0.5].into(),
            Kind::Column => [[0.0, 1.0], [2.0, 3.0]].into(),
            Kind::Text => "b*".into(),
            Kind::Finding => FindingKind::BodyLost.into(),
        }
    }

    #[test]
    fn every_row_speaks_of_its_own_fields_and_survives_a_file() {
        for row in [System::Rigid, System::Strand, System::Cloth].map(|s| s.table().rows) {
            for row in row {
                let full = Truth {
                    row,
                    values: row.fields.iter().map(any).collect(),
                    misplaced: Vec::new(),
                };
                for template in [row.text, row.wanted] {
                    let text = full.fill_in(template);
                    let text = text.unwrap_or_else(|| panic!("{}: {template}", row.name));
                    assert!(!text.contains(['{', '}']), "{}: {text}", row.name);
                }
                let missing = row.fields_used().find(|field| full.get(field).is_none());
                assert_eq!(missing, None, "{} has no such field", row.name);
                let text = serde_json::to_string(&full).expect("a truth is written");
                let read: Truth = serde_json::from_str(&text).expect("and read again");
                assert_eq!(read, full, "{text}");
            }
        }
    }

    #[test]
    fn a_field_of_another_truth_is_refused() {
        let error = |truth: Truth| {
            let refused = truth.validate(&[], &[], &[]);
            refused.expect_err("a wrong field").to_string()
        };
        let message = error(penetration_below(1e-3).with("drift", 2.0));
        assert!(
            message.contains("`drift` is Number(2.0); wanted"),
            "{message}"
        );
        let message = error(penetration_below(1e-3).with("depth", "deep"));
        assert!(message.contains("depth, from, to"), "{message}");
    }
}
