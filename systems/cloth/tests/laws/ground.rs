//! A half-space is ground without end.

use drystone_base::functions::{cos, rotation_about, sin};
use drystone_base::{Pose, Vec3};
use drystone_cloth::{
    BroadPhase, Certificate, Error, Key, Model, Motion, MotionPath, Obstacle, Options, Sheet,
    System,
};

use crate::scenes::{DOWN, particles, with};

/// Ground with the given normal through the origin, by points a metre out.
pub(crate) fn ground(normal: Vec3) -> Obstacle {
    let u = normal.any_orthonormal_vector();
    let w = normal.cross(u);
    Obstacle {
        name: "ground".into(),
        points: vec![u, -u * 0.5 + w * 0.87, -u * 0.5 - w * 0.87],
        planes: vec![[0, 1, 2]],
        ..Obstacle::default()
    }
}

fn slope(angle: f64) -> Vec3 {
    Vec3::new(sin(angle), cos(angle), 0.0)
}

fn sheet_on(ground: Obstacle, sheet: Sheet) -> Model {
    Model {
        sheets: vec![sheet],
        obstacles: vec![ground],
        gravity: DOWN,
        ..Model::default()
    }
}

/// Advances and tests every event exactly.
fn safely(system: &mut System, seconds: f64) {
    let judge = system.clone();
    let mut events = 0;
    let report = system.advance_watched(seconds, |state| {
        events += 1;
        assert!(!judge.crosses(state), "crosses at {} s", state.seconds());
    });
    assert_eq!(report.stall, None);
    assert!(events > 0);
}

/// Coulomb: `v² / (2 μ g)` from 5 m/s, far beyond the points that the plane is known by.
#[test]
fn a_sheet_slides_on_ground_without_end_and_friction_stops_it() {
    let mut sheet = Sheet::grid("sheet", 4, 4, 0.15).moved(Vec3::Y * 0.11);
    sheet.velocities = vec![Vec3::X * 5.0; 16];
    sheet.material.friction = 0.2;
    let mut ground = ground(Vec3::Y);
    ground.friction = 0.2;
    let mut system = System::new(sheet_on(ground, sheet), Options::default()).unwrap();
    safely(&mut system, 0.1);
    let report = system.advance(3.9);
    assert_eq!(report.stall, None);
    let points = system.points(0);
    let far = points.iter().map(|p| p.x).sum::<f64>() / 16.0;
    let wanted = 25.0 / (2.0 * 0.2 * 9.8);
    assert!(
        (far / wanted - 1.0).abs() < 0.05,
        "went {far} m, wanted {wanted} m"
    );
    let lowest = points.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    assert!(lowest > 0.0, "{lowest} m");
    assert!(system.crossings().is_empty());
}

#[test]
fn ground_is_not_crossed_at_any_speed_or_angle() {
    for angle in [0.0, 0.3, 1.2, 2.5] {
        let normal = slope(angle);
        for speed in [1.0, 30.0, 1e3, 1e4] {
            // near the points of the plane, and two hundred metres away in it
            let along = normal.any_orthonormal_vector();
            let start = |far: f64| (normal + along * far, (along * 0.3 - normal) * speed);
            let thrown = particles("thrown", &[start(0.0), start(200.0)], 1.0);
            let mut floor = ground(normal);
            floor.restitution = 1.0;
            let mut model = sheet_on(floor, thrown);
            model.gravity = Vec3::ZERO;
            let mut system = System::new(model, Options::default()).unwrap();
            let report = system.advance(2.0 / speed);
            assert_eq!(report.stall, None);
            assert!(report.events.penalties > 0, "nothing was hit");
            for p in system.points(0) {
                assert!(normal.dot(p) > 0.0, "{speed} m/s at {angle}: {p}");
            }
        }
    }
}

/// Ground that rises, tilts and turns under a sheet two metres off its axis.
fn tilting() -> Model {
    let key = |time: f64, height: f64, angle: f64| {
        Key::new(
            time,
            Pose {
                position: Vec3::Y * height,
                rotation: rotation_about(Vec3::Z, angle),
            },
        )
    };
    let mut sheet = Sheet::grid("sheet", 4, 4, 0.15).moved(Vec3::new(2.0, 0.12, 0.0));
    sheet.material.restitution = 1.0;
    let mut model = sheet_on(ground(Vec3::Y), sheet);
    model.obstacles[0].motion = Motion::Path(
        MotionPath::linear(&[
            key(0.0, 0.0, 0.0),
            key(0.2, 0.1, 0.0),
            key(0.4, 0.1, 0.5),
            key(0.6, 0.0, -0.2),
        ])
        .unwrap(),
    );
    model
}

#[test]
fn ground_that_rises_and_turns_lifts_a_sheet() {
    let model = tilting();
    let mut system = System::new(model, Options::default()).unwrap();
    safely(&mut system, 0.6);
    let high = system.points(0)[0].y;
    assert!(high > 0.5, "only {high} m up");
    assert!(system.missing_layers().is_empty());
}

#[test]
fn ground_does_not_depend_on_the_certificate() {
    let run = |certificate, broad_phase| {
        let options = Options {
            broad_phase,
            ..with(certificate)
        };
        let mut system = System::new(tilting(), options).unwrap();
        let report = system.advance(0.45);
        assert!(report.events.penalties > 0 && report.stall.is_none());
        (system.points(0), system.velocities(0))
    };
    let ball = run(Certificate::Ball, BroadPhase::Boxes);
    assert!(ball == run(Certificate::Slab, BroadPhase::Boxes), "slabs");
    assert!(ball == run(Certificate::Ball, BroadPhase::KDop), "k-DOPs");
    let brute = run(Certificate::BruteForce, BroadPhase::Boxes);
    assert!(ball == brute, "brute force");
}

#[test]
fn what_starts_in_the_ground_is_refused() {
    let sheet = Sheet::grid("sheet", 4, 4, 0.15).moved(Vec3::Y * -0.5);
    let error = System::new(sheet_on(ground(Vec3::Y), sheet), Options::default()).err();
    assert!(matches!(error, Some(Error::Start { .. })), "{error:?}");
    let sheet = Sheet::grid("sheet", 4, 4, 0.15).moved(Vec3::Y);
    let mut flat = ground(Vec3::Y);
    flat.points[2] = (flat.points[0] + flat.points[1]) * 0.5;
    let error = System::new(sheet_on(flat, sheet), Options::default()).err();
    assert!(matches!(error, Some(Error::Quantity { .. })), "{error:?}");
}

/// In the plane z = 0 a half-space is what is below a line.
#[test]
fn ground_holds_points_of_the_plane() {
    let at = |x: f64| (Vec3::new(x, 0.3, 0.0), Vec3::X);
    let mut model = sheet_on(
        ground(Vec3::Y),
        particles("dust", &[at(0.0), at(40.0)], 0.0),
    );
    model.plane = true;
    let mut system = System::new(model, Options::default()).unwrap();
    safely(&mut system, 1.0);
    for p in system.points(0) {
        assert!(p.y > 0.0 && p.y < 0.1 && p.z == 0.0, "{p}");
    }
}
