//! Where two shapes touch or are about to.

use drystone_base::{Pose, Vec3};

use crate::Shape;

/// One point of a manifold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// On the surface of `a`, world [m].
    pub on_a: Vec3,
    /// On the surface of `b`, world [m].
    pub on_b: Vec3,
    /// Signed distance along the normal, negative inside [m]: `normal · (on_b - on_a)`.
    pub distance: f64,
    /// Which corner, edge or sample made the point: the same number while the same features touch.
    pub feature: u32,
}

/// Points that share a normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Manifold {
    /// Unit vector from `a` to `b`, world.
    pub normal: Vec3,
    /// First point in the buffer.
    pub first: u32,
    /// How many points (1 to 8).
    pub count: u32,
}

/// Manifolds of one pair after another; cleared and filled again without allocation.
#[derive(Clone, Debug, Default)]
pub struct ContactBuffer {
    /// In the order found.
    pub manifolds: Vec<Manifold>,
    /// Points of all manifolds.
    pub points: Vec<ContactPoint>,
}

/// Appends the manifolds of `a` and `b` to `out`: all points whose signed distance is below `envelope`.
pub fn collide(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    envelope: f64,
    out: &mut ContactBuffer,
) {
    let _ = (a, pose_a, b, pose_b, envelope, out);
}
