//! Strands and obstacles.

use crate::build::*;
use drystone_base::functions::{atan2, cos, rotation_about, sin};
use drystone_base::random::Random;
use drystone_base::{Pose, Vec3};
use drystone_geometry::mesh::build::{cuboid, torus};
use drystone_geometry::{MeshShape, Shape, TriMesh, closest_point};
use drystone_strand::*;
use std::sync::Arc;

fn rubbing(name: &str, shape: Shape, pose: Pose, friction: f64) -> Obstacle {
    Obstacle {
        static_friction: friction,
        dynamic_friction: friction,
        ..Obstacle::fixed(name, shape, pose)
    }
}

/// Deepest point of strand `i` in any obstacle \[m\]: of its joints, less its radius.
fn depth(system: &System, i: usize) -> f64 {
    let mut deepest = f64::NEG_INFINITY;
    for (k, obstacle) in system.model.obstacles.iter().enumerate() {
        let pose = &system.state.obstacle_pose[k];
        for (j, link) in system.links(i).iter().enumerate() {
            let found = closest_point(&obstacle.shape, pose, link.tip);
            deepest = deepest.max(system.properties(i).links[j].radius - found.distance);
        }
    }
    deepest
}

#[test]
fn a_hair_falls_onto_a_ball_and_stays_out_of_it() {
    let mut model = Model::default();
    let ball = Shape::sphere(0.05).unwrap();
    model
        .add_obstacle(rubbing(
            "ball",
            ball,
            Pose::at(Vec3::new(0.06, -0.1, 0.003)),
            0.3,
        ))
        .unwrap();
    model.add(straight(Vec3::new(0.2, 0.0, 0.0), 25)).unwrap();
    let mut system = System::new(model, options(4)).unwrap();
    let (mut deepest, mut touching, mut report) = (0.0f64, 0, Report::default());
    for _ in 0..48 {
        report.add(&system.advance_frame(FRAME));
        deepest = deepest.max(depth(&system, 0));
        touching = touching.max(system.state.strands[0].contacts.len());
    }
    // measured: 9e-8 m deep, 6 contacts, 2.5 iterations
    assert!(
        deepest < 4e-6 && report.failed == 0,
        "{deepest:.1e} m, {} failed",
        report.failed
    );
    assert!(touching > 2, "{touching} contacts");
}

#[test]
fn of_a_thousand_thin_strands_at_ten_metres_a_second_none_passes_a_thin_plate() {
    // the base sweeps up to the plate and stops; the strands whip against its 2 mm
    let keys: Vec<Key> = (0..12)
        .map(|k| f64::from(k) * FRAME)
        .map(|time| {
            Key::new(
                time,
                Pose::at(Vec3::new(-0.9 + (10.0 * time).min(0.87), 0.0, 0.0)),
            )
        })
        .collect();
    let base = Base::on(MotionPath::smooth(&keys).unwrap());
    let mut model = Model::default();
    let plate = Shape::cuboid(Vec3::new(0.001, 0.5, 0.5)).unwrap();
    let at = Pose::at(Vec3::new(0.001, 0.0, 0.0));
    model
        .add_obstacle(Obstacle::fixed("plate", plate, at))
        .unwrap();
    let (mut random, count) = (Random::new(9), 1000);
    for k in 0..count {
        let way = random.rotation() * Vec3::X;
        let way = Vec3::new(-way.x.abs(), way.y, way.z) * 0.12;
        let strand = straight(way, 12).on(base.clone());
        model
            .add(Strand {
                name: format!("{k}"),
                ..strand
            })
            .unwrap();
    }
    let mut system = System::new(model, options(4)).unwrap();
    let (mut furthest, mut failed) = (f64::NEG_INFINITY, 0);
    let mut met = vec![false; count];
    for _ in 0..32 {
        failed += system.advance(FRAME / 4.0).failed;
        for (i, met) in met.iter_mut().enumerate() {
            let points = system.points(i);
            furthest = points[0].iter().fold(furthest, |far, p| far.max(p.x));
            *met |= !system.state.strands[i].contacts.is_empty();
        }
    }
    let met = met.into_iter().filter(|met| *met).count();
    // the near side is at 0, the far one at 2 mm; measured: 56 µm behind the near one in the step of an impact, 995 met
    assert!(
        furthest < 1e-4 && failed == 0,
        "{furthest:.1e} m, {failed} failed"
    );
    assert!(met > 900, "{met} met it");
}

