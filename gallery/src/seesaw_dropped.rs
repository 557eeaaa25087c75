//! A heavy box falls 1 m onto one end of a seesaw and throws a light one up: the blow must reach
//! the other end in full. The lift wanted is that of steps of 0.2 ms solved to the end.

use crate::prelude::*;
use crate::seesaw_placed::seesaw;

pub(crate) const ENTRY: Entry = Entry {
    name: "seesaw-dropped",
    about: "a heavy box falls on a seesaw and throws a light one up",
    system: "rigid",
    build,
};

/// Of the light box at 0.65 s, 0.2 s after the blow \[m\].
const LIFT: f64 = 0.6855;

fn build() -> Scene {
    let mut scene = seesaw(&ENTRY, 1.0);
    scene.duration = 1.0;
    scene
        .truth(stands_still("light", 5e-4).over(..0.44))
        .truth(moved_by("light", [0.0, 1.0, 0.0], LIFT, 0.04 * LIFT).at(0.65))
        .truth(stays_finite());
    scene
}
