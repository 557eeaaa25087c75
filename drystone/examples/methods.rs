//! One scene, four methods: how far a stack sinks within a second.

#![allow(clippy::print_stdout, clippy::expect_used)]

use drystone::prelude::*;

/// Runs it.
pub fn main() -> Result<(), SceneError> {
    for preset in Options::PRESETS {
        let mut scene = Scene::new();
        scene.preset = Some(preset.to_owned());
        scene.ground();
        let tower: Vec<BodyId> = (0..6)
            .map(|i| scene.add(Body::cube(1.0).at(0.0, 0.5 + f64::from(i), 0.0)))
            .collect();
        let mut world = World::new(&scene)?;
        let report = world.run_for(1.0);
        let top = world
            .body(tower[5])
            .map_or(0.0, |top| top.pose().position.y);
        println!(
            "{preset:>10}: {:.3} mm lower, {} sweeps",
            1e3 * (5.5 - top),
            report.rigid.sweeps
        );
        assert!((5.5 - top).abs() < 0.05 && world.is_sound(), "{preset}");
    }
    Ok(())
}
