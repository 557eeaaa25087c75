//! Random scenes of cloth: sizes, masses, stiffnesses and dashpots over decades, several sheets, pins, scripts, loads,
//! wind, and bodies that give way.

use drystone_base::Vec3;
use drystone_base::random::Random;
use drystone_world::{
    Body, Cloth, ClothMaterial, ClothPart, Field, FieldKind, Key, Load, Pin, Scene, Stretch,
    Surface,
};

use crate::rigid::GRAVITY;
use crate::shapes::{decades, direction};
use crate::{Expect, Recipe};

/// All kinds of scene of cloth.
pub(crate) const RECIPES: &[Recipe] = &[
    Recipe {
        kind: "falling",
        make: falling,
    },
    Recipe {
        kind: "pinned",
        make: pinned,
    },
    Recipe {
        kind: "sheets",
        make: sheets,
    },
    Recipe {
        kind: "dragged",
        make: dragged,
    },
    Recipe {
        kind: "struck",
        make: struck,
    },
    Recipe {
        kind: "bumped",
        make: bumped,
    },
    Recipe {
        kind: "colliding",
        make: colliding,
    },
    Recipe {
        kind: "grains",
        make: grains,
    },
];

/// Most coefficients of restitution are 0, some 1.
fn restitution(random: &mut Random) -> f64 {
    match random.below(10) {
        0..=4 => 0.0,
        5 => 1.0,
        _ => random.unit(),
    }
}

/// A scene that lasts as long as things of `size` take to fall three times that, in steps of any length.
fn scene(random: &mut Random, size: f64) -> Scene {
    let mut scene = Scene::new();
    scene.gravity = [0.0, -GRAVITY, 0.0];
    scene.duration = (3.0 * (size / GRAVITY).sqrt()).clamp(0.05, 0.8);
    scene.dt = (scene.duration / decades(random, 12.0, 150.0)).min(0.02);
    scene.frame_rate = 0.5 / scene.dt;
    let friction = random.range(0.0, 2.0);
    scene.material("default", friction, restitution(random));
    scene
}

/// What cloth is made of, for vertices of mass `density spacing²`; dashpots up to a thousand times critical.
fn stuff(random: &mut Random, spacing: f64) -> ClothMaterial {
    let density = decades(random, 0.003, 3.0);
    let mass = density * spacing * spacing;
    // by the frequency of a vertex on its springs, 1 to 200 times a second
    let rate = decades(random, 6.0, 1200.0);
    let stiffness = mass * rate * rate;
    let stretch = match random.below(4) {
        0 => Stretch::Shell(stiffness),
        1 => Stretch::Triangle {
            young: stiffness,
            poisson: random.range(0.0, 0.4),
        },
        _ => Stretch::Spring(stiffness),
    };
    let critical = 2.0 * mass * rate;
    let damped = |random: &mut Random, critical: f64| match random.below(10) {
        0..=2 => 0.0,
        3 => critical * decades(random, 1.0, 1000.0),
        _ => critical * decades(random, 1e-3, 1.0),
    };
    let bending = stiffness * spacing * spacing * decades(random, 1e-7, 1e-1);
    ClothMaterial {
        density,
        stretch,
        stretch_damping: damped(random, critical),
        bending,
        bending_damping: damped(random, (bending * mass).sqrt() * spacing),
        friction: random.range(0.0, 2.0),
        restitution: restitution(random),
        ..ClothMaterial::default()
    }
}

/// A sheet and its measures.
pub(crate) struct Fabric {
    pub(crate) cloth: Cloth,
    /// Half extents of the support along x and z \[m\].
    pub(crate) half: Vec3,
    /// Vertices along x and z.
    pub(crate) counts: [u32; 2],
}

impl Fabric {
    /// Mass of the whole sheet \[kg\].
    pub(crate) fn mass(&self) -> f64 {
        4.0 * self.cloth.material.density * self.half.x * self.half.z
    }
}

/// A sheet of vertices so far apart, by itself or of the thickness that fits it; the stiffness of layers follows from
/// its mass.
pub(crate) fn sheet(random: &mut Random, scene: &mut Scene, spacing: f64) -> Fabric {
    let counts = [4 + random.below(9) as u32, 4 + random.below(9) as u32];
    let surface = Surface::Sheet {
        columns: counts[0],
        rows: counts[1],
        spacing,
    };
    let number = scene.cloths.len();
    let mut cloth = Cloth::new(format!("sheet{number}"), surface).of(stuff(random, spacing));
    if random.unit() < 0.6 {
        cloth.thickness = Some(spacing * decades(random, 0.03, 0.66));
    }
    let mass = cloth.material.density * spacing * spacing;
    let rate = decades(random, 20.0, 1000.0);
    scene.solver.cloth.stiffness = mass * rate * rate;
    let [x, z] = counts.map(|n| 0.5 * spacing * f64::from(n - 1));
    Fabric {
        cloth,
        half: Vec3::new(x, 0.0, z),
        counts,
    }
}

