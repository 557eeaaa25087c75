//! What contact keeps: momentum always, energy in the mean, and losses never negative.

use drystone_cloth::{Options, System};

use crate::scenes::{two_sheets, walkthrough};

#[test]
fn momentum_of_colliding_sheets_is_kept_over_a_million_events() {
    for restitution in [0.0, 1.0] {
        let mut system = System::new(two_sheets(8, 3.0, restitution), Options::default()).unwrap();
        let (p0, l0) = system.momentum();
        let scale: f64 =
            system.velocities(0).iter().map(|v| v.length()).sum::<f64>() * 0.1 * 0.15 * 0.15;
        let (mut events, mut pushes) = (0, 0);
        while events < 1_000_000 {
            let report = system.advance(0.05);
            events += report.events.events();
            pushes += report.events.penalties;
            assert_eq!(report.stall, None);
        }
        let (p1, l1) = system.momentum();
        let (dp, dl) = ((p1 - p0).length() / scale, (l1 - l0).length() / scale);
        assert!(pushes > 1000, "only {pushes} pushes");
        assert!(
            dp < 1e-13 && dl < 1e-12,
            "momentum {dp:.1e}, angular {dl:.1e} of {scale}"
        ); // measured: 4e-16, 1e-16
    }
}

/// Energy of a bouncing particle wanders with the phase of the clocks; shorter periods, less so.
#[test]
fn bounces_keep_their_energy_the_better_the_shorter_the_periods() {
    let worst = |fraction: f64| {
        let options = Options {
            penalty_fraction: fraction,
            ..Options::default()
        };
        let mut system = System::new(walkthrough(1.0), options).unwrap();
        let e0 = system.energy().total();
        let drift = (0..200).map(|_| (system.advance(0.05).energy.total() / e0 - 1.0).abs());
        drift.fold(0.0, f64::max)
    };
    let (coarse, fine) = (worst(0.1), worst(0.01));
    assert!(
        fine < 0.01 && fine < 0.3 * coarse,
        "0.1: {coarse:.1e}, 0.01: {fine:.1e}"
    ); // measured: 3.8e-2, 2.8e-3
}

#[test]
fn losses_never_add_energy() {
    let mut model = two_sheets(6, 3.0, 0.3);
    for sheet in &mut model.sheets {
        sheet.material.stretch_damping = 0.5;
        sheet.material.bending_damping = 1e-3;
        sheet.material.friction = 0.4;
    }
    let mut system = System::new(model, Options::default()).unwrap();
    let mut last = system.energy().total();
    let start = last;
    for _ in 0..40 {
        let now = system.advance(0.01).energy.total();
        assert!(
            now < last + 2e-3 * start,
            "energy rose from {last} to {now}"
        );
        last = now;
    }
    assert!(last < 0.9 * start, "nothing was lost: {last} of {start}");
}
