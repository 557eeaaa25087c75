//! A heavy box is placed on one end of a seesaw and lifts a light one: static load must act at
//! once and reach the other end in full.
//!
//! Plank (500 kg, 6 x 0.2 x 1 m), light box (125 kg) and heavy box (1000 kg) turn about the
//! fulcrum's edge. The lift wanted is that of steps of 0.2 ms solved to the end; a test finds the
//! same from the equation of a rigid pendulum.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "seesaw-placed",
    about: "a heavy box placed on a seesaw lifts a light one",
    system: "rigid",
    build,
};

/// Of the light box after 0.2 s \[m\].
const LIFT: f64 = 0.1185;

fn build() -> Scene {
    let mut scene = seesaw(&ENTRY, 0.0);
    scene.duration = 1.0;
    scene
        .truth(moved_by("light", [0.0, 1.0, 0.0], LIFT, 0.04 * LIFT).at(0.2))
        .truth(stays_finite());
    scene
}

/// The plank lies level on an edge and, at its light end, on a stop; the heavy box starts `gap`
/// above the other end \[m\].
pub(crate) fn seesaw(entry: &Entry, gap: f64) -> Scene {
    let mut scene = entry.start();
    // a frame is a step, so that truths speak of exact times
    scene.frame_rate = 100.0;
    scene.ground_slab(20.0, 1.0, 20.0);
    let height = 1.0;
    let wedge = vec![
        [-0.5, 0.0, -0.6],
        [0.5, 0.0, -0.6],
        [0.0, height, -0.6],
        [-0.5, 0.0, 0.6],
        [0.5, 0.0, 0.6],
        [0.0, height, 0.6],
    ];
    scene.add(
        Body::new(Shape::Hull { points: wedge })
            .named("fulcrum")
            .fixed(),
    );
    scene.add(
        Body::block(0.2, height, 1.0)
            .named("stop")
            .at(-2.8, 0.5 * height, 0.0)
            .fixed(),
    );
    scene.add(
        Body::block(6.0, 0.2, 1.0)
            .named("plank")
            .at(0.0, height + 0.1, 0.0)
            .mass(500.0),
    );
    scene.add(
        Body::cube(0.5)
            .named("light")
            .at(-2.5, height + 0.45, 0.0)
            .mass(125.0),
    );
    scene.add(
        Body::cube(0.8)
            .named("heavy")
            .at(2.5, height + 0.6 + gap, 0.0)
            .mass(1000.0),
    );
    scene
}
