//! An arm that presses a hanging cloth into a body, two centimetres deeper than there is room, and goes off again. Cloth without room is a stall; here it may be pinched, and is let go when there is room.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "armpit",
    about: "an arm pinches a cloth against a body and lets it go",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 2.5;
    scene.dt = 1.0 / 96.0;
    scene.frame_rate = 24.0;
    scene.solver.cloth.events.pinching = 4.0;
    let torso = Shape::Capsule {
        length: 0.8,
        radius: 0.2,
    };
    let torso = Body::new(torso).named("torso").at(-0.22, 0.0, 0.0).fixed();
    scene.add(torso.colour(0.8, 0.6, 0.5));
    // the arm comes to 2 cm inside of the torso
    let (far, near) = (0.25, -0.22 + 0.2 + 0.08 - 0.02);
    let arm = Shape::Capsule {
        length: 0.5,
        radius: 0.08,
    };
    let path = vec![
        Key::new(0.0, [far, 0.0, 0.0]),
        Key::new(0.2, [far, 0.0, 0.0]),
        Key::new(0.7, [near, 0.0, 0.0]),
        Key::new(1.2, [near, 0.0, 0.0]),
        Key::new(1.7, [far, 0.0, 0.0]),
    ];
    let arm = Body::new(arm).named("arm").at(far, 0.0, 0.0).along(path);
    scene.add(arm.colour(0.8, 0.6, 0.5));
    let surface = Surface::Sheet {
        columns: 13,
        rows: 14,
        spacing: 0.05,
    };
    let mut material = seed(0.15, 400.0, 0.1, 1e-4);
    material.friction = 0.3;
    // hangs between the two by the first vertex of each row
    let cloth = Cloth::new("cloth", surface)
        .at(0.04, 0.12, 0.0)
        .turned([0.0, 0.0, 1.0], -90.0)
        .of(material)
        .colour(0.3, 0.45, 0.7);
    let top = (0..14).map(|row| 13 * row).collect();
    scene.add(cloth.pin(Pin::fixed(ClothPart::Vertices(top))));
    scene.camera = Some(Camera::new([0.9, 0.5, 1.3], [-0.05, 0.0, 0.0]));
    scene
        .truth(cloth::no_stall())
        .truth(cloth::pinches(4))
        .truth(cloth::ends_clear())
        .truth(cloth::energy_never_gained().with("share", 0.01))
        .truth(stays_finite());
    scene
}
