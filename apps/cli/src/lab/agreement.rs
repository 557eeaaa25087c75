//! Whether solvers of one friction law that say they are done have found the same motion.
//!
//! Impulses of a face with four contacts are not unique, so velocities at the contacts are
//! compared; where faces slide those are not unique either (`docs/solvers.md`).

use drystone_complementarity::{ContactProblem, Law};

use super::trial::Trial;

/// The laws, in the order in which they are told.
const LAWS: [Law; 3] = [Law::Pyramid, Law::Cone, Law::ConvexCone];

/// Writes into each trial of `problem` that reached its tolerance how far its velocities are
/// from those of the best of the others of its law.
pub(crate) fn compare(problem: &ContactProblem, trials: &mut [Trial]) {
    let apart: Vec<Option<f64>> = (0..trials.len())
        .map(|k| {
            let best = best_of_the_others(trials, k)?;
            Some(problem.apart(&trials[k].impulses, &best.impulses))
        })
        .collect();
    for (trial, apart) in trials.iter_mut().zip(apart) {
        trial.apart = apart;
    }
}

/// A line for each law of which at least two are done.
pub(crate) fn lines(trials: &[Trial]) -> Vec<String> {
    let line = |law: Law| {
        let compared: Vec<&Trial> = trials
            .iter()
            .filter(|t| t.solver.law() == law && t.apart.is_some())
            .collect();
        let best = compared
            .iter()
            .min_by(|a, b| a.residual.total_cmp(&b.residual))?;
        let apart = |trial: &Trial| trial.apart.unwrap_or(0.0);
        let farthest = (compared.iter()).max_by(|a, b| apart(a).total_cmp(&apart(b)))?;
        let named = |trial: &Trial| format!("{} {}", trial.solver, trial.ordering);
        Some(format!(
            "{}: {} with friction in the {law} have velocities within {:.1e} of the best of the others (farthest: {}; best: {})",
            best.problem,
            compared.len(),
            apart(farthest),
            named(farthest),
            named(best),
        ))
    };
    LAWS.into_iter().filter_map(line).collect()
}

/// Of those that are done and obey the same law as trial `k`, the one with the least residual besides it; none
/// if it is not done itself.
fn best_of_the_others(trials: &[Trial], k: usize) -> Option<&Trial> {
    let law = trials[k].solver.law();
    let others = trials
        .iter()
        .enumerate()
        .filter(|(j, other)| *j != k && other.failed.is_none() && other.solver.law() == law);
    others
        .map(|(_, other)| other)
        .min_by(|a, b| a.residual.total_cmp(&b.residual))
        .filter(|_| trials[k].failed.is_none())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use drystone_complementarity::{Ordering, Settings, Solver};

    use super::*;
    use crate::arguments::Adjust;
    use crate::lab::{source, trial};

    fn trials(solvers: &[Solver], settings: &Settings) -> (ContactProblem, Vec<Trial>) {
        let problem = source::of_scene("box-stack-9", 0.0, &Adjust::default()).unwrap();
        let run = |&solver| trial::run(&problem, solver, Ordering::Identity, settings, false);
        let mut trials: Vec<Trial> = solvers.iter().map(run).collect();
        compare(&problem, &mut trials);
        (problem, trials)
    }

    #[test]
    fn solvers_that_are_done_with_a_stack_agree_in_velocities() {
        let solvers = [
            Solver::TwoLevel,
            Solver::TwoLevelAnderson,
            Solver::NncgCone,
            Solver::Subspace,
        ];
        let (problem, trials) = trials(&solvers, &Settings::to(1e-8, 100_000));
        for trial in &trials[..3] {
            let apart = trial.apart.unwrap();
            assert!(apart < 1e-6, "{}: {apart:.1e}", trial.solver); // measured: 6e-9
        }
        // the only one of its law has nobody to agree with
        assert_eq!(trials[3].apart, None);
        let lines = lines(&trials);
        assert_eq!(lines.len(), 1, "{lines:?}");
        // and a difference is seen
        let mut pushed = trials[0].impulses.clone();
        pushed[3][1] += 0.5;
        assert!(problem.apart(&pushed, &trials[0].impulses) > 0.1);
    }

    #[test]
    fn those_that_are_not_done_are_not_asked() {
        let (_, trials) = trials(&[Solver::Cone, Solver::TwoLevel], &Settings::to(1e-8, 5));
        assert_eq!(trials[0].failed.as_deref(), Some("iterations"));
        assert!(trials.iter().all(|trial| trial.apart.is_none()));
    }
}
