//! Random scenes of strands and cloth, by themselves and with bodies.

use drystone_base::Vec3;
use drystone_base::random::Random;
use drystone_world::{
    Body, Cloth, ClothMaterial, ClothPart, Fibre, Pin, Scene, Strand, Stretch, Surface,
};

use crate::rigid::GRAVITY;
use crate::shapes::{decades, direction};
use crate::{Expect, Recipe};

/// All kinds of scene of strands.
pub(crate) const STRAND: &[Recipe] = &[
    Recipe {
        kind: "hanging",
        make: hanging,
    },
    Recipe {
        kind: "draped",
        make: draped,
    },
];
/// All kinds of scene of cloth.
pub(crate) const CLOTH: &[Recipe] = &[
    Recipe {
        kind: "falling",
        make: falling,
    },
    Recipe {
        kind: "pinned",
        make: pinned,
    },
];
/// All kinds of scene of bodies with strands and cloth.
pub(crate) const WORLD: &[Recipe] = &[
    Recipe {
        kind: "bob",
        make: bob,
    },
    Recipe {
        kind: "carried",
        make: carried,
    },
];

/// A passive scene of so many seconds in steps of a two-hundredth.
fn passive(random: &mut Random, seconds: f64) -> Scene {
    let mut scene = Scene::new();
    scene.gravity = [0.0, -GRAVITY, 0.0];
    (scene.dt, scene.frame_rate, scene.duration) = (0.005, 100.0, seconds);
    let friction = random.range(0.0, 1.0);
    let restitution = if random.unit() < 0.6 {
        0.0
    } else {
        random.unit()
    };
    scene.material("default", friction, restitution);
    scene
}

/// A strand from the origin in a random direction, of random stuff; lengths from a centimetre to ten metres.
fn strand(random: &mut Random) -> Strand {
    let length = decades(random, 0.01, 10.0);
    let segments = 2 + random.below(30) as u32;
    let end = direction(random) * length;
    let mut strand = Strand::straight([0.0; 3], end.to_array(), segments);
    let radius = length / decades(random, 20.0, 1000.0);
    let young = decades(random, 1e5, 1e11);
    strand.fibre = Fibre::rod(radius, young, decades(random, 100.0, 10_000.0));
    strand.fibre.bend_damping = decades(random, 1e-4, 1e-1).into();
    strand.fibre.twist_damping = strand.fibre.bend_damping.clone();
    strand.root = if random.unit() < 0.5 { 0.0 } else { 2.0 };
    strand.kick = if random.unit() < 0.3 {
        random.range(0.0, 0.3)
    } else {
        0.0
    };
    strand
}

/// Strands that hang or stand on a fixed root.
fn hanging(random: &mut Random) -> (Scene, Expect) {
    let mut scene = passive(random, 1.0);
    for k in 0..1 + random.below(4) {
        let mut strand = strand(random).named(format!("strand{k}"));
        strand.position = [100.0 * k as f64, 0.0, 0.0];
        scene.add(strand);
    }
    (scene, Expect::default())
}

/// A strand that falls on something fixed.
fn draped(random: &mut Random) -> (Scene, Expect) {
    let mut scene = passive(random, 1.0);
    let length = decades(random, 0.05, 5.0);
    let segments = 6 + random.below(30) as u32;
    let mut strand = Strand::straight([0.0; 3], [length, 0.0, 0.0], segments);
    let radius = length / decades(random, 50.0, 500.0);
    strand.fibre = Fibre::rod(
        radius,
        decades(random, 1e5, 1e10),
        decades(random, 100.0, 10_000.0),
    );
    strand.root = if random.unit() < 0.5 { 0.0 } else { 2.0 };
    scene.add(strand.named("strand"));
    let (middle, size) = (
        random.range(0.3, 0.8) * length,
        random.range(0.05, 0.2) * length,
    );
    let below = -(size + 2.0 * radius + random.range(0.0, 0.1) * length);
    let body = if random.unit() < 0.5 {
        Body::ball(size)
    } else {
        Body::cube(2.0 * size)
    };
    scene.add(body.named("obstacle").at(middle, below, 0.0).fixed());
    (scene, Expect::default())
}

/// What cloth is made of, stiffness and damping over decades, for vertices of mass `density spacing²`.
fn stuff(random: &mut Random, spacing: f64) -> ClothMaterial {
    let density = decades(random, 0.01, 1.0);
    let mass = density * spacing * spacing;
    // by the frequency of a vertex on its springs, 3 to 100 times a second
    let rate = decades(random, 20.0, 600.0);
    let stiffness = mass * rate * rate;
    ClothMaterial {
        density,
        stretch: Stretch::Spring(stiffness),
        stretch_damping: if random.unit() < 0.3 {
            0.0
        } else {
            stiffness * decades(random, 1e-5, 1e-3)
        },
        bending: stiffness * spacing * spacing * decades(random, 1e-6, 1e-2),
        friction: random.range(0.0, 1.0),
        restitution: if random.unit() < 0.6 {
            0.0
        } else {
            random.unit()
        },
        ..ClothMaterial::default()
    }
}

