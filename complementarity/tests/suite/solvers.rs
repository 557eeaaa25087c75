//! What every solver must do, on problems of known make.

use crate::solvers_problems::{column, equal, growing, pile, repeated, squeezed, stack};
use drystone_base::functions::cos;
use drystone_complementarity::history::first_below;
use drystone_complementarity::solvers::{Bound, SorLcp, sor_lcp};
use drystone_complementarity::{
    ContactProblem, Ended, Form, Law, Ordering, Outcome, Record, Settings, SolveError, Solver,
};

/// All solvers that go on to any tolerance.
fn precise() -> impl Iterator<Item = Solver> {
    Solver::ALL
        .into_iter()
        .filter(|solver| !solver.is_single_precision())
}

fn solve(
    solver: Solver,
    problem: &ContactProblem,
    settings: &Settings,
) -> (Vec<[f64; 3]>, Outcome) {
    let mut impulses = problem.first_guess();
    let outcome = solver
        .solve(problem, &mut impulses, &Ordering::Identity, settings)
        .unwrap();
    (impulses, outcome)
}

/// One normal contact an interface, `N` equal bodies: `ρ = cos²(π/2N)`.
#[test]
fn sweeps_over_a_column_converge_at_the_rate_of_the_closed_form() {
    for (n, solver) in [
        (9, Solver::Pgs),
        (20, Solver::Cone),
        (20, Solver::GaussSeidel),
    ] {
        let problem = column(&equal(n));
        let (_, outcome) = solve(solver, &problem, &Settings::to(1e-9, 20_000));
        assert!(outcome.reached, "{solver}: {}", outcome.ended);
        let [.., before, last] = &outcome.history[..] else {
            panic!("no history")
        };
        let closed = cos(std::f64::consts::FRAC_PI_2 / n as f64).powi(2);
        let miss = ((1.0 - last.residual / before.residual) / (1.0 - closed) - 1.0).abs();
        assert!(
            miss < 0.01,
            "{solver}, {n} bodies: 1 - rate is off by {miss:.1e}"
        ); // measured: 1e-6
    }
}

#[test]
fn conjugate_gradients_need_at_most_a_third_of_the_sweeps_on_a_stack_of_twenty() {
    let problem = column(&equal(20));
    let settings = Settings::to(1e-4, 20_000);
    for (plain, accelerated) in [
        (Solver::Pgs, Solver::Nncg),
        (Solver::Cone, Solver::NncgCone),
    ] {
        let (slow, fast) = (
            solve(plain, &problem, &settings).1,
            solve(accelerated, &problem, &settings).1,
        );
        assert!(slow.reached && fast.reached);
        assert!(
            3 * fast.iterations <= slow.iterations,
            "{accelerated} {}, {plain} {}",
            fast.iterations,
            slow.iterations
        );
    }
}

/// Problems whose velocities are unique: faces that stick, balls with little friction or, found
/// by trial, with more. The rest is in [`sliding_faces_have_many_answers`].
fn judges() -> Vec<ContactProblem> {
    let mut problems = vec![
        stack(&equal(4), 0.3, 0.02, 1),
        stack(&equal(3), 2.0, 0.02, 3),
        stack(&growing(3, 20.0), 0.5, 0.02, 2),
        column(&growing(4, 50.0)),
    ];
    for (seed, friction) in [(3, 0.0), (4, 0.1), (5, 0.6), (2, 1.0), (11, 2.0)] {
        problems.push(pile(seed, friction, 10.0));
    }
    problems
}

#[test]
fn solvers_of_one_law_agree_on_the_velocities() {
    let settings = Settings {
        record: Record::Nothing,
        ..Settings::to(1e-8, 200_000)
    };
    let mut worst = 0.0f64;
    for problem in judges() {
        for law in [Law::Pyramid, Law::Cone] {
            let mut answers = Vec::new();
            for solver in precise() {
                if solver.law() != law || solver == Solver::Jacobi {
                    continue;
                }
                let (impulses, outcome) = solve(solver, &problem, &settings);
                // bounds that lag by a sweep can go round in circles, here where the heavy
                // stand on the light
                let lagging = matches!(solver, Solver::GaussSeidel | Solver::Sor);
                if lagging && outcome.ended == Ended::Stalled {
                    continue;
                }
                assert!(
                    outcome.reached,
                    "{}: {solver} {} at {:.1e}",
                    problem.name, outcome.ended, outcome.residual
                );
                answers.push((solver, impulses));
            }
            for (solver, impulses) in &answers[1..] {
                let apart = problem.apart(impulses, &answers[0].1);
                assert!(
                    apart < 1e-6,
                    "{}: {solver} off by {apart:.1e}",
                    problem.name
                );
                worst = worst.max(apart);
            }
        }
    }
    assert!(worst > 0.0);
}

