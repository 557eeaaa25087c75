//! Comparison with other engines: 125 balls that overlap each other and the ground by 0.1 m.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "bench-ball-grid",
    about: "comparison: 125 balls that start 0.1 m inside each other and the ground",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = comparison(&ENTRY);
    scene.duration = 1.2;
    // a frame is a step, as the paper counts
    scene.frame_rate = 100.0;
    let balls = Grid {
        counts: [5; 3],
        shapes: vec![Shape::ball(0.5)],
        spacing: [0.9; 3],
        ..Grid::default()
    };
    scene.generate(Generator::new("ball", Pattern::Grid(balls)).at(0.0, 0.4, 0.0));
    scene
        .truth(penetration_below(1e-3).over(0.06..))
        .truth(speed_below("ball/*", 0.1).over(0.06..))
        .truth(stays_finite());
    scene
}
