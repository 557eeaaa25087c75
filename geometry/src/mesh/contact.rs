//! Contacts of a mesh: surface samples of either side in the other's distance field
//! (Erleben 2007, §6), and for balls the exact places where they touch.

use std::cell::RefCell;

use drystone_base::{Mat3, Pose, Vec3};

use super::edges::nearest_along;
use super::reduce::{Touch, reduce};
use super::surface::closest_on_triangle;
use super::{MeshShape, SphereTree};
use crate::contact::closest_on_box;
use crate::{Hull, Shape};

/// Set in the features of points that belong to `a`.
const OTHER_SIDE: u32 = 1 << 31;
/// A surface meets another against its normal. Normals of samples and fields may miss that by
/// this angle, beyond what the edges at the sample allow: cosine and sine of 20 degrees \[1\].
const LEAN: (f64, f64) = (0.9397, 0.342);

/// Samples whose triangles lean by less than a degree lie in a flat face: cosine \[1\].
const FLAT: f64 = 0.9998;

/// Memory that stays from call to call; its contents do not.
#[derive(Default)]
struct Scratch {
    found: Vec<Found>,
    touches: Vec<Touch>,
    minima: Vec<(Vec3, u32)>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// A point of one solid that is close to the surface of the other.
#[derive(Clone, Copy)]
struct Found {
    touch: Touch,
    /// Whether the point's own surface looks towards the field.
    facing: bool,
}

/// A solid that can be asked how far points are from it, in its own frame.
trait Field {
    /// Whether no point within `radius` of `centre` is truly closer than `envelope`.
    fn out_of_reach(&self, centre: Vec3, radius: f64, envelope: f64) -> bool;
    /// Signed distance and outward unit normal of a point closer than `envelope`.
    fn probe(&self, p: Vec3, envelope: f64) -> Option<(f64, Vec3)>;
}

/// The distance from a segment along y, less a radius.
struct Rod {
    half_length: f64,
    radius: f64,
}

impl Rod {
    fn off_axis(&self, p: Vec3) -> Vec3 {
        p - Vec3::Y * p.y.clamp(-self.half_length, self.half_length)
    }
}

impl Field for Rod {
    fn out_of_reach(&self, centre: Vec3, radius: f64, envelope: f64) -> bool {
        self.off_axis(centre).length() - self.radius > radius + envelope
    }

    fn probe(&self, p: Vec3, envelope: f64) -> Option<(f64, Vec3)> {
        let out = self.off_axis(p);
        let length = out.length();
        let normal = if length > 0.0 { out / length } else { Vec3::X };
        let distance = length - self.radius;
        (distance < envelope).then_some((distance, normal))
    }
}

struct Block(Vec3);

impl Field for Block {
    fn out_of_reach(&self, centre: Vec3, radius: f64, envelope: f64) -> bool {
        closest_on_box(self.0, centre).2 > radius + envelope
    }

    fn probe(&self, p: Vec3, envelope: f64) -> Option<(f64, Vec3)> {
        let (_, normal, distance) = closest_on_box(self.0, p);
        (distance < envelope).then_some((distance, normal))
    }
}

/// Everything with y <= 0.
struct Floor;

impl Field for Floor {
    fn out_of_reach(&self, centre: Vec3, radius: f64, envelope: f64) -> bool {
        centre.y > radius + envelope
    }

    fn probe(&self, p: Vec3, envelope: f64) -> Option<(f64, Vec3)> {
        (p.y < envelope).then_some((p.y, Vec3::Y))
    }
}

impl Field for Hull {
    fn out_of_reach(&self, centre: Vec3, radius: f64, envelope: f64) -> bool {
        // any single face separates
        self.faces()
            .iter()
            .any(|f| f.normal.dot(centre) - f.offset > radius + envelope)
    }

