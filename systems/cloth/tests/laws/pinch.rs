//! Cloth that is left no room goes with what pinches it, where that is allowed, and is free again afterwards.

use drystone_base::{Pose, Quat, Vec3};
use drystone_cloth::{
    Certificate, Key, Material, Model, Motion, MotionPath, Obstacle, Options, Report, Sheet, System,
};
use drystone_geometry::mesh::build::{cuboid, icosphere};

use crate::ground::ground;
use crate::scenes::DOWN;

const THICKNESS: f64 = 0.02;

fn block(name: &str, half: Vec3, at: Vec3, motion: Motion) -> Obstacle {
    let mesh = cuboid(half);
    Obstacle {
        name: name.into(),
        points: mesh.vertices().iter().map(|p| *p + at).collect(),
        faces: mesh.triangles().to_vec(),
        friction: 0.5,
        motion,
        ..Obstacle::default()
    }
}

fn along(keys: &[(f64, Vec3)]) -> Motion {
    let keys: Vec<Key> = keys
        .iter()
        .map(|(t, x)| Key::new(*t, Pose::at(*x)))
        .collect();
    Motion::Path(MotionPath::linear(&keys).unwrap())
}

/// A sheet on a table; a stamp as wide as the middle of it comes down until it is `deep` in the table, both go aside by
/// `aside`, and it goes up again.
fn press(deep: f64, aside: Vec3) -> Model {
    // the stamp starts 0.3 m above the table
    let low = Vec3::Y * (-0.3 - deep);
    let stamp = [
        (0.0, Vec3::ZERO),
        (0.4, low),
        (0.6, low + aside),
        (0.8, low + aside),
        (1.2, aside),
        (3.0, aside),
    ];
    let table = match aside == Vec3::ZERO {
        true => Motion::Fixed,
        false => along(&[
            (0.0, Vec3::ZERO),
            (0.4, Vec3::ZERO),
            (0.6, aside),
            (3.0, aside),
        ]),
    };
    let at = Vec3::Y * 0.55;
    Model {
        sheets: vec![Sheet {
            thickness: Some(THICKNESS),
            material: Material {
                friction: 0.5,
                ..Material::default()
            },
            ..Sheet::grid("sheet", 10, 10, 0.06).moved(Vec3::Y * 0.05)
        }],
        obstacles: vec![
            block("table", Vec3::new(1.0, 0.25, 1.0), Vec3::Y * -0.25, table),
            block("stamp", Vec3::new(0.1, 0.25, 0.1), at, along(&stamp)),
        ],
        gravity: DOWN,
        ..Model::default()
    }
}

fn options(pinching: f64) -> Options {
    Options {
        pinching,
        ..Options::default()
    }
}

/// Runs to `end`; no surplus of energy on the way, and no stall.
fn run(system: &mut System, end: f64) -> Report {
    let mut report = system.advance(0.0);
    while system.time() < end - 1e-9 {
        report = system.advance(0.01);
        assert!(report.stall.is_none(), "{:?}", report.stall);
        let surplus = report.surplus;
        assert!(!surplus.is_gain(), "{:.2} s: {surplus:?}", system.time());
    }
    report
}

/// Crossings of `system` that are not between `thing` and the sheet.
fn others(system: &System, thing: &str) -> usize {
    let crossings = system.crossings();
    let other = |name: &str| {
        crossings
            .iter()
            .any(|c| c.a.object == name || c.b.object == name)
    };
    assert!(!crossings.is_empty() || !other(thing));
    let counts = |c: &&drystone_cloth::Patch| c.a.object != thing && c.b.object != thing;
    crossings.iter().filter(counts).count()
}

#[test]
fn a_press_that_cannot_close_pinches_and_lets_go_again() {
    // not allowed, it is a stall
    let mut system = System::new(press(0.004, Vec3::ZERO), Options::default()).unwrap();
    assert!(system.advance(0.5).stall.is_some());
    assert!(system.pinches().is_empty());

    let mut system = System::new(press(0.004, Vec3::ZERO), options(1.0)).unwrap();
    run(&mut system, 0.7);
    let [pinch] = system.pinches() else {
        panic!("{:?}", system.pinches());
    };
    assert_eq!(
        pinch.between,
        ["table", "stamp"],
        "what stands still carries it"
    );
    assert!(pinch.vertices >= 9, "those below the stamp: {pinch}");
    // the stamp is 4 mm in the table, on which the sheet lies
    assert!(pinch.deepest > 0.003 && pinch.deepest < 0.02, "{pinch}");
    assert_eq!(others(&system, "stamp"), 0);
    let middle = system.points(0)[44];
    assert!(middle.y > 0.0, "above the table: {middle}");

    // it is let go, and lies on the table as if nothing had been
    run(&mut system, 2.5);
    assert!(system.crossings().is_empty());
    let [pinch] = system.pinches() else {
        panic!("{:?}", system.pinches());
    };
    assert!(pinch.last_time < 0.9, "{pinch}");
    let speed = system
        .velocities(0)
        .iter()
        .map(|v| v.length())
        .fold(0.0, f64::max);
    assert!(speed < 1e-3, "{speed} m/s");
    let heights = system.points(0).iter().map(|p| p.y).collect::<Vec<f64>>();
    assert!(
        heights.iter().all(|y| *y > 0.0 && *y < 1.2 * THICKNESS),
        "{heights:?}"
    );
}

