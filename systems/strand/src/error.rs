//! What can be wrong with a model.

/// A model that cannot be simulated, and why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// A quantity of a strand outside its range.
    #[error("strand `{strand}`: {what} is {found}; wanted {wanted}")]
    Strand {
        /// The strand's name.
        strand: String,
        /// The quantity.
        what: String,
        /// The value found.
        found: String,
        /// The values that are allowed.
        wanted: &'static str,
    },
    /// Two strands with one name.
    #[error("strand `{0}`: the name is used twice; names must differ")]
    SameName(String),
    /// A quantity of a field outside its range.
    #[error("field `{field}`: {what} is {found}; wanted {wanted}")]
    Field {
        /// The field's name.
        field: String,
        /// The quantity.
        what: &'static str,
        /// The value found.
        found: String,
        /// The values that are allowed.
        wanted: &'static str,
    },
    /// A quantity of a constraint outside its range.
    #[error("constraint `{constraint}`: {what} is {found}; wanted {wanted}")]
    Constraint {
        /// The constraint's name.
        constraint: String,
        /// The quantity.
        what: String,
        /// The value found.
        found: String,
        /// The values that are allowed.
        wanted: &'static str,
    },
    /// A quantity of an obstacle outside its range.
    #[error("obstacle `{obstacle}`: {what} is {found}; wanted {wanted}")]
    Obstacle {
        /// The obstacle's name.
        obstacle: String,
        /// The quantity.
        what: String,
        /// The value found.
        found: String,
        /// The values that are allowed.
        wanted: &'static str,
    },
    /// Keys of a motion path that make no path.
    #[error(transparent)]
    Path(#[from] drystone_common::PathError),
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
    /// A state that belongs to another model.
    #[error("state has {found}; this model has {wanted}")]
    State {
        /// Value in the state.
        found: String,
        /// Value in the model.
        wanted: String,
    },
}
