//! Laws of contacts between balls, boxes and half-spaces.

use drystone_base::{Pose, Quat, Vec3, functions::rotation_about, random::Random};
use drystone_geometry::{ContactBuffer, Shape, collide};

const ENVELOPE: f64 = 0.01;

fn cube() -> Shape {
    Shape::Box {
        half: Vec3::splat(0.5),
    }
}

fn contacts(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, envelope: f64) -> ContactBuffer {
    let mut out = ContactBuffer::default();
    collide(a, pose_a, b, pose_b, envelope, &mut out);
    out
}

fn turned(y: f64, angle: f64) -> Pose {
    Pose::new(Vec3::Y * y, rotation_about(Vec3::Y, angle))
}

#[test]
fn stacked_cubes_touch_in_four_points_and_turned_ones_in_eight() {
    let aligned = contacts(
        &cube(),
        &turned(0.0, 0.0),
        &cube(),
        &turned(1.0, 0.0),
        ENVELOPE,
    );
    assert_eq!((aligned.manifolds.len(), aligned.points.len()), (1, 4));
    let twisted = contacts(
        &cube(),
        &turned(0.0, 0.0),
        &cube(),
        &turned(1.0, 1.0),
        ENVELOPE,
    );
    assert_eq!((twisted.manifolds.len(), twisted.points.len()), (1, 8));
    for out in [aligned, twisted] {
        assert!((out.manifolds[0].normal - Vec3::Y).length() < 1e-15);
        for p in &out.points {
            assert!(p.distance.abs() < 1e-15);
            assert!((p.on_a.y - 0.5).abs() < 1e-15 && (p.on_b - p.on_a).length() < 1e-15);
        }
    }
}

/// Bodies of Poulsen 2010's box stack: a slab and nine cubes, every second one turned.
fn stack_of_nine(noise: f64, random: &mut Random) -> Vec<(Shape, Pose)> {
    let slab = Shape::Box {
        half: Vec3::new(10.0, 0.5, 10.0),
    };
    let mut bodies = vec![(slab, Pose::IDENTITY)];
    for i in 1..10 {
        let mut pose = turned(f64::from(i), f64::from(i % 2));
        let mut jitter = || random.range(-noise, noise);
        pose.position += Vec3::new(jitter(), jitter(), jitter());
        let turn = Quat::from_xyzw(jitter(), jitter(), jitter(), 1.0).normalize();
        pose.rotation = turn * pose.rotation;
        bodies.push((cube(), pose));
    }
    bodies
}

fn stack_features(bodies: &[(Shape, Pose)]) -> Vec<(usize, u32)> {
    let mut features = Vec::new();
    for i in 0..bodies.len() {
        for j in i + 1..bodies.len() {
            let ((a, pose_a), (b, pose_b)) = (&bodies[i], &bodies[j]);
            let out = contacts(a, pose_a, b, pose_b, ENVELOPE);
            features.extend(out.points.iter().map(|p| (i, p.feature)));
        }
    }
    features
}

#[test]
fn the_stack_of_nine_has_68_contacts() {
    let features = stack_features(&stack_of_nine(0.0, &mut Random::new(1)));
    assert_eq!(features.len(), 4 + 8 * 8);
    let mut unique = features.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), features.len(), "two points share a feature");
}

#[test]
fn features_do_not_change_under_noise() {
    let mut random = Random::new(2);
    let calm = stack_features(&stack_of_nine(0.0, &mut random));
    let aligned = |noise: f64, random: &mut Random| {
        let mut bodies = stack_of_nine(noise, random);
        for (_, pose) in &mut bodies[2..] {
            pose.rotation = Quat::from_xyzw(0.0, random.range(-noise, noise), 0.0, 1.0).normalize();
        }
        bodies[1].1.rotation = Quat::IDENTITY;
        stack_features(&bodies)
    };
    let calm_aligned = aligned(0.0, &mut random);
    assert_eq!(calm_aligned.len(), 9 * 4);
    for _ in 0..200 {
        assert_eq!(stack_features(&stack_of_nine(1e-9, &mut random)), calm);
        assert_eq!(aligned(1e-9, &mut random), calm_aligned);
        assert_eq!(aligned(1e-6, &mut random), calm_aligned);
    }
}

