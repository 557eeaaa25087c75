//! What can be wrong with a scene.

use crate::Subject;

/// A scene that cannot be simulated, and why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SceneError {
    /// A value that will not do.
    #[error("{place}: `{field}` is {found}; wanted {wanted}")]
    Value {
        /// What it belongs to, such as ``body `tower/3` ``.
        place: Box<Subject>,
        /// Which field.
        field: String,
        /// The value found.
        found: String,
        /// What would do.
        wanted: String,
    },
    /// A name that nothing carries.
    #[error("{place}: there is no {kind} `{name}`; {hint}")]
    Unknown {
        /// Who asks for it.
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
    /// More bodies than memory or patience allow.
    #[error("{place} makes {found} bodies; wanted at most {limit} in a scene")]
    TooMany {
        /// Which generator, or the whole scene.
        place: Box<Subject>,
        /// How many.
        found: u64,
        /// The most allowed.
        limit: u64,
    },
    /// More strands than memory or patience allow.
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
