//! Pins, moving obstacles, loads, wind.

use std::sync::Arc;

use drystone_base::functions::rotation_about;
use drystone_base::{Pose, Vec3};
use drystone_cloth::{
    Key, Load, Model, Motion, MotionPath, Obstacle, Options, Pin, PointsKey, Sheet, System, Wind,
};
use drystone_geometry::mesh::build::icosphere;

use crate::scenes::DOWN;

fn hanging(motion: Motion, until: Option<f64>) -> Model {
    let mut sheet = Sheet::grid("flag", 4, 4, 0.15);
    sheet.pins.push(Pin {
        vertices: vec![0, 3],
        motion,
        until,
    });
    Model {
        sheets: vec![sheet],
        gravity: DOWN,
        ..Model::default()
    }
}

#[test]
fn pins_are_where_their_keys_say() {
    let start = Sheet::grid("flag", 4, 4, 0.15).points;
    let there = vec![
        start[0] + Vec3::new(0.2, 0.1, 0.0),
        start[3] + Vec3::new(0.2, 0.1, 0.3),
    ];
    let keys = vec![PointsKey {
        time: 0.3,
        points: there.clone(),
    }];
    let mut system = System::new(hanging(Motion::Points(keys), None), Options::default()).unwrap();
    system.advance(0.15);
    let half = system.points(0)[0];
    assert!(
        (half - (start[0] + there[0]) * 0.5).length() < 1e-12,
        "half way at {half}"
    );
    system.advance(0.25);
    let points = system.points(0);
    let error = (points[0] - there[0])
        .length()
        .max((points[3] - there[1]).length());
    assert!(error < 1e-12, "off by {error:.1e}");
}

#[test]
fn a_turning_pin_keeps_to_its_circle_and_a_driven_one_goes_where_it_is_driven() {
    let pose = |angle: f64| Pose {
        position: Vec3::ZERO,
        rotation: rotation_about(Vec3::Y, angle),
    };
    let keys = vec![Key::new(0.0, pose(0.0)), Key::new(0.5, pose(1.5))];
    let start = Sheet::grid("flag", 4, 4, 0.15).points[0];
    let mut turning = System::new(
        hanging(Motion::Path(MotionPath::linear(&keys).unwrap()), None),
        Options::default(),
    )
    .unwrap();
    let mut driven =
        System::new(hanging(Motion::Driven(pose(0.0)), None), Options::default()).unwrap();
    for k in 1..=10 {
        let angle = 0.15 * f64::from(k);
        driven.drive_pin(0, 0, pose(angle), 0.05);
        driven.advance(0.05);
        turning.advance(0.05);
        let wanted = pose(angle).point(start);
        for system in [&turning, &driven] {
            let error = (system.points(0)[0] - wanted).length();
            assert!(error < 1e-4, "after {k} frames off by {error:.1e}"); // a chord of 0.05 rad
        }
    }
}

#[test]
fn a_pin_lets_go_when_it_should() {
    let mut system = System::new(hanging(Motion::Fixed, Some(0.25)), Options::default()).unwrap();
    let start = system.points(0)[0];
    system.advance(0.25);
    assert_eq!(system.points(0)[0], start);
    let before = system.momentum().0;
    system.advance(0.5);
    // free: only gravity changes momentum
    let mass = 0.1 * (0.45 * 0.45);
    let change = system.momentum().0 - before - DOWN * (mass * 0.5);
    assert!(change.length() < 1e-12, "{change}");
}

/// A ball driven through a sheet carries it along; what it pushes is what it feels.
#[test]
fn a_driven_obstacle_pushes_and_feels_it() {
    let ball = icosphere(0.2, 1);
    let at = |y: f64| Pose {
        position: Vec3::new(0.02, y, 0.01),
        ..Pose::default()
    };
    let model = Model {
        sheets: vec![Sheet::grid("sheet", 7, 7, 0.15)],
        obstacles: vec![Obstacle {
            name: "ball".into(),
            points: ball.vertices().iter().map(|p| at(-0.4).point(*p)).collect(),
            faces: ball.triangles().to_vec(),
            motion: Motion::Driven(at(-0.4)),
            ..Obstacle::default()
        }],
        ..Model::default()
    };
    let mut system = System::new(model, Options::default()).unwrap();
    let mut felt = Vec3::ZERO;
    for k in 1..=20 {
        system.drive_obstacle(0, at(-0.4 + 0.1 * f64::from(k)), 0.05);
        let report = system.advance(0.05);
        assert_eq!(report.stall, None);
        assert_eq!(system.crossings(), []);
        felt += system.take_reaction(0, Vec3::ZERO).0;
    }
    let p = system.momentum().0;
    assert!(p.y > 0.01, "the sheet has momentum {p}");
    assert!((p + felt).length() < 1e-12, "sheet {p}, ball {felt}");
}

#[test]
fn loads_pull_and_wind_carries() {
    let mut model = Model {
        sheets: vec![Sheet::grid("sheet", 4, 4, 0.15)],
        ..Model::default()
    };
    model.sheets[0].loads.push(Load {
        vertices: vec![0, 5],
        force: Vec3::new(0.0, 0.01, 0.0),
        ..Load::default()
    });
    let mut system = System::new(model.clone(), Options::default()).unwrap();
    system.advance(0.25);
    let p = system.momentum().0.y;
    assert!((p - 0.005).abs() < 2e-5, "momentum {p}, wanted 0.005"); // a kick of 1/1024 s more or less

    let load = &mut model.sheets[0].loads[0];
    (load.from, load.until) = (0.05, Some(0.15));
    let mut system = System::new(model.clone(), Options::default()).unwrap();
    system.advance(0.25);
    let p = system.momentum().0.y;
    assert!(
        (p - 0.002).abs() < 4e-5,
        "momentum {p}, wanted 0.002 of a tenth of a second"
    );

    model.sheets[0].loads.clear();
    model.sheets[0].material.drag = 1.0;
    model.fields = vec![Arc::new(Wind(Vec3::new(2.0, 0.0, 0.0)))];
    let mut system = System::new(model, Options::default()).unwrap();
    system.advance(1.0);
    let fastest = system.velocities(0).iter().map(|v| v.x).fold(0.0, f64::max);
    assert!(
        fastest > 1.99 && fastest <= 2.0 + 1e-9,
        "{fastest} m/s in a wind of 2 m/s"
    );
}