/// Four points carry a face in more than one way; where it turns while it slides, friction and so
/// the motion depend on which. Two exact answers then differ, and no solver is to blame.
#[test]
fn sliding_faces_have_many_answers() {
    let problem = stack(&equal(2), 0.1, 0.02, 9);
    let settings = Settings::to(1e-10, 100_000);
    let (forward, _) = solve(Solver::Cone, &problem, &settings);
    let mut backward = problem.first_guess();
    let outcome = Solver::Cone
        .solve(&problem, &mut backward, &Ordering::Reverse, &settings)
        .unwrap();
    assert!(outcome.reached);
    let apart = problem.apart(&forward, &backward);
    assert!(apart > 1e-4, "{apart:.1e}"); // measured: 1e-3
}

#[test]
fn without_friction_all_laws_have_one_answer() {
    for seed in 10..14 {
        let problem = pile(seed, 0.0, 5.0);
        let settings = Settings::to(1e-10, 50_000);
        let (exact, _) = solve(Solver::Pgs, &problem, &settings);
        for solver in precise().filter(|s| *s != Solver::Jacobi) {
            let (impulses, _) = solve(solver, &problem, &settings);
            let apart = problem.apart(&impulses, &exact);
            assert!(apart < 1e-8, "pile {seed}: {solver} off by {apart:.1e}");
        }
    }
}

/// Coulomb's law from the convex one: with `b_n` larger by `μ |w_t|` the convex problem has the
/// cone's answer, a fixed point that is found by repetition.
#[test]
fn the_convex_law_with_its_gap_added_is_coulombs() {
    for problem in [pile(4, 0.1, 5.0), stack(&equal(3), 0.5, 0.02, 1)] {
        let (cone, _) = solve(Solver::Cone, &problem, &Settings::to(1e-10, 100_000));
        let mut shifted = problem.clone();
        let mut impulses = problem.first_guess();
        for _ in 0..60 {
            let w = problem.velocities_after(&impulses);
            let Form::Factored(factored) = &mut shifted.form else {
                unreachable!("made factored")
            };
            for (k, b) in factored.b.iter_mut().enumerate() {
                let slip = (w[k][1].powi(2) + w[k][2].powi(2)).sqrt();
                b[0] = problem.b()[k][0] + problem.friction(k) * slip;
            }
            let outcome = Solver::Apgd
                .solve(
                    &shifted,
                    &mut impulses,
                    &Ordering::Identity,
                    &Settings::to(1e-10, 50_000),
                )
                .unwrap();
            assert!(
                outcome.reached,
                "{} at {:.1e}",
                outcome.ended, outcome.residual
            );
        }
        let apart = problem.apart(&impulses, &cone);
        assert!(apart < 1e-6, "{}: {apart:.1e}", problem.name); // measured: 1e-9
    }
}

/// Heavy on light is what sweeps are slowest at; direct methods do not see it.
#[test]
fn direct_methods_take_masses_that_differ_a_millionfold() {
    for (problem, n) in [(column(&[1.0, 1e6]), 2), (column(&growing(4, 1e6)), 4)] {
        for solver in [Solver::Subspace, Solver::FischerNewton] {
            let (impulses, outcome) = solve(solver, &problem, &Settings::to(1e-10, 100));
            assert!(
                outcome.reached,
                "{solver}: {} at {:.1e}",
                outcome.ended, outcome.residual
            );
            assert!(outcome.iterations <= 10, "{solver}: {}", outcome.iterations); // measured: 1 to 3
            // the ground carries all
            let Form::Factored(factored) = &problem.form else {
                unreachable!("made factored")
            };
            let weight: f64 = factored.bodies[1..]
                .iter()
                .map(|m| 0.0981 / m.inverse_mass)
                .sum();
            let off = (impulses[0][0] / weight - 1.0).abs();
            assert!(
                off < 1e-6,
                "{solver}, {n} bodies: ground carries {off:.1e} less"
            ); // measured: 1e-12
        }
    }
}

