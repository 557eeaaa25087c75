//! Where two shapes touch or are about to.

mod box_box;
mod capsule;
mod convex;
mod hull;
mod sink;
mod sphere;

pub(crate) use convex::Convex;
use drystone_base::{Pose, Vec3};
pub(crate) use hull::closest_on_segments;
use sink::Sink;
pub(crate) use sphere::closest_on_box;

use capsule::Rod;

use crate::{Shape, mesh};

/// One point of a manifold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// Point on the surface of `a`, world \[m\].
    pub on_a: Vec3,
    /// Point on the surface of `b`, world \[m\].
    pub on_b: Vec3,
    /// Signed distance along the normal, negative inside \[m\]: `normal · (on_b - on_a)`.
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
    /// How many points (1 to 16): at most eight that span the contact, and others that may come down within a step.
    pub count: u32,
}

/// Manifolds of one pair after another; cleared and filled again without allocation.
#[derive(Clone, Debug, Default)]
pub struct ContactBuffer {
    /// Manifolds in the order found.
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

/// A mesh that is convex as the hull that it is.
fn plainest(shape: &Shape) -> &Shape {
    match shape {
        Shape::Mesh(mesh) => mesh.convex().unwrap_or(shape),
        _ => shape,
    }
}

/// Shapes in the order in which the pair functions take them.
pub(crate) fn rank(shape: &Shape) -> u8 {
    match shape {
        Shape::Sphere { .. } => 0,
        Shape::Capsule { .. } => 1,
        Shape::Box { .. } => 2,
        Shape::Hull(_) => 3,
        Shape::Mesh(_) => 7,
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
    let (a, b) = (plainest(a), plainest(b));
    if rank(a) > rank(b) {
        sink.flip();
        dispatch(b, pose_b, a, pose_a, envelope, sink);
        sink.flip();
        return;
    }
    match (a, b) {
        (_, Shape::Compound(parts)) => {
            let bounds = a.aabb(pose_a).grown(envelope);
            for (n, (at, part)) in parts.iter().enumerate() {
                let pose = pose_b.then(at);
                if bounds.overlaps(&part.aabb(&pose)) {
                    let before = sink.enter(n as u32);
                    dispatch(a, pose_a, part, &pose, envelope, sink);
                    sink.leave(before);
                }
            }
        }
        (_, Shape::Mesh(_)) | (Shape::Mesh(_), _) => {
            mesh::contact::dispatch(a, pose_a, b, pose_b, envelope, &mut |normal, touches| {
                let mut writer = sink.manifold(normal);
                for touch in touches {
                    writer.point(touch.on_a, touch.on_b, touch.feature);
                }
                writer.finish();
            });
        }
        (Shape::Sphere { radius }, _) => {
            let centre = pose_a.position;
            match b {
                Shape::Sphere { radius: other } => {
                    let to = pose_b.position;
                    sphere::sphere_sphere(centre, *radius, to, *other, envelope, sink);
                }
                Shape::Capsule {
                    half_length,
                    radius: other,
                } => {
                    let rod = Rod::new(*half_length, *other, pose_b);
                    capsule::sphere_capsule(centre, *radius, &rod, envelope, sink);
                }
                Shape::Box { half } => {
                    sphere::sphere_box(centre, *radius, *half, pose_b, envelope, sink);
                }
                Shape::Hull(hull) => {
                    hull::sphere_hull(centre, *radius, hull, pose_b, envelope, sink);
                }
                Shape::HalfSpace => {
                    sphere::sphere_half_space(centre, *radius, pose_b, envelope, sink);
                }
                Shape::Mesh(_) | Shape::Compound(_) => {}
            }
        }
        (
            Shape::Capsule {
                half_length,
                radius,
            },
            _,
        ) => {
            let rod = Rod::new(*half_length, *radius, pose_a);
            match b {
                Shape::Capsule {
                    half_length,
                    radius,
                } => {
                    let other = Rod::new(*half_length, *radius, pose_b);
                    capsule::capsule_capsule(&rod, &other, envelope, sink);
                }
                Shape::Box { half } => {
                    capsule::capsule_convex(&rod, Convex::Box(*half), pose_b, envelope, sink);
                }
                Shape::Hull(hull) => {
                    capsule::capsule_convex(&rod, Convex::Hull(hull), pose_b, envelope, sink);
                }
                Shape::HalfSpace => {
                    capsule::capsule_half_space(&rod, pose_b, envelope, sink);
                }
                Shape::Sphere { .. } | Shape::Mesh(_) | Shape::Compound(_) => {}
            }
        }
        (Shape::Box { half }, Shape::Box { half: other }) => {
            box_box::box_box(*half, pose_a, *other, pose_b, envelope, sink);
        }
        (Shape::Box { half }, Shape::HalfSpace) => {
            box_box::box_half_space(*half, pose_a, pose_b, envelope, sink);
        }
        (Shape::Box { half }, Shape::Hull(hull)) => {
            let (a, b) = (Convex::Box(*half), Convex::Hull(hull));
            hull::convex_convex(a, pose_a, b, pose_b, envelope, sink);
        }
        (Shape::Hull(hull), Shape::Hull(other)) => {
            let (a, b) = (Convex::Hull(hull), Convex::Hull(other));
            hull::convex_convex(a, pose_a, b, pose_b, envelope, sink);
        }
        (Shape::Hull(hull), Shape::HalfSpace) => {
            hull::hull_half_space(hull, pose_a, pose_b, envelope, sink);
        }
        // two half-spaces, and pairs that the order above excludes
        _ => {}
    }
}
