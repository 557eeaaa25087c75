//! A reef knot comes undone: it is pulled tight first; then one end is pulled back over the knot, and the
//! others hang free.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "reef-knot-untied",
    about: "a tight reef knot is undone by a pull at one of its ends",
    system: "cloth",
    build,
};

/// When the knot is tight [s].
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
