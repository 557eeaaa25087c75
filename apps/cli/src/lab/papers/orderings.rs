//! Poulsen 2010: its setups (Table 1), its convergence plots (Fig. 2), its speed-ups (Tables 2
//! and 3), and all 35 orderings over many problems, per iteration as printed and honestly.

use std::ops::ControlFlow;

use drystone_complementarity::analysis::{
    RowSet, Splitting, Study, convergence_factor, spectral_radius, zeros,
};
use drystone_complementarity::history::first_below;
use drystone_complementarity::{ContactProblem, Entry, Ordering, Record, Settings, Solver};
use drystone_picture::plot::{Chart, Line};
use rayon::prelude::*;

use super::album::Album;
use super::matrices::near_one;
use super::posed;
use crate::failure::Failure;
use crate::interrupt;
use crate::lab::charts::curve;
use crate::lab::table::number;
use crate::lab::trial::{self, median, ms_of_a_row};

/// A setup of Table 1: its name, our scene and time, type, contacts, bodies, the ordering that
/// stands for their descending y (in `diku`, gravity is along it), and the printed speed-ups of
/// extreme and greedy staggering.
type Setup = (
    &'static str,
    (&'static str, f64),
    &'static str,
    u32,
    u32,
    &'static str,
    [f64; 2],
);

const SETUPS: [Setup; 3] = [
    (
        "diku",
        ("engraved-letters", 2.75),
        "non-structured",
        105,
        1001,
        "cp-y-down",
        [1.4, 1.7],
    ),
    (
        "card",
        ("card-house", 0.0),
        "loose structured",
        154,
        43,
        "cp-z-down",
        [2.2, 2.0],
    ),
    (
        "box stack",
        ("box-stack-9", 0.0),
        "dense structured",
        68,
        10,
        "cp-z-down",
        [1.9, 2.7],
    ),
];

/// Problems of the large comparison, from loose to dense.
const PROBLEMS: [(&str, f64); 12] = [
    ("engraved-letters", 2.75),
    ("cow-pile", 2.0),
    ("silo", 1.5),
    ("dominoes", 3.0),
    ("card-house", 0.0),
    ("card-house-slippery", 0.0),
    ("ball-grid", 0.0),
    ("arch", 0.0),
    ("leaning-stack", 0.0),
    ("box-stack-9", 0.0),
    ("penetrating-stack", 0.0),
    ("tower", 0.0),
];

/// Sweeps, and row updates, after which an ordering has failed. Not a time: failures are to be the
/// same on every machine.
const MOST_SWEEPS: u64 = 10_000;
const MOST_ROW_UPDATES: u64 = 20_000_000;

/// Runs of which a time is the median.
const RUNS: usize = 5;

fn ordering(name: &str) -> Result<Ordering, Failure> {
    name.parse().map_err(Failure::input)
}

/// Tables 1 to 3 and Figure 2.
pub(super) fn setups(album: &mut Album) -> Result<(), Failure> {
    let mut problems = Vec::new();
    for (_, (scene, time), ..) in SETUPS {
        problems.push(posed(scene, time)?);
    }
    album.chapter("Poulsen 2010, Table 1: setups");
    album.say(
        "The paper says that A of its setups has 50 to 90 % zero eigenvalues, but none in `diku`, \
         and that many have a spectral radius of the Gauss-Seidel iteration of 1 or more. The two \
         balls of the card house enter later here.\n",
    );
    let mut records = Vec::new();
    for ((name, _, kind, contacts, bodies, ..), problem) in SETUPS.iter().zip(&problems) {
        let study = Study::new(problem, RowSet::All);
        let a = study.matrix_eigenvalues().map_err(Failure::input)?;
        let t = study.iteration_eigenvalues(Splitting::GaussSeidel);
        let t = t.map_err(Failure::input)?;
        let ours = problem.graph().map_or(0, |graph| graph.fixed.len());
        let zero = 100.0 * zeros(&a) as f64 / a.len().max(1) as f64;
        records.push(vec![
            (*name).to_owned(),
            (*kind).to_owned(),
            contacts.to_string(),
            bodies.to_string(),
            problem.name.clone(),
            problem.contacts().to_string(),
            ours.to_string(),
            format!("{zero:.0} %"),
            near_one(spectral_radius(&t)),
            near_one(convergence_factor(&t)),
        ]);
    }
    let header = [
        "setup",
        "type",
        "contacts, printed",
        "bodies, printed",
        "our problem",
        "contacts",
        "bodies",
        "zero eigenvalues of A",
        "spectral radius of T",
        "largest below 1",
    ];
    album.table(&header, &records);
    album.numbers("poulsen-table-1-setups", &header, &records)?;
    convergence(album, &problems)?;
    speed_ups(album, &problems)
}

/// Figure 2.
fn convergence(album: &mut Album, problems: &[ContactProblem]) -> Result<(), Failure> {
    album.chapter("Poulsen 2010, Fig. 2: convergence of the heuristics");
    album.say(
        "Left against iterations as in the paper, right against row updates, which is what an \
         iteration costs: one of ESP or GSP touches a third or two thirds of the rows. The paper \
         finds IPP like PGS, CP (descending y) better on dense and non-structured setups and worse \
         on card, ESP like PGS per iteration, GSP at least as good and jagged.\n",
    );
    // five orderings on each setup
    let settings = Settings {
        record: Record::Merit,
        ..Settings::to(1e-9, 600)
    };
    let (mut charts, mut records) = (Vec::new(), Vec::new());
    for ((name, _, _, _, _, sorted, _), problem) in SETUPS.iter().zip(problems) {
        let names = ["identity", "ipp-up-row", sorted, "esp-normals-first", "gsp"];
        let labels = ["PGS", "IPP", "CP", "ESP", "GSP"];
        let mut trials = Vec::new();
        for ordering_name in names {
            let ordering = ordering(ordering_name)?;
            trials.push(trial::run(problem, Solver::Pgs, ordering, &settings, false));
        }
        for t in &trials {
            for e in &t.history {
                records.push(vec![
                    (*name).to_owned(),
                    t.ordering.to_string(),
                    e.iteration.to_string(),
                    e.row_updates.to_string(),
                    number(e.merit.unwrap_or(f64::NAN)),
                    number(e.residual),
                ]);
            }
        }
        let chart = |x_label: &str, x: fn(&Entry) -> f64| Chart {
            title: format!("{name}: {} contacts", problem.contacts()),
            x_label: x_label.into(),
            y_label: "merit [mixed units]".into(),
            log_y: true,
            lines: trials
                .iter()
                .zip(labels)
                .map(|(t, label)| {
                    // staggered sweeps are shown once both sets had their turn
                    let cycle = t.ordering.cycle().unwrap_or(1);
                    let whole: Vec<Entry> = t.history.iter().step_by(cycle).copied().collect();
                    curve(label, &whole, x, |e| e.merit)
                })
                .collect(),
            ..Chart::default()
        };
        charts.push(chart("iterations [1]", |e| f64::from(e.iteration)));
        charts.push(chart("row updates [1]", |e| e.row_updates as f64));
    }
    // the figure and its numbers
    album.figure("poulsen-fig-2-heuristics", &charts, 2)?;
    let header = [
        "setup",
        "ordering",
        "iteration",
        "row_updates",
        "merit",
        "residual",
    ];
    album.numbers("poulsen-fig-2-heuristics", &header, &records)
}

/// Tables 2 and 3.
fn speed_ups(album: &mut Album, problems: &[ContactProblem]) -> Result<(), Failure> {
    album.chapter("Poulsen 2010, Tables 2 and 3: speed-ups of ESP and GSP");
    album.say(
        "Speed-up of plain PGS's time over the heuristic's: per iteration as printed, and to \
         e = 1e-2 and 1e-4 honestly. More than 1 is better than PGS; 0 means that it did not get \
         there while PGS did.\n",
    );
    let mut records = Vec::new();
    for ((name, .., printed), problem) in SETUPS.iter().zip(problems) {
        let pgs = measure(problem, Ordering::Identity);
        for (label, printed) in [("esp-normals-first", printed[0]), ("gsp", printed[1])] {
            let found = timed(problem, measure(problem, ordering(label)?));
            let ratios = Ratios::of(&timed(problem, pgs.clone()), &found);
            let mut record = vec![(*name).into(), label.into(), format!("{printed}")];
            record.extend(ratios.record());
            records.push(record);
        }
    }
    let header = [
        &["setup", "heuristic", "printed, per iteration"][..],
        &RATIOS,
    ]
    .concat();
    album.table(&header, &records);
    album.numbers("poulsen-tables-2-3-speed-ups", &header, &records)
}

const RATIOS: [&str; 5] = [
    "time of an iteration",
    "iterations to 1e-4",
    "row updates to 1e-2",
    "row updates to 1e-4",
    "time to 1e-4",
];

/// Cost of an ordering on a problem.
#[derive(Clone, Debug)]
struct Measured {
    ordering: Ordering,
    /// Row updates of a mean iteration.
    rows_of_iteration: f64,
    /// Iterations and row updates to 1e-2 and to 1e-4, where it got there.
    reached: [Option<(u32, u64)>; 2],
    /// Time of one row update; `None` where the solver could not be started \[ms\].
    ms_of_a_row: Option<f64>,
}

fn measure(problem: &ContactProblem, ordering: Ordering) -> Measured {
    let rows = 3 * problem.contacts().max(1) as u64;
    let most = (MOST_SWEEPS * rows).min(MOST_ROW_UPDATES);
    // a sweep over one set is at least a third of one
    let settings = Settings::to(1e-4, (3 * most / rows) as u32);
    let mut enough = |e: &Entry| match e.row_updates > most || interrupt::asked() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let mut impulses = vec![[0.0; 3]; problem.contacts()];
    let outcome =
        Solver::Pgs.solve_watched(problem, &mut impulses, &ordering, &settings, &mut enough);
    let (history, iterations, row_updates) = match outcome {
        Ok(outcome) => (outcome.history, outcome.iterations, outcome.row_updates),
        Err(_) => (Vec::new(), 0, 0),
    };
    let to = |e: f64| {
        let first = first_below(&history, e).filter(|x| x.row_updates <= most);
        first.map(|x| (x.iteration, x.row_updates))
    };
    Measured {
        ordering,
        rows_of_iteration: row_updates as f64 / f64::from(iterations.max(1)),
        reached: [to(1e-2), to(1e-4)],
        ms_of_a_row: None,
    }
}

/// Adds the time, which is measured while nothing else runs.
fn timed(problem: &ContactProblem, measured: Measured) -> Measured {
    Measured {
        ms_of_a_row: ms_of_a_row(problem, Solver::Pgs, measured.ordering, RUNS),
        ..measured
    }
}

/// How many times better an ordering is than the plain one; 0 where it failed and that did not,
/// nothing where that failed itself.
struct Ratios([Option<f64>; 5]);

impl Ratios {
    fn of(pgs: &Measured, other: &Measured) -> Self {
        let ratio = |pgs: Option<f64>, other: Option<f64>| {
            pgs.map(|pgs| other.map_or(0.0, |other| pgs / other.max(f64::MIN_POSITIVE)))
        };
        let iterations = |m: &Measured, k: usize| m.reached[k].map(|(n, _)| f64::from(n.max(1)));
        let rows = |m: &Measured, k: usize| m.reached[k].map(|(_, n)| n.max(1) as f64);
        let each = |m: &Measured| m.ms_of_a_row.map(|ms| ms * m.rows_of_iteration);
        let time = |m: &Measured| Some(rows(m, 1)? * m.ms_of_a_row?);
        Self([
            ratio(each(pgs), each(other)),
            ratio(iterations(pgs, 1), iterations(other, 1)),
            ratio(rows(pgs, 0), rows(other, 0)),
            ratio(rows(pgs, 1), rows(other, 1)),
            ratio(time(pgs), time(other)),
        ])
    }

    fn record(&self) -> Vec<String> {
        let text = |x: &Option<f64>| x.map_or("-".into(), |x| format!("{x:.2}"));
        self.0.iter().map(text).collect()
    }
}

/// All orderings on all problems: medians and failures.
pub(super) fn all(album: &mut Album) -> Result<(), Failure> {
    // iterations and row updates to two residuals, for every ordering
    let orderings = Ordering::all();
    let mut problems = Vec::new();
    for (scene, time) in PROBLEMS {
        problems.push(posed(scene, time)?);
    }
    let (mut records, mut ratios) = (Vec::new(), Vec::new());
    let mut failures = vec![0; orderings.len()];
    for problem in &problems {
        // counting does not mind company, timing does
        let counted: Vec<Measured> = orderings
            .par_iter()
            .map(|ordering| measure(problem, *ordering))
            .collect();
        let measured: Vec<Measured> = counted.into_iter().map(|m| timed(problem, m)).collect();
        for (k, m) in measured.iter().enumerate() {
            failures[k] += u32::from(m.reached[1].is_none());
            let part = |x: Option<u64>| x.map_or(String::new(), |n| n.to_string());
            let ms = m.ms_of_a_row.unwrap_or(f64::NAN);
            records.push(vec![
                problem.name.clone(),
                problem.contacts().to_string(),
                m.ordering.to_string(),
                part(m.reached[0].map(|(n, _)| n.into())),
                part(m.reached[0].map(|(_, n)| n)),
                part(m.reached[1].map(|(n, _)| n.into())),
                part(m.reached[1].map(|(_, n)| n)),
                number(ms * m.rows_of_iteration),
                number(m.reached[1].map_or(f64::NAN, |(_, n)| ms * n as f64)),
            ]);
        }
        let of_problem = measured.iter().map(|m| Ratios::of(&measured[0], m));
        ratios.push(of_problem.collect::<Vec<_>>());
    }
    album.chapter("Poulsen 2010, its study: 35 orderings");
    album.say(format!(
        "The paper examined 35 heuristics on 10 data sets and shows four of them on three. Here \
         all are run on {} problems. Medians over those that plain PGS solves within \
         {MOST_SWEEPS} sweeps and {MOST_ROW_UPDATES} row updates, of how many times better than plain PGS the ordering is; a failure counts as \
         0. The time of an iteration is the paper's measure, row updates and time to a residual \
         are honest ones. Finding out which set to sweep is charged to GSP. Times are medians of \
         {RUNS} runs of 24 iterations, and the time to a residual is the time of a row update times \
         the row updates.\n",
        problems.len()
    ));
    let names: Vec<String> = problems
        .iter()
        .map(|p| format!("{} ({} contacts)", p.name, p.contacts()))
        .collect();
    album.say(format!("Problems: {}.\n", names.join(", ")));
    // medians over problems
    let medians: Vec<Vec<Option<f64>>> = (0..orderings.len())
        .map(|k| {
            let of = |column: usize| ratios.iter().filter_map(|r| r[k].0[column]).collect();
            (0..RATIOS.len()).map(|column| median(of(column))).collect()
        })
        .collect();
    let header = [&["number", "ordering"][..], &RATIOS, &["failures"]].concat();
    let summary: Vec<Vec<String>> = orderings
        .iter()
        .enumerate()
        .map(|(k, ordering)| {
            let text = |x: &Option<f64>| x.map_or("-".into(), |x| format!("{x:.2}"));
            let mut record = vec![(k + 1).to_string(), ordering.to_string()];
            record.extend(medians[k].iter().map(text));
            record.push(format!("{} of {}", failures[k], problems.len()));
            record
        })
        .collect();
    album.table(&header, &summary);
    let best = |column: usize| {
        let best = (0..orderings.len()).max_by(|a, b| {
            let of = |k: &usize| medians[*k][column].unwrap_or(0.0);
            of(a).total_cmp(&of(b))
        });
        best.map_or(String::new(), |k| {
            format!("{} ({})", orderings[k], summary[k][2 + column])
        })
    };
    album.say(format!(
        "Ours, the best of each column: time of an iteration {}, iterations {}, row updates to 1e-2 \
         {} and to 1e-4 {}, time {}. The paper's conclusion that staggering is the most promising \
         rests on the first column: what a half sweep saves in time it needs again in iterations.\n",
        best(0),
        best(1),
        best(2),
        best(3),
        best(4)
    ));
    album.figure("poulsen-orderings", &[overview(&medians)], 1)?;
    album.numbers("poulsen-orderings-medians", &header, &summary)?;
    let header = [
        "problem",
        "contacts",
        "ordering",
        "iterations_to_1e-2",
        "row_updates_to_1e-2",
        "iterations_to_1e-4",
        "row_updates_to_1e-4",
        "ms_of_an_iteration",
        "ms_to_1e-4",
    ];
    album.numbers("poulsen-orderings-all", &header, &records)
}

/// The medians by number of the ordering.
fn overview(medians: &[Vec<Option<f64>>]) -> Chart {
    let points = |column: usize| {
        let numbered = medians.iter().enumerate();
        numbered
            .filter_map(|(k, m)| m[column].map(|x| ((k + 1) as f64, x)))
            .collect()
    };
    let line = |label: &str, column: usize| Line {
        label: label.into(),
        points: points(column),
    };
    Chart {
        title: "35 orderings: median speed-up over plain PGS".into(),
        x_label: "number of the ordering".into(),
        y_label: "times better than plain PGS [1]".into(),
        lines: vec![
            line("time of an iteration (as printed)", 0),
            line("row updates to 1e-4", 3),
            line("time to 1e-4", 4),
        ],
        ..Chart::default()
    }
}