#[test]
fn bricks_in_a_row_touch_their_neighbours_but_not_across_the_corner() {
    let brick = Shape::Box {
        half: Vec3::new(1.0, 0.5, 0.5),
    };
    let at = |x, y| Pose::at(Vec3::new(x, y, 0.0));
    let count = |x, y| {
        contacts(&brick, &at(0.0, 0.0), &brick, &at(x, y), ENVELOPE)
            .points
            .len()
    };
    assert_eq!(count(2.0, 0.0), 4);
    assert_eq!(count(0.0, 1.0), 4);
    assert_eq!(count(1.0, 1.0), 4);
    for noise in [0.0, 1e-9, -1e-9, 1e-6, -1e-6] {
        assert_eq!(count(2.0 + noise, 1.0), 0);
        assert_eq!(count(2.0, 1.0 + noise), 0);
    }
}

fn random_box(random: &mut Random) -> Shape {
    let mut edge = || random.range(0.2, 1.0);
    Shape::Box {
        half: Vec3::new(edge(), edge(), edge()),
    }
}

fn random_pose(random: &mut Random, reach: f64) -> Pose {
    let mut along = || random.range(-reach, reach);
    Pose::new(Vec3::new(along(), along(), along()), random.rotation())
}

/// Whether some point of a fine grid on the first box lies in the second.
fn grids_overlap(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> bool {
    let (Shape::Box { half: ha }, Shape::Box { half: hb }) = (a, b) else {
        return false;
    };
    let steps = 24;
    let inside = |h: &Vec3, p: Vec3| p.abs().cmple(*h).all();
    (0..=steps).any(|i| {
        (0..=steps).any(|j| {
            (0..=steps).any(|k| {
                let unit = Vec3::new(f64::from(i), f64::from(j), f64::from(k));
                let p = *ha * (unit * (2.0 / f64::from(steps)) - 1.0);
                inside(hb, pose_b.local_point(pose_a.point(p)))
            })
        })
    })
}

#[test]
fn the_sign_of_the_distance_agrees_with_sampling() {
    let mut random = Random::new(3);
    let (mut touching, mut free) = (0, 0);
    for _ in 0..2000 {
        let (a, b) = (random_box(&mut random), random_box(&mut random));
        let (pose_a, pose_b) = (random_pose(&mut random, 0.6), random_pose(&mut random, 1.0));
        let out = contacts(&a, &pose_a, &b, &pose_b, 0.0);
        let sampled = grids_overlap(&a, &pose_a, &b, &pose_b);
        if sampled {
            touching += 1;
            assert!(
                !out.points.is_empty(),
                "an overlap was missed: {a:?} {pose_a:?} {b:?} {pose_b:?}"
            );
        } else if out.points.is_empty() {
            free += 1;
        } else {
            // sampling can only miss what is thin
            let deepest = out.points.iter().fold(0.0f64, |d, p| d.min(p.distance));
            assert!(deepest > -0.03, "a false overlap {deepest} deep"); // measured: -0.014
        }
    }
    assert!(touching > 500 && free > 200, "{touching} {free}");
}

#[test]
fn separating_by_the_deepest_distance_frees_the_boxes() {
    let mut random = Random::new(4);
    for _ in 0..5000 {
        let (a, b) = (random_box(&mut random), random_box(&mut random));
        let (pose_a, mut pose_b) = (random_pose(&mut random, 0.6), random_pose(&mut random, 1.0));
        let out = contacts(&a, &pose_a, &b, &pose_b, 0.0);
        let Some(m) = out.manifolds.first() else {
            continue;
        };
        assert!((m.normal.length() - 1.0).abs() < 1e-12);
        let deepest = out.points.iter().fold(0.0f64, |d, p| d.min(p.distance));
        for p in &out.points {
            assert!((m.normal.dot(p.on_b - p.on_a) - p.distance).abs() < 1e-12);
        }
        pose_b.position += m.normal * (1e-3 - deepest);
        let after = contacts(&a, &pose_a, &b, &pose_b, 0.0);
        let left = after.points.iter().fold(0.0f64, |d, p| d.min(p.distance));
        assert!(left > -1e-9, "{left} left of {deepest}"); // measured: 0
    }
}

#[test]
fn exchanging_the_bodies_turns_the_normal_and_keeps_the_distances() {
    let mut random = Random::new(5);
    let mut seen = 0;
    for _ in 0..3000 {
        let (a, b) = (random_box(&mut random), random_box(&mut random));
        let (pose_a, pose_b) = (random_pose(&mut random, 0.6), random_pose(&mut random, 1.0));
        let there = contacts(&a, &pose_a, &b, &pose_b, ENVELOPE);
        let back = contacts(&b, &pose_b, &a, &pose_a, ENVELOPE);
        assert_eq!(there.points.len(), back.points.len());
        let Some(m) = there.manifolds.first() else {
            continue;
        };
        seen += 1;
        assert!((m.normal + back.manifolds[0].normal).length() < 1e-12);
        let sorted = |out: &ContactBuffer| {
            let mut d: Vec<f64> = out.points.iter().map(|p| p.distance).collect();
            d.sort_by(f64::total_cmp);
            d
        };
        for (x, y) in sorted(&there).iter().zip(sorted(&back)) {
            assert!((x - y).abs() < 1e-12);
        }
    }
    assert!(seen > 1000, "{seen}");
}

#[test]
fn boxes_in_the_same_place_get_a_finite_unit_normal() {
    for (shape, other) in [
        (cube(), cube()),
        (cube(), Shape::Sphere { radius: 0.3 }),
        (Shape::Sphere { radius: 0.3 }, Shape::Sphere { radius: 0.3 }),
    ] {
        let out = contacts(&shape, &Pose::IDENTITY, &other, &Pose::IDENTITY, ENVELOPE);
        assert_eq!(out.manifolds.len(), 1);
        assert!((out.manifolds[0].normal.length() - 1.0).abs() < 1e-12);
        assert!(
            out.points
                .iter()
                .all(|p| p.on_a.is_finite() && p.distance < -0.2)
        );
    }
}

#[test]
fn crossed_edges_touch_in_one_point_between_them() {
    // two cubes on edge, one turned a quarter about the vertical, 1 mm apart
    let lower = Pose::at(Vec3::ZERO);
    let tip = rotation_about(Vec3::Z, std::f64::consts::FRAC_PI_4);
    let a = Pose::new(lower.position, tip);
    let height = 2.0 * 0.5f64.sqrt() + 1e-3;
    let quarter = rotation_about(Vec3::Y, std::f64::consts::FRAC_PI_2);
    let b = Pose::new(Vec3::Y * height, quarter * tip);
    let out = contacts(&cube(), &a, &cube(), &b, ENVELOPE);
    assert_eq!(out.points.len(), 1);
    assert!((out.manifolds[0].normal - Vec3::Y).length() < 1e-12);
    assert!((out.points[0].distance - 1e-3).abs() < 1e-12);
    assert!((out.points[0].on_a - Vec3::Y * 0.5f64.sqrt()).length() < 1e-12);
}

#[test]
fn balls_touch_boxes_and_half_spaces_where_they_are_nearest() {
    let ball = Shape::Sphere { radius: 0.3 };
    let mut random = Random::new(6);
    for _ in 0..2000 {
        let block = random_box(&mut random);
        let (pose_a, pose_b) = (random_pose(&mut random, 1.0), random_pose(&mut random, 1.0));
        for shape in [&block, &Shape::HalfSpace, &ball] {
            let out = contacts(&ball, &pose_a, shape, &pose_b, 0.2);
            let near = drystone_geometry::closest_point(shape, &pose_b, pose_a.position);
            assert_eq!(out.points.is_empty(), near.distance - 0.3 >= 0.2);
            for p in &out.points {
                assert!((p.distance - (near.distance - 0.3)).abs() < 1e-12);
                assert!((p.on_b - near.point).length() < 1e-12);
                let back = contacts(shape, &pose_b, &ball, &pose_a, 0.2);
                assert!((back.manifolds[0].normal + out.manifolds[0].normal).length() < 1e-12);
                assert!((back.points[0].on_a - p.on_b).length() < 1e-12);
            }
        }
    }
}

#[test]
fn a_box_on_a_half_space_rests_on_four_corners() {
    let out = contacts(
        &cube(),
        &turned(0.5, 0.3),
        &Shape::HalfSpace,
        &Pose::IDENTITY,
        ENVELOPE,
    );
    assert_eq!(out.points.len(), 4);
    assert!((out.manifolds[0].normal + Vec3::Y).length() < 1e-15);
    let tipped = Pose::new(
        Vec3::Y * 0.75,
        rotation_about(Vec3::Z, std::f64::consts::FRAC_PI_4),
    );
    let out = contacts(&cube(), &tipped, &Shape::HalfSpace, &Pose::IDENTITY, 0.1);
    assert_eq!(out.points.len(), 2);
    assert!((out.points[0].distance - (0.75 - 0.5f64.sqrt())).abs() < 1e-12);
}

/// Largest separation of two boxes along the normals of their faces and the products of their edges.
fn separation(half: [Vec3; 2], poses: [&Pose; 2]) -> f64 {
    let axes = poses.map(|pose| {
        let m = pose.matrix();
        [m.x_axis, m.y_axis, m.z_axis]
    });
    let reach = |k: usize, n: Vec3| {
        let each = (0..3).map(|i| half[k][i] * axes[k][i].dot(n).abs());
        each.sum::<f64>()
    };
    let edges = axes[0].map(|x| axes[1].map(|y| x.cross(y)));
    let all = axes.into_iter().chain(edges).flatten();
    let units = all.filter(|n| n.length() > 1e-2).map(Vec3::normalize);
    let apart = poses[1].position - poses[0].position;
    units
        .map(|n| n.dot(apart).abs() - reach(0, n) - reach(1, n))
        .fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn leaning_plates_that_touch_are_not_deep_in_each_other() {
    // a plate leans on another by a few degrees: the axis of least overlap may be that of two edges,
    // nearly along the face; one of two other edges must not be taken in its place
    let mut random = Random::new(5);
    let half = Vec3::new(0.5, 0.01, 0.5);
    let plate = Shape::Box { half };
    let (mut touching, mut worst) = (0, 0.0f64);
    for _ in 0..20_000 {
        let flat = Pose::new(Vec3::ZERO, rotation_about(Vec3::Y, random.range(-3.0, 3.0)));
        let lean = rotation_about(random.rotation() * Vec3::X, random.range(0.0, 0.3));
        let turn = lean * rotation_about(Vec3::Y, random.range(-3.0, 3.0));
        let at = Vec3::new(
            random.range(-0.9, 0.9),
            random.range(0.0, 0.15),
            random.range(-0.9, 0.9),
        );
        let leaning = Pose::new(at, turn);
        let depth = -separation([half; 2], [&flat, &leaning]);
        if !(0.0..1e-3).contains(&depth) {
            continue;
        }
        let found = contacts(&plate, &flat, &plate, &leaning, 0.0);
        let points = found.points.iter();
        let deepest = points.map(|p| -p.distance).fold(0.0, f64::max);
        touching += 1;
        worst = worst.max(deepest);
    }
    assert!(touching > 100, "only {touching} poses touch");
    // up to 1 mm is true; an axis of other edges said up to 10 mm
    assert!(worst < 2e-3, "a depth of {worst} m for less than 0.001 m");
}