/// A rod of 0.2 m on a ball joint that lies on a plane inclined by `alpha`, at `psi` from the fall line, with friction at
/// rest and while sliding.
fn rod_on_incline(alpha: f64, psi: f64, friction: [f64; 2], steps: u32) -> System {
    let turn = rotation_about(Vec3::Z, -alpha);
    let mut model = Model::default();
    model
        .add_obstacle(Obstacle {
            static_friction: friction[0],
            dynamic_friction: friction[1],
            ..Obstacle::fixed("plane", Shape::HalfSpace, Pose::new(Vec3::ZERO, turn))
        })
        .unwrap();
    let radius = 1e-3;
    // the fall line is the plane's x axis
    let start = turn * Vec3::new(0.0, radius, 0.0);
    let end = turn * Vec3::new(0.2 * cos(psi), radius, 0.2 * sin(psi));
    let mut strand = Strand::new("rod", Curve::straight(start, end, 1));
    strand.root = 0.0;
    strand.parameters = Parameters::rod(radius, 1e9, 1000.0, 0.3);
    strand.parameters.twist_damping = 0.0.into();
    model.add(strand).unwrap();
    System::new(model, options(steps)).unwrap()
}

/// How far the tip of such a rod goes in a second \[m\].
fn slide(alpha: f64, psi: f64, friction: [f64; 2]) -> f64 {
    let mut system = rod_on_incline(alpha, psi, friction, 8);
    let start = tip(&system, 0);
    run_frames(&mut system, 12);
    (tip(&system, 0) - start).length()
}

#[test]
fn between_the_two_angles_of_friction_a_rod_at_rest_stays_and_one_that_slides_goes_on() {
    // it sticks up to 31.3 degrees from the fall line, and is not stopped beyond 15.1
    let (alpha, psi, friction) = (30f64.to_radians(), 25f64.to_radians(), [0.3, 0.15]);
    let crept = slide(alpha, psi, friction);
    assert!(crept < 1e-6, "{crept:.1e} m at rest"); // measured: 3.6e-8

    // turned towards the fall line: ψ'' = 3 g / 2 L (μ cos α - sin α sin ψ)
    let (mut angle, mut rate, dt) = (psi, -0.5, 1e-5);
    let frames = 5;
    for _ in 0..(f64::from(frames) * FRAME / dt).round() as usize {
        rate += dt * 1.5 * 9.81 / 0.2 * (friction[1] * cos(alpha) - sin(alpha) * sin(angle));
        angle += dt * rate;
    }
    let mut system = rod_on_incline(alpha, psi, friction, 64);
    let normal = rotation_about(Vec3::Z, -alpha) * Vec3::Y;
    let rotation = system.state.strands[0].rotation.clone();
    let spin = system.links(0)[0].rotation.conjugate() * normal * 0.5;
    system.set_joints(0, &rotation, &[spin]);
    run_frames(&mut system, frames as usize);
    let end = rotation_about(Vec3::Z, alpha) * tip(&system, 0);
    let turned = psi - atan2(end.z, end.x);
    let off = turned / (psi - angle) - 1.0;
    assert!(off.abs() < 0.01, "turned by {turned}, {off:.1e} off"); // measured: 1.9e-5
}

#[test]
fn a_rod_on_an_incline_sticks_up_to_the_angle_of_friction() {
    // weight at the middle, friction at the tip: the tip carries half the weight's normal part and
    // half its pull, so it sticks if μ is at least tan α sin ψ: 31.3 degrees at α = 30, μ = 0.3
    let alpha = 30f64.to_radians();
    let [below, above] = [31.2, 31.4].map(|psi: f64| slide(alpha, psi.to_radians(), [0.3; 2]));
    // measured: 4e-8 m, 0.63 mm
    assert!(
        below < 1e-6 && above > 1e-4,
        "{below:.1e} and {above:.1e} m"
    );
}

