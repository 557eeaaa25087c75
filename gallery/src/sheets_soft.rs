//! Two soft sheets fall on a bed of nails and drape. Those of Harmon 2012 are a hundred times lighter and ten
//! times stiffer to bend, and lie on the tips almost flat.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "sheets-soft",
    about: "two soft sheets of 25 x 37 hang between the nails of a bed",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = draping(&ENTRY, 1.5);
    let mut material = seed(0.1, 750.0, 0.5, 0.002);
    material.friction = 0.4;
    bed_of_nails(&mut scene, [3, 5]);
    two_sheets(&mut scene, 25, 37, 2.0, &material);
    // they hang deeper than the tips, which are 1.5 m high
    safe_and_going(&mut scene)
        .truth(cloth::above("*", 0.0))
        .truth(cloth::sinks("*", 1.0));
    scene
}
