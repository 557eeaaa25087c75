//! A ball is thrown into a brick wall under a sheet: bodies that touch each other, and cloth between them.
//!
//! The ball, the sheet and the bricks behind it push each other within one step of the bodies, and what a brick
//! takes it hands on to its neighbours at once.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "draped-wall",
    about: "a ball of 20 kg goes through a wall of bricks under a sheet",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 1.0;
    scene.dt = 0.01;
    scene.frame_rate = 50.0;
    scene.solver.cloth.thickness = Some(0.01);
    scene.ground_slab(20.0, 1.0, 20.0);
    for row in 0..4 {
        let count = 4 - row % 2;
        for k in 0..count {
            let x = 0.402 * (f64::from(k) - 0.5 * f64::from(count - 1));
            let brick = Body::block(0.4, 0.2, 0.2).named(format!("brick-{row}-{k}"));
            scene.add(brick.at(x, 0.1 + 0.2 * f64::from(row), 0.0).mass(2.0));
        }
    }
    let surface = Surface::Sheet {
        columns: 25,
        rows: 21,
        spacing: 0.07,
    };
    let mut material = seed(0.2, 500.0, 0.2, 1e-3);
    material.friction = 0.3;
    let sheet = Cloth::new("sheet", surface).at(0.0, 0.83, 0.0);
    scene.add(sheet.of(material).colour(0.25, 0.45, 0.7));
    let ball = Body::ball(0.12).named("ball").mass(20.0);
    let ball = ball.at(0.0, 0.5, 2.0).velocity(0.0, 1.0, -10.0);
    scene.add(ball.colour(0.7, 0.35, 0.2));
    scene.camera = Some(Camera::new([2.2, 1.5, 2.6], [0.0, 0.3, -0.3]));
    safe_and_going(&mut scene)
        .truth(moves("brick-1-*", 0.3))
        .truth(energy_never_rises(1.0)); // of 1100 J
    scene
}
