//! The contact problem of the next step, held to what the step then does.

use crate::build::*;
use drystone_base::Vec3;
use drystone_complementarity::{
    ContactProblem, FactoredOperator, Form, Law, Problem, Solved, Sweeping, sweeping,
};
use drystone_rigid::{Model, Options, Stepper, System};

fn factored(problem: &ContactProblem) -> &Problem {
    match &problem.form {
        Form::Factored(problem) => problem,
        Form::Matrix(_) => panic!("wanted the factored form"),
    }
}

fn solve(
    problem: &ContactProblem,
    sweeps: u32,
    with: fn(&Problem, &mut [[f64; 3]], Sweeping) -> Solved,
) -> Solved {
    let mut impulses = problem.start.clone().unwrap();
    with(factored(problem), &mut impulses, Sweeping::times(sweeps))
}

/// Largest difference between the velocities after a step and those that forces over `dt` and the
/// solution of the problem give; moving bodies come first in a problem, in order \[m/s\].
fn miss(system: &mut System, dt: f64, solved: &Solved) -> f64 {
    let moving: Vec<usize> = (0..system.model.len())
        .filter(|&i| system.model.is_dynamic(i))
        .collect();
    let free: Vec<Vec3> = moving
        .iter()
        .map(|&i| system.state.linear_velocity[i] + system.model.gravity * dt)
        .collect();
    system.advance(dt);
    let after = |i: usize| system.state.linear_velocity[i];
    moving
        .iter()
        .enumerate()
        .map(|(k, &i)| (free[k] + solved.delta_v[k].linear - after(i)).length())
        .fold(0.0, f64::max)
}

fn scenes() -> [(&'static str, Model); 4] {
    [
        ("stack", stack(4, 0.5, 0.0)),
        ("struck stack", struck_stack()),
        ("leaning stack", leaning_stack().0),
        ("carried box", carried_box().0),
    ]
}

#[test]
fn a_step_of_plain_sweeps_solves_the_problem_asked_for() {
    let mut worst = 0.0f64;
    for (_, model) in scenes() {
        for kind in [Stepper::Pgs, Stepper::PgsProjection] {
            let mut system = start(model.clone(), stepper(kind));
            for _ in 0..20 {
                let problem = system.contact_problem(DT);
                let sweeps = system.options().pgs.sweeps;
                let solved = solve(&problem, sweeps, sweeping::pgs);
                worst = worst.max(miss(&mut system, DT, &solved));
            }
        }
    }
    assert!(worst < 1e-12, "velocities differ by {worst:.1e} m/s"); // measured: 0
}

/// With one substep and sweeps to the end the default stepper finds the solution on the cone.
#[test]
fn a_step_of_the_default_stepper_solves_the_problem_asked_for() {
    let mut options = Options::default();
    options.two_level.substeps = 1;
    options.two_level.sweeps = 20_000;
    let mut worst = 0.0f64;
    for (_, model) in scenes() {
        let mut system = start(model, options.clone());
        for _ in 0..20 {
            let problem = system.contact_problem(DT);
            let solved = solve(&problem, 20_000, sweeping::cone);
            worst = worst.max(miss(&mut system, DT, &solved));
        }
    }
    assert!(worst < 1e-5, "velocities differ by {worst:.1e} m/s"); // measured: 6e-7
}

#[test]
fn asking_for_the_problem_changes_nothing() {
    for options in rivals().into_iter().map(|(_, options)| options) {
        asked_and_not(&options);
    }
    asked_and_not(&Options::default());
    let sleeping = Options {
        sleeping: true,
        ..Options::default()
    };
    asked_and_not(&sleeping);
}

fn asked_and_not(options: &Options) {
    let (mut asked, mut not) = (
        start(struck_stack(), options.clone()),
        start(struck_stack(), options.clone()),
    );
    for _ in 0..30 {
        asked.contact_problem(DT).check().unwrap();
        asked.advance(DT);
        not.advance(DT);
    }
    assert!(asked.state == not.state, "{}", options.stepper.name());
}

#[test]
fn at_rest_the_first_guess_nearly_solves_the_problem() {
    let mut system = start(stack(6, 0.5, 0.0), Options::default());
    run(&mut system, 1.0);
    let problem = system.contact_problem(DT);
    assert_eq!(problem.contacts(), 24);
    let operator = FactoredOperator::new(factored(&problem));
    let e = Law::Cone.residual(&operator, problem.start.as_ref().unwrap());
    assert!(e < 1e-6, "residual {e:.1e}"); // measured: 6e-10
    // the ground carries the weight of all over one substep
    let ground = problem
        .graph()
        .unwrap()
        .fixed
        .iter()
        .position(|f| *f)
        .unwrap();
    let pairs = problem.graph().unwrap().pairs;
    let start = problem.start.as_ref().unwrap().iter().zip(&pairs);
    let carried: f64 = start
        .filter(|(_, pair)| pair.contains(&ground))
        .map(|(impulse, _)| impulse[0])
        .sum();
    let weight = 6.0 * 10.0 * 9.81 * DT / 4.0;
    assert!(
        (carried / weight - 1.0).abs() < 1e-6,
        "{carried} of {weight}"
    ); // measured: 2e-16
    // places are where the cubes touch
    let places = problem.places.unwrap();
    assert!(places.iter().all(|p| (p.y - p.y.round()).abs() < 1e-3));
}

#[test]
fn a_step_of_no_length_has_no_problem() {
    let system = start(stack(2, 0.5, 0.0), Options::default());
    for dt in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(system.contact_problem(dt).contacts(), 0);
    }
}
