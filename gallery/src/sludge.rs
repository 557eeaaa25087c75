//! Sludge in the plane (Harmon 2012, §6): particles and segments run through a funnel. Points and
//! segments only, through the same code as cloth.

use drystone_base::random::Random;

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "sludge",
    about: "a hundred and fifty particles and segments run through a funnel in the plane",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = draping(&ENTRY, 3.0);
    scene.solver.cloth.plane = true;
    // funnel and basin
    let funnel = Surface::Chain {
        points: vec![
            [-4.0, 4.0, 0.0],
            [-0.45, 0.6, 0.0],
            [-0.45, -0.6, 0.0],
        ],
        closed: false,
    };
    let mirrored = Surface::Chain {
        points: vec![[4.0, 4.0, 0.0], [0.45, 0.6, 0.0], [0.45, -0.6, 0.0]],
        closed: false,
    };
    let basin = Surface::Chain {
        points: vec![
            [-3.0, 0.0, 0.0],
            [-3.0, -3.0, 0.0],
            [3.0, -3.0, 0.0],
            [3.0, 0.0, 0.0],
        ],
        closed: false,
    };
    for (name, wall) in [("left", funnel), ("right", mirrored), ("basin", basin)] {
        let wall = Cloth::new(name, wall).pin(Pin::fixed(ClothPart::All));
        scene.add(wall.of(grain()).colour(0.4, 0.4, 0.45));
    }
    // grains in shifted rows
    let mut random = Random::new(7);
    let mut points = Vec::new();
    for row in 0..14u32 {
        for column in 0..11u32 {
            let mut off = || random.range(-0.02, 0.02);
            let x = 0.3 * (f64::from(column) - 5.0) + 0.1 * f64::from(row % 2);
            points.push([x + off(), 4.4 + 0.3 * f64::from(row) + off(), 0.0]);
        }
    }
    // every sixth place holds a segment instead
    let mut particles = Vec::new();
    for (k, p) in points.into_iter().enumerate() {
        if k % 6 != 3 {
            particles.push(p);
            continue;
        }
        let segment = Surface::Chain {
            points: vec![p, [p[0] + 0.16, p[1] + 0.02, 0.0]],
            closed: false,
        };
        let segment = Cloth::new(format!("segment-{k}"), segment);
        scene.add(segment.of(grain()).colour(0.75, 0.5, 0.2));
    }
    let particles = Surface::Particles { points: particles };
    scene.add(Cloth::new("grains", particles).of(grain()).colour(0.3, 0.45, 0.65));
    scene.camera = Some(Camera::new([0.0, 1.5, 13.0], [0.0, 1.0, 0.0]));
    safe_and_going(&mut scene)
        .truth(cloth::above("grains", -3.0))
        .truth(cloth::sinks("grains", -1.0));
    scene
}

fn grain() -> ClothMaterial {
    ClothMaterial {
        density: 0.0,
        vertex_mass: 0.02,
        stretch: Stretch::Spring(200.0),
        friction: 0.1,
        ..ClothMaterial::default()
    }
}