/// Forty cubes on each other, four contacts a face: sweeps are still at 5e-5 after 90 000.
#[test]
fn two_levels_solve_a_stack_at_rest_in_a_few_iterations_however_high() {
    for n in [5, 10, 20, 40, 100] {
        for problem in [column(&equal(n)), stack(&equal(n), 0.5, 0.0, 1)] {
            let (_, outcome) = solve(Solver::TwoLevel, &problem, &Settings::to(1e-8, 100));
            assert!(
                outcome.reached,
                "{}: {:.1e}",
                problem.name, outcome.residual
            );
            assert!(
                outcome.iterations <= 3,
                "{}: {}",
                problem.name,
                outcome.iterations
            ); // measured: 1 or 2
        }
    }
    // a heavy one on light ones
    let mut masses = equal(10);
    masses[9] = 1e6;
    let problem = stack(&masses, 0.5, 0.0, 1);
    let (_, outcome) = solve(Solver::TwoLevel, &problem, &Settings::to(1e-8, 100));
    assert!(
        outcome.reached && outcome.iterations <= 5,
        "{}",
        outcome.iterations
    );
}

#[test]
fn acceleration_saves_iterations_on_piles() {
    let settings = Settings::to(1e-8, 10_000);
    let mut sums = [0; 4];
    for (seed, friction) in [(1, 0.1), (2, 0.3), (5, 0.6), (2, 1.0)] {
        let problem = pile(seed, friction, 10.0);
        for (sum, solver) in sums.iter_mut().zip([
            Solver::Cone,
            Solver::NncgCone,
            Solver::Anderson,
            Solver::TwoLevelAnderson,
        ]) {
            *sum += solve(solver, &problem, &settings).1.iterations;
        }
    }
    let [cone, nncg, anderson, two_level] = sums;
    // measured: 2544, 1274, 530, 208
    assert!(
        2 * nncg < cone + cone / 5 && 3 * anderson < cone,
        "{sums:?}"
    );
    assert!(8 * two_level < cone, "{sums:?}");
}

#[test]
fn a_dense_complementarity_problem_is_solved_with_bounds_of_every_kind() {
    // two unilateral rows, of which one stays at zero; closed form x = (1, 0)
    let mut x = [0.0; 2];
    let settings = SorLcp {
        sweeps: 200,
        tolerance: 1e-14,
        regularisation: 0.0,
        ..SorLcp::default()
    };
    let rows = [Bound::Unilateral; 2];
    let sweeps = sor_lcp(&[2.0, 1.0, 1.0, 2.0], &[2.0, -1.0], &mut x, &rows, settings).unwrap();
    assert!(
        sweeps < 200 && (x[0] - 1.0).abs() < 1e-12 && x[1] == 0.0,
        "{x:?}"
    );
    // bilateral pulls where unilateral may not
    let rows = [Bound::Unilateral, Bound::Bilateral];
    sor_lcp(&[2.0, 0.0, 0.0, 2.0], &[2.0, -1.0], &mut x, &rows, settings).unwrap();
    assert!((x[1] + 0.5).abs() < 1e-12, "{x:?}");
    // friction of one direction is at most μ times the normal
    let friction = Bound::OneWayFriction {
        normal: 0,
        friction: 0.3,
    };
    sor_lcp(
        &[1.0, 0.0, 0.0, 1.0],
        &[2.0, 5.0],
        &mut x,
        &[Bound::Unilateral, friction],
        settings,
    )
    .unwrap();
    assert!((x[1] - 0.6).abs() < 1e-12, "{x:?}");
    // in two directions it is against the sliding
    let disc = Bound::Disc {
        normal: 0,
        friction: 0.5,
    };
    let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let mut x = [0.0; 3];
    sor_lcp(
        &identity,
        &[2.0, 3.0, -4.0],
        &mut x,
        &[Bound::Unilateral, disc, disc],
        settings,
    )
    .unwrap();
    assert!(
        (x[1] - 0.6).abs() < 1e-12 && (x[2] + 0.8).abs() < 1e-12,
        "{x:?}"
    );
    // a row that nothing moves, and lists that do not fit
    let mut x = [0.25];
    sor_lcp(
        &[0.0],
        &[1.0],
        &mut x,
        &[Bound::Unilateral],
        SorLcp::default(),
    )
    .unwrap();
    assert_eq!(x, [0.25]);
    let error = sor_lcp(
        &[1.0; 3],
        &[1.0; 2],
        &mut [0.0; 2],
        &[Bound::Unilateral; 2],
        settings,
    );
    assert_eq!(
        error.unwrap_err().to_string(),
        "matrix: 3 values; 4 are wanted"
    );
}

