//! A trampoline without losses: a ball bounces on it, and never higher than it fell.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "trampoline",
    about: "a ball of 5 kg falls half a metre onto a sheet held along its edges, and bounces",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 3.0;
    scene.dt = 0.01;
    scene.frame_rate = 50.0;
    scene.material("default", 0.0, 1.0);
    scene.solver.cloth.thickness = Some(0.02);
    let side = 13;
    let surface = Surface::Sheet {
        columns: side,
        rows: side,
        spacing: 0.1,
    };
    let mut material = seed(0.1, 2000.0, 0.0, 1e-3);
    material.restitution = 1.0;
    let rim = (0..side * side).filter(|k| {
        let (row, column) = (k / side, k % side);
        [row, column].iter().any(|&at| at == 0 || at == side - 1)
    });
    let cloth = Cloth::new("sheet", surface)
        .of(material)
        .colour(0.25, 0.3, 0.45)
        .pin(Pin::fixed(ClothPart::Vertices(rim.collect())));
    scene.add(cloth);
    // a frame beside the rim
    for (k, (x, z)) in [(0.66, 0.0), (-0.66, 0.0), (0.0, 0.66), (0.0, -0.66)].into_iter().enumerate() {
        let size = if x == 0.0 { [1.38, 0.06, 0.06] } else { [0.06, 0.06, 1.26] };
        let beam = Body::block(size[0], size[1], size[2]).named(format!("beam-{k}")).fixed();
        scene.add(beam.at(x, 0.0, z).colour(0.3, 0.3, 0.35));
    }
    let ball = Body::ball(0.15).named("ball").mass(5.0).at(0.0, 0.67, 0.0);
    scene.add(ball.colour(0.75, 0.3, 0.25));
    scene.camera = Some(Camera::new([1.3, 0.9, 1.7], [0.0, 0.1, 0.0]));
    safe_and_going(&mut scene)
        .truth(stays_inside("ball", [-0.1, -0.6, -0.1], [0.1, 0.67 + 1e-3, 0.1]))
        .truth(moves("ball", 0.5))
        // of 25 J in the fall; measured: 0.03
        .truth(energy_never_rises(0.5));
    scene
}
