//! A box rides on a box that slides without friction: both must keep their 2 m/s. Shock
//! propagation that stops the lower one to solve the upper one brakes both.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "carried-box",
    about: "a box rides on a sliding box, both keep 2 m/s",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 5.0;
    scene.material("ice", 0.0, 0.0);
    scene.add(
        Body::new(Shape::HalfSpace)
            .named("ground")
            .of("ice")
            .fixed(),
    );
    scene.add(
        Body::block(2.0, 0.5, 1.0)
            .named("lower")
            .at(-5.0, 0.25, 0.0)
            .velocity(2.0, 0.0, 0.0),
    );
    scene.add(
        Body::cube(1.0)
            .named("upper")
            .at(-5.0, 1.0, 0.0)
            .velocity(2.0, 0.0, 0.0),
    );
    let x = [1.0, 0.0, 0.0];
    scene
        .truth(speed_is("lower", 2.0, 1e-4).with("along", x))
        .truth(speed_is("upper", 2.0, 1e-4).with("along", x))
        .truth(moved_by("upper", x, 10.0, 1e-3).at(5.0))
        .truth(momentum_kept(1e-6).with("along", x))
        .truth(stays_finite());
    scene
}
