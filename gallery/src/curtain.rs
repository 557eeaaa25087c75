//! A particle comes through parallel curtains (Harmon 2012, Fig. 1): half a metre a second at first, then
//! fifty at once. Whatever its speed, no event is seen too late.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "curtain",
    about: "five curtains are poked slowly, then at fifty metres a second",
    system: "cloth",
    build,
};

fn build() -> Scene {
    curtains(&ENTRY, 5, 21, 27)
}
