//! Sleep: what lies still costs little, wakes when it is disturbed, and changes no law.

use drystone_base::Vec3;
use drystone_cloth::{
    Certificate, Contact, Model, Motion, Options, Pin, Report, Sheet, Stretch, System,
};
use drystone_geometry::mesh::build::icosphere;

use crate::culling::all_agree;
use crate::scenes::{DOWN, floor};

/// Ten sheets of 5 x 5 vertices, each turned against the one below, just above a floor and each other.
fn stack() -> Model {
    let napkin = |k: u32| {
        let (sin, cos) = (0.12 * f64::from(k)).sin_cos();
        let mut sheet = Sheet::grid(&format!("napkin {k}"), 5, 5, 0.16);
        for x in &mut sheet.points {
            *x = Vec3::new(cos * x.x + sin * x.z, x.y, cos * x.z - sin * x.x);
        }
        sheet.material.friction = 0.4;
        sheet.moved(Vec3::Y * (0.102 * f64::from(k + 1)))
    };
    let mut floor = floor(3.0);
    floor.friction = 0.4;
    Model {
        sheets: (0..10).map(napkin).collect(),
        obstacles: vec![floor],
        gravity: DOWN,
        ..Model::default()
    }
}

/// Runs for `seconds`; the report is that of the last 0.05 s.
fn run(model: Model, sleeping: bool, seconds: f64) -> (System, Report) {
    let options = Options {
        sleeping,
        ..Options::default()
    };
    let mut system = System::new(model, options).unwrap();
    while system.time() < seconds {
        let report = system.advance(0.05);
        assert_eq!(report.stall, None);
        assert!(!report.surplus.is_gain(), "{:?}", report.surplus);
    }
    let report = system.advance(0.05);
    (system, report)
}

#[test]
fn a_stack_at_rest_ticks_at_most_a_tenth_of_the_layers_of_one_that_never_sleeps() {
    let ticks = |report: &Report| report.events.penalties + report.events.null_penalties;
    let (system, asleep) = run(stack(), true, 2.0);
    let (reference, awake) = run(stack(), false, 2.0);
    let ratio = ticks(&asleep) as f64 / ticks(&awake) as f64;
    assert!(
        ratio < 0.1,
        "{ratio:.3} of the ticks, {} asleep",
        asleep.asleep
    );
    assert!(system.missing_layers().is_empty() && system.crossings().is_empty());
    // and it lies where the other does
    let apart = |(a, b): (Vec3, &Vec3)| (a - *b).length();
    let mut most = 0.0f64;
    for s in 0..10 {
        let there = reference.points(s);
        let points = system.points(s).into_iter();
        most = points.zip(&there).map(apart).fold(most, f64::max);
    }
    assert!(most < 2e-5, "{most:.1e} m from where it lies awake"); // measured: 2.8e-6
}

/// Napkins of 16 x 16 vertices that fall on each other and on a table over whose edges their corners hang.
fn fallen_napkins() -> Model {
    let napkin = |k: u32| {
        let (sin, cos) = (7.0 * f64::from(k)).to_radians().sin_cos();
        let mut sheet = Sheet::grid(&format!("napkin {k}"), 16, 16, 0.08);
        for x in &mut sheet.points {
            *x = Vec3::new(cos * x.x + sin * x.z, x.y, cos * x.z - sin * x.x);
        }
        let at = Vec3::new(0.02 * f64::from(k).sin(), 0.08, 0.02 * f64::from(k).cos());
        sheet.material.density = 0.15;
        sheet.material.stretch = Stretch::Spring(500.0);
        sheet.material.stretch_damping = 0.3;
        sheet.material.bending = 0.001;
        sheet.material.friction = 0.4;
        sheet.moved(at + Vec3::Y * (0.12 * f64::from(k)))
    };
    let mut table = floor(0.6);
    table.friction = 0.5;
    Model {
        sheets: (0..3).map(napkin).collect(),
        obstacles: vec![table],
        gravity: DOWN,
        contact: Contact {
            thickness: 0.05,
            stiffness: 1000.0,
        },
        ..Model::default()
    }
}

#[test]
fn napkins_that_creep_to_their_balance_sleep() {
    let (system, report) = run(fallen_napkins(), true, 2.5);
    // measured: 737; 698 where only what is in balance or does not move at all sleeps
    assert!(report.asleep >= 725, "{} of 768 sleep", report.asleep);
    assert!(system.missing_layers().is_empty() && system.crossings().is_empty());
}

