//! A cloth falls on a bough with twigs: stiff strands that hold it.

use drystone_world::{Branch, Turn};

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "cloth-on-branch",
    about: "a cloth falls on a bough with twigs, which bend and hold it",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 1.5;
    scene.material("default", 0.7, 0.0);
    // a bough that leans out and up, and twigs to both sides of it
    let bough = |k: u32| {
        let u = f64::from(k) / 10.0;
        [0.9 * u, 0.6 + 0.35 * u - 0.15 * u * u, 0.0]
    };
    let mut wood = Fibre::rod(0.012, 1.5e9, 600.0);
    wood.radius = [[0.0, 0.02], [1.0, 0.008]].into();
    wood.bend_damping = 0.03.into();
    let mut twig = Fibre::rod(0.006, 1.5e9, 600.0);
    twig.radius = [[0.0, 0.008], [1.0, 0.004]].into();
    twig.bend_damping = 0.03.into();
    let mut strand = Strand::through((0..=10).map(bough)).named("bough").of(wood);
    for (at, side) in [(4, 1.0), (5, -1.0), (7, 1.0), (8, -1.0)] {
        let point = |k: u32| {
            let (u, [x, y, z]) = (f64::from(k) / 4.0, bough(at));
            [x + 0.16 * u, y + 0.12 * u, z + side * 0.26 * u]
        };
        let mut grown = Branch::new(0, at as usize, (0..=4).map(point).collect());
        grown.fibre = Some(twig.clone());
        strand.branches.push(grown);
    }
    scene.add(strand.zero_gravity(None).colour(0.4, 0.3, 0.2));
    let surface = Surface::Sheet {
        columns: 15,
        rows: 15,
        spacing: 0.05,
    };
    let mut material = seed(0.2, 300.0, 1.0, 2e-4);
    (material.drag, material.friction) = (0.6, 0.7);
    let mut cloth = Cloth::new("cloth", surface).of(material);
    cloth.position = [0.62, 1.02, 0.0];
    cloth.turn = Some(Turn::new([0.0, 1.0, 0.0], 25.0));
    scene.add(cloth.colour(0.75, 0.7, 0.55));
    scene.camera = Some(Camera::new([1.5, 1.35, 1.5], [0.55, 0.75, 0.0]));
    scene
        .truth(cloth::above("cloth", 0.3))
        .truth(cloth::no_crossings())
        .truth(cloth::no_stall())
        .truth(cloth::energy_never_gained().with("share", 0.01));
    runs_well(&mut scene);
    scene
}
