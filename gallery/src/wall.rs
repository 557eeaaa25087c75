//! A wall of two hundred bricks (Erleben 2007, Fig. 10): ten rows of nineteen and a half.
//!
//! Ours: rows are closed with half a brick. A row shifted as a whole would leave the last brick of
//! the top row with its centre exactly above an edge, where standing and falling are both right.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "wall",
    about: "ten rows of bricks, 200 in all",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.material("default", 0.25, 0.15);
    scene.ground_slab(60.0, 1.0, 20.0);
    let wall = Wall {
        rows: 10,
        columns: 19,
        size: [2.0, 1.0, 1.0],
        half_bricks: true,
        ..Wall::default()
    };
    scene.generate(Generator::new("wall", Pattern::Wall(wall)).density(PAPER_DENSITY));
    scene
        .truth(stands_still("wall/*", 5e-3))
        .truth(penetration_below(3e-4))
        .truth(stays_finite());
    scene
}
