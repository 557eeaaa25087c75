//! A table is laid: boxes from fifty grams to fifty kilograms are put on a cloth that lies on it.
//!
//! Cloth presses on bodies with layers of any stiffness, so a body that answered a step late would be thrown
//! off at any mass. Here bodies take part in the events of the cloth.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "tablecloth",
    about: "boxes of 0.05, 0.5, 5 and 50 kg rest on a cloth on a table",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 1.0;
    scene.dt = 0.01;
    scene.frame_rate = 50.0;
    scene.solver.cloth.thickness = Some(0.01);
    let table = Body::block(1.6, 0.1, 1.0).named("table").fixed();
    scene.add(table.at(0.0, -0.05, 0.0).colour(0.45, 0.3, 0.2));
    let surface = Surface::Sheet {
        columns: 21,
        rows: 12,
        spacing: 0.07,
    };
    let mut material = seed(0.2, 500.0, 0.2, 1e-3);
    material.friction = 0.3;
    let cloth = Cloth::new("cloth", surface).at(0.0, 0.01005, 0.0);
    scene.add(cloth.of(material).colour(0.85, 0.85, 0.8));
    for (k, mass) in [0.05, 0.5, 5.0, 50.0].into_iter().enumerate() {
        let x = 0.35 * (k as f64 - 1.5);
        let load = Body::block(0.2, 0.15, 0.2).named(format!("load-{k}"));
        let shade = 0.25 + 0.18 * k as f64;
        let load = load.at(x, 0.0952, 0.0).mass(mass);
        scene.add(load.colour(0.75, shade, 0.25));
    }
    scene.camera = Some(Camera::new([1.0, 0.9, 1.6], [0.0, 0.0, 0.0]));
    // layers give way by a few millimetres under the heaviest
    safe_and_going(&mut scene)
        .truth(stands_still("load-*", 8e-3))
        .truth(speed_below("load-*", 0.01).over(0.8..));
    scene
}
