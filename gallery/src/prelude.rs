//! What every scene file uses.

pub(crate) use drystone_world::{
    Anchor, Base, Braid, Curl, Fibre, Field, FieldKind, Groom, GroomPattern, Hold, Key, Lanterns,
    PoseKey, Profile, Row, Scalp, Strand,
};
pub(crate) use drystone_world::{
    Arch, Body, Builtin, Camera, CardHouse, Column, Dominoes, Fill, Generator, Grid, House, Mesh,
    Part, Pattern, Pyramid, Ring, Scene, Shape, Stack, Wall,
};

pub(crate) use crate::Entry;
pub(crate) use crate::cloth_prelude::*;
pub(crate) use crate::compactor_prelude::*;
pub(crate) use crate::strand_prelude::*;
pub(crate) use drystone_world::truth::*;
pub(crate) use drystone_world::{Cloth, ClothMaterial, ClothPart, Load, Pin, Stretch, Surface};

/// Bricks, blocks and grains of Erleben 2007 \[kg/m³\].
pub(crate) const PAPER_DENSITY: f64 = 10.0;

/// The setting of all comparison scenes: friction 0.5, no restitution, density 1000 kg/m³ unless a
/// body says otherwise, steps of 0.01 s, the ground a fixed box of 100 x 1 x 100 m.
pub(crate) fn comparison(entry: &Entry) -> Scene {
    let mut scene = entry.start();
    scene.ground_slab(100.0, 1.0, 100.0);
    scene
}

/// The bars of a standing comparison scene: 60 s without moving.
pub(crate) fn stands_a_minute(scene: &mut Scene, bodies: &str) {
    scene.duration = 60.0;
    scene.frame_rate = 10.0;
    scene
        .truth(stands_still(bodies, 5e-4).with("sideways", true))
        .truth(penetration_below(3e-4))
        .truth(kinetic_energy_below().with("per_kg", 1e-6))
        .truth(stays_finite());
}

/// A ring of bricks 1.5 x 1 x 1 m as in Erleben 2007, Fig. 16: neighbours leave 5 mm at the inner
/// edge, odd layers are turned by half a brick.
pub(crate) fn paper_ring(bricks: u32, layers: u32) -> Ring {
    // half a brick's length with its gap, and the circle that carries such chords
    let a = 0.755;
    let c = a / drystone_base::functions::sin(std::f64::consts::PI / f64::from(bricks));
    Ring {
        bricks,
        layers,
        size: [1.0, 1.0, 1.5],
        radius: Some((a * a + c * c).sqrt() + 0.5),
        staggered: true,
        ..Ring::default()
    }
}

/// The tower, roof and cannon-ball of Erleben 2007, Fig. 16, with `bricks` in each of 40 layers.
///
/// The roof (4000 kg) falls 39 m and arrives after 2.82 s with 27.7 m/s; the ball flies without
/// gravity and hits the wall, 19.5 m up, at 4.7 s. Ours: the floor is 60 m wide instead of 20, so that
/// bricks do not fall off it.
pub(crate) fn roof_and_ball(entry: &Entry, bricks: u32) -> Scene {
    let mut scene = entry.start();
    scene.duration = 8.0;
    scene.frame_rate = 25.0;
    scene.material("default", 0.25, 0.15);
    scene.ground_slab(60.0, 1.0, 60.0);
    scene.generate(
        Generator::new("tower", Pattern::Ring(paper_ring(bricks, 40))).density(PAPER_DENSITY),
    );
    scene.add(
        Body::block(20.0, 1.0, 20.0)
            .named("roof")
            .at(0.0, 79.5, 0.0)
            .mass(4000.0)
            .colour(0.35, 0.38, 0.42),
    );
    scene.add(
        Body::ball(0.75)
            .named("ball")
            .at(100.0, 19.5, 0.0)
            .velocity(-20.0, 0.0, 0.0)
            .density(100.0)
            .weightless()
            .colour(0.75, 0.15, 0.1),
    );
    scene.camera = Some(Camera::new([-52.0, 17.0, 56.0], [-2.0, 19.6, 0.0]));
    // bricks are 1 m thick and 1 m high
    scene
        .truth(stands_still("tower/*", 5e-3).over(..2.8))
        .truth(penetration_below(3e-4).over(..2.8))
        // Newton's law with e = 0.15 at every joint lets bricks of the top courses bounce off; at
        // e = 0 all of them stay
        .truth(
            standing_fraction("tower/*", 0.5, 1.0)
                .with("at_least", 0.9)
                .at(4.6),
        )
        .truth(standing_fraction("tower/*", 0.5, 1.0).with("at_least", 0.9))
        .truth(moves("tower/*", 1.0))
        .truth(speed_below("tower/*", 30.0))
        .truth(stays_above("tower/*", 0.0))
        .truth(stays_finite());
    scene
}
