//! What the compactors share: walls that close, trash, and an animal.

use drystone_world::truth::cloth;
use drystone_world::{Body, Camera, Cloth, Key, Mesh, Scene, Surface};

use crate::Entry;
use crate::cloth_prelude::{draping, safe, seed};

/// A floor and four walls, of which the two along x come together from `gap` to `end` within
/// `seconds` \[m\], \[s\].
pub(crate) fn compactor(entry: &Entry, seconds: f64, gap: f64, end: f64) -> Scene {
    let mut scene = draping(entry, seconds);
    scene.solver.cloth.thickness = Some(0.05);
    scene.add(
        Body::block(8.0, 0.2, 3.0)
            .named("floor")
            .at(0.0, -0.1, 0.0)
            .fixed(),
    );
    // one looks in from the front
    let wall = |name: &str| Body::block(8.0, 4.0, 0.2).named(name).fixed();
    scene.add(wall("front").at(0.0, 2.2, 1.1).hidden());
    scene.add(wall("back").at(0.0, 2.2, -1.1));
    scene.camera = Some(Camera::new([0.0, 1.9, 3.4], [0.0, 0.45, 0.0]));
    for (name, side) in [("left", -1.0), ("right", 1.0)] {
        let at = |wide: f64| [side * (0.5 * wide + 0.1), 2.2, 0.0];
        let path = vec![Key::new(0.0, at(gap)), Key::new(seconds, at(end))];
        let [x, y, z] = at(gap);
        // short of floor and walls by more than a layer
        let wall = Body::block(0.2, 4.0, 1.8).named(name).at(x, y, z);
        scene.add(wall.along(path).colour(0.5, 0.5, 0.55));
    }
    scene
}

/// In the end some cloth is crushed to the room that the walls leave \[m\].
pub(crate) fn crushed(scene: &mut Scene, cloths: &str, room: f64) {
    scene.truth(cloth::extent(cloths, [1.0, 0.0, 0.0], room));
}

/// A hollow hare of which bending is so stiff, between two walls that close on it.
pub(crate) fn animal_in_compactor(entry: &Entry, bending: f64) -> Scene {
    let mut scene = compactor(entry, 1.0, 2.6, 0.8);
    scene.solver.cloth.stiffness = 1e4;
    let mut material = seed(0.01, 1000.0, 0.0, bending);
    material.restitution = 0.01;
    let animal = Cloth::new("animal", Surface::Mesh(hare())).at(0.0, 0.75, 0.0);
    scene.add(animal.of(material).colour(0.7, 0.55, 0.4));
    // it is 1.2 m long
    safe(&mut scene);
    crushed(&mut scene, "animal", 0.8);
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

/// Low trash of Harmon 2012: balls of 42 vertices, boxes, rings, sheets, each with its place in a layer.
pub(crate) fn trash() -> Vec<(Surface, [f64; 3])> {
    let ball = Surface::Sphere {
        radius: 0.25,
        subdivisions: 1,
    };
    let block = Surface::Box {
        size: [0.4, 0.3, 0.4],
        divisions: 2,
    };
    let ring = Surface::Torus {
        radius: 0.32,
        tube: 0.13,
        around: 12,
        across: 8,
    };
    let flat = Surface::Sheet {
        columns: 8,
        rows: 8,
        spacing: 0.1,
    };
    vec![
        (ball.clone(), [-0.35, 0.4, -0.5]),
        (block, [0.35, 0.35, -0.45]),
        (ring, [-0.3, 0.3, 0.4]),
        (ball, [0.4, 0.4, 0.5]),
        (flat, [0.0, 0.95, 0.0]),
    ]
}

/// One piece of trash of which bending is so stiff.
pub(crate) fn piece(k: usize, surface: Surface, place: [f64; 3], bending: f64) -> Cloth {
    let [x, y, z] = place;
    let mut material = seed(0.001, 1000.0, 15.0, bending);
    material.restitution = 0.01;
    let shade = 0.25 + 0.12 * (k % 5) as f64;
    Cloth::new(format!("trash-{k}"), surface)
        .at(x, y, z)
        .of(material)
        .colour(0.8 - shade, 0.45, shade)
}