/// A sheet on a floor, and a ball of particles' weight let fall on it from 0.6 m.
fn ball_over_sheet(height: f64) -> Model {
    let mut sheet = Sheet::grid("sheet", 7, 7, 0.16).moved(Vec3::Y * 0.102);
    sheet.material.friction = 0.3;
    let shape = icosphere(0.4, 1);
    let at = Vec3::new(0.02, height, 0.03);
    let mut ball = Sheet {
        name: "ball".into(),
        points: shape.vertices().iter().map(|x| *x + at).collect(),
        faces: shape.triangles().to_vec(),
        ..Sheet::default()
    };
    ball.material.density = 1.0;
    Model {
        sheets: vec![sheet, ball],
        obstacles: vec![floor(3.0)],
        gravity: DOWN,
        ..Model::default()
    }
}

#[test]
fn sleeping_cloth_is_woken_by_what_falls_on_it_and_nothing_crosses() {
    // the ball falls for 1.4 s
    let (mut system, report) = run(ball_over_sheet(10.0), true, 1.2);
    assert!(report.asleep >= 45, "{} of 49 sleep", report.asleep);
    let mut least = usize::MAX;
    while system.time() < 1.8 {
        let report = system.advance_watched(0.01, |_| {});
        assert_eq!(report.stall, None);
        assert!(!report.surplus.is_gain(), "{:?}", report.surplus);
        assert!(system.missing_layers().is_empty() && system.crossings().is_empty());
        least = least.min(report.asleep);
    }
    assert!(least < 30, "{least} of 49 slept through the hit");
}

#[test]
fn who_sleeps_does_not_depend_on_the_certificate() {
    let mut model = ball_over_sheet(0.6);
    model.sheets.truncate(1);
    let mut trajectories = Vec::new();
    for certificate in [
        Certificate::Ball,
        Certificate::Slab,
        Certificate::BruteForce,
    ] {
        let options = Options {
            certificate,
            ..Options::default()
        };
        let mut system = System::new(model.clone(), options).unwrap();
        let mut seen = Vec::new();
        let mut most = 0;
        for _ in 0..16 {
            most = most.max(system.advance(0.05).asleep);
            seen.push((system.points(0), system.velocities(0)));
        }
        assert!(most > 0, "nothing sleeps with {certificate:?}");
        trajectories.push(seen);
    }
    assert!(trajectories.iter().all(|other| *other == trajectories[0]));
    model.sheets[0].material.restitution = 0.3;
    all_agree(&model, 4, 0.05, true);
}

/// A sheet on a table smaller than itself, so that its rim hangs over.
fn sheet_over_an_edge() -> Model {
    let mut sheet = Sheet::grid("sheet", 7, 7, 0.16).moved(Vec3::new(0.01, 0.102, 0.02));
    sheet.material.friction = 0.4;
    sheet.material.stretch_damping = 1.0;
    sheet.material.bending_damping = 1e-3;
    let mut table = floor(0.3);
    table.friction = 0.4;
    Model {
        sheets: vec![sheet],
        obstacles: vec![table],
        gravity: DOWN,
        ..Model::default()
    }
}

#[test]
fn what_hangs_over_an_edge_sleeps_with_what_lies_and_stays_where_it_hung() {
    let (system, asleep) = run(sheet_over_an_edge(), true, 4.0);
    let (reference, _) = run(sheet_over_an_edge(), false, 4.0);
    assert!(asleep.asleep >= 47, "{} of 49 sleep", asleep.asleep);
    assert!(system.missing_layers().is_empty() && system.crossings().is_empty());
    let apart = |(a, b): (&Vec3, &Vec3)| (*a - *b).length();
    let (here, there) = (system.points(0), reference.points(0));
    let most = here.iter().zip(&there).map(apart).fold(0.0, f64::max);
    // measured: 49 of 49, 5.5e-4
    assert!(most < 1e-3, "{most:.1e} m from where it hangs awake");
}

#[test]
fn what_hangs_on_pins_alone_never_sleeps() {
    let mut model = sheet_over_an_edge();
    model.obstacles.clear();
    model.sheets[0].pins = vec![Pin {
        vertices: vec![0, 6],
        motion: Motion::Fixed,
        until: None,
    }];
    let mut system = System::new(model, Options::default()).unwrap();
    for _ in 0..40 {
        assert_eq!(system.advance(0.1).asleep, 0);
    }
}
