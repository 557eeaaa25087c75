//! Nine unit cubes in one column (Poulsen 2010, Table 1), small enough to study the solver on: the
//! full faces meet in 4 + 8 x 8 = 68 corners.

use crate::box_stack::column;
use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "box-stack-9",
    about: "9 cubes in one column, every other one turned",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = column(&ENTRY, 9, None);
    scene
        .truth(stands_still("stack/*", 5e-3))
        .truth(penetration_below(3e-4))
        // four corners to a face are the least that holds it
        .truth(contact_count(36).with("at_most", 68_u64).at(1.0))
        .truth(stays_finite());
    scene
}
