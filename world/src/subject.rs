//! What an error is about, as data.

use std::fmt;

use crate::SceneError;

/// What an error is about: a kind of thing, which one, and which of its parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// `scene`, `body`, `generator`, `material`, `contact`, `strand`, `groom`, `field`, `cloth`, `truth`; for options
    /// `solver.rigid`, `solver.strand`, `solver.cloth`.
    pub kind: &'static str,
    /// Its name, of those that have one.
    pub name: Option<String>,
    /// Its number, of those that have no name.
    pub number: Option<usize>,
    /// A numbered part of it, such as part 2 of a compound, and within that.
    pub parts: Vec<(&'static str, usize)>,
}

impl Subject {
    /// The `kind` called `name`.
    pub fn named(kind: &'static str, name: impl Into<String>) -> Self {
        Self {
            kind,
            name: Some(name.into()),
            ..Self::default()
        }
    }

    /// The `kind` with this number.
    pub fn numbered(kind: &'static str, number: usize) -> Self {
        Self {
            kind,
            number: Some(number),
            ..Self::default()
        }
    }

    /// Its part `kind` with this number.
    #[must_use]
    pub fn part(&self, kind: &'static str, number: usize) -> Self {
        let mut part = self.clone();
        part.parts.push((kind, number));
        part
    }
}

impl From<&'static str> for Subject {
    fn from(kind: &'static str) -> Self {
        Self {
            kind,
            ..Self::default()
        }
    }
}

impl From<&Subject> for Subject {
    fn from(subject: &Subject) -> Self {
        subject.clone()
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind)?;
        if let Some(name) = &self.name {
            write!(f, " `{name}`")?;
        }
        if let Some(number) = self.number {
            write!(f, " {number}")?;
        }
        let mut parts = self.parts.iter();
        parts.try_for_each(|(kind, number)| write!(f, ", {kind} {number}"))
    }
}

impl SceneError {
    /// What it is about, if that is something of the scene.
    pub fn subject(&self) -> Option<Subject> {
        use {drystone_cloth::Error as C, drystone_rigid::Error as R, drystone_strand::Error as S};
        let named = |kind, name: &String| Some(Subject::named(kind, name));
        match self {
            Self::Value { place, .. }
            | Self::Unknown { place, .. }
            | Self::Shape { place, .. }
            | Self::TooMany { place, .. }
            | Self::TooManySegments { place, .. } => Some((**place).clone()),
            Self::SameName(name) | Self::Rigid(R::SameName(name)) => named("body", name),
            Self::Rigid(R::NotFinite { body, .. } | R::OutOfRange { body, .. }) => {
                named("body", body)
            }
            Self::Rigid(R::Option { .. }) => Some("solver.rigid".into()),
            Self::Strand(S::Strand { strand, .. } | S::SameName(strand)) => named("strand", strand),
            Self::Strand(S::Field { field, .. }) => named("field", field),
            Self::Strand(S::Obstacle { obstacle, .. }) => named("body", obstacle),
            // holds are called after their strand
            Self::Strand(S::Constraint { constraint, .. }) => named("strand", constraint),
            Self::Strand(S::Option { .. }) => Some("solver.strand".into()),
            Self::Cloth(C::Quantity { object, .. } | C::SameName(object)) => named("cloth", object),
            Self::Cloth(C::Pinched { sheet }) => named("cloth", sheet),
            Self::Cloth(C::Start { patches, .. }) => named("cloth", &patches.first()?.a.object),
            Self::Cloth(C::Option { .. }) => Some("solver.cloth".into()),
            Self::Empty
            | Self::OtherScene { .. }
            | Self::Path(_)
            | Self::Strand(S::Path(_) | S::State { .. })
            | Self::Cloth(C::State { .. }) => None,
        }
    }

    /// The field that it is about, as a dotted path from its subject; empty if it is about the whole.
    pub fn field(&self) -> &str {
        use {drystone_cloth::Error as C, drystone_rigid::Error as R, drystone_strand::Error as S};
        match self {
            Self::Value { field, .. } => field,
            Self::Unknown { kind: "body", .. } => "bodies",
            Self::Unknown { kind, .. } => kind,
            Self::Shape { .. } => "shape",
            Self::SameName(_) => "name",
            Self::Rigid(R::Option { option, .. })
            | Self::Strand(S::Option { option, .. })
            | Self::Cloth(C::Option { option, .. }) => option,
            _ => "",
        }
    }
}
