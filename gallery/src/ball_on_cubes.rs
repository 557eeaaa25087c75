//! A steel ball of four tonnes on a bed of light cubes: one cube in 441 carries it.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "ball-on-cubes",
    about: "a ball of 4.2 t is put on one of 441 cubes of 1 kg",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 1.0;
    scene.ground_slab(20.0, 1.0, 20.0);
    let cubes = Grid {
        counts: [21, 1, 21],
        shapes: vec![Shape::block(0.1, 0.1, 0.1)],
        spacing: [0.1; 3],
        ..Grid::default()
    };
    scene.generate(Generator::new("cube", Pattern::Grid(cubes)).at(0.0, 0.05, 0.0));
    let ball = Body::ball(0.5).named("ball").density(8000.0);
    scene.add(ball.at(0.0, 0.601, 0.0));
    scene
        .truth(penetration_below(2e-3))
        .truth(stands_still("ball", 5e-3))
        .truth(stays_finite());
    scene
}
