//! Ten boxes on the ground, and a ball that flies at them.

#![allow(clippy::print_stdout, clippy::expect_used)]

use drystone::prelude::*;

/// Runs it.
pub fn main() -> Result<(), SceneError> {
    let mut scene = Scene::new();
    scene.ground();
    let boxes: Vec<BodyId> = (0..10)
        .map(|i| scene.add(Body::cube(1.0).at(0.0, 0.5 + f64::from(i), 0.0)))
        .collect();
    let ball = Body::ball(0.5).at(-16.0, 4.5, 0.0).mass(20_000.0);
    scene.add(ball.weightless().velocity(20.0, 0.0, 0.0));

    let mut world = World::new(&scene)?;
    let height = |world: &World| {
        world
            .body(boxes[9])
            .map_or(0.0, |top| top.pose().position.y)
    };
    world.run_for(0.5);
    println!(
        "at {:.1} s the top box is {:.4} m high",
        world.time(),
        height(&world)
    );
    assert!((height(&world) - 9.5).abs() < 1e-3);
    world.run_for(2.0);
    println!(
        "at {:.1} s it is {:.4} m high",
        world.time(),
        height(&world)
    );
    assert!(height(&world) < 9.0);
    Ok(())
}
