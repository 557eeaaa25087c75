//! Two half-circle arches of seventeen stones. Their thickness decides: an arch needs 0.1075 of its
//! radius to hold itself. At 0.15 it stands, at 0.09 it falls.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "arch",
    about: "a thick arch of 17 stones stands, a thin one falls",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 30.0;
    scene.frame_rate = 25.0;
    scene.material("default", 0.7, 0.0);
    scene.ground_slab(40.0, 1.0, 40.0);
    for (name, ratio, z) in [("thick", 0.15, -4.0), ("thin", 0.09, 4.0)] {
        let arch = Arch {
            voussoirs: 17,
            mean_radius: 5.0,
            thickness: 5.0 * ratio,
            depth: 1.0,
            opening_degrees: 180.0,
        };
        scene.generate(Generator::new(name, Pattern::Arch(arch)).at(0.0, 0.0, z));
    }
    scene
        // stones that start without load settle a little, and then do not creep
        .truth(stands_still("thick/*", 2e-2))
        .truth(stands_still("thick/*", 1e-4).over(6.0..))
        .truth(falls("thin/8", 2.0, 0.0, 15.0))
        .truth(stays_finite());
    scene
}
