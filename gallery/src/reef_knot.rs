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

/// On each vertex of an end [N].
const FORCE: f64 = 0.5;

fn build() -> Scene {
    let mut scene = reef_knot(&ENTRY, 2.0, 15, 750.0);
    for cloth in &mut scene.cloths {
        // both ends of a ribbon are on the same side
        let out = if cloth.name == "red" { -1.0 } else { 1.0 };
        for end in ENDS {
            cloth.loads.push(Load {
                part: end,
                force: [out * FORCE, 0.0, 0.0],
                ramp: 0.2,
            });
        }
    }
    safe(&mut scene);
    scene
}