#[test]
fn a_rod_bounces_by_its_restitution() {
    let mut speeds = Vec::new();
    for restitution in [0.0, 0.5, 0.9] {
        let mut model = Model::new(Vec3::ZERO);
        let obstacle = Obstacle {
            restitution,
            ..rubbing(
                "floor",
                Shape::HalfSpace,
                Pose::at(Vec3::new(0.0, -0.1, 0.0)),
                0.0,
            )
        };
        model.add_obstacle(obstacle).unwrap();
        let mut strand = Strand::new(
            "rod",
            Curve::straight(Vec3::ZERO, Vec3::new(0.2, 0.0, 0.0), 1),
        );
        strand.root = 0.0;
        strand.parameters = Parameters::rod(1e-3, 1e9, 1000.0, 0.3);
        model.add(strand).unwrap();
        let mut system = System::new(model, options(4)).unwrap();
        let q = system.state.strands[0].rotation.clone();
        let rate = q[0].conjugate() * Vec3::new(0.0, 0.0, -10.0);
        system.set_joints(0, &q, &[rate]);
        for _ in 0..40 {
            system.advance(1.0 / 384.0);
        }
        let link = &system.links(0)[0];
        speeds.push((link.rotation * system.state.strands[0].rate[0]).z);
    }
    // 10 rad/s before; measured: 0, 5.06, 9.11
    for (speed, expected) in speeds.iter().zip([0.0, 5.0, 9.0]) {
        assert!((speed - expected).abs() < 0.2, "{speeds:?} rad/s");
    }
}

#[test]
fn an_impact_rubs_by_no_more_than_its_cone() {
    // a rod on a ball joint falls on a floor at 10 rad/s and goes sideways at 5; both ways it is
    // equally heavy, so that friction takes μ (1 + e) 10 rad/s from the sideways motion
    let after = |friction: f64, restitution: f64| {
        let mut model = Model::new(Vec3::ZERO);
        let floor = Obstacle {
            restitution,
            ..rubbing(
                "floor",
                Shape::HalfSpace,
                Pose::at(Vec3::new(0.0, -0.02, 0.0)),
                friction,
            )
        };
        model.add_obstacle(floor).unwrap();
        let curve = Curve::straight(Vec3::ZERO, Vec3::new(0.2, 0.0, 0.0), 1);
        let mut strand = Strand::new("rod", curve);
        strand.root = 0.0;
        strand.parameters = Parameters::rod(1e-3, 1e9, 1000.0, 0.3);
        model.add(strand).unwrap();
        let mut system = System::new(model, options(4)).unwrap();
        let q = system.state.strands[0].rotation.clone();
        let rate = q[0].conjugate() * Vec3::new(0.0, 5.0, -10.0);
        system.set_joints(0, &q, &[rate]);
        for _ in 0..16 {
            system.advance(1.0 / 960.0);
        }
        let link = &system.links(0)[0];
        let rate = system.state.strands[0].rate[0];
        ((link.rotation * rate).y, rate.y)
    };
    let sideways = |friction: f64, restitution: f64| after(friction, restitution).0;
    let found = [(0.0, 0.5), (0.1, 0.0), (0.1, 0.5), (0.2, 0.5), (1.0, 0.5)]
        .map(|(friction, restitution)| sideways(friction, restitution));
    // measured: 5.003, 4.003, 3.506, 2.023, and 0.00x of what sticks
    for (speed, expected) in found.iter().zip([5.0, 4.0, 3.5, 2.0]) {
        assert!((speed - expected).abs() < 0.1, "{found:?} rad/s");
    }
    assert!(found[4].abs() < 0.05, "{found:?} rad/s");
    // nothing turns the rod about its length; a spin of 7 rad/s once did
    let spin = after(1.0, 0.5).1;
    assert!(spin.abs() < 0.1, "{spin} rad/s about its length");
}

