//! A rope falls into a sheet that is held by its corners, and lies in it.

use drystone_base::functions::{cos, sin};

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "rope-in-sheet",
    about: "a coil of rope falls into a sheet held by its corners, which sags under it",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 1.5;
    scene.solver.cloth.thickness = Some(0.01);
    scene.material("default", 0.5, 0.0);
    let surface = Surface::Sheet {
        columns: 13,
        rows: 13,
        spacing: 0.07,
    };
    let mut material = seed(0.3, 600.0, 1.0, 1e-3);
    (material.drag, material.friction) = (0.6, 0.5);
    let sheet = Cloth::new("sheet", surface).of(material);
    let sheet = sheet.pin(Pin::fixed(ClothPart::Corners));
    scene.add(sheet.colour(0.35, 0.45, 0.6));
    // a turn and a half of a spiral that rises to its end
    let point = |k: u32| {
        let u = f64::from(k) / 36.0;
        let (angle, radius) = (9.4 * u, 0.08 + 0.14 * u);
        [radius * cos(angle), 0.2 + 0.12 * u, radius * sin(angle)]
    };
    let mut fibre = Fibre::thread(0.25, 3e-4, 3e-4);
    fibre.radius = 0.01.into();
    fibre.bend_damping = 0.05.into();
    fibre.twist_damping = 0.05.into();
    // its first end is a knot
    scene.add(Body::ball(0.012).named("knot").mass(0.01).at(0.08, 0.2, 0.0).passable());
    let rope = Strand::through((0..=36).map(point)).named("rope").of(fibre);
    scene.add(rope.on("knot").colour(0.75, 0.6, 0.35));
    scene.camera = Some(Camera::new([0.9, 0.6, 1.1], [0.0, -0.05, 0.0]));
    scene
        .truth(cloth::no_crossings())
        .truth(cloth::no_stall())
        .truth(cloth::energy_never_gained().with("share", 0.01));
    runs_well(&mut scene);
    scene
}
