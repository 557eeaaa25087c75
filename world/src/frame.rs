//! What anyone may look at: the world at one moment.

use std::sync::Arc;

use drystone_base::{Pose, Quat, Vec3};
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
    /// Every curve of every strand; a branched strand has several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strands: Vec<FrameStrand>,
    /// Every piece of cloth.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cloths: Vec<FrameCloth>,
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
    /// Whether it has entered, is still there and is not hidden.
    pub visible: bool,
    /// Of the centre of mass [m/s].
    pub linear_velocity: Vec3,
    /// World axes [rad/s].
    pub angular_velocity: Vec3,
}

/// One curve of a strand at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameStrand {
    /// Of the strand, as in the scene; a branch carries its number too: `tree/3`.
    pub name: Arc<str>,
    /// From the root to the tip, one more than segments [m].
    pub points: Vec<Vec3>,
    /// Material frame of every segment: its y axis points along the segment, to the tip.
    pub orientations: Vec<Quat>,
    /// Of every point [m].
    pub radii: Arc<[f64]>,
    /// Red, green and blue from 0 to 1, if the scene says so.
    pub colour: Option<[f64; 3]>,
}

/// One piece of cloth at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameCloth {
    /// As in the scene.
    pub name: Arc<str>,
    /// Of every vertex [m].
    pub points: Vec<Vec3>,
    /// Corners by vertex, counter-clockwise seen from the front.
    pub triangles: Arc<[[u32; 3]]>,
    /// Red, green and blue from 0 to 1, if the scene says so.
    pub colour: Option<[f64; 3]>,
}

/// One contact point at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameContact {
    /// One body, by index.
    pub a: usize,
    /// The other; from the number of bodies on, a curve of the frame.
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
