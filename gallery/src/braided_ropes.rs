//! Three ropes in a flat braid that carry a weight: it draws the braid tight, and the braid holds.

use drystone_base::functions::sin;

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "braided-ropes",
    about: "a braid of three ropes is drawn tight by the weight that it carries",
    system: "strand",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 2.0;
    scene.material("hemp", 0.4, 0.0);
    let mut fibre = Fibre::thread(0.05, 1e-4, 1e-4);
    fibre.radius = 5e-3.into();
    fibre.bend_damping = 0.02.into();
    fibre.twist_damping = 0.02.into();
    fibre.contact_material = Some("hemp".into());
    // so wide and deep that the ropes do not touch at first
    let (wide, deep, pitch, n) = (0.03, 0.018, 0.18, 20);
    let mut weight = Body::block(0.08, 0.04, 0.08).named("weight").mass(0.3);
    weight.passable = true;
    scene.add(weight.at(0.0, -pitch - 0.02, 0.0));
    for k in 0..3 {
        let point = |i: u32| {
            let u = f64::from(i) / f64::from(n);
            let t = std::f64::consts::TAU * (f64::from(k) / 3.0 + u);
            [wide * sin(t), -pitch * u, deep * sin(2.0 * t)]
        };
        let mut rope = Strand::through((0..=n).map(point));
        rope.root = 0.0;
        rope.collide_strands = true;
        let rope = rope.named(format!("rope-{k}")).of(fibre.clone());
        scene.add(rope.hold(Hold::tip().to(Anchor::On("weight".into()))));
    }
    scene.camera = Some(Camera::new([0.2, 0.0, 0.45], [0.0, -0.14, 0.0]));
    scene
        // were the ropes to pass through each other, it would hang at -0.292; measured: -0.273
        .truth(stays_above("weight", -0.28))
        .truth(strands::contacts(6).at(2.0))
        .truth(strands::depth_below(1e-4));
    runs_well(&mut scene);
    scene
}
