//! Hulls against hulls, boxes, balls and half-spaces.
//!
//! The best face axis is found by going through all faces, which is exact and steady where
//! faces rest on faces; parry's GJK then tells whether the true distance is clearly
//! larger, that is whether edges or corners meet. Of solids inside each other all pairs of edges that can
//! matter are looked at.

use drystone_base::{Pose, Vec3, tangents};

use super::{
    convex::{Convex, MAX_RING, Ring},
    sink::{Sink, mix},
};
use crate::{
    Hull,
    gjk::{Closest, closest_points},
};

/// As in `box_box`: a corner this far outside counts as on the plane, in units of the size.
const ON_PLANE: f64 = 1e-4;
/// Two faces whose separations are this close are alike.
const FACE_TIE: f64 = 1e-3;
/// How much better than the best face the true distance must be: in units of the size, relatively.
const EDGE_TIE: f64 = 1e-3;
const EDGE_RELATIVE: f64 = 0.05;
/// Gap from which what meets need not be the faces that look at each other, in units of the size.
const WIDE: f64 = 0.1;
/// Cosine of the angle up to which a face lies on a face.
const LYING: f64 = 0.9998;
/// Relative error of the distance that the nearest point of a clipped face may have.
const FACE_MISSES: f64 = 0.1;
/// As in `box_box`: the depth up to which a face rests, and other corners count.
const SHALLOW: f64 = 0.1;
/// As in `box_box`: edges this much along the best face add nothing.
const EDGE_ALONG_FACE: f64 = 0.995;

pub(crate) fn sphere_hull(
    centre: Vec3,
    radius: f64,
    hull: &Hull,
    pose: &Pose,
    envelope: f64,
    sink: &mut Sink<'_>,
) {
    let local = pose.local_point(centre);
    let reach = radius + envelope;
    if !hull
        .bounds()
        .grown(reach)
        .overlaps(&crate::Aabb::about(local, Vec3::ZERO))
    {
        return;
    }
    let (point, outward, distance) = Convex::Hull(hull).closest(local);
    if distance < reach {
        let normal = -pose.direction(outward);
        sink.single(normal, centre + normal * radius, pose.point(point), 0);
    }
}

/// Corners within the envelope: of many, those that span the contact, and the lowest of those above them.
pub(crate) fn hull_half_space(
    hull: &Hull,
    pose: &Pose,
    plane: &Pose,
    envelope: f64,
    sink: &mut Sink<'_>,
) {
    let up = plane.direction(Vec3::Y);
    let up_local = pose.local_direction(up);
    let base = up.dot(pose.position - plane.position);
    let (u, v) = tangents(up_local);
    let corners = hull
        .points()
        .iter()
        .enumerate()
        .map(|(n, p)| (n as u32, *p, base + up_local.dot(*p)))
        .filter(|(_, _, height)| *height < envelope);
    let lowest = corners.clone().map(|(_, _, height)| height);
    let lowest = lowest.fold(f64::INFINITY, f64::min);
    let mut chosen = Chosen::new(Convex::Hull(hull).size(), lowest);
    let few = corners.clone().take(MAX_POINTS + 1).count() <= MAX_POINTS;
    for (n, p, height) in corners {
        chosen.offer(n, p.dot(u), p.dot(v), height, few);
    }
    let mut writer = sink.manifold(-up);
    for point in chosen.points() {
        let corner = pose.point(hull.points()[point.id as usize]);
        writer.point(corner, corner - up * point.height, point.id);
    }
    writer.finish();
}

