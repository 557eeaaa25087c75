//! Capsules: the segment inside meets the other shape at a distance of one radius.

use drystone_base::{Pose, Vec3};
use parry3d_f64::shape::Segment;

use super::{
    convex::{Convex, Ring},
    hull::closest_on_segments,
    sink::{Sink, mix},
    sphere::sphere_sphere,
};
use crate::gjk::{Closest, closest_points};

/// Squared sine of the angle up to which a capsule lies along another, or along an edge.
const PARALLEL: f64 = 1e-3;
/// How much higher over an edge than over a face an axis inside must be to leave by it, relatively.
const EDGE_RELATIVE: f64 = 0.05;
/// Cosine of the angle up to which a normal counts as that of a face.
const ALONG_FACE: f64 = 0.999;

/// How much farther than the nearest point what a face or an edge gives may be, over distance and radius.
const MISSES: f64 = 0.05;

/// A capsule in the world.
#[derive(Clone, Copy)]
pub(crate) struct Rod {
    pub(crate) ends: [Vec3; 2],
    pub(crate) radius: f64,
}

impl Rod {
    pub(crate) fn new(half_length: f64, radius: f64, pose: &Pose) -> Self {
        let along = pose.direction(Vec3::Y) * half_length;
        Self {
            ends: [pose.position - along, pose.position + along],
            radius,
        }
    }

    fn at(&self, t: f64) -> Vec3 {
        self.ends[0] + (self.ends[1] - self.ends[0]) * t
    }
}

