//! Twelve pencils fall one after the other on the same place, each turned a little further: long thin bodies on round
//! ones, of which none may gain energy or roll through another.

use drystone_base::functions::{cos, sin};

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "pencils",
    about: "12 pencils, 180 x 7 mm, dropped on one place",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 3.0;
    scene.ground_slab(2.0, 0.05, 2.0);
    for k in 0..12u32 {
        let pencil = Body::new(Shape::Capsule {
            length: 0.173,
            radius: 0.0035,
        });
        let height = 0.03 + 0.05 * f64::from(k);
        let pencil = pencil.named(format!("pencil/{k}")).density(600.0);
        // laid down almost flat about a level axis, each about another one
        let way = 1.1 * f64::from(k);
        let axis = [cos(way), 0.0, sin(way)];
        scene.add(pencil.at(0.0, height, 0.0).turned(axis, 85.0));
    }
    scene.camera = Some(Camera::new([0.35, 0.3, 0.4], [0.0, 0.03, 0.0]));
    // together 50 g that fall 0.3 m: 0.15 J
    scene
        .truth(energy_never_rises(1e-5))
        .truth(stays_inside("pencil/*", [-1.0, 0.0, -1.0], [1.0, 1.0, 1.0]))
        .truth(stays_finite());
    scene
}
