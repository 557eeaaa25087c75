//! Rods that lie on a plane inclined by 30 degrees, each turning about a pivot at its upper end, with a
//! coefficient of friction of 0.3. The weight acts at the middle and the friction that counts at the
//! tip: a rod stays where it is as long as it lies within 31.3 degrees of the fall line.

use drystone_base::functions::{cos, rotation_about, sin};
use drystone_base::Vec3;

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "incline-rod",
    about: "of two rods on an incline one sticks and one slides",
    system: "strand",
    build,
};

fn build() -> Scene {
    let mut scene = film(&ENTRY, 0.5);
    scene.solver.strand.steps_per_frame = 8;
    scene.material("default", 0.3, 0.0);
    let slope = rotation_about(Vec3::Z, -30f64.to_radians());
    let plane = Body::block(0.6, 0.02, 0.6).turned([0.0, 0.0, 1.0], -30.0);
    let under = slope * Vec3::new(0.1, -0.01, 0.0);
    scene.add(plane.named("plane").at(under.x, under.y, under.z).fixed());
    let radius = 1e-3;
    for (name, angle, z) in [("steep", 29f64, -0.12), ("flat", 34f64, 0.08)] {
        let angle = angle.to_radians();
        let start = slope * Vec3::new(0.0, radius, z);
        let end = start + slope * Vec3::new(0.2 * cos(angle), 0.0, 0.2 * sin(angle));
        let mut rod = Strand::straight(start.to_array(), end.to_array(), 1).named(name);
        rod.root = 0.0;
        rod.fibre = Fibre::rod(radius, 1e9, 1000.0);
        rod.fibre.twist_damping = 0.0.into();
        scene.add(rod);
    }
    scene.camera = Some(Camera::new([0.3, 0.45, 0.5], [0.1, -0.05, 0.0]));
    scene
        .truth(strands::tip_stays("steep", 1e-5))
        .truth(strands::tip_moves("flat", 5e-3)) // measured: 18 mm, and 0.04 um of the other
        .truth(strands::depth_below(1e-5));
    runs_well(&mut scene);
    scene
}
