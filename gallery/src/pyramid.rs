//! A pyramid of 1240 cubes, hit from four sides.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "pyramid",
    about: "1240 cubes in fifteen levels, hit by four balls",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 7.0;
    scene.frame_rate = 25.0;
    scene.material("default", 0.25, 0.4);
    scene.ground();
    scene.generate(
        Generator::new("pyramid", Pattern::Pyramid(Pyramid::default())).density(PAPER_DENSITY),
    );
    for (side, [x, z]) in [
        ("right", [1.0, 0.0]),
        ("left", [-1.0, 0.0]),
        ("front", [0.0, 1.0]),
        ("back", [0.0, -1.0]),
    ] {
        // a little off the middle, so that they do not meet head on
        let ball = Body::ball(0.5).named(format!("ball/{side}"));
        scene.add(
            ball.at(20.0 * x + 1.5 * z, 4.0, 20.0 * z - 1.5 * x)
                .velocity(-50.0 * x, 0.0, -50.0 * z)
                .density(1000.0)
                .enters_at(3.0),
        );
    }
    scene.camera = Some(Camera::new([18.0, 16.0, 24.0], [0.0, 4.0, 0.0]));
    scene
        .truth(stands_still("pyramid/*", 5e-3).over(..3.0))
        .truth(penetration_below(3e-4).over(..3.0))
        .truth(moves("pyramid/*", 1.0))
        .truth(stays_above("*", 0.0))
        .truth(stays_finite());
    scene
}
