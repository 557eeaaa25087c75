//! Comparison with other engines: 25 unit cubes in one column.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "bench-box-stack",
    about: "comparison: 25 cubes in one column stand for a minute",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = comparison(&ENTRY);
    let stack = Stack {
        count: 25,
        ..Stack::default()
    };
    scene.generate(Generator::new("stack", Pattern::Stack(stack)));
    stands_a_minute(&mut scene, "stack/*");
    scene
}
