//! A world that is played with while it runs: things come and go, are pushed, touched, looked for, and undone.

#![allow(clippy::print_stdout, clippy::expect_used)]

use drystone::prelude::*;

/// Runs it.
pub fn main() -> Result<(), SceneError> {
    let mut scene = Scene::new();
    let ground = scene.ground();
    let ball = scene.add(Body::ball(0.2).at(0.0, 1.0, 0.0).mass(1.0));
    let mut world = World::new(&scene)?;

    // it falls; the world says when it lands
    let (a, b) = (ground.into(), ball.into());
    while !world.events().contains(&Event::ContactBegan { a, b }) {
        world.step();
    }
    println!("the ball lands after {:.2} s", world.time());

    // push it along, and look at what it touches
    let mut body = world.body_mut(ball).expect("it is there");
    body.apply_impulse(Vec3::X * 0.5, body.view().centre());
    world.run_for(0.2);
    let body = world.body(ball).expect("it is there");
    println!("it rolls with {:.2} m/s", body.velocity().x);
    assert!(body.contacts().iter().all(|c| c.other == ground.into()));

    // put a box where a ray from above meets the ground
    let hit = world.ray_cast(Vec3::new(3.0, 5.0, 0.0), Vec3::NEG_Y);
    let [x, y, z] = hit.expect("the ground has no end").point.to_array();
    let block = world.add(Body::cube(0.4).named("box").at(x, y + 0.2, z).mass(2.0))?;

    // a rope on the box, and a cloth that hangs from two pins
    let rope = world.add(Strand::straight([x, 0.4, z], [x, 0.8, z], 8).on("box"))?;
    let (columns, rows, spacing) = (8, 8, 0.1);
    let sheet = Surface::Sheet {
        columns,
        rows,
        spacing,
    };
    let mut cloth = Cloth::new("curtain", sheet).at(-2.0, 1.5, 0.0);
    cloth.pins = vec![Pin::default()];
    cloth.pins[0].part = ClothPart::Vertices(vec![0, 7]);
    let curtain = world.add(cloth)?;

    // what happens next can be undone, with all that came and went
    let before = world.snapshot();
    world.run_for(0.2);
    world.remove(block);
    assert!(world.body(block).is_none() && world.strand(rope).is_some());
    world.restore(&before)?;
    assert!(world.body(block).is_some());

    world.run_for(0.3);
    let tip = world.strand(rope).expect("it is there").points()[8];
    let hem = world.cloth(curtain).expect("it is there").points()[63];
    println!("the rope ends at {tip:.2}, the curtain at {hem:.2}");
    Ok(())
}
