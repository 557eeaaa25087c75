//! Ninety-six grains of 3 mm fall from ten times their size at the usual step, in which they travel most of their own
//! length: nothing here may be measured in millimetres.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "gravel",
    about: "96 grains of 3 mm fall on the ground",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 1.0;
    scene.frame_rate = 100.0;
    scene.ground();
    let grains = Grid {
        counts: [4, 6, 4],
        shapes: vec![Shape::cube(3e-3)],
        spacing: [6e-3; 3],
        jitter: [2e-4; 3],
        tumble: true,
        ..Grid::default()
    };
    scene.generate(Generator::new("grain", Pattern::Grid(grains)).at(0.0, 0.03, 0.0));
    scene.camera = Some(Camera::new([0.08, 0.06, 0.1], [0.0, 0.005, 0.0]));
    // all of them together weigh 2.6 g and fall 45 mm: 1.1 mJ
    scene
        .truth(penetration_below(3e-4))
        .truth(energy_never_rises(1e-6))
        .truth(kinetic_energy_below().with("per_kg", 1e-6).over(0.8..))
        .truth(stays_inside("grain/*", [-0.2, 0.0, -0.2], [0.2, 0.1, 0.2]))
        .truth(stays_finite());
    scene
}
