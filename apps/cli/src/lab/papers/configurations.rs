//! Erleben 2007, Fig. 5: how the merit function falls on a few configurations.

use drystone_complementarity::history::first_below;
use drystone_complementarity::{Entry, Ordering, Record, Settings, Solver};
use drystone_picture::plot::Chart;
use rayon::prelude::*;

use super::album::Album;
use super::posed;
use crate::failure::Failure;
use crate::lab::charts::curve;
use crate::lab::table::number;
use crate::lab::trial::{self, Trial};

const SCENES: [&str; 6] = [
    "ball-grid",
    "wall",
    "tower",
    "box-stack",
    "large-mass",
    "card-house",
];
const ITERATIONS: u32 = 1000;

pub(super) fn make(album: &mut Album) -> Result<(), Failure> {
    // the paper's scenes at their first step, from zero
    let settings = Settings {
        record: Record::Merit,
        ..Settings::to(1e-12, ITERATIONS)
    };
    let problems: Vec<_> = SCENES
        .iter()
        .map(|scene| posed(scene, 0.0))
        .collect::<Result<_, _>>()?;
    let trials: Vec<Trial> = problems
        .par_iter()
        .map(|p| trial::run(p, Solver::Pgs, Ordering::Identity, &settings, false))
        .collect();
    album.chapter("Erleben 2007, Fig. 5: convergence on a few configurations");
    album.say(
        "Projected Gauss-Seidel from nothing, 1000 iterations. The paper sees linear convergence, \
         each configuration with a slope of its own, so that no low limit of iterations suits all; \
         it calls the wall and the tower acceptable and the box stack poor.\n",
    );
    // curves, numbers and table
    let iteration = |e: &Entry| f64::from(e.iteration);
    let chart = |title: &str, y_label: &str, y: fn(&Entry) -> Option<f64>| Chart {
        title: title.into(),
        x_label: "iterations [1]".into(),
        y_label: y_label.into(),
        log_y: true,
        lines: trials
            .iter()
            .map(|t| curve(label(t), &t.history, iteration, y))
            .collect(),
        ..Chart::default()
    };
    let charts = [
        chart("Merit, as printed", "merit [mixed units]", |e| e.merit),
        chart("Residual, scale-free", "residual [1]", |e| Some(e.residual)),
    ];
    album.figure("erleben-fig-5-configurations", &charts, 1)?;
    let header = ["problem", "iteration", "merit", "residual"];
    let mut records = Vec::new();
    for t in &trials {
        for e in &t.history {
            let merit = e.merit.unwrap_or(f64::NAN);
            let row = [e.iteration.to_string(), number(merit), number(e.residual)];
            records.push([vec![t.problem.clone()], row.to_vec()].concat());
        }
    }
    album.numbers("erleben-fig-5-configurations", &header, &records)?;
    let summary: Vec<Vec<String>> = trials
        .iter()
        .map(|t| {
            let to = |e: f64| match first_below(&t.history, e) {
                Some(entry) => entry.iteration.to_string(),
                None => format!("> {ITERATIONS}"),
            };
            let (name, contacts) = (t.problem.clone(), t.contacts.to_string());
            let rate = tail_rate(&t.history).map_or("-".into(), |rate| format!("{rate:.4}"));
            vec![name, contacts, to(1e-2), to(1e-4), rate]
        })
        .collect();
    let header = [
        "problem",
        "contacts",
        "to e = 1e-2",
        "to 1e-4",
        "rate of the last 100",
    ];
    album.table(&header, &summary);
    album.say(
        "Where we differ: the merit adds squares of N s and m/s, so curves of scenes with other \
         masses cannot be compared by height; the second panel can be. Where the active set has settled the rate is the \
         largest eigenvalue of T below 1 (ball grid 0.9045, wall 1 - 3e-4, see Figs. 3 and 4).\n",
    );
    Ok(())
}

fn label(trial: &Trial) -> String {
    let name = trial.problem.split('@').next().unwrap_or("");
    format!("{name}, {} contacts", trial.contacts)
}

/// Factor by which the residual falls with an iteration, in the end \[1\].
fn tail_rate(history: &[Entry]) -> Option<f64> {
    let last = history.last()?;
    let before = history.iter().rev().nth(100)?;
    let ratio = last.residual / before.residual;
    Some(drystone_base::functions::pow(ratio, 0.01))
}
