//! Boxes against boxes and half-spaces: the hot path of every stack.
//!
//! Fifteen separating axes; then either the incident face clipped by the sides of the
//! reference face (up to eight points), or one point between two edges.

use drystone_base::{Pose, Vec3};

use super::{convex::Convex, sink::Sink};
use crate::gjk::{Closest, closest_points};

/// A corner this far outside a side plane, in units of the smallest half edge, counts as on
/// it. Columns of equal boxes keep their four corners, and their features, through any noise.
const ON_PLANE: f64 = 1e-4;
/// Faces of the two boxes whose separations are this close are alike, in the same units.
const FACE_TIE: f64 = 1e-3;
/// An edge axis must beat the best face by this much, in the same units and relatively.
const EDGE_TIE: f64 = 1e-3;
const EDGE_RELATIVE: f64 = 0.05;
/// An edge axis that makes less than about 6 degrees with the face normal adds nothing: where
/// edges cross, the clipped face has a point there as well.
const EDGE_ALONG_FACE: f64 = 0.995;
/// Depth up to which corners that a turn may bring down count too, in the same units.
const SHALLOW: f64 = 0.1;
/// Gap from which boxes may meet elsewhere than the best axis says, in the same units ...
const WIDE: f64 = 0.05;
/// ... if what was found is farther away than that axis says by more than this share of the gap.
const MISSES: f64 = 0.1;
/// Squared sine of the angle below which two edges are parallel.
const PARALLEL: f64 = 1e-6;

/// A box in the world: centre, axes, half edges.
struct Solid {
    centre: Vec3,
    axes: [Vec3; 3],
    half: [f64; 3],
}

impl Solid {
    fn new(half: Vec3, pose: &Pose) -> Self {
        let m = pose.matrix();
        Self {
            centre: pose.position,
            axes: [m.x_axis, m.y_axis, m.z_axis],
            half: half.to_array(),
        }
    }
}

/// The best edge axis found.
struct EdgeAxis {
    separation: f64,
    normal: Vec3,
    i: usize,
    j: usize,
}

