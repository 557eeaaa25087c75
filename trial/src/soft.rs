//! Random scenes of strands, by themselves and with bodies, and of bodies on cloth.

use drystone_base::Vec3;
use drystone_base::functions::{cos, sin};
use drystone_base::random::Random;
use drystone_world::{Body, ClothPart, Fibre, Hold, Pin, Scene, Strand};

use crate::cloth::{rim, sheet};
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
    Recipe {
        kind: "tied",
        make: tied,
    },
    Recipe {
        kind: "touching",
        make: touching,
    },
];

/// A passive scene of `seconds` in steps of 1/200 s.
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
    let mut hold = Hold::tip();
    hold.to = drystone_world::Anchor::On("bob".into());
    scene.add(rope.hold(hold));
    (scene, Expect::default())
}

/// A body that lands on a sheet held all around.
fn carried(random: &mut Random) -> (Scene, Expect) {
    let mut scene = passive(random, 0.6);
    let spacing = decades(random, 0.01, 0.3);
    let fabric = sheet(random, &mut scene, spacing);
    let half = fabric.half;
    let mass = fabric.mass() * decades(random, 0.1, 30.0);
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
    let rim = ClothPart::Vertices(rim(fabric.counts));
    let held = fabric.cloth.pin(Pin::fixed(rim));
    scene.add(held);
    (scene, Expect::default())
}

/// A sheet that hangs by some of its corners from ropes, or flies with a ball on them.
fn tied(random: &mut Random) -> (Scene, Expect) {
    let mut scene = passive(random, 0.4);
    let spacing = decades(random, 0.03, 0.3);
    let mut fabric = sheet(random, &mut scene, spacing);
    // strong dashpots take a tied vertex for immovable, and gain energy: known, see the README of cloth
    let material = &mut fabric.cloth.material;
    (material.stretch_damping, material.bending_damping) = (0.0, 0.0);
    let (half, name) = (fabric.half, fabric.cloth.name.clone());
    let mass = fabric.mass() * decades(random, 0.01, 100.0);
    let height = random.range(0.5, 2.0) * half.length();
    let on_ball = random.unit() < 0.4;
    if on_ball {
        let ball = Body::ball(0.2 * half.length()).named("ball");
        let mut ball = ball.mass(fabric.mass() * decades(random, 0.01, 100.0));
        ball.passable = true;
        scene.add(ball.at(0.0, -height, 0.0));
    }
    let ropes = 1 + random.below(4);
    let corners = [[-1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [1.0, -1.0]];
    for (k, [x, z]) in corners.into_iter().take(ropes).enumerate() {
        let corner = [x * half.x, 0.0, z * half.z];
        let from = match on_ball {
            true => [0.0, -height, 0.0],
            false => [x * half.x * random.range(0.5, 1.5), height, z * half.z],
        };
        let (a, b) = (Vec3::from(from), Vec3::from(corner));
        let length = (a - b).length();
        let segments = 3 + random.below(8) as u32;
        let mut rope = Strand::straight(from, corner, segments).named(format!("rope{k}"));
        rope.fibre = Fibre::thread(mass / length, 1e-5, 1e-5);
        rope.fibre.radius = (0.01 * length).into();
        rope.root = 0.0;
        if on_ball {
            rope = rope.on("ball");
        }
        scene.add(rope.hold(Hold::tip().tied_to_cloth(&name, None)));
    }
    scene.add(fabric.cloth);
    (scene, Expect::default())
}

/// A rope that falls on a sheet, or over which a sheet falls.
fn touching(random: &mut Random) -> (Scene, Expect) {
    let mut scene = passive(random, 0.5);
    let spacing = decades(random, 0.01, 0.2);
    let mut fabric = sheet(random, &mut scene, spacing);
    let (half, mass) = (fabric.half, fabric.mass() * decades(random, 0.01, 100.0));
    // as long as the sheet is wide, in any direction across it
    let (along, far) = (
        random.range(0.0, 3.1),
        half.length() * random.range(0.4, 1.5),
    );
    let [x, z] = [cos(along) * far, sin(along) * far];
    let segments = 4 + random.below(17) as u32;
    let radius = spacing * decades(random, 0.05, 0.6);
    let above = 0.5 * spacing + 2.0 * radius + random.range(0.0, 0.5) * far;
    let mut fibre = Fibre::thread(mass / (2.0 * far), 1e-5, 1e-5);
    fibre.radius = radius.into();
    fibre.bend_stiffness = Some((mass * far * far * decades(random, 1e-4, 1.0)).into());
    fibre.bend_damping = 0.02.into();
    let speed = decades(random, 0.1, 5.0);
    if random.unit() < 0.5 {
        // the sheet falls over a line
        // slack: one that is just straight has nothing to fall by, and no energy to measure a gain by
        let slack = far * decades(random, 0.02, 0.5);
        let point = |k: u32| {
            let u = f64::from(k) / f64::from(segments);
            let (way, sag) = (2.0 * u - 1.0, 4.0 * u * (1.0 - u));
            [way * x, -slack * sag, way * z]
        };
        let mut line = Strand::through((0..=segments).map(point))
            .named("line")
            .of(fibre);
        line.root = 0.0;
        if random.unit() < 0.8 {
            line = line.hold(Hold::tip());
        }
        scene.add(line);
        fabric.cloth = fabric.cloth.at(0.0, above, 0.0);
        fabric.cloth.velocity = [0.0, -speed, 0.0];
    } else {
        // the bead comes down inside of the rim, which no body is pushed by where it is pinned
        let tilt = random.range(-0.2, 0.2) * above;
        let inner = 0.4 * half.x.min(half.z) / far;
        let from = [-x * inner, above + tilt, -z * inner];
        let to = [x, above - tilt, z];
        let bead = Body::ball(radius).named("bead").mass(0.05 * mass);
        let bead = bead
            .at(from[0], from[1], from[2])
            .velocity(0.0, -speed, 0.0);
        scene.add(bead.passable());
        scene.add(
            Strand::straight(from, to, segments)
                .named("rope")
                .on("bead")
                .of(fibre),
        );
        if random.unit() < 0.6 {
            let rim = ClothPart::Vertices(rim(fabric.counts));
            fabric.cloth = fabric.cloth.pin(Pin::fixed(rim));
        }
    }
    scene.add(fabric.cloth);
    (scene, Expect::default())
}
