//! Random small set-ups: thicknesses, stiffnesses, densities, restitutions and speeds of all sizes.

use drystone_base::Vec3;
use drystone_base::functions::pow;
use drystone_base::random::Random;
use drystone_cloth::{
    Certificate, Contact, Material, Model, Motion, Obstacle, Options, PointsKey, Sheet, Stretch,
    System,
};
use drystone_geometry::mesh::build::icosphere;

/// How a set-up ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The whole time, without a crossing.
    Ran,
    /// Without a crossing until the event limit.
    Exhausted,
    /// Refused at the start.
    Refused,
    /// Without a crossing until a reported stall.
    Stalled,
    /// What must never be.
    Crossed,
}

/// Set-up number `seed` and the time it is run for \[s\].
pub(crate) fn random_setup(seed: u64) -> (Model, Options, f64) {
    let mut random = Random::new(seed);
    let mut between = |low: f64, high: f64| low * pow(high / low, random.unit());
    let thickness = between(0.02, 0.1);
    let speed = between(1.0, 1e4);
    let contact = Contact {
        thickness,
        stiffness: between(10.0, 1e5),
    };
    let material = Material {
        density: between(1e-3, 10.0),
        stretch: if between(1.0, 9.0) < 3.0 {
            Stretch::Shell(between(1.0, 1e3))
        } else {
            Stretch::Spring(between(10.0, 1e4))
        },
        stretch_damping: between(1e-3, 10.0),
        bending: between(1e-5, 1.0),
        friction: between(0.01, 1.0),
        restitution: between(0.01, 1.0),
        ..Material::default()
    };
    let spacing = between(1.5, 3.0) * thickness;
    let mut random = Random::new(seed.wrapping_mul(77));
    let (columns, rows) = (2 + random.below(4) as u32, 2 + random.below(4) as u32);
    let sheet = |name: &str, random: &mut Random, at: Vec3, velocity: Vec3| {
        let mut sheet = Sheet::grid(name, columns, rows, spacing);
        sheet.rest = Some(sheet.points.clone());
        let turn = random.rotation();
        let reach = sheet.points.iter().map(|p| p.length()).fold(0.0, f64::max);
        sheet.points = sheet
            .points
            .iter()
            .map(|p| turn * *p + at * (reach + 0.6 * thickness))
            .collect();
        sheet.velocities = vec![velocity; sheet.points.len()];
        sheet.material = material.clone();
        sheet
    };
    let aim = |random: &mut Random| {
        Vec3::new(random.range(-0.2, 0.2), -1.0, random.range(-0.2, 0.2)) * speed
    };
    let upper_velocity = aim(&mut random);
    let mut model = Model {
        contact,
        gravity: Vec3::new(0.0, -9.8, 0.0),
        ..Model::default()
    };
    model
        .sheets
        .push(sheet("upper", &mut random, Vec3::Y, upper_velocity));
    match random.below(3) {
        0 => model
            .sheets
            .push(sheet("lower", &mut random, -Vec3::Y, Vec3::ZERO)),
        1 => {
            let ball = icosphere(2.0 * thickness, 0);
            let points: Vec<Vec3> = ball
                .vertices()
                .iter()
                .map(|p| *p - Vec3::Y * 2.7 * thickness)
                .collect();
            // it comes up by itself, then stops at once
            let reached: Vec<Vec3> = points
                .iter()
                .map(|p| *p + Vec3::Y * thickness * 3.0)
                .collect();
            model.obstacles.push(Obstacle {
                name: "ball".into(),
                motion: Motion::Points(vec![PointsKey {
                    time: 4.0 * thickness / speed,
                    points: reached,
                }]),
                points,
                faces: ball.triangles().to_vec(),
                friction: 0.5,
                restitution: 0.5,
                ..Obstacle::default()
            });
        }
        _ => {
            let corner = |x: f64, z: f64| {
                Vec3::new(x, 0.0, z) * 20.0 * thickness - Vec3::Y * 0.6 * thickness
            };
            model.obstacles.push(Obstacle {
                name: "floor".into(),
                points: vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(0.0, 1.0)],
                faces: vec![[0, 2, 1]],
                restitution: 1.0,
                ..Obstacle::default()
            });
        }
    }
    let options = Options {
        certificate: if seed % 5 == 4 {
            Certificate::Slab
        } else {
            Certificate::Ball
        },
        event_limit: 400_000,
        ..Options::default()
    };
    (model, options, 12.0 * thickness / speed)
}

/// Runs a set-up, looking for crossings after every event.
pub(crate) fn judge(seed: u64) -> Outcome {
    let (model, options, time) = random_setup(seed);
    let Ok(mut system) = System::new(model, options) else {
        return Outcome::Refused;
    };
    let eyes = system.clone();
    let mut crossed = false;
    let report = system.advance_watched(time, |state| crossed = crossed || eyes.crosses(state));
    if crossed || !report.not_finite.is_empty() {
        Outcome::Crossed
    } else if report.stall.is_some() {
        Outcome::Stalled
    } else if report.exhausted {
        Outcome::Exhausted
    } else {
        Outcome::Ran
    }
}