pub(crate) fn convex_convex(
    a: Convex<'_>,
    pose_a: &Pose,
    b: Convex<'_>,
    pose_b: &Pose,
    envelope: f64,
    sink: &mut Sink<'_>,
) {
    // balls around both
    let ((centre_a, radius_a), (centre_b, radius_b)) = (a.ball(), b.ball());
    let apart = pose_b.point(centre_b) - pose_a.point(centre_a);
    let reach = radius_a + radius_b + envelope;
    if apart.length_squared() >= reach * reach {
        return;
    }
    let size = a.size().min(b.size());
    let b_in_a = pose_a.inverse().then(pose_b);
    let a_in_b = b_in_a.inverse();

    // faces of both
    let Some((face_a, best_a)) = best_face(a, b, &b_in_a, envelope, size) else {
        return;
    };
    let Some((face_b, best_b)) = best_face(b, a, &a_in_b, envelope, size) else {
        return;
    };
    // of two faces that are alike the larger is the reference, of equal ones that of a
    let larger = b.face_area(face_b) > a.face_area(face_a) * (1.0 + 1e-9);
    let favour = if larger { -FACE_TIE } else { FACE_TIE };
    let of_b = best_b > best_a + favour * size;
    let (best, outward) = if of_b {
        (best_b, b_in_a.direction(b.plane(face_b).0))
    } else {
        (best_a, a.plane(face_a).0)
    };

    let face_points = |sink: &mut Sink<'_>| {
        if of_b {
            sink.flip();
            let found = face_contact(b, pose_b, a, &a_in_b, face_b, size, envelope, sink);
            sink.flip();
            found
        } else {
            face_contact(a, pose_a, b, &b_in_a, face_a, size, envelope, sink)
        }
    };
    // a face that lies on a face needs no further question
    let facing = if of_b {
        a.face_toward(-outward).1
    } else {
        b.face_toward(-b_in_a.local_direction(outward)).1
    };
    let resting = facing > LYING && best > -SHALLOW * size && best < WIDE * size;
    if resting && face_points(sink) {
        return;
    }

    // does something other than a face keep them farther apart?
    let near = closest_points(&a, &b, &b_in_a, radius_a.min(radius_b), envelope);
    let clearly = |d: f64| d > best + EDGE_RELATIVE * best.abs() + EDGE_TIE * size;
    let edges = match near {
        Closest::Beyond => return,
        Closest::Points { distance, .. } if !clearly(distance) => None,
        _ => best_edges(a, b, &b_in_a, best),
    };
    let edge_point = |edges: &Edges, sink: &mut Sink<'_>| {
        if edges.separation < envelope {
            let (on_a, on_b) = (pose_a.point(edges.on_a), pose_a.point(edges.on_b));
            sink.single(pose_a.direction(edges.normal), on_a, on_b, edges.feature);
        }
    };
    // edges across the face are a contact of their own, others mostly the same as that of the face
    if let Some(edges) = &edges
        && clearly(edges.separation)
        && edges.normal.dot(outward).abs() < EDGE_ALONG_FACE
    {
        edge_point(edges, sink);
        return;
    }
    let mark = sink.mark();
    let found = !resting && face_points(sink);
    let distance = match (&near, &edges) {
        (Closest::Points { distance, .. }, _) => *distance,
        (_, Some(edges)) => edges.separation,
        _ => best,
    };
    let margin = FACE_MISSES * distance.abs() + EDGE_TIE * size;
    let nearest = sink.nearest_since(mark);
    if found && (nearest - distance).abs() < margin {
        return;
    }
    // the clipped face misses where they meet
    if let Closest::Points {
        on_a,
        on_b,
        normal,
        distance,
    } = near
        && distance > 1e-6 * size
    {
        if nearest > distance {
            let (on_a, on_b) = (pose_a.point(on_a), pose_a.point(on_b));
            sink.single(pose_a.direction(normal), on_a, on_b, 1 << 31);
        }
        return;
    }
    match edges {
        Some(edges) => {
            sink.forget(mark);
            edge_point(&edges, sink);
        }
        // inside each other beside the face: straight out of it
        None if best < 0.0 && nearest > best => {
            let normal = if of_b { -outward } else { outward };
            let (on_a, on_b) = if of_b {
                let tip = a.support(normal);
                (tip, tip + normal * best)
            } else {
                let tip = b_in_a.point(b.support(-b_in_a.local_direction(normal)));
                (tip - normal * best, tip)
            };
            let (on_a, on_b) = (pose_a.point(on_a), pose_a.point(on_b));
            sink.single(pose_a.direction(normal), on_a, on_b, 1 << 30);
        }
        None => {}
    }
}

/// The face of `a` from whose plane `b` stays farthest; `None` if farther than the envelope.
fn best_face(
    a: Convex<'_>,
    b: Convex<'_>,
    b_in_a: &Pose,
    envelope: f64,
    size: f64,
) -> Option<(usize, f64)> {
    let mut best = (0, f64::NEG_INFINITY);
    for face in 0..a.face_count() {
        let (normal, offset) = a.plane(face);
        let deepest = b_in_a.point(b.support(-b_in_a.local_direction(normal)));
        let separation = normal.dot(deepest) - offset;
        if separation >= envelope {
            return None;
        }
        if separation > best.1 + 1e-7 * size {
            best = (face, separation);
        }
    }
    Some(best)
}

/// Two edges that keep the solids farthest apart, in the frame of `a`.
#[derive(Clone, Copy)]
struct Edges {
    normal: Vec3,
    on_a: Vec3,
    on_b: Vec3,
    separation: f64,
    feature: u32,
}

