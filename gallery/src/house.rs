//! A brick house under a hail of two hundred balls.
//!
//! The balls come down 160 m before the house, slide until they roll, and arrive after about
//! seven seconds.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "house",
    about: "a house of 290 bricks, and 200 balls that roll into it",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 12.0;
    scene.frame_rate = 25.0;
    scene.material("default", 0.25, 0.15);
    scene.ground();
    scene.generate(
        Generator::new("house", Pattern::House(House::default())).density(PAPER_DENSITY),
    );
    let balls = Fill {
        count: 200,
        shapes: vec![Shape::ball(0.5)],
        low: [-20.0, -10.0, -20.0],
        high: [20.0, 10.0, 20.0],
        ..Fill::default()
    };
    scene.generate(
        Generator::new("ball", Pattern::Fill(balls))
            .at(-300.0, 49.5, 300.0)
            .velocity(50.0, 0.0, -50.0)
            .density(50.0),
    );
    scene.camera = Some(Camera::new([-34.0, 20.0, 30.0], [0.0, 5.0, 0.0]));
    // all together start with 1.5e7 J; alone a ball comes to 78.5 m/s, in a crowd to a little more
    scene
        .truth(stands_still("house/*", 5e-3).over(..5.0))
        .truth(penetration_below(3e-4).over(..3.0))
        .truth(moves("house/*", 1.0))
        .truth(energy_never_rises(1e4))
        .truth(speed_below("*", 100.0))
        .truth(stays_above("*", 0.0))
        .truth(stays_finite());
    scene
}
