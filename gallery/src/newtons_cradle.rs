//! Newton's cradle without strings: balls float in rows and bounce perfectly.
//!
//! As many balls leave a row as strike it, whether the others touch or not: a blow passes from ball
//! to ball by rounds of reflections (`solver.rigid.two_level.impacts`). Newton's law at all contacts in one
//! solve, the other option, sends a touching row of two off at 2/3 each while the first comes back
//! at 1/3; it keeps momentum and energy too, but is not what a real cradle does.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "newtons-cradle",
    about: "rows of balls pass on as many as strike them",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 3.0;
    scene.gravity = [0.0; 3];
    scene.material("default", 0.0, 1.0);
    // name, balls, how many of them strike, distance of those that wait, place
    let rows = [
        ("apart", 5, 1, 1.05, -4.0),
        ("five", 5, 1, 1.0, -2.0),
        ("seven", 7, 2, 1.0, 0.0),
        ("nine", 9, 3, 1.0, 2.0),
    ];
    let x = [1.0, 0.0, 0.0];
    for (row, count, strike, pitch, z) in rows {
        for i in 0..count {
            let name = format!("{row}/{i}");
            let ball = Body::ball(0.5).named(name.clone());
            scene.add(if i < strike {
                ball.at(f64::from(i - strike) - 0.5, 0.0, z).velocity(2.0, 0.0, 0.0)
            } else {
                ball.at(pitch * f64::from(i - strike), 0.0, z)
            });
            let speed = if i + strike >= count { 2.0 } else { 0.0 };
            scene.truth(speed_is(&name, speed, 1e-6).with("along", x));
        }
    }
    scene
        .truth(momentum_kept(1e-10))
        .truth(energy_never_rises(1e-9))
        .truth(stays_finite());
    scene
}
