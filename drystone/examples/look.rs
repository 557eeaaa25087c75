//! Questions about a scene at rest: what does a ray hit, what is near, what overlaps?

#![allow(clippy::print_stdout, clippy::expect_used)]

use drystone::prelude::*;

/// Runs it.
pub fn main() -> Result<(), SceneError> {
    let mut scene = Scene::new();
    let ground = scene.ground();
    let grid = Grid {
        counts: [5, 1, 5],
        spacing: [1.0; 3],
        shapes: vec![Shape::ball(0.3)],
        ..Grid::default()
    };
    scene.generate(Generator::new("ball", Pattern::Grid(grid)).at(0.0, 0.3, 0.0));
    let world = World::new(&scene)?;

    // many questions about one moment share the work
    let query = world.query();
    let mut seen = 0;
    for k in 0..100 {
        let x = -5.0 + 0.1 * f64::from(k);
        let hit = query.ray_cast(Vec3::new(x, 4.0, 0.0), Vec3::NEG_Y, 10.0);
        seen += u32::from(hit.is_some_and(|hit| hit.body != ground));
    }
    println!("{seen} of 100 rays hit a ball");
    let near = query.closest_point(Vec3::new(0.0, 2.0, 0.0), 5.0);
    let name = near
        .and_then(|near| world.body(near.body))
        .map(|body| body.name().to_owned());
    println!("nearest to a point above: {name:?}");
    let found = query.overlapping(&Shape::cube(2.5), &Pose::at(Vec3::Y))?;
    println!("{} bodies are in a box of 2.5 m", found.len());
    assert!(seen > 0 && found.len() > 1);
    Ok(())
}
