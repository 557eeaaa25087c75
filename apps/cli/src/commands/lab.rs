//! `drystone lab`: every solver on any contact problem, or the figures of the papers again.

use std::path::Path;
use std::process::ExitCode;

use drystone_complementarity::{Aggregates, Settings};
use drystone_world::SceneError;

use crate::arguments::Lab;
use crate::failure::{Failure, INTERRUPTED, WELL};
use crate::lab::table::{self, Table};
use crate::lab::trial::{self, Trial};
use crate::lab::{agreement, charts, papers, progress::Tasks, source};
use crate::outputs::writable;
use crate::{interrupt, say, scene};

pub(crate) fn run(lab: &Lab) -> Result<ExitCode, Failure> {
    interrupt::listen();
    if let Some(folder) = &lab.papers {
        return papers::write(folder);
    }
    // all that can be refused is refused before the first solve
    let solvers = trial::solvers(lab.solvers.as_deref())?;
    let orderings = trial::orderings(lab.orderings.as_deref())?;
    let settings = settings(lab)?;
    if lab.adjust.seconds.is_some() {
        let message = "--seconds: the laboratory does not run scenes; wanted SCENE@TIME";
        return Err(Failure::input(message));
    }
    scene::use_threads(&lab.adjust)?;
    check_files(lab)?;
    let mut problems = Vec::new();
    for word in &lab.problems {
        problems.extend(source::problems(word, &lab.adjust)?);
    }
    for problem in &problems {
        let refused = |error| Failure::input(format!("problem `{}`: {error}", problem.name));
        problem.check().map_err(refused)?;
    }

    // every solver and ordering on every problem, as lines of a table
    let pairs = trial::pairs(&solvers, &orderings);
    let names = problems.iter().map(|p| p.name.as_str());
    let table = Table::new(names, &pairs);
    let mut tasks = Tasks::new(problems.len() * pairs.len());
    tasks.line(&table.header());
    let mut trials: Vec<Trial> = Vec::new();
    for problem in &problems {
        let first = trials.len();
        for &(solver, ordering) in &pairs {
            if interrupt::asked() {
                break;
            }
            tasks.begin(&format!("{} {solver} {ordering}", problem.name));
            let trial = trial::run(problem, solver, ordering, &settings, lab.warm);
            tasks.end();
            tasks.line(&table.line(&trial));
            trials.push(trial);
        }
        let of_problem = &mut trials[first..];
        agreement::compare(problem, of_problem);
        for line in agreement::lines(of_problem) {
            tasks.line(&line);
        }
    }
    // files, and how many did not reach the tolerance
    let seconds = tasks.finish();
    write_files(lab, &trials)?;
    let failed = trials.iter().filter(|t| t.failed.is_some()).count() as u64;
    say::line(format_args!(
        "{} in {}; {failed} did not reach {:.0e}",
        say::count(trials.len() as u64, "trial"),
        say::seconds(seconds),
        lab.tolerance
    ));
    Ok(match interrupt::asked() {
        true => INTERRUPTED,
        false => WELL,
    }
    .into())
}

fn settings(lab: &Lab) -> Result<Settings, Failure> {
    let positive = |option: &str, x: f64| match x > 0.0 && x.is_finite() {
        true => Ok(x),
        false => Err(Failure::input(format!("{option} {x}: wanted more than 0"))),
    };
    let usual = Settings::to(positive("--tolerance", lab.tolerance)?, lab.most_iterations);
    let aggregates = match &lab.aggregates {
        None => usual.aggregates,
        Some(name) => aggregates(name)?,
    };
    let settings = Settings {
        most_seconds: Some(positive("--most-seconds", lab.most_seconds)?),
        window: lab.window.unwrap_or(usual.window),
        inner_sweeps: lab.inner_sweeps,
        relaxation: lab.relaxation,
        aggregates,
        ..usual
    };
    settings.check().map_err(Failure::input)?;
    Ok(settings)
}

fn aggregates(name: &str) -> Result<Aggregates, Failure> {
    let found = Aggregates::ALL.into_iter().find(|kind| kind.name() == name);
    let known = Aggregates::ALL.map(Aggregates::name);
    Ok(found.ok_or_else(|| SceneError::unknown("--aggregates", "kind", name, known))?)
}

fn check_files(lab: &Lab) -> Result<(), Failure> {
    let check = |path: &Path, wanted: &[&str]| {
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        if !ending.is_some_and(|e| wanted.contains(&e.as_str())) {
            let (name, wanted) = (path.display(), wanted.join(" or ."));
            return Err(Failure::input(format!(
                "`{name}`: wanted an ending .{wanted}"
            )));
        }
        writable(path)
    };
    lab.output
        .iter()
        .try_for_each(|path| check(path, &["csv"]))?;
    lab.plot
        .iter()
        .try_for_each(|path| check(path, &["svg", "png"]))
}

fn write_files(lab: &Lab, trials: &[Trial]) -> Result<(), Failure> {
    if let Some(path) = &lab.output {
        let records: Vec<Vec<String>> = trials.iter().map(table::record).collect();
        table::write(path, &table::csv(&table::HEADER, &records))?;
    }
    let Some(path) = &lab.plot else { return Ok(()) };
    let mut panels = Vec::new();
    for of_problem in trials.chunk_by(|a, b| a.problem == b.problem) {
        let drawn = of_problem.iter().filter(|t| !t.history.is_empty());
        let drawn: Vec<&Trial> = drawn.collect();
        if !drawn.is_empty() {
            panels.extend(charts::convergence(&drawn, lab.tolerance));
        }
    }
    table::draw(path, &panels, 3)
}
