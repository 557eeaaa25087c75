//! The bowline of Harmon 2012 (§6.5): one ribbon, whose standing part is pulled against its eye and its tail
//! until the knot is tight.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "bowline",
    about: "a bowline of four thousand vertices about a post is pulled tight",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = bowline(&ENTRY, 5.0, 8, 0.26);
    pull_bowline(&mut scene, 0.3, 0.1);
    scene
}
