//! Long hair (Hadap 2006, Fig. 10): 190 strands of 20 to 25 segments on a head that is shaken, with
//! collisions against head and shoulders. After two seconds the hair feels half of the head's motion:
//! the time scale.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "long-hair",
    about: "190 strands on a shaken head, with collisions and time scale",
    system: "strand",
    build,
};

/// A minute of shaking, for whoever runs it longer \[s\].
const SHAKEN: f64 = 60.0;

fn build() -> Scene {
    let mut scene = film(&ENTRY, 4.0);
    scene.material("default", 0.3, 0.0);
    scene.add(
        Body::ball(0.1)
            .named("head")
            .along_smoothly(keys(SHAKEN, shaken))
            .colour(0.85, 0.7, 0.6),
    );
    scene.add(
        Body::new(Shape::Capsule { length: 0.34, radius: 0.05 })
            .named("shoulders")
            .at(0.0, -0.22, 0.0)
            .turned([0.0, 0.0, 1.0], 90.0)
            .fixed()
            .colour(0.35, 0.4, 0.55),
    );
    // roots on the back of the head, so that the hair hangs behind the shoulders
    let scalp = Scalp {
        around_degrees: [36.0, 144.0],
        ..Scalp::default()
    };
    let hair = Fibre {
        drag: 2e-5.into(),
        ..Fibre::default()
    };
    let mut groom = Groom::new("hair", GroomPattern::Scalp(scalp)).on("head").of(hair);
    groom.time_scale = [[2.0, 1.0], [2.5, 0.5]].into();
    scene.groom(groom.colour(0.45, 0.28, 0.12));
    scene.camera = Some(Camera::new([0.35, 0.12, -0.75], [0.0, -0.09, 0.0]));
    scene
        .truth(strands::depth_below(1e-4))
        .truth(strands::contacts(100))
        .truth(strands::tip_moves("hair/*", 0.03));
    runs_well(&mut scene);
    scene
}
