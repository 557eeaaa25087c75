//! A hollow hare in the compactor (the bunny of Harmon 2012, §6.5): its bending is stiff, it crumples.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "animal-compactor",
    about: "a stiff hollow animal crumples between two walls",
    system: "cloth",
    build,
};

fn build() -> Scene {
    animal_in_compactor(&ENTRY, 1000.0)
}
