//! The reef knot (Harmon 2012, Fig. 8 and 9): the four ends are pulled outwards by constant forces until the knot is
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
    // 17 x 313 vertices each, as many as in the paper
    let reef = Reef {
        columns: 17,
        along: 0.2417,
        tail: 3.0,
        stretch: 750.0,
    };
    let mut scene = reef_knot(&ENTRY, 2.0, &reef);
    // much, or two seconds would not do for so wide a ribbon
    pull_tight(&mut scene, 14.0);
    // measured: 1.0 widths, five layers
    is_tied(&mut scene, reef.columns, 1.5);
    scene.truth(cloth::layers_reach(3));
    scene
}
