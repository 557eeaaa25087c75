//! Comparison with other engines: a wall 19.5 m long, ten rows of 19 bricks and a half.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "bench-wall",
    about: "comparison: a wall of 200 bricks stands for a minute",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = comparison(&ENTRY);
    let wall = Wall {
        rows: 10,
        columns: 19,
        size: [1.0, 0.5, 0.5],
        half_bricks: true,
        ..Wall::default()
    };
    scene.generate(Generator::new("wall", Pattern::Wall(wall)));
    stands_a_minute(&mut scene, "wall/*");
    scene
}