/// A sheet with its layers: vertices half as far again apart as the outermost layer is thick.
fn sheet(random: &mut Random, scene: &mut Scene) -> (Cloth, f64, Vec3) {
    let spacing = decades(random, 0.01, 0.3);
    let (columns, rows) = (4 + random.below(9) as u32, 4 + random.below(9) as u32);
    let surface = Surface::Sheet {
        columns,
        rows,
        spacing,
    };
    let cloth = Cloth::new("sheet", surface).of(stuff(random, spacing));
    scene.cloth_contact.thickness = Some(spacing * random.range(0.2, 0.66));
    let mass = cloth.material.density * spacing * spacing;
    let rate = decades(random, 50.0, 500.0);
    scene.cloth_contact.stiffness = mass * rate * rate;
    let half = Vec3::new(f64::from(columns - 1), 0.0, f64::from(rows - 1)) * (0.5 * spacing);
    (cloth, spacing, half)
}

/// A sheet that falls on a ball, a box or the ground.
fn falling(random: &mut Random) -> (Scene, Expect) {
    let mut scene = passive(random, 0.6);
    let (cloth, spacing, half) = sheet(random, &mut scene);
    let (size, gap) = (random.range(0.3, 1.0) * half.length(), 1.2 * spacing);
    match random.below(3) {
        0 => scene.ground(),
        1 => scene.add(Body::ball(size).named("ball").at(0.0, -size, 0.0).fixed()),
        _ => scene.add(
            Body::cube(size)
                .named("box")
                .at(0.0, -0.5 * size, 0.0)
                .fixed(),
        ),
    };
    let speed = if random.unit() < 0.5 {
        0.0
    } else {
        -random.range(0.0, 3.0)
    };
    scene.add(cloth.at(0.0, gap, 0.0).velocity(0.0, speed, 0.0));
    (scene, Expect::default())
}

/// A sheet held at corners or an edge.
fn pinned(random: &mut Random) -> (Scene, Expect) {
    let mut scene = passive(random, 0.8);
    let (cloth, _, _) = sheet(random, &mut scene);
    let part = [ClothPart::Corners, ClothPart::First, ClothPart::Left][random.below(3)].clone();
    scene.add(cloth.pin(Pin::fixed(part)));
    (scene, Expect::default())
}

/// A body at the end of a strand, or a strand on a body that falls.
fn bob(random: &mut Random) -> (Scene, Expect) {
    let mut scene = passive(random, 1.0);
    let length = decades(random, 0.1, 3.0);
    let segments = 4 + random.below(20) as u32;
    let way = direction(random) * length;
    let mut rope = Strand::straight([0.0; 3], way.to_array(), segments).named("rope");
    let radius = length / decades(random, 50.0, 500.0);
    rope.fibre = Fibre::rod(radius, decades(random, 1e6, 1e9), 1000.0);
    rope.root = 0.0;
    let own = 1000.0 * std::f64::consts::PI * radius * radius * length;
    let size = 0.1 * length;
    let at = way + way.normalize() * (size + 2.0 * radius);
    let mut ball = Body::ball(size)
        .named("bob")
        .mass(own * decades(random, 0.1, 100.0));
    ball = ball.at(at.x, at.y, at.z);
    ball.passable = true;
    scene.add(ball);
    let mut hold = drystone_world::Hold::tip();
    hold.to = drystone_world::Anchor::On("bob".into());
    scene.add(rope.hold(hold));
    (scene, Expect::default())
}

/// A body that lands on a sheet held all around.
fn carried(random: &mut Random) -> (Scene, Expect) {
    let mut scene = passive(random, 0.6);
    let (cloth, spacing, half) = sheet(random, &mut scene);
    let sides = half * (2.0 / spacing);
    let (columns, rows) = (sides.x.round() as u32 + 1, sides.z.round() as u32 + 1);
    let mass = cloth.material.density * 4.0 * half.x * half.z * decades(random, 0.1, 30.0);
    let size = (0.3 * half.x.min(half.z)).max(spacing);
    let body = if random.unit() < 0.5 {
        Body::ball(size)
    } else {
        Body::cube(size)
    };
    scene.add(
        body.named("weight")
            .mass(mass)
            .at(0.0, size + 1.5 * spacing, 0.0),
    );
    let held = cloth.pin(Pin::fixed(ClothPart::Vertices(rim(columns, rows))));
    scene.add(held);
    (scene, Expect::default())
}

/// Vertices on the rim of a sheet, which are numbered row by row.
fn rim(columns: u32, rows: u32) -> Vec<u32> {
    let inner = |k: u32| {
        let (x, z) = (k % columns, k / columns);
        x > 0 && x + 1 < columns && z > 0 && z + 1 < rows
    };
    (0..columns * rows).filter(|&k| !inner(k)).collect()
}
