//! The two-level solve taken apart: in both forms, with every kind of aggregate.

use crate::solvers_problems::{column, equal, growing, pile, stack};
use drystone_complementarity::{Aggregates, ContactProblem, Ordering, Outcome, Settings, Solver};

fn solve(
    solver: Solver,
    problem: &ContactProblem,
    aggregates: Aggregates,
    (tolerance, most): (f64, u32),
) -> (Vec<[f64; 3]>, Outcome) {
    let settings = Settings {
        aggregates,
        ..Settings::to(tolerance, most)
    };
    let mut impulses = problem.first_guess();
    let outcome = solver
        .solve(problem, &mut impulses, &Ordering::Identity, &settings)
        .unwrap();
    (impulses, outcome)
}

#[test]
fn a_matrix_with_its_contact_graph_is_solved_in_a_few_iterations_however_high() {
    for n in [5, 20, 100] {
        for problem in [column(&equal(n)), stack(&equal(n), 0.5, 0.0, 1)] {
            let mut matrix = problem.to_matrix_form();
            for places in [problem.places.clone(), None] {
                matrix.places = places;
                for kind in Aggregates::ALL {
                    let (_, outcome) = solve(Solver::TwoLevel, &matrix, kind, (1e-8, 100));
                    assert!(
                        outcome.reached && outcome.iterations <= 2,
                        "{} by {}: {} iterations to {:.1e}",
                        problem.name,
                        kind.name(),
                        outcome.iterations,
                        outcome.residual
                    ); // measured: 1, to 1.2e-13
                }
            }
        }
    }
}

#[test]
fn every_kind_of_aggregate_finds_the_same_velocities() {
    for seed in [3, 8] {
        let problem = pile(seed, 0.4, 5.0);
        let matrix = problem.to_matrix_form();
        let (first, _) = solve(Solver::Cone, &problem, Aggregates::Layer, (1e-10, 100_000));
        for kind in Aggregates::ALL {
            for problem in [&problem, &matrix] {
                let (impulses, outcome) =
                    solve(Solver::TwoLevelAnderson, problem, kind, (1e-10, 10_000));
                let apart = problem.apart(&first, &impulses);
                assert!(
                    outcome.reached && apart < 1e-7,
                    "{} by {}: {apart:.1e} apart after {} iterations",
                    problem.name,
                    kind.name(),
                    outcome.iterations
                ); // measured: at most 2.5e-9, 27 to 65 iterations
            }
        }
    }
}

#[test]
fn masses_that_grow_upwards_a_millionfold_do_not_matter() {
    for n in [10, 20] {
        let problem = stack(&growing(n, 1e6), 0.5, 0.0, 1);
        for kind in Aggregates::ALL {
            let (_, outcome) = solve(Solver::TwoLevel, &problem, kind, (1e-8, 1000));
            assert!(
                outcome.reached && outcome.iterations <= 10,
                "{} by {}: {} iterations to {:.1e}",
                problem.name,
                kind.name(),
                outcome.iterations,
                outcome.residual
            ); // measured: 1, sectors 3
        }
    }
}

#[test]
fn lanes_of_single_precision_come_as_far_as_seven_digits_reach() {
    let lanes = |problem: &ContactProblem, tolerance| {
        let most = (tolerance, 200);
        solve(Solver::TwoLevelLanes, problem, Aggregates::Layer, most)
    };
    for n in [5, 20, 100] {
        let problem = stack(&equal(n), 0.5, 0.0, 1);
        let (_, outcome) = lanes(&problem, 1e-4);
        assert!(
            outcome.reached && outcome.iterations <= 3,
            "{}: {} iterations to {:.1e}",
            problem.name,
            outcome.iterations,
            outcome.residual
        );
    }
    for seed in [3, 8] {
        let problem = pile(seed, 0.4, 5.0);
        let (first, _) = solve(Solver::Cone, &problem, Aggregates::Layer, (1e-10, 100_000));
        let (impulses, outcome) = lanes(&problem, 1e-8);
        let apart = problem.apart(&first, &impulses);
        assert!(
            apart < 1e-4,
            "{}: {apart:.1e} apart, residual {:.1e}",
            problem.name,
            outcome.residual
        );
    }
    let matrix = stack(&equal(3), 0.5, 0.0, 1).to_matrix_form();
    let mut impulses = matrix.first_guess();
    let refused = Solver::TwoLevelLanes
        .solve(
            &matrix,
            &mut impulses,
            &Ordering::Identity,
            &Settings::default(),
        )
        .unwrap_err();
    assert!(refused.to_string().contains("factored"), "{refused}");
}
