//! A world that is played with while it runs: things come and go, are pushed, touched, looked for, and undone.

#![allow(clippy::print_stdout, clippy::expect_used)]

use drystone::prelude::*;

/// Runs it.
pub fn main() -> Result<(), SceneError> {
    let mut scene = Scene::new();
    let ground = scene.ground();
    let ball = scene.add(Body::ball(0.2).named("ball").at(0.0, 1.0, 0.0).mass(1.0));
    let mut world = World::new(&scene)?;

    // it falls; the world says when it lands
    while !world
        .events()
        .iter()
        .any(|e| matches!(e, Event::ContactBegan { .. }))
    {
        world.step();
    }
    println!("the ball lands after {:.2} s", world.time());

    // push it along, and look at what it touches
    let centre = world.body(ball).map_or(Vec3::ZERO, |body| body.centre());
    if let Some(mut body) = world.body_mut(ball) {
        body.apply_impulse(Vec3::X * 0.5, centre);
    }
    world.run_for(0.2);
    if let Some(body) = world.body(ball) {
        println!("it rolls with {:.2} m/s", body.velocity().x);
        assert!(body.contacts().iter().all(|c| c.other == ground.into()));
    }

    // drop a box where a ray from above meets the ground
    let hit = world
        .ray_cast(Vec3::new(3.0, 5.0, 0.0), Vec3::NEG_Y)
        .expect("the ground has no end");
    assert_eq!(hit.body, ground);
    let block = Body::cube(0.4)
        .at(hit.point.x, hit.point.y + 0.2, 0.0)
        .mass(2.0);
    let block = world.add(block)?;

    // a rope on the box, and a cloth that hangs from two pins
    let rope = Strand::straight([3.0, 0.4, 0.0], [3.0, 0.8, 0.0], 8).on(name(&world, block));
    let rope = world.add(rope)?;
    let sheet = Surface::Sheet {
        columns: 8,
        rows: 8,
        spacing: 0.1,
    };
    let mut cloth = Cloth::new("curtain", sheet).at(-2.0, 1.5, 0.0);
    cloth.pins = [0, 7]
        .map(|corner| Pin {
            part: ClothPart::Vertices(vec![corner]),
            ..Pin::default()
        })
        .into();
    let curtain = world.add(cloth)?;

    // what happens next can be undone, with all that came and went
    let before = world.snapshot();
    world.run_for(0.2);
    world.remove(block);
    assert!(world.body(block).is_none() && world.strand(rope).is_some());
    world.restore(&before)?;
    assert!(world.body(block).is_some());

    world.run_for(0.3);
    let [rope, curtain] = [
        world.strand(rope).map(|rope| rope.points()[8]),
        world.cloth(curtain).map(|cloth| cloth.points()[63]),
    ];
    println!("the rope ends at {rope:.2?}, the curtain at {curtain:.2?}");
    Ok(())
}

fn name(world: &World, id: BodyId) -> String {
    world
        .body(id)
        .map_or_else(String::new, |body| body.name().into())
}
