//! What a stack of napkins costs: `cargo run --release -p drystone-cloth --example napkins [awake] [seconds]`.
//!
//! Ten napkins of 16 x 16 vertices, each turned against the one below, fall on a table, lie still and sleep; with `awake`
//! they do not. Prints ticks of layers and seconds a frame of 1/24 s.

#![allow(clippy::print_stdout)]

use drystone_base::{Stopwatch, Vec3};
use drystone_cloth::{Contact, Material, Model, Obstacle, Options, Sheet, Stretch, System};

fn napkins() -> Model {
    let corner = |x: f64, z: f64| Vec3::new(0.6 * x, 0.0, 0.6 * z);
    let table = Obstacle {
        name: "table".into(),
        points: vec![
            corner(-1.0, -1.0),
            corner(1.0, -1.0),
            corner(1.0, 1.0),
            corner(-1.0, 1.0),
        ],
        faces: vec![[0, 2, 1], [0, 3, 2]],
        friction: 0.5,
        ..Obstacle::default()
    };
    let napkin = |k: u32| {
        let (sin, cos) = (7.0 * f64::from(k)).to_radians().sin_cos();
        let at = Vec3::new(0.02 * f64::from(k).sin(), 0.08, 0.02 * f64::from(k).cos());
        let mut sheet = Sheet::grid(&format!("napkin {k}"), 16, 16, 0.08);
        for x in &mut sheet.points {
            *x = Vec3::new(cos * x.x + sin * x.z, x.y, cos * x.z - sin * x.x);
        }
        sheet.material = Material {
            density: 0.15,
            stretch: Stretch::Spring(500.0),
            stretch_damping: 0.3,
            bending: 0.001,
            friction: 0.4,
            ..Material::default()
        };
        sheet.moved(at + Vec3::Y * (0.12 * f64::from(k)))
    };
    Model {
        sheets: (0..10).map(napkin).collect(),
        obstacles: vec![table],
        gravity: Vec3::new(0.0, -9.8, 0.0),
        contact: Contact {
            thickness: 0.05,
            stiffness: 1000.0,
        },
        ..Model::default()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let seconds = arguments.iter().find_map(|x| x.parse().ok()).unwrap_or(2.0);
    let early = arguments
        .iter()
        .find_map(|x| x.strip_prefix("early=")?.parse().ok());
    let options = Options {
        early: early.unwrap_or(0.005),
        sleeping: !arguments.iter().any(|x| x == "awake"),
        ..Options::default()
    };
    let mut system = System::new(napkins(), options)?;
    println!("   time  push, null: million ticks   asleep    kinetic     surplus  seconds");
    while system.time() < seconds {
        let started = Stopwatch::start();
        let report = system.advance(1.0 / 24.0);
        let million = |ticks: u64| 1e-6 * ticks as f64;
        println!(
            "{:7.3}  {:8.3} {:8.3}  {:15}  {:9.2e}  {:10.2e}  {:7.3}",
            report.time,
            million(report.events.penalties),
            million(report.events.null_penalties),
            report.asleep,
            report.energy.kinetic,
            report.surplus.share(),
            started.seconds(),
        );
    }
    Ok(())
}
