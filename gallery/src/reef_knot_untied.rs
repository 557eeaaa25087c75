//! A reef knot comes undone: one end is pulled sideways, the others hang free.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "reef-knot-untied",
    about: "one end of a reef knot is pulled sideways, which undoes it",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = reef_knot(&ENTRY, 1.0, 4, 1000.0);
    scene.cloths[0].pins.push(Pin::fixed(ClothPart::Last));
    scene.cloths[0].loads.push(Load {
        part: ClothPart::First,
        force: [0.3, 0.5, 0.0],
        ramp: 0.2,
    });
    safe(&mut scene);
    scene
}
