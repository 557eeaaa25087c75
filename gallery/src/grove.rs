//! A corner of the jungle, for a quick look: twelve branched trees in a gust.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "grove",
    about: "twelve of the jungle's trees in the same gust",
    system: "strand",
    build,
};

fn build() -> Scene {
    let mut scene = jungle(&ENTRY, [4, 3]);
    scene.camera = Some(Camera::new([3.0, 2.8, 9.5], [0.0, 1.7, 0.0]));
    scene
}
