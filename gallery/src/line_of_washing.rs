//! Two towels pegged to a line: cloth that hangs from a taut rope, and pulls it down.

use drystone_world::Turn;

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "line-of-washing",
    about: "two towels pegged to a line between two posts, in a breeze",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 2.0;
    scene.solver.cloth.thickness = Some(0.01);
    // the line sags by 12 cm between its posts
    let point = |k: u32| {
        let u = f64::from(k) / 20.0;
        [2.4 * (u - 0.5), 1.5 - 0.48 * u * (1.0 - u), 0.0]
    };
    let mut fibre = Fibre::thread(0.05, 1e-4, 1e-4);
    fibre.radius = 3e-3.into();
    fibre.drag = 0.02.into();
    let mut line = Strand::through((0..=20).map(point)).named("line").of(fibre);
    line.root = 0.0;
    scene.add(line.hold(Hold::tip()));
    for x in [-1.24, 1.24] {
        let post = Shape::Capsule {
            length: 1.5,
            radius: 0.03,
        };
        let post = Body::new(post).at(x, 0.75, 0.0).fixed();
        scene.add(post.colour(0.45, 0.4, 0.35));
    }
    for (name, x, colour) in [("red", -0.48, [0.7, 0.3, 0.25]), ("blue", 0.48, [0.25, 0.45, 0.7])] {
        let surface = Surface::Sheet {
            columns: 9,
            rows: 7,
            spacing: 0.06,
        };
        let mut material = seed(0.3, 400.0, 2.0, 1e-3);
        material.drag = 0.3;
        let mut towel = Cloth::new(name, surface).of(material);
        // it hangs from its first row, a little below the line
        towel.turn = Some(Turn::new([1.0, 0.0, 0.0], 90.0));
        towel.position = [x, 1.38 - 0.18, 0.0];
        towel.pins.push(Pin::on(ClothPart::Vertices(vec![0, 4, 8]), "line"));
        towel.colour = Some(colour);
        scene.add(towel);
    }
    scene.field(Field::new("air", FieldKind::Wind {
        velocity: [0.2, 0.0, 0.8],
    }));
    scene.camera = Some(Camera::new([1.2, 1.5, 3.2], [0.0, 1.1, 0.0]));
    scene
        .truth(cloth::above("*", 0.6))
        .truth(cloth::no_crossings())
        .truth(cloth::no_stall())
        .truth(cloth::energy_never_gained().with("share", 0.01));
    runs_well(&mut scene);
    scene
}
