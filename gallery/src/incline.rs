//! A slope of 20 degrees with an answer in closed form for each thing on it.
//!
//! `a = g (sin θ − μ cos θ)` for what slides, nothing for what sticks (μ ≥ tan θ = 0.364),
//! `5/7 g sin θ` for a ball that rolls; a post tips when it is more than cot θ = 2.75 times as high
//! as wide.

use drystone_base::functions::{cos, sin};

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "incline",
    about: "things that stick, slide, roll, stand and tip on a slope",
    system: "rigid",
    build,
};

/// Of the slope \[degrees\].
const SLOPE: f64 = 20.0;

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 5.0;
    let (s, c) = (sin(SLOPE.to_radians()), cos(SLOPE.to_radians()));
    scene.material("slope", 0.5, 0.0);
    scene.add(
        Body::new(Shape::HalfSpace)
            .named("slope")
            .turned([0.0, 0.0, 1.0], -SLOPE)
            .of("slope")
            .fixed(),
    );
    // friction against the slope; sizes along the slope, across it, and along z
    let things = [
        ("sticks", Shape::block(1.0, 0.5, 1.0), 0.38),
        ("slides", Shape::block(1.0, 0.5, 1.0), 0.2),
        ("glides", Shape::block(1.0, 0.5, 1.0), 0.0),
        ("rolls", Shape::ball(0.5), 0.5),
        ("stands", Shape::block(0.4, 1.08, 0.4), 0.5),
        ("tips", Shape::block(0.4, 1.12, 0.4), 0.5),
    ];
    for (i, (name, shape, friction)) in things.into_iter().enumerate() {
        scene.material(name, friction, 0.0);
        scene.contact(name, "slope", friction, 0.0);
        let above = match shape {
            Shape::Box { size } => 0.5 * size[1],
            _ => 0.5,
        };
        scene.add(
            Body::new(shape)
                .named(name)
                .at(above * s, above * c, 2.0 * i as f64 - 5.0)
                .turned([0.0, 0.0, 1.0], -SLOPE)
                .of(name),
        );
    }
    // closed forms of what slides, glides and rolls
    let g = 9.81;
    let down = [c, -s, 0.0];
    for (name, a) in [
        ("slides", g * (s - 0.2 * c)),
        ("glides", g * s),
        ("rolls", 5.0 / 7.0 * g * s),
    ] {
        let t = 5.0;
        // semi-implicit Euler runs ahead by a h t/2, h no longer than the step
        let ahead = 0.5 * a * scene.dt * t;
        scene
            .truth(speed_is(name, a * t, 1e-3 * a * t).with("along", down).at(t))
            .truth(moved_by(name, down, 0.5 * a * t * t + 0.5 * ahead, 0.5 * ahead).at(t));
    }
    scene
        .truth(speed_below("sticks", 1e-6).over(1.0..))
        .truth(stands_still("sticks", 1e-4))
        .truth(stands_still("stands", 1e-3))
        .truth(tumbles("tips", 45.0))
        .truth(stays_finite());
    scene
}
