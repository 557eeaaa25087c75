//! A jungle of a thousand branched trees in a gust (Hadap 2006, Fig. 6).

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "moving-jungle",
    about: "a thousand trees of 50 to 100 segments in a gust",
    system: "strand",
    build,
};

fn build() -> Scene {
    let mut scene = jungle(&ENTRY, [40, 25]);
    scene.camera = Some(Camera::new([0.0, 9.0, 34.0], [0.0, 0.5, 0.0]));
    scene
}
