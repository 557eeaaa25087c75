//! A crumpling sheet in free space: its corners fly at each other, it folds and hits itself. Momentum
//! is kept to rounding, whatever the layers do.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "free-sheet",
    about: "a sheet in free space folds onto itself and keeps its momentum",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = draping(&ENTRY, 2.0);
    scene.gravity = [0.0; 3];
    // a strip bent like a U that is closing
    let arm = 1.2;
    let through = vec![
        [-arm, 0.5, 0.0],
        [-0.2, 0.5, 0.02],
        [0.3, 0.0, 0.0],
        [-0.2, -0.5, -0.02],
        [-arm, -0.5, 0.0],
    ];
    let ribbon = Surface::Ribbon {
        through,
        columns: 8,
        spacing: SPACING,
        along: None,
        across: [0.0, 0.0, 1.0],
    };
    let strip = Cloth::new("strip", ribbon).of(seed(0.1, 200.0, 0.02, 1e-3));
    scene.add(strip.velocity(0.3, 0.0, 0.0).colour(0.3, 0.55, 0.35));
    let ball = Surface::Sphere {
        radius: 0.3,
        subdivisions: 1,
    };
    // what closes it is a soft ball that flies into it
    let ball = Cloth::new("ball", ball).at(-2.5, 0.31, 0.1).velocity(3.0, 0.4, 0.0);
    scene.add(ball.of(seed(0.1, 300.0, 0.02, 0.05)).colour(0.8, 0.5, 0.2));
    safe_and_going(&mut scene).truth(cloth::momentum_kept(1e-10));
    scene
}
