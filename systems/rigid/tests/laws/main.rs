//! The laws of mechanics, one test each: what the textbook says, how close the engine comes, and
//! how close it must. The default options hold wherever nothing else is said (their solver keeps
//! sixteen digits for islands as small as these); steps are 10 ms.
//!
//! `cargo test -p drystone-rigid --test laws -- --nocapture` prints every measured value.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod build;
mod convergence;
mod correction;
mod energy_laws;
mod fields;
mod impact;
mod incline;
mod masonry;
mod measure;
mod problem;
mod rivals;
mod robustness;
mod rotation;
mod scale;
mod services;
mod sleeping;
mod solvers;
mod spheres;
mod splitting;
mod stacks;
mod vsp;
mod watchdog;
mod weight;

use drystone_base::functions::{atan2, cos, rotation_about, sin};
use drystone_base::{Pose, Quat, Vec3};
use drystone_geometry::Shape;
use drystone_rigid::{Body, Model, Motion, Options, Precision, System, Weight};

/// Gravity \[m/s²\].
pub(crate) const G: f64 = 9.81;

/// Fails unless `measured` is at most `tolerance`; says both.
#[track_caller]
pub(crate) fn at_most(what: &str, measured: f64, tolerance: f64) {
    eprintln!("{what}: {measured:.3e} (at most {tolerance:.0e})");
    assert!(
        measured <= tolerance,
        "{what}: {measured:.3e}; wanted at most {tolerance:.0e}"
    );
}

/// Fails unless `measured` is at least `bound`; says both.
#[track_caller]
pub(crate) fn at_least(what: &str, measured: f64, bound: f64) {
    eprintln!("{what}: {measured:.3e} (at least {bound:.0e})");
    assert!(
        measured >= bound,
        "{what}: {measured:.3e}; wanted at least {bound:.0e}"
    );
}

/// Fails unless `measured` is `wanted` up to the share `tolerance` of it; says all three.
#[track_caller]
pub(crate) fn is_near(what: &str, measured: f64, wanted: f64, tolerance: f64) {
    let off = (measured / wanted - 1.0).abs();
    eprintln!("{what}: {measured:.9} for {wanted:.9}, off by {off:.2e} (at most {tolerance:.0e})");
    assert!(
        off <= tolerance,
        "{what}: {measured} for {wanted}, off by {off:.2e}; wanted {tolerance:.0e}"
    );
}

/// The default options with seven digits in the solver, as large islands have it.
pub(crate) fn single() -> Options {
    let mut options = Options::default();
    options.two_level.precision = Precision::Single;
    options
}

/// The preset `converged`, sixteen digits in the solver.
pub(crate) fn tight() -> Options {
    let mut options = build::preset("converged");
    options.two_level.precision = Precision::Double;
    options
}

/// The defaults, but no step is split however far bodies turn or travel in it.
pub(crate) fn undivided() -> Options {
    let mut options = Options::default();
    options.tuning.parts = 1;
    options
}

/// Steps of `dt` for `seconds`.
pub(crate) fn run_with(system: &mut System, seconds: f64, dt: f64) {
    for _ in 0..(seconds / dt).round() as usize {
        system.advance(dt);
    }
}

/// A fixed plane through the origin that falls by `tangent` along its x axis, and its frame:
/// x downhill, y off the plane.
pub(crate) fn slope(model: &mut Model, tangent: f64) -> Quat {
    let turn = rotation_about(Vec3::Z, -atan2(tangent, 1.0));
    let plane = Body {
        motion: Motion::Fixed,
        pose: Pose::new(Vec3::ZERO, turn),
        ..Body::new("slope", Shape::HalfSpace)
    };
    model.add(plane).unwrap();
    turn
}

/// Sine and cosine of the angle with this tangent.
pub(crate) fn sine_cosine(tangent: f64) -> (f64, f64) {
    let angle = atan2(tangent, 1.0);
    (sin(angle), cos(angle))
}

/// A box by half extents, pose and mass.
pub(crate) fn block_at(model: &mut Model, half: Vec3, pose: Pose, mass: f64) -> usize {
    shape_at(model, Shape::Box { half }, pose, mass)
}

/// A body of any shape by pose and mass.
pub(crate) fn shape_at(model: &mut Model, shape: Shape, pose: Pose, mass: f64) -> usize {
    let name = format!("body {}", model.len());
    let weight = Weight::Mass(mass);
    model
        .add(Body {
            pose,
            weight,
            ..Body::new(name, shape)
        })
        .unwrap()
}

/// A fixed body of any shape.
pub(crate) fn fixed(model: &mut Model, shape: Shape, at: Vec3) -> usize {
    let name = format!("fixed {}", model.len());
    let body = Body {
        pose: Pose::at(at),
        motion: Motion::Fixed,
        ..Body::new(name, shape)
    };
    model.add(body).unwrap()
}
