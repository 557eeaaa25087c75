//! Laws of ray casts, distances and closest points.

use std::sync::Arc;

use drystone_base::{Pose, Quat, Vec3, random::Random};
use drystone_geometry::{
    Aabb, MeshShape, SceneQuery, Shape, closest_point, collide, distance, mesh::TriMesh, overlap,
    ray_cast,
};
use proptest::prelude::*;

const CONVEX: usize = 6;

/// Convex kinds first, then compound, mesh and half-space.
fn kinds() -> Vec<Shape> {
    let block = Shape::cuboid(Vec3::new(0.5, 0.3, 0.4)).unwrap();
    let capsule = Shape::capsule(0.4, 0.2).unwrap();
    let gem = [
        (0.0, 1.0, 0.0),
        (0.0, -0.7, 0.1),
        (0.6, 0.0, 0.0),
        (-0.6, 0.1, 0.0),
        (0.0, 0.0, 0.5),
        (0.1, 0.0, -0.5),
        (0.4, 0.4, 0.3),
    ];
    let tetrahedron = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let faces = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let mesh = TriMesh::closed(tetrahedron.to_vec(), faces).unwrap();
    vec![
        Shape::sphere(0.4).unwrap(),
        block.clone(),
        capsule.clone(),
        Shape::hull(&gem.map(|(x, y, z)| Vec3::new(x, y, z))).unwrap(),
        Shape::hull(&tetrahedron).unwrap(),
        Shape::cuboid(Vec3::new(0.05, 1.0, 0.6)).unwrap(),
        Shape::compound(vec![
            (Pose::at(Vec3::X * 0.6), capsule),
            (Pose::at(Vec3::X * -0.5), block),
        ])
        .unwrap(),
        Shape::Mesh(Arc::new(MeshShape::new(mesh, 16))),
        Shape::HalfSpace,
    ]
}

fn point(reach: f64) -> impl Strategy<Value = Vec3> {
    let along = move || -reach..reach;
    (along(), along(), along()).prop_map(|(x, y, z)| Vec3::new(x, y, z))
}

fn pose(reach: f64) -> impl Strategy<Value = Pose> {
    (point(reach), any::<u64>()).prop_map(|(at, seed)| Pose::new(at, Random::new(seed).rotation()))
}

