//! What a part of a cloth scene costs: `timed SCENE [seconds [from]]`.
//!
//! Runs the scene to `seconds`, or as far as it goes, and prints for each tenth of that the processor time used,
//! events by kind, and layers. `from` is when the figures begin to count. No picture, no file: the cloth alone.

#![allow(clippy::print_stdout)]

use drystone_world::World;

/// Processor time that this program has used, to a hundredth of a second \[s\].
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = text.rsplit_once(')').map_or("", |parts| parts.1);
    let ticks = after_name
        .split_whitespace()
        .nth(11)
        .and_then(|t| t.parse().ok());
    0.01 * ticks.unwrap_or(0.0)
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "cloth-on-sphere".into());
    let Some(entry) = drystone_gallery::find(&name) else {
        return println!("there is no scene `{name}`");
    };
    let scene = (entry.build)();
    let number = |text: Option<String>| text.and_then(|t| t.parse::<f64>().ok());
    let end = number(arguments.next()).unwrap_or(scene.duration);
    let from = number(arguments.next()).unwrap_or(0.0);
    let began = processor_seconds();
    let mut world = match World::new(&scene) {
        Ok(world) => world,
        Err(error) => return println!("{error}"),
    };
    let vertices: usize = world.cloths().map_or(0, |cloths| {
        cloths.model().sheets.iter().map(|s| s.points.len()).sum()
    });
    println!(
        "{name}: {vertices} vertices, {:.2} s to begin with",
        processor_seconds() - began
    );
    let (mut mark, mut told) = (processor_seconds(), 0.0);
    let (mut counted, mut since) = (0.0, 0.0);
    while world.time() < end - 1e-9 {
        let before = (world.time(), processor_seconds());
        world.step();
        if before.0 >= from - 1e-9 {
            counted += world.time() - before.0;
            since += processor_seconds() - before.1;
        }
        let (Some(total), report) = (world.cloth_total(), &world.report().cloth) else {
            return println!("no cloth");
        };
        let stalled = total.stalled.clone();
        if world.time() >= told + 0.1 * end - 1e-9 || stalled.is_some() {
            told = world.time();
            let now = processor_seconds();
            println!(
                "t {:.4} s  {:.2} s  so far: elastic {} penalty {} certificates {} deepest layer {}  pairs by layers {:?}  crossings {}",
                world.time(),
                now - mark,
                total.elastic,
                total.penalties,
                total.certificates,
                total.deepest_layer,
                report.layers,
                world.cloths().map_or(0, |cloths| cloths.crossings().len()),
            );
            mark = processor_seconds();
        }
        if let Some(stall) = stalled {
            return println!("{stall}");
        }
    }
    println!(
        "{:.2} s of processor time for {counted:.4} s from {from} s on: {:.1} s for each simulated second, {:.1} min for all {} s at that rate",
        since,
        since / counted,
        since / counted * scene.duration / 60.0,
        scene.duration
    );
}
