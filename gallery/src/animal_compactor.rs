//! A hollow hare in the compactor (the bunny of Harmon 2012, Fig. 7): its bending is stiff, it crumples.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "animal-compactor",
    about: "a hollow animal crumples between two walls",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = compactor(&ENTRY, 1.0, 2.6, 0.8);
    scene.cloth_contact.stiffness = 1e4;
    let mut material = seed(0.01, 1000.0, 0.0, 0.1);
    material.restitution = 0.01;
    let animal = Cloth::new("animal", Surface::Mesh(hare())).at(0.0, 0.75, 0.0);
    scene.cloth(animal.of(material).colour(0.7, 0.55, 0.4));
    safe(&mut scene);
    scene
}

/// A ball of 642 vertices with two ears and a snout drawn out of it.
fn hare() -> Mesh {
    let ball = Surface::Sphere {
        radius: 1.0,
        subdivisions: 3,
    };
    let (points, triangles) = ball.triangles();
    let drawn = |[x, y, z]: [f64; 3]| {
        let bump = |[a, b, c]: [f64; 3], wide: f64| {
            let off = (x - a).powi(2) + (y - b).powi(2) + (z - c).powi(2);
            drystone_base::functions::exp(-off / (wide * wide))
        };
        let ears = bump([0.35, 0.87, 0.35], 0.25) + bump([0.35, 0.87, -0.35], 0.25);
        let reach = 0.55 * (1.0 + 0.8 * ears + 0.25 * bump([1.0, 0.1, 0.0], 0.35));
        [reach * x, reach * y, reach * z]
    };
    Mesh::new(points.into_iter().map(drawn).collect(), triangles)
}
