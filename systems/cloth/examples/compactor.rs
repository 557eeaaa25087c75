//! A small trash compactor (Harmon 2012, §6.2): balls and sheets between walls that close in,
//! `compactor [seconds] [final gap]`. Prints events, the deepest layer and crossings frame by frame.

#![allow(clippy::print_stdout)]

use drystone_base::{Stopwatch, Vec3};
use drystone_cloth::{
    Contact, Material, Model, Motion, Obstacle, Options, PointsKey, Sheet, Stretch, System,
};
use drystone_geometry::mesh::build::{icosphere, torus};

fn wall(name: &str, corners: [Vec3; 4], by: Vec3, time: f64) -> Obstacle {
    Obstacle {
        name: name.into(),
        points: corners.to_vec(),
        faces: vec![[0, 1, 2], [0, 2, 3]],
        motion: if by == Vec3::ZERO {
            Motion::Fixed
        } else {
            let points = corners.iter().map(|p| *p + by).collect();
            Motion::Points(vec![PointsKey { time, points }])
        },
        ..Obstacle::default()
    }
}

fn compactor(gap: f64, time: f64) -> Model {
    let material = Material {
        density: 0.001,
        stretch: Stretch::Spring(1000.0),
        stretch_damping: 15.0,
        bending: 10.0,
        restitution: 0.01,
        ..Material::default()
    };
    let mut model = Model {
        contact: Contact {
            thickness: 0.05,
            stiffness: 1000.0,
        },
        gravity: Vec3::new(0.0, -9.8, 0.0),
        ..Model::default()
    };
    let solid = |name: String, mesh: &drystone_geometry::TriMesh, at: Vec3| Sheet {
        name,
        points: mesh.vertices().iter().map(|p| *p + at).collect(),
        faces: mesh.triangles().to_vec(),
        material: material.clone(),
        ..Sheet::default()
    };
    let (ball, ring) = (icosphere(0.4, 1), torus(0.4, 0.2, 12, 8));
    for k in 0..4 {
        let x = -1.4 + 0.95 * f64::from(k);
        let y = if k % 2 == 0 { 0.55 } else { 0.8 };
        model
            .sheets
            .push(solid(format!("ball {k}"), &ball, Vec3::new(x, y, 0.4)));
        model.sheets.push(solid(
            format!("ring {k}"),
            &ring,
            Vec3::new(x * 0.9 - 0.1, 1.9 + 0.5 * f64::from(k % 2), 0.0),
        ));
    }
    let (w, h, d) = (2.0, 6.0, 1.0);
    let at = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
    // walls reach beyond each other, so that none of them closes on an edge of another
    model.obstacles = vec![
        wall(
            "floor",
            [
                at(-9.0, 0.0, -9.0),
                at(-9.0, 0.0, 9.0),
                at(9.0, 0.0, 9.0),
                at(9.0, 0.0, -9.0),
            ],
            Vec3::ZERO,
            0.0,
        ),
        wall(
            "back",
            [
                at(-9.0, -1.0, -d),
                at(9.0, -1.0, -d),
                at(9.0, h, -d),
                at(-9.0, h, -d),
            ],
            Vec3::ZERO,
            0.0,
        ),
        wall(
            "front",
            [
                at(-9.0, -1.0, d),
                at(-9.0, h, d),
                at(9.0, h, d),
                at(9.0, -1.0, d),
            ],
            Vec3::ZERO,
            0.0,
        ),
        wall(
            "left",
            [
                at(-w, -1.0, -9.0),
                at(-w, h, -9.0),
                at(-w, h, 9.0),
                at(-w, -1.0, 9.0),
            ],
            at(w - 0.5 * gap, 0.0, 0.0),
            time,
        ),
        wall(
            "right",
            [
                at(w, -1.0, -9.0),
                at(w, -1.0, 9.0),
                at(w, h, 9.0),
                at(w, h, -9.0),
            ],
            at(0.5 * gap - w, 0.0, 0.0),
            time,
        ),
    ];
    model
}

fn main() {
    let mut numbers = std::env::args()
        .skip(1)
        .filter_map(|n| n.parse::<f64>().ok());
    let (seconds, gap) = (numbers.next().unwrap_or(3.0), numbers.next().unwrap_or(0.5));
    let mut system =
        System::new(compactor(gap, 3.0), Options::default()).expect("the scene is valid");
    let mut wall = 0.0;
    for _ in 0..(seconds * 20.0).ceil() as u32 {
        let started = Stopwatch::start();
        let report = system.advance(0.05);
        let took = started.seconds();
        wall += took;
        let e = report.events;
        println!(
            "t {:.2} {:7.3} s  elastic {} penalty {}+{} distance tests {} balls {:?} pairs {} layers {:?} crossings {}",
            report.time,
            took,
            e.elastic(),
            e.penalties,
            e.null_penalties,
            e.distance_tests,
            e.balls,
            report.pairs,
            report.layers,
            system.crossings().len(),
        );
        if let Some(stall) = report.stall {
            println!("{stall}");
            break;
        }
    }
    println!("{wall:.2} s of wall time for {:.2} s", system.time());
}