#[test]
fn pinched_cloth_goes_with_what_moves() {
    let aside = Vec3::new(0.3, 0.0, 0.1);
    let mut system = System::new(press(0.004, aside), options(1.0)).unwrap();
    run(&mut system, 0.41);
    let before = system.points(0)[44];
    run(&mut system, 0.7);
    let went = system.points(0)[44] - before;
    assert!(
        (went - aside * (0.2 - 0.01) / 0.2).length() < 2e-3,
        "{went}"
    );
    run(&mut system, 2.5);
    assert!(system.crossings().is_empty());
}

/// A stamp that turns while it presses, on a ball: frames turn with it.
#[test]
fn pinched_cloth_turns_with_what_turns() {
    let mut model = press(0.004, Vec3::ZERO);
    let turn = |t: f64, y: f64, angle: f64| {
        Key::new(t, Pose::new(Vec3::Y * y, Quat::from_rotation_y(angle)))
    };
    for obstacle in &mut model.obstacles {
        let low = if obstacle.name == "stamp" {
            -0.304
        } else {
            0.0
        };
        let keys = [
            turn(0.0, 0.0, 0.0),
            turn(0.4, low, 0.0),
            turn(0.8, low, 1.0),
            turn(1.2, 0.0, 1.0),
            turn(3.0, 0.0, 1.0),
        ];
        obstacle.motion = Motion::Path(MotionPath::linear(&keys).unwrap());
    }
    let mut system = System::new(model, options(1.0)).unwrap();
    run(&mut system, 0.4);
    let before = system.points(0)[44];
    run(&mut system, 0.79);
    let now = system.points(0)[44];
    let wanted = Quat::from_rotation_y(0.39 / 0.4) * before;
    assert!((now - wanted).length() < 1e-3, "{now}, wanted {wanted}");
    run(&mut system, 2.0);
    assert!(system.crossings().is_empty());
}

#[test]
fn deeper_than_allowed_is_a_stall() {
    let mut system = System::new(press(0.03, Vec3::ZERO), options(0.5)).unwrap();
    let stall = system.advance(0.8).stall.expect("too deep");
    assert!(stall.reason.contains("pinching allows 0.5"), "{stall}");
    assert!(
        stall.distance > 0.5 * THICKNESS && stall.distance < THICKNESS,
        "{stall}"
    );
    assert_eq!(
        (stall.a.object.as_str(), stall.b.object.as_str()),
        ("sheet", "stamp")
    );
}

#[test]
fn half_spaces_and_balls_pinch_too() {
    let mut model = press(0.0, Vec3::ZERO);
    let ball = icosphere(0.25, 2);
    let keys = [0.0, -0.306, -0.306, 0.0].map(|y| Vec3::Y * y);
    model.obstacles = vec![
        ground(Vec3::Y),
        Obstacle {
            name: "ball".into(),
            points: ball
                .vertices()
                .iter()
                .map(|p| *p + Vec3::Y * 0.55)
                .collect(),
            faces: ball.triangles().to_vec(),
            motion: along(&[
                (0.0, keys[0]),
                (0.4, keys[1]),
                (0.6, keys[2]),
                (1.0, keys[3]),
            ]),
            ..Obstacle::default()
        },
    ];
    let small = Sheet::grid("sheet", 5, 5, 0.06).moved(Vec3::Y * 0.05);
    (model.sheets[0].points, model.sheets[0].faces) = (small.points, small.faces);
    let mut system = System::new(model, options(1.0)).unwrap();
    run(&mut system, 0.5);
    assert_eq!(system.pinches()[0].between, ["ground", "ball"]);
    run(&mut system, 1.2);
    assert!(system.crossings().is_empty());
}

/// Snapshots and the length of advances change no bit. What is pinched when depends on certificates, as stalls do: null
/// ticks are counted too.
#[test]
fn pinched_cloth_has_the_same_bits_however_time_is_cut() {
    let model = press(0.004, Vec3::new(0.05, 0.0, 0.0));
    let points = |dt: f64, most: i32| {
        let mut system = System::new(model.clone(), options(1.0)).unwrap();
        let mut snapshots = 0;
        while system.time() < 1.0 - 1e-9 {
            system.advance(dt);
            if !system.pinches().is_empty() && snapshots < most {
                let state = system.state().clone();
                system = System::new(model.clone(), options(1.0)).unwrap();
                system.restore(state).unwrap();
                snapshots += 1;
            }
        }
        assert!(snapshots == most && system.stall().is_none());
        system.points(0)
    };
    assert!(points(0.0625, 3) == points(0.03125, 0));
}

/// Slabs as published.
#[test]
fn slabs_pinch_and_let_go_too() {
    let options = Options {
        certificate: Certificate::Slab,
        ..options(1.0)
    };
    let mut model = press(0.004, Vec3::ZERO);
    model.sheets[0].points = Sheet::grid("sheet", 4, 4, 0.06)
        .moved(Vec3::Y * 0.05)
        .points;
    model.sheets[0].faces = Sheet::grid("sheet", 4, 4, 0.06).faces;
    let mut system = System::new(model, options).unwrap();
    run(&mut system, 1.0);
    assert_eq!(system.pinches().len(), 1);
    assert!(system.crossings().is_empty());
}