    fn probe(&self, p: Vec3, envelope: f64) -> Option<(f64, Vec3)> {
        let (mut distance, mut normal) = (f64::NEG_INFINITY, Vec3::Y);
        for face in self.faces() {
            let d = face.normal.dot(p) - face.offset;
            if d > distance {
                (distance, normal) = (d, face.normal);
            }
        }
        if distance <= 0.0 || distance >= envelope {
            return (distance < envelope).then_some((distance, normal));
        }
        // outside, planes are right above faces only: measure to the triangles
        let mut best = (f64::INFINITY, normal);
        for corners in self.triangles() {
            let (q, _) = closest_on_triangle(p, corners.map(|i| self.points()[i as usize]));
            let length = (p - q).length();
            if length < best.0 {
                best = (length, (p - q) / length);
            }
        }
        let steady = if best.1.is_finite() { best.1 } else { normal };
        (best.0 < envelope).then_some((best.0, steady))
    }
}

impl Field for MeshShape {
    fn out_of_reach(&self, centre: Vec3, radius: f64, envelope: f64) -> bool {
        self.safe_distance(centre) > radius + envelope
    }

    fn probe(&self, p: Vec3, envelope: f64) -> Option<(f64, Vec3)> {
        let distance = self.grid().distance(p);
        if distance >= envelope {
            return None;
        }
        if self.grid().contains(p)
            && let Some(normal) = self.grid().gradient(p).try_normalize()
        {
            return Some((distance, normal));
        }
        self.probe_exactly(p, envelope)
    }
}

impl MeshShape {
    /// A distance that the true one is not below \[m\].
    pub(super) fn safe_distance(&self, p: Vec3) -> f64 {
        let distance = self.grid().distance(p);
        distance - self.grid().excess(distance)
    }

