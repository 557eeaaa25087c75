//! How our root bounds do on published continuous collision queries: `ccd FILE...`.
//!
//! A file holds 8 rows a query, four corners at the start and four at the end, each row a fraction
//! (numerator, denominator) for x, y, z and the truth. The folder or file name says edge-edge or
//! vertex-face. A false negative must never be; a false positive only costs time.

#![allow(clippy::print_stdout)]

use drystone_base::Vec3;
use drystone_geometry::proximity::first_approach;

fn row(line: &str) -> Option<(Vec3, bool)> {
    let numbers: Vec<f64> = line
        .split(',')
        .filter_map(|n| n.trim().parse().ok())
        .collect();
    let [a, b, c, d, e, f, truth] = numbers[..] else {
        return None;
    };
    Some((Vec3::new(a / b, c / d, e / f), truth != 0.0))
}

fn main() {
    let (mut queries, mut hits, mut missed, mut false_alarms) = (0u64, 0u64, 0u64, 0u64);
    let clock = std::time::Instant::now();
    for path in std::env::args().skip(1) {
        let split = if path.contains("edge-edge") { 2 } else { 1 };
        let Ok(text) = std::fs::read_to_string(&path) else {
            println!("{path}: cannot be read");
            continue;
        };
        let rows: Vec<(Vec3, bool)> = text.lines().filter_map(row).collect();
        for query in rows.chunks_exact(8) {
            let corner = |k: usize| query[k].0;
            let (start, end) = ([0, 1, 2, 3].map(corner), [4, 5, 6, 7].map(corner));
            let size = start
                .iter()
                .chain(&end)
                .fold(1e-300f64, |most, p| most.max(p.abs().max_element()));
            let found = first_approach(&start, &end, split, 0.0, 1e-9 * size).is_some();
            queries += 1;
            match (query[0].1, found) {
                (true, true) => hits += 1,
                (true, false) => {
                    missed += 1;
                    println!("{path}: missed query {queries}");
                }
                (false, true) => false_alarms += 1,
                (false, false) => {}
            }
        }
    }
    let each = clock.elapsed().as_secs_f64() / queries.max(1) as f64 * 1e6;
    println!(
        "{queries} queries: {hits} found, {missed} missed, {false_alarms} false alarms, {each:.1} us each"
    );
}
