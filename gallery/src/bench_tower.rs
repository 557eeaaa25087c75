//! Comparison with other engines: 20 layers of 16 bricks on a ring.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "bench-tower",
    about: "comparison: 20 layers of 16 bricks on a ring stand for a minute",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = comparison(&ENTRY);
    let ring = Ring {
        bricks: 16,
        layers: 20,
        size: [0.5, 0.5, 1.0],
        ..Ring::default()
    };
    scene.generate(Generator::new("tower", Pattern::Ring(ring)));
    stands_a_minute(&mut scene, "tower/*");
    scene
}