#[test]
fn a_warm_start_at_the_solution_stops_at_once() {
    let problem = pile(21, 0.5, 5.0);
    for solver in precise().filter(|s| *s != Solver::Jacobi) {
        let (mut impulses, _) = solve(solver, &problem, &Settings::to(1e-9, 100_000));
        let kept = impulses.clone();
        let outcome = solver
            .solve(
                &problem,
                &mut impulses,
                &Ordering::Identity,
                &Settings::to(1e-8, 10),
            )
            .unwrap();
        assert_eq!((outcome.reached, outcome.iterations), (true, 0), "{solver}");
        let apart = problem.apart(&impulses, &kept);
        assert!(apart < 1e-14, "{solver} moved by {apart:.1e}");
    }
}

/// Whoever asks for a number of iterations gets them, also where they came to the end long before.
#[test]
fn iterations_beyond_the_solution_stay_there() {
    let problem = pile(21, 0.5, 5.0);
    for solver in precise().filter(|s| *s != Solver::Jacobi) {
        let settings = Settings::to(0.0, 3000);
        let mut impulses = problem.first_guess();
        let order = Ordering::Identity;
        let outcome = solver.solve(&problem, &mut impulses, &order, &settings);
        let residual = outcome.unwrap().residual;
        assert!(residual < 1e-8, "{solver} is at {residual:.1e}");
    }
}

/// A cube between two walls that close in: no impulse is enough, and none may run away.
#[test]
fn where_nothing_is_enough_impulses_grow_no_faster_than_iterations_squared() {
    let problem = squeezed();
    for solver in precise().filter(|s| *s != Solver::Jacobi) {
        let mut impulses = problem.first_guess();
        let (order, settings) = (Ordering::Identity, Settings::to(0.0, 1000));
        let outcome = solver.solve(&problem, &mut impulses, &order, &settings);
        if outcome.is_ok() {
            let most = impulses
                .iter()
                .flatten()
                .fold(0.0f64, |m, x| m.max(x.abs()));
            assert!(most < 1e6, "{solver} presses with {most:.1e}");
        }
    }
}

#[test]
fn both_forms_of_a_problem_give_the_same_answer() {
    let problem = pile(22, 0.4, 5.0);
    let mut matrix = problem.to_matrix_form();
    matrix.matrix_graph = None;
    let refused = Solver::TwoLevel.solve(
        &matrix,
        &mut matrix.first_guess(),
        &Ordering::Identity,
        &Settings::default(),
    );
    assert_eq!(refused, Err(SolveError::NeedsBodies(Solver::TwoLevel)));
    for solver in Solver::ALL.into_iter().filter(|s| !s.needs_bodies()) {
        let settings = Settings {
            tolerance: 0.0,
            most_iterations: 30,
            relaxation: Some(0.8),
            ..Settings::default()
        };
        let (x, y) = (
            solve(solver, &problem, &settings).0,
            solve(solver, &matrix, &settings).0,
        );
        let apart = problem.apart(&x, &y);
        assert!(apart < 1e-9, "{solver}: {apart:.1e}");
    }
}

#[test]
fn jacobi_diverges_on_sixteen_points_a_face_and_says_so_and_converges_damped() {
    let problem = repeated(&stack(&equal(3), 0.5, 0.02, 1), 4);
    let (impulses, outcome) = solve(Solver::Jacobi, &problem, &Settings::to(1e-6, 20_000));
    assert!(!outcome.reached, "{}", outcome.ended);
    assert!(impulses.iter().flatten().all(|x| x.is_finite()));
    assert!(outcome.residual <= 1.0, "{}", outcome.residual); // the best seen
    let damped = Settings {
        relaxation: Some(0.03),
        ..Settings::to(1e-6, 20_000)
    };
    let (_, outcome) = solve(Solver::Jacobi, &problem, &damped);
    assert!(
        outcome.reached,
        "{} at {:.1e}",
        outcome.ended, outcome.residual
    );
}

