//! What cannot be done is known soon, what takes long can be interrupted.

use drystone_base::{Pose, Vec3};
use drystone_cloth::{Key, Model, Motion, MotionPath, Obstacle, Options, Sheet, System};
use drystone_geometry::mesh::build::cuboid;

use crate::scenes::{DOWN, thrown_sheet};

/// A sheet on a table, and a stamp that comes down to `gap` above the table in a second.
fn press(gap: f64) -> Model {
    let block = |name: &str, half: Vec3, at: Vec3| {
        let mesh = cuboid(half);
        Obstacle {
            name: name.into(),
            points: mesh.vertices().iter().map(|p| *p + at).collect(),
            faces: mesh.triangles().to_vec(),
            ..Obstacle::default()
        }
    };
    let mut stamp = block("stamp", Vec3::new(0.2, 0.25, 0.2), Vec3::Y * 0.65);
    let key = |time: f64, height: f64| {
        Key::new(
            time,
            Pose {
                position: Vec3::Y * height,
                ..Pose::IDENTITY
            },
        )
    };
    stamp.motion = Motion::Path(MotionPath::linear(&[key(0.0, 0.0), key(0.5, gap - 0.4)]).unwrap());
    Model {
        sheets: vec![Sheet::grid("sheet", 5, 5, 0.15).moved(Vec3::Y * 0.11)],
        obstacles: vec![
            block("table", Vec3::new(1.0, 0.25, 1.0), Vec3::Y * -0.25),
            stamp,
        ],
        gravity: DOWN,
        ..Model::default()
    }
}

/// A stamp that would go through the table is a stall at the default options, after few events.
#[test]
fn a_press_that_cannot_close_stalls_soon() {
    let mut system = System::new(press(-0.1), Options::default()).unwrap();
    let report = system.advance(0.5);
    let stall = report.stall.expect("there is no room");
    let events = report.events.events();
    assert!(events < 30_000_000, "{events} events");
    assert!(stall.reason.contains("leaves no room"), "{stall}");
    assert!(system.crossings().is_empty());
    // at the same event again, however time is cut into advances
    let mut again = System::new(press(-0.1), Options::default()).unwrap();
    for _ in 0..50 {
        again.advance(0.01);
    }
    assert_eq!(again.stall(), Some(&stall));
}

/// One that leaves room for both sides is none.
#[test]
fn a_press_that_can_close_does_not_stall() {
    let mut system = System::new(press(0.12), Options::default()).unwrap();
    let report = system.advance(0.7);
    assert_eq!(report.stall, None);
    assert!(report.events.deepest > 2, "{}", report.events.deepest);
}

#[test]
fn an_interrupted_advance_goes_on_as_if_nothing_had_happened() {
    let model = thrown_sheet(8, 4.0, 0.3);
    let mut whole = System::new(model.clone(), Options::default()).unwrap();
    whole.advance(0.25);
    let mut system = System::new(model, Options::default()).unwrap();
    let mut parts = 0;
    while system.time() < 0.25 {
        let mut asked = 0;
        let report = system.advance_while(0.25 - system.time(), |moment| {
            assert!(moment.time <= 0.25 && moment.events > 0);
            asked += 1;
            asked < 3
        });
        assert!(!report.exhausted);
        assert_eq!(report.interrupted, system.time() < 0.25);
        // a snapshot taken in between is whole
        let state = system.state().clone();
        system.restore(state).unwrap();
        parts += 1;
    }
    assert!(parts > 3, "only {parts} parts");
    assert_eq!(whole.points(0), system.points(0));
    assert_eq!(whole.velocities(0), system.velocities(0));
}
