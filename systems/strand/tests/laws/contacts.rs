//! Strands and obstacles.

use crate::build::*;
use drystone_base::functions::{cos, rotation_about, sin};
use drystone_base::random::Random;
use drystone_base::{Pose, Vec3};
use drystone_geometry::{Shape, closest_point};
use drystone_strand::*;

fn rubbing(name: &str, shape: Shape, pose: Pose, friction: f64) -> Obstacle {
    Obstacle {
        static_friction: friction,
        dynamic_friction: friction,
        ..Obstacle::fixed(name, shape, pose)
    }
}

/// Deepest point of strand `i` in any obstacle [m]: of its joints, less its radius.
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
fn a_thin_strand_at_ten_metres_a_second_does_not_pass_a_thin_plate() {
    // the base sweeps past; the strands whip against a plate of 2 mm
    let mut random = Random::new(9);
    let mut worst = f64::NEG_INFINITY;
    let mut failed = 0;
    for _ in 0..60 {
        let keys: Vec<Key> = (0..12)
            .map(|k| f64::from(k) * FRAME)
            .map(|time| Key {
                time,
                pose: Pose::at(Vec3::new(-0.9 + (10.0 * time).min(0.87), 0.0, 0.0)),
            })
            .collect();
        let mut model = Model::default();
        let plate = Shape::cuboid(Vec3::new(0.001, 0.5, 0.5)).unwrap();
        model
            .add_obstacle(Obstacle::fixed(
                "plate",
                plate,
                Pose::at(Vec3::new(0.001, 0.0, 0.0)),
            ))
            .unwrap();
        let way = random.rotation() * Vec3::X;
        let way = Vec3::new(-way.x.abs(), way.y, way.z) * 0.12;
        let base = Base::on(MotionPath::through(&keys).unwrap());
        model.add(straight(way, 12).on(base)).unwrap();
        let mut system = System::new(model, options(4)).unwrap();
        for _ in 0..10 {
            let report = system.advance_frame(FRAME);
            failed += report.failed;
            worst = system.points(0)[0]
                .iter()
                .fold(worst, |far, p| far.max(p.x));
        }
    }
    // the nearest side is at 0, the far one at 2 mm; measured over 1000 strands: 8 µm
    assert!(
        worst < 1e-4 && failed == 0,
        "{worst:.1e} m, {failed} failed"
    );
}

/// A rod on a ball joint that lies on a plane inclined by `alpha`, at `psi` from the fall line;
/// how far its tip goes in a second [m].
fn slide(alpha: f64, psi: f64, friction: f64) -> f64 {
    let turn = rotation_about(Vec3::Z, -alpha);
    let mut model = Model::default();
    model
        .add_obstacle(rubbing(
            "plane",
            Shape::HalfSpace,
            Pose::new(Vec3::ZERO, turn),
            friction,
        ))
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
    let mut system = System::new(model, options(8)).unwrap();
    run_frames(&mut system, 12);
    (tip(&system, 0) - end).length()
}

#[test]
fn a_rod_on_an_incline_sticks_up_to_the_angle_of_friction() {
    // weight at the middle, friction at the tip: the tip carries half the weight's normal part and
    // half its pull, so it sticks if μ is at least tan α sin ψ: 31.3 degrees at α = 30, μ = 0.3
    let alpha = 30f64.to_radians();
    let [below, above] = [29.0, 34.0].map(|psi: f64| slide(alpha, psi.to_radians(), 0.3));
    // measured: 4e-8 m, 1.8 cm
    assert!(
        below < 1e-6 && above > 5e-3,
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
            system.step(1.0 / 384.0);
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
        Key {
            time,
            pose: Pose::at(Vec3::new(0.0, -0.05 - down, 0.0)),
        }
    };
    let keys: Vec<Key> = (0..40).map(key).collect();
    let mut strand = Strand::new("rope", Curve::through(&points));
    strand.root = 0.0;
    strand.base = Base::on(MotionPath::through(&keys).unwrap());
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
    // with 13 segments on the post; measured: 1.001
    assert!(
        (ratio - 1.0).abs() < 0.03 && report.failed == 0,
        "{ratio} of the drawing force"
    );
}
