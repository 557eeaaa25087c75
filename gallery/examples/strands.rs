//! What the large scenes of strands cost and whether every step is solved:
//! `cargo run --release -p drystone-gallery --example strands [scene] [seconds]`

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::time::Instant;

/// What the process has computed so far, on all threads [s]; on Linux.
fn busy_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = text.rsplit(')').next().unwrap_or_default();
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let ticks = |k: usize| {
        let field = fields.get(k).and_then(|x| x.parse::<f64>().ok());
        field.unwrap_or(0.0)
    };
    (ticks(11) + ticks(12)) / 100.0
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let given = arguments.next();
    let seconds = arguments.next().map_or(60.0, |text| text.parse().unwrap());
    let scenes = match &given {
        Some(name) => vec![name.as_str()],
        None => vec!["curly-bangs", "long-hair", "moving-jungle"],
    };
    for name in scenes {
        let entry = drystone_gallery::find(name).unwrap();
        let scene = (entry.build)();
        let mut world = drystone_world::World::new(&scene).unwrap();
        let (start, busy) = (Instant::now(), busy_seconds());
        let frames = (seconds * scene.frame_rate) as usize;
        let (mut slowest, mut deepest) = (0.0f64, 0.0f64);
        for k in 0..frames {
            let before = world.strand_total().map_or(0.0, |report| report.seconds);
            world.run_for(1.0 / scene.frame_rate);
            let report = world.strand_total().unwrap();
            slowest = slowest.max(report.seconds - before);
            if k % 24 == 0 {
                deepest = deepest.max(world.strand_penetration());
            }
        }
        let report = world.strand_total().unwrap();
        let (mean, p95, most) = report.iteration_figures();
        println!(
            "{name}: {seconds} s, {} steps, failed {}, halved {}, iterations {mean:.2} / {p95} / {most}, {:.4} s a frame ({slowest:.3} the slowest), {:.4} s of processor time, deepest {deepest:.1e} m, {:.0} s in all",
            report.steps,
            report.failed,
            report.halved,
            report.seconds / frames as f64,
            (busy_seconds() - busy) / frames as f64,
            start.elapsed().as_secs_f64(),
        );
    }
}
