//! A closed rope falls over a bust that may give way, and lies on its shoulder.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "necklace",
    about: "a ring of rope with a clasp falls over a bust that stands on the ground, and lies on it",
    system: "strand",
    build,
};

/// Radius of the ring and of the bust \[m\].
const RING: f64 = 0.075;
const BALL: f64 = 0.1;

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 2.0;
    scene.dt = 0.01;
    scene.frame_rate = 50.0;
    scene.material("default", 0.3, 0.0);
    scene.ground();
    let part = |shape, height| Part {
        shape,
        position: [0.0, height, 0.0],
        rotation: None,
        turn: None,
    };
    let parts = vec![
        part(Shape::Sphere { radius: BALL }, 0.0),
        part(
            Shape::Box {
                size: [0.14, 0.06, 0.14],
            },
            -0.07,
        ),
    ];
    let bust = Body::new(Shape::Compound { parts }).named("bust").mass(2.0);
    scene.add(bust.at(0.0, BALL, 0.0).colour(0.85, 0.7, 0.6));
    let mut fibre = Fibre::thread(0.08, 1e-6, 1e-6);
    fibre.radius = 3e-3.into();
    fibre.bend_damping = 0.02.into();
    fibre.drag = 0.01.into();
    let count = 16;
    let points = (0..=count).map(|k| {
        let angle = std::f64::consts::TAU * f64::from(k) / f64::from(count);
        let (sin, cos) = (
            drystone_base::functions::sin(angle),
            drystone_base::functions::cos(angle),
        );
        [RING * cos, 2.0 * BALL + 0.01 + 0.1 * RING * sin, RING * sin]
    });
    let clasp = Body::ball(3e-3).named("clasp").mass(3e-3).passable();
    scene.add(clasp.at(RING, 2.0 * BALL + 0.01, 0.0).colour(0.7, 0.5, 0.1));
    let mut ring = Strand::through(points).named("necklace").on("clasp");
    ring.root = 0.0;
    let close = Hold::tip().to(Anchor::On("clasp".into()));
    scene.add(ring.of(fibre).hold(close).colour(0.85, 0.65, 0.2));
    scene.camera = Some(Camera::new([0.25, 0.35, 0.45], [0.0, 0.1, 0.0]));
    scene
        .truth(stands_still("bust", 5e-3))
        .truth(strands::tip_speed_below("necklace", 1e-2).over(1.8..))
        .truth(strands::depth_below(1e-4))
        // measured: 1e-8
        .truth(energy_never_rises(1e-4));
    runs_well(&mut scene);
    scene
}
