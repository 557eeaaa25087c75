//! What a ray hits first.

use drystone_base::{Pose, Vec3};

use super::closest_point;
use crate::{Hull, Shape};

/// Where a ray meets a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// Distance from the origin of the ray \[m\].
    pub distance: f64,
    /// Point that was hit, world \[m\].
    pub point: Vec3,
    /// Outward unit normal of the surface, world.
    pub normal: Vec3,
}

/// The first point of the shape on the ray from `origin` along `direction` (of any length),
/// at most `max` away \[m\].
///
/// A ray that begins inside hits at once: at distance 0, with the normal against its direction.
/// A ray that is not finite or has no direction hits nothing.
pub fn ray_cast(
    shape: &Shape,
    pose: &Pose,
    origin: Vec3,
    direction: Vec3,
    max: f64,
) -> Option<RayHit> {
    let direction = direction.try_normalize()?;
    if !origin.is_finite() || max.is_nan() || max < 0.0 {
        return None;
    }
    if let Shape::Compound(parts) = shape {
        let mut best: Option<RayHit> = None;
        for (at, part) in parts.iter() {
            let limit = best.map_or(max, |hit| hit.distance);
            let hit = ray_cast(part, &pose.then(at), origin, direction, limit);
            if let Some(hit) = hit
                && best.is_none_or(|b| hit.distance < b.distance)
            {
                best = Some(hit);
            }
        }
        return best;
    }
    if closest_point(shape, pose, origin).distance <= 0.0 {
        return Some(RayHit {
            distance: 0.0,
            point: origin,
            normal: -direction,
        });
    }
    let (o, d) = (pose.local_point(origin), pose.local_direction(direction));
    let (distance, normal) = match shape {
        Shape::Sphere { radius } => ball(o, d, *radius)?,
        Shape::Box { half } => cuboid(o, d, *half)?,
        Shape::Capsule {
            half_length,
            radius,
        } => capsule(o, d, *half_length, *radius)?,
        Shape::HalfSpace if d.y < 0.0 => (-o.y / d.y, Vec3::Y),
        Shape::Hull(hull) => polyhedron(o, d, hull)?,
        Shape::Mesh(mesh) => mesh.ray_cast(o, d, max)?,
        Shape::HalfSpace | Shape::Compound(_) => return None,
    };
    (distance <= max).then(|| RayHit {
        distance,
        point: origin + direction * distance,
        normal: pose.direction(normal),
    })
}

// All of the following: origin outside, direction of unit length, answer distance and normal.

fn ball(o: Vec3, d: Vec3, radius: f64) -> Option<(f64, Vec3)> {
    let along = -o.dot(d);
    // from the foot of the perpendicular, which loses no digits far away
    let foot = o + d * along;
    let half_squared = radius * radius - foot.length_squared();
    if along < 0.0 || half_squared < 0.0 {
        return None;
    }
    let half = half_squared.sqrt();
    Some(((along - half).max(0.0), (foot - d * half) / radius))
}

fn cuboid(o: Vec3, d: Vec3, half: Vec3) -> Option<(f64, Vec3)> {
    let (mut enter, mut leave) = (0.0, f64::INFINITY);
    let mut normal = -d;
    for axis in 0..3 {
        if d[axis] == 0.0 {
            if o[axis].abs() > half[axis] {
                return None;
            }
            continue;
        }
        let side = if d[axis] > 0.0 { -1.0 } else { 1.0 };
        let near = (side * half[axis] - o[axis]) / d[axis];
        let far = (-side * half[axis] - o[axis]) / d[axis];
        if near > enter {
            enter = near;
            normal = Vec3::ZERO;
            normal[axis] = side;
        }
        leave = f64::min(leave, far);
    }
    (enter <= leave).then_some((enter, normal))
}

fn capsule(o: Vec3, d: Vec3, half_length: f64, radius: f64) -> Option<(f64, Vec3)> {
    // the side, as a circle seen along y
    let (ox, dx) = (Vec3::new(o.x, 0.0, o.z), Vec3::new(d.x, 0.0, d.z));
    let across = dx.length();
    if across > 0.0
        && let Some((t, normal)) = ball(ox, dx / across, radius)
        && (o.y + d.y * t / across).abs() <= half_length
        && ox.length_squared() > radius * radius
    {
        return Some((t / across, normal));
    }
    // the caps
    let cap = |y: f64| ball(o - Vec3::Y * y, d, radius);
    match (cap(-half_length), cap(half_length)) {
        (Some(low), Some(high)) => Some(if low.0 < high.0 { low } else { high }),
        (low, high) => low.or(high),
    }
}

fn polyhedron(o: Vec3, d: Vec3, hull: &Hull) -> Option<(f64, Vec3)> {
    let (mut enter, mut leave) = (0.0, f64::INFINITY);
    let mut normal = -d;
    for face in hull.faces() {
        let (height, fall) = (face.normal.dot(o) - face.offset, face.normal.dot(d));
        if fall == 0.0 {
            if height > 0.0 {
                return None;
            }
            continue;
        }
        let t = -height / fall;
        if fall > 0.0 {
            leave = f64::min(leave, t);
        } else if t > enter {
            (enter, normal) = (t, face.normal);
        }
    }
    (enter <= leave).then_some((enter, normal))
}
