//! Spinning hubs with tails, in flight without gravity: from a hundredth of the tail's mass to ten thousand
//! times it. All of them together keep their momentum, and none gains energy.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "hubs-and-tails",
    about: "free spinning hubs of 1 g to 1 t with tails of 100 g keep their momentum",
    system: "strand",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 3.0;
    scene.gravity = [0.0; 3];
    let mut tail = Fibre::thread(0.2, 1e-3, 1e-3);
    tail.radius = 4e-3.into();
    for (k, mass) in [1e-3, 0.1, 10.0, 1000.0].into_iter().enumerate() {
        let (name, y) = (format!("hub-{k}"), 1.5 * k as f64);
        let hub = Body::ball(0.05).named(name.clone()).mass(mass).at(0.0, y, 0.0);
        // slower where heavier: all of them have a say
        scene.add(hub.spin(0.0, 0.0, 6.0).velocity(0.3 / (1.0 + mass), 0.0, 0.0));
        let strand = Strand::straight([0.055, y, 0.0], [0.555, y, 0.0], 10);
        scene.add(strand.named(format!("tail-{k}")).on(&name).of(tail.clone()));
    }
    scene.camera = Some(Camera::new([0.5, 2.2, 7.0], [0.3, 2.2, 0.0]));
    scene
        .truth(momentum_kept(2e-7)) // measured: 6e-8
        .truth(energy_never_rises(1e-3)); // of 20 J; measured: 2.5e-4
    runs_well(&mut scene);
    scene
}
