//! What contact keeps: momentum always, energy in the mean, and losses never negative.

use drystone_base::Vec3;
use drystone_base::functions::pow;
use drystone_base::random::Random;
use drystone_cloth::{Model, Options, Sheet, Stretch, System};

use crate::scenes::{DOWN, floor, two_sheets, walkthrough};

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

/// Three sheets thrown on a floor, with masses, stiffnesses, restitution and friction over decades:
/// never more energy than was put in.
#[test]
fn contact_never_adds_energy_whatever_the_material() {
    for seed in 0..36 {
        let mut random = Random::new(100 + seed);
        let decades = |random: &mut Random, low: f64, high: f64| pow(10.0, random.range(low, high));
        let mut model = Model {
            gravity: DOWN,
            obstacles: vec![floor(3.0)],
            ..Model::default()
        };
        model.contact.stiffness = decades(&mut random, 2.0, 4.5);
        model.contact.thickness = 0.04;
        let (e, friction) = (
            [0.0, 0.05, 0.3, 0.9][(random.unit() * 4.0) as usize % 4],
            [0.0, 0.3, 1.0, 5.0][(random.unit() * 4.0) as usize % 4],
        );
        model.obstacles[0].friction = friction;
        model.obstacles[0].restitution = e;
        for k in 0..3u32 {
            let height = 0.06 + 0.08 * f64::from(k);
            let off = Vec3::new(0.02 * random.unit(), height, 0.02 * random.unit());
            let mut sheet = Sheet::grid(&format!("sheet {k}"), 5, 5, 0.08).moved(off);
            let throw = Vec3::new(random.range(-2.0, 2.0), random.range(-4.0, 0.0), 0.3);
            sheet.velocities = vec![throw; 25];
            sheet.material.density = decades(&mut random, -2.0, 2.0);
            sheet.material.stretch = Stretch::Spring(decades(&mut random, 1.0, 3.5));
            sheet.material.bending = decades(&mut random, -6.0, -3.0);
            sheet.material.restitution = e;
            sheet.material.friction = friction;
            model.sheets.push(sheet);
        }
        let mut system = System::new(model, Options::default()).unwrap();
        let start = system.energy();
        let scale = start.kinetic + start.gravity;
        for _ in 0..25 {
            let report = system.advance(0.02);
            if report.stall.is_some() {
                break;
            }
            let over = report.energy.without_contact() - report.account.most();
            assert!(
                over < 1e-3 * scale,
                "seed {seed}, e = {e}, friction {friction}: {over} J of {scale} J at {} s",
                report.time
            ); // measured: 1.3e-15
        }
    }
}
