//! A hollow hare in the compactor (the bunny of Harmon 2012, §6.5) that bends ten thousand times as easily.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "animal-compactor-small",
    about: "a soft hollow animal crumples between two walls",
    system: "cloth",
    build,
};

fn build() -> Scene {
    animal_in_compactor(&ENTRY, 0.1)
}
