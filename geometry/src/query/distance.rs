//! How far apart two shapes are.

use drystone_base::{Pose, Vec3};
use parry3d_f64::shape::{Segment, SupportMap, Triangle};

use super::closest_point;
use crate::{
    Aabb, MeshShape, Shape,
    contact::{Convex, closest_on_box, closest_on_segments, rank},
    gjk::{Closest, closest_points},
};

/// Distance of the two solids \[m\]; 0 where they touch or overlap.
///
/// Exact for balls, boxes, capsules and half-spaces; by GJK (to about 1e-8 of the size) for
/// hulls. A mesh is looked at triangle by triangle: fine for a question, not for every step.
pub fn distance(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> f64 {
    signed(a, pose_a, b, pose_b).max(0.0)
}

/// Whether the two solids share a point; touching counts, to rounding.
pub fn overlap(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> bool {
    a.aabb(pose_a).overlaps(&b.aabb(pose_b)) && signed(a, pose_a, b, pose_b) <= 0.0
}

/// Distance of two shapes \[m\]; where they overlap, some number of at most zero.
fn signed(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> f64 {
    if rank(a) > rank(b) {
        return signed(b, pose_b, a, pose_a);
    }
    match (a, b) {
        (_, Shape::Compound(parts)) => parts.iter().fold(f64::INFINITY, |least, (at, part)| {
            least.min(signed(a, pose_a, part, &pose_b.then(at)))
        }),
        (Shape::Sphere { radius }, _) => {
            closest_point(b, pose_b, pose_a.position).distance - radius
        }
        (Shape::HalfSpace, Shape::HalfSpace) => {
            // two planes keep apart only back to back
            let (up_a, up_b) = (pose_a.direction(Vec3::Y), pose_b.direction(Vec3::Y));
            let opposite = up_a.cross(up_b).length() < 1e-12 && up_a.dot(up_b) < 0.0;
            if opposite {
                up_a.dot(pose_b.position - pose_a.position)
            } else {
                0.0
            }
        }
        (_, Shape::HalfSpace) => lowest(a, pose_a, pose_b),
        (Shape::Mesh(mesh), Shape::Mesh(other)) => mesh_mesh(mesh, pose_a, other, pose_b),
        (_, Shape::Mesh(mesh)) => solid_mesh(a, pose_a, mesh, pose_b),
        (
            Shape::Capsule {
                half_length,
                radius,
            },
            _,
        ) => {
            let along = pose_a.direction(Vec3::Y) * *half_length;
            let ends = [pose_a.position - along, pose_a.position + along];
            let gap = match b {
                Shape::Capsule {
                    half_length,
                    radius,
                } => {
                    let along = pose_b.direction(Vec3::Y) * *half_length;
                    let other = [pose_b.position - along, pose_b.position + along];
                    segments(ends, other) - radius
                }
                Shape::Box { half } => segment_box(ends.map(|p| pose_b.local_point(p)), *half),
                Shape::Hull(hull) => {
                    let [p, q] = ends.map(|p| pose_b.local_point(p));
                    let solid = Convex::Hull(hull);
                    let size = solid.ball().1.min(half_length + radius);
                    gjk(&solid, &Segment::new(p, q), &Pose::IDENTITY, size)
                }
                _ => f64::INFINITY,
            };
            gap - radius
        }
        (Shape::Box { half }, Shape::Box { half: other }) => {
            box_box(*half, *other, &pose_a.inverse().then(pose_b))
        }
        _ => match (convex(a), convex(b)) {
            (Some(a), Some(b)) => {
                let size = a.ball().1.min(b.ball().1);
                gjk(&a, &b, &pose_a.inverse().then(pose_b), size)
            }
            _ => f64::INFINITY,
        },
    }
}

fn convex(shape: &Shape) -> Option<Convex<'_>> {
    match shape {
        Shape::Box { half } => Some(Convex::Box(*half)),
        Shape::Hull(hull) => Some(Convex::Hull(hull)),
        _ => None,
    }
}

/// Distance of two shapes, the smaller of which has this `size` \[m\].
fn gjk(a: &impl SupportMap, b: &impl SupportMap, b_in_a: &Pose, size: f64) -> f64 {
    match closest_points(a, b, b_in_a, size, f64::INFINITY) {
        Closest::Points { on_a, on_b, .. } => on_a.distance(on_b),
        Closest::Beyond | Closest::Overlap => 0.0,
    }
}

/// Height of the lowest point over the face of a half-space.
fn lowest(shape: &Shape, pose: &Pose, plane: &Pose) -> f64 {
    let up = plane.direction(Vec3::Y);
    let base = up.dot(pose.position - plane.position);
    let down = -pose.local_direction(up);
    let reach = match shape {
        Shape::Sphere { radius } => *radius,
        Shape::Capsule {
            half_length,
            radius,
        } => down.y.abs() * half_length + radius,
        Shape::Box { half } => down.abs().dot(*half),
        Shape::Hull(hull) => farthest(hull.points(), down),
        Shape::Mesh(mesh) => farthest(mesh.outline(), down),
        Shape::HalfSpace | Shape::Compound(_) => f64::INFINITY,
    };
    base - reach
}

fn farthest(points: &[Vec3], direction: Vec3) -> f64 {
    let reach = points.iter().map(|p| p.dot(direction));
    reach.fold(f64::NEG_INFINITY, f64::max)
}

fn segments(a: [Vec3; 2], b: [Vec3; 2]) -> f64 {
    let (p, q) = closest_on_segments(a, b);
    // parallel ones may have their nearest pair at an end
    let to = |p: Vec3, s: [Vec3; 2]| {
        let along = s[1] - s[0];
        let t = ((p - s[0]).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        (p - s[0] - along * t).length()
    };
    let ends = to(a[0], b)
        .min(to(a[1], b))
        .min(to(b[0], a))
        .min(to(b[1], a));
    (p - q).length().min(ends)
}

/// The nearest pair is an end and anything, or the segment and an edge.
fn segment_box(ends: [Vec3; 2], half: Vec3) -> f64 {
    let outside = |p: Vec3| closest_on_box(half, p).2;
    let mut least = outside(ends[0]).min(outside(ends[1]));
    let along = ends[1] - ends[0];
    // does it pass through?
    let (mut enter, mut leave) = (0.0, 1.0);
    for axis in 0..3 {
        let (o, d, h) = (ends[0][axis], along[axis], half[axis]);
        if d == 0.0 {
            if o.abs() > h {
                leave = -1.0;
            }
        } else {
            let (t0, t1) = ((-h - o) / d, (h - o) / d);
            enter = f64::max(enter, t0.min(t1));
            leave = f64::min(leave, t0.max(t1));
        }
    }
    if enter <= leave {
        return 0.0;
    }
    let solid = Convex::Box(half);
    for n in 0..solid.edge_count() {
        least = least.min(segments(ends, solid.edge(n)));
    }
    least
}

/// A corner of one and the other box, or an edge of each.
fn box_box(half: Vec3, other: Vec3, b_in_a: &Pose) -> f64 {
    if boxes_overlap(half, other, b_in_a) {
        return 0.0;
    }
    let (a, b) = (Convex::Box(half), Convex::Box(other));
    let mut least = f64::INFINITY;
    for i in 0..b.edge_count() {
        let edge = b.edge(i).map(|p| b_in_a.point(p));
        least = least.min(segment_box(edge, half));
    }
    // corners of a over faces of b; edges against edges are done
    for i in 0..a.edge_count() {
        for p in a.edge(i) {
            least = least.min(closest_on_box(other, b_in_a.local_point(p)).2);
        }
    }
    least
}

/// Separating-axis test of two boxes on all fifteen axes.
fn boxes_overlap(half: Vec3, other: Vec3, b_in_a: &Pose) -> bool {
    let turn = b_in_a.matrix();
    let (axes_a, axes_b) = (
        [Vec3::X, Vec3::Y, Vec3::Z],
        [turn.x_axis, turn.y_axis, turn.z_axis],
    );
    let apart = |axis: Vec3| {
        let reach_b = (0..3).fold(0.0, |sum, k| sum + other[k] * axis.dot(axes_b[k]).abs());
        b_in_a.position.dot(axis).abs() > axis.abs().dot(half) + reach_b
    };
    let crosses = axes_a
        .iter()
        .flat_map(|x| axes_b.iter().map(move |y| x.cross(*y)))
        .filter(|axis| axis.length_squared() > 1e-12);
    !axes_a.into_iter().chain(axes_b).chain(crosses).any(apart)
}

/// Gap between two boxes along the axes.
fn box_gap(a: &Aabb, b: &Aabb) -> f64 {
    (a.low - b.high)
        .max(b.low - a.high)
        .max(Vec3::ZERO)
        .length()
}

/// A solid without hollows against every triangle; nothing is left to the inside but being
/// wholly in it.
fn solid_mesh(shape: &Shape, pose: &Pose, mesh: &MeshShape, mesh_pose: &Pose) -> f64 {
    let local = mesh_pose.inverse().then(pose);
    let bounds = shape.aabb(&local);
    let middle = match shape {
        Shape::Hull(hull) => local.point(hull.mass_properties(1.0).centre),
        _ => local.position,
    };
    if mesh.closest_point(middle).distance <= 0.0 {
        return 0.0;
    }
    let mut least = f64::INFINITY;
    for t in 0..mesh.mesh().triangles().len() {
        let corners = mesh.mesh().corners(t);
        let around = Aabb::of_points(corners);
        if box_gap(&around, &bounds) >= least {
            continue;
        }
        let triangle = Triangle::new(corners[0], corners[1], corners[2]);
        let size = 0.5 * around.extent().length();
        let gap = match shape {
            Shape::Capsule {
                half_length,
                radius,
            } => {
                let along = Vec3::Y * *half_length;
                let size = size.min(half_length + radius);
                gjk(&triangle, &Segment::new(-along, along), &local, size) - radius
            }
            _ => convex(shape).map_or(f64::INFINITY, |solid| {
                gjk(&triangle, &solid, &local, size.min(solid.ball().1))
            }),
        };
        least = least.min(gap);
    }
    least
}

fn mesh_mesh(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose) -> f64 {
    let b_in_a = pose_a.inverse().then(pose_b);
    let inside = |mesh: &MeshShape, p: Vec3| mesh.closest_point(p).distance <= 0.0;
    let corner_b = b.mesh().vertices()[0];
    let corner_a = a.mesh().vertices()[0];
    if inside(a, b_in_a.point(corner_b)) || inside(b, b_in_a.local_point(corner_a)) {
        return 0.0;
    }
    let others: Vec<([Vec3; 3], Aabb)> = (0..b.mesh().triangles().len())
        .map(|t| {
            let corners = b.mesh().corners(t).map(|p| b_in_a.point(p));
            (corners, Aabb::of_points(corners))
        })
        .collect();
    let all = others.iter().fold(Aabb::EMPTY, |sum, o| sum.union(&o.1));
    let mut least = f64::INFINITY;
    for t in 0..a.mesh().triangles().len() {
        let corners = a.mesh().corners(t);
        let around = Aabb::of_points(corners);
        if box_gap(&around, &all) >= least {
            continue;
        }
        let triangle = Triangle::new(corners[0], corners[1], corners[2]);
        for (other, bounds) in &others {
            if box_gap(&around, bounds) < least {
                let other = Triangle::new(other[0], other[1], other[2]);
                let size = 0.5 * around.extent().length().min(bounds.extent().length());
                least = least.min(gjk(&triangle, &other, &Pose::IDENTITY, size));
            }
        }
    }
    least
}
