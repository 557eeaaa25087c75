//! A round tower of 320 bricks (Erleben 2007, Fig. 11).

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "tower",
    about: "20 layers of 16 bricks on a ring",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.material("default", 0.25, 0.15);
    scene.ground_slab(20.0, 1.0, 20.0);
    scene.generate(
        Generator::new("tower", Pattern::Ring(paper_ring(16, 20))).density(PAPER_DENSITY),
    );
    scene
        .truth(stands_still("tower/*", 5e-3))
        .truth(penetration_below(3e-4))
        .truth(stays_finite());
    scene
}
