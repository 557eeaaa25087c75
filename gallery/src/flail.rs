//! A flail flies without weight: a handle, a rope and a ball, thrown so that they spin.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "flail",
    about: "a handle and a ball on a rope spin through empty space",
    system: "strand",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 3.0;
    scene.dt = 0.005;
    scene.frame_rate = 50.0;
    scene.gravity = [0.0; 3];
    let handle = Shape::Capsule {
        length: 0.5,
        radius: 0.02,
    };
    let handle = Body::new(handle).named("handle").mass(0.6);
    let handle = handle.at(0.0, 0.0, 0.0).turned([0.0, 0.0, 1.0], 90.0);
    // together they stay where they are
    let handle = handle.velocity(0.0, -1.4, -0.2).spin(0.0, 0.5, 9.0);
    scene.add(handle.colour(0.45, 0.3, 0.2));
    let ball = Body::ball(0.06).named("ball").mass(0.4).at(0.72, 0.0, 0.0);
    scene.add(ball.velocity(0.0, 2.0, 0.3).colour(0.35, 0.35, 0.4));
    let mut fibre = Fibre::thread(0.05, 1e-5, 1e-5);
    fibre.radius = 4e-3.into();
    // a little slack
    let points = (0..=12).map(|k| {
        let u = f64::from(k) / 12.0;
        let sag = 0.04 * drystone_base::functions::sin(std::f64::consts::PI * u);
        [0.27 + 0.39 * u, -sag, 0.0]
    });
    let mut rope = Strand::through(points).named("rope").on("handle").of(fibre);
    rope.root = 0.0;
    scene.add(rope.hold(Hold::tip().to(Anchor::On("ball".into()))));
    scene.camera = Some(Camera::new([0.5, 0.4, 2.0], [0.25, 0.0, 0.0]));
    // measured: 1e-10, 3e-3, and 3e-3 J that a step gives back of what the one before took
    scene
        .truth(momentum_kept(1e-8))
        .truth(angular_momentum_kept(2e-2))
        .truth(energy_never_rises(0.02));
    runs_well(&mut scene);
    scene
}
