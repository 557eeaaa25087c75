//! What a frame of long hair costs: 190 strands of 20 to 25 segments on a shaken head, with
//! collisions against head and shoulders, as in the paper (there: 20 s a frame).
//! `cargo run --release -p drystone-strand --example long_hair [error tolerance]`

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use drystone_base::functions::{cos, rotation_about, sin};
use drystone_base::{Pose, Stopwatch, Vec3};
use drystone_geometry::{Shape, closest_point};
use drystone_strand::*;

const FRAME: f64 = 1.0 / 24.0;

fn head(time: f64) -> Pose {
    let calm = (time / 0.5).min(1.0);
    let turn = 0.6 * calm * sin(std::f64::consts::TAU * time);
    Pose::new(
        Vec3::X * (0.03 * calm * sin(9.0 * time)),
        rotation_about(Vec3::Y, turn),
    )
}

fn main() {
    let seconds = 2.0;
    let keys: Vec<Key> = (0..=(seconds / FRAME) as usize + 2)
        .map(|k| k as f64 * FRAME)
        .map(|time| Key::new(time, head(time)))
        .collect();
    let path = MotionPath::smooth(&keys).unwrap();
    let mut model = Model::default();
    let skull = Obstacle {
        path: path.clone(),
        ..Obstacle::fixed("head", Shape::sphere(0.1).unwrap(), Pose::IDENTITY)
    };
    model.add_obstacle(skull).unwrap();
    let across = rotation_about(Vec3::Z, std::f64::consts::FRAC_PI_2);
    let shoulders = Shape::capsule(0.17, 0.05).unwrap();
    model
        .add_obstacle(Obstacle::fixed(
            "shoulders",
            shoulders,
            Pose::new(Vec3::new(0.0, -0.22, 0.0), across),
        ))
        .unwrap();
    for k in 0..190 {
        // roots spread over the upper back of the head, hair combed down along it
        let (u, v) = ((k % 19) as f64 / 18.0, (k / 19) as f64 / 9.0);
        let (longitude, latitude) = (std::f64::consts::PI * (0.2 + 0.6 * u), 0.35 + 0.9 * v);
        let n = 20 + k % 6;
        let mut points = Vec::new();
        for i in 0..=n {
            let s = 0.3 * i as f64 / n as f64;
            let angle = (latitude - s / 0.104).max(-0.3);
            let down = (s - (latitude + 0.3) * 0.104).max(0.0);
            let out = 0.1005 + 0.003 * (1.0 - (-s / 0.02f64).exp());
            let ring = out * cos(angle);
            points.push(Vec3::new(
                ring * cos(longitude),
                out * sin(angle) - down,
                -ring * sin(longitude),
            ));
        }
        let mut strand =
            Strand::new(format!("hair {k}"), Curve::through(&points)).on(Base::on(path.clone()));
        strand.parameters.drag = 2e-5.into();
        model.add(strand).unwrap();
    }
    let mut options = Options::default();
    if let Some(given) = std::env::args().nth(1) {
        options.error_tolerance = given.parse().unwrap();
    }
    let mut system = System::new(model, options).unwrap();
    let (mut report, mut deepest, mut touching) = (Report::default(), 0.0f64, 0);
    let frames = (seconds / FRAME) as usize;
    let mut slowest = 0.0f64;
    for _ in 0..frames {
        let watch = Stopwatch::start();
        let mut frame = system.advance_frame(FRAME);
        frame.seconds = watch.seconds();
        slowest = slowest.max(frame.seconds);
        report.add(&frame);
        touching += system
            .state
            .strands
            .iter()
            .map(|s| s.contacts.len())
            .sum::<usize>();
        for i in 0..190 {
            for (k, obstacle) in system.model.obstacles.iter().enumerate() {
                for link in system.links(i) {
                    for part in 1..=8 {
                        let place = link.origin.lerp(link.tip, f64::from(part) / 8.0);
                        let pose = &system.state.obstacle_pose[k];
                        let found = closest_point(&obstacle.shape, pose, place);
                        deepest = deepest.max(40e-6 - found.distance);
                    }
                }
            }
        }
    }
    let (mean, p95, most) = report.iteration_figures();
    println!(
        "{:.3} s a frame ({slowest:.3} the slowest), {:.0} contacts, {} steps, iterations {mean:.2} / {p95} / {most}, halved {}, failed {}, deepest {deepest:.1e} m",
        report.seconds / frames as f64,
        touching as f64 / frames as f64,
        report.steps,
        report.halved,
        report.failed
    );
}
