//! A ball is thrown through a curtain of beads on strings.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "bead-curtain",
    about: "a ball goes through eight strings of five beads each",
    system: "strand",
    build,
};

const STRINGS: u32 = 8;
const BEADS: u32 = 5;
/// Segments between beads.
const EVERY: u32 = 2;

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 2.0;
    scene.dt = 0.01;
    scene.frame_rate = 50.0;
    scene.material("default", 0.2, 0.3);
    let rail = Body::block(1.1, 0.03, 0.03).named("rail").fixed();
    scene.add(rail.at(0.0, 0.02, 0.0).colour(0.4, 0.3, 0.2));
    let mut fibre = Fibre::thread(0.01, 1e-7, 1e-7);
    fibre.radius = 1e-3.into();
    fibre.drag = 5e-3.into();
    for k in 0..STRINGS {
        let x = 0.12 * (f64::from(k) - 0.5 * f64::from(STRINGS - 1));
        let segments = BEADS * EVERY;
        let mut string = Strand::straight([x, 0.0, 0.0], [x, -0.8, 0.0], segments);
        string.root = 0.0;
        for b in 1..=BEADS {
            let name = format!("bead-{k}-{b}");
            let y = -0.8 * f64::from(b) / f64::from(BEADS);
            // the string goes through it
            let mut bead = Body::ball(0.03).named(name.clone()).mass(0.03);
            bead.passable = true;
            let shade = 0.2 + 0.6 * f64::from((k + b) % 3) / 2.0;
            scene.add(bead.at(x, y, 0.0).colour(0.75, shade, 0.25));
            string = string.hold(Hold::point((b * EVERY) as usize).to(Anchor::On(name)));
        }
        scene.add(string.named(format!("string-{k}")).of(fibre.clone()));
    }
    let ball = Body::ball(0.09).named("ball").mass(1.0).at(0.05, -0.7, 0.6);
    scene.add(ball.velocity(0.0, 2.0, -4.0).colour(0.3, 0.4, 0.7));
    scene.camera = Some(Camera::new([1.0, -0.1, 1.5], [0.0, -0.4, 0.0]));
    scene
        .truth(moves("bead-*", 0.1))
        // of 10 J in the ball; measured: 3e-4
        .truth(energy_never_rises(0.05));
    runs_well(&mut scene);
    scene
}
