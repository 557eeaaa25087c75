//! One solver in one ordering on one problem.

use std::ops::ControlFlow;
use std::time::Instant;

use drystone_complementarity::{ContactProblem, Ended, Entry, Ordering, Record, Settings, Solver};
use drystone_world::nearest;

use crate::failure::Failure;
use crate::interrupt;

/// Result of a trial.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    pub(crate) problem: String,
    pub(crate) contacts: usize,
    pub(crate) solver: Solver,
    pub(crate) ordering: Ordering,
    pub(crate) iterations: u32,
    pub(crate) row_updates: u64,
    /// Time of the method itself \[ms\].
    pub(crate) ms: f64,
    /// Residual of the law that the solver solves \[1\].
    pub(crate) residual: f64,
    /// Why the tolerance was not reached, or why the solver was not even started.
    pub(crate) failed: Option<String>,
    pub(crate) history: Vec<Entry>,
    /// Found by the solver \[N s\].
    pub(crate) impulses: Vec<[f64; 3]>,
    /// How far its velocities are from those of the best of the others, see [`super::agreement`] \[1\].
    pub(crate) apart: Option<f64>,
}

/// Runs `solver` on `problem`, from zero or from the problem's first guess.
pub(crate) fn run(
    problem: &ContactProblem,
    solver: Solver,
    ordering: Ordering,
    settings: &Settings,
    warm: bool,
) -> Trial {
    let mut impulses = match warm {
        true => problem.first_guess(),
        false => vec![[0.0; 3]; problem.contacts()],
    };
    // time that looking takes counts for patience, if not for the method
    let started = Instant::now();
    let most = settings.most_seconds.map_or(f64::INFINITY, |s| 4.0 * s);
    let mut watch = |_: &Entry| match interrupt::asked() || started.elapsed().as_secs_f64() > most {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    // solve, and take what came of it
    let trial = Trial {
        problem: problem.name.clone(),
        contacts: problem.contacts(),
        solver,
        ordering,
        iterations: 0,
        row_updates: 0,
        ms: 0.0,
        residual: f64::NAN,
        failed: None,
        history: Vec::new(),
        impulses: Vec::new(),
        apart: None,
    };
    match solver.solve_watched(problem, &mut impulses, &ordering, settings, &mut watch) {
        Ok(outcome) => Trial {
            iterations: outcome.iterations,
            row_updates: outcome.row_updates,
            ms: 1e3 * outcome.seconds,
            residual: outcome.residual,
            failed: match outcome.ended {
                Ended::Reached => None,
                Ended::Watcher => Some(Ended::Seconds.to_string()),
                other => Some(other.to_string()),
            },
            history: outcome.history,
            impulses,
            ..trial
        },
        Err(error) => {
            // the line of the table names the solver already
            let (said, name) = (error.to_string(), format!("solver `{solver}`: "));
            Trial {
                failed: Some(said.strip_prefix(&name).unwrap_or(&said).to_owned()),
                ..trial
            }
        }
    }
}

/// Every pair of solver and ordering that makes a difference.
pub(crate) fn pairs(solvers: &[Solver], orderings: &[Ordering]) -> Vec<(Solver, Ordering)> {
    let mut pairs = Vec::new();
    for &solver in solvers {
        match solver.takes_ordering() {
            true => pairs.extend(orderings.iter().map(|&ordering| (solver, ordering))),
            false => pairs.push((solver, Ordering::Identity)),
        }
    }
    pairs
}

/// Time of one row update: the median of `runs` short runs without a history \[ms\].
pub(crate) fn ms_of_a_row(
    problem: &ContactProblem,
    solver: Solver,
    ordering: Ordering,
    runs: usize,
) -> Option<f64> {
    let settings = Settings {
        record: Record::Nothing,
        ..Settings::to(0.0, 24)
    };
    let mut times = Vec::new();
    for _ in 0..runs {
        let trial = run(problem, solver, ordering, &settings, false);
        if trial.row_updates > 0 {
            times.push(trial.ms / trial.row_updates as f64);
        }
    }
    median(times)
}

/// The middle value; of an even number, the mean of the two in the middle.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        n if n % 2 == 1 => Some(values[middle]),
        _ => Some(0.5 * (values[middle - 1] + values[middle])),
    }
}