#[test]
fn a_rope_drawn_over_a_post_obeys_the_capstan_law() {
    // half a turn round a post: the side that draws carries e^{μφ} = 1.8745 times the other, and
    // what friction of the rope's own weight w on the arc adds: 2μ w R (e^{μπ} + 1) / (1 + μ²)
    let (friction, radius, n) = (0.2, 0.02, 60);
    let mut model = Model::default();
    let post = Shape::capsule(0.5, radius).unwrap();
    let pose = Pose::new(
        Vec3::ZERO,
        rotation_about(Vec3::X, std::f64::consts::FRAC_PI_2),
    );
    model
        .add_obstacle(rubbing("post", post, pose, friction))
        .unwrap();
    let (out, arc) = (radius + 1e-3, std::f64::consts::PI * (radius + 1e-3));
    let point = |k: usize| {
        let s = k as f64 * 0.3 / n as f64 - 0.05;
        if s < 0.0 {
            Vec3::new(-out, s + 0.05, 0.0)
        } else if s < arc {
            Vec3::new(-out * cos(s / out), out * sin(s / out) + 0.05, 0.0)
        } else {
            Vec3::new(out, arc - s + 0.05, 0.0)
        }
    };
    // in the frame of a base at (0, −0.05), which then goes down at 5 cm/s
    let points: Vec<Vec3> = (0..=n).map(point).collect();
    let key = |k: i32| {
        let time = f64::from(k) * FRAME;
        let down = 0.05 * (time - 0.1 * (1.0 - drystone_base::functions::exp(-time / 0.1)));
        Key::new(time, Pose::at(Vec3::new(0.0, -0.05 - down, 0.0)))
    };
    let keys: Vec<Key> = (0..40).map(key).collect();
    let mut strand = Strand::new("rope", Curve::through(&points));
    strand.root = 0.0;
    strand.base = Base::on(MotionPath::smooth(&keys).unwrap());
    let limp = 1e-9;
    strand.parameters = Parameters {
        radius: 1e-3.into(),
        bend_stiffness: limp.into(),
        twist_stiffness: limp.into(),
        mass_per_length: 3e-3.into(),
        ..Parameters::default()
    };
    model.add(strand).unwrap();
    let mut system = System::new(model, options(8)).unwrap();
    let mut report = Report::default();
    let (mut ratio, mut count) = (0.0, 0.0);
    for k in 0..24 {
        report.add(&system.advance_frame(FRAME));
        let weight = 3e-3 * 9.81;
        let up: f64 = system.state.strands[0]
            .contacts
            .iter()
            .map(|c| c.force.y)
            .sum();
        let tail = weight * -tip(&system, 0).y;
        if k >= 12 {
            let grown = drystone_base::functions::exp(friction * std::f64::consts::PI);
            let own = 2.0 * friction * weight * out * (grown + 1.0) / (1.0 + friction * friction);
            ratio += (up - tail - weight * arc) / (grown * tail + own);
            count += 1.0;
        }
    }
    let ratio = ratio / count;
    // with 13 segments on the post; measured: 0.993, 11 iterations in the mean
    assert!(
        (ratio - 1.0).abs() < 0.03 && report.failed == 0,
        "{ratio} of the drawing force"
    );
}

/// Deepest place of strand `i` in any obstacle \[m\], all along its segments, less its radius. The
/// tenth of the first segment beside the base is not looked at.
fn depth_along(system: &System, i: usize) -> f64 {
    let mut deepest = f64::NEG_INFINITY;
    for (k, obstacle) in system.model.obstacles.iter().enumerate() {
        let pose = &system.state.obstacle_pose[k];
        for (j, link) in system.links(i).iter().enumerate() {
            for part in 1..=50 {
                let u = f64::from(part) / 50.0;
                if j == 0 && u < 0.1 {
                    continue;
                }
                let found = closest_point(&obstacle.shape, pose, link.origin.lerp(link.tip, u));
                deepest = deepest.max(system.properties(i).links[j].radius - found.distance);
            }
        }
    }
    deepest
}

fn mesh(surface: TriMesh) -> Shape {
    Shape::Mesh(Arc::new(MeshShape::new(surface, 32)))
}