/// The pair of edges with the largest separation above `best`.
///
/// Only edges whose arcs of normals cross on the sphere of directions bound the Minkowski
/// difference; the others need no look.
fn best_edges(a: Convex<'_>, b: Convex<'_>, b_in_a: &Pose, best: f64) -> Option<Edges> {
    let mut found: Option<Edges> = None;
    let mut largest = best;
    for j in 0..b.edge_count() {
        let [b0, b1] = b.edge(j).map(|p| b_in_a.point(p));
        // of b, the difference has the opposite normals
        let [c, d] = b.edge_normals(j).map(|n| -b_in_a.direction(n));
        let along_b = b1 - b0;
        for i in 0..a.edge_count() {
            let [n1, n2] = a.edge_normals(i);
            if n1.dot(along_b) * n2.dot(along_b) >= 0.0 {
                continue;
            }
            let [a0, a1] = a.edge(i);
            let along_a = a1 - a0;
            if c.dot(along_a) * d.dot(along_a) >= 0.0 {
                continue;
            }
            let axis = along_a.cross(along_b);
            let scale = along_a.length_squared() * along_b.length_squared();
            if axis.length_squared() < 1e-6 * scale {
                continue;
            }
            let mut normal = axis.normalize();
            if normal.dot(n1 + n2) < 0.0 {
                normal = -normal;
            }
            if normal.dot(c + d) <= 0.0 {
                continue;
            }
            let separation = normal.dot(b0 - a0);
            if separation > largest {
                largest = separation;
                let (on_a, on_b) = closest_on_segments([a0, a1], [b0, b1]);
                let feature = mix(mix(1 << 31, i as u32), j as u32);
                found = Some(Edges {
                    normal,
                    on_a,
                    on_b,
                    separation,
                    feature,
                });
            }
        }
    }
    found
}

/// Nearest points of two segments that are not parallel; of parallel ones, some nearest pair.
pub(crate) fn closest_on_segments(a: [Vec3; 2], b: [Vec3; 2]) -> (Vec3, Vec3) {
    let (p, q, w) = (a[1] - a[0], b[1] - b[0], a[0] - b[0]);
    let (pp, qq, pq) = (p.length_squared(), q.length_squared(), p.dot(q));
    let (wp, wq) = (w.dot(p), w.dot(q));
    let determinant = pp * qq - pq * pq;
    let safe = |n: f64, d: f64| {
        if d > 0.0 {
            (n / d).clamp(0.0, 1.0)
        } else {
            0.0
        }
    };
    let mut s = if determinant > 1e-12 * pp * qq {
        ((pq * wq - qq * wp) / determinant).clamp(0.0, 1.0)
    } else {
        0.5
    };
    let t = safe(pq * s + wq, qq);
    s = safe(pq * t - wp, pp);
    (a[0] + p * s, b[0] + q * t)
}

/// A corner of the incident face while it is clipped; see `box_box`.
#[derive(Clone, Copy)]
struct Corner {
    at: Vec3,
    id: u32,
    leaving: u32,
}

const MAX_CORNERS: usize = 2 * MAX_RING;

const NOTHING: Corner = Corner {
    at: Vec3::ZERO,
    id: 0,
    leaving: 0,
};

fn pair(x: u32, y: u32) -> u32 {
    if x < y { x << 8 | y } else { y << 8 | x }
}

