//! A bob of 1 kg on ropes of 1 m: the heavier the rope, the shorter the period.
//!
//! The periods are those of a limp rope with a bob, `(T y')' + λ ω² y = 0` with `T = g (m + λ s)` at `s` above
//! the bob, found by shooting.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "rope-pendulum",
    about: "three bobs on ropes of 10 g, 1 kg and 10 kg, each with its period; a fourth from 60 degrees",
    system: "strand",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 10.0;
    scene.dt = 0.005;
    let ropes = [
        ("light", 0.01, 0.05, 2.004_40),
        ("even", 1.0, 0.05, 1.898_92),
        ("heavy", 10.0, 0.05, 1.733_26),
        ("wide", 0.01, std::f64::consts::FRAC_PI_3, 0.0),
    ];
    for (k, (name, mass, angle, wanted)) in ropes.into_iter().enumerate() {
        let (z, segments) = (0.3 * k as f64, 20);
        let end = [
            drystone_base::functions::sin(angle),
            -drystone_base::functions::cos(angle),
            z,
        ];
        let mut bob = Body::ball(0.05).named(format!("bob-{name}")).mass(1.0);
        // the rope ends in its centre
        bob.passable = true;
        scene.add(bob.at(end[0], end[1], z));
        let mut fibre = Fibre::thread(mass, 1e-7, 1e-7);
        fibre.radius = 2e-3.into();
        let mut rope = Strand::straight([0.0, 0.0, z], end, segments).named(name);
        rope.root = 0.0;
        let held = Hold::tip().to(Anchor::On(format!("bob-{name}")));
        scene.add(rope.of(fibre).hold(held));
        if wanted > 0.0 {
            scene.truth(strands::tip_period(name, [1.0, 0.0, 0.0], wanted, 5e-3 * wanted));
        }
    }
    scene.camera = Some(Camera::new([1.8, -0.3, 2.6], [0.0, -0.6, 0.4]));
    // of 4.9 J; a step may give back a part of what the one before took; measured: 1.7e-3
    scene.truth(energy_never_rises(4e-3));
    runs_well(&mut scene);
    scene
}
