//! The falling roof and the cannon-ball (Erleben 2007, Fig. 16): a round tower of 640 bricks stands
//! still, takes a four-tonne roof from 39 m, and is then shot at.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "falling-roof",
    about: "640 bricks stand still, a roof falls on them, a cannon-ball hits them",
    system: "rigid",
    build,
};

fn build() -> Scene {
    roof_and_ball(&ENTRY, 16)
}
