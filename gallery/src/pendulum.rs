//! A rod of 0.2 m on a ball joint: `T = 2π √(2L/3g)` = 0.73251 s for a small swing, 1.180341 times
//! that from a right angle.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "pendulum",
    about: "two rods swing, one a little and one from the horizontal, with their periods",
    system: "strand",
    build,
};

fn build() -> Scene {
    let mut scene = film(&ENTRY, 5.0);
    scene.solver.strand.steps_per_frame = 32;
    let rod = Fibre::rod(2e-3, 1e9, 1000.0);
    let small = swinging("small", [2e-3, -0.2, 0.0], 1).at(0.0, 0.0, -0.06);
    scene.add(small.of(rod.clone()).colour(0.3, 0.5, 0.8));
    scene.add(swinging("wide", [0.2, 0.0, 0.0], 1).of(rod).colour(0.8, 0.4, 0.2));
    scene.camera = Some(Camera::new([0.12, -0.02, 0.7], [0.0, -0.07, 0.0]));
    let (x, short) = ([1.0, 0.0, 0.0], 0.732_51);
    scene
        .truth(strands::tip_period("small", x, short, 2e-4)) // measured: 0.73257
        .truth(strands::tip_period("wide", x, 0.864_61, 5e-4)) // measured: 0.86480
        .truth(strands::energy_never_rises(2e-6)); // 2.5e-3 J in all; measured: 9e-7
    runs_well(&mut scene);
    scene
}