/// Distance of vertices, from a millimetre to a third of a metre \[m\].
pub(crate) fn any_spacing(random: &mut Random) -> f64 {
    decades(random, 0.001, 0.3)
}

/// Adds something fixed below the origin.
fn support(random: &mut Random, scene: &mut Scene, size: f64) {
    match random.below(3) {
        0 => scene.ground(),
        1 => scene.add(
            Body::ball(size)
                .named("support")
                .at(0.0, -size, 0.0)
                .fixed(),
        ),
        _ => scene.add(
            Body::cube(size)
                .named("support")
                .at(0.0, -0.5 * size, 0.0)
                .fixed(),
        ),
    };
}

/// A sheet that falls on a ball, a box or the ground.
fn falling(random: &mut Random) -> (Scene, Expect) {
    let spacing = any_spacing(random);
    let mut scene = scene(random, 8.0 * spacing);
    let fabric = sheet(random, &mut scene, spacing);
    let size = random.range(0.3, 1.0) * fabric.half.length();
    support(random, &mut scene, size);
    let speed = thrown(random, size);
    let cloth = fabric.cloth.at(0.0, 1.2 * spacing, 0.0);
    scene.add(cloth.velocity(0.0, -speed, 0.0));
    (scene, Expect::default())
}

/// A speed by what things of `size` reach when they fall, up to thirty times that; often none \[m/s\].
fn thrown(random: &mut Random, size: f64) -> f64 {
    match random.unit() < 0.5 {
        true => 0.0,
        false => (GRAVITY * size).sqrt() * decades(random, 0.1, 30.0),
    }
}

/// Part of a sheet that is held.
fn held(random: &mut Random) -> ClothPart {
    [ClothPart::Corners, ClothPart::First, ClothPart::Left][random.below(3)].clone()
}

/// A sheet held at corners or an edge; some are pulled, some blown at.
fn pinned(random: &mut Random) -> (Scene, Expect) {
    let spacing = any_spacing(random);
    let mut scene = scene(random, 8.0 * spacing);
    let mut fabric = sheet(random, &mut scene, spacing);
    let (size, mass) = (fabric.half.length(), fabric.mass());
    let driven = random.unit() < 0.6;
    if driven && random.unit() < 0.5 {
        let force = direction(random) * (mass * GRAVITY * decades(random, 0.01, 1.0));
        let load = Load::new(ClothPart::Last, force.to_array());
        let ramp = random.range(0.0, scene.duration);
        let load = load.raised(random.range(0.0, 0.2), ramp);
        fabric.cloth.loads.push(load);
    }
    if driven {
        fabric.cloth.material.drag = fabric.cloth.material.density * decades(random, 0.1, 30.0);
        let speed = (GRAVITY * size).sqrt() * decades(random, 0.3, 10.0);
        let kind = match random.unit() < 0.5 {
            true => FieldKind::Wind {
                velocity: (direction(random) * speed).to_array(),
            },
            false => FieldKind::Turbulence {
                speed,
                size,
                duration: 0.3 * scene.duration,
                seed: 1,
            },
        };
        scene.field(Field {
            name: "wind".into(),
            kind,
            strength: 1.0.into(),
            implicit: false,
        });
    }
    let part = held(random);
    scene.add(fabric.cloth.pin(Pin::fixed(part)));
    let expect = Expect {
        driven,
        ..Expect::default()
    };
    (scene, expect)
}

/// Sheets above each other, each of other stuff, that fall on something.
fn sheets(random: &mut Random) -> (Scene, Expect) {
    let spacing = any_spacing(random);
    let mut scene = scene(random, 8.0 * spacing);
    let size = spacing * random.range(2.0, 6.0);
    support(random, &mut scene, size);
    let mut height = 0.0;
    for _ in 0..2 + random.below(3) {
        let own = spacing * random.range(0.6, 1.0);
        let fabric = sheet(random, &mut scene, own);
        height += 1.2 * spacing;
        let speed = -thrown(random, spacing);
        let cloth = fabric.cloth.at(0.0, height, 0.0);
        // those above may be faster, so that they meet
        scene.add(cloth.velocity(0.0, speed, 0.0));
    }
    (scene, Expect::default())
}

