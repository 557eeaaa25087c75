//! Lamps on cords: a body that carries a strand and one that is held by a strand hang alike.
//!
//! Of each pair of lamps one cord is rooted on the lamp and held at the ceiling, the other is rooted at the
//! ceiling and held on the lamp. From 10 g to 100 kg on a cord of 50 g, they hang where they are.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "lamps",
    about: "lamps of 10 g to 100 kg hang on cords rooted at either end",
    system: "strand",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 2.0;
    let mut cord = Fibre::thread(0.05, 1e-5, 1e-5);
    cord.radius = 2e-3.into();
    for (k, mass) in [0.01, 0.1, 1.0, 10.0, 100.0].into_iter().enumerate() {
        for (side, on_lamp) in [(-0.25, true), (0.25, false)] {
            let x = 0.4 * (k as f64 - 2.0);
            let (low, high) = ([x, -1.0, side], [x, 0.0, side]);
            let name = format!("lamp-{k}{}", if on_lamp { "a" } else { "b" });
            let lamp = Body::ball(0.05).named(name.clone()).mass(mass);
            scene.add(lamp.at(x, -1.05, side));
            let mut strand = if on_lamp {
                let strand = Strand::straight(low, high, 10).on(&name);
                strand.hold(Hold::tip())
            } else {
                let strand = Strand::straight(high, low, 10);
                strand.hold(Hold::tip().to(Anchor::On(name.clone())))
            };
            strand.root = 0.0;
            scene.add(strand.named(format!("cord-{name}")).of(cord.clone()));
        }
    }
    scene.camera = Some(Camera::new([0.0, -0.4, 3.2], [0.0, -0.55, 0.0]));
    scene
        .truth(stands_still("lamp-*", 1e-6)) // measured: 1.3e-7
        .truth(energy_never_rises(1e-6));
    runs_well(&mut scene);
    scene
}
