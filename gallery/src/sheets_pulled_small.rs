//! The upper of two sheets is pulled off the lower one and a bed of nails (Harmon 2012, Fig. 11).

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "sheets-pulled-small",
    about: "one of two sheets of 13 x 25 is pulled off a bed of nails",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = draping(&ENTRY, 1.5);
    small_sheets_on_nails(&mut scene);
    pull_off(&mut scene, 0.6);
    // what stays hangs over the middle row of nails
    drapes(&mut scene, [[0.3, -1.5], [0.9, 1.5]], 1.5, 0.4);
    scene
}
