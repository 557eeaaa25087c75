//! What anyone may look at: the world at one moment.

use std::sync::Arc;

use drystone_base::{Pose, Vec3};
use serde::{Deserialize, Serialize};

/// The world at one moment. Bodies are in the order of [`crate::World::bodies`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// [s]
    pub time: f64,
    /// Steps taken since the start.
    pub step: u64,
    /// Every body, those that have not entered included.
    pub bodies: Vec<FrameBody>,
    /// Contact points, where asked for.
    pub contacts: Vec<FrameContact>,
}

/// One body at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameBody {
    /// As in the scene.
    pub name: Arc<str>,
    /// Of the shape's frame.
    pub pose: Pose,
    /// Whether it has entered and is still there.
    pub visible: bool,
    /// Of the centre of mass [m/s].
    pub linear_velocity: Vec3,
    /// World axes [rad/s].
    pub angular_velocity: Vec3,
}

/// One contact point at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameContact {
    /// One body, by index.
    pub a: usize,
    /// The other.
    pub b: usize,
    /// [m]
    pub point: Vec3,
    /// Unit vector from `a` to `b`.
    pub normal: Vec3,
    /// Signed distance, negative inside [m].
    pub distance: f64,
    /// What `b` receives from `a` [N].
    pub force: Vec3,
}
