//! The watchdogs: they name what gains energy from nowhere and what stays inside something else, and nothing else.

use drystone_base::{Pose, Vec3};
use drystone_geometry::Shape;
use drystone_rigid::{Body, Key, Model, Motion, MotionPath, Options, Report, Stepper, System};

use crate::build::{DT, ball, block, cube, ground, model, preset};
use crate::{at_most, is_near};

/// The reports of `steps` steps.
fn reports(system: &mut System, steps: usize) -> Vec<Report> {
    (0..steps).map(|_| system.advance(DT)).collect()
}

/// Total energy \[J\].
fn energy(system: &System) -> f64 {
    let (state, model) = (&system.state, &system.model);
    drystone_rigid::energy::kinetic_energy(state, model)
        + drystone_rigid::energy::potential_energy(state, model)
}

/// Fails if the watchdog names something.
#[track_caller]
fn all_sound(what: &str, reports: &[Report]) {
    for report in reports {
        let (gains, too_fast, overlaps) = (&report.gains, &report.too_fast, &report.overlaps);
        let sound = gains.is_empty() && too_fast.is_empty() && overlaps.is_empty();
        assert!(sound, "{what}: {gains:?} {too_fast:?} {overlaps:?}");
    }
}

#[test]
fn a_slender_rod_that_explicit_euler_spins_up_is_named() {
    // Erleben 2007, eq. 18 takes the gyroscopic term at the start of the step
    let mut model = model(0.5, 0.0);
    model.gravity = Vec3::ZERO;
    let half = Vec3::new(0.35, 0.015, 0.015);
    let rod = block(&mut model, half, Vec3::ZERO, 0.63);
    model.start_angular_velocity[rod] = Vec3::splat(30.0);
    let mut system = System::new(model, preset("paper")).unwrap();
    let before = energy(&system);
    let reports = reports(&mut system, 50);
    let gained = energy(&system) / before;
    assert!(gained > 2.0, "the rod did not gain: {gained}");
    let named = reports.iter().flat_map(|r| &r.gains).next().unwrap();
    assert_eq!(named.body, rod);
    assert!(named.gained > named.allowed);
}

#[test]
fn a_slow_steady_gain_adds_up_until_it_is_named() {
    // the explicit gyroscopic term of a mild spin adds 0.03 % a step
    let mut model = model(0.5, 0.0);
    model.gravity = Vec3::ZERO;
    let rod = block(&mut model, Vec3::new(0.35, 0.1, 0.1), Vec3::ZERO, 1.0);
    model.start_angular_velocity[rod] = Vec3::splat(2.2);
    let mut system = System::new(model, preset("paper")).unwrap();
    let mut steps = 0;
    let before = energy(&system);
    let mut largest = 0.0f64;
    while steps < 2000 {
        let start = energy(&system);
        let report = system.advance(DT);
        largest = largest.max(energy(&system) / start - 1.0);
        if !report.gains.is_empty() {
            break;
        }
        steps += 1;
    }
    let gained = energy(&system) / before - 1.0;
    eprintln!("named after {steps} steps, {gained:.3} gained, {largest:.1e} in one step at most");
    assert!(steps < 2000, "gained {gained:.3} and was not named");
    assert!(largest < 5e-3, "one step alone gained {largest:.1e}");
    at_most("gain when it is named", gained, 0.15);
}

#[test]
fn stacks_impacts_and_bounces_are_sound() {
    for restitution in [0.0, 0.5, 0.9] {
        let mut model = model(0.5, restitution);
        ground(&mut model);
        for k in 0..5 {
            cube(&mut model, Vec3::Y * (0.5 + f64::from(k)), 10.0);
        }
        let fast = ball(&mut model, 0.3, Vec3::new(-4.0, 2.0, 0.1), 20.0);
        model.start_linear_velocity[fast] = Vec3::X * 12.0;
        ball(&mut model, 0.2, Vec3::new(3.0, 2.0, 0.0), 1.0);
        let mut system = System::new(model, Options::default()).unwrap();
        all_sound("struck stack", &reports(&mut system, 300));
    }
}

#[test]
fn a_kick_between_steps_and_a_force_are_no_gain() {
    let mut model = model(0.5, 0.0);
    ground(&mut model);
    let (a, b) = (
        cube(&mut model, Vec3::Y * 0.5, 2.0),
        cube(&mut model, Vec3::new(4.0, 0.5, 0.0), 2.0),
    );
    let mut system = System::new(model, Options::default()).unwrap();
    let mut all = Vec::new();
    for k in 0..100 {
        if k % 20 == 0 {
            let at = system.state.position[a];
            let push = Vec3::new(5.0, 30.0, 1.0);
            system.state.apply_impulse(&system.model, a, push, at);
        }
        let at = system.state.position[b] + Vec3::Y * 0.3;
        system.state.apply_force(b, Vec3::new(40.0, 0.0, 5.0), at);
        all.push(system.advance(DT));
    }
    all_sound("kicked and pushed", &all);
}

#[test]
fn work_of_a_force_is_the_energy_it_gave() {
    let mut model = model(0.5, 0.0);
    model.gravity = Vec3::ZERO;
    let a = cube(&mut model, Vec3::ZERO, 2.0);
    let mut system = System::new(model, Options::default()).unwrap();
    let mut work = 0.0;
    for _ in 0..100 {
        system.state.apply_force(a, Vec3::X * 10.0, Vec3::ZERO);
        work += system.advance(DT).energy.pushed;
    }
    is_near("work of a force", work, energy(&system), 0.01); // symplectic Euler: h/t
}