/// Keys of a handle about the origin, no two of them within a frame: shifts by up to `size` at a pace of `speed`.
fn path(random: &mut Random, size: f64, speed: f64, scene: &Scene) -> Vec<Key> {
    let (duration, frame) = (scene.duration, 1.0 / scene.frame_rate);
    let mut keys = vec![Key::new(0.0, [0.0; 3])];
    let (mut time, mut at) = (0.0, Vec3::ZERO);
    while time < duration && keys.len() < 40 {
        let next = direction(random) * (size * random.unit());
        time += ((next - at).length() / speed).max(frame);
        at = next;
        keys.push(Key::new(time, at.to_array()));
    }
    keys
}

/// A sheet whose corners or edge are moved about, over something fixed at times; some are let go.
fn dragged(random: &mut Random) -> (Scene, Expect) {
    let spacing = any_spacing(random);
    let mut scene = scene(random, 8.0 * spacing);
    let fabric = sheet(random, &mut scene, spacing);
    let size = fabric.half.length();
    if random.unit() < 0.5 {
        // out of reach of the handle
        let radius = random.range(0.2, 0.5) * size;
        let ball = Body::ball(radius).named("ball").fixed();
        scene.add(ball.at(0.0, -radius - 1.2 * size, 0.0));
    }
    let speed = (GRAVITY * size).sqrt() * decades(random, 0.1, 10.0);
    let keys = path(random, 0.3 * size, speed, &scene);
    let mut pin = Pin::along(held(random), keys);
    if random.unit() < 0.5 {
        pin = pin.until(random.range(0.2, 0.9) * scene.duration);
    }
    scene.add(fabric.cloth.pin(pin));
    let expect = Expect {
        driven: true,
        ..Expect::default()
    };
    (scene, expect)
}

/// A sheet that is free, or held at a side, and a body that goes through where it is.
fn struck(random: &mut Random) -> (Scene, Expect) {
    let spacing = any_spacing(random);
    let mut scene = scene(random, 8.0 * spacing);
    let fabric = sheet(random, &mut scene, spacing);
    let size = fabric.half.length();
    let radius = (random.range(0.1, 0.5) * size).max(0.5 * spacing);
    // what is held lies at the side, further off than any thickness: between two scripts nothing can give way
    let radius = radius.min(fabric.half.z - spacing);
    let gap = radius + 1.2 * spacing;
    let speed = (GRAVITY * size).sqrt() * decades(random, 0.1, 30.0);
    let far = 2.0 * size + gap;
    let time = (gap + far) / speed;
    // beside the middle, and away from what is held
    let aside = random.range(0.0, 0.3) * fabric.half.x;
    let (from, to) = ([aside, -gap, 0.0], [aside, far, 0.0]);
    let keys = vec![Key::new(0.0, from), Key::new(time, to)];
    let striker = match random.unit() < 0.5 {
        true => Body::ball(radius),
        false => Body::cube(radius),
    };
    let striker = striker.named("striker").along(keys);
    scene.add(striker.at(aside, -gap, 0.0));
    let side = match random.below(3) {
        0 => fabric.cloth,
        1 => fabric.cloth.pin(Pin::fixed(ClothPart::First)),
        _ => fabric.cloth.pin(Pin::fixed(ClothPart::Corners)),
    };
    scene.add(side);
    let expect = Expect {
        driven: true,
        ..Expect::default()
    };
    (scene, expect)
}

/// A body that gives way, from a hundredth to a hundred times the mass of the sheet that it meets.
fn bumped(random: &mut Random) -> (Scene, Expect) {
    let spacing = any_spacing(random).max(0.005);
    let mut scene = scene(random, 8.0 * spacing);
    let fabric = sheet(random, &mut scene, spacing);
    let radius = (random.range(0.15, 0.4) * fabric.half.x.min(fabric.half.z)).max(0.5 * spacing);
    let body = match random.unit() < 0.5 {
        true => Body::ball(radius),
        false => Body::cube(radius),
    };
    let mass = fabric.mass() * decades(random, 0.01, 100.0);
    let speed = thrown(random, fabric.half.length());
    let height = radius + 1.2 * spacing;
    let body = body.named("body").mass(mass).at(0.0, height, 0.0);
    scene.add(body.velocity(0.0, -speed, 0.0));
    let cloth = match random.below(3) {
        0 => fabric.cloth,
        1 => fabric.cloth.pin(Pin::fixed(ClothPart::Corners)),
        _ => {
            let rim = ClothPart::Vertices(rim(fabric.counts));
            fabric.cloth.pin(Pin::fixed(rim))
        }
    };
    scene.add(cloth);
    (scene, Expect::default())
}