/// Solvers named in a list with commas; `all` of them where nothing is said.
pub(crate) fn solvers(list: Option<&str>) -> Result<Vec<Solver>, Failure> {
    named("--solvers", "solver", list, &Solver::ALL, &Solver::ALL)
}

/// Orderings named in a list with commas; the plain one by default.
pub(crate) fn orderings(list: Option<&str>) -> Result<Vec<Ordering>, Failure> {
    let all = Ordering::all();
    named("--orderings", "ordering", list, &all, &[Ordering::Identity])
}

fn named<T: Copy + PartialEq + std::str::FromStr + ToString>(
    option: &str,
    thing: &str,
    list: Option<&str>,
    all: &[T],
    otherwise: &[T],
) -> Result<Vec<T>, Failure> {
    let words = match list {
        None => return Ok(otherwise.to_vec()),
        Some("all") => return Ok(all.to_vec()),
        Some(list) => list.split(',').map(str::trim),
    };
    let mut found = Vec::new();
    for word in words {
        let Ok(one) = word.parse::<T>() else {
            let names: Vec<String> = all.iter().map(T::to_string).collect();
            let hint = match nearest(word, names.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("wanted `all` or some of {}", names.join(", ")),
            };
            return Err(Failure::input(format!(
                "{option}: there is no {thing} `{word}`; {hint}"
            )));
        };
        if !found.contains(&one) {
            found.push(one);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::arguments::Adjust;
    use crate::lab::source;

    fn stack() -> ContactProblem {
        source::of_scene("box-stack-9", 0.0, &Adjust::default()).unwrap()
    }

    #[test]
    fn solvers_reach_the_tolerance_on_a_stack_of_nine() {
        let problem = stack();
        assert_eq!(problem.contacts(), 68); // as in Poulsen 2010, Table 1
        let settings = Settings::to(1e-4, 20_000);
        for solver in [
            Solver::Pgs,
            Solver::Nncg,
            Solver::NncgCone,
            Solver::TwoLevel,
        ] {
            let trial = run(&problem, solver, Ordering::Identity, &settings, false);
            assert_eq!(trial.failed, None, "{solver}");
            assert!(trial.residual <= 1e-4 && trial.row_updates >= 3 * 68);
        }
        let few = Settings::to(1e-9, 3);
        let trial = run(&problem, Solver::Pgs, Ordering::Identity, &few, false);
        assert_eq!(trial.failed.as_deref(), Some("iterations"));
        let sorted: Ordering = "cp-y-up-blocked".parse().unwrap();
        let trial = run(&problem, Solver::Local, sorted, &few, false);
        assert!(trial.failed.unwrap().contains("takes contacts apart"));
    }

    #[test]
    fn names_are_read_from_lists_and_the_nearest_is_named() {
        assert_eq!(solvers(None).unwrap().len(), Solver::ALL.len());
        assert_eq!(orderings(None).unwrap(), [Ordering::Identity]);
        assert_eq!(orderings(Some("all")).unwrap().len(), 35);
        let two = solvers(Some("pgs, nncg,pgs")).unwrap();
        assert_eq!(two, [Solver::Pgs, Solver::Nncg]);
        let said = format!("{:?}", solvers(Some("pgs,nncgg")).unwrap_err());
        assert!(said.contains("did you mean `nncg`?"), "{said}");
        let said = format!("{:?}", orderings(Some("esp")).unwrap_err());
        assert!(said.contains("no ordering `esp`"), "{said}");
    }

    #[test]
    fn orderings_are_left_to_those_that_take_them() {
        let both = [Ordering::Identity, Ordering::Reverse];
        assert_eq!(pairs(&[Solver::Jacobi, Solver::Pgs], &both).len(), 3);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(Vec::new()), None);
        let row = ms_of_a_row(&stack(), Solver::Pgs, Ordering::Identity, 3);
        assert!(row.unwrap() > 0.0);
    }
}
