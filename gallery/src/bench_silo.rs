//! Comparison with other engines: 3000 boxes and balls fall together in a silo of fixed slabs.

use drystone_base::functions::tan;

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "bench-silo",
    about: "comparison: 3000 boxes and balls in a silo of 24 fixed slabs",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = comparison(&ENTRY);
    // slabs 1 m thick, wide enough to overlap at the corners
    let half_angle = std::f64::consts::PI / 24.0;
    let slabs = Ring {
        bricks: 24,
        layers: 1,
        size: [1.0, 60.0, 2.0 * (5.5 * tan(half_angle) + 0.3)],
        radius: Some(5.5),
        staggered: false,
        ..Ring::default()
    };
    scene.generate(Generator::new("slab", Pattern::Ring(slabs)).fixed());
    let grains = Column {
        count: 3000,
        shapes: vec![Shape::cube(0.8), Shape::ball(0.4)],
        radius: 4.25,
        pitch: 1.0,
        rise: 0.9,
        jitter: [0.1, 0.0, 0.1],
        vary: [0.5, 1.0],
        yaw_degrees: 0.3f64.to_degrees(),
        ..Column::default()
    };
    scene.generate(Generator::new("grain", Pattern::Column(grains)).at(0.0, 0.6, 0.0));
    scene.camera = Some(Camera::new([2.0, 90.0, 4.0], [0.0, 15.0, 0.0]));
    scene
        .truth(penetration_below(4e-3).over(10.0..))
        .truth(mean_penetration_below(2e-4))
        .truth(stays_inside("grain/*", [-5.0, 0.0, -5.0], [5.0, 60.0, 5.0]))
        .truth(stays_finite());
    scene
}