#[test]
fn a_lift_works_what_its_load_gains() {
    let mut model = model(0.5, 0.0);
    let half = Vec3::new(2.0, 0.1, 2.0);
    let keys =
        [(0.0, 0.0), (2.0, 4.0)].map(|(time, height)| Key::new(time, Pose::at(Vec3::Y * height)));
    let lift = Body {
        motion: Motion::Scripted(MotionPath::linear(&keys).unwrap()),
        ..Body::new("lift", Shape::Box { half })
    };
    model.add(lift).unwrap();
    cube(&mut model, Vec3::Y * 0.6, 10.0);
    for stepper in [Stepper::TwoLevel, Stepper::Vsp, Stepper::Pgs, Stepper::Soft] {
        let options = Options {
            stepper,
            ..Options::default()
        };
        let mut system = System::new(model.clone(), options).unwrap();
        let before = energy(&system);
        let reports = reports(&mut system, 150);
        all_sound("lift", &reports);
        if stepper == Stepper::TwoLevel {
            let driven: f64 = reports.iter().map(|r| r.energy.driven).sum();
            let lost: f64 = reports.iter().map(|r| r.energy.lost).sum();
            let gained = energy(&system) - before;
            is_near("work of the lift", driven - lost, gained, 1e-3);
        }
    }
}

#[test]
fn overlap_that_is_pushed_out_is_counted_apart() {
    let mut model = model(0.5, 0.0);
    ground(&mut model);
    let top = cube(&mut model, Vec3::Y * 0.4, 10.0);
    let mut system = System::new(model, Options::default()).unwrap();
    let start = system.state.position[top].y;
    let reports = reports(&mut system, 200);
    all_sound("overlap", &reports);
    let risen = system.state.position[top].y - start;
    let lifted: f64 = reports.iter().map(|r| r.energy.lifted).sum();
    is_near("lift of the correction", lifted, 10.0 * 9.81 * risen, 1e-3);
}

/// A grid of five layers of 5 x 5 touching cubes, with a cube a thousand times as heavy on the one in the middle.
fn loaded_columns() -> (Model, usize) {
    let mut model = model(0.5, 0.0);
    ground(&mut model);
    for k in 0..125 {
        let [x, y, z] = [k % 5, k / 25, k / 5 % 5].map(f64::from);
        cube(&mut model, Vec3::new(x, y + 0.5, z), 1.0);
    }
    let load = cube(&mut model, Vec3::new(2.0, 5.5, 2.0), 1000.0);
    (model, load)
}

#[test]
fn a_load_that_is_not_carried_is_named() {
    let (model, load) = loaded_columns();
    let few = Options {
        stepper: Stepper::Pgs,
        ..Options::default()
    };
    for (options, carried) in [(Options::default(), true), (few, false)] {
        let mut system = System::new(model.clone(), options).unwrap();
        let start = system.state.position[load].y;
        let reports = reports(&mut system, 60);
        let sunk = start - system.state.position[load].y;
        let named = reports.iter().flat_map(|r| &r.overlaps).next();
        assert_eq!(named.is_none(), carried, "sunk {sunk:.3} m: {named:?}");
        assert!((sunk < 0.05) == carried, "sunk {sunk:.3} m");
    }
}

#[test]
fn what_a_script_presses_into_the_ground_is_named() {
    let mut model = model(0.5, 0.0);
    ground(&mut model);
    let pressed = ball(&mut model, 0.5, Vec3::Y * 0.5, 1.0);
    let half = Vec3::new(1.0, 0.1, 1.0);
    let keys =
        [(0.0, 1.1), (1.0, 0.7)].map(|(time, height)| Key::new(time, Pose::at(Vec3::Y * height)));
    let press = Body {
        motion: Motion::Scripted(MotionPath::linear(&keys).unwrap()),
        ..Body::new("press", Shape::Box { half })
    };
    model.add(press).unwrap();
    let mut system = System::new(model, Options::default()).unwrap();
    let reports = reports(&mut system, 120);
    let named = reports.iter().flat_map(|r| &r.overlaps).next().unwrap();
    assert_eq!(named.body, pressed);
    assert!(named.depth > named.allowed && named.steps > 0, "{named:?}");
}

#[test]
fn what_goes_past_the_middle_of_a_plate_is_named() {
    let mut model = model(0.0, 0.0);
    model.gravity = Vec3::ZERO;
    let thin = Vec3::new(0.5, 0.02, 0.5);
    let below = block(&mut model, thin, Vec3::ZERO, 1.0);
    let above = block(&mut model, thin, Vec3::Y * 0.05, 1.0);
    let mut system = System::new(model, Options::default()).unwrap();
    system.advance(DT);
    // a hand puts one into the other; the second time it goes out again so fast that the step is split, and is far
    // away in its last part
    for (speed, split) in [(0.0, false), (200.0, true)] {
        let before = system.state.clone();
        system.state.position[above] = Vec3::Y * 0.015;
        system.state.linear_velocity[above] = Vec3::Y * speed;
        system.state.wake(above);
        let report = system.advance(DT);
        assert_eq!(report.parts > 1, split, "{} parts", report.parts);
        let bodies: Vec<usize> = report.overlaps.iter().map(|o| o.body).collect();
        assert_eq!(bodies, [below, above], "{:?}", report.overlaps);
        assert!(report.overlaps.iter().all(|o| o.steps == 0));
        system.state = before;
        system.advance(DT);
    }
}
