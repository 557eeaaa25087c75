//! Newton's cradle without strings: balls float in a row and bounce perfectly.
//!
//! With gaps the blow passes from ball to ball and only the last flies off. Balls that touch are
//! hit all at once, and Newton's law for all contacts together sends a row of two off at 2/3 each
//! while the first comes back at 1/3: both keep momentum and energy, and both are right.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "newtons-cradle",
    about: "a row of balls passes a blow on to its last",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 3.0;
    scene.gravity = [0.0; 3];
    scene.material("default", 0.0, 1.0);
    for (name, count, pitch, z) in [("apart", 5, 1.05, -2.0), ("touching", 3, 1.0, 2.0)] {
        for i in 0..count {
            let ball = Body::ball(0.5).named(format!("{name}/{i}"));
            scene.add(if i == 0 {
                ball.at(-1.5, 0.0, z).velocity(2.0, 0.0, 0.0)
            } else {
                ball.at(pitch * f64::from(i - 1), 0.0, z)
            });
        }
    }
    let x = [1.0, 0.0, 0.0];
    let wanted = [
        ("apart/0", 0.0),
        ("apart/1", 0.0),
        ("apart/2", 0.0),
        ("apart/3", 0.0),
        ("apart/4", 2.0),
        ("touching/0", -2.0 / 3.0),
        ("touching/1", 4.0 / 3.0),
        ("touching/2", 4.0 / 3.0),
    ];
    for (name, speed) in wanted {
        // the default number of sweeps leaves 0.3 % of the blow between balls that touch
        scene.truth(speed_is(name, x, speed, 1e-2, None));
    }
    scene
        .truth(momentum_kept(None, 1e-10))
        .truth(energy_never_rises(1e-3, ..))
        .truth(Truth::StaysFinite);
    scene
}
