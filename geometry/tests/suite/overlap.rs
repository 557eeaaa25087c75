//! Depth of overlapping solids against a brute-force search over all separating axes.

use drystone_base::{Pose, Quat, Vec3, random::Random};
use drystone_geometry::mesh::build::l_shape;
use drystone_geometry::{ContactBuffer, MeshShape, Shape, collide, distance};
use std::sync::Arc;

/// Corners, face normals and directions of edges of a box, a hull or the core of a capsule, in the world.
struct Solid {
    radius: f64,
    corners: Vec<Vec3>,
    normals: Vec<Vec3>,
    edges: Vec<Vec3>,
}

impl Solid {
    fn new(shape: &Shape, pose: &Pose) -> Self {
        match shape {
            Shape::Box { half } => {
                let sign = |n: u32| if n & 1 == 0 { -1.0 } else { 1.0 };
                let corner = |n: u32| *half * Vec3::new(sign(n), sign(n >> 1), sign(n >> 2));
                let axes = vec![Vec3::X, Vec3::Y, Vec3::Z].into_iter();
                let axes: Vec<Vec3> = axes.map(|axis| pose.direction(axis)).collect();
                Self {
                    radius: 0.0,
                    corners: (0..8).map(|n| pose.point(corner(n))).collect(),
                    normals: axes.clone(),
                    edges: axes,
                }
            }
            Shape::Hull(hull) => {
                let corners: Vec<Vec3> = hull.points().iter().map(|&p| pose.point(p)).collect();
                let mut edges = Vec::new();
                for corner in hull.triangles() {
                    for k in 0..3 {
                        let [i, j] = [corner[k], corner[(k + 1) % 3]].map(|i| i as usize);
                        if i < j {
                            edges.push((corners[j] - corners[i]).normalize());
                        }
                    }
                }
                let normals = hull.faces().iter().map(|f| pose.direction(f.normal));
                Self {
                    radius: 0.0,
                    normals: normals.collect(),
                    corners,
                    edges,
                }
            }
            Shape::Capsule {
                half_length,
                radius,
            } => Self {
                radius: *radius,
                corners: [-1.0, 1.0]
                    .map(|side| pose.point(Vec3::Y * side * *half_length))
                    .to_vec(),
                normals: Vec::new(),
                edges: vec![pose.direction(Vec3::Y)],
            },
            _ => unreachable!("boxes, hulls and capsules only"),
        }
    }

    /// Largest separation from `other` along any axis that can separate the two; negative inside \[m\].
    fn separation(&self, other: &Self) -> f64 {
        let along = |axis: Vec3| {
            let span = |solid: &Self| {
                let heights = solid.corners.iter().map(|p| axis.dot(*p));
                heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), h| {
                    (low.min(h), high.max(h))
                })
            };
            let (a, b) = (span(self), span(other));
            (b.0 - a.1).max(a.0 - b.1)
        };
        let faces = self.normals.iter().chain(&other.normals).copied();
        let mut best = faces.map(along).fold(f64::NEG_INFINITY, f64::max);
        for a in &self.edges {
            for b in &other.edges {
                let axis = a.cross(*b);
                if axis.length_squared() > 1e-6 {
                    best = best.max(along(axis.normalize()));
                }
            }
        }
        best
    }
}

/// Boxes and hulls of random points, some of them ten to a hundred times as long as thick.
pub(crate) fn random_shape(random: &mut Random) -> Shape {
    let thin = if random.unit() < 0.5 {
        1.0
    } else {
        random.range(0.01, 0.1)
    };
    let half = Vec3::new(0.5, random.range(0.1, 0.5), random.range(0.1, 0.5) * thin);
    match random.below(5) {
        0 | 1 => return Shape::cuboid(half).unwrap(),
        2 => return Shape::capsule(half.x, half.z * 0.5).unwrap(),
        _ => {}
    }
    let count = 8 + random.below(13);
    let points: Vec<Vec3> = (0..count)
        .map(|_| random.rotation() * Vec3::X * half)
        .collect();
    Shape::hull(&points).unwrap()
}