pub(crate) fn box_box(
    half_a: Vec3,
    pose_a: &Pose,
    half_b: Vec3,
    pose_b: &Pose,
    envelope: f64,
    sink: &mut Sink<'_>,
) {
    // balls around the boxes first: most pairs of a broad phase end here
    let apart = pose_b.position - pose_a.position;
    let reach = half_a.length() + half_b.length() + envelope;
    if apart.length_squared() >= reach * reach {
        return;
    }
    let (a, b) = (Solid::new(half_a, pose_a), Solid::new(half_b, pose_b));
    let size = half_a.min_element().min(half_b.min_element());

    // turned[i][j] = a_i · b_j; d is the way from a to b in each frame
    let turned = a.axes.map(|x| b.axes.map(|y| x.dot(y)));
    let d_a = a.axes.map(|x| x.dot(apart));
    let d_b = b.axes.map(|y| y.dot(apart));
    let (h_a, h_b) = (a.half, b.half);

    // faces of a, then of b
    let mut best = f64::NEG_INFINITY;
    let mut face = 0;
    for i in 0..3 {
        let m = &turned[i];
        let reach_b = h_b[0] * m[0].abs() + h_b[1] * m[1].abs() + h_b[2] * m[2].abs();
        let separation = d_a[i].abs() - h_a[i] - reach_b;
        if separation >= envelope {
            return;
        }
        if separation > best + 1e-7 * size {
            (best, face) = (separation, i);
        }
    }
    let mut best_b = f64::NEG_INFINITY;
    let mut face_b = 0;
    for j in 0..3 {
        let reach_a =
            h_a[0] * turned[0][j].abs() + h_a[1] * turned[1][j].abs() + h_a[2] * turned[2][j].abs();
        let separation = d_b[j].abs() - h_b[j] - reach_a;
        if separation >= envelope {
            return;
        }
        if separation > best_b + 1e-7 * size {
            (best_b, face_b) = (separation, j);
        }
    }
    // of two faces that are alike the larger is the reference, of equal ones that of a
    let area_a = h_a[(face + 1) % 3] * h_a[(face + 2) % 3];
    let area_b = h_b[(face_b + 1) % 3] * h_b[(face_b + 2) % 3];
    let favour = if area_b > area_a { -FACE_TIE } else { FACE_TIE };
    let of_b = best_b > best + favour * size;
    if of_b {
        (best, face) = (best_b, face_b);
    }
    let (reference, incident) = if of_b { (&b, &a) } else { (&a, &b) };
    let toward = if of_b { -d_b[face] } else { d_a[face] };
    let mut side = if toward < 0.0 { -1.0 } else { 1.0 };
    let outward = reference.axes[face] * side;

    // edges against edges: l = a_i x b_j
    let mut edge: Option<EdgeAxis> = None;
    // the best of the edge axes that add nothing to the face: its separation, and whether it leads from a to b
    // as the face does
    let (mut along, mut agrees) = (f64::NEG_INFINITY, true);
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let squared = 1.0 - turned[i][j] * turned[i][j];
            if squared < PARALLEL {
                continue;
            }
            let d = d_a[i2] * turned[i1][j] - d_a[i1] * turned[i2][j];
            let reach_a = h_a[i1] * turned[i2][j].abs() + h_a[i2] * turned[i1][j].abs();
            let reach_b = h_b[j1] * turned[i][j2].abs() + h_b[j2] * turned[i][j1].abs();
            // not yet divided by the sine, which only makes it larger in size
            let unscaled = d.abs() - reach_a - reach_b;
            let floor = edge.as_ref().map_or(best, |e| e.separation + 1e-7 * size);
            if unscaled <= floor.min(0.0) {
                continue;
            }
            let scale = 1.0 / squared.sqrt();
            let separation = unscaled * scale;
            if separation >= envelope {
                return;
            }
            if separation > floor {
                let l = a.axes[i].cross(b.axes[j]) * scale;
                let normal = if d < 0.0 { -l } else { l };
                let cosine = if of_b {
                    -normal.dot(outward)
                } else {
                    normal.dot(outward)
                };
                if cosine.abs() >= EDGE_ALONG_FACE {
                    if separation > along {
                        (along, agrees) = (separation, cosine > 0.0);
                    }
                } else {
                    edge = Some(EdgeAxis {
                        separation,
                        normal,
                        i,
                        j,
                    });
                }
            }
        }
    }

    // rods that cross far from their centres: the centres do not tell which side of the face they are on
    if along > best && !agrees {
        side = -side;
    }

    let mark = sink.mark();
    // where an axis along the face is better still, the clipped face knows the true depth
    let by_edge = edge.as_ref().filter(|edge| {
        edge.separation > best + EDGE_RELATIVE * best.abs() + EDGE_TIE * size
            && edge.separation > along
    });
    if let Some(edge) = by_edge {
        edge_contact(&a, &b, edge, envelope, sink);
    } else {
        let found = face_contact(reference, incident, face, side, of_b, size, envelope, sink);
        if !found
            && let Some(edge) = &edge
            && edge.separation > best + ON_PLANE * size
        {
            edge_contact(&a, &b, edge, envelope, sink);
        }
    }

    // no axis has them farther apart than they are: what was found should not be farther either, nor
    // deep inside
    let gap = edge
        .map_or(best, |edge| edge.separation.max(best))
        .max(along);
    let nearest = sink.nearest_since(mark);
    let too_far = gap > WIDE * size && nearest > (1.0 + MISSES) * gap;
    if too_far || (gap > 0.0 && nearest < -SHALLOW * size) {
        let (a, b) = (Convex::Box(half_a), Convex::Box(half_b));
        let b_in_a = pose_a.inverse().then(pose_b);
        let smaller = half_a.length().min(half_b.length());
        match closest_points(&a, &b, &b_in_a, smaller, envelope) {
            Closest::Points {
                on_a, on_b, normal, ..
            } => {
                sink.forget(mark);
                let (on_a, on_b) = (pose_a.point(on_a), pose_a.point(on_b));
                sink.single(pose_a.direction(normal), on_a, on_b, 1 << 17);
            }
            Closest::Beyond => sink.forget(mark),
            Closest::Overlap => {}
        }
    }
}

/// A manifold of one point, where the two edges that are farthest along the axis are closest to each other.
fn edge_contact(a: &Solid, b: &Solid, edge: &EdgeAxis, envelope: f64, sink: &mut Sink<'_>) {
    let (middle_a, code_a) = support_edge(a, edge.i, edge.normal);
    let (middle_b, code_b) = support_edge(b, edge.j, -edge.normal);
    let (along_a, along_b) = (a.axes[edge.i], b.axes[edge.j]);
    // nearest points of the lines middle + t along, kept on the edges
    let (c, w) = (along_a.dot(along_b), middle_b - middle_a);
    let (wa, wb) = (w.dot(along_a), w.dot(along_b));
    let (ha, hb) = (a.half[edge.i], b.half[edge.j]);
    let t_a = ((wa - c * wb) / (1.0 - c * c)).clamp(-ha, ha);
    let t_b = (c * t_a - wb).clamp(-hb, hb);
    let t_a = (wa + c * t_b).clamp(-ha, ha);
    let (on_a, on_b) = (middle_a + along_a * t_a, middle_b + along_b * t_b);
    if edge.normal.dot(on_b - on_a) < envelope {
        let feature = 1 << 16 | code_a << 4 | code_b;
        sink.single(edge.normal, on_a, on_b, feature);
    }
}

