//! A cord is drawn across a curtain, and gathers it to one side.

use drystone_world::Turn;

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "drawn-curtain",
    about: "a cord whose ends are drawn back and aside takes a curtain with it",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 2.0;
    scene.material("default", 0.4, 0.0);
    let surface = Surface::Sheet {
        columns: 15,
        rows: 17,
        spacing: 0.06,
    };
    let mut material = seed(0.25, 300.0, 1.0, 3e-4);
    (material.drag, material.friction) = (0.6, 0.4);
    let mut curtain = Cloth::new("curtain", surface).of(material);
    curtain.turn = Some(Turn::new([1.0, 0.0, 0.0], 90.0));
    curtain.position = [0.0, 0.9, 0.0];
    let top = Pin::fixed(ClothPart::First);
    scene.add(curtain.pin(top).colour(0.5, 0.2, 0.25));
    // a cord in front of it, slack; both ends go back behind it and to the left
    let point = |k: u32| {
        let u = f64::from(k) / 24.0;
        [1.2 * (u - 0.5), 0.75, 0.06 + 0.16 * u * (1.0 - u)]
    };
    let mut fibre = Fibre::thread(0.05, 1e-4, 1e-4);
    fibre.radius = 8e-3.into();
    fibre.drag = 0.05.into();
    let mut cord = Strand::through((0..=24).map(|k| {
        let [x, y, z] = point(k);
        [x + 0.6, y - 0.75, z - 0.06]
    }));
    cord = cord.named("cord").of(fibre);
    let path = |x: f64, far: [f64; 3]| {
        let at = |t: f64, [dx, dy, dz]: [f64; 3]| Key::new(t, [x + dx, 0.75 + dy, 0.06 + dz]);
        vec![
            at(0.0, [0.0; 3]),
            at(0.2, [0.0; 3]),
            at(1.2, far),
            at(3.0, far),
        ]
    };
    cord.root = 0.0;
    cord.base = Base::Path(path(-0.6, [0.0, 0.0, -0.35]));
    let tip = Hold::tip().to(Anchor::Path(path(0.6, [-0.5, 0.0, -0.35])));
    scene.add(cord.hold(tip).colour(0.8, 0.7, 0.4));
    scene.camera = Some(Camera::new([0.9, 1.1, 2.2], [0.0, 0.75, 0.0]));
    scene
        .truth(cloth::no_crossings())
        .truth(cloth::no_stall())
        .truth(cloth::energy_never_gained().with("share", 0.01));
    runs_well(&mut scene);
    scene
}