#[test]
fn a_strand_dropped_over_an_edge_does_not_let_it_in_between_its_joints() {
    let turn = rotation_about(Vec3::Z, 0.6) * rotation_about(Vec3::X, 0.3);
    let cube = vec![
        (Pose::IDENTITY, Shape::cuboid(Vec3::splat(0.02)).unwrap()),
        (
            Pose::at(Vec3::new(0.03, 0.0, 0.0)),
            Shape::sphere(2e-3).unwrap(),
        ),
    ];
    let corners: Vec<Vec3> = (0..8)
        .map(|k| {
            Vec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2)) * 0.04 - 0.02
        })
        .collect();
    let across = rotation_about(Vec3::X, std::f64::consts::FRAC_PI_2);
    let cases = [
        ("box", Shape::cuboid(Vec3::splat(0.02)).unwrap(), turn),
        ("hull", Shape::hull(&corners).unwrap(), turn),
        ("rod", Shape::capsule(0.1, 5e-4).unwrap(), across),
        ("ball", Shape::sphere(3e-3).unwrap(), turn),
        ("compound", Shape::compound(cube).unwrap(), turn),
        ("mesh of a box", mesh(cuboid(Vec3::splat(0.02))), turn),
        ("mesh of a ring", mesh(torus(0.03, 0.008, 24, 12)), turn),
    ];
    for (name, shape, turn) in cases {
        let mut model = Model::default();
        let pose = Pose::new(Vec3::new(0.083, -0.06, 0.001), turn);
        model.add_obstacle(rubbing(name, shape, pose, 0.3)).unwrap();
        // ten long segments: the edge is between two joints
        model.add(straight(Vec3::new(0.2, 0.0, 0.0), 10)).unwrap();
        let mut system = System::new(model, Options::default()).unwrap();
        let (mut deepest, mut touching, mut report) = (0.0f64, 0, Report::default());
        for _ in 0..48 {
            report.add(&system.advance_frame(FRAME));
            deepest = deepest.max(depth_along(&system, 0));
            touching = touching.max(system.state.strands[0].contacts.len());
        }
        // measured: 4e-8 m deep (compound), 3.1 to 4.6 iterations in the mean
        assert!(
            deepest < 1e-5 && report.failed == 0,
            "{name}: {deepest:.1e} m, {} failed",
            report.failed
        );
        assert!(touching > 0, "{name}: {touching} contacts");
    }
}

/// Whether a planar curve, closed by the line from its end to its start, goes round `place`.
fn goes_round(points: &[Vec3], place: Vec3) -> bool {
    let n = points.len();
    let angle: f64 = (0..n)
        .map(|k| (points[k] - place, points[(k + 1) % n] - place))
        .map(|(p, q)| atan2(p.x * q.y - p.y * q.x, p.x * q.x + p.y * q.y))
        .sum();
    angle.abs() > 3.0
}

/// A slack string, held at both ends by what moves at 10 m/s and then stops, is thrown against a rod
/// of 1 mm that meets it between its joints, `count` times: how often it passes, how deep the rod
/// goes in \[m\], failed steps, and how often they meet.
fn thrown_at_a_rod(count: usize) -> (usize, f64, u64, usize) {
    let mut random = Random::new(11);
    let (mut deepest, mut failed, mut passed, mut met) = (f64::NEG_INFINITY, 0, 0, 0);
    for _ in 0..count {
        let keys: Vec<Key> = (0..12)
            .map(|k| f64::from(k) * FRAME)
            .map(|time| {
                Key::new(
                    time,
                    Pose::at(Vec3::new(-0.6 + (10.0 * time).min(0.58), 0.0, 0.0)),
                )
            })
            .collect();
        let mut model = Model::default();
        let rod = Shape::capsule(0.5, 1e-3).unwrap();
        let across = rotation_about(Vec3::X, std::f64::consts::FRAC_PI_2);
        let at = Vec3::new(random.range(2e-3, 8e-3), -random.range(0.03, 0.07), 0.0);
        model
            .add_obstacle(Obstacle::fixed("rod", rod, Pose::new(at, across)))
            .unwrap();
        let bulge = random.range(0.03, 0.05);
        let point = |k: i32| {
            let u = f64::from(k) / 8.0;
            Vec3::new(-bulge * sin(std::f64::consts::PI * u), -0.1 * u, 0.0)
        };
        let points: Vec<Vec3> = (0..=8).map(point).collect();
        let mut strand = Strand::new("string", Curve::through(&points)).with(hair());
        strand.base = Base::on(MotionPath::smooth(&keys).unwrap());
        model.add(strand).unwrap();
        let hold = ConstraintKind::Point {
            link: 7,
            at: Vec3::Y * model.chains[0].length[7],
            to: Anchor::Base(Pose::at(points[8])),
        };
        model
            .add_constraint(Constraint::new("end", 0, hold))
            .unwrap();
        let mut system = System::new(model, options(4)).unwrap();
        let (mut touched, mut beyond) = (false, false);
        for _ in 0..48 {
            failed += system.advance(FRAME / 4.0).failed;
            beyond |= goes_round(&system.points(0)[0], at);
            deepest = deepest.max(depth_along(&system, 0));
            touched |= !system.state.strands[0].contacts.is_empty();
        }
        met += usize::from(touched);
        passed += usize::from(beyond);
    }
    (passed, deepest, failed, met)
}

