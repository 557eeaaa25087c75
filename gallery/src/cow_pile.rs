//! A pile of animals (Erleben 2007, Fig. 15): 249 concave, leggy bodies. Ours is a mesh made in
//! code, and the slab lies on a wider floor, so that nothing is lost from sight.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "cow-pile",
    about: "249 four-legged animals dropped on a slab",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 8.0;
    scene.frame_rate = 25.0;
    scene.material("default", 0.4, 0.1);
    scene.ground_slab(10.0, 2.0, 10.0);
    scene.add(
        Body::new(Shape::HalfSpace)
            .named("floor")
            .at(0.0, -2.0, 0.0)
            .fixed(),
    );
    // far enough apart that they may be turned any way
    let animals = Column {
        count: 249,
        shapes: vec![Shape::Mesh(Mesh::builtin(Builtin::Animal))],
        radius: 4.3,
        pitch: 1.4,
        rise: 1.4,
        tumble: true,
        ..Column::default()
    };
    scene.generate(Generator::new("cow", Pattern::Column(animals)).at(0.0, 1.5, 0.0));
    scene.camera = Some(Camera::new([9.0, 7.0, 13.0], [0.0, 0.5, 0.0]));
    scene
        .truth(stays_inside("cow/*", [-40.0, -2.0, -40.0], [40.0, 15.0, 40.0]))
        .truth(penetration_below(5e-3).over(8.0..))
        .truth(speed_below("cow/*", 20.0))
        .truth(stays_finite());
    scene
}
