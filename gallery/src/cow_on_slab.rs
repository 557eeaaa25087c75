//! One animal dropped on a slab (Erleben 2007, Figs. 29-30): its height over time shows how calmly
//! a concave body comes to rest.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "cow-on-slab",
    about: "one four-legged animal dropped on a slab",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 5.0;
    scene.material("default", 0.4, 0.1);
    scene.ground_slab(10.0, 2.0, 10.0);
    scene.add(
        Body::new(Shape::Mesh(Mesh::builtin(Builtin::Animal)))
            .named("cow")
            .at(0.0, 0.5, 0.0)
            .turned([1.0, 0.0, 0.4], 40.0),
    );
    scene
        .truth(comes_to_rest("cow", 4.0))
        .truth(stands_still("cow", 1e-3).over(4.0..))
        .truth(penetration_below(1e-3).over(4.0..))
        // a thousandth of what it falls with
        .truth(energy_never_rises(0.2))
        .truth(stays_above("cow", -0.01))
        .truth(stays_finite());
    scene
}
