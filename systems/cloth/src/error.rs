//! What can be wrong with a model.

/// A model that cannot be simulated, and why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// A quantity of a sheet, obstacle, or the whole, outside its range.
    #[error("{object}: {what} is {found}; wanted {wanted}")]
    Quantity {
        /// The thing, such as "sheet `flag`".
        object: String,
        /// The quantity.
        what: String,
        /// The value found.
        found: String,
        /// The values that are allowed.
        wanted: String,
    },
    /// Two things with one name.
    #[error("`{0}`: the name is used twice; names must differ")]
    SameName(String),
    /// An option outside its range.
    #[error("option `{option}` is {found}; wanted {wanted}")]
    Option {
        /// The option.
        option: &'static str,
        /// The value found.
        found: String,
        /// The values that are allowed.
        wanted: &'static str,
    },
    /// The start is not free of intersections, or closer than can be held.
    #[error("the start cannot be simulated: {} place(s), the worst: {worst}", .patches.len())]
    Start {
        /// The worst pair in words: its things, the place and the distance.
        worst: String,
        /// Every place found, at most a hundred.
        patches: Vec<crate::Patch>,
    },
    /// Things come or go while cloth is pinched.
    #[error("nothing can be added or taken away while cloth is pinched; `{sheet}` is")]
    Pinched {
        /// Name of the sheet.
        sheet: String,
    },
    /// A snapshot of another model.
    #[error("state has {found}; this model has {wanted}")]
    State {
        /// Value in the state.
        found: String,
        /// Value in the model.
        wanted: String,
    },
}

impl Error {
    pub(crate) fn quantity(
        object: impl Into<String>,
        what: impl Into<String>,
        found: impl std::fmt::Display,
        wanted: impl Into<String>,
    ) -> Self {
        Self::Quantity {
            object: object.into(),
            what: what.into(),
            found: found.to_string(),
            wanted: wanted.into(),
        }
    }
}
