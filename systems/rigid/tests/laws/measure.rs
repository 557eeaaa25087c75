//! Measured quantities against closed forms.

use crate::build::*;
use drystone_base::Vec3;
use drystone_rigid::{Stepper, energy};

#[test]
fn energies_and_momenta_of_two_balls_are_those_of_the_textbook() {
    let mut model = model(0.5, 0.0);
    ground(&mut model);
    let a = ball(&mut model, 0.5, Vec3::new(1.0, 3.0, 0.0), 2.0);
    let b = ball(&mut model, 1.0, Vec3::new(-4.0, 5.0, 0.0), 4.0);
    model.start_linear_velocity[a] = Vec3::new(3.0, 0.0, 0.0);
    model.start_linear_velocity[b] = Vec3::new(0.0, -1.0, 0.0);
    model.start_angular_velocity[b] = Vec3::Z * 2.0;
    model.gravity_scale[b] = 0.5;
    let system = start(model, preset("paper"));
    let (state, model) = (&system.state, &system.model);
    let inertia = 0.4 * 4.0;
    let kinetic = 0.5 * 2.0 * 9.0 + 0.5 * 4.0 + 0.5 * inertia * 4.0;
    assert!((energy::kinetic_energy(state, model) - kinetic).abs() < 1e-12);
    let potential = 9.81 * (2.0 * 3.0 + 0.5 * 4.0 * 5.0);
    assert!((energy::potential_energy(state, model) - potential).abs() < 1e-12);
    assert_eq!(
        energy::linear_momentum(state, model),
        Vec3::new(6.0, -4.0, 0.0)
    );
    let about = Vec3::new(1.0, 0.0, 0.0);
    let l = -3.0 * 6.0 + (-5.0 * -4.0) + inertia * 2.0;
    let found = energy::angular_momentum(state, model, about);
    assert!((found - Vec3::Z * l).length() < 1e-12, "{found}");
}

#[test]
fn a_body_that_has_not_entered_counts_nowhere() {
    let mut model = model(0.5, 0.0);
    let i = ball(&mut model, 0.5, Vec3::Y, 2.0);
    model.enters_at[i] = 1.0;
    model.start_linear_velocity[i] = Vec3::X;
    let system = start(model, preset("paper"));
    assert_eq!(energy::kinetic_energy(&system.state, &system.model), 0.0);
    assert_eq!(energy::potential_energy(&system.state, &system.model), 0.0);
}

#[test]
fn contact_forces_of_a_resting_stack_are_weights() {
    let weight = 10.0 * 9.81;
    let mut projection = stepper(Stepper::PgsProjection);
    projection.pgs.sweeps = 200;
    for options in [projection, stepper(Stepper::Soft)] {
        let (name, span) = (options.stepper.name(), options.impulse_span(DT));
        let mut system = start(stack(3, 0.5, 0.0), options);
        run(&mut system, 1.0);
        let forces = energy::contact_forces(&system.state, span);
        let ground = forces[0].force.y + 3.0 * weight;
        assert!(
            ground.abs() < 1e-6 * weight,
            "{name}: ground misses {ground:.1e} N"
        ); // measured: 3e-9
        for force in &forces[1..] {
            let miss = (force.force - Vec3::Y * weight).length();
            assert!(miss < 1e-6 * weight, "{name}: off by {miss:.1e} N"); // measured: 7e-7
            assert!(
                force.torque.length() < 1e-4 * weight,
                "{name}: torque {}",
                force.torque
            );
        }
    }
}

#[test]
fn published_supports_carry_only_the_body_right_above() {
    // what the paper's step cannot show: the load of a column on its foot
    let mut system = start(stack(3, 0.5, 0.0), preset("paper"));
    run(&mut system, 1.0);
    let forces = energy::contact_forces(&system.state, DT);
    let carried = -forces[0].force.y / (10.0 * 9.81);
    assert!(
        (carried - 1.0).abs() < 0.05,
        "ground carries {carried} of 3 boxes"
    ); // measured: 1.002
}

#[test]
fn merit_and_residual_vanish_for_boxes_at_rest_and_tell_a_bad_guess() {
    let options = stepper(Stepper::Soft);
    let h = options.impulse_span(DT);
    let mut system = start(stack(3, 0.5, 0.0), options);
    run(&mut system, 1.0);
    let (state, model) = (&system.state, &system.model);
    let residual = energy::contact_residual(state, model, h);
    let merit = energy::contact_merit(state, model, h);
    assert!(residual < 1e-6, "residual {residual:.1e}"); // measured: 3e-10
    let mut cold = state.clone();
    cold.contacts
        .points
        .iter_mut()
        .for_each(|point| point.impulse = Vec3::ZERO);
    assert!((energy::contact_residual(&cold, model, h) - 1.0).abs() < 1e-12);
    let worse = energy::contact_merit(&cold, model, h);
    assert!(merit < 1e-9 * worse, "merit {merit:.1e}, {worse:.1e} cold"); // measured: 1e-19 of it
}

#[test]
fn deepest_penetration_is_that_of_the_last_query() {
    let mut system = start(ball_grid(), stepper(Stepper::Pgs));
    let report = system.advance(DT);
    let deepest = energy::deepest_penetration(&system.state.contacts);
    assert!(
        (deepest - 0.1).abs() < 1e-12 && report.deepest_penetration == deepest,
        "{deepest}"
    );
}
