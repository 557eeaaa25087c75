//! Two stacks of six bricks, each brick shifted against the one below by 0.18 and 0.25 of its
//! length. From 1/6 on the five upper ones have their centre outside the lowest: both must fall, the top half a brick
//! deep after 1.330 s and 0.631 s (steps of 0.2 ms solved to the end).

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "leaning-stack",
    about: "two stacks that lean too far fall over",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 3.0;
    scene.frame_rate = 100.0;
    scene.ground_slab(40.0, 1.0, 40.0);
    for (name, shift, z) in [("little", 0.18, -4.0), ("much", 0.25, 4.0)] {
        let stack = Stack {
            count: 6,
            shape: Shape::block(1.0, 0.5, 0.5),
            shift: [shift, 0.0],
            ..Stack::default()
        };
        scene.generate(Generator::new(name, Pattern::Stack(stack)).at(0.0, 0.0, z));
    }
    scene
        .truth(falls("little/5", 0.25, 0.95 * 1.33, 1.05 * 1.33))
        .truth(falls("much/5", 0.25, 0.95 * 0.631, 1.05 * 0.631))
        .truth(energy_never_rises(1.0))
        .truth(stays_finite());
    scene
}