/// The nearest points of two convex solids by going to and fro between them.
fn to_and_fro(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> f64 {
    let onto = |shape: &Shape, pose: &Pose, p: Vec3| {
        let near = closest_point(shape, pose, p);
        if near.distance <= 0.0 { p } else { near.point }
    };
    let mut p = pose_a.position;
    let mut gap = f64::INFINITY;
    for _ in 0..20_000 {
        let q = onto(b, pose_b, p);
        p = onto(a, pose_a, q);
        let now = (p - q).length();
        if gap - now < 1e-13 {
            return now;
        }
        gap = now;
    }
    gap
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    /// The box about the shape, turned so that the direction is along x, ends where the shape reaches.
    #[test]
    fn support_is_the_side_of_the_box_about_the_turned_shape(
        at in point(1.0), kind in 0..9usize, length in 0.1..3.0f64,
    ) {
        prop_assume!(at.length() > 1e-3);
        let (shape, direction) = (&kinds()[kind], at.normalize());
        let turned = Pose::new(Vec3::ZERO, Quat::from_rotation_arc(direction, Vec3::X));
        let (found, side) = (shape.support(direction), shape.aabb(&turned).high.x);
        match shape {
            Shape::HalfSpace => prop_assert_eq!(found, f64::INFINITY),
            // of the box around it
            Shape::Mesh(_) => prop_assert!(found >= side - 1e-9, "{found} {side}"),
            _ => prop_assert!((found - side).abs() < 1e-12, "{found} {side}"),
        }
        prop_assert!(shape.support(direction * length) >= length * found - 1e-12);
        prop_assert_eq!(Shape::HalfSpace.support(Vec3::Y), 0.0);
    }

    #[test]
    fn rays_stop_where_marching_along_the_distance_stops(
        at in pose(1.0), origin in point(3.0), target in point(0.8), kind in 0..9usize,
    ) {
        let shape = &kinds()[kind];
        let direction = (target - origin).normalize();
        let hit = ray_cast(shape, &at, origin, target - origin, 10.0);
        // no step is longer than the way to the surface
        let mut t = 0.0;
        let mut touched = false;
        for _ in 0..4000 {
            let gap = closest_point(shape, &at, origin + direction * t).distance;
            if gap < 1e-9 {
                touched = true;
                break;
            }
            t += gap;
            if t > 10.0 {
                break;
            }
        }
        match hit {
            Some(hit) => {
                prop_assert!((hit.point - (origin + direction * hit.distance)).length() < 1e-12);
                prop_assert!((hit.normal.length() - 1.0).abs() < 1e-9);
                prop_assert!(hit.normal.dot(direction) <= 1e-9);
                let off = closest_point(shape, &at, hit.point).distance;
                prop_assert!(hit.distance == 0.0 || off.abs() < 1e-9, "{off} off");
                // a grazing ray is slow to march to
                prop_assert!(t <= hit.distance + 1e-6, "marched {t}, cast {}", hit.distance);
                if hit.normal.dot(direction) < -0.1 && touched {
                    prop_assert!((t - hit.distance).abs() < 1e-7);
                }
            }
            None => prop_assert!(!touched, "{} missed at {t}", shape.name()),
        }
    }

    #[test]
    fn the_distance_of_convex_solids_is_that_of_going_to_and_fro(
        pose_a in pose(1.0), pose_b in pose(2.0), i in 0..CONVEX, j in 0..CONVEX,
    ) {
        let shapes = kinds();
        let (a, b) = (&shapes[i], &shapes[j]);
        let found = distance(a, &pose_a, b, &pose_b);
        let wanted = to_and_fro(a, &pose_a, b, &pose_b);
        // going to and fro comes from above, and slowly where faces are nearly parallel
        prop_assert!(found <= wanted + 1e-7, "{found} {wanted}");
        prop_assert!(found >= wanted - 1e-3, "{found} {wanted}");
        let back = distance(b, &pose_b, a, &pose_a);
        prop_assert!((found - back).abs() < 1e-7, "{found} {back}");
    }

    #[test]
    fn contacts_overlaps_and_distances_agree(
        pose_a in pose(1.0), pose_b in pose(1.5), i in 0..9usize, j in 0..9usize,
    ) {
        let shapes = kinds();
        let (a, b) = (&shapes[i], &shapes[j]);
        let gap = distance(a, &pose_a, b, &pose_b);
        prop_assert_eq!(overlap(a, &pose_a, b, &pose_b), gap == 0.0);
        let meshes = a.name() == "mesh" || b.name() == "mesh";
        let endless = a.name() == "half-space" && b.name() == "half-space";
        if !meshes && !endless {
            let mut out = drystone_geometry::ContactBuffer::default();
            collide(a, &pose_a, b, &pose_b, 0.0, &mut out);
            let deepest = out.points.iter().fold(0.0f64, |d, p| d.min(p.distance));
            // slivers at corners may be left out
            prop_assert!(gap < 1e-9 || deepest > -1e-3, "{gap} {deepest}");
            prop_assert!(gap == 0.0 || out.points.is_empty() || deepest > -1e-3);
        }
    }

    #[test]
    fn a_mesh_is_as_far_as_the_hull_it_equals(
        pose_a in pose(1.0), pose_b in pose(2.0), i in 0..9usize,
    ) {
        let shapes = kinds();
        let gap = |mesh: &Shape| distance(mesh, &pose_a, &shapes[i], &pose_b);
        let (hull, mesh) = (gap(&shapes[4]), gap(&shapes[7]));
        prop_assert!((hull - mesh).abs() < 1e-7, "{hull} {mesh}");
    }

    #[test]
    fn a_scene_is_hit_where_the_first_body_is(
        seed in any::<u64>(), origin in point(20.0), target in point(10.0), count in 0..120usize,
    ) {
        let mut random = Random::new(seed);
        let shapes = kinds();
        let bodies: Vec<(Shape, Pose)> = (0..count)
            .map(|_| {
                let mut along = || random.range(-10.0, 10.0);
                let at = Vec3::new(along(), along(), along());
                // seldom a half-space, which would hide the rest
                let kind = random.below(if count % 5 == 0 { 9 } else { 8 });
                (shapes[kind].clone(), Pose::new(at, random.rotation()))
            })
            .collect();
        let scene = SceneQuery::new(bodies.iter().map(|(s, p)| s.aabb(p)));
        let body = |n: u32| (&bodies[n as usize].0, bodies[n as usize].1);
        let found = scene.ray_cast(origin, target - origin, 50.0, body);
        let mut wanted: Option<(u32, f64)> = None;
        let mut near: Option<(u32, f64)> = None;
        for (n, (shape, at)) in bodies.iter().enumerate() {
            if let Some(hit) = ray_cast(shape, at, origin, target - origin, 50.0)
                && wanted.is_none_or(|(_, d)| hit.distance < d)
            {
                wanted = Some((n as u32, hit.distance));
            }
            let gap = closest_point(shape, at, origin).distance;
            if gap <= 5.0 && near.is_none_or(|(_, d)| gap < d) {
                near = Some((n as u32, gap));
            }
        }
        prop_assert_eq!(found.map(|(n, _)| n), wanted.map(|(n, _)| n));
        if let (Some((_, hit)), Some((_, d))) = (found, wanted) {
            prop_assert!((hit.distance - d).abs() < 1e-9);
        }
        let closest = scene.closest_point(origin, 5.0, body);
        prop_assert_eq!(closest.map(|(n, c)| (n, c.distance)), near);
        let bounds = Aabb::about(target, Vec3::splat(3.0));
        let inside: Vec<u32> = (0..count as u32)
            .filter(|&n| bodies[n as usize].0.aabb(&bodies[n as usize].1).overlaps(&bounds))
            .collect();
        prop_assert_eq!(scene.in_box(&bounds), inside);
    }

    #[test]
    fn nothing_that_a_user_may_ask_panics(
        bits in prop::array::uniform6(any::<f64>()), i in 0..9usize, j in 0..9usize,
    ) {
        let shapes = kinds();
        let (p, d) = (Vec3::new(bits[0], bits[1], bits[2]), Vec3::new(bits[3], bits[4], bits[5]));
        let odd = Pose::new(p, Quat::IDENTITY);
        let _ = ray_cast(&shapes[i], &Pose::IDENTITY, p, d, bits[0]);
        let _ = ray_cast(&shapes[i], &odd, d, p, bits[3]);
        let _ = closest_point(&shapes[i], &odd, d);
        let _ = overlap(&shapes[i], &odd, &shapes[j], &Pose::IDENTITY);
        let _ = shapes[i].aabb(&odd);
        let mut out = drystone_geometry::ContactBuffer::default();
        collide(&shapes[i], &odd, &shapes[j], &Pose::IDENTITY, 0.01, &mut out);
    }
}

#[test]
fn a_ray_along_a_face_and_through_a_corner_hits() {
    let cube = Shape::cuboid(Vec3::ONE).unwrap();
    let hit = |o: Vec3, d: Vec3| ray_cast(&cube, &Pose::IDENTITY, o, d, 10.0).map(|h| h.distance);
    assert_eq!(hit(Vec3::new(-3.0, 0.0, 0.0), Vec3::X), Some(2.0));
    assert_eq!(hit(Vec3::new(-3.0, 1.0, 1.0), Vec3::X), Some(2.0));
    assert_eq!(hit(Vec3::new(-3.0, 1.1, 0.0), Vec3::X), None);
    assert_eq!(hit(Vec3::ZERO, Vec3::X), Some(0.0));
    assert_eq!(hit(Vec3::new(-30.0, 0.0, 0.0), Vec3::X), None);
    assert_eq!(hit(Vec3::new(-3.0, 0.0, 0.0), Vec3::ZERO), None);
    let scene = SceneQuery::new([cube.aabb(&Pose::IDENTITY)]);
    let from = Vec3::new(-3.0, 1.0, 1.0);
    let found = scene.ray_cast(from, Vec3::X, 10.0, |_| (&cube, Pose::IDENTITY));
    assert_eq!(found.map(|(n, hit)| (n, hit.distance)), Some((0, 2.0)));
}

#[test]
fn distances_have_their_closed_forms() {
    let cube = Shape::cuboid(Vec3::ONE).unwrap();
    let rod = Shape::capsule(1.0, 0.5).unwrap();
    let at = |x: f64, y: f64, z: f64| Pose::at(Vec3::new(x, y, z));
    let home = Pose::IDENTITY;
    for (a, b, pose, wanted) in [
        (&cube, &cube, at(3.0, 0.0, 0.0), 1.0),
        (&cube, &cube, at(3.0, 3.0, 0.5), 2f64.sqrt()),
        (&cube, &cube, at(3.0, 3.0, 3.0), 3f64.sqrt()),
        (&cube, &cube, at(1.9, 0.0, 0.0), 0.0),
        (&rod, &rod, at(2.0, 0.3, 0.0), 1.0),
        (&rod, &rod, at(0.0, 4.0, 0.0), 1.0),
        (&rod, &cube, at(3.0, 0.2, 0.0), 1.5),
        (&rod, &Shape::HalfSpace, at(0.0, -2.0, 0.0), 0.5),
    ] {
        let found = distance(a, &home, b, &pose);
        assert!((found - wanted).abs() < 1e-12, "{found}, wanted {wanted}");
    }
    let upside_down = Pose::new(Vec3::Y * 2.0, Quat::from_xyzw(1.0, 0.0, 0.0, 0.0));
    let gap = distance(&Shape::HalfSpace, &home, &Shape::HalfSpace, &upside_down);
    assert_eq!(gap, 2.0);
}
