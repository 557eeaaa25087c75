//! The upper of two sheets is pulled off the lower one and a bed of nails (Harmon 2012, Fig. 11).

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "sheets-pulled",
    about: "one of two sheets of 61 x 131 is pulled off a bed of nails",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = draping(&ENTRY, 3.83);
    large_sheets_on_nails(&mut scene);
    pull_off(&mut scene, 2.0);
    scene
}
