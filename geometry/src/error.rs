//! What can be wrong with a shape.

use drystone_base::Vec3;
use thiserror::Error;

/// Why a shape was refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ShapeError {
    /// A length that is not a number, not positive, or absurd.
    #[error(
        "{shape}: {quantity} is {found} m; wanted a length from {} m to {} m",
        Self::SMALLEST,
        Self::LARGEST
    )]
    Length {
        /// Kind of shape.
        shape: &'static str,
        /// Name of the length.
        quantity: &'static str,
        /// Value given \[m\].
        found: f64,
    },
    /// Lengths of one shape that differ by more than arithmetic can carry.
    #[error("{shape}: longest to shortest edge is {found:.3e} to 1; wanted at most {wanted:.0e}")]
    Slender {
        /// Kind of shape.
        shape: &'static str,
        /// The ratio found \[1\].
        found: f64,
        /// The largest ratio allowed \[1\].
        wanted: f64,
    },
    /// A point that is not finite or too far out.
    #[error(
        "hull: point {index} is {found}; wanted finite coordinates within {} m",
        Self::LARGEST
    )]
    Point {
        /// Index of the point.
        index: usize,
        /// Value given \[m\].
        found: Vec3,
    },
    /// Too few points.
    #[error("hull: {found} different points; wanted at least 4")]
    TooFewPoints {
        /// Number of different points that were given.
        found: usize,
    },
    /// All points in one plane or on one line.
    #[error(
        "hull: its points span {found:.3e} m across their flattest direction; wanted at least {wanted:.3e} m"
    )]
    Flat {
        /// Thickness found \[m\].
        found: f64,
        /// The least thickness for points so far apart \[m\].
        wanted: f64,
    },
    /// The hull could not be built although its points look sound.
    #[error(
        "hull: no closed surface around {points} points ({reason}); wanted points in general position"
    )]
    NoHull {
        /// Number of points.
        points: usize,
        /// The reason.
        reason: String,
    },
    /// A compound without parts.
    #[error("compound: found no parts; wanted at least one")]
    NoParts,
    /// A part that may not stand in a compound.
    #[error(
        "compound: part {part} is a {found}; wanted a solid that is bounded and not itself a compound"
    )]
    Part {
        /// Index of the part.
        part: usize,
        /// Kind of the part.
        found: &'static str,
    },
    /// A part whose pose is not finite, or not a rotation.
    #[error(
        "compound: part {part} has position {position} and a rotation of length {length}; wanted finite numbers within {} m and length 1",
        Self::LARGEST
    )]
    PartPose {
        /// Index of the part.
        part: usize,
        /// Its position \[m\].
        position: Vec3,
        /// Length of its quaternion \[1\].
        length: f64,
    },
}

impl ShapeError {
    /// The smallest length allowed \[m\].
    pub const SMALLEST: f64 = 1e-6;
    /// The largest length allowed \[m\].
    pub const LARGEST: f64 = 1e6;
    /// The largest ratio of edges allowed \[1\].
    pub const SLENDEREST: f64 = 1e7;
}
