//! A vertex led by a hand, and what is seen of clocks and layers.

use drystone_base::Vec3;
use drystone_cloth::{Certificate, Model, Obstacle, Options, Sheet, System};
use drystone_geometry::mesh::build::icosphere;

use crate::scenes::DOWN;

/// A sheet that falls on a ball.
fn draped(certificate: Certificate) -> System {
    let (ball, mut sheet) = (icosphere(0.3, 1), Sheet::grid("sheet", 6, 6, 0.15));
    for p in &mut sheet.points {
        p.y += 0.45;
    }
    let model = Model {
        sheets: vec![sheet],
        obstacles: vec![Obstacle {
            name: "ball".into(),
            points: ball.vertices().to_vec(),
            faces: ball.triangles().to_vec(),
            ..Obstacle::default()
        }],
        gravity: DOWN,
        ..Model::default()
    };
    let options = Options {
        certificate,
        ..Options::default()
    };
    System::new(model, options).unwrap()
}

/// Leads the first corner over the ball towards the other side for so many steps.
fn led(certificate: Certificate, steps: i32) -> System {
    let mut system = draped(certificate);
    system.advance(0.1);
    let start = system.points(0)[0];
    let velocity = |k: i32| Vec3::new(2.0, if k < 15 { 3.0 } else { -2.0 }, 2.0);
    let mut wanted = start;
    for k in 0..steps {
        assert!(system.hold(0, 0, velocity(k)));
        let report = system.advance(0.01);
        wanted += velocity(k) * 0.01;
        assert!(report.stall.is_none(), "{:?}", report.stall);
        assert!(system.crossings().is_empty(), "after step {k}");
        let off = (system.points(0)[0] - wanted).length();
        assert!(off < 1e-9, "the hand is {off:.1e} m away"); // measured: 2e-12
    }
    system
}

#[test]
fn a_vertex_in_a_hand_goes_where_it_is_led_and_nothing_crosses_anything() {
    let mut system = led(Certificate::Ball, 30);
    // the rest follows
    let middle = system.points(0)[14];
    assert!(middle.x > -0.075 && middle.z > -0.075, "{middle}");
    let before = system.velocities(0)[0];
    system.let_go(0, 0);
    system.advance(0.02);
    assert!(system.velocities(0)[0] != before, "free again");
    assert!(system.crossings().is_empty());
    assert!(!system.hold(0, 36, Vec3::ZERO) && !system.hold(1, 0, Vec3::ZERO));
    assert!(!system.hold(0, 0, Vec3::splat(f64::NAN)));
}

#[test]
fn a_hand_leads_to_the_same_bits_whatever_the_certificate() {
    let points = led(Certificate::Ball, 8).points(0);
    assert_eq!(points, led(Certificate::Slab, 8).points(0));
    assert_eq!(points, led(Certificate::BruteForce, 8).points(0));
}

#[test]
fn a_pinned_vertex_is_not_for_hands() {
    let mut sheet = Sheet::grid("flag", 4, 4, 0.15);
    sheet.pins.push(drystone_cloth::Pin {
        vertices: vec![3],
        motion: drystone_cloth::Motion::Fixed,
        until: None,
    });
    let model = Model {
        sheets: vec![sheet],
        ..Model::default()
    };
    let mut system = System::new(model, Options::default()).unwrap();
    assert!(!system.hold(0, 3, Vec3::X) && system.hold(0, 2, Vec3::ZERO));
}

#[test]
fn clocks_of_vertices_are_those_that_the_report_counts() {
    let mut system = draped(Certificate::Ball);
    let still = system.clocks(0);
    assert!(
        still
            .iter()
            .all(|(period, layers)| *period > 0.0 && *layers == 0)
    );
    let mut report = system.advance(0.01);
    while report.layers.iter().skip(1).sum::<u64>() == 0 {
        report = system.advance(0.01);
        assert!(system.time() < 1.0, "nothing touches");
    }
    report = system.advance(0.1);
    let clocks = system.clocks(0);
    for (level, count) in report.steps.iter().enumerate() {
        let period = drystone_cloth::seconds(1 << level);
        let found = clocks.iter().filter(|clock| clock.0 == period).count();
        assert_eq!(found as u64, *count, "vertices of level {level}");
    }
    let most = clocks.iter().map(|clock| clock.1).max().unwrap();
    assert!(most >= 1, "{most} layers");
}
