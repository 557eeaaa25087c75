//! A load falls on four lines under a canopy, and comes to the speed at which the air carries it.
//!
//! Each line is rooted on the load and tied to a corner of the canopy: load, lines and cloth answer each other
//! within one step. Drag is linear in the speed, so that the end is known: the weight of all of it over the drag of
//! its area.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "parachute",
    about: "a load on four lines under a canopy reaches its terminal speed",
    system: "cloth",
    build,
};

/// Vertices along a side of the canopy, and their distance \[m\].
const SIDE: u32 = 9;
const STEP: f64 = 0.15;
/// Of the canopy \[kg/m²\], its drag \[kg/(m² s)\], and of each line \[kg\].
const DENSITY: f64 = 0.1;
const DRAG: f64 = 3.0;
const LINE: f64 = 0.01;
const LOAD: f64 = 1.0;

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 2.0;
    scene.solver.cloth.thickness = Some(0.01);
    let half = 0.5 * STEP * f64::from(SIDE - 1);
    let (top, deep) = (6.5, 1.3);
    let load = Body::ball(0.06).named("load").mass(LOAD);
    scene.add(load.at(0.0, top - deep, 0.0).colour(0.7, 0.35, 0.2));
    for (k, [x, z]) in [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]].into_iter().enumerate() {
        // from the skin of the load to a corner
        let (a, b) = ([0.0, top - deep + 0.06, 0.0], [x * half, top, z * half]);
        let length = (2.0 * half * half + (deep - 0.06) * (deep - 0.06)).sqrt();
        let mut fibre = Fibre::thread(LINE / length, 1e-5, 1e-5);
        fibre.radius = 3e-3.into();
        let mut line = Strand::straight(a, b, 6).named(format!("line-{k}")).on("load");
        line.root = 0.0;
        scene.add(line.of(fibre).hold(Hold::tip().tied_to_cloth("canopy", None)));
    }
    let surface = Surface::Sheet {
        columns: SIDE,
        rows: SIDE,
        spacing: STEP,
    };
    let mut material = seed(DENSITY, 500.0, 1.0, 1e-3);
    material.drag = DRAG;
    let canopy = Cloth::new("canopy", surface).at(0.0, top, 0.0);
    scene.add(canopy.of(material).colour(0.25, 0.45, 0.7));
    scene.camera = Some(Camera::new([3.5, 2.2, 4.5], [0.0, 1.5, 0.0]));
    // air at rest
    scene.field(Field::new("air", FieldKind::Wind { velocity: [0.0; 3] }));
    let weight = (LOAD + 4.0 * LINE + DENSITY * 4.0 * half * half) * 9.81;
    let speed = weight / (DRAG * 4.0 * half * half);
    scene
        // measured: 0.9 % more, as tied corners feel no air
        .truth(speed_is("load", speed, 0.02 * speed).with("at", 2.0))
        .truth(cloth::no_crossings())
        .truth(cloth::no_stall())
        .truth(cloth::energy_never_gained().with("share", 0.01));
    runs_well(&mut scene);
    scene
}
