//! A plank juts out over an edge and is held by a weight on its inner end, or is not.
//!
//! The plank (300 kg, 3 m) has its middle 0.5 m beyond the edge, the weight 0.75 m before it: 200 kg
//! is the least that holds. 220 kg holds, 180 kg does not.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "counterweight",
    about: "one weight holds a jutting plank, another is too light",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 5.0;
    scene.ground_slab(20.0, 1.0, 20.0);
    for (name, weight, z) in [("enough", 220.0, -3.0), ("too-light", 180.0, 3.0)] {
        // the edge is at x = 0
        scene.add(
            Body::block(2.0, 2.0, 1.0)
                .named(format!("{name}/pier"))
                .at(-1.0, 1.0, z)
                .fixed(),
        );
        scene.add(
            Body::block(3.0, 0.2, 1.0)
                .named(format!("{name}/plank"))
                .at(0.5, 2.1, z)
                .mass(300.0),
        );
        scene.add(
            Body::block(0.4, 0.5, 0.5)
                .named(format!("{name}/weight"))
                .at(-0.75, 2.45, z)
                .mass(weight),
        );
    }
    scene
        .truth(stands_still("enough/*", 5e-4))
        .truth(falls("too-light/plank", 0.5, 0.0, 5.0))
        .truth(stays_finite());
    scene
}
