//! What the scenes of strands share.

use drystone_base::functions::sin;
use drystone_world::truth::{stays_finite, strands};
use drystone_world::{
    Body, Fibre, Field, FieldKind, Groom, GroomPattern, Key, Scene, Shape, Strand, Tree, Turn,
};

use crate::Entry;

/// An empty scene at 24 frames a second, in which a step is a frame.
pub(crate) fn film(entry: &Entry, seconds: f64) -> Scene {
    let mut scene = entry.start();
    scene.frame_rate = 24.0;
    scene.dt = 1.0 / 24.0;
    scene.duration = seconds;
    scene
}

/// Every step is solved and no number is lost.
pub(crate) fn runs_well(scene: &mut Scene) -> &mut Scene {
    scene
        .truth(strands::no_failed_steps())
        .truth(stays_finite())
}

/// Keys at every frame of `seconds` at 24 frames a second, of a position \[m\] and a turn about y
/// \[degrees\] over time.
pub(crate) fn keys(seconds: f64, at: impl Fn(f64) -> ([f64; 3], f64)) -> Vec<Key> {
    let frames = (seconds * 24.0).ceil() as u32;
    let key = |k: u32| {
        let time = f64::from(k) / 24.0;
        let (position, degrees) = at(time);
        Key {
            turn: Some(Turn::new([0.0, 1.0, 0.0], degrees)),
            ..Key::new(time, position)
        }
    };
    (0..=frames + 2).map(key).collect()
}

/// The shaken head of the long hair: 3 cm to and fro at 1.4 Hz, 34 degrees to either side once a
/// second, beginning over half a second.
pub(crate) fn shaken(time: f64) -> ([f64; 3], f64) {
    let calm = (time / 0.5).min(1.0);
    let turn = 0.6 * calm * sin(std::f64::consts::TAU * time);
    ([0.03 * calm * sin(9.0 * time), 0.0, 0.0], turn.to_degrees())
}

/// A rod of `n` segments on a ball joint at the origin, from there to `end` \[m\].
pub(crate) fn swinging(name: &str, end: [f64; 3], n: u32) -> Strand {
    let mut strand = Strand::straight([0.0; 3], end, n).named(name);
    strand.root = 0.0;
    strand
}

/// Trees in a gust with eddies; `counts` of them along x and z.
pub(crate) fn jungle(entry: &Entry, counts: [u32; 2]) -> Scene {
    let mut scene = film(entry, 4.0);
    scene.add(
        Body::new(Shape::HalfSpace)
            .named("ground")
            .fixed()
            .passable(),
    );
    let tree = Tree {
        counts,
        spacing: [1.6, 1.6],
        ..Tree::default()
    };
    let mut wood = Fibre::rod(0.03, 5e8, 700.0);
    wood.drag = [[0.0, 0.1], [1.0, 0.3]].into();
    wood.bend_damping = 0.01.into();
    let groom = Groom::new("tree", GroomPattern::Tree(tree)).of(wood);
    scene.groom(groom.zero_gravity(Some(1.2)).colour(0.25, 0.45, 0.18));
    let wind = FieldKind::Wind {
        velocity: [6.0, 0.0, -2.0],
    };
    let gust = [[0.0, 0.0], [0.6, 1.0], [1.6, 0.4], [2.2, 1.2], [3.2, 0.0]];
    scene.field(Field::new("gust", wind).strength(&gust));
    let eddies = FieldKind::Turbulence {
        speed: 2.0,
        size: 4.0,
        duration: 1.0,
        seed: 1,
    };
    scene.field(Field::new("eddies", eddies).strength(&gust));
    scene
        .truth(strands::grooms_hold())
        .truth(strands::tip_moves("tree/*", 0.05))
        .truth(strands::tip_speed_below("*", 10.0))
        .truth(strands::iterations_below(5.0));
    runs_well(&mut scene);
    scene
}
