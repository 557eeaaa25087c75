//! What cloth costs: `cost [ball|slab|brute-force] [vertices a side] [seconds]`.
//!
//! A square cloth (spacing 0.15, density 0.1, k = 750, thickness 0.1, restitution 0) falls on a
//! fixed ball, full self-contact. Prints wall time per simulated second, and where events went.

#![allow(clippy::print_stdout)]

use drystone_base::Vec3;
use drystone_cloth::{Certificate, Model, Obstacle, Options, Sheet, System};
use drystone_geometry::mesh::build::icosphere;

/// A cloth of `n` x `n` vertices over a ball a third as wide.
fn cloth_on_ball(n: u32) -> Model {
    let radius = 1.0 * f64::from(n) / 20.0;
    let ball = icosphere(radius, if n > 40 { 3 } else { 2 });
    Model {
        sheets: vec![Sheet::grid("cloth", n, n, 0.15).moved(Vec3::new(
            0.013,
            radius + 0.15,
            0.007,
        ))],
        obstacles: vec![Obstacle {
            name: "ball".into(),
            points: ball.vertices().to_vec(),
            faces: ball.triangles().to_vec(),
            ..Obstacle::default()
        }],
        gravity: Vec3::new(0.0, -9.8, 0.0),
        ..Model::default()
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let certificate = match arguments.next().as_deref() {
        Some("slab") => Certificate::Slab,
        Some("brute-force") => Certificate::BruteForce,
        _ => Certificate::Ball,
    };
    let n = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(20);
    let seconds: f64 = arguments.next().and_then(|s| s.parse().ok()).unwrap_or(1.0);
    let options = Options {
        certificate,
        ..Options::default()
    };
    let mut system = System::new(cloth_on_ball(n), options).expect("the scene is valid");
    println!("{certificate:?} {n} x {n}");
    let mut wall = 0.0;
    let frames = (seconds * 20.0).ceil() as u32;
    let mut elements = 0;
    for frame in 1..=frames {
        let report = system.advance(0.05);
        wall += report.seconds;
        let e = report.events;
        elements += e.elastic();
        println!(
            "t {:.2}  {:6.3} s  elastic {} penalty {} null {} looks {} balls {:?} pairs {:?} slabs {} boxes {} made {} act {} deep {} pairs {} E {:.6} crossings {}",
            report.time,
            report.seconds,
            e.elastic(),
            e.penalties,
            e.null_penalties,
            e.looks,
            e.balls,
            e.ball_pairs,
            e.slabs,
            e.boxes,
            e.pairs_made,
            e.activations,
            e.deepest,
            report.pairs,
            report.energy.total(),
            system.crossings().len(),
        );
        if let Some(stall) = report.stall {
            println!("frame {frame}: {stall}");
            return;
        }
    }
    let simulated = f64::from(frames) * 0.05;
    println!(
        "{:.3} s of wall time for each simulated second, {:.0} ns for each elastic tick, all included",
        wall / simulated,
        wall / elements as f64 * 1e9
    );
}
