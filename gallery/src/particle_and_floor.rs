//! A particle falls on a floor and bounces (the walkthrough of Harmon 2012, Fig. 6): with restitution
//! 1 it comes back as fast as it arrived, layer by layer.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "particle-and-floor",
    about: "a particle meets one penalty layer after the other and bounces",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = draping(&ENTRY, 2.0);
    scene.add(Body::block(2.0, 0.2, 2.0).named("floor").at(0.0, -0.1, 0.0).fixed());
    let particle = Surface::Particles {
        points: vec![[0.013, 1.0, 0.021]],
    };
    let material = ClothMaterial {
        density: 0.0,
        vertex_mass: 0.01,
        friction: 0.0,
        restitution: 1.0,
        ..ClothMaterial::default()
    };
    scene.add(Cloth::new("particle", particle).of(material));
    scene.camera = Some(Camera::new([1.8, 1.1, 2.4], [0.0, 0.4, 0.0]));
    // the fall of 0.9 m ends with 4.2 m/s and 0.088 J
    safe_and_going(&mut scene)
        .truth(cloth::above("*", 0.0))
        .truth(cloth::sinks("*", 0.1))
        .truth(cloth::speed_below("*", 4.5));
    scene
}
