//! Four bricks jut out over an edge, each as far as it goes: the k-th from the top may stand out
//! L/2k over the next, L/2 (1 + 1/2 + 1/3 + 1/4) = 1.0417 L in all. At 98 % of that they stand, at
//! 102 % they fall.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "overhang",
    about: "four bricks jut out over an edge: 98 % of the limit stands, 102 % falls",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.ground_slab(30.0, 1.0, 30.0);
    for (name, part, z) in [("below", 0.98, -3.0), ("above", 1.02, 3.0)] {
        // the edge is at x = 0
        scene.add(
            Body::block(4.0, 2.0, 2.0)
                .named(format!("{name}/table"))
                .at(-2.0, 1.0, z)
                .fixed(),
        );
        let (length, height) = (2.0, 0.5);
        let mut tip = 0.0;
        for i in 0..4 {
            tip += part * length / f64::from(2 * (4 - i));
            scene.add(
                Body::block(length, height, 1.0)
                    .named(format!("{name}/brick/{i}"))
                    .at(tip - 0.5 * length, 2.0 + height * (f64::from(i) + 0.5), z),
            );
        }
    }
    scene
        .truth(stands_still("below/brick/*", 5e-4))
        .truth(falls("above/brick/*", 0.5, 0.0, 5.0))
        .truth(stays_finite());
    scene
}
