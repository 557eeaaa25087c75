//! The card house with a friction of 0.1, where 0.134 is the least that holds the topmost pair: it
//! must fall.

use crate::card_house::cards;
use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "card-house-slippery",
    about: "a card house with too little friction falls",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = cards(&ENTRY, 0.1);
    scene.duration = 4.0;
    scene
        .truth(falls("card/4/*", 1.0, 0.2, 3.0))
        // 3 kJ come down; taking overlaps out lifts cards a little
        .truth(energy_never_rises(10.0))
        .truth(stays_finite());
    scene
}
