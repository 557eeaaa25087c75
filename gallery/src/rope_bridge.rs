//! A bridge of planks that hang on two ropes, crossed by a ball.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "rope-bridge",
    about: "seven planks on two ropes between two banks; a ball is thrown onto the middle",
    system: "strand",
    build,
};

/// Segments of a rope, and every how many a plank hangs.
const SEGMENTS: u32 = 24;
const EVERY: u32 = 3;

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 4.0;
    let at = |k: u32| {
        let u = f64::from(k) / f64::from(SEGMENTS);
        [4.0 * (u - 0.5), -1.2 * u * (1.0 - u)]
    };
    let planks: Vec<u32> = (1..SEGMENTS / EVERY).map(|k| EVERY * k).collect();
    for &k in &planks {
        let [x, y] = at(k);
        let mut plank = Body::block(0.35, 0.04, 0.9).named(format!("plank-{k}"));
        // the ropes run along its ends
        plank.passable = true;
        scene.add(plank.mass(3.0).at(x, y, 0.0));
    }
    let mut fibre = Fibre::thread(0.3, 1e-4, 1e-4);
    fibre.radius = 5e-3.into();
    for (name, side) in [("left", -0.42), ("right", 0.42)] {
        let points = (0..=SEGMENTS).map(|k| {
            let [x, y] = at(k);
            [x, y, side]
        });
        let mut rope = Strand::through(points).named(name).hold(Hold::tip());
        rope.root = 0.0;
        for &k in &planks {
            let plank = Anchor::On(format!("plank-{k}"));
            rope = rope.hold(Hold::point(k as usize).to(plank));
        }
        scene.add(rope.of(fibre.clone()));
    }
    let ball = Body::ball(0.12).named("ball").mass(4.0);
    scene.add(ball.at(0.0, 0.3, 0.0));
    scene.camera = Some(Camera::new([2.2, 0.8, 3.6], [0.0, -0.3, 0.0]));
    scene
        .truth(stays_above("plank-*", -0.75))
        // of 17 J in the ball's fall; measured: 0.05
        .truth(energy_never_rises(0.1));
    runs_well(&mut scene);
    scene
}
