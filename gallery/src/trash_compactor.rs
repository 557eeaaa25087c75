//! The trash compactor (Harmon 2012, Fig. 10): two walls close on about 800 vertices of soft trash.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "trash-compactor",
    about: "two walls close on eight hundred vertices of trash",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = compactor(&ENTRY, 3.08, 4.0, 0.5);
    for level in 0..3u32 {
        for (k, (surface, [x, y, z])) in trash().into_iter().enumerate() {
            let side = if level % 2 == 0 { 1.0 } else { -1.0 };
            let place = [side * x * 1.6, y + 1.3 * f64::from(level), z];
            scene.add(piece(10 * level as usize + k, surface, place, 10.0));
        }
    }
    safe(&mut scene);
    // rings of 0.9 m; measured: 0.36 and 0.39 m. Two of the sheets slip below the walls
    crushed(&mut scene, "trash-2", 0.5);
    crushed(&mut scene, "trash-22", 0.5);
    scene
}
