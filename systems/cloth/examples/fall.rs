//! What cloth costs: `cargo run --release -p drystone-cloth --example fall [elastic|ball|slab|slab-kdop|brute-force|windows|flat] [vertices a side] [seconds]`.
//!
//! A square cloth (spacing 0.15, density 0.1, k = 750, thickness 0.1, restitution 0) falls on
//! fixed balls, one for every 20 x 20 vertices, with full self-contact. `elastic` is the cloth alone,
//! moving so little that nothing is renewed. Prints seconds per simulated second, and where events went; of
//! processor time where the system tells it, as others may use the machine. `flat` compares cloths of 20 x 20
//! with larger ones up to that many vertices a side.

#![allow(clippy::print_stdout)]

use drystone_base::{Stopwatch, Vec3};
use drystone_cloth::{BroadPhase, Certificate, Model, Obstacle, Options, Sheet, System};
use drystone_geometry::mesh::build::icosphere;

/// A cloth of `n` x `n` vertices over balls of 162 vertices, 20 spacings apart.
fn cloth_on_balls(n: u32) -> Model {
    let (radius, across) = (1.0, n.div_ceil(20));
    let ball = icosphere(radius, 2);
    let mut model = Model {
        sheets: vec![Sheet::grid("cloth", n, n, 0.15).moved(Vec3::new(
            0.013,
            radius + 0.15,
            0.007,
        ))],
        gravity: Vec3::new(0.0, -9.8, 0.0),
        ..Model::default()
    };
    for k in 0..across * across {
        let at = |k: u32| (f64::from(k) - 0.5 * f64::from(across - 1)) * 3.0;
        let centre = Vec3::new(at(k % across), 0.0, at(k / across));
        model.obstacles.push(Obstacle {
            name: format!("ball {k}"),
            points: ball.vertices().iter().map(|p| *p + centre).collect(),
            faces: ball.triangles().to_vec(),
            ..Obstacle::default()
        });
    }
    model
}

/// Processor time that this program has used, to a hundredth of a second \[s\].
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let after_name = text.rsplit_once(')')?.1;
    let ticks: f64 = after_name.split_whitespace().nth(11)?.parse().ok()?;
    Some(0.01 * ticks)
}

/// How many windows of one and of eight periods of the springs pass without a layer being activated: those
/// could be run ahead on a guess.
fn windows(system: &mut System, seconds: f64) {
    for periods in [1u32, 8] {
        let length = f64::from(periods) / 4096.0;
        let (mut all, mut quiet, mut layers) = (0u32, 0u32, 0);
        while f64::from(all) * length < 0.5 * seconds {
            let events = system.advance(length).events;
            all += 1;
            quiet += u32::from(events.activations == 0);
            layers += events.activations;
        }
        println!(
            "windows of {length:.2e} s: {quiet} of {all} without activation, {layers} layers activated"
        );
    }
}

