//! A card house of five levels (Poulsen 2010): 40 cards of 2 x 1 x 0.1 m at 15 degrees, and two
//! balls that hit it after ten seconds.
//!
//! A pair of weight w a card under a load P needs a friction of tan α (w/2 + P)/(w + P): 0.134 when
//! free, 0.268 under many levels. At 0.4 it stands. See `card-house-slippery`.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "card-house",
    about: "a card house of five levels stands for ten seconds, then two balls hit it",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = cards(&ENTRY, 0.4);
    scene.duration = 13.0;
    // the balls of Poulsen 2010 fly from the first frame on; ours wait
    for (name, place, speed) in [
        ("ball/front", [2.0, 4.0, 5.0], -5.0),
        ("ball/back", [3.3, 5.0, -7.5], 6.0),
    ] {
        let [x, y, z] = place;
        scene.add(
            Body::ball(0.5)
                .named(name)
                .at(x, y, z)
                .velocity(0.0, 0.0, speed)
                .density(PAPER_DENSITY)
                .enters_at(10.0),
        );
    }
    scene
        .truth(stands_still("card/*", 5e-3).over(..10.0))
        .truth(penetration_below(3e-4).over(..10.0))
        .truth(moves("card/*", 0.05))
        .truth(stays_finite());
    scene
}

/// The cards on their ground, friction between all as given.
pub(crate) fn cards(entry: &Entry, friction: f64) -> Scene {
    let mut scene = entry.start();
    scene.material("default", friction, 0.15);
    scene.ground_slab(20.0, 1.0, 20.0);
    let cards = CardHouse {
        levels: 5,
        ..CardHouse::default()
    };
    scene.generate(Generator::new("card", Pattern::CardHouse(cards)).density(PAPER_DENSITY));
    scene
}