#[test]
fn rods_that_cross_touch_on_the_side_that_they_lie_on() {
    // nearly in one plane, so that the centre of one may lie below the other that it lies upon
    let mut random = Random::new(17);
    let mut buffer = ContactBuffer::default();
    let mut worst = 0.0f64;
    for _ in 0..20_000 {
        let mut half = || Vec3::new(0.5, random.range(0.005, 0.03), random.range(0.005, 0.03));
        let (half_a, half_b) = (half(), half());
        let turned = Quat::from_rotation_y(random.range(0.1, 3.0));
        let tilted = Quat::from_rotation_z(random.range(-0.1, 0.1));
        let pose_a = Pose::new(Vec3::ZERO, Quat::IDENTITY);
        let rotation = turned * tilted;
        // the lowest edge of b above the face of a, at a crossing anywhere along both
        let thin = half_a.y.min(half_a.z).min(half_b.y).min(half_b.z);
        let gap = random.range(-0.1, 0.1) * thin;
        let crossing = Vec3::new(random.range(-0.45, 0.45), half_a.y + gap, 0.0);
        let across = half_b.z * random.range(-1.0, 1.0);
        let on_b = Vec3::new(random.range(-0.45, 0.45), -half_b.y, across);
        let pose_b = Pose::new(crossing - rotation * on_b, rotation);
        let (a, b) = (
            Shape::cuboid(half_a).unwrap(),
            Shape::cuboid(half_b).unwrap(),
        );
        let apart = Solid::new(&a, &pose_a).separation(&Solid::new(&b, &pose_b));
        buffer.clear();
        collide(&a, &pose_a, &b, &pose_b, 0.5 * thin, &mut buffer);
        for manifold in &buffer.manifolds {
            assert!(
                manifold.normal.y > 0.0,
                "b lies under a: {}",
                manifold.normal
            );
        }
        let nearest = buffer.points.iter().map(|p| p.distance);
        let nearest = nearest.fold(f64::INFINITY, f64::min);
        worst = worst.max((nearest - apart).abs() / thin);
    }
    assert!(worst < 0.2, "off by {worst:.3} of the half thickness"); // measured: 0.11
}

#[test]
fn thin_solids_touch_the_edges_of_a_mesh_between_its_samples() {
    // an L is not convex, and its grid is far coarser than the plates and rods are thin
    let mesh = MeshShape::new(l_shape(1.0, 0.35, 0.3), 12);
    let surface = mesh.surface().clone();
    let solid = Shape::Mesh(Arc::new(mesh));
    let mut random = Random::new(23);
    let mut buffer = ContactBuffer::default();
    let (mut pairs, mut worst) = (0, 0.0f64);
    while pairs < 60 {
        let thin = random.range(0.002, 0.02);
        let half = Vec3::new(random.range(0.2, 0.6), 0.5 * thin, random.range(0.001, 0.5));
        let (shape, edges): (Shape, Vec<[Vec3; 2]>) = if random.unit() < 0.3 {
            let along = Vec3::Y * half.x;
            let capsule = Shape::capsule(half.x, 0.5 * thin).unwrap();
            (capsule, vec![[-along, along]])
        } else {
            let half = half.max(Vec3::splat(0.5 * thin));
            let edges = (0..12).map(|k| {
                let (axis, n) = (k / 4, k % 4);
                let sign = |bit: usize| if n >> bit & 1 == 0 { -1.0 } else { 1.0 };
                let mut corner = half;
                corner[(axis + 1) % 3] *= sign(0);
                corner[(axis + 2) % 3] *= sign(1);
                let mut other = corner;
                other[axis] = -other[axis];
                [corner, other]
            });
            (Shape::cuboid(half).unwrap(), edges.collect())
        };
        let round = if edges.len() == 1 { 0.5 * thin } else { 0.0 };
        let mut along = || random.range(-0.8, 0.8);
        let spot = Vec3::new(along(), along(), along());
        let pose = Pose::new(spot, random.rotation());
        // brute force along every edge
        let places = edges
            .iter()
            .flat_map(|[p, q]| (0..=400).map(|i| pose.point(p.lerp(*q, f64::from(i) / 400.0))));
        let nearest = places.map(|p| surface.closest_point(p).distance - round);
        let nearest = nearest.fold(f64::INFINITY, f64::min);
        if nearest.abs() > 0.5 * thin {
            continue;
        }
        // not where an edge of the mesh goes through the middle of the plate
        let vertices = surface.mesh().vertices();
        let sides = surface.mesh().triangles().iter().flat_map(|t| {
            [0, 1, 2]
                .map(|k| [t[k], t[(k + 1) % 3]].map(|i| pose.local_point(vertices[i as usize])))
        });
        let inner = half - Vec3::new(0.6, 0.0, 0.6) * thin;
        let through = |p: Vec3| edges.len() > 1 && p.abs().cmplt(inner).all();
        if sides
            .into_iter()
            .any(|[p, q]| (0..=300).any(|i| through(p.lerp(q, f64::from(i) / 300.0))))
        {
            continue;
        }
        pairs += 1;
        buffer.clear();
        collide(&shape, &pose, &solid, &Pose::IDENTITY, thin, &mut buffer);
        let found = buffer.points.iter().map(|p| p.distance);
        let found = found.fold(f64::INFINITY, f64::min).min(thin);
        worst = worst.max((found - nearest) / thin);
    }
    assert!(worst < 0.5, "farther by {worst:.3} of the thickness"); // measured: 0.26; without edges 1.47
}

