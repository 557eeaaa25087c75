//! Two sheets fall on a bed of nails (Harmon 2012, Fig. 8): slivers that a careless method lets through.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "sheets-draped",
    about: "two sheets of 61 x 131 fall on a bed of nails",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = draping(&ENTRY, 3.95);
    sheets_on_nails(&mut scene, 61, 131, [10, 20]);
    safe_and_going(&mut scene).cloth_truth(above("*", 0.0));
    scene
}
