//! Questions a user asks of shapes: what does a ray hit, what is near, what overlaps.

mod distance;
mod ray;
mod scene;

pub use distance::{distance, overlap};
use drystone_base::{Pose, Vec3};
pub use ray::{RayHit, ray_cast};
pub use scene::SceneQuery;

use crate::{
    Shape,
    contact::{Convex, closest_on_box},
};

/// The answer of [`closest_point`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoint {
    /// Point on the surface, world \[m\].
    pub point: Vec3,
    /// Signed distance from the surface, negative inside \[m\].
    pub distance: f64,
}

/// The point of the shape's surface nearest to `point`, world.
///
/// Inside a compound: that of the part in which `point` lies deepest, so that the distance is
/// then a lower bound of the depth.
pub fn closest_point(shape: &Shape, pose: &Pose, point: Vec3) -> ClosestPoint {
    match shape {
        Shape::Sphere { radius } => near_ball(pose.position, *radius, point),
        Shape::Box { half } => {
            let (local, _, distance) = closest_on_box(*half, pose.local_point(point));
            ClosestPoint {
                point: pose.point(local),
                distance,
            }
        }
        Shape::Capsule {
            half_length,
            radius,
        } => {
            let along = pose.local_point(point).y.clamp(-half_length, *half_length);
            near_ball(pose.point(Vec3::Y * along), *radius, point)
        }
        Shape::HalfSpace => {
            let up = pose.direction(Vec3::Y);
            let distance = up.dot(point - pose.position);
            ClosestPoint {
                point: point - up * distance,
                distance,
            }
        }
        Shape::Hull(hull) => {
            let (local, _, distance) = Convex::Hull(hull).closest(pose.local_point(point));
            ClosestPoint {
                point: pose.point(local),
                distance,
            }
        }
        Shape::Mesh(mesh) => {
            let found = mesh.closest_point(pose.local_point(point));
            ClosestPoint {
                point: pose.point(found.point),
                distance: found.distance,
            }
        }
        Shape::Compound(parts) => {
            let nothing = ClosestPoint {
                point: pose.position,
                distance: f64::INFINITY,
            };
            parts.iter().fold(nothing, |best, (at, part)| {
                let found = closest_point(part, &pose.then(at), point);
                if found.distance < best.distance {
                    found
                } else {
                    best
                }
            })
        }
    }
}

fn near_ball(centre: Vec3, radius: f64, point: Vec3) -> ClosestPoint {
    let apart = point - centre;
    let length = apart.length();
    let direction = if length > 0.0 {
        apart / length
    } else {
        Vec3::Y
    };
    ClosestPoint {
        point: centre + direction * radius,
        distance: length - radius,
    }
}
