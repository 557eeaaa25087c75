//! Two ropes that hang crosswise, the upper one falling onto the lower.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "crossed-ropes",
    about: "a rope falls across another and hangs in it",
    system: "strand",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 5.0;
    scene.material("hemp", 0.4, 0.0);
    let mut fibre = Fibre::thread(0.05, 1e-4, 1e-4);
    fibre.radius = 5e-3.into();
    fibre.bend_damping = 0.02.into();
    fibre.twist_damping = 0.02.into();
    fibre.drag = 0.02.into();
    fibre.contact_material = Some("hemp".into());
    // slack by a parabola, down or up
    let arc = |n: u32, sag: f64, at: &dyn Fn(f64, f64) -> [f64; 3]| -> Vec<[f64; 3]> {
        let u = |k: u32| f64::from(k) / f64::from(n);
        (0..=n)
            .map(|k| at(0.6 * (u(k) - 0.5), 4.0 * sag * u(k) * (1.0 - u(k))))
            .collect()
    };
    for (name, points) in [
        ("below", arc(30, -0.1, &|x, y| [x, y, 0.0])),
        ("above", arc(36, 0.15, &|z, y| [0.03, y + 0.03, z])),
    ] {
        let mut rope = Strand::through(points).named(name).of(fibre.clone());
        rope.root = 0.0;
        rope.collide_strands = true;
        scene.add(rope.hold(Hold::tip()));
    }
    scene.camera = Some(Camera::new([0.5, 0.25, 0.8], [0.0, -0.05, 0.0]));
    scene
        .truth(strands::contacts(1).at(5.0))
        // of 10 mm between their axes; measured: 2e-10
        .truth(strands::depth_below(1e-4))
        .truth(strands::energy_never_rises(1e-4));
    runs_well(&mut scene);
    scene
}
