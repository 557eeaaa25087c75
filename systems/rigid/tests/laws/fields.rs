//! Fields act on bodies: moving air through their damping, accelerations on all of them.

use drystone_base::Vec3;
use drystone_base::functions::exp;
use drystone_common::{Acceleration, NamedField, Turbulence, Wind};
use drystone_rigid::{Options, System, energy};

use crate::at_most;
use crate::build::{DT, ball, cube, ground, model, rivals, start};

/// Without gravity, so that the field is alone.
fn weightless(field: NamedField) -> drystone_rigid::Model {
    let mut model = model(0.5, 0.0);
    model.gravity = Vec3::ZERO;
    model.fields.push(field);
    model
}

/// The default stepper and its rivals.
fn steppers() -> Vec<(&'static str, Options)> {
    let mut list = rivals();
    list.push(("default", Options::default()));
    list
}

/// Advances by `seconds` and fails if the energy watchdog names something; work of all forces \[J\].
#[track_caller]
fn advance(system: &mut System, seconds: f64) -> f64 {
    let mut pushed = 0.0;
    for _ in 0..(seconds / DT).round() as usize {
        let report = system.advance(DT);
        assert!(
            report.gains.is_empty() && report.too_fast.is_empty(),
            "{report:?}"
        );
        pushed += report.energy.pushed;
    }
    pushed
}

#[test]
fn a_ball_in_wind_reaches_the_speed_of_the_closed_form() {
    // dv/dt = d (u − v): v = u (1 − e^(−d t))
    let (wind, rate) = (Vec3::new(8.0, 0.0, -3.0), 0.7);
    for (name, options) in steppers() {
        let mut model = weightless(NamedField::new("wind", Wind(wind)));
        let i = ball(&mut model, 0.1, Vec3::ZERO, 2.0);
        model.linear_damping[i] = rate;
        let mut system = start(model, options);
        advance(&mut system, 2.0);
        let wanted = wind * (1.0 - exp(-rate * 2.0));
        let off = (system.state.linear_velocity[i] - wanted).length();
        at_most(&format!("{name}: speed in wind off by [m/s]"), off, 0.02); // measured: 0.0103, of first order in the step
        advance(&mut system, 60.0);
        let off = (system.state.linear_velocity[i] - wind).length();
        at_most(&format!("{name}: last speed off by [m/s]"), off, 1e-6); // measured: 5.1e-13
    }
}

#[test]
fn a_body_falls_in_a_uniform_field_as_under_gravity() {
    let pull = Vec3::new(1.0, -9.81, 0.5);
    for (name, options) in steppers() {
        let mut falls = Vec::new();
        for by_field in [false, true] {
            let field = NamedField::new("pull", Acceleration(move |_, _, _| pull));
            let mut model = weightless(field);
            if !by_field {
                (model.gravity, model.fields) = (pull, Vec::new());
            }
            let i = cube(&mut model, Vec3::ZERO, 3.0);
            let mut system = start(model, options.clone());
            let pushed = advance(&mut system, 1.0);
            let kinetic = energy::kinetic_energy(&system.state, &system.model);
            falls.push((system.state.position[i], kinetic));
            if by_field {
                // the work that the watchdog counts is all the energy there is
                let off = (pushed / kinetic - 1.0).abs();
                at_most(&format!("{name}: work of the field off by [1]"), off, 0.02); // measured: 0.01, of first order in the step
            }
        }
        let off = falls[0].0.distance(falls[1].0);
        at_most(&format!("{name}: fall off by [m]"), off, 1e-12); // measured: 0
    }
}

#[test]
fn no_drag_turns_a_motion_round() {
    let drag = NamedField::new("drag", Acceleration(|_, v: Vec3, _| v * -1e4));
    let mut model = weightless(drag);
    let i = ball(&mut model, 0.1, Vec3::ZERO, 2.0);
    model.start_linear_velocity[i] = Vec3::X * 5.0;
    let mut system = start(model, Options::default());
    let mut last = 5.0;
    for _ in 0..20 {
        system.advance(DT);
        let now = system.state.linear_velocity[i].x;
        assert!((0.0..last).contains(&now), "{now} m/s after {last} m/s");
        last = now;
    }
}

#[test]
fn a_stack_in_eddies_gains_nothing_that_they_did_not_give() {
    let eddies = Turbulence::new(7, 6.0, 0.8, 0.5);
    for (name, options) in steppers() {
        let mut model = model(0.5, 0.0);
        model.fields.push(NamedField::new("eddies", eddies.clone()));
        ground(&mut model);
        for k in 0..4 {
            let i = cube(&mut model, Vec3::Y * (0.5 + f64::from(k)), 1.0);
            model.linear_damping[i] = 0.5;
        }
        let mut system = start(model, options);
        let pushed = advance(&mut system, 2.0);
        assert!(pushed.is_finite(), "{name}");
    }
}
