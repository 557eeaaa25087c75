//! Hollow balls fall on a bed of nails (Harmon 2012, Fig. 11): they bend ten thousand times as easily as those of
//! the paper, which allows periods a hundred times as long.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "balls-on-nails-small",
    about: "soft hollow balls of three sizes fall on a bed of nails at an angle",
    system: "cloth",
    build,
};

fn build() -> Scene {
    balls_on_nails(&ENTRY, 10.0)
}
