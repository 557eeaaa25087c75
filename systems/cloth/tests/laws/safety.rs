//! Nothing passes through anything; what cannot be done is reported.

use drystone_base::Vec3;
use drystone_cloth::{
    Certificate, Contact, Model, Motion, Obstacle, Options, PointsKey, Sheet, System,
};

use crate::random_setup::{Outcome, judge};
use crate::scenes::{DOWN, floor, particles, sludge, thrown_sheet, two_sheets, with};

/// Advances in frames; no crossing after any event, no missing layer at any frame.
fn safely(model: Model, certificate: Certificate, frames: u32, dt: f64) -> u32 {
    let mut system = System::new(model, with(certificate)).unwrap();
    let eyes = system.clone();
    let mut deepest = 0;
    for frame in 0..frames {
        let mut last = system.state().time();
        let report = system.advance_watched(dt, |state| {
            assert!(!eyes.crosses(state), "crossing at {} s", state.seconds());
            assert!(state.time() >= last, "time went back");
            last = state.time();
        });
        assert_eq!(report.stall, None);
        assert_eq!(system.missing_layers(), [], "frame {frame}");
        deepest = deepest.max(report.events.deepest);
    }
    deepest
}

#[test]
fn small_scenes_never_cross() {
    for certificate in [Certificate::Ball, Certificate::Slab] {
        assert!(safely(two_sheets(5, 3.0, 0.0), certificate, 6, 0.02) >= 1);
        assert!(safely(thrown_sheet(6, 5.0, 0.3), certificate, 6, 0.02) >= 1);
        assert!(safely(sludge(20, 0.0), certificate, 10, 0.1) >= 1);
    }
}

#[test]
fn random_set_ups_never_cross() {
    let mut ran = 0;
    for seed in 0..24 {
        let outcome = judge(seed);
        assert_ne!(outcome, Outcome::Crossed, "set-up {seed}");
        ran += u32::from(outcome == Outcome::Ran);
    }
    assert!(ran >= 12, "only {ran} of 24 ran to their end");
}

/// A press that leaves no room: the report names the pair, the layer and the time.
#[test]
fn a_press_ends_in_a_stall() {
    let lid = Obstacle {
        name: "lid".into(),
        points: vec![
            Vec3::new(-3.0, 1.0, -3.0),
            Vec3::new(3.0, 1.0, -3.0),
            Vec3::new(0.0, 1.0, 3.0),
        ],
        faces: vec![[0, 1, 2]],
        motion: Motion::Points(vec![PointsKey {
            time: 1.0,
            points: vec![
                Vec3::new(-3.0, 0.0, -3.0),
                Vec3::new(3.0, 0.0, -3.0),
                Vec3::new(0.0, 0.0, 3.0),
            ],
        }]),
        ..Obstacle::default()
    };
    let model = Model {
        sheets: vec![particles(
            "grain",
            &[(Vec3::new(0.1, 0.5, 0.3), Vec3::ZERO)],
            0.0,
        )],
        obstacles: vec![floor(3.0), lid],
        ..Model::default()
    };
    let options = Options {
        shortest_period: 1e-7,
        ..Options::default()
    };
    let mut system = System::new(model, options).unwrap();
    let report = system.advance(1.0);
    let stall = report.stall.expect("there is no room");
    let (time, y) = (system.time(), system.points(0)[0].y);
    assert_eq!(stall.a.object, "grain");
    assert!(stall.layer > 20, "{stall}");
    assert!(time > 0.8 && time < 1.0 && stall.time == time, "{stall}");
    assert!(
        y > 0.0 && y < 1.0 - time,
        "the grain is at {y}, the lid at {}",
        1.0 - time
    );
    // time stands still, and says so again
    let again = system.advance(0.1);
    assert_eq!((again.stall, system.time()), (Some(stall), time));
}

/// In a line of particles each moves only after the one before it, and momentum arrives in full.
#[test]
fn a_push_travels_down_a_line_in_order() {
    let mut at: Vec<(Vec3, Vec3)> = (0..6)
        .map(|k| (Vec3::X * 0.15 * f64::from(k), Vec3::ZERO))
        .collect();
    at[0].1 = Vec3::X * 2.0;
    let model = Model {
        sheets: vec![particles("line", &at, 1.0)],
        ..Model::default()
    };
    let options = Options {
        penalty_fraction: 0.01,
        ..Options::default()
    };
    let mut system = System::new(model, options).unwrap();
    let mut began = [None; 6];
    system.advance_watched(1.0, |state| {
        for (k, vertex) in state.vertices().iter().enumerate() {
            if vertex.velocity != Vec3::ZERO && began[k].is_none() {
                began[k] = Some(state.time());
            }
        }
    });
    let began: Vec<u64> = began.iter().map(|t| t.unwrap()).collect();
    assert!(began.windows(2).skip(1).all(|w| w[0] < w[1]), "{began:?}");
    let last = system.velocities(0)[5].x;
    assert!(
        (last - 2.0).abs() < 0.1,
        "the last one leaves with {last} m/s"
    );
}

/// Directions of pairs are kept with fewer digits than places: over a slope a million times as wide as the
/// layers are thick that must not look like no room.
#[test]
fn a_slope_as_wide_as_a_landscape_carries_a_handkerchief() {
    for size in [5.0, 1000.0] {
        let mut slope = floor(size);
        for p in &mut slope.points {
            p.y = 0.3 * p.x + 0.2 * p.z;
        }
        let mut sheet = Sheet::grid("handkerchief", 3, 3, 0.0016);
        for p in &mut sheet.points {
            p.y += 0.3 * p.x + 0.2 * p.z + 0.003;
        }
        let model = Model {
            sheets: vec![sheet],
            obstacles: vec![slope],
            gravity: DOWN,
            contact: Contact {
                thickness: 0.001,
                ..Contact::default()
            },
            ..Model::default()
        };
        let deepest = safely(model, Certificate::Ball, 2, 0.015);
        assert!(deepest >= 1, "a floor of {size} m is not touched");
    }
}
