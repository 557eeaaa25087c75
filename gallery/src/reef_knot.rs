//! The reef knot (Harmon 2012, Fig. 5): the four ends are pulled outwards by constant forces until the knot is
//! tight. The centreline is mirrored in y, which makes it the square knot and not the granny: six crossings,
//! under, over, under, under, over, under.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "reef-knot",
    about: "a reef knot of two ribbons is pulled tight",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = reef_knot(&ENTRY, 2.0, 15, 750.0);
    // some fifty times its weight on each vertex, or two seconds would not do
    pull_tight(&mut scene, 2.0);
    holds(&mut scene);
    scene
}
