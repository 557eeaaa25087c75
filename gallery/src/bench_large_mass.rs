//! Comparison with other engines: nine unit cubes carry one a thousand times as heavy.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "bench-large-mass",
    about: "comparison: nine cubes carry one a thousand times as heavy for a minute",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = comparison(&ENTRY);
    let stack = Stack {
        count: 9,
        ..Stack::default()
    };
    scene.generate(Generator::new("stack", Pattern::Stack(stack)));
    scene.add(
        Body::cube(1.0)
            .named("stack/top")
            .at(0.0, 9.5, 0.0)
            .density(1e6),
    );
    stands_a_minute(&mut scene, "stack/*");
    scene
}
