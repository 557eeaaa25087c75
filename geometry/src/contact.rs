//! Where two shapes touch or are about to.

mod box_box;
mod sink;
mod sphere;

use drystone_base::{Pose, Vec3};
use sink::Sink;
pub(crate) use sphere::closest_on_box;

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

impl ContactBuffer {
    /// Empties the buffer, keeps its memory.
    pub fn clear(&mut self) {
        self.manifolds.clear();
        self.points.clear();
    }

    /// The points of one manifold.
    pub fn points_of(&self, manifold: &Manifold) -> &[ContactPoint] {
        &self.points[manifold.first as usize..(manifold.first + manifold.count) as usize]
    }
}

/// Appends the manifolds of `a` and `b` to `out`: all points whose signed distance is below `envelope`.
///
/// A function of its arguments alone: nothing is remembered from call to call.
pub fn collide(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    envelope: f64,
    out: &mut ContactBuffer,
) {
    dispatch(a, pose_a, b, pose_b, envelope, &mut Sink::new(out));
}

/// Shapes in the order in which the pair functions take them.
fn rank(shape: &Shape) -> u8 {
    match shape {
        Shape::Sphere { .. } => 0,
        Shape::Capsule { .. } => 1,
        Shape::Box { .. } => 2,
        Shape::HalfSpace => 8,
        Shape::Compound(_) => 9,
    }
}

fn dispatch(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    envelope: f64,
    sink: &mut Sink<'_>,
) {
    if rank(a) > rank(b) {
        sink.flip();
        dispatch(b, pose_b, a, pose_a, envelope, sink);
        sink.flip();
        return;
    }
    match (a, b) {
        (Shape::Sphere { radius }, Shape::Sphere { radius: other }) => {
            sphere::sphere_sphere(
                pose_a.position,
                *radius,
                pose_b.position,
                *other,
                envelope,
                sink,
            );
        }
        (Shape::Sphere { radius }, Shape::Box { half }) => {
            sphere::sphere_box(pose_a.position, *radius, *half, pose_b, envelope, sink);
        }
        (Shape::Sphere { radius }, Shape::HalfSpace) => {
            sphere::sphere_half_space(pose_a.position, *radius, pose_b, envelope, sink);
        }
        (Shape::Box { half }, Shape::Box { half: other }) => {
            box_box::box_box(*half, pose_a, *other, pose_b, envelope, sink);
        }
        (Shape::Box { half }, Shape::HalfSpace) => {
            box_box::box_half_space(*half, pose_a, pose_b, envelope, sink);
        }
        _ => {}
    }
}
