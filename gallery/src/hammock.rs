//! A hammock between two posts: a box falls into it and lies.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "hammock",
    about: "a box of 5 kg falls into a cloth between two posts, and lies",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 3.0;
    scene.dt = 0.01;
    scene.frame_rate = 50.0;
    scene.solver.cloth.thickness = Some(0.01);
    for side in [-1.0, 1.0] {
        let post = Body::block(0.08, 1.2, 0.08).fixed();
        let post = post.named(if side < 0.0 { "left" } else { "right" });
        scene.add(post.at(0.82 * side, -0.5, 0.0).colour(0.45, 0.3, 0.2));
    }
    let surface = Surface::Sheet {
        columns: 7,
        rows: 16,
        spacing: 0.1,
    };
    let mut material = seed(0.3, 2000.0, 4.0, 1e-3);
    material.friction = 0.3;
    // its short edges are held along the posts
    let cloth = Cloth::new("hammock", surface)
        .at(0.0, 0.0, 0.0)
        .turned([0.0, 1.0, 0.0], 90.0)
        .of(material)
        .colour(0.8, 0.45, 0.25)
        .pin(Pin::fixed(ClothPart::First))
        .pin(Pin::fixed(ClothPart::Last));
    scene.add(cloth);
    let mut load = Body::block(0.3, 0.2, 0.25).named("box").mass(5.0);
    // air, and what a real hammock loses in its threads
    (load.linear_damping, load.angular_damping) = (2.0, 2.0);
    scene.add(load.at(0.0, 0.25, 0.0).colour(0.35, 0.4, 0.55));
    scene.camera = Some(Camera::new([1.2, 0.7, 1.8], [0.0, -0.1, 0.0]));
    safe_and_going(&mut scene)
        .truth(stays_inside("box", [-0.2, -0.5, -0.2], [0.2, 0.3, 0.2]))
        .truth(speed_below("box", 0.15).over(2.5..))
        // measured: none
        .truth(energy_never_rises(0.5));
    scene
}
