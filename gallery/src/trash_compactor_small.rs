//! A small trash compactor: balls, boxes, a ring and a folded sheet between two walls that close.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "trash-compactor-small",
    about: "a few soft things between two walls that close",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = compactor(&ENTRY, 1.2, 1.6, 0.5);
    for (k, (surface, place)) in trash().into_iter().take(5).enumerate() {
        scene.add(piece(k, surface, place, 1e-3));
    }
    safe(&mut scene);
    // the sheet, 0.7 m wide, is folded up between the walls; the ring slips below them
    crushed(&mut scene, "trash-4", 0.5);
    scene
}
