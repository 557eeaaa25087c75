//! Hollow balls fall on a bed of nails (Harmon 2012, Fig. 11): a small one fits between, one barely, a large
//! one does not.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "balls-on-nails",
    about: "stiff hollow balls of three sizes fall on a bed of nails at an angle",
    system: "cloth",
    build,
};

fn build() -> Scene {
    balls_on_nails(&ENTRY, 1e5)
}
