//! What the gallery costs: `cargo bench -p drystone-checks [-- SCENE...]`.
//!
//! One thread. Every scene runs several times; the runs do the same work bit for bit (the hash
//! proves it), so the time of a step is the least of its times, and a busy machine does little
//! harm. Then the cost of a contact as a tower grows. With `--test` all of it is cut short.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use drystone_checks::{Layers, hash, layers, on_threads, scene, start};

/// Worst frames of Erleben 2007, Figs. 16 to 19 \[s\].
const PAPER: [(&str, &str, f64); 4] = [
    ("falling-roof", "roof", 0.25),
    ("engraved-letters", "letters", 0.18),
    ("silo", "silo", 1.1),
    ("cow-pile", "cow pile", 1.2),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let short = arguments.iter().any(|a| a == "--test");
    let names: Vec<&String> = arguments.iter().filter(|a| !a.starts_with("--")).collect();
    on_threads(1, || {
        gallery(&names, short);
        if names.is_empty() || names.iter().any(|name| *name == "linearity") {
            linearity(short);
        }
    });
}

/// A run in which every step has its least time.
struct Run {
    bodies: usize,
    contacts: f64,
    /// Of each step \[s\].
    total: Vec<f64>,
    collision: Vec<f64>,
    /// Of each output frame \[s\].
    frames: Vec<f64>,
}

/// Runs the scene `name` for `rounds` rounds of at most `most` steps.
fn run(name: &str, rounds: usize, most: u64) -> Run {
    let scene = scene(name);
    let per_frame = scene.steps_per_frame() as usize;
    let steps = (scene.frames() * u64::from(scene.steps_per_frame())).min(most);
    let mut best: Vec<(f64, f64)> = vec![(f64::INFINITY, 0.0); steps as usize];
    let (mut bodies, mut contacts, mut proof) = (0, 0.0, None);
    for round in 1..=rounds {
        eprint!("\r{name}: round {round} of {rounds}          ");
        let mut world = start(&scene);
        contacts = 0.0;
        for best in &mut best {
            let report = world.step();
            let total = report.seconds.total();
            if total < best.0 {
                *best = (total, report.seconds.collision);
            }
            contacts += report.rigid.contacts as f64 / steps as f64;
        }
        let model = &world.system().model;
        bodies = (0..model.len()).filter(|&i| model.is_dynamic(i)).count();
        let found = hash(&world);
        assert_eq!(
            *proof.get_or_insert(found.clone()),
            found,
            "{name}: two runs differ"
        );
    }
    eprint!("\r");
    let total: Vec<f64> = best.iter().map(|b| b.0).collect();
    Run {
        bodies,
        contacts,
        collision: best.iter().map(|b| b.1).collect(),
        frames: total
            .chunks(per_frame.max(1))
            .map(|frame| frame.iter().sum())
            .collect(),
        total,
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

fn percentile_95(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
        .get((sorted.len() * 95 / 100).min(sorted.len().saturating_sub(1)))
        .copied()
        .unwrap_or(0.0)
}

fn gallery(names: &[&String], short: bool) {
    let (rounds, most) = if short { (1, 3) } else { (3, 1000) };
    println!(
        "ms per step, one thread, each step the least of {rounds} runs, {most} steps at most\n"
    );
    println!(
        "| scene | bodies | contacts | mean | 95 % | worst | collision | dynamics | ns per contact |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut beside = Vec::new();
    for entry in drystone_gallery::ALL {
        if !(names.is_empty() || names.iter().any(|name| *name == entry.name)) {
            continue;
        }
        let run = run(entry.name, rounds, most);
        let (mean_total, mean_collision) = (mean(&run.total), mean(&run.collision));
        println!(
            "| {} | {} | {:.0} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.0} |",
            entry.name,
            run.bodies,
            run.contacts,
            1e3 * mean_total,
            1e3 * percentile_95(&run.total),
            1e3 * largest(&run.total),
            1e3 * mean_collision,
            1e3 * (mean_total - mean_collision),
            1e9 * mean_total / run.contacts.max(1.0)
        );
        if let Some(paper) = PAPER.iter().find(|paper| paper.0 == entry.name) {
            beside.push((paper, largest(&run.total), largest(&run.frames)));
        }
    }
    if beside.is_empty() {
        return;
    }
    println!("\nWorst step beside the worst frame of Erleben 2007 (1.7 GHz)\n");
    println!("| scene | paper [s] | ours [s] | times faster | our worst output frame [s] |");
    println!("|---|---|---|---|---|");
    for ((_, label, theirs), step, frame) in beside {
        println!(
            "| {label} | {theirs} | {step:.4} | {:.0} | {frame:.4} |",
            theirs / step
        );
    }
}

fn linearity(short: bool) {
    let heights: &[u32] = if short {
        &[5, 10]
    } else {
        &[5, 10, 20, 40, 80]
    };
    let (seconds, rounds) = if short { (0.01, 1) } else { (0.4, 5) };
    eprintln!("towers of {heights:?} layers");
    println!(
        "\nLinearity: roof towers of 20 bricks a layer at rest, processor time, best of {rounds}\n"
    );
    println!(
        "| layers | contacts | sweeps | ms per step | ns per contact | ns per contact and sweep |"
    );
    println!("|---|---|---|---|---|---|");
    let found = layers(heights, seconds, rounds);
    for row in &found {
        println!(
            "| {} | {} | {:.0} | {:.3} | {:.0} | {:.1} |",
            row.layers,
            row.contacts,
            row.sweeps,
            1e3 * row.step,
            row.per_contact_ns(),
            row.per_sweep_ns()
        );
    }
    let ratio = |cost: fn(&Layers) -> f64| {
        let cost: Vec<f64> = found.iter().map(cost).collect();
        largest(&cost) / cost.iter().copied().fold(f64::INFINITY, f64::min)
    };
    println!(
        "\nmost / least: {:.2} per contact (wanted: at most 1.5), {:.2} per contact and sweep",
        ratio(Layers::per_contact_ns),
        ratio(Layers::per_sweep_ns)
    );
}
