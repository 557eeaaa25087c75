//! The upper of two sheets is pulled off the lower one and a bed of nails (Harmon 2012, Fig. 9).

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "sheets-pulled-small",
    about: "one of two sheets of 13 x 25 is pulled off a bed of nails",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = draping(&ENTRY, 1.5);
    sheets_on_nails(&mut scene, 13, 25, [3, 5]);
    pull_off(&mut scene, 0.6);
    scene
}
