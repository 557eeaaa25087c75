//! The bars at full length, as tables: standing for a minute, impact, silo.
//!
//! `cargo run --release -p drystone-checks --example bars [standing|rest|papers|impact|silo]...`,
//! or `... bars trace SCENE SEED SECONDS` to see a perturbed start (seed 0: the exact one) calm down.

#![allow(clippy::print_stdout)]

use drystone_checks::bars::{Begin, impact, rest, silo};
use drystone_checks::scene;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if let [first, name, seed, seconds] = wanted.as_slice()
        && first == "trace"
    {
        trace(
            name,
            seed.parse().unwrap_or(1),
            seconds.parse().unwrap_or(10.0),
        );
        return;
    }
    let on = |part: &str| wanted.is_empty() || wanted.iter().any(|w| w == part);
    if on("standing") {
        standing();
    }
    if on("rest") {
        roof_tower_at_rest();
    }
    if on("papers") {
        papers();
    }
    if on("impact") {
        impacts();
    }
    if on("silo") {
        let end = silo(3000, 10.0);
        println!("\n| scene | deepest [mm] | mean [mm] | escaped |\n|---|---|---|---|");
        println!(
            "| bench-silo | {:.2} | {:.3} | {} |",
            1e3 * end.depth,
            1e3 * end.mean,
            end.escaped
        );
    }
}

fn standing() {
    println!("| scene | start | drift [mm] | deepest [mm] | energy [J/kg] | quarantined |");
    println!("|---|---|---|---|---|---|");
    for name in [
        "bench-box-stack",
        "bench-large-mass",
        "bench-wall",
        "bench-tower",
    ] {
        for begin in Begin::ALL {
            let settled = begin.settled();
            let seen = rest(&mut begin.world(&scene(name)), "*", settled, settled, 60.0);
            println!(
                "| {name} | {begin} | {:.3} | {:.3} | {:.1e} | {} |",
                1e3 * seen.drift,
                1e3 * seen.depth,
                seen.joules_per_kg,
                seen.lost
            );
        }
    }
}

fn roof_tower_at_rest() {
    println!("\n| scene | start | drift [mm] | deepest [mm] | energy [J] |\n|---|---|---|---|---|");
    for begin in Begin::ALL {
        let mut world = begin.world(&scene("bench-roof-tower"));
        let seen = rest(&mut world, "tower/*", begin.settled(), 1.5, 2.0);
        println!(
            "| bench-roof-tower | {begin} | {:.3} | {:.3} | {:.1e} |",
            1e3 * seen.drift,
            1e3 * seen.depth,
            seen.mean_joules
        );
    }
}

fn papers() {
    println!("\n| scene | drift [mm] | deepest [mm] | energy [J/kg] |\n|---|---|---|---|");
    for name in ["box-stack", "box-stack-9", "large-mass", "wall", "tower"] {
        let seen = rest(&mut Begin::Exact.world(&scene(name)), "*", 0.0, 0.0, 10.0);
        println!(
            "| {name} | {:.3} | {:.3} | {:.1e} |",
            1e3 * seen.drift,
            1e3 * seen.depth,
            seen.joules_per_kg
        );
    }
}

fn impacts() {
    println!(
        "\n| start | under the roof [mm] | lean [mm] | standing [%] | knocked out | fastest [m/s] | lowest [m] | deepest from 8 s [mm] | quarantined |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for begin in Begin::ALL {
        let seen = impact(begin, 9.0);
        println!(
            "| {begin} | {:.2} | {:.2} | {:.1} | {} | {:.1} | {:.2} | {:.2} | {} |",
            1e3 * seen.depth_under_roof,
            1e3 * seen.lean,
            1e2 * seen.standing,
            seen.knocked_out,
            seen.fastest,
            seen.lowest,
            1e3 * seen.depth_after,
            seen.lost
        );
    }
}

/// Drift, energy and depth, twice a second.
fn trace(name: &str, seed: u32, seconds: f64) {
    let begin = if seed == 0 {
        Begin::Exact
    } else {
        Begin::Perturbed(seed)
    };
    let mut world = begin.world(&scene(name));
    println!("| until [s] | way in 0.5 s [mm] | energy, most [J/kg] | deepest [mm] |");
    println!("|---|---|---|---|");
    while world.time() < seconds - 1e-6 {
        let (from, to) = (world.time(), world.time() + 0.5);
        let seen = rest(&mut world, "*", from, from, to);
        println!(
            "| {to:.1} | {:.3} | {:.1e} | {:.3} |",
            1e3 * seen.drift,
            seen.joules_per_kg,
            1e3 * seen.depth
        );
    }
}