#[test]
fn a_string_thrown_against_a_thin_rod_does_not_pass_it() {
    let (passed, deepest, failed, met) = thrown_at_a_rod(60);
    assert!(
        passed == 0 && failed == 0 && deepest < 1e-4,
        "{passed} passed, {failed} failed, {deepest:.1e} m deep"
    );
    // measured: none, 25 µm, 59 meet it; of 1000: none, 38 µm, 934
    assert!(met > 50, "{met} met it");
}

/// Largest angle from the upright of a rod that is bowed by nature, `BOW cos(πs)` from its tip \[rad\].
const BOW: f64 = 0.03;

/// How far such a rod of length 1 and `EI` 1, clamped above a floor on which its tip stands, is pressed down when the
/// force on the tip is `slope` times as large across as upwards.
///
/// The elastica over the length from the tip, `θ'' = θ₀'' − V (sin θ − slope cos θ)`, where `θ' = 0`; at the clamp it has
/// its natural angle and is above its tip.
fn pressed(slope: f64) -> f64 {
    let pi = std::f64::consts::PI;
    // angle, its slope, place across and up at the clamp
    let shoot = |[angle, force]: [f64; 2]| {
        let rates = |s: f64, [t, u, ..]: [f64; 4]| {
            let natural = -BOW * pi * pi * cos(pi * s);
            let bent = natural - force * (sin(t) - slope * cos(t));
            [u, bent, sin(t), cos(t)]
        };
        let (steps, mut y) = (400, [angle, 0.0, 0.0, 0.0]);
        let h = 1.0 / f64::from(steps);
        for k in 0..steps {
            let s = f64::from(k) * h;
            let after = |k: [f64; 4], h: f64| std::array::from_fn(|i| y[i] + h * k[i]);
            let k1 = rates(s, y);
            let k2 = rates(s + 0.5 * h, after(k1, 0.5 * h));
            let k3 = rates(s + 0.5 * h, after(k2, 0.5 * h));
            let k4 = rates(s + h, after(k3, h));
            y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
        }
        y
    };
    let miss = |x| {
        let [angle, _, across, _] = shoot(x);
        [angle + BOW, across]
    };
    // Newton's method from the small deflection of a straight rod under 20.19 EI/L²
    let mut x = [4.6 * slope, 19.0];
    for _ in 0..30 {
        let (f, e) = (miss(x), 1e-6);
        let (p, q) = (miss([x[0] + e, x[1]]), miss([x[0], x[1] + e]));
        let [a, b, c, d] = [p[0] - f[0], q[0] - f[0], p[1] - f[1], q[1] - f[1]].map(|v| v / e);
        let whole = a * d - b * c;
        x[0] -= (d * f[0] - b * f[1]) / whole;
        x[1] -= (a * f[1] - c * f[0]) / whole;
    }
    let natural = shoot([BOW, 0.0])[3];
    natural - shoot(x)[3]
}

