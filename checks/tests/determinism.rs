//! The same bits for any number of threads, after snapshot and resume, and in every build.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fmt::Write as _;

use drystone_checks::{bits, hash, on_threads, scene, start};
use drystone_formats::checkpoint;
use drystone_world::{Scene, Stepper, World};

/// Scenes and how many steps of each: one column, a wall with many contacts in one island, balls
/// that overlap, many islands, meshes, a fall into a silo of fixed slabs; hair on a head, planks on ropes;
/// cloth on what is fixed, boxes on cloth.
const SCENES: [(&str, u64); 10] = [
    ("bench-box-stack", 60),
    ("bench-wall", 40),
    ("ball-grid", 40),
    ("dominoes", 130),
    ("cow-on-slab", 60),
    ("bench-silo", 25),
    ("long-hair", 2),
    ("rope-bridge", 10),
    ("cloth-on-sphere", 20),
    ("tablecloth", 6),
];

fn run(world: &mut World, steps: u64) {
    for _ in 0..steps {
        world.step();
    }
}

fn run_on(threads: usize, scene: &Scene, steps: u64) -> Vec<u8> {
    on_threads(threads, || {
        let mut world = start(scene);
        run(&mut world, steps);
        bits(&world)
    })
}

#[test]
fn one_two_and_four_threads_give_the_same_bits() {
    for (name, steps) in SCENES {
        let scene = scene(name);
        let one = run_on(1, &scene, steps);
        for threads in [1, 2, 4] {
            let same = run_on(threads, &scene, steps) == one;
            assert!(
                same,
                "{name}: {steps} steps differ between 1 and {threads} threads"
            );
        }
    }
}

#[test]
fn every_stepper_gives_the_same_bits_on_any_number_of_threads() {
    for stepper in Stepper::ALL {
        let mut scene = scene("dominoes");
        scene.settle_options().unwrap().stepper = stepper;
        let one = run_on(1, &scene, 20);
        for threads in [2, 4] {
            let same = run_on(threads, &scene, 20) == one;
            assert!(
                same,
                "{}: differs between 1 and {threads} threads",
                stepper.name()
            );
        }
    }
}

#[test]
fn a_snapshot_resumes_bit_for_bit_in_the_same_and_in_a_new_world() {
    for (name, steps) in SCENES {
        let scene = scene(name);
        let mut world = start(&scene);
        run(&mut world, steps / 2);
        let snapshot = world.snapshot();
        run(&mut world, steps - steps / 2);
        let straight = bits(&world);

        world.restore(&snapshot).unwrap();
        run(&mut world, steps - steps / 2);
        assert!(
            bits(&world) == straight,
            "{name}: differs after going back to step {}",
            steps / 2
        );

        let mut fresh = start(&scene);
        fresh.restore(&snapshot).unwrap();
        run(&mut fresh, steps - steps / 2);
        assert!(
            bits(&fresh) == straight,
            "{name}: differs when a new world takes over"
        );
    }
}

#[test]
fn a_checkpoint_file_resumes_bit_for_bit() {
    let folder = tempfile::tempdir().unwrap();
    for (name, steps) in SCENES {
        let scene = scene(name);
        let path = folder.path().join(format!("{name}.checkpoint"));
        let mut world = start(&scene);
        run(&mut world, steps / 2);
        checkpoint::save(&path, &world).unwrap();
        run(&mut world, steps - steps / 2);

        let mut resumed = checkpoint::resume(&path, &scene).unwrap();
        run(&mut resumed, steps - steps / 2);
        assert!(
            bits(&resumed) == bits(&world),
            "{name}: differs after the checkpoint at step {}",
            steps / 2
        );
    }
}

/// One file for all builds: nothing in the step may depend on how it was compiled.
#[test]
fn golden_hashes_hold() {
    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/golden.txt");
    let text = std::fs::read_to_string(FILE).unwrap();
    let (head, lines): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| line.starts_with('#'));
    let golden: BTreeMap<&str, &str> = lines
        .into_iter()
        .filter_map(|line| line.rsplit_once(' '))
        .map(|(scene, hash)| (scene.trim_end(), hash))
        .collect();

    let (mut fresh, mut changed) = (head.join("\n") + "\n", Vec::new());
    for (name, steps) in SCENES {
        let mut world = start(&scene(name));
        run(&mut world, steps);
        let (key, found) = (format!("{name} {steps}"), hash(&world));
        writeln!(fresh, "{key:<24} {found}").unwrap();
        let wanted = golden.get(key.as_str()).copied().unwrap_or("none");
        if wanted != found {
            changed.push(format!("{key}: found {found}, golden.txt says {wanted}"));
        }
    }
    if std::env::var_os("DRYSTONE_GOLDEN").is_some() {
        std::fs::write(FILE, fresh).unwrap();
        return;
    }
    assert!(
        changed.is_empty(),
        "{}\n(golden.txt says how to renew it)",
        changed.join("\n")
    );
}