/// Middle and number of the edge along axis `i` that lies farthest in `direction`.
fn support_edge(solid: &Solid, i: usize, direction: Vec3) -> (Vec3, u32) {
    let mut middle = solid.centre;
    let mut code = (i as u32) << 2;
    for (bit, k) in [(i + 1) % 3, (i + 2) % 3].into_iter().enumerate() {
        let axis = solid.axes[k];
        if axis.dot(direction) < 0.0 {
            middle -= axis * solid.half[k];
        } else {
            middle += axis * solid.half[k];
            code |= 1 << bit;
        }
    }
    (middle, code)
}

/// A corner of the polygon being clipped: place in the plane of the reference face, height
/// over it, the two lines that make it, and the line that leaves it (0-3 edges of the
/// incident face, 4-7 sides of the reference face).
#[derive(Clone, Copy)]
struct Corner {
    u: f64,
    v: f64,
    height: f64,
    id: u32,
    leaving: u32,
}

/// An unordered pair of lines.
fn pair(x: u32, y: u32) -> u32 {
    if x < y { x << 3 | y } else { y << 3 | x }
}

/// Clips the incident face; returns whether there was a point.
fn face_contact(
    reference: &Solid,
    incident: &Solid,
    face: usize,
    side: f64,
    of_b: bool,
    size: f64,
    envelope: f64,
    sink: &mut Sink<'_>,
) -> bool {
    let outward = reference.axes[face] * side;
    let (ku, kv) = ((face + 1) % 3, (face + 2) % 3);
    let (axis_u, axis_v) = (reference.axes[ku], reference.axes[kv]);
    let (half_u, half_v) = (reference.half[ku], reference.half[kv]);

    // the incident face looks most against the reference normal
    let against = incident.axes.map(|axis| axis.dot(outward));
    let steep = against.map(f64::abs);
    let k = if steep[0] >= steep[1] && steep[0] >= steep[2] {
        0
    } else if steep[1] >= steep[2] {
        1
    } else {
        2
    };
    let incident_side = if against[k] > 0.0 { -1.0 } else { 1.0 };
    let (k1, k2) = ((k + 1) % 3, (k + 2) % 3);

    // its corners in the frame of the reference face
    let middle =
        incident.centre - reference.centre + incident.axes[k] * (incident_side * incident.half[k]);
    let (mu, mv) = (middle.dot(axis_u), middle.dot(axis_v));
    let mh = middle.dot(outward) - reference.half[face];
    let e1 = incident.axes[k1] * incident.half[k1];
    let e2 = incident.axes[k2] * incident.half[k2];
    let (u1, v1, h1) = (e1.dot(axis_u), e1.dot(axis_v), e1.dot(outward));
    let (u2, v2, h2) = (e2.dot(axis_u), e2.dot(axis_v), e2.dot(outward));
    let corner = |n: u32, s: f64, t: f64| Corner {
        u: mu + s * u1 + t * u2,
        v: mv + s * v1 + t * v2,
        height: mh + s * h1 + t * h2,
        id: pair((n + 3) & 3, n),
        leaving: n,
    };
    let mut front = [corner(0, -1.0, -1.0); MAX_CORNERS];
    front[1] = corner(1, 1.0, -1.0);
    front[2] = corner(2, 1.0, 1.0);
    front[3] = corner(3, -1.0, 1.0);
    let mut back = front;

    // the sides that cut it, in turn
    let tolerance = ON_PLANE * size;
    let (reach_u, reach_v) = (u1.abs() + u2.abs(), v1.abs() + v2.abs());
    let cuts = |middle: f64, reach: f64, half: f64| {
        middle + reach > half + tolerance || middle - reach >= half - tolerance
    };
    let mut n = 4;
    if cuts(mu, reach_u, half_u) {
        n = clip(&front, n, &mut back, |c| c.u - half_u, 4, tolerance);
        front = back;
    }
    if cuts(-mu, reach_u, half_u) {
        n = clip(&front, n, &mut back, |c| -c.u - half_u, 5, tolerance);
        front = back;
    }
    if cuts(mv, reach_v, half_v) {
        n = clip(&front, n, &mut back, |c| c.v - half_v, 6, tolerance);
        front = back;
    }
    if cuts(-mv, reach_v, half_v) {
        n = clip(&front, n, &mut back, |c| -c.v - half_v, 7, tolerance);
        front = back;
    }

    // what is left, without neighbours that fall together
    let base = u32::from(of_b) << 12
        | (face as u32) << 10
        | u32::from(side > 0.0) << 9
        | (k as u32) << 7
        | u32::from(incident_side > 0.0) << 6;
    let plane = reference.centre + outward * reference.half[face];
    let mut writer = sink.manifold(if of_b { -outward } else { outward });
    let mut found = false;
    for i in 0..n {
        let c = front[i];
        if c.height >= envelope {
            continue;
        }
        let merged = front[..i].iter().any(|p| {
            let (du, dv) = (p.u - c.u, p.v - c.v);
            p.height < envelope && du * du + dv * dv < tolerance * tolerance
        });
        if merged {
            continue;
        }
        let foot = plane + axis_u * c.u + axis_v * c.v;
        let point = foot + outward * c.height;
        let feature = base | c.id;
        if of_b {
            writer.point(point, foot, feature);
        } else {
            writer.point(foot, point, feature);
        }
        found = true;
    }
    // corners of the opposite face, where a step is so long that a turn may bring them down
    let rise = 2.0 * incident.half[k] * steep[k];
    let lowest = mh - h1.abs() - h2.abs();
    if lowest + rise < envelope && lowest > -SHALLOW * size {
        let through = incident.axes[k] * (-2.0 * incident_side * incident.half[k]);
        let (du, dv) = (through.dot(axis_u), through.dot(axis_v));
        for n in 0..4 {
            let c = corner(n, sign((n + 1) >> 1 & 1), sign(n >> 1));
            let (u, v, height) = (c.u + du, c.v + dv, c.height + rise);
            if height < envelope && u.abs() <= half_u && v.abs() <= half_v {
                let foot = plane + axis_u * u + axis_v * v;
                let point = foot + outward * height;
                let feature = base | 1 << 13 | n;
                if of_b {
                    writer.point(point, foot, feature);
                } else {
                    writer.point(foot, point, feature);
                }
            }
        }
    }
    writer.finish();
    found
}

