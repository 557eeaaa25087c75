//! Ten kilograms carry twenty-seven tonnes (Erleben 2007, Fig. 5), without friction.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "large-mass",
    about: "a 10 kg cube carries one of 27 tonnes",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.material("default", 0.0, 0.0);
    scene.ground_slab(20.0, 1.0, 20.0);
    scene.add(Body::cube(1.0).named("small").at(0.0, 0.5, 0.0).density(10.0));
    scene.add(Body::cube(3.0).named("large").at(0.0, 2.5, 0.0).density(1000.0));
    scene
        .truth(stands_still("*", 5e-3))
        .truth(penetration_below(3e-4))
        .truth(kinetic_energy_below().with("per_kg", 1e-6))
        .truth(stays_finite());
    scene
}
