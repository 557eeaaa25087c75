//! What can be wrong with a model.

/// A model that cannot be simulated, and why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// A number that must be finite is not.
    #[error("body `{body}`: {what} is {found}; it must be finite")]
    NotFinite {
        /// The body's name.
        body: String,
        /// The quantity.
        what: &'static str,
        /// The value found.
        found: String,
    },
    /// A quantity outside its range.
    #[error("body `{body}`: {what} is {found}; wanted {wanted}")]
    OutOfRange {
        /// The body's name.
        body: String,
        /// The quantity.
        what: &'static str,
        /// The value found.
        found: String,
        /// The values that are allowed.
        wanted: &'static str,
    },
    /// Two bodies with one name.
    #[error("body `{0}`: the name is used twice; names must differ")]
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
}
