//! A towel thrown over a slack line: cloth and a rope that touch, and are tied nowhere.

use drystone_world::Turn;

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "towel-over-line",
    about: "a towel is thrown over a line between two posts, and hangs on it",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 2.0;
    scene.material("default", 0.6, 0.0);
    // the line sags by 8 cm between its posts
    let point = |k: u32| {
        let u = f64::from(k) / 24.0;
        [1.6 * (u - 0.5), 1.2 - 0.32 * u * (1.0 - u), 0.0]
    };
    let mut fibre = Fibre::thread(0.08, 1e-4, 1e-4);
    fibre.radius = 6e-3.into();
    fibre.drag = 0.05.into();
    let mut line = Strand::through((0..=24).map(point)).named("line").of(fibre);
    line.root = 0.0;
    scene.add(line.hold(Hold::tip()));
    for x in [-0.85, 0.85] {
        let post = Shape::Capsule {
            length: 1.2,
            radius: 0.03,
        };
        let post = Body::new(post).at(x, 0.6, 0.0).fixed();
        scene.add(post.colour(0.45, 0.4, 0.35));
    }
    // it comes from the front, flat and a little askew
    let surface = Surface::Sheet {
        columns: 13,
        rows: 17,
        spacing: 0.045,
    };
    let mut material = seed(0.3, 400.0, 1.0, 2e-4);
    (material.drag, material.friction) = (0.4, 0.6);
    let mut towel = Cloth::new("towel", surface).of(material);
    towel.position = [0.02, 1.28, 0.35];
    towel.turn = Some(Turn::new([0.0, 1.0, 0.0], 8.0));
    towel.velocity = [0.0, 1.2, -1.3];
    towel.colour = Some([0.7, 0.35, 0.3]);
    scene.add(towel);
    scene.camera = Some(Camera::new([1.3, 1.5, 2.1], [0.0, 1.0, 0.0]));
    scene
        .truth(cloth::above("towel", 0.5))
        .truth(cloth::no_crossings())
        .truth(cloth::no_stall())
        .truth(cloth::energy_never_gained().with("share", 0.01));
    runs_well(&mut scene);
    scene
}
