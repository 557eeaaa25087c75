//! Two rods, one hung from the other: chaotic, but for half a second the equations of motion say
//! where the tip is. A test of the gallery integrates them.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "double-pendulum",
    about: "two rods, one hung from the other, where the equations of motion have them",
    system: "strand",
    build,
};

fn build() -> Scene {
    let mut scene = film(&ENTRY, 3.0);
    scene.solver.strand.steps_per_frame = 64;
    let mut rods = swinging("rods", [0.4, 0.0, 0.0], 2);
    rods.fibre = Fibre::thread(0.05, 0.0, 0.0);
    // thin: the rods' own turning about their axes is left out of the equations
    rods.fibre.radius = 1e-4.into();
    scene.add(rods);
    scene.camera = Some(Camera::new([0.0, -0.1, 1.4], [0.0, -0.1, 0.0]));
    scene
        .truth(strands::tip_near("rods", [-0.366_164, -0.125_317, 0.0], 2e-3).at(0.5))
        .truth(strands::energy_never_rises(1e-4)); // 0.08 J in all; measured: 3e-5
    runs_well(&mut scene);
    scene
}
