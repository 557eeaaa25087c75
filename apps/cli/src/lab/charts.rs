//! Histories of solvers as curves.

use drystone_complementarity::Entry;
use drystone_picture::plot::{Chart, Line};

use super::trial::Trial;

/// A quantity that a history is plotted against.
type Measure = fn(&Entry) -> f64;

/// Label of an axis, and the coordinate of an entry on it.
type Panel<'a> = (&'a str, &'a dyn Fn(&Entry) -> f64);

/// Residual against iterations, row updates and time, three panels for the trials of a problem.
/// What diverges leaves them at the top, and what goes far below the tolerance stays at the bottom:
/// between them is what is to be compared.
pub(crate) fn convergence(trials: &[&Trial], tolerance: f64) -> Vec<Chart> {
    let orderings = trials.iter().any(|t| t.ordering != trials[0].ordering);
    let label = |t: &Trial| match orderings {
        true => format!("{} {}", t.solver, t.ordering),
        false => t.solver.to_string(),
    };
    let name = trials.first().map_or("", |t| t.problem.as_str());
    let contacts = trials.first().map_or(0, |t| t.contacts);
    // half an iteration is where a logarithmic axis shows the start
    let half_a_sweep = 1.5 * contacts as f64;
    let panels: [Panel<'_>; 3] = [
        ("iterations [1]", &|e| f64::from(e.iteration).max(0.5)),
        ("row updates [1]", &|e| {
            (e.row_updates as f64).max(half_a_sweep)
        }),
        ("time of the method [ms]", &|e| 1e3 * e.seconds),
    ];
    let (top, bottom) = (3.0, 0.1 * tolerance);
    panels
        .into_iter()
        .map(|(x_label, x)| Chart {
            title: format!("{name}, {contacts} contacts"),
            x_label: x_label.into(),
            y_label: "residual [1]".into(),
            log_x: true,
            log_y: true,
            lines: trials
                .iter()
                .map(|t| Line {
                    label: label(t),
                    points: t
                        .history
                        .iter()
                        .take_while(|e| e.residual <= top)
                        .map(|e| (x(e), e.residual.max(bottom)))
                        .collect(),
                })
                .collect(),
            ..Chart::default()
        })
        .collect()
}

/// Points `(x, y)` of a history; entries without a `y` are left out.
pub(crate) fn curve(
    label: impl Into<String>,
    history: &[Entry],
    x: Measure,
    y: fn(&Entry) -> Option<f64>,
) -> Line {
    Line {
        label: label.into(),
        points: history
            .iter()
            .filter_map(|e| y(e).map(|y| (x(e), y)))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_complementarity::{Ordering, Solver};

    #[test]
    fn curves_end_where_they_leave_what_can_be_compared() {
        let entry = |iteration, residual| Entry {
            iteration,
            row_updates: 6 * u64::from(iteration),
            seconds: 1e-3,
            residual,
            merit: None,
        };
        let trial = |solver, history| Trial {
            problem: "two".into(),
            contacts: 2,
            solver,
            ordering: Ordering::Identity,
            iterations: 2,
            row_updates: 12,
            ms: 1.0,
            residual: 1.0,
            failed: None,
            history,
            impulses: Vec::new(),
            apart: None,
        };
        let diverges = vec![entry(0, 1.0), entry(1, 2.0), entry(2, 1e9)];
        let diverges = trial(Solver::Jacobi, diverges);
        let exact = trial(Solver::Subspace, vec![entry(0, 1.0), entry(1, 1e-16)]);
        let charts = convergence(&[&diverges, &exact], 1e-4);
        assert_eq!(charts.len(), 3);
        assert_eq!(charts[0].lines[0].points, [(0.5, 1.0), (1.0, 2.0)]);
        assert_eq!(charts[1].lines[1].points, [(3.0, 1.0), (6.0, 1e-5)]);
    }
}
