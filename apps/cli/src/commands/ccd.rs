//! `drystone ccd`: how the certificates that cloth relies on do on published collision queries.
//!
//! Each query is run as a small prescribed scene through cloth's own event loop: pairs found by its broad phase, looked
//! at when their certificates end (`drystone_cloth::may_meet`).
//!
//! A query is eight rows of a CSV file: four corners at the start and at the end, each a fraction
//! (numerator, denominator) for x, y and z, and whether they meet. The path says `edge-edge` or
//! `vertex-face`. One that is missed would let something pass; a false alarm only costs time.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use drystone_base::Vec3;
use drystone_cloth::{Kind, Options, may_meet};

use crate::arguments::Ccd;
use crate::failure::{BROKEN, Failure, WELL};
use crate::say;

/// Counts of results of queries.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Tally {
    queries: u64,
    met: u64,
    missed: u64,
    false_alarms: u64,
}

pub(crate) fn run(ccd: &Ccd) -> Result<ExitCode, Failure> {
    let mut files = Vec::new();
    for path in &ccd.files {
        collect(path, &mut files)?;
    }
    let (clock, mut all) = (Instant::now(), Tally::default());
    say::line(format_args!(
        "queries  meet     missed   false alarms  file"
    ));
    for path in &files {
        let tally = judge(path)?;
        print(&tally, &path.display().to_string());
        all.queries += tally.queries;
        all.met += tally.met;
        all.missed += tally.missed;
        all.false_alarms += tally.false_alarms;
    }
    print(&all, "in all");
    let each = clock.elapsed().as_secs_f64() / all.queries.max(1) as f64;
    say::line(format_args!(
        "{} a query, reading included",
        say::seconds(each)
    ));
    Ok(if all.missed == 0 { WELL } else { BROKEN }.into())
}

fn print(tally: &Tally, name: &str) {
    say::line(format_args!(
        "{:<8} {:<8} {:<8} {:<13} {name}",
        tally.queries, tally.met, tally.missed, tally.false_alarms
    ));
}

/// The CSV files that `path` is or holds, in order.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let refused = |error| Failure::input(format!("folder `{}`: {error}", path.display()));
    let entries = std::fs::read_dir(path).map_err(refused)?;
    let mut inside: Vec<PathBuf> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    inside.sort();
    inside.retain(|p| p.is_dir() || p.extension().is_some_and(|e| e == "csv"));
    inside.iter().try_for_each(|p| collect(p, files))
}

fn judge(path: &Path) -> Result<Tally, Failure> {
    let refused = |message: String| Failure::input(format!("`{}`: {message}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|e| refused(e.to_string()))?;
    let kind = match path.to_string_lossy() {
        name if name.contains("edge-edge") => Kind::EdgeEdge,
        name if name.contains("vertex-face") => Kind::VertexFace,
        _ => {
            return Err(refused(
                "says neither edge-edge nor vertex-face in its path".into(),
            ));
        }
    };
    let mut rows = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let wanted = "six whole numbers, a fraction for each of x, y and z, then 0 or 1";
        let row = row(line);
        rows.push(row.ok_or_else(|| refused(format!("line {}: wanted {wanted}", number + 1)))?);
    }
    if rows.len() % 8 != 0 {
        return Err(refused(format!(
            "{} rows; wanted eight for each query",
            rows.len()
        )));
    }
    let (mut tally, options) = (Tally::default(), Options::default());
    for query in rows.chunks_exact(8) {
        let corner = |k: usize| query[k].0;
        let (start, end) = ([0, 1, 2, 3].map(corner), [4, 5, 6, 7].map(corner));
        let corners = start.iter().chain(&end);
        let size = corners.fold(1e-300f64, |most, p| most.max(p.abs().max_element()));
        let found = may_meet(kind, start, end, 1e-9 * size, &options);
        let meets = query[0].1;
        tally.queries += 1;
        tally.met += u64::from(meets);
        tally.missed += u64::from(meets && !found);
        tally.false_alarms += u64::from(found && !meets);
    }
    Ok(tally)
}

/// A corner, and whether the query it belongs to meets.
fn row(line: &str) -> Option<(Vec3, bool)> {
    let numbers: Result<Vec<f64>, _> = line.split(',').map(|n| n.trim().parse()).collect();
    let [a, b, c, d, e, f, truth] = numbers.ok()?[..] else {
        return None;
    };
    let corner = Vec3::new(a / b, c / d, e / f);
    (corner.is_finite() && (truth == 0.0 || truth == 1.0)).then_some((corner, truth == 1.0))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_point_through_a_triangle_is_found_and_one_beside_it_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vertex-face.csv");
        let query = |x: i32, meets: u8| {
            let point = |y: i32| format!("{x},4,{y},1,1,4,{meets}\n");
            let face = format!("0,1,0,1,0,1,{meets}\n1,1,0,1,0,1,{meets}\n0,1,0,1,1,1,{meets}\n");
            format!("{}{face}{}{face}", point(1), point(-1))
        };
        std::fs::write(&path, query(1, 1) + &query(40, 0)).unwrap();
        let tally = judge(&path).unwrap();
        let wanted = Tally {
            queries: 2,
            met: 1,
            missed: 0,
            false_alarms: 0,
        };
        assert_eq!(tally, wanted);
        std::fs::write(&path, "1,2,3\n").unwrap();
        assert!(format!("{:?}", judge(&path).unwrap_err()).contains("line 1"));
    }
}
