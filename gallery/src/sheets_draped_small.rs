//! Two sheets fall on a bed of nails (Harmon 2012, Fig. 11): slivers that a careless method lets through.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "sheets-draped-small",
    about: "two sheets of 13 x 25 fall on a bed of nails",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = draping(&ENTRY, 1.0);
    small_sheets_on_nails(&mut scene);
    safe_and_going(&mut scene).truth(cloth::above("*", 0.0));
    // they hang over the middle row of nails; measured: 0.57 m below the tips
    drapes(&mut scene, [[0.3, -1.5], [0.9, 1.5]], 1.5, 0.5);
    scene
}
