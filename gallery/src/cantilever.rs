//! Horizontal cantilevers of equal length and weight, from stiff to limp, as the elastica has them:
//! `Γ = λgL³/EI` from 0.1 to 100. All come to rest in thick air.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "cantilever",
    about: "six cantilevers from stiff to limp, held to the elastica",
    system: "strand",
    build,
};

/// Weight over stiffness, reach and drop over the length, and the error allowed there: of the 25
/// segments, found 2.0e-5, 1.9e-4, 6.5e-4, 6.6e-4, 1.5e-3, 2.0e-3.
const FAMILY: [(f64, f64, f64, f64); 6] = [
    (0.1, 0.999_911, 0.012_498, 1e-4),
    (1.0, 0.991_246, 0.123_471, 4e-4),
    (8.0, 0.724_425, 0.640_631, 1e-3),
    (10.0, 0.656_354, 0.700_200, 1e-3),
    (63.8, 0.209_615, 0.919_972, 2.5e-3),
    (100.0, 0.159_223, 0.937_524, 3e-3),
];

fn build() -> Scene {
    let mut scene = film(&ENTRY, 6.0);
    let (length, mass) = (0.2, 6.5345e-6);
    let weight = mass * 9.81;
    for (k, (gamma, reach, drop, allowed)) in FAMILY.into_iter().enumerate() {
        let stiffness = weight * length * length * length / gamma;
        let mut fibre = Fibre::thread(mass, stiffness, stiffness);
        // slows a limp strand within a fifth of a second
        fibre.drag = (5.0 * mass).into();
        fibre.radius = 4e-4.into();
        let (name, z) = (format!("gamma-{gamma}"), 0.03 * k as f64);
        let strand = Strand::straight([0.0; 3], [length, 0.0, 0.0], 25);
        scene.add(strand.named(name.as_str()).at(0.0, 0.0, z).of(fibre));
        let at = [reach * length, -drop * length, z];
        scene.truth(strands::tip_near(&name, at, allowed * length));
    }
    scene.add(
        Body::block(0.02, 0.06, 0.22)
            .named("wall")
            .at(-0.012, 0.0, 0.075)
            .fixed()
            .passable(),
    );
    scene.truth(strands::tip_speed_below("*", 1e-3).over(5.5..));
    scene.camera = Some(Camera::new([0.28, 0.02, 0.55], [0.1, -0.08, 0.06]));
    runs_well(&mut scene);
    scene
}
