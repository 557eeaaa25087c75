//! Ninety-six plates, fifty times as wide as thick, tumble into a heap: an overlap of half their thickness would push them
//! out on the wrong side.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "dropped-plates",
    about: "96 plates, 1 x 0.02 x 1 m, dropped in a heap",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 3.0;
    scene.ground();
    let plates = Grid {
        counts: [4, 6, 4],
        shapes: vec![Shape::block(1.0, 0.02, 1.0)],
        spacing: [1.5; 3],
        jitter: [0.01; 3],
        tumble: true,
        ..Grid::default()
    };
    scene.generate(Generator::new("plate", Pattern::Grid(plates)).at(0.0, 1.0, 0.0));
    scene.camera = Some(Camera::new([7.0, 5.0, 9.0], [0.0, 0.8, 0.0]));
    // a fifth of the thickness; 2 t that fall 4 m have 80 kJ
    scene
        .truth(penetration_below(4e-3))
        .truth(energy_never_rises(80.0))
        .truth(stays_finite());
    scene
}
