//! The tip of a spinning rod comes at a thin plate with eighty metres a second: rotation alone leads it there.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "rod-and-plate",
    about: "a rod spins its tip against a plate 20 mm thin, and bounces off",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 0.5;
    scene.frame_rate = 100.0;
    scene.gravity = [0.0; 3];
    let plate = Body::block(0.02, 2.0, 2.0).named("plate").fixed();
    scene.add(plate.at(0.5, 1.0, 0.0));
    let rod = Body::block(2.0, 0.04, 0.04).named("rod").density(7800.0);
    let rod = rod.at(-0.3, 1.0, 0.0).turned([0.0, 0.0, 1.0], 90.0);
    scene.add(rod.spin(0.0, 0.0, 80.0));
    // 27 kJ at the start
    scene
        .truth(penetration_below(2e-3))
        .truth(energy_never_rises(30.0))
        .truth(stays_finite());
    scene
}
