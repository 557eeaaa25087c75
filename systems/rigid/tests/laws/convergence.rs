//! Law 20: errors fall with the step at the method's order, at least the first. The rate of
//! Gauss-Seidel on a stack is tested with the solver.

use drystone_base::functions::ln;
use drystone_rigid::Options;

use crate::incline::cube_on_slope;
use crate::rotation::top;
use crate::spheres::ball_on_slope;
use crate::{G, at_least, run_with, sine_cosine, undivided};

/// Slope of ln(error) over ln(step) through three steps, each half the one before.
fn order(what: &str, error: impl Fn(f64) -> f64, dt: f64) -> f64 {
    let errors = [dt, 0.5 * dt, 0.25 * dt].map(&error);
    let slope = ln(errors[0] / errors[2]) / ln(4.0);
    eprintln!("{what}: errors {errors:?}, order {slope:.3}");
    slope
}

#[test]
fn errors_fall_in_proportion_to_the_step() {
    // place of a sliding box after 1 s
    let sliding = |dt: f64| {
        let (mut system, i, downhill) = cube_on_slope(0.6, 0.3, 0.0, Options::default());
        let from = system.state.position[i];
        run_with(&mut system, 1.0, dt);
        let (s, c) = sine_cosine(0.6);
        ((system.state.position[i] - from).dot(downhill) - 0.5 * G * (s - 0.3 * c)).abs()
    };
    let found = order("sliding box", sliding, 0.02);
    at_least("sliding box, order", found, 0.9); // measured: 1

    // place of a rolling ball after 1 s
    let rolling = |dt: f64| {
        let (mut system, i, downhill) = ball_on_slope(0.5, 0.5, Options::default());
        let from = system.state.position[i];
        run_with(&mut system, 1.0, dt);
        ((system.state.position[i] - from).dot(downhill) - 0.5 * 5.0 / 7.0 * G * sine_cosine(0.5).0)
            .abs()
    };
    let found = order("rolling ball", rolling, 0.02);
    at_least("rolling ball, order", found, 0.9); // measured: 1

    // precession of a top over 2 s
    let precession = |dt: f64| {
        let (rate, wanted, _) = top(undivided(), dt);
        (rate - wanted).abs()
    };
    let found = order("top", precession, 4e-3);
    at_least("top, order", found, 0.8); // measured: 0.97
}
