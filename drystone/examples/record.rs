//! A run put into files: a cache that other programs open, and numbers for each frame.

#![allow(clippy::print_stdout, clippy::expect_used)]

use drystone::prelude::*;

/// Runs it.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut scene = Scene::new();
    (scene.name, scene.duration) = ("drop".into(), 0.4);
    scene.ground();
    scene.add(
        Body::cube(0.5)
            .named("box")
            .at(0.0, 1.0, 0.0)
            .turned([1.0, 0.0, 0.0], 20.0),
    );

    let path = std::env::temp_dir().join(format!("drystone-record-{}.usda", std::process::id()));
    let mut world = World::new(&scene)?;
    let mut sink = open_sink(&path, world.scene())?;
    let mut recorder = Recorder::new(&world);
    sink.frame(&world.frame(), recorder.frame(&world))?;
    for _ in 0..scene.frames() {
        for _ in 0..scene.steps_per_frame() {
            recorder.step(&world.step());
        }
        sink.frame(&world.frame(), recorder.frame(&world))?;
    }
    sink.finish()?;
    let report = recorder.report(&world, 0.0);
    println!(
        "{} frames, {:.1} J left, {} bytes",
        report.frames.len(),
        world.kinetic_energy(),
        std::fs::metadata(&path)?.len()
    );
    std::fs::remove_file(&path)?;
    assert!(report.verdict.sound);
    Ok(())
}
