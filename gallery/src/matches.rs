//! Ninety-six matches fall from a hand's breadth: slender bodies that tumble and strike each other, of which an
//! explicit rotation makes an explosion.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "matches",
    about: "96 matches, 40 x 2 x 2 mm, dropped in a heap",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 2.0;
    scene.ground_slab(1.0, 0.05, 1.0);
    let matches = Grid {
        counts: [4, 6, 4],
        shapes: vec![Shape::block(0.04, 0.002, 0.002)],
        spacing: [0.045; 3],
        jitter: [1e-4; 3],
        tumble: true,
        ..Grid::default()
    };
    scene.generate(Generator::new("match", Pattern::Grid(matches)).at(0.0, 0.05, 0.0));
    scene.camera = Some(Camera::new([0.25, 0.2, 0.3], [0.0, 0.02, 0.0]));
    // all of them together weigh 15 g and fall 0.2 m: 0.03 J
    scene
        .truth(energy_never_rises(3e-5))
        .truth(stays_inside("match/*", [-0.5, 0.0, -0.5], [0.5, 0.4, 0.5]))
        .truth(kinetic_energy_below().with("per_kg", 1e-3).over(1.5..))
        .truth(stays_finite());
    scene
}
