//! Five by five columns of five cubes, side by side, and three hundred times the mass of a cube on the middle one:
//! the load goes straight down one column of many.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "loaded-columns",
    about: "125 cubes side by side carry 300 times their mass on one column",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 2.0;
    scene.ground_slab(20.0, 1.0, 20.0);
    let cubes = Grid {
        counts: [5; 3],
        shapes: vec![Shape::block(1.0, 1.0, 1.0)],
        spacing: [1.0; 3],
        ..Grid::default()
    };
    scene.generate(Generator::new("cube", Pattern::Grid(cubes)).at(0.0, 0.5, 0.0));
    let load = Body::block(1.0, 1.0, 1.0).named("load").mass(3e5);
    scene.add(load.at(0.0, 5.5, 0.0));
    scene
        .truth(stands_still("*", 1e-3))
        .truth(penetration_below(1e-3))
        .truth(stays_finite());
    scene
}
