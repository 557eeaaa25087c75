//! A heavy box falls 1 m onto one end of a seesaw and throws a light one up: the blow must reach
//! the other end in full.

use crate::prelude::*;
use crate::seesaw_placed::seesaw;

pub(crate) const ENTRY: Entry = Entry {
    name: "seesaw-dropped",
    about: "a heavy box falls on a seesaw and throws a light one up",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = seesaw(&ENTRY, 1.0);
    scene.duration = 1.0;
    scene
        .truth(stands_still("light", 5e-4, ..0.44))
        .truth(moved_by("light", [0.0, 1.0, 0.0], 0.754, 0.04 * 0.754, 0.65))
        .truth(Truth::StaysFinite);
    scene
}