#[test]
fn what_overlaps_has_a_contact_as_deep_as_the_overlap() {
    let mut random = Random::new(11);
    let (mut pairs, mut least, mut most) = (0, f64::INFINITY, 0.0_f64);
    let mut buffer = ContactBuffer::default();
    while pairs < 8_000 {
        let (a, b) = (random_shape(&mut random), random_shape(&mut random));
        let mut pose = || {
            let mut along = || random.range(-0.4, 0.4);
            let spot = Vec3::new(along(), along(), along());
            Pose::new(spot, random.rotation())
        };
        let (pose_a, pose_b) = (pose(), pose());
        let (solid_a, solid_b) = (Solid::new(&a, &pose_a), Solid::new(&b, &pose_b));
        let separation = solid_a.separation(&solid_b);
        // two cores of capsules have no depth, and what is only near is no matter of axes
        if separation > -1e-4 || solid_a.corners.len() + solid_b.corners.len() == 4 {
            continue;
        }
        let separation = separation - solid_a.radius - solid_b.radius;
        pairs += 1;
        buffer.clear();
        collide(&a, &pose_a, &b, &pose_b, 0.0, &mut buffer);
        let depth = buffer
            .points
            .iter()
            .fold(0.0, |d, p| f64::max(d, -p.distance));
        let share = depth / -separation;
        (least, most) = (least.min(share), most.max(share));
    }
    // measured: 0.94 and 1.18; an axis of edges must be clearly better than that of a face
    let shares = format!("{least:.3} to {most:.3} of the overlap");
    assert!(least > 0.9 && most < 1.2, "{shares}");
}

#[test]
fn what_is_apart_has_a_contact_at_its_distance() {
    let mut random = Random::new(3);
    let (mut pairs, mut far, mut worst) = (0, 0, 0.0_f64);
    let mut buffer = ContactBuffer::default();
    while pairs < 8_000 {
        let (a, b) = (random_shape(&mut random), random_shape(&mut random));
        let mut pose = || {
            let mut along = || random.range(-0.7, 0.7);
            let spot = Vec3::new(along(), along(), along());
            Pose::new(spot, random.rotation())
        };
        let (pose_a, pose_b) = (pose(), pose());
        let thickness = a.thickness().min(b.thickness());
        let apart = distance(&a, &pose_a, &b, &pose_b);
        if apart <= 0.01 * thickness || apart > 1.5 * thickness {
            continue;
        }
        pairs += 1;
        buffer.clear();
        collide(&a, &pose_a, &b, &pose_b, 2.0 * thickness, &mut buffer);
        let points = buffer.points.iter();
        let nearest = points.fold(f64::INFINITY, |near, p| near.min(p.distance));
        // a contact that seems farther away than the bodies are lets them into each other
        let over = (nearest - apart) / thickness;
        far += usize::from(over > 0.1);
        worst = worst.max(over);
    }
    let found =
        format!("{far} of {pairs} contacts are too far away, by up to {worst:.3} of the thickness");
    assert!(far < pairs / 200 && worst < 0.3, "{found}");
}

#[test]
fn plates_a_hair_apart_are_not_inside_each_other() {
    let mut random = Random::new(5);
    let (mut pairs, mut worst) = (0, 0.0_f64);
    let mut buffer = ContactBuffer::default();
    while pairs < 3_000 {
        let mut plate = || {
            let half = Vec3::new(random.range(0.2, 0.6), 0.005, random.range(0.2, 0.6));
            let mut along = || random.range(-0.5, 0.5);
            let spot = Vec3::new(along(), along(), along());
            (Shape::Box { half }, Pose::new(spot, random.rotation()))
        };
        let ((a, pose_a), (b, mut pose_b)) = (plate(), plate());
        // brought near along the line between their nearest points
        let apart = distance(&a, &pose_a, &b, &pose_b);
        if apart <= 0.0 {
            continue;
        }
        let thickness = a.thickness().min(b.thickness());
        let way = (pose_a.position - pose_b.position).normalize();
        let gap = random.range(0.002, 0.04) * thickness;
        for _ in 0..60 {
            let left = distance(&a, &pose_a, &b, &pose_b) - gap;
            pose_b.position += way * left.max(0.0);
        }
        let apart = distance(&a, &pose_a, &b, &pose_b);
        if !(apart > 0.0 && apart < 0.05 * thickness) {
            continue;
        }
        pairs += 1;
        buffer.clear();
        collide(&a, &pose_a, &b, &pose_b, 0.1 * thickness, &mut buffer);
        let points = buffer.points.iter();
        let depth = points.fold(0.0, |deep, p| f64::max(deep, -p.distance));
        worst = worst.max(depth / thickness);
    }
    assert!(
        worst < 0.1,
        "{worst:.3} of the thickness inside while apart"
    );
}
