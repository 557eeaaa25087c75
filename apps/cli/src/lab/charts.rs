//! Histories of solvers as curves.

use drystone_complementarity::Entry;
use drystone_picture::plot::{Chart, Line};

use super::trial::Trial;

/// Something that a history is plotted against.
type Measure = fn(&Entry) -> f64;

/// Residual against iterations, row updates and time, three panels for the trials of a problem.
pub(crate) fn convergence(trials: &[&Trial]) -> Vec<Chart> {
    let orderings = trials.iter().any(|t| t.ordering != trials[0].ordering);
    let label = |t: &Trial| match orderings {
        true => format!("{} {}", t.solver, t.ordering),
        false => t.solver.to_string(),
    };
    let panels: [(&str, Measure); 3] = [
        ("iterations [1]", |e| f64::from(e.iteration)),
        ("row updates [1]", |e| e.row_updates as f64),
        ("time of the method [ms]", |e| 1e3 * e.seconds),
    ];
    let name = trials.first().map_or("", |t| t.problem.as_str());
    let contacts = trials.first().map_or(0, |t| t.contacts);
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
                    points: t.history.iter().map(|e| (x(e), e.residual)).collect(),
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
