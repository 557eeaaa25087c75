//! A necklace of two strings that are tied to each other where they meet. The neck shakes and comes to
//! rest; then they hang as one catenary, which sags by 0.39819 of its length where that is twice the span.

use drystone_base::functions::sin;

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "two-strand-necklace",
    about: "two strings tied at their tips hang as one catenary",
    system: "strand",
    build,
};

/// Of both strings together, and between the nails \[m\].
const LENGTH: f64 = 0.2;
const SPAN: f64 = 0.1;

fn build() -> Scene {
    let mut scene = film(&ENTRY, 8.0);
    let path = keys(2.0, |time| {
        let on = (time / 0.3).clamp(0.0, 1.0) * ((2.0 - time) / 0.3).clamp(0.0, 1.0);
        let swing = 2.0 * std::f64::consts::TAU * time;
        (
            [0.02 * on * sin(swing), 0.0, 0.0],
            20.0 * on * sin(0.5 * swing),
        )
    });
    scene.add(
        Body::ball(0.02)
            .named("neck")
            .along_smoothly(path)
            .passable()
            .colour(0.85, 0.7, 0.6),
    );
    let mut string = Fibre::thread(6.5345e-6, 1e-14, 1e-14);
    string.radius = 3e-4.into();
    string.drag = 3e-5.into();
    let depth = 0.5 * (LENGTH * LENGTH - SPAN * SPAN).sqrt();
    for (name, side) in [("left", -0.5), ("right", 0.5)] {
        let mut strand = Strand::straight([side * SPAN, 0.0, 0.0], [0.0, -depth, 0.0], 20)
            .named(name)
            .on("neck")
            .of(string.clone())
            .colour(0.85, 0.7, 0.2);
        strand.root = 0.0;
        if name == "left" {
            strand = strand.hold(Hold::tip().tied_to("right", None));
        }
        scene.add(strand);
    }
    scene.camera = Some(Camera::new([0.0, 0.0, 0.3], [0.0, -0.04, 0.0]));
    let lowest = [0.0, -0.39819 * LENGTH, 0.0];
    scene
        .truth(strands::tip_near("left", lowest, 2e-4))
        .truth(strands::tip_near("right", lowest, 2e-4))
        .truth(strands::tip_moves("*", 0.01));
    runs_well(&mut scene);
    scene
}
