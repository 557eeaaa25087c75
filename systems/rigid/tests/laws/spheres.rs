//! Law 4: balls roll where friction suffices and slip where it does not.

use drystone_base::Vec3;
use drystone_rigid::{Options, System};

use crate::build::*;
use crate::{G, is_near, run_with, sine_cosine, slope};

const RADIUS: f64 = 0.5;

/// A ball at rest on a slope. Returns its index and the downhill direction.
pub(crate) fn ball_on_slope(
    tangent: f64,
    friction: f64,
    options: Options,
) -> (System, usize, Vec3) {
    let mut model = model(friction, 0.0);
    let turn = slope(&mut model, tangent);
    let i = ball(&mut model, RADIUS, turn * Vec3::Y * RADIUS, 10.0);
    (start(model, options), i, turn * Vec3::X)
}

#[test]
fn a_ball_rolls_down_a_slope_at_five_sevenths() {
    let (tangent, t) = (0.5, 2.0);
    // rolling needs 2/7 tan θ = 0.143
    for friction in [0.16, 0.5] {
        let (mut system, i, downhill) = ball_on_slope(tangent, friction, Options::default());
        run(&mut system, t);
        let v = system.state.linear_velocity[i].dot(downhill);
        let spin = system.state.angular_velocity[i].z;
        is_near(
            "rolling, speed [m/s]",
            v,
            5.0 / 7.0 * G * sine_cosine(tangent).0 * t,
            0.01,
        ); // measured: 6.7e-16
        is_near("rolling, spin [rad/s]", -spin * RADIUS, v, 1e-3); // measured: 3.3e-13
    }
}

#[test]
fn a_ball_slips_down_a_slope_that_is_too_smooth() {
    let (tangent, friction, t) = (0.5, 0.05, 2.0);
    let (mut system, i, downhill) = ball_on_slope(tangent, friction, Options::default());
    run(&mut system, t);
    let (s, c) = sine_cosine(tangent);
    let v = system.state.linear_velocity[i].dot(downhill);
    is_near("slipping, speed [m/s]", v, G * (s - friction * c) * t, 0.01); // measured: 6.7e-16
    let spin = -system.state.angular_velocity[i].z;
    is_near(
        "slipping, spin [rad/s]",
        spin,
        5.0 * friction * G * c / (2.0 * RADIUS) * t,
        0.01,
    ); // measured: 1.9e-13
}

#[test]
fn a_launched_ball_rolls_in_the_end_with_five_sevenths_of_its_speed() {
    let (v0, friction) = (3.0, 0.2);
    let mut model = model(friction, 0.0);
    ground(&mut model);
    let i = ball(&mut model, RADIUS, Vec3::Y * RADIUS, 10.0);
    model.start_linear_velocity[i] = Vec3::X * v0;
    let mut system = start(model, Options::default());

    // the time at which it first rolls, to a hundredth of a step
    let dt = DT / 10.0;
    let mut rolls = None;
    while rolls.is_none() && system.state.time < 2.0 {
        run_with(&mut system, dt, dt);
        let v = system.state.linear_velocity[i].x;
        let slip = v + system.state.angular_velocity[i].z * RADIUS;
        if slip < 1e-3 * v0 {
            rolls = Some((system.state.time, system.state.position[i].x));
        }
    }
    let (time, place) = rolls.unwrap();
    is_near(
        "ball stops slipping at [s]",
        time,
        2.0 * v0 / (7.0 * friction * G),
        0.01,
    ); // measured: 2.9e-4
    is_near(
        "ball has slipped for [m]",
        place,
        12.0 * v0 * v0 / (49.0 * friction * G),
        0.01,
    ); // measured: 1.5e-4
    run(&mut system, 1.0);
    is_near(
        "ball rolls on at [m/s]",
        system.state.linear_velocity[i].x,
        5.0 / 7.0 * v0,
        0.01,
    ); // measured: 2.2e-13
}
