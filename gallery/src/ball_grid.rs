//! A block of 125 balls that overlap by a tenth of their width (Erleben 2007, Fig. 13): the
//! correction must be done within six frames.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "ball-grid",
    about: "125 frictionless balls that start 0.1 m inside each other",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 0.6;
    // a frame is a step, as the paper counts
    scene.frame_rate = 100.0;
    scene.material("default", 0.0, 0.0);
    scene.ground_slab(20.0, 1.0, 20.0);
    let balls = Grid {
        counts: [5; 3],
        shapes: vec![Shape::ball(0.5)],
        spacing: [0.9; 3],
        ..Grid::default()
    };
    scene.generate(Generator::new("ball", Pattern::Grid(balls)).at(0.0, 0.5, 0.0));
    scene
        .truth(penetration_below(1e-3).over(0.06..))
        .truth(speed_below("ball/*", 0.1).over(0.06..))
        .truth(stays_finite());
    scene
}
