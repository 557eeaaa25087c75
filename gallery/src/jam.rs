//! Overlaps that nothing can solve: two balls of 1.2 m side by side between walls 2 m apart, and
//! five of them on top of each other between floor and ceiling. The correction must stay bounded, and each is
//! a finding.

use drystone_world::FindingKind;

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "jam",
    about: "balls between walls that leave too little room for them",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 3.0;
    scene.ground_slab(40.0, 1.0, 40.0);
    // two side by side
    for (side, x) in [("left", -1.5), ("right", 1.5)] {
        let wall = Body::block(1.0, 4.0, 4.0).named(format!("wall/{side}"));
        scene.add(wall.at(x, 2.0, 0.0).fixed());
        scene.add(
            Body::ball(0.6)
                .named(format!("pair/{side}"))
                .at(x.signum() * 0.4, 0.6, 0.0),
        );
    }
    // five on top of each other
    scene.add(
        Body::block(4.0, 1.0, 4.0)
            .named("ceiling")
            .at(7.0, 2.5, 0.0)
            .fixed(),
    );
    let stack = Stack {
        count: 5,
        shape: Shape::ball(0.6),
        spacing: Some(0.2),
        ..Stack::default()
    };
    scene.generate(Generator::new("five", Pattern::Stack(stack)).at(7.0, 0.0, 0.0));
    // what is squeezed out is no faster than a fall from the ceiling makes it
    scene
        .truth(stays_inside("*", [-15.0, -0.7, -15.0], [15.0, 5.0, 15.0]))
        .truth(speed_below("*", 7.0))
        .truth(known_finding(FindingKind::BodiesOverlap, 7))
        .truth(stays_finite());
    scene
}