#[test]
fn a_rod_pressed_on_a_floor_slips_when_its_elastica_leaves_the_cone() {
    for friction in [0.1, 0.2, 0.3] {
        let expected = pressed(friction);
        let (n, radius, speed) = (50, 1e-4, 0.02);
        let way = |k: i32| {
            let angle = BOW * cos(std::f64::consts::PI * (f64::from(k) + 0.5) / f64::from(n));
            Vec3::new(sin(angle), -cos(angle), 0.0) / f64::from(n)
        };
        let mut points = vec![Vec3::ZERO];
        for k in 0..n {
            points.push(points[k as usize] + way(k));
        }
        let height = radius - points[n as usize].y;
        let down =
            |time: f64| speed * (time - 0.5 * (1.0 - drystone_base::functions::exp(-time / 0.5)));
        let key = |k: i32| {
            let time = f64::from(k) * FRAME;
            let pose = Pose::at(Vec3::Y * (height - down(time)));
            Key::new(time, pose)
        };
        let keys: Vec<Key> = (0..24 * 20).map(key).collect();
        let mut model = Model::new(Vec3::ZERO);
        model
            .add_obstacle(rubbing("floor", Shape::HalfSpace, Pose::IDENTITY, friction))
            .unwrap();
        let mut strand = Strand::new("rod", Curve::through(&points));
        strand.parameters = Parameters {
            mass_per_length: 0.01.into(),
            radius: radius.into(),
            bend_stiffness: 1.0.into(),
            twist_stiffness: 1.0.into(),
            drag: 0.1.into(),
            ..Parameters::default()
        };
        strand.base = Base::on(MotionPath::smooth(&keys).unwrap());
        model.add(strand).unwrap();
        let mut system = System::new(model, options(16)).unwrap();
        // it slips once its tip goes 2e-5 m in a step, nearly half as fast as it is pressed
        let (mut before, mut failed) = (tip(&system, 0).x, 0);
        let slips = loop {
            failed += system.advance(FRAME / 16.0).failed;
            let (now, pressed) = (tip(&system, 0).x, down(system.state.time));
            if (now - before).abs() > 2e-5 || pressed > 2.0 * expected {
                break pressed;
            }
            before = now;
        };
        let off = slips / expected - 1.0;
        // at 0.0432, 0.1495 and 0.2663 of the length; measured: 0.4, 0.1 and 0.3 % off, 0.04, 0.24 and 0.64 mm of creep
        // before
        assert!(
            off.abs() < 0.01 && failed == 0,
            "μ {friction}: {slips} m, {expected} m expected, {failed} failed"
        );
        assert!(before.abs() < 1e-3, "μ {friction}: {before} m of creep");
    }
}

/// A rope of `n` segments, held at one end, falls from the horizontal on a ball: length and radius \[m\], density,
/// Young's modulus, and place, radius, friction and restitution of the ball.
struct Fall {
    rope: (f64, usize, f64, f64, f64),
    pinned: bool,
    ball: (Vec3, f64),
    surface: (f64, f64),
}

impl Fall {
    fn system(&self) -> (System, f64) {
        let (length, n, radius, density, young) = self.rope;
        let mut model = Model::default();
        let ball = Shape::sphere(self.ball.1).unwrap();
        let ball = rubbing("ball", ball, Pose::at(self.ball.0), self.surface.0);
        let restitution = self.surface.1;
        model
            .add_obstacle(Obstacle {
                restitution,
                ..ball
            })
            .unwrap();
        let rod = Parameters::rod(radius, young, density, 0.25);
        let mut rope = straight(Vec3::X * length, n).with(rod);
        rope.root = if self.pinned { 0.0 } else { 2.0 };
        model.add(rope).unwrap();
        let weight = density * std::f64::consts::PI * radius * radius * length * 9.81;
        (
            System::new(model, Options::default()).unwrap(),
            weight * length,
        )
    }
}

#[test]
fn a_rope_that_falls_on_a_ball_never_has_more_energy_than_at_the_start() {
    // rates of joints carried over to another pose gained up to 63 % of weight times length here
    let falls = [
        Fall {
            rope: (1.82, 22, 3.73e-3, 150.7, 2.15e6),
            pinned: true,
            ball: (Vec3::new(0.885, -0.349, 0.0), 0.197),
            surface: (0.096, 0.761),
        },
        Fall {
            rope: (0.468, 33, 1.32e-3, 9741.0, 3.52e6),
            pinned: false,
            ball: (Vec3::new(0.238, -0.0791, 0.0), 0.0543),
            surface: (0.372, 0.657),
        },
        Fall {
            rope: (3.79, 31, 0.0228, 2509.0, 1.02e6),
            pinned: false,
            ball: (Vec3::new(1.164, -0.829, 0.0), 0.5435),
            surface: (0.0337, 0.0),
        },
    ];
    for (k, fall) in falls.iter().enumerate() {
        for dt in [0.005, 0.0025, 0.00125] {
            let (mut system, scale) = fall.system();
            let (start, mut most) = (energy::total_energy(&system), f64::NEG_INFINITY);
            let mut touched = false;
            while system.state.time < 1.0 {
                system.advance(dt);
                most = most.max((energy::total_energy(&system) - start) / scale);
                touched |= !system.state.strands[0].contacts.is_empty();
            }
            // measured: below zero at all times
            assert!(touched && most < 1e-6, "fall {k}, dt {dt}: {most:.1e}");
        }
    }
}