    /// Distance by the triangles instead of the grid, for the few points where that is worth its cost.
    pub(super) fn probe_exactly(&self, p: Vec3, envelope: f64) -> Option<(f64, Vec3)> {
        let grid = self.grid();
        if grid.distance(p) - grid.error_bound() >= envelope {
            return None;
        }
        // beyond the grid is outside the mesh, where nothing past the envelope is asked for
        let most = match grid.contains(p) {
            true => grid.at_most(p),
            false => grid.at_most(p).min(envelope),
        };
        let closest = self.surface().closest_point_within(p, most)?;
        (closest.distance < envelope).then_some((closest.distance, closest.normal))
    }
}

/// A touch at `p` with the field's `distance` and outward `normal`, all world.
fn touch(p: Vec3, distance: f64, normal: Vec3, point_is_of_a: bool, number: u32) -> Touch {
    let foot = p - normal * distance;
    let (on_a, on_b, normal, feature) = if point_is_of_a {
        (p, foot, -normal, number | OTHER_SIDE)
    } else {
        (foot, p, normal, number & !OTHER_SIDE)
    };
    Touch {
        on_a,
        on_b,
        normal,
        distance,
        feature,
        group: 0,
    }
}

/// Cosine of an angle plus the lean, from the cosine of the angle.
fn widened(cosine: f64) -> f64 {
    if cosine <= -LEAN.0 {
        return -1.0;
    }
    cosine * LEAN.0 - (1.0 - cosine * cosine).max(0.0).sqrt() * LEAN.1
}

/// Samples of a tree in a field.
fn gather(
    tree: &SphereTree,
    pose_tree: &Pose,
    field: &impl Field,
    pose_field: &Pose,
    envelope: f64,
    samples_are_of_a: bool,
    found: &mut Vec<Found>,
) {
    let relative = pose_field.inverse().then(pose_tree);
    let (turn, shift) = (Mat3::from_quat(relative.rotation), relative.position);
    let outward = pose_field.matrix();
    tree.visit(
        |centre, radius| field.out_of_reach(turn * centre + shift, radius, envelope),
        |number, sample| {
            if let Some((distance, normal)) = field.probe(turn * sample.point + shift, envelope) {
                let p = pose_tree.point(sample.point);
                let against = -(turn * sample.normal);
                let facing = against.dot(normal) >= widened(sample.spread);
                // in the middle of a flat face its own normal is the better known
                let flat = facing && sample.spread > FLAT;
                let normal = outward * if flat { against } else { normal };
                found.push(Found {
                    touch: touch(p, distance, normal, samples_are_of_a, number),
                    facing,
                });
            }
        },
    );
}

/// Hands the manifolds of two shapes, at least one of them a mesh, to `emit`: shapes in the
/// order convex, mesh, half-space. Other pairs touch nothing here.
pub(crate) fn dispatch(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    envelope: f64,
    emit: &mut dyn FnMut(Vec3, &[Touch]),
) {
    SCRATCH.with_borrow_mut(|scratch| {
        let Scratch {
            found,
            touches,
            minima,
        } = scratch;
        found.clear();
        touches.clear();
        match (a, b) {
            (Shape::Mesh(a), Shape::Mesh(b)) => {
                gather(a.tree(), pose_a, &**b, pose_b, envelope, true, found);
                gather(b.tree(), pose_b, &**a, pose_a, envelope, false, found);
            }
            (Shape::Mesh(a), Shape::HalfSpace) => {
                gather(a.tree(), pose_a, &Floor, pose_b, envelope, true, found);
            }
            (_, Shape::Mesh(b)) => {
                convex_mesh(a, pose_a, b, pose_b, envelope, found, touches, minima);
            }
            _ => {}
        }
        // leave out what faces away, unless there is nothing else (one solid in the other)
        let any = !touches.is_empty() || found.iter().any(|f| f.facing);
        touches.extend(found.iter().filter(|f| f.facing || !any).map(|f| f.touch));
        reduce(touches, envelope, emit);
    });
}

/// A convex shape against a mesh: samples of the mesh in the shape's exact field, and points
/// of the shape against the triangles.
fn convex_mesh(
    a: &Shape,
    pose_a: &Pose,
    b: &MeshShape,
    pose_b: &Pose,
    envelope: f64,
    found: &mut Vec<Found>,
    touches: &mut Vec<Touch>,
    minima: &mut Vec<(Vec3, u32)>,
) {
    let tree = b.tree();
    match a {
        Shape::Sphere { radius } => {
            ball(
                pose_a.position,
                *radius,
                0,
                b,
                pose_b,
                envelope,
                minima,
                touches,
            );
        }
        Shape::Capsule {
            half_length,
            radius,
        } => {
            // balls along the axis, so close that no gap between them is deep
            let pieces = (2.0 * half_length / radius).ceil().clamp(1.0, 8.0);
            for i in 0..=pieces as u32 {
                let along = half_length * (2.0 * f64::from(i) / pieces - 1.0);
                let centre = pose_a.point(Vec3::Y * along);
                ball(centre, *radius, i, b, pose_b, envelope, minima, touches);
            }
            // further ones where a long rod comes nearest between them
            if 2.0 * half_length > pieces * radius {
                let axis = [-1.0, 1.0].map(|side| Vec3::Y * side * *half_length);
                let mut number = pieces as u32;
                nearest_along(
                    (b, pose_b),
                    (axis, pose_a),
                    *radius,
                    radius + envelope,
                    &mut |p, _, _| {
                        number += 1;
                        let centre = pose_a.point(p);
                        ball(
                            centre, *radius, number, b, pose_b, envelope, minima, touches,
                        );
                    },
                );
            }
            let rod = Rod {
                half_length: *half_length,
                radius: *radius,
            };
            gather(tree, pose_b, &rod, pose_a, envelope, false, found);
        }
        Shape::Box { half } => {
            gather(tree, pose_b, &Block(*half), pose_a, envelope, false, found);
            let corners: [Vec3; 8] = std::array::from_fn(|i| box_corner(*half, i as u32));
            box_points(*half, tree.spacing(), &mut |p, number| {
                point(p, number, &corners, pose_a, b, pose_b, envelope, found);
            });
            let edges = BOX_EDGES.map(|ends| ends.map(|i| corners[i]));
            let sizes = (2.0 * half.min_element(), BOX_PIECES * tree.spacing());
            along_edges(sizes, edges, &corners, pose_a, b, pose_b, envelope, found);
        }
        Shape::Hull(hull) => {
            gather(tree, pose_b, &**hull, pose_a, envelope, false, found);
            let points = hull.points();
            for (i, &p) in points.iter().enumerate() {
                point(p, i as u32, points, pose_a, b, pose_b, envelope, found);
            }
            let sides = hull.triangles().iter().flat_map(|corners| {
                [0, 1, 2].map(|k| [corners[k], corners[(k + 1) % 3]].map(|i| i as usize))
            });
            let edges = sides
                .filter(|[i, j]| i < j)
                .map(|ends| ends.map(|i| points[i]));
            for (k, [p, q]) in edges.clone().enumerate() {
                let number = (points.len() + k) as u32;
                let middle = 0.5 * (p + q);
                point(middle, number, points, pose_a, b, pose_b, envelope, found);
            }
            let sizes = (hull.width(), 2.0 * tree.spacing());
            along_edges(sizes, edges, points, pose_a, b, pose_b, envelope, found);
        }
        Shape::HalfSpace | Shape::Mesh(_) | Shape::Compound(_) => {}
    }
}

/// Where the edges of a solid come nearest to b between their ends: those of a solid thinner than the spacing of b's
/// samples, and those longer than `long`, along which points at fixed places are farther apart than that.
fn along_edges(
    (thickness, long): (f64, f64),
    edges: impl IntoIterator<Item = [Vec3; 2]>,
    corners: &[Vec3],
    pose_a: &Pose,
    b: &MeshShape,
    pose_b: &Pose,
    envelope: f64,
    found: &mut Vec<Found>,
) {
    let spacing = b.tree().spacing();
    let (thin, finest) = (thickness < spacing, spacing.min(0.5 * thickness));
    for (k, ends) in edges.into_iter().enumerate() {
        if !thin && ends[0].distance(ends[1]) <= long {
            continue;
        }
        let mut number = EDGE_NUMBERS + 16 * k as u32;
        nearest_along(
            (b, pose_b),
            (ends, pose_a),
            finest,
            envelope,
            &mut |p, distance, normal| {
                found.push(known(p, distance, normal, number, corners, pose_a));
                number += 1;
            },
        );
    }
}

/// A point of the convex hull of `corners`, in a's frame, against the triangles of b.
fn point(
    p: Vec3,
    number: u32,
    corners: &[Vec3],
    pose_a: &Pose,
    b: &MeshShape,
    pose_b: &Pose,
    envelope: f64,
    found: &mut Vec<Found>,
) {
    if let Some((distance, normal)) = b.probe_exactly(pose_b.local_point(pose_a.point(p)), envelope)
    {
        let normal = pose_a.local_direction(pose_b.direction(normal));
        found.push(known(p, distance, normal, number, corners, pose_a));
    }
}

/// As above, where `distance` and `normal` of b, in a's frame, are known.
fn known(
    p: Vec3,
    distance: f64,
    normal: Vec3,
    number: u32,
    corners: &[Vec3],
    pose_a: &Pose,
) -> Found {
    // it looks towards b if nothing of a lies much further that way
    let ahead = |q: &Vec3| -normal.dot(*q - p) > LEAN.1 * (*q - p).length();
    let (world, outward) = (pose_a.point(p), pose_a.direction(normal));
    Found {
        touch: touch(world, distance, outward, true, number),
        facing: !corners.iter().any(ahead),
    }
}

/// The edges of a box, by the numbers of their corners.
const BOX_EDGES: [[usize; 2]; 12] = [
    [0, 1],
    [2, 3],
    [4, 5],
    [6, 7],
    [0, 2],
    [1, 3],
    [4, 6],
    [5, 7],
    [0, 4],
    [1, 5],
    [2, 6],
    [3, 7],
];
/// Most pieces into which the points at fixed places divide an edge of a box.
const BOX_PIECES: f64 = 8.0;
/// Numbers of points found along edges begin here, above those of corners and of points at fixed places.
const EDGE_NUMBERS: u32 = 1 << 16;

/// Corner `i`: bit k says on which side of axis k it lies.
fn box_corner(half: Vec3, i: u32) -> Vec3 {
    let side = |k: u32| if i >> k & 1 == 1 { 1.0 } else { -1.0 };
    half * Vec3::new(side(0), side(1), side(2))
}

/// Corners of a box and points along its edges, at most eight pieces each.
fn box_points(half: Vec3, spacing: f64, probe: &mut dyn FnMut(Vec3, u32)) {
    for corner in 0..8 {
        let from = box_corner(half, corner);
        probe(from, corner);
        for axis in 0..3u32 {
            if corner >> axis & 1 == 1 {
                continue;
            }
            let k = axis as usize;
            let pieces = (2.0 * half[k] / spacing).ceil().clamp(2.0, BOX_PIECES);
            for i in 1..pieces as u32 {
                let mut p = from;
                p[k] = half[k] * (2.0 * f64::from(i) / pieces - 1.0);
                probe(p, 8 + i + 8 * (axis + 3 * corner));
            }
        }
    }
}

/// A ball of a against all places of b that its surface may touch.
fn ball(
    centre: Vec3,
    radius: f64,
    number: u32,
    b: &MeshShape,
    pose_b: &Pose,
    envelope: f64,
    minima: &mut Vec<(Vec3, u32)>,
    touches: &mut Vec<Touch>,
) {
    let local = pose_b.local_point(centre);
    let Some((distance, normal)) = b.probe_exactly(local, radius + envelope) else {
        return;
    };
    let mut add = |distance: f64, normal: Vec3| {
        // numbered by direction, so that a ball rolling over triangles keeps its number
        let [x, y, z] = (normal * 4.0).round().to_array().map(|c| (c + 4.0) as u32);
        let world = pose_b.direction(normal);
        touches.push(touch(
            centre - world * radius,
            distance - radius,
            world,
            true,
            x + 9 * (y + 9 * (z + 9 * number)),
        ));
    };
    if distance <= 0.0 {
        return add(distance, normal);
    }
    minima.clear();
    b.surface().local_minima(local, radius + envelope, minima);
    // where rounding leaves a shared edge to neither side, there is still the closest point
    let mut closest_is_there = false;
    for &(q, _) in minima.iter() {
        let length = (local - q).length();
        if length > 0.0 {
            closest_is_there |= length <= distance * (1.0 + 1e-9);
            add(length, (local - q) / length);
        }
    }
    if !closest_is_there {
        add(distance, normal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::build;
    use drystone_base::random::Random;

    #[test]
    fn skipping_balls_loses_no_touch() {
        let animal = MeshShape::new(build::animal(), 48);
        let mut random = Random::new(1);
        let (mut asked, mut samples) = (0, 0);
        for i in 0..60 {
            let mut x = || random.range(-0.4, 0.4);
            let there = Vec3::new(x(), x(), x());
            let pose = Pose::new(there, random.rotation());
            let envelope = if i % 2 == 0 { 0.01 } else { 0.2 };
            let mut found = Vec::new();
            gather(
                animal.tree(),
                &pose,
                &animal,
                &Pose::IDENTITY,
                envelope,
                true,
                &mut found,
            );
            let mut list = found
                .iter()
                .map(|f| f.touch.feature & !OTHER_SIDE)
                .peekable();
            for (i, sample) in animal.tree().samples().iter().enumerate() {
                let p = pose.point(sample.point);
                if list.next_if_eq(&(i as u32)).is_some() {
                    assert!(animal.probe(p, envelope).is_some());
                } else if animal.probe(p, envelope).is_some() {
                    // near by the grid's error only
                    let exact = animal.closest_point(p).distance;
                    assert!(exact >= envelope, "lost a sample at {exact}");
                }
            }
            assert!(list.next().is_none());
            if i % 2 == 0 {
                let skip = |c, r| animal.out_of_reach(pose.point(c), r, envelope);
                animal.tree().visit(skip, |_, _| asked += 1);
                samples += animal.tree().samples().len();
            }
        }
        assert!(asked * 4 < samples, "{asked} of {samples} samples asked"); // measured: 0.17
    }
}