/// Clips the face of `incident` that looks most against `face` of `reference` by its sides; of a hull that
/// stands on a corner of other faces also one that holds that corner. Corners of a hull over the face that
/// are as near count as well.
/// `incident_in` is the incident pose in the frame of the reference.
fn face_contact(
    reference: Convex<'_>,
    pose: &Pose,
    incident: Convex<'_>,
    incident_in: &Pose,
    face: usize,
    size: f64,
    envelope: f64,
    sink: &mut Sink<'_>,
) -> bool {
    // reference face with its side planes, and the incident face under it
    let (normal, offset) = reference.plane(face);
    let down = -incident_in.local_direction(normal);
    let mut sides = Ring::EMPTY;
    reference.ring(face, &mut sides);
    let tolerance = ON_PLANE * size;
    let (under, _) = incident.face_toward(down);
    let lowest = incident.face_below(under, down, tolerance);

    // corners of one face after the other, with the face they are of
    let mut corners = [(NOTHING, 0); 2 * MAX_CORNERS];
    let mut count = 0;
    for other in std::iter::once(under).chain(lowest) {
        let (kept, number) = clip_face(incident, incident_in, other, &sides, normal, tolerance);
        for corner in &kept[..number] {
            corners[count] = (*corner, other);
            count += 1;
        }
    }

    // clipped corners within the envelope, each once
    let (u, v) = tangents(normal);
    let height = |at: Vec3| normal.dot(at) - offset;
    let known = |at: Vec3, n: usize| {
        let mut before = corners[..n].iter();
        before.any(|(p, _)| (p.at - at).length_squared() < tolerance * tolerance)
    };
    let clipped = corners[..count].iter().enumerate();
    let clipped = clipped.filter(|(n, (c, _))| height(c.at) < envelope && !known(c.at, *n));
    let clipped = clipped.map(|(n, (c, _))| (n as u32, c.at));
    // other corners that a turn within the step may bring down
    let tip = incident_in.point(incident.support(down));
    let all = if height(tip) > -SHALLOW * size {
        incident.corners()
    } else {
        &[]
    };
    let all = all.iter().enumerate();
    let others = all.filter_map(|(n, corner)| {
        let at = incident_in.point(*corner);
        let seen = height(at) < envelope && !known(at, count) && inside(&sides, normal, at);
        seen.then_some((OTHERS + n as u32, at))
    });
    let found = clipped.chain(others);

    // at most MAX_POINTS of them: the lowest, and those that span the patch
    let lowest = found.clone().map(|(_, at)| height(at));
    let mut chosen = Chosen::new(size, lowest.fold(f64::INFINITY, f64::min));
    let few = found.clone().take(MAX_POINTS + 1).count() <= MAX_POINTS;
    for (n, at) in found {
        chosen.offer(n, at.dot(u), at.dot(v), height(at), few);
    }
    // write the manifold with stable feature ids
    let mut writer = sink.manifold(pose.direction(normal));
    let mut found = false;
    for point in chosen.points() {
        let (at, feature) = if point.id < OTHERS {
            let (corner, other) = corners[point.id as usize];
            let base = mix(mix(0, face as u32), other as u32);
            (corner.at, mix(base, corner.id))
        } else {
            let corner = incident.corners()[(point.id - OTHERS) as usize];
            (incident_in.point(corner), mix(face as u32, point.id))
        };
        let foot = at - normal * point.height;
        writer.point(pose.point(foot), pose.point(at), feature);
        found = true;
    }
    writer.finish();
    found
}

/// Numbers from here on are corners of the incident solid that are not on its clipped faces.
const OTHERS: u32 = 1 << 16;

/// Whether a point is over the face with these corners.
fn inside(sides: &Ring, normal: Vec3, at: Vec3) -> bool {
    let sides = sides.corners();
    (0..sides.len()).all(|n| {
        let (from, to) = (sides[n], sides[(n + 1) % sides.len()]);
        (to - from).cross(normal).dot(at - from) <= 0.0
    })
}

/// A face of `incident`, in the frame of the reference, clipped by the sides of the reference's face.
fn clip_face(
    incident: Convex<'_>,
    incident_in: &Pose,
    face: usize,
    sides: &Ring,
    normal: Vec3,
    tolerance: f64,
) -> ([Corner; MAX_CORNERS], usize) {
    let mut ring = Ring::EMPTY;
    incident.ring(face, &mut ring);
    let count = ring.corners().len() as u32;
    let (mut front, mut back) = ([NOTHING; MAX_CORNERS], [NOTHING; MAX_CORNERS]);
    for (n, corner) in ring.corners().iter().enumerate() {
        let n = n as u32;
        front[n as usize] = Corner {
            at: incident_in.point(*corner),
            id: pair((n + count - 1) % count, n),
            leaving: n,
        };
    }
    let mut kept = count as usize;
    let sides = sides.corners();
    for (n, from) in sides.iter().enumerate() {
        let to = sides[(n + 1) % sides.len()];
        let Some(out) = (to - *from).cross(normal).try_normalize() else {
            continue;
        };
        let plane = (MAX_RING + n) as u32;
        kept = clip(
            &front,
            kept,
            &mut back,
            out,
            out.dot(*from),
            plane,
            tolerance,
        );
        std::mem::swap(&mut front, &mut back);
    }
    (front, kept)
}

