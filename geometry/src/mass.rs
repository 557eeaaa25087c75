//! Mass, centre of mass and inertia of solids.

use drystone_base::{Symmetric3, Vec3};

/// What a solid of a given density weighs and how it resists turning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// [kg]
    pub mass: f64,
    /// In the shape's frame [m].
    pub centre: Vec3,
    /// About the centre, in the axes of the shape's frame [kg m²].
    pub inertia: Symmetric3,
}
