//! Grains fall into a silo of loose bricks (Erleben 2007, Fig. 1): 3000 bodies. Ours: the floor is
//! 80 m wide instead of 30.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "silo",
    about: "2839 balls rain into a ring of loose bricks",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 8.0;
    scene.frame_rate = 25.0;
    scene.material("default", 0.25, 0.15);
    scene.ground_slab(80.0, 1.0, 80.0);
    scene.generate(
        Generator::new("ring", Pattern::Ring(paper_ring(32, 5))).density(PAPER_DENSITY),
    );
    let grains = Fill {
        count: 2839,
        shapes: grains(),
        low: [-5.0, 24.5, -5.0],
        high: [5.0, 54.5, 5.0],
        ..Fill::default()
    };
    scene.generate(Generator::new("grain", Pattern::Fill(grains)).density(PAPER_DENSITY));
    scene.camera = Some(Camera::new([14.0, 15.0, 24.0], [0.0, 1.5, 0.0]));
    // the ring is 8.24 m from its middle to the middle of a brick, and 5 m high
    scene
        .truth(stands_still("ring/*", 5e-3).over(..2.2))
        .truth(standing_fraction("ring/*", 0.5, 1.0).with("at_least", 0.9))
        // while they pour in, a small one may be struck into the floor, but not through it;
        // some are thrown over the rim
        .truth(stays_inside("grain/*", [-40.0, -0.5, -40.0], [40.0, 55.0, 40.0]))
        .truth(stays_above("grain/*", 0.09).over(7.0..))
        .truth(penetration_below(4e-3).over(8.0..))
        // a grain falls with 32.7 m/s at most, and throws a lighter one up to 1.15 times as fast
        .truth(speed_below("*", 38.0))
        .truth(stays_finite());
    scene
}

/// Three sizes, in turn.
pub(crate) fn grains() -> Vec<Shape> {
    [0.1, 0.2, 0.3].map(Shape::ball).into()
}
