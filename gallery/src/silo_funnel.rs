//! The silo filled through a funnel of four tilted slabs: 5000 bodies. Ours: the floor has no end.

use crate::prelude::*;
use crate::silo::grains;

pub(crate) const ENTRY: Entry = Entry {
    name: "silo-funnel",
    about: "4835 balls roll down four slabs and through a hole into a ring of bricks",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 16.0;
    scene.frame_rate = 25.0;
    scene.material("default", 0.25, 0.15);
    scene.ground();
    // a hole of 10 x 10 m between slabs that slope down to it
    let slabs = [
        ("right", [20.0, 0.0], [0.0, 0.0, 1.0], 5.0),
        ("left", [-20.0, 0.0], [0.0, 0.0, 1.0], -5.0),
        ("front", [0.0, 20.0], [1.0, 0.0, 0.0], -5.0),
        ("back", [0.0, -20.0], [1.0, 0.0, 0.0], 5.0),
    ];
    for (side, [x, z], axis, degrees) in slabs {
        let slab = Body::block(30.0, 1.0, 30.0).named(format!("funnel/{side}"));
        scene.add(slab.at(x, 24.5, z).turned(axis, degrees).fixed());
    }
    scene.generate(Generator::new("ring", Pattern::Ring(paper_ring(32, 5))).density(2000.0));
    let grains = Fill {
        count: 4835,
        shapes: grains(),
        low: [-12.0, 28.5, -12.0],
        high: [12.0, 76.5, 12.0],
        ..Fill::default()
    };
    scene.generate(Generator::new("grain", Pattern::Fill(grains)).density(120.0));
    scene.camera = Some(Camera::new([45.0, 45.0, 70.0], [0.0, 18.0, 0.0]));
    scene
        .truth(stands_still("ring/*", 5e-3).over(..4.0))
        .truth(standing_fraction("ring/*", 0.5, 1.0).with("at_least", 0.9))
        // while they pour in, a small one may be struck into the floor, but not through it;
        // some are thrown off the slabs, at tens of metres a second, and far away
        .truth(stays_inside("grain/*", [-300.0, -0.5, -300.0], [300.0, 77.0, 300.0]))
        .truth(stays_above("grain/*", 0.09).over(15.0..))
        .truth(penetration_below(4e-3).over(16.0..))
        .truth(speed_below("*", 60.0))
        .truth(stays_finite());
    scene
}
