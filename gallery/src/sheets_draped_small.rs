//! Two sheets fall on a bed of nails (Harmon 2012, Fig. 8): slivers that a careless method lets through.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "sheets-draped-small",
    about: "two sheets of 13 x 25 fall on a bed of nails",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = draping(&ENTRY, 1.0);
    sheets_on_nails(&mut scene, 13, 25, [3, 5]);
    safe_and_going(&mut scene).cloth_truth(above("*", 0.0));
    scene
}