pub(crate) fn sphere_capsule(
    centre: Vec3,
    radius: f64,
    rod: &Rod,
    envelope: f64,
    sink: &mut Sink<'_>,
) {
    let along = rod.ends[1] - rod.ends[0];
    let t = ((centre - rod.ends[0]).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    sphere_sphere(centre, radius, rod.at(t), rod.radius, envelope, sink);
}

pub(crate) fn capsule_half_space(rod: &Rod, plane: &Pose, envelope: f64, sink: &mut Sink<'_>) {
    let up = plane.direction(Vec3::Y);
    let mut writer = sink.manifold(-up);
    for (n, end) in rod.ends.iter().enumerate() {
        let height = up.dot(*end - plane.position);
        if height - rod.radius < envelope {
            writer.point(*end - up * rod.radius, *end - up * height, n as u32);
        }
    }
    writer.finish();
}

pub(crate) fn capsule_capsule(a: &Rod, b: &Rod, envelope: f64, sink: &mut Sink<'_>) {
    let (p, q) = (a.ends[1] - a.ends[0], b.ends[1] - b.ends[0]);
    let reach = a.radius + b.radius + envelope;
    let parallel = p.cross(q).length_squared() < PARALLEL * p.length_squared() * q.length_squared();
    if parallel && side_by_side(a, b.ends, b.radius, envelope, sink) {
        return;
    }
    let (on_a, on_b) = closest_on_segments(a.ends, b.ends);
    let apart = on_b - on_a;
    let squared = apart.length_squared();
    if squared >= reach * reach {
        return;
    }
    // axes that cross leave the common perpendicular
    let length = squared.sqrt();
    let normal = if length > 1e-12 * reach {
        apart / length
    } else {
        p.cross(q).try_normalize().unwrap_or(Vec3::Y)
    };
    let (on_a, on_b) = (on_a + normal * a.radius, on_b - normal * b.radius);
    sink.single(normal, on_a, on_b, 4);
}

/// Two points where a capsule lies along a segment; `false` if they only meet end to end.
fn side_by_side(a: &Rod, b: [Vec3; 2], radius_b: f64, envelope: f64, sink: &mut Sink<'_>) -> bool {
    let along = a.ends[1] - a.ends[0];
    let squared = along.length_squared();
    let [t0, t1] = b.map(|p| (p - a.ends[0]).dot(along) / squared);
    let (first, last) = if t0 < t1 { (t0, t1) } else { (t1, t0) };
    let (low, high) = (first.max(0.0), last.min(1.0));
    if high - low < 1e-3 {
        return false;
    }
    let on_b = |t: f64| b[0] + (b[1] - b[0]) * ((t - t0) / (t1 - t0));
    // the normal of the middle serves both, square to the capsule
    let middle = 0.5 * (low + high);
    let apart = on_b(middle) - a.at(middle);
    let Some(normal) = apart.reject_from(along).try_normalize() else {
        return false;
    };
    let mut writer = sink.manifold(normal);
    for (n, t) in [low, high].into_iter().enumerate() {
        let (p, q) = (a.at(t), on_b(t));
        if normal.dot(q - p) - a.radius - radius_b < envelope {
            // on b along the normal from the point of a
            let q = p + normal * normal.dot(q - p);
            writer.point(p + normal * a.radius, q - normal * radius_b, n as u32);
        }
    }
    writer.finish();
    true
}

pub(crate) fn capsule_convex(
    rod: &Rod,
    solid: Convex<'_>,
    pose: &Pose,
    envelope: f64,
    sink: &mut Sink<'_>,
) {
    // in the frame of the solid
    let ends = rod.ends.map(|p| pose.local_point(p));
    let middle = 0.5 * (ends[0] + ends[1]);
    let (centre, radius) = solid.ball();
    let reach = rod.radius + envelope;
    if (middle - centre).length() >= radius + 0.5 * (ends[1] - ends[0]).length() + reach {
        return;
    }

    // where the axis comes nearest; an axis that runs through the solid leaves by a face
    let near = match nearest(solid, ends, rod.radius, reach) {
        Near::Beyond => return,
        Near::Through => None,
        Near::Points(points) => Some(points),
    };
    let (exit, height) = shallowest_face(solid, ends);
    let edge = match near {
        Some(_) => None,
        None => shallowest_edge(solid, ends),
    };
    let (face, outward) = match near {
        Some((_, _, outward)) => {
            let (face, along) = solid.face_toward(outward);
            ((along > ALONG_FACE).then_some(face), outward)
        }
        None => match edge {
            Some((over, outward, ..)) if over > height + EDGE_RELATIVE * height.abs() => {
                (None, outward)
            }
            _ => (Some(exit), solid.plane(exit).0),
        },
    };
    // what a face or an edge gives counts if it has the nearest point
    let distance = near.map(|(on_solid, on_axis, _)| on_axis.distance(on_solid) - rod.radius);
    let mark = sink.mark();
    let complete = |sink: &Sink<'_>| {
        distance.is_none_or(|d| sink.nearest_since(mark) < d + MISSES * (d.abs() + rod.radius))
    };
    if let Some(face) = face
        && on_face(rod.radius, ends, solid, face, pose, envelope, sink)
        && complete(sink)
    {
        return;
    }
    sink.forget(mark);
    let local = Rod {
        ends,
        radius: rod.radius,
    };
    let beside = face.is_none() && near.is_some();
    if beside && along_edge(&local, solid, outward, pose, envelope, sink) && complete(sink) {
        return;
    }
    sink.forget(mark);
    let crossing = edge.map(|(_, outward, on_solid, on_axis)| (on_solid, on_axis, outward));
    if let Some((on_solid, on_axis, outward)) = near.or(crossing) {
        let normal = pose.direction(-outward);
        let on_rod = pose.point(on_axis) + normal * rod.radius;
        sink.single(normal, on_rod, pose.point(on_solid), 1 << 16);
    } else {
        // deep inside, beside the sides of the face: straight out
        let (normal, offset) = solid.plane(exit);
        let lower = usize::from(normal.dot(ends[1]) < normal.dot(ends[0]));
        let foot = ends[lower] - normal * (normal.dot(ends[lower]) - offset);
        let tip = ends[lower] - normal * rod.radius;
        let (on_rod, on_solid) = (pose.point(tip), pose.point(foot));
        sink.single(-pose.direction(normal), on_rod, on_solid, 1 << 17);
    }
}

enum Near {
    Beyond,
    Through,
    /// Point on the solid, point on the axis, outward normal of the solid.
    Points((Vec3, Vec3, Vec3)),
}

fn nearest(solid: Convex<'_>, ends: [Vec3; 2], radius: f64, reach: f64) -> Near {
    let middle = 0.5 * (ends[0] + ends[1]);
    let half = 0.5 * (ends[1] - ends[0]);
    let segment = Segment::new(-half, half);
    let size = solid.ball().1.min(half.length() + radius);
    match closest_points(&solid, &segment, &Pose::at(middle), size, reach) {
        Closest::Points {
            on_a,
            on_b,
            normal,
            distance,
        } if distance > 1e-4 * reach => Near::Points((on_a, on_b, normal)),
        Closest::Beyond => Near::Beyond,
        Closest::Points { .. } | Closest::Overlap => Near::Through,
    }
}

/// The face through which the axis has the shortest way out, and the height of the axis over it.
fn shallowest_face(solid: Convex<'_>, ends: [Vec3; 2]) -> (usize, f64) {
    let mut best = (0, f64::NEG_INFINITY);
    for face in 0..solid.face_count() {
        let (normal, offset) = solid.plane(face);
        let height = normal.dot(ends[0]).min(normal.dot(ends[1])) - offset;
        if height > best.1 + 1e-9 * solid.size() {
            best = (face, height);
        }
    }
    best
}

