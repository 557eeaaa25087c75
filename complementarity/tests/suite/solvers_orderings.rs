//! The 35 orderings: what they visit, and that every sweeping solver converges in each.

use std::collections::BTreeMap;

use crate::solvers_problems::{equal, pile, stack};
use drystone_complementarity::{Ordering, OrderingError, Record, Settings, SolveError, Solver};

#[test]
fn there_are_35_orderings_and_each_is_read_by_its_name() {
    let all = Ordering::all();
    assert_eq!(all.len(), 35);
    let names: BTreeMap<String, Ordering> = all.iter().map(|o| (o.to_string(), *o)).collect();
    assert_eq!(names.len(), 35);
    for (name, ordering) in &names {
        assert_eq!(name.parse::<Ordering>().unwrap(), *ordering);
        assert_eq!(
            Ordering::try_from(String::from(*ordering)).unwrap(),
            *ordering
        );
    }
    let message = "cp-w-up".parse::<Ordering>().unwrap_err().to_string();
    assert!(
        message.contains("cp-w-up") && message.contains("cp-x-up"),
        "{message}"
    );
}

#[test]
fn a_cycle_visits_each_row_as_often_as_the_ordering_says() {
    for seed in 0..5 {
        let problem = pile(seed, 0.5, 3.0);
        for ordering in Ordering::all() {
            let (Some(cycle), Some(visits)) = (ordering.cycle(), ordering.visits_in_cycle()) else {
                // greedy: each sweep is over all normals or all friction
                let rows = ordering.rows(&problem, 7, 1).unwrap();
                assert_eq!(rows[0].len(), problem.contacts());
                continue;
            };
            for round in 0..3 {
                let sweeps = ordering.rows(&problem, 7, cycle * (round + 1)).unwrap();
                let mut count = vec![[0; 3]; problem.contacts()];
                for (k, i) in sweeps[cycle * round..].iter().flatten() {
                    count[*k][*i] += 1;
                }
                assert_eq!(count, vec![[visits; 3]; problem.contacts()], "{ordering}");
            }
        }
    }
}

#[test]
fn orderings_put_first_what_their_name_says() {
    let problem = pile(3, 0.5, 3.0);
    let first = |name: &str| {
        name.parse::<Ordering>()
            .unwrap()
            .rows(&problem, 7, 2)
            .unwrap()
    };
    let places = problem.places.as_ref().unwrap();
    let ascending = |keys: Vec<f64>| keys.windows(2).all(|pair| pair[0] <= pair[1]);
    // by place: y of contacts, each with its three rows
    let rows = first("cp-y-up");
    assert!(ascending(
        rows[0].iter().map(|(k, _)| places[*k].y).collect()
    ));
    assert!(
        rows[0]
            .chunks(3)
            .all(|c| c.iter().map(|(_, i)| *i).eq(0..3))
    );
    let rows = first("cp-z-down-blocked");
    let contacts = problem.contacts();
    assert!(rows[0][..contacts].iter().all(|(_, i)| *i == 0));
    assert!(ascending(
        rows[0][..contacts]
            .iter()
            .map(|(k, _)| -places[*k].z)
            .collect()
    ));
    assert!(ascending(
        rows[0][contacts..]
            .iter()
            .map(|(k, _)| -places[*k].z)
            .collect()
    ));
    // by velocity
    let b = problem.b();
    let rows = first("ipp-up-row");
    assert!(ascending(rows[0].iter().map(|(k, i)| b[*k][*i]).collect()));
    for name in ["ipp-down-contact", "ipp-down-resorted"] {
        assert!(ascending(
            first(name)[0].iter().map(|(k, _)| -b[*k][0]).collect()
        ));
    }
    // forward and exactly back
    for name in ["symmetric", "cp-x-symmetric", "cp-y-symmetric-blocked"] {
        let rows = &first(name)[0];
        assert!(rows.iter().eq(rows.iter().rev()), "{name}");
    }
    let (there, back) = (first("identity"), first("reverse"));
    assert!(there[0].iter().eq(back[0].iter().rev()));
    // random: fixed, or not
    let fixed = first("random");
    assert_eq!(fixed[0], fixed[1]);
    let changing = first("random-each-sweep");
    assert_ne!(changing[0], changing[1]);
    assert_eq!(changing, first("random-each-sweep"));
    // staggered
    assert!(first("esp-friction-first")[0].iter().all(|(_, i)| *i > 0));
    assert!(first("esp-friction-first")[1].iter().all(|(_, i)| *i == 0));
    assert!(first("esp-normals-first-2")[1].iter().all(|(_, i)| *i == 0));
}

#[test]
fn every_sweeping_solver_finds_the_same_velocities_in_every_ordering() {
    let problems = [pile(32, 0.1, 3.0), stack(&equal(3), 0.4, 0.01, 5)];
    for problem in &problems {
        for solver in [
            Solver::Pgs,
            Solver::Cone,
            Solver::GaussSeidel,
            Solver::Sor,
            Solver::Nncg,
            Solver::NncgCone,
            Solver::Anderson,
            Solver::Local,
        ] {
            let settings = Settings {
                record: Record::Nothing,
                ..Settings::to(1e-9, 100_000)
            };
            let mut plain = problem.first_guess();
            solver
                .solve(problem, &mut plain, &Ordering::Identity, &settings)
                .unwrap();
            for ordering in Ordering::all() {
                let mut impulses = problem.first_guess();
                if solver == Solver::Local && ordering.splits_contacts() {
                    let refused = solver.solve(problem, &mut impulses, &ordering, &settings);
                    let message = refused.unwrap_err().to_string();
                    assert!(message.contains("whole"), "{message}");
                    continue;
                }
                let outcome = solver
                    .solve(problem, &mut impulses, &ordering, &settings)
                    .unwrap();
                assert!(
                    outcome.reached,
                    "{}: {solver} {ordering}: {} at {:.1e}",
                    problem.name, outcome.ended, outcome.residual
                );
                let apart = problem.apart(&impulses, &plain);
                assert!(
                    apart < 1e-6,
                    "{}: {solver} {ordering}: {apart:.1e}",
                    problem.name
                );
            }
        }
    }
}

#[test]
fn an_ordering_by_place_without_places_is_refused() {
    let mut problem = pile(1, 0.5, 2.0);
    problem.places = None;
    for ordering in Ordering::all() {
        let result = Solver::Pgs.solve(
            &problem,
            &mut problem.first_guess(),
            &ordering,
            &Settings::default(),
        );
        match result {
            Err(SolveError::Ordering(OrderingError::NoPlaces(named))) => {
                assert!(named == ordering && ordering.needs_places());
            }
            other => assert!(other.is_ok() && !ordering.needs_places(), "{ordering}"),
        }
    }
}