#[test]
fn a_history_grows_in_every_cost_and_ends_at_the_outcome() {
    let problem = pile(23, 0.4, 5.0);
    for solver in precise().filter(|s| *s != Solver::Jacobi) {
        let settings = Settings {
            record: Record::Merit,
            ..Settings::to(1e-6, 10_000)
        };
        let (_, outcome) = solve(solver, &problem, &settings);
        assert!(outcome.reached, "{solver}");
        let first = &outcome.history[0];
        assert_eq!((first.iteration, first.row_updates), (0, 0), "{solver}");
        assert!((first.residual - 1.0).abs() < 1e-12);
        for pair in outcome.history.windows(2) {
            assert!(pair[1].row_updates > pair[0].row_updates, "{solver}");
            assert!(pair[1].seconds >= pair[0].seconds, "{solver}");
            assert!(pair[1].iteration == pair[0].iteration + 1, "{solver}");
        }
        let last = outcome.history.last().unwrap();
        assert_eq!(last.iteration, outcome.iterations, "{solver}");
        assert_eq!(last.row_updates, outcome.row_updates, "{solver}");
        assert!(
            last.merit.unwrap() < 1e-6 * first.merit.unwrap(),
            "{solver}"
        );
        assert_eq!(first_below(&outcome.history, 1e-6).unwrap(), last);
    }
}

#[test]
fn limits_hold_and_a_watcher_can_stop_it() {
    let problem = column(&equal(40));
    let (_, outcome) = solve(Solver::Pgs, &problem, &Settings::to(1e-9, 7));
    assert_eq!((outcome.ended, outcome.iterations), (Ended::Iterations, 7));
    let short = Settings {
        most_seconds: Some(1e-5),
        ..Settings::to(1e-12, 1_000_000)
    };
    let (_, outcome) = solve(Solver::Pgs, &problem, &short);
    assert_eq!(outcome.ended, Ended::Seconds);
    let mut impulses = problem.first_guess();
    let outcome = Solver::Pgs
        .solve_watched(
            &problem,
            &mut impulses,
            &Ordering::Identity,
            &Settings::default(),
            &mut |entry| match entry.iteration < 5 {
                true => std::ops::ControlFlow::Continue(()),
                false => std::ops::ControlFlow::Break(()),
            },
        )
        .unwrap();
    assert_eq!((outcome.ended, outcome.iterations), (Ended::Watcher, 5));
}

#[test]
fn what_cannot_be_solved_is_refused_with_a_reason() {
    let problem = pile(1, 0.5, 2.0);
    let plain = Ordering::Identity;
    let refuse = |impulses: &mut [[f64; 3]], settings: &Settings| {
        Solver::Pgs
            .solve(&problem, impulses, &plain, settings)
            .unwrap_err()
            .to_string()
    };
    let mut none: Vec<[f64; 3]> = Vec::new();
    let message = refuse(&mut none, &Settings::default());
    assert!(message.contains("0 entries"), "{message}");
    let mut odd = problem.first_guess();
    odd[2][1] = f64::NAN;
    let message = refuse(&mut odd, &Settings::default());
    assert!(
        message.contains("contact 2") && message.contains("NaN"),
        "{message}"
    );
    let settings = Settings {
        relaxation: Some(2.5),
        ..Settings::default()
    };
    let message = refuse(&mut problem.first_guess(), &settings);
    assert!(
        message.contains("2.5") && message.contains("relaxation"),
        "{message}"
    );
    let message = "bicg".parse::<Solver>().unwrap_err().to_string();
    assert!(
        message.contains("bicg") && message.contains("nncg-cone"),
        "{message}"
    );
    assert_eq!("pgs".parse::<Solver>(), Ok(Solver::Pgs));
    assert!(matches!(
        "PGS".parse::<Solver>(),
        Err(SolveError::Unknown(_))
    ));
    // nothing to solve is solved
    let empty = ContactProblem::factored("empty", Default::default());
    for solver in Solver::ALL {
        let (_, outcome) = solve(solver, &empty, &Settings::default());
        assert_eq!((outcome.reached, outcome.iterations), (true, 0), "{solver}");
    }
}
