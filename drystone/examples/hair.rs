//! Hair on a head that turns: the head is on a path, the hair follows, and lags.

#![allow(clippy::print_stdout, clippy::expect_used)]

use drystone::prelude::*;

/// Runs it.
pub fn main() -> Result<(), SceneError> {
    let mut scene = Scene::new();
    let turned =
        |time: f64, degrees: f64| Key::new(time, [0.0, 1.6, 0.0]).turned([0.0, 1.0, 0.0], degrees);
    let path = vec![turned(0.0, 0.0), turned(0.5, 60.0)];
    scene.add(Body::ball(0.1).named("head").along_smoothly(path));
    let hairs: Vec<StrandId> = (-2..=2)
        .map(|k| {
            let z = 0.03 * f64::from(k);
            let hair = Strand::straight([0.1, 1.6, z], [0.3, 1.6, z], 16);
            scene.add(hair.named(format!("hair-{k}")).on("head"))
        })
        .collect();

    let mut world = World::new(&scene)?;
    for _ in 0..5 {
        world.run_for(0.1);
        let tips = hairs
            .iter()
            .filter_map(|id| world.strand(*id))
            .map(|hair| hair.points()[16]);
        let lowest = tips.map(|tip| tip.y).fold(f64::INFINITY, f64::min);
        println!(
            "{:.1} s: the lowest tip is {lowest:.3} m high",
            world.time()
        );
    }
    let total = world.strand_total().map_or(0, |total| total.failed);
    assert_eq!(total, 0, "every step was solved");
    Ok(())
}
