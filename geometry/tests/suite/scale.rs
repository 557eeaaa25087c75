//! Contacts and distances do not know how large a metre is: two shapes and the same two, a power of two as
//! large, give the same contacts, as much larger.

use drystone_base::{Pose, Vec3, random::Random};
use drystone_geometry::{ContactBuffer, Shape, collide, distance};

use crate::overlap::random_shape;

/// Exponents of two: from 4 mm to a kilometre, for shapes of a metre (radii of at least 2 µm).
const FACTORS: [i32; 4] = [-8, -5, 4, 10];

fn scaled(shape: &Shape, by: f64) -> Shape {
    match shape {
        Shape::Sphere { radius } => Shape::sphere(radius * by),
        Shape::Box { half } => Shape::cuboid(*half * by),
        Shape::Capsule {
            half_length,
            radius,
        } => Shape::capsule(half_length * by, radius * by),
        Shape::Hull(hull) => {
            let points: Vec<Vec3> = hull.points().iter().map(|&p| p * by).collect();
            Shape::hull(&points)
        }
        Shape::HalfSpace => return Shape::HalfSpace,
        _ => unreachable!("no meshes and compounds here"),
    }
    .unwrap()
}

fn any_shape(random: &mut Random) -> Shape {
    match random.below(8) {
        0 => Shape::sphere(random.range(0.05, 0.5)).unwrap(),
        1 => Shape::HalfSpace,
        _ => random_shape(random),
    }
}

fn sorted_distances(buffer: &ContactBuffer) -> Vec<f64> {
    let mut all: Vec<f64> = buffer.points.iter().map(|p| p.distance).collect();
    all.sort_by(f64::total_cmp);
    all
}

#[test]
fn contacts_of_small_and_large_shapes_are_those_of_a_metre() {
    let mut random = Random::new(5);
    let (mut contacts, mut differ, mut worst) = (0, Vec::new(), 0.0_f64);
    let (mut buffer, mut other) = (ContactBuffer::default(), ContactBuffer::default());
    for _ in 0..4_000 {
        let (a, b) = (any_shape(&mut random), any_shape(&mut random));
        if matches!((&a, &b), (Shape::HalfSpace, Shape::HalfSpace)) {
            continue;
        }
        let mut pose = || {
            let mut along = || random.range(-0.6, 0.6);
            Pose::new(Vec3::new(along(), along(), along()), random.rotation())
        };
        let (pose_a, pose_b) = (pose(), pose());
        buffer.clear();
        collide(&a, &pose_a, &b, &pose_b, 0.1, &mut buffer);
        let wanted = sorted_distances(&buffer);
        contacts += wanted.len();
        for power in FACTORS {
            let by = f64::from(power).exp2();
            let (sa, sb) = (scaled(&a, by), scaled(&b, by));
            let place = |pose: &Pose| Pose::new(pose.position * by, pose.rotation);
            other.clear();
            collide(
                &sa,
                &place(&pose_a),
                &sb,
                &place(&pose_b),
                0.1 * by,
                &mut other,
            );
            let found = sorted_distances(&other);
            let far = |(w, f): (&f64, &f64)| (w - f / by).abs();
            let apart = wanted.iter().zip(&found).map(far).fold(0.0, f64::max);
            if wanted.len() != found.len() || apart > 1e-9 {
                differ.push(format!("{} {} by 2^{power}", a.name(), b.name()));
            } else {
                worst = worst.max(apart);
            }
        }
    }
    assert!(contacts > 5_000, "only {contacts} contacts");
    // measured: equal; one differs if GJK is not brought to unit size
    assert!(
        differ.is_empty(),
        "{} of {contacts} contacts differ, first: {:?}; the others by {worst:.1e}",
        differ.len(),
        &differ[..differ.len().min(5)]
    );
}

#[test]
fn distances_of_small_and_large_shapes_are_those_of_a_metre() {
    let mut random = Random::new(6);
    let mut worst = 0.0_f64;
    for _ in 0..1_000 {
        let (a, b) = (random_shape(&mut random), random_shape(&mut random));
        let mut pose = || {
            let mut along = || random.range(-1.0, 1.0);
            Pose::new(Vec3::new(along(), along(), along()), random.rotation())
        };
        let (pose_a, pose_b) = (pose(), pose());
        let wanted = distance(&a, &pose_a, &b, &pose_b);
        for power in FACTORS {
            let by = f64::from(power).exp2();
            let place = |pose: &Pose| Pose::new(pose.position * by, pose.rotation);
            let (sa, sb) = (scaled(&a, by), scaled(&b, by));
            let found = distance(&sa, &place(&pose_a), &sb, &place(&pose_b));
            worst = worst.max((found / by - wanted).abs());
        }
    }
    // measured: 0; 1e-3 if GJK is not brought to unit size
    assert!(worst < 1e-9, "distances differ by {worst:.1e} of the size");
}
