//! Two sheets fall on a bed of nails (Harmon 2012, Fig. 11): slivers that a careless method lets through.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "sheets-draped",
    about: "two sheets of 61 x 131 fall on a bed of nails",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = draping(&ENTRY, 3.95);
    large_sheets_on_nails(&mut scene);
    safe_and_going(&mut scene).truth(cloth::above("*", 0.0));
    // between nails; measured on a mesh five times as coarse: 0.6 m
    drapes(&mut scene, [[-2.0, -6.0], [2.0, 6.0]], 3.0, 0.3);
    scene
}
