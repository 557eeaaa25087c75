//! Grooms that gravity already acts on, each joint of which is kicked by 1e-4 rad: those that are stable are
//! back within a micrometre after eight seconds (Hadap 2006, §6.6). Unkicked, an unstable one might sit
//! still for long, which proves nothing.

use drystone_base::functions::{cos, sin};

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "kicked-grooms",
    about: "three grooms find back after a kick at every joint",
    system: "strand",
    build,
};

fn build() -> Scene {
    let mut scene = film(&ENTRY, 8.0);
    let line = |way: [f64; 3], length: f64| -> Vec<[f64; 3]> {
        let size = way.iter().map(|x| x * x).sum::<f64>().sqrt();
        let point = |k: u32| way.map(|x| x / size * length * f64::from(k) / 25.0);
        (0..=25).map(point).collect()
    };
    // a curl of 0.4 rad at every joint
    let (mut curl, mut angle) = (vec![[0.0; 3]], 0.0);
    for k in 0..25 {
        let [x, y, z]: [f64; 3] = curl[k];
        curl.push([x + 0.008 * cos(angle), y + 0.008 * sin(angle), z]);
        angle += 0.4;
    }
    let grooms = [
        ("hanging", line([0.3, -1.0, 0.1], 0.2), 8e-9),
        ("horizontal", line([1.0, 0.0, 0.0], 0.2), 64e-9),
        ("curl", curl, 64e-9),
    ];
    for (k, (name, points, stiffness)) in grooms.into_iter().enumerate() {
        let tip = points[25];
        let depth = 0.06 * k as f64;
        let mut fibre = Fibre::thread(6.5345e-6, stiffness, 0.8 * stiffness);
        fibre.radius = 4e-4.into();
        fibre.drag = 1e-4.into();
        let mut strand = Strand::through(points)
            .named(name)
            .at(0.0, 0.0, -depth)
            .of(fibre)
            .zero_gravity(None);
        strand.kick = 1e-4;
        scene.add(strand);
        let home = [tip[0], tip[1], tip[2] - depth];
        scene.truth(strands::tip_near(name, home, 1e-6));
    }
    scene.camera = Some(Camera::new([0.1, 0.05, 0.5], [0.1, -0.05, 0.0]));
    scene.truth(strands::grooms_hold());
    runs_well(&mut scene);
    scene
}
