//! Many futures of one moment: a snapshot, and what each of five pushes makes of it.

#![allow(clippy::print_stdout, clippy::expect_used)]

use drystone::prelude::*;

/// Runs it.
pub fn main() -> Result<(), SceneError> {
    let mut scene = Scene::new();
    scene.ground();
    let stack = Stack {
        count: 4,
        shape: Shape::block(0.2, 0.4, 0.2),
        ..Stack::default()
    };
    scene.generate(Generator::new("tower", Pattern::Stack(stack)));
    let mut world = World::new(&scene)?;
    world.run_for(0.3);

    let now = world.snapshot();
    let top = world.find("tower/3").expect("the tower has four blocks");
    let mut heights = Vec::new();
    for push in 0..5 {
        world.restore(&now)?;
        if let Some(mut block) = world.body_mut(top) {
            let at = block.view().centre();
            block.apply_impulse(Vec3::X * (8.0 * f64::from(push)), at);
        }
        world.run_for(0.5);
        let height = world.body(top).map_or(0.0, |block| block.pose().position.y);
        println!("pushed with {} N s: {height:.3} m high", 8 * push);
        heights.push(height);
    }
    assert!(heights[0] > 1.39 && heights[4] < 1.3);
    Ok(())
}
