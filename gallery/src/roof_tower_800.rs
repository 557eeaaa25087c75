//! The falling roof with 20 bricks in a layer, on which Erleben 2007, §5 compares the methods.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "roof-tower-800",
    about: "the falling roof on 40 layers of 20 bricks",
    system: "rigid",
    build,
};

fn build() -> Scene {
    roof_and_ball(&ENTRY, 20)
}