/// Two sheets without gravity that are thrown at each other, face to face or edge on.
fn colliding(random: &mut Random) -> (Scene, Expect) {
    let spacing = any_spacing(random);
    let mut scene = scene(random, 8.0 * spacing);
    scene.gravity = [0.0; 3];
    let speed = (GRAVITY * 8.0 * spacing).sqrt() * decades(random, 0.3, 30.0);
    scene.duration = scene.duration.min(40.0 * spacing / speed);
    scene.dt = scene.dt.min(scene.duration / 10.0);
    scene.frame_rate = 0.5 / scene.dt;
    let first = sheet(random, &mut scene, spacing);
    let reach = first.half.length();
    scene.add(first.cloth.velocity(0.0, 0.5 * speed, 0.0));
    let own = spacing * random.range(0.6, 1.5);
    let other = sheet(random, &mut scene, own);
    let (angle, turned) = match random.unit() < 0.5 {
        true => (0.0, 1.2 * spacing.max(own)),
        false => (90.0, 1.2 * spacing.max(own) + other.half.z),
    };
    let aside = random.range(0.0, 0.5) * reach;
    let cloth = other.cloth.at(aside, turned, 0.0);
    let cloth = cloth.turned([1.0, 0.0, 0.0], angle);
    scene.add(cloth.velocity(0.0, -0.5 * speed, 0.0));
    (scene, Expect::default())
}

/// Particles and pieces of thread that fall on something.
fn grains(random: &mut Random) -> (Scene, Expect) {
    let spacing = any_spacing(random);
    let mut scene = scene(random, 8.0 * spacing);
    let size = spacing * random.range(2.0, 4.0);
    support(random, &mut scene, size);
    let thickness = spacing * decades(random, 0.05, 0.5);
    scene.solver.cloth.thickness = Some(thickness);
    let mass = decades(random, 1e-6, 1.0);
    let rate = decades(random, 20.0, 1000.0);
    scene.solver.cloth.stiffness = mass * rate * rate;
    let material = |random: &mut Random| {
        let rate = decades(random, 20.0, 600.0);
        ClothMaterial {
            density: 0.0,
            vertex_mass: mass * decades(random, 0.1, 10.0),
            stretch: Stretch::Spring(mass * rate * rate),
            stretch_damping: mass * rate * random.range(0.0, 0.5),
            friction: random.range(0.0, 2.0),
            restitution: restitution(random),
            ..ClothMaterial::default()
        }
    };
    let mut place = |k: u32| {
        let off = |random: &mut Random| 0.2 * spacing * (random.unit() - 0.5);
        let [x, y, z] = [k % 3, k / 9, k / 3 % 3].map(f64::from);
        Vec3::new(
            (x - 1.0) * spacing + off(random),
            (y + 1.0) * spacing + off(random),
            (z - 1.0) * spacing + off(random),
        )
    };
    let points: Vec<Vec3> = (0..27).map(&mut place).collect();
    let particles = points[..18].iter().map(|p| p.to_array()).collect();
    let particles = Surface::Particles { points: particles };
    let grain = material(random);
    scene.add(Cloth::new("grains", particles).of(grain));
    for (k, three) in points[18..].chunks(3).enumerate() {
        let points = three.iter().map(|p| p.to_array()).collect();
        let thread = Surface::Chain {
            points,
            closed: false,
        };
        let thread = Cloth::new(format!("thread{k}"), thread).of(material(random));
        let speed = thrown(random, size);
        scene.add(thread.velocity(0.0, -speed, 0.0));
    }
    (scene, Expect::default())
}

/// Vertices on the rim of a sheet, which are numbered row by row.
pub(crate) fn rim([columns, rows]: [u32; 2]) -> Vec<u32> {
    let inner = |k: u32| {
        let (x, z) = (k % columns, k / columns);
        x > 0 && x + 1 < columns && z > 0 && z + 1 < rows
    };
    (0..columns * rows).filter(|&k| !inner(k)).collect()
}
