//! Twenty-five unit cubes in one column, every other one turned by one radian (Erleben 2007,
//! Fig. 9): plain Gauss-Seidel cannot hold it.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "box-stack",
    about: "25 cubes in one column, every other one turned",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = column(&ENTRY, 25, None);
    scene
        .truth(stands_still("stack/*", 5e-3))
        .truth(penetration_below(3e-4))
        .truth(stays_finite());
    scene
}

/// `count` cubes of 10 kg that bounce (friction 0.5, restitution 0.5), centres `spacing` apart.
pub(crate) fn column(entry: &Entry, count: u32, spacing: Option<f64>) -> Scene {
    let mut scene = entry.start();
    scene.material("default", 0.5, 0.5);
    scene.ground_slab(20.0, 1.0, 20.0);
    let stack = Stack {
        count,
        spacing,
        turn_degrees: 1f64.to_degrees(),
        ..Stack::default()
    };
    scene.generate(Generator::new("stack", Pattern::Stack(stack)).density(PAPER_DENSITY));
    scene
}
