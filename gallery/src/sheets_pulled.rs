//! The upper of two sheets is pulled off the lower one and a bed of nails (Harmon 2012, Fig. 9).

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "sheets-pulled",
    about: "one of two sheets of 61 x 131 is pulled off a bed of nails",
    system: "cloth",
    build,
};

/// When the pull begins [s].
const AFTER: f64 = 2.0;

fn build() -> Scene {
    let mut scene = draping(&ENTRY, 3.83);
    sheets_on_nails(&mut scene, 61, 131, [10, 20]);
    // held by one short edge from the start, which comes down with the sheet and then goes off
    let fall = [0.0, -0.3, 0.0];
    let way = 2.0 * (scene.duration - AFTER);
    let path = vec![
        Key::new(0.0, [0.0; 3]),
        Key::new(AFTER, fall),
        Key::new(scene.duration, [0.0, fall[1], -way]),
    ];
    scene.cloths[1].pins.push(Pin::along(ClothPart::First, path));
    safe_and_going(&mut scene);
    scene
}
