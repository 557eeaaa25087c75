//! A board hangs from a piece of cloth by pins, swings, and is carried.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "hung-sign",
    about: "a board hangs from a sheet whose last row is pinned on it",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 2.0;
    scene.dt = 0.01;
    scene.frame_rate = 50.0;
    scene.solver.cloth.thickness = Some(0.01);
    // first row on top, last row above the board
    let surface = Surface::Sheet {
        columns: 9,
        rows: 6,
        spacing: 0.07,
    };
    let cloth = Cloth::new("cloth", surface)
        .at(0.0, 0.0, 0.0)
        .turned([1.0, 0.0, 0.0], 90.0)
        .of(seed(0.2, 2000.0, 2.0, 1e-3))
        .colour(0.3, 0.45, 0.7)
        .pin(Pin::fixed(ClothPart::First))
        .pin(Pin::on(ClothPart::Last, "board"));
    scene.add(cloth);
    let mut board = Body::block(0.6, 0.3, 0.02).named("board").mass(2.0);
    board.velocity = [0.0, 0.0, 0.5];
    scene.add(board.at(0.0, -0.345, 0.0).colour(0.6, 0.4, 0.25));
    scene.camera = Some(Camera::new([0.9, 0.2, 1.6], [0.0, -0.25, 0.0]));
    // a pendulum that starts at 0.5 m/s rises 13 mm; the sheet gives by less than 20 mm
    safe_and_going(&mut scene)
        .truth(stays_inside("board", [-0.05, -0.40, -0.4], [0.05, -0.25, 0.4]))
        .truth(moves("board", 0.05));
    scene
}
