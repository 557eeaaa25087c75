//! Comparison with other engines: 40 layers of 20 bricks on a ring, a slab that falls on them at
//! 2 s, and a ball of 20 brick masses at 4 s. The other engines were run for 6 s; ours goes on, to
//! see the rubble come to rest.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "bench-roof-tower",
    about: "comparison: 800 bricks, a falling slab at 2 s and a cannon-ball at 4 s",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = comparison(&ENTRY);
    scene.duration = 9.0;
    let ring = Ring {
        bricks: 20,
        layers: 40,
        size: [0.5, 0.5, 1.0],
        ..Ring::default()
    };
    let (top, reach) = (20.0, ring.radius() + 0.75);
    scene.generate(Generator::new("tower", Pattern::Ring(ring)));
    scene.add(
        Body::block(2.0 * reach, 0.5, 2.0 * reach)
            .named("roof")
            .at(0.0, top + 1.5 + 0.25, 0.0)
            .enters_at(2.0),
    );
    scene.add(
        Body::ball(0.7)
            .named("ball")
            .at(-12.0, 8.25, 0.0)
            .velocity(30.0, 0.0, 0.0)
            .mass(5000.0)
            .enters_at(4.0),
    );
    scene.camera = Some(Camera::new([-20.0, 16.0, 30.0], [0.0, 9.0, 0.0]));
    // half a brick's thickness sideways and a brick's height
    let within = [0.25, 0.5];
    scene
        // at rest
        .truth(penetration_below(3e-4).over(..2.0))
        .truth(stands_still("tower/*", 5e-4).with("sideways", true).over(..2.0))
        .truth(kinetic_energy_below().with("joules", 0.01).over(1.5..2.0))
        // under the roof
        .truth(penetration_below(2e-3).over(2.0..4.0))
        .truth(stands_still("tower/*", 5e-3).with("sideways", true).over(..4.0))
        // after the ball, which has opened the wall
        .truth(standing_fraction("tower/*", within[0], within[1]).with("at_least", 0.9).at(6.0))
        .truth(standing_fraction("tower/*", within[0], within[1]).with("at_most", 0.995).at(6.0))
        .truth(standing_fraction("tower/*", within[0], within[1]).with("at_least", 0.9))
        .truth(speed_below("*", 35.0))
        .truth(penetration_below(1e-3).over(8.0..))
        .truth(stays_above("tower/*", 0.0))
        .truth(stays_finite());
    scene
}
