//! The reef knot (Harmon 2012, Fig. 8 and 9): the four ends are pulled outwards by constant forces until the knot is
//! tight. The centreline is mirrored in y, which makes it the square knot and not the granny: six crossings,
//! under, over, under, under, over, under.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "reef-knot-small",
    about: "a reef knot of two narrow ribbons is pulled tight",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = reef_knot(&ENTRY, 2.0, &NARROW);
    pull_tight(&mut scene, 2.0);
    // measured: 2.6 widths, two layers
    is_tied(&mut scene, NARROW.columns, 3.0);
    scene.truth(cloth::layers_reach(2));
    scene
}
