//! The reference case of the strands: a planar hair of 25 links, released from the horizontal, whose
//! tip SUNDIALS IDA has at (-0.0529528, -0.1257266) m after half a second.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "golden-hair",
    about: "a hair released from the horizontal, held to SUNDIALS IDA",
    system: "strand",
    build,
};

fn build() -> Scene {
    let mut scene = film(&ENTRY, 0.5);
    scene.solver.strand.steps_per_frame = 32;
    scene.solver.strand.error_tolerance = 0.0;
    let mut hair = Strand::straight([0.0; 3], [0.2, 0.0, 0.0], 25)
        .named("hair")
        .of(Fibre::thread(6.5345e-6, 8.04e-9, 6.43e-9));
    // K = EI/l at every joint, the root included
    hair.root = 1.0;
    scene.add(hair);
    scene.camera = Some(Camera::new([0.05, -0.08, 0.5], [0.05, -0.08, 0.0]));
    scene
        .truth(strands::tip_near("hair", [-0.052_952_8, -0.125_726_6, 0.0], 2e-4)) // measured: 1.3e-4
        .truth(strands::energy_never_rises(1e-12)) // 2.6e-7 J in all
        .truth(strands::iterations_below(4.0));
    runs_well(&mut scene);
    scene
}
