//! Nine unit cubes only 0.9 m apart (Poulsen 2010, Table 1): the overlap must go away quickly,
//! and without anything flying off.

use crate::box_stack::column;
use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "penetrating-stack",
    about: "9 cubes that start 0.1 m inside each other",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = column(&ENTRY, 9, Some(0.9));
    scene.duration = 5.0;
    // a frame is a step, as the paper counts
    scene.frame_rate = 100.0;
    scene
        .truth(penetration_below(1e-3).over(0.1..))
        .truth(speed_below("stack/*", 0.1).over(0.1..))
        .truth(standing_fraction("stack/*", 0.1, 1.0).with("at_least", 1.0))
        .truth(stays_finite());
    scene
}
