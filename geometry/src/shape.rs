//! The shapes a body may have.

use std::sync::Arc;

use drystone_base::{Pose, Vec3};
use serde::{Deserialize, Serialize};

/// A solid, in its own frame.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A ball about the origin.
    Sphere {
        /// [m]
        radius: f64,
    },
    /// A box about the origin, along the axes.
    Box {
        /// Half of each edge [m].
        half: Vec3,
    },
    /// All points within `radius` of a segment along y, centred on the origin.
    Capsule {
        /// Half of the segment, without the caps [m].
        half_length: f64,
        /// [m]
        radius: f64,
    },
    /// Everything with y <= 0.
    HalfSpace,
    /// Several solids that move as one. Nested compounds are not allowed.
    Compound(Arc<Vec<(Pose, Shape)>>),
}

/// A box along the world's axes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Aabb {
    /// Smallest corner [m].
    pub low: Vec3,
    /// Largest corner [m].
    pub high: Vec3,
}