/// What a tick costs in each quarter of the time, and what happens in a thousand, in cloths of 20, 40, … up to
/// `most` vertices a side. Small ones fall several times, so that all take about as long; each size in turn,
/// thrice, the best of each quarter counts. Large cloths crumple before small ones, whose rim hangs free, so
/// the second quarter compares different motions; in the last ones all lie in folds.
fn flat(most: u32, seconds: f64) {
    let sizes: Vec<u32> = [20, 40, 60, 100, 140, 200]
        .into_iter()
        .filter(|n| *n <= most)
        .collect();
    let mut best = vec![[f64::INFINITY; QUARTERS + 1]; sizes.len()];
    let mut counts = vec![[0.0; 4]; sizes.len()];
    for _ in 0..3 {
        for (k, &n) in sizes.iter().enumerate() {
            let (mut time, mut ticks, mut sums) = ([0.0; QUARTERS], [0.0; QUARTERS], [0.0; 4]);
            for _ in 0..(most / n).pow(2).max(1) {
                let model = cloth_on_balls(n);
                let mut system =
                    System::new(model, Options::default()).expect("the scene is valid");
                for quarter in 0..QUARTERS {
                    let started = Stopwatch::start();
                    let report = system.advance(seconds / QUARTERS as f64);
                    let e = report.events;
                    time[quarter] += started.seconds();
                    ticks[quarter] += e.elastic() as f64;
                    if 2 * quarter >= QUARTERS {
                        let renewed: u64 = e.ball_pairs.iter().sum();
                        let layers = e.penalties + e.null_penalties;
                        for (sum, count) in
                            sums.iter_mut()
                                .zip([layers, e.distance_tests, renewed, e.pairs_made])
                        {
                            *sum += count as f64;
                        }
                    }
                }
            }
            for quarter in 0..QUARTERS {
                let ns = time[quarter] / ticks[quarter] * 1e9;
                best[k][quarter] = best[k][quarter].min(ns);
            }
            let whole = time.iter().sum::<f64>() / ticks.iter().sum::<f64>() * 1e9;
            best[k][QUARTERS] = best[k][QUARTERS].min(whole);
            let late: f64 = ticks[QUARTERS / 2..].iter().sum();
            counts[k] = sums.map(|sum| sum / late * 1e3);
        }
    }
    println!(
        "ns a tick, all included, in quarters of {seconds} s and in all of it, and times that of 20 a side; events in 1000 ticks of the last half"
    );
    println!(
        "| a side | first | second | third | fourth | all | layers tick | distance tests | pairs renewed | made |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (k, n) in sizes.iter().enumerate() {
        let costs: Vec<String> = (0..=QUARTERS)
            .map(|q| format!("{:.0} ({:.2})", best[k][q], best[k][q] / best[0][q]))
            .collect();
        let [layers, tests, pairs, made] = counts[k];
        println!(
            "| {n} | {} | {layers:.1} | {tests:.1} | {pairs:.0} | {made:.1} |",
            costs.join(" | ")
        );
    }
}

/// Parts of a fall that are told apart.
const QUARTERS: usize = 4;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mode = arguments.next().unwrap_or_else(|| "ball".into());
    let n = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(20);
    let seconds: f64 = arguments.next().and_then(|s| s.parse().ok()).unwrap_or(1.0);
    if mode == "flat" {
        return flat(n, seconds);
    }
    let mut model = cloth_on_balls(n);
    if mode == "elastic" {
        model.obstacles.clear();
        model.gravity = Vec3::ZERO;
        let points = &model.sheets[0].points;
        let swing = |p: &Vec3| Vec3::new(0.0, 1e-3 * p.x, 1e-3 * p.z);
        model.sheets[0].velocities = points.iter().map(swing).collect();
    }
    let options = Options {
        certificate: match mode.as_str() {
            "slab" | "slab-kdop" => Certificate::Slab,
            "brute-force" => Certificate::BruteForce,
            _ => Certificate::Ball,
        },
        broad_phase: if mode == "slab-kdop" {
            BroadPhase::KDop
        } else {
            BroadPhase::Boxes
        },
        ..Options::default()
    };
    let mut system = System::new(model, options).expect("the scene is valid");
    println!("{mode} {n} x {n}");
    let frames = (seconds * 20.0).ceil() as u32;
    let before = processor_seconds();
    let (mut wall, mut elements) = (0.0, 0);
    if mode == "windows" {
        return windows(&mut system, seconds);
    }
    for frame in 1..=frames {
        let started = Stopwatch::start();
        let report = system.advance(0.05);
        let took = started.seconds();
        wall += took;
        let e = report.events;
        elements += e.elastic();
        println!(
            "t {:.2} {:7.3} s  elastic {} penalty {}+{} distance tests {} balls {:?} of pairs {:?} slabs {} boxes {} \
             pairs {} made {} layers {} E {:.6} crossings {}",
            report.time,
            took,
            e.elastic(),
            e.penalties,
            e.null_penalties,
            e.distance_tests,
            e.balls,
            e.ball_pairs,
            e.slabs,
            e.boxes,
            report.pairs,
            e.pairs_made,
            report.layers.len() - 1,
            report.energy.total(),
            system.crossings().len(),
        );
        if let Some(stall) = report.stall {
            println!("frame {frame}: {stall}");
            return;
        }
    }
    let simulated = f64::from(frames) * 0.05;
    let busy = before.zip(processor_seconds()).map(|(a, b)| b - a);
    for (what, time) in [("wall", Some(wall)), ("processor", busy)] {
        if let Some(time) = time {
            println!(
                "{:.3} s of {what} time for each simulated second, {:.0} ns for each elastic tick, all included",
                time / simulated,
                time / elements as f64 * 1e9
            );
        }
    }
}
