//! Who touches whom. Contacts live on from step to step: while two bodies hardly move against
//! each other their manifold is kept and only measured again.

use drystone_base::{Pose, Vec3};
use serde::{Deserialize, Serialize};

/// Two bodies near each other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// The body with the smaller index.
    pub a: u32,
    /// The other.
    pub b: u32,
    /// First patch.
    pub first: u32,
    /// How many patches.
    pub count: u32,
    /// Pose of `b` seen from `a` when the patches were found.
    pub found_at: Pose,
}

/// At most four points of a pair that share a normal.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Patch {
    /// The pair's bodies again.
    pub a: u32,
    /// The pair's bodies again.
    pub b: u32,
    /// Unit normal from `a` to `b`, in the frame of `a`.
    pub normal_local: Vec3,
    /// The same in the world, measured at the start of the step.
    pub normal: Vec3,
    /// Coulomb's coefficient [1].
    pub friction: f64,
    /// Newton's coefficient [1].
    pub restitution: f64,
    /// First point.
    pub first: u32,
    /// How many points (1 to 4).
    pub count: u32,
}

/// One point of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// On the surface of `a`, in its body frame [m].
    pub anchor_a: Vec3,
    /// On the surface of `b`, in its body frame [m].
    pub anchor_b: Vec3,
    /// Midway between the two, world, at the start of the step [m].
    pub position: Vec3,
    /// Signed distance along the normal at the start of the step [m].
    pub distance: f64,
    /// Which features made the point.
    pub feature: u32,
    /// What `b` received from `a` here in the last (sub)step, world [N s].
    pub impulse: Vec3,
    /// Whether the point was not there in the step before.
    pub fresh: bool,
}

/// All contacts of a state, ordered by pair.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Contacts {
    /// Ordered by (`a`, `b`).
    pub pairs: Vec<Pair>,
    /// Patches of all pairs.
    pub patches: Vec<Patch>,
    /// Points of all patches.
    pub points: Vec<Point>,
}
