//! Erleben 2007, Figs. 6 and 7: what relaxation `A' = A + γ` does to the convergence on the box
//! stack, and to its solution.

use drystone_complementarity::{
    BlockMatrix, ContactProblem, Entry, MatrixProblem, Ordering, Record, Settings, Solver,
};
use drystone_picture::plot::{Chart, Line};
use rayon::prelude::*;

use super::album::Album;
use super::posed;
use crate::failure::Failure;
use crate::lab::charts::curve;
use crate::lab::table::number;
use crate::lab::trial;

/// `γ` \[1/kg\]; the diagonal of the stack's matrix is about 1.
const GAMMAS: [f64; 6] = [0.0, 1e-4, 1e-3, 1e-2, 1e-1, 1.0];

pub(super) fn make(album: &mut Album) -> Result<(), Failure> {
    let problem = posed("box-stack", 0.0)?;
    let damped: Vec<ContactProblem> = GAMMAS.iter().map(|g| relaxed(&problem, *g)).collect();
    convergence(album, &damped)?;
    solutions(album, &problem, &damped)
}

/// Figure 6.
fn convergence(album: &mut Album, damped: &[ContactProblem]) -> Result<(), Failure> {
    let settings = Settings {
        record: Record::Merit,
        ..Settings::to(1e-12, 1000)
    };
    let trials: Vec<_> = damped
        .par_iter()
        .map(|p| trial::run(p, Solver::Pgs, Ordering::Identity, &settings, false))
        .collect();
    album.chapter("Erleben 2007, Fig. 6: relaxation and convergence");
    album.say(
        "The box stack of 25 cubes. The paper shows that larger values make the slope steeper and \
         that even a small one has a large effect; its values are not in the text. Ours: below a hundredth of the diagonal there is no gain \
         within 1000 iterations, beyond it the slope is steep, and Fig. 7 says at what price.\n",
    );
    let iteration = |e: &Entry| f64::from(e.iteration);
    let lines = trials.iter().zip(GAMMAS);
    let chart = Chart {
        title: "Projected Gauss-Seidel on the relaxed box stack".into(),
        x_label: "iterations [1]".into(),
        y_label: "merit of the relaxed problem".into(),
        log_y: true,
        lines: lines
            .map(|(t, g)| curve(name(g), &t.history, iteration, |e| e.merit))
            .collect(),
        ..Chart::default()
    };
    album.figure("erleben-fig-6-relaxation", &[chart], 1)?;
    let mut records = Vec::new();
    for (t, gamma) in trials.iter().zip(GAMMAS) {
        for e in &t.history {
            let merit = number(e.merit.unwrap_or(f64::NAN));
            let iteration = e.iteration.to_string();
            records.push(vec![
                gamma.to_string(),
                iteration,
                merit,
                number(e.residual),
            ]);
        }
    }
    let header = ["gamma_per_kg", "iteration", "merit", "residual"];
    album.numbers("erleben-fig-6-relaxation", &header, &records)
}

