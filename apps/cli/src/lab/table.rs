//! Trials as a table for people and as CSV for programs.

use std::path::Path;

use drystone_complementarity::{Ordering, Solver};
use drystone_picture::plot::{Chart, write_grid};

use super::trial::Trial;
use crate::failure::Failure;

/// Columns of the CSV.
pub(crate) const HEADER: [&str; 10] = [
    "problem",
    "contacts",
    "solver",
    "ordering",
    "iterations",
    "row_updates",
    "ms",
    "residual",
    "velocities_apart",
    "failed",
];

/// Table of trials, with the widths of its columns of names.
pub(crate) struct Table {
    problem: usize,
    solver: usize,
    ordering: usize,
}

impl Table {
    /// A table for these problems, solvers and orderings.
    pub(crate) fn new<'a>(
        problems: impl Iterator<Item = &'a str>,
        pairs: &[(Solver, Ordering)],
    ) -> Self {
        let widest = |names: &mut dyn Iterator<Item = usize>, title: &str| {
            names.fold(title.len(), usize::max)
        };
        Self {
            problem: widest(&mut problems.map(|name| name.chars().count()), "problem"),
            solver: widest(&mut pairs.iter().map(|(s, _)| s.name().len()), "solver"),
            ordering: widest(
                &mut pairs.iter().map(|(_, o)| o.to_string().len()),
                "ordering",
            ),
        }
    }

    /// The names of the columns.
    pub(crate) fn header(&self) -> String {
        let (problem, solver, ordering) = (self.problem, self.solver, self.ordering);
        format!(
            "{:problem$}  contacts  {:solver$}  {:ordering$}  iterations  row updates          ms  \
             residual  failed",
            "problem", "solver", "ordering"
        )
    }

    /// One line.
    pub(crate) fn line(&self, trial: &Trial) -> String {
        let (problem, solver, ordering) = (self.problem, self.solver, self.ordering);
        let failed = trial.failed.as_deref().unwrap_or("");
        let line = match trial.row_updates {
            0 if trial.residual.is_nan() => format!(
                "{:problem$}  {:8}  {:solver$}  {:ordering$}  {:>10}  {:>11}  {:>10}  {:>8}  {failed}",
                trial.problem,
                trial.contacts,
                trial.solver,
                trial.ordering.to_string(),
                "-",
                "-",
                "-",
                "-"
            ),
            _ => format!(
                "{:problem$}  {:8}  {:solver$}  {:ordering$}  {:10}  {:11}  {:10.3}  {:8.1e}  {failed}",
                trial.problem,
                trial.contacts,
                trial.solver,
                trial.ordering.to_string(),
                trial.iterations,
                trial.row_updates,
                trial.ms,
                trial.residual
            ),
        };
        line.trim_end().to_owned()
    }
}

/// A trial as a record of CSV.
pub(crate) fn record(trial: &Trial) -> Vec<String> {
    vec![
        trial.problem.clone(),
        trial.contacts.to_string(),
        trial.solver.to_string(),
        trial.ordering.to_string(),
        trial.iterations.to_string(),
        trial.row_updates.to_string(),
        format!("{:.6}", trial.ms),
        number(trial.residual),
        number(trial.apart.unwrap_or(f64::NAN)),
        trial.failed.clone().unwrap_or_default(),
    ]
}

/// A number as CSV has it; nothing if there is none.
pub(crate) fn number(x: f64) -> String {
    match x.is_finite() {
        true => format!("{x:e}"),
        false => String::new(),
    }
}

/// CSV with a header; fields with commas, quotes or line ends are quoted.
pub(crate) fn csv<H: AsRef<str>>(header: &[H], records: &[Vec<String>]) -> String {
    let field = |text: &str| match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    };
    let line = |fields: Vec<String>| fields.join(",") + "\n";
    let mut text = line(header.iter().map(|name| field(name.as_ref())).collect());
    for record in records {
        text += &line(record.iter().map(|text| field(text)).collect());
    }
    text
}

/// Writes text to a file.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text)
        .map_err(|error| Failure::input(format!("cannot write `{}`: {error}", path.display())))
}

/// Writes charts to a file.
pub(crate) fn draw(path: &Path, charts: &[Chart], columns: usize) -> Result<(), Failure> {
    write_grid(charts, columns, path).map_err(Failure::input)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(failed: Option<&str>) -> Trial {
        Trial {
            problem: "two, stacked".into(),
            contacts: 8,
            solver: Solver::Pgs,
            ordering: Ordering::Identity,
            iterations: 12,
            row_updates: 288,
            ms: 0.25,
            residual: 5e-5,
            failed: failed.map(str::to_owned),
            history: Vec::new(),
            impulses: Vec::new(),
            apart: Some(2e-9),
        }
    }

    #[test]
    fn the_csv_has_its_header_and_quotes_what_needs_it() {
        let text = csv(
            &HEADER,
            &[record(&trial(None)), record(&trial(Some("stalled")))],
        );
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            "problem,contacts,solver,ordering,iterations,row_updates,ms,residual,velocities_apart,failed"
        );
        assert_eq!(
            lines[1],
            "\"two, stacked\",8,pgs,identity,12,288,0.250000,5e-5,2e-9,"
        );
        assert!(lines[2].ends_with(",stalled"));
    }

    #[test]
    fn the_columns_of_the_table_stand_below_their_names() {
        let table = Table::new(
            ["two, stacked"].into_iter(),
            &[(Solver::Pgs, Ordering::Identity)],
        );
        let (header, line) = (table.header(), table.line(&trial(Some("stalled"))));
        for (name, value) in [
            ("solver", "pgs"),
            ("ordering", "identity"),
            ("failed", "stalled"),
        ] {
            assert_eq!(header.find(name), line.find(value), "{header}\n{line}");
        }
        let refused = Trial {
            row_updates: 0,
            residual: f64::NAN,
            ..trial(Some("too large"))
        };
        assert_eq!(
            table.line(&refused).find("too large"),
            header.find("failed")
        );
    }
}
