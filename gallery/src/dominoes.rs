//! A ring of 125 dominoes. A ball drops between two of them, and two waves run round and meet.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "dominoes",
    about: "a ball starts two waves in a ring of 125 dominoes",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 12.0;
    scene.material("default", 0.25, 0.4);
    scene.ground();
    scene.generate(
        Generator::new("domino", Pattern::Dominoes(Dominoes::default())).density(PAPER_DENSITY),
    );
    // above the gap between the first and the second
    let half = std::f64::consts::PI / 125.0;
    let (sin, cos) = (
        drystone_base::functions::sin(half),
        drystone_base::functions::cos(half),
    );
    scene.add(
        Body::ball(0.25)
            .named("ball")
            .at(8.0 * cos, 5.5, -8.0 * sin)
            .density(8.0 * PAPER_DENSITY),
    );
    // it touches the first edge, 0.25 m below its centre at most, after 3.3 m or more
    scene
        .truth(stands_still("domino/*", 5e-3).over(..0.8))
        .truth(penetration_below(3e-4).over(..0.8))
        .truth(standing_fraction("domino/*", 0.2, 0.1).with("at_most", 0.05))
        .truth(stays_above("*", 0.0))
        .truth(stays_finite());
    scene
}
