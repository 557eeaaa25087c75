//! A close-coiled helix of three turns pulled along its axis by 0.1 µN: a spring of
//! `δ = 2πN R³F/GJ` = 0.293 mm. An arm across the last turn carries the load on the axis.

use drystone_base::functions::{cos, sin};

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "helix",
    about: "a coil of three turns stretches as a spring does",
    system: "strand",
    build,
};

fn build() -> Scene {
    let mut scene = film(&ENTRY, 4.0);
    let (radius, turns, n, pitch) = (0.01, 3.0, 120, 5e-4);
    let point = |k: u32| {
        let turned = turns * f64::from(k) / f64::from(n);
        let angle = std::f64::consts::TAU * turned;
        [radius * cos(angle), -pitch * turned, radius * sin(angle)]
    };
    let mut points: Vec<[f64; 3]> = (0..=n).map(point).collect();
    let end = points[points.len() - 1];
    let tip = [-radius, end[1], 0.0];
    points.push(tip);

    // arc lengths: the arm's fraction of the whole, and its mass
    let wound = turns * (std::f64::consts::TAU * radius).hypot(pitch);
    let (whole, mass) = (wound + 2.0 * radius, 6.5345e-6);
    let (joint, edge) = (wound / whole, 1e-4);
    let load = 1e-7;
    let factor = load / (mass * 2.0 * radius * 9.81);
    let (bend, twist) = (8.042e-9, 6.43e-9);
    let step = |coil: f64, arm: f64| {
        Profile::along([[0.0, coil], [joint - edge, coil], [joint - 0.5 * edge, arm], [1.0, arm]])
    };
    let mut coil = Strand::through(points).named("coil").of(Fibre::thread(mass, bend, twist));
    coil.fibre.bend_stiffness = Some(step(bend, 1e4 * bend));
    coil.fibre.twist_stiffness = Some(step(twist, 1e4 * twist));
    coil.fibre.gravity = step(0.0, factor);
    coil.fibre.radius = 2e-4.into();
    coil.fibre.drag = (10.0 * mass).into();
    scene.add(coil);

    let stretch = std::f64::consts::TAU * turns * radius * radius * radius * load / twist;
    scene.camera = Some(Camera::new([0.02, 0.025, 0.05], [0.0, -1e-3, 0.0]));
    scene
        .truth(strands::tip_near("coil", [tip[0], tip[1] - stretch, 0.0], 1e-5)) // measured: 3.8e-6
        .truth(strands::tip_speed_below("*", 1e-5).over(3.5..));
    runs_well(&mut scene);
    scene
}