/// The edge over which an axis that runs through the solid has the shortest way out: its height over the
/// edge, the direction out, the points of edge and axis nearest to each other.
fn shallowest_edge(solid: Convex<'_>, ends: [Vec3; 2]) -> Option<(f64, Vec3, Vec3, Vec3)> {
    let along = ends[1] - ends[0];
    let mut best: Option<(f64, Vec3, Vec3, Vec3)> = None;
    for n in 0..solid.edge_count() {
        let edge = solid.edge(n);
        let [n1, n2] = solid.edge_normals(n);
        // only directions between the normals of its faces have the edge foremost
        if n1.dot(along) * n2.dot(along) >= 0.0 {
            continue;
        }
        let across = along.cross(edge[1] - edge[0]);
        let Some(out) = across.try_normalize() else {
            continue;
        };
        let out = if out.dot(n1 + n2) < 0.0 { -out } else { out };
        let height = out.dot(ends[0] - edge[0]);
        if best.is_none_or(|best| height > best.0) {
            let (on_axis, on_edge) = closest_on_segments(ends, edge);
            best = Some((height, out, on_edge, on_axis));
        }
    }
    best
}

/// Clips the axis by the sides of a face; returns whether there was a point.
fn on_face(
    radius: f64,
    ends: [Vec3; 2],
    solid: Convex<'_>,
    face: usize,
    pose: &Pose,
    envelope: f64,
    sink: &mut Sink<'_>,
) -> bool {
    let (normal, offset) = solid.plane(face);
    let mut ring = Ring::EMPTY;
    solid.ring(face, &mut ring);
    let corners = ring.corners();
    let along = ends[1] - ends[0];
    let tolerance = 1e-4 * solid.size().min(radius);
    // the part of the axis over the face, and which side cut it
    let mut span = [(0.0, 0u32), (1.0, 1u32)];
    for (n, from) in corners.iter().enumerate() {
        let Some(out) = (corners[(n + 1) % corners.len()] - *from)
            .cross(normal)
            .try_normalize()
        else {
            continue;
        };
        let (d0, d1) = (out.dot(ends[0] - *from), out.dot(ends[1] - *from));
        if d0 > tolerance && d1 > tolerance {
            return false;
        }
        let t = d0 / (d0 - d1);
        if d0 > tolerance && t > span[0].0 {
            span[0] = (t, 2 + n as u32);
        }
        if d1 > tolerance && t < span[1].0 {
            span[1] = (t, 2 + n as u32);
        }
    }
    if span[0].0 > span[1].0 {
        return false;
    }
    // one contact at each end of that part
    let mut writer = sink.manifold(-pose.direction(normal));
    let mut found = false;
    let base = mix(1, face as u32);
    let single = (span[1].0 - span[0].0) * along.length() < tolerance;
    for (t, cut) in span.into_iter().take(if single { 1 } else { 2 }) {
        let p = ends[0] + along * t;
        let height = normal.dot(p) - offset;
        if height - radius < envelope {
            let on_rod = pose.point(p - normal * radius);
            let on_solid = pose.point(p - normal * height);
            // a side may cut either end: say which
            let end = u32::from(t == span[1].0 && !single);
            writer.point(on_rod, on_solid, mix(base, cut << 1 | end));
            found = true;
        }
    }
    writer.finish();
    found
}

/// A capsule that lies along an edge: two points.
fn along_edge(
    rod: &Rod,
    solid: Convex<'_>,
    outward: Vec3,
    pose: &Pose,
    envelope: f64,
    sink: &mut Sink<'_>,
) -> bool {
    let along = rod.ends[1] - rod.ends[0];
    let top = outward.dot(solid.support(outward));
    for n in 0..solid.edge_count() {
        let edge = solid.edge(n);
        let direction = edge[1] - edge[0];
        let scale = direction.length_squared() * along.length_squared();
        let parallel = direction.cross(along).length_squared() < PARALLEL * scale;
        let slack = 0.05 * direction.length() + 1e-6 * solid.size();
        let highest = edge.iter().all(|p| outward.dot(*p) > top - slack);
        if parallel && highest {
            let world = Rod {
                ends: rod.ends.map(|p| pose.point(p)),
                radius: rod.radius,
            };
            return side_by_side(&world, edge.map(|p| pose.point(p)), 0.0, envelope, sink);
        }
    }
    false
}