/// As in `box_box`, in three dimensions.
fn clip(
    from: &[Corner; MAX_CORNERS],
    count: usize,
    to: &mut [Corner; MAX_CORNERS],
    out: Vec3,
    offset: f64,
    plane: u32,
    tolerance: f64,
) -> usize {
    let mut kept = 0;
    let mut strictly_inside = false;
    for i in 0..count {
        let here = from[i];
        let next = from[if i + 1 == count { 0 } else { i + 1 }];
        let (d0, d1) = (out.dot(here.at) - offset, out.dot(next.at) - offset);
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
            to[kept] = Corner {
                at: here.at + (next.at - here.at) * (d0 / (d0 - d1)),
                id: pair(here.leaving, plane),
                leaving: if leaves { plane } else { here.leaving },
            };
            kept += 1;
        }
    }
    if strictly_inside { kept } else { 0 }
}

/// The most points of a manifold.
const MAX_POINTS: usize = 8;

#[derive(Clone, Copy)]
struct Point {
    id: u32,
    u: f64,
    v: f64,
    height: f64,
}

/// At most eight points: of many, the extreme ones in eight directions, and the deepest. Beside these, of points
/// that are clearly higher than the deepest, at most eight of the lowest: they may come down within a step.
struct Chosen {
    points: [Point; MAX_POINTS],
    count: usize,
    deepest: Option<Point>,
    above: [Point; MAX_POINTS],
    above_count: usize,
    /// Height from which a point is clearly higher than the deepest \[m\].
    floor: f64,
    tolerance: f64,
}

/// Height above the deepest point from which on a point is clearly higher, in units of the size.
const CLEARLY_HIGHER: f64 = 0.05;

impl Chosen {
    fn new(size: f64, lowest: f64) -> Self {
        let nothing = Point {
            id: 0,
            u: 0.0,
            v: 0.0,
            height: 0.0,
        };
        Self {
            points: [nothing; MAX_POINTS],
            count: 0,
            deepest: None,
            above: [nothing; MAX_POINTS],
            above_count: 0,
            floor: lowest + CLEARLY_HIGHER * size,
            tolerance: 1e-6 * size,
        }
    }

    /// Keeps the lowest of the points above the floor, lowest first.
    fn offer_above(&mut self, point: Point) {
        let kept = &self.above[..self.above_count];
        let place = kept.partition_point(|p| p.height <= point.height);
        if place < MAX_POINTS {
            self.above_count = (self.above_count + 1).min(MAX_POINTS);
            self.above[place..self.above_count].rotate_right(1);
            self.above[place] = point;
        }
    }

    /// Takes the point if it is one of `few`, or extreme.
    fn offer(&mut self, id: u32, u: f64, v: f64, height: f64, few: bool) {
        let point = Point { id, u, v, height };
        if few {
            self.points[self.count] = point;
            self.count += 1;
            return;
        }
        if height > self.floor {
            self.offer_above(point);
            return;
        }
        let diagonal = std::f64::consts::FRAC_1_SQRT_2;
        for k in 0..MAX_POINTS {
            let along = |p: &Point| match k {
                0 => p.u,
                1 => diagonal * (p.u + p.v),
                2 => p.v,
                3 => diagonal * (p.v - p.u),
                4 => -p.u,
                5 => -diagonal * (p.u + p.v),
                6 => -p.v,
                _ => diagonal * (p.u - p.v),
            };
            if self.count == 0 || along(&point) > along(&self.points[k]) + self.tolerance {
                self.points[k] = point;
            }
        }
        self.count = MAX_POINTS;
        if self
            .deepest
            .is_none_or(|d| height < d.height - self.tolerance)
        {
            self.deepest = Some(point);
        }
    }

    /// The chosen points, each once.
    fn points(mut self) -> impl Iterator<Item = Point> {
        if let Some(deepest) = self.deepest {
            // the deepest takes the place of its nearest, unless one as deep is there
            let covered = self
                .points
                .iter()
                .any(|p| p.height <= deepest.height + self.tolerance);
            if !covered {
                let far = |p: &Point| {
                    let (du, dv) = (p.u - deepest.u, p.v - deepest.v);
                    du * du + dv * dv
                };
                let mut nearest = 0;
                for k in 1..MAX_POINTS {
                    if far(&self.points[k]) < far(&self.points[nearest]) {
                        nearest = k;
                    }
                }
                let replaced = self.points[nearest].id;
                for p in &mut self.points {
                    if p.id == replaced {
                        *p = deepest;
                    }
                }
            }
        }
        let (points, count) = (self.points, self.count);
        let once = move |&k: &usize| points[..k].iter().all(|p: &Point| p.id != points[k].id);
        let chosen = (0..count).filter(once).map(move |k| points[k]);
        chosen.chain(self.above.into_iter().take(self.above_count))
    }
}