/// Figure 7.
fn solutions(
    album: &mut Album,
    problem: &ContactProblem,
    damped: &[ContactProblem],
) -> Result<(), Failure> {
    let Some(places) = &problem.places else {
        return Ok(());
    };
    // load of each interface, converged and after ten iterations
    let heights: Vec<f64> = places.iter().map(|p| p.y).collect();
    let loads = |impulses: &[[f64; 3]]| by_height(&heights, impulses);
    let exact = loads(&solved(problem, Solver::Nncg, 50_000));
    let mut curves: Vec<(String, Vec<f64>)> = damped
        .par_iter()
        .zip(GAMMAS)
        .map(|(p, g)| {
            let solver = if g == 0.0 { Solver::Nncg } else { Solver::Pgs };
            (name(g), loads(&solved(p, solver, 50_000)))
        })
        .collect();
    curves.push((
        "undamped, 10 iterations".into(),
        loads(&solved(problem, Solver::Pgs, 10)),
    ));
    album.chapter("Erleben 2007, Fig. 7: relaxation and the solution");
    album.say(
        "How much of its load each interface of the stack carries, the ground first. The paper \
         compares a slightly damped solution with an undamped one, and says that the damping of \
         the solution is as significant as the effect on convergence.\n",
    );
    // shares of the exact load
    let share = |loads: &[f64]| -> Vec<f64> {
        let pairs = loads.iter().zip(&exact);
        pairs.map(|(x, y)| x / y.max(f64::MIN_POSITIVE)).collect()
    };
    let chart = Chart {
        title: "Load carried in the converged solution".into(),
        x_label: "interface, counted from the ground".into(),
        y_label: "part of the load above [1]".into(),
        lines: curves
            .iter()
            .map(|(label, loads)| Line {
                label: label.clone(),
                points: points(&share(loads)),
            })
            .collect(),
        ..Chart::default()
    };
    album.figure("erleben-fig-7-damped-solution", &[chart], 1)?;
    let mut header = vec!["interface".to_owned()];
    header.extend(curves.iter().map(|(label, _)| label.clone()));
    let shares: Vec<Vec<f64>> = curves.iter().map(|(_, loads)| share(loads)).collect();
    let records: Vec<Vec<String>> = (0..exact.len())
        .map(|i| {
            let numbers = shares.iter().map(|s| number(s[i]));
            std::iter::once(i.to_string()).chain(numbers).collect()
        })
        .collect();
    album.numbers("erleben-fig-7-damped-solution", &header, &records)?;
    // what reaches the ground
    let ground: Vec<String> = curves
        .iter()
        .zip(&shares)
        .map(|((label, _), s)| {
            let part = 100.0 * s.first().copied().unwrap_or(0.0);
            format!("{label}: {part:.1} %")
        })
        .collect();
    album.say(format!(
        "Ours: the contacts with the ground carry, of the weight above them, {}. So relaxation \
         trades one error for another: what does not carry sinks.\n",
        ground.join("; ")
    ));
    Ok(())
}

fn name(gamma: f64) -> String {
    match gamma {
        0.0 => "undamped".into(),
        _ => format!("gamma {gamma}"),
    }
}

fn points(values: &[f64]) -> Vec<(f64, f64)> {
    let numbered = values.iter().enumerate();
    numbered.map(|(i, x)| (i as f64, *x)).collect()
}

fn solved(problem: &ContactProblem, solver: Solver, most_iterations: u32) -> Vec<[f64; 3]> {
    let settings = Settings {
        most_seconds: Some(5.0),
        record: Record::Nothing,
        ..Settings::to(1e-8, most_iterations)
    };
    let mut impulses = vec![[0.0; 3]; problem.contacts()];
    // a problem of our own scene is sound; otherwise nothing is carried
    let _ = solver.solve(problem, &mut impulses, &Ordering::Identity, &settings);
    impulses
}

/// `problem` in matrix form with `gamma` added to the diagonal.
fn relaxed(problem: &ContactProblem, gamma: f64) -> ContactProblem {
    let MatrixProblem {
        matrix,
        b,
        friction,
    } = problem.to_matrix();
    let contacts = matrix.contacts();
    let mut blocks = Vec::new();
    for k in 0..contacts {
        let (columns, values) = matrix.row(k);
        let entries = columns.iter().zip(values);
        blocks.extend(entries.map(|(column, block)| (k, *column as usize, *block)));
        let mut extra = [[0.0; 3]; 3];
        for i in 0..3 {
            extra[i][i] = gamma;
        }
        blocks.push((k, k, extra));
    }
    let matrix = BlockMatrix::from_blocks(contacts, blocks);
    let relaxed = MatrixProblem {
        matrix,
        b,
        friction,
    };
    ContactProblem::assembled(problem.name.clone(), relaxed)
}

/// Sums of normal impulses of contacts at about one height, lowest first \[N s\].
fn by_height(heights: &[f64], impulses: &[[f64; 3]]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..heights.len()).collect();
    order.sort_by(|a, b| heights[*a].total_cmp(&heights[*b]));
    let mut sums: Vec<f64> = Vec::new();
    let mut last = f64::NEG_INFINITY;
    for k in order {
        if heights[k] > last + 0.1 {
            sums.push(0.0);
        }
        last = heights[k];
        if let Some(sum) = sums.last_mut() {
            *sum += impulses[k][0];
        }
    }
    sums
}