/// Four sides add at most one corner each.
const MAX_CORNERS: usize = 8;

/// Cuts the polygon by one plane (`outside` is the signed distance beyond it); returns the
/// number of corners left. A polygon that only grazes the plane is gone.
#[inline]
fn clip(
    from: &[Corner; MAX_CORNERS],
    count: usize,
    to: &mut [Corner; MAX_CORNERS],
    outside: impl Fn(&Corner) -> f64,
    plane: u32,
    tolerance: f64,
) -> usize {
    let mut kept = 0;
    let mut strictly_inside = false;
    for i in 0..count {
        let here = from[i];
        let next = from[if i + 1 == count { 0 } else { i + 1 }];
        let (d0, d1) = (outside(&here), outside(&next));
        strictly_inside |= d0 < -tolerance;
        let leaves = d1 > tolerance;
        if d0 <= tolerance && kept < MAX_CORNERS {
            let on = d0 >= -tolerance;
            let leaving = if on && leaves { plane } else { here.leaving };
            to[kept] = Corner { leaving, ..here };
            kept += 1;
        }
        let crosses = (d0 < -tolerance && leaves) || (d0 > tolerance && d1 < -tolerance);
        if crosses && kept < MAX_CORNERS {
            let t = d0 / (d0 - d1);
            to[kept] = Corner {
                u: here.u + t * (next.u - here.u),
                v: here.v + t * (next.v - here.v),
                height: here.height + t * (next.height - here.height),
                id: pair(here.leaving, plane),
                leaving: if leaves { plane } else { here.leaving },
            };
            kept += 1;
        }
    }
    if strictly_inside { kept } else { 0 }
}

/// Every corner within the envelope.
pub(crate) fn box_half_space(
    half: Vec3,
    pose: &Pose,
    plane: &Pose,
    envelope: f64,
    sink: &mut Sink<'_>,
) {
    let up = plane.direction(Vec3::Y);
    let middle = up.dot(pose.position - plane.position);
    let axes = pose.matrix();
    let rise = axes.transpose() * up * half;
    if middle - rise.abs().element_sum() >= envelope {
        return;
    }
    let mut writer = sink.manifold(-up);
    for n in 0..8 {
        let s = Vec3::new(sign(n & 1), sign(n >> 1 & 1), sign(n >> 2 & 1));
        let height = middle + s.dot(rise);
        if height < envelope {
            let corner = pose.position + axes * (s * half);
            writer.point(corner, corner - up * height, n);
        }
    }
    writer.finish();
}

fn sign(bit: u32) -> f64 {
    if bit == 0 { -1.0 } else { 1.0 }
}
