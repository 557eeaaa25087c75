//! What can be wrong with a scene.

use std::ops::RangeInclusive;

use crate::Subject;

/// A scene that cannot be simulated, and why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SceneError {
    /// A value that will not do.
    #[error("{place}: `{field}` is {found}; wanted {wanted}")]
    Value {
        /// What it belongs to, such as ``body `tower/3` ``.
        place: Box<Subject>,
        /// Dotted path of the field.
        field: String,
        /// The value found.
        found: String,
        /// The values that are allowed.
        wanted: String,
    },
    /// A name that nothing carries.
    #[error("{place}: there is no {kind} `{name}`; {hint}")]
    Unknown {
        /// The thing that names it.
        place: Box<Subject>,
        /// What it should be: `material`, `body`, `preset`.
        kind: &'static str,
        /// The name.
        name: String,
        /// The nearest name, or all of them.
        hint: String,
    },
    /// A solid that cannot be made.
    #[error("{place}: `shape` is refused: {reason}")]
    Shape {
        /// What it belongs to.
        place: Box<Subject>,
        /// Found and wanted, in the words of the geometry.
        reason: String,
    },
    /// Two bodies with one name.
    #[error("body `{0}`: the name is used twice; names must differ")]
    SameName(String),
    /// Nothing to simulate.
    #[error(
        "the scene has no body, no strand and no cloth; wanted at least one `[[body]]`, `[[generate]]`, `[[strand]]`, `[[groom]]` or `[[cloth]]`"
    )]
    Empty,
    /// More bodies than a scene may have.
    #[error("{place} makes {found} bodies; wanted at most {limit} in a scene")]
    TooMany {
        /// Which generator, or the whole scene.
        place: Box<Subject>,
        /// How many.
        found: u64,
        /// The most allowed.
        limit: u64,
    },
    /// More segments of strands than a scene may have.
    #[error("{place} makes {found} segments of strands; wanted at most {limit} in a scene")]
    TooManySegments {
        /// Which groom, or the whole scene.
        place: Box<Subject>,
        /// How many.
        found: u64,
        /// The most allowed.
        limit: u64,
    },
    /// A snapshot that belongs to another scene.
    #[error(
        "the snapshot was taken in a scene with fingerprint {found:016x}; this one has {wanted:016x}"
    )]
    OtherScene {
        /// Fingerprint in the snapshot.
        found: u64,
        /// Fingerprint of this world's scene.
        wanted: u64,
    },
    /// What the rigid system refuses.
    #[error(transparent)]
    Rigid(#[from] drystone_rigid::Error),
    /// What the strand system refuses.
    #[error(transparent)]
    Strand(#[from] drystone_strand::Error),
    /// Keys that make no path.
    #[error(transparent)]
    Path(#[from] drystone_common::PathError),
    /// What the cloth system refuses.
    #[error(transparent)]
    Cloth(#[from] drystone_cloth::Error),
}

impl SceneError {
    /// `place`: `field` is `found`; wanted `wanted`.
    pub fn value(
        place: impl Into<Subject>,
        field: impl Into<String>,
        found: impl ToString,
        wanted: impl Into<String>,
    ) -> Self {
        Self::Value {
            place: Box::new(place.into()),
            field: field.into(),
            found: found.to_string(),
            wanted: wanted.into(),
        }
    }

    /// There is no `kind` called `name`, though there are `known` ones.
    pub fn unknown<'a>(
        place: impl Into<Subject>,
        kind: &'static str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        let hint = match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => "there are none".into(),
            None => format!("there are: {}", known[..known.len().min(20)].join(", ")),
        };
        Self::Unknown {
            place: Box::new(place.into()),
            kind,
            name: name.into(),
            hint,
        }
    }
}

/// The one of `known` that is at most a third of its letters away from `name`, if there is one.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (edits(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 1.max(candidate.chars().count() / 3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Letters to insert, remove or change to get from `a` to `b`.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// A check of one number, as an error that names its place.
pub(crate) fn ensure(
    holds: bool,
    place: &Subject,
    field: &str,
    found: impl ToString,
    wanted: &str,
) -> Result<(), SceneError> {
    if holds {
        Ok(())
    } else {
        Err(SceneError::value(place, field, found, wanted))
    }
}

/// Checks that several things make, as errors that name `self`.
impl Subject {
    /// `value` is in `range`, both in `unit`.
    pub(crate) fn within(
        &self,
        field: &str,
        value: f64,
        range: RangeInclusive<f64>,
        unit: &str,
    ) -> Result<(), SceneError> {
        let [low, high] = [range.start(), range.end()].map(|x| short(*x));
        let wanted = format!("{low} to {high} {unit}");
        let found = format!("{value} {unit}");
        let (found, wanted) = (found.trim_end(), wanted.trim_end());
        ensure(range.contains(&value), self, field, found, wanted)
    }

    /// `x` is a length \[m\].
    pub(crate) fn length(&self, field: &str, x: f64) -> Result<(), SceneError> {
        let wanted = "more than zero and at most 1e6 m";
        ensure(x > 0.0 && x <= 1e6, self, field, format!("{x} m"), wanted)
    }

    /// Every number of `v` is finite and at most `limit`, in `unit`.
    pub(crate) fn finite(
        &self,
        field: &str,
        v: &[f64],
        limit: f64,
        unit: &str,
    ) -> Result<(), SceneError> {
        let fine = v.iter().all(|x| x.abs() <= limit);
        let wanted = format!("finite numbers of at most {} {unit}", short(limit));
        ensure(fine, self, field, show(v), wanted.trim_end())
    }

    /// Each part of a colour, if there is one, is from 0 to 1.
    pub(crate) fn colour(&self, colour: Option<[f64; 3]>) -> Result<(), SceneError> {
        let colour = colour.unwrap_or_default();
        let fine = colour.iter().all(|x| (0.0..=1.0).contains(x));
        let wanted = "three numbers from 0 to 1";
        ensure(fine, self, "colour", show(&colour), wanted)
    }
}

/// `x` as a person writes it: `0.5`, `1e-9`.
fn short(x: f64) -> String {
    match x.abs() {
        0.0 | 1e-3..1e6 => x.to_string(),
        _ => format!("{x:e}"),
    }
}

/// The vector `v` as a user writes it.
pub(crate) fn show(v: &[f64]) -> String {
    let parts: Vec<String> = v.iter().map(f64::to_string).collect();
    format!("[{}]", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_finds_its_neighbour() {
        assert_eq!(nearest("brik", ["ground", "brick"]), Some("brick"));
        assert_eq!(nearest("tower", ["ground", "brick"]), None);
        assert_eq!(edits("kitten", "sitting"), 3);
    }
}
