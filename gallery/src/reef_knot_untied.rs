//! A reef knot is pulled tight; then one end is pulled back over the knot, and the others hang free.
//! It turns over and is drawn along: with nothing to hold the other ribbon it does not come off.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "reef-knot-untied",
    about: "a reef knot is drawn together, then turned over by a pull at one of its ends",
    system: "cloth",
    build,
};

/// When the ends are let go; the knot goes on to draw itself tight [s].
const TIGHT: f64 = 0.8;

fn build() -> Scene {
    let mut scene = reef_knot(&ENTRY, 1.8, 4, 1000.0);
    pull_tight(&mut scene, 0.5);
    for load in scene.cloths.iter_mut().flat_map(|cloth| &mut cloth.loads) {
        load.until = Some(TIGHT);
    }
    // the other end of the same ribbon is held by the same force as before
    let red = &mut scene.cloths[0];
    red.loads[1].until = None;
    let aside = Load::new(ClothPart::First, [0.4, 0.6, 0.0]).raised(TIGHT, 0.2);
    red.loads.push(aside);
    scene
}
