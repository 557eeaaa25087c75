//! Balls against balls, boxes and half-spaces: one point each.

use drystone_base::{Pose, Vec3};

use super::sink::Sink;

pub(crate) fn sphere_sphere(
    centre_a: Vec3,
    radius_a: f64,
    centre_b: Vec3,
    radius_b: f64,
    envelope: f64,
    sink: &mut Sink<'_>,
) {
    let apart = centre_b - centre_a;
    let reach = radius_a + radius_b + envelope;
    let squared = apart.length_squared();
    if squared >= reach * reach {
        return;
    }
    let length = squared.sqrt();
    // centres that coincide leave no direction: take the vertical
    let normal = if length > 1e-12 * reach {
        apart / length
    } else {
        Vec3::Y
    };
    sink.single(
        normal,
        centre_a + normal * radius_a,
        centre_b - normal * radius_b,
        0,
    );
}

pub(crate) fn sphere_box(
    centre: Vec3,
    radius: f64,
    half: Vec3,
    pose: &Pose,
    envelope: f64,
    sink: &mut Sink<'_>,
) {
    let (point, outward, distance) = closest_on_box(half, pose.local_point(centre));
    if distance - radius >= envelope {
        return;
    }
    let normal = -pose.direction(outward);
    sink.single(normal, centre + normal * radius, pose.point(point), 0);
}

pub(crate) fn sphere_half_space(
    centre: Vec3,
    radius: f64,
    pose: &Pose,
    envelope: f64,
    sink: &mut Sink<'_>,
) {
    let up = pose.direction(Vec3::Y);
    let height = up.dot(centre - pose.position);
    if height - radius < envelope {
        sink.single(-up, centre - up * radius, centre - up * height, 0);
    }
}

/// The point of the box's surface nearest to `p`, the outward unit normal there, and the
/// signed distance; all in the frame of the box.
pub(crate) fn closest_on_box(half: Vec3, p: Vec3) -> (Vec3, Vec3, f64) {
    let inside = p.clamp(-half, half);
    let apart = p - inside;
    let squared = apart.length_squared();
    // below this the direction is rounding noise: take the face instead
    let noise = 1e-14 * half.max_element();
    if squared > noise * noise {
        let distance = squared.sqrt();
        return (inside, apart / distance, distance);
    }
    // inside: out through the nearest face
    let gap = half - p.abs();
    let axis = if gap.x <= gap.y && gap.x <= gap.z {
        0
    } else if gap.y <= gap.z {
        1
    } else {
        2
    };
    let side = if p[axis] < 0.0 { -1.0 } else { 1.0 };
    let (mut point, mut normal) = (p, Vec3::ZERO);
    point[axis] = side * half[axis];
    normal[axis] = side;
    (point, normal, -gap[axis])
}
