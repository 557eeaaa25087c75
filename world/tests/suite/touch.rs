//! Strands and cloth touch: nothing passes, nothing is gained, and what lies or hangs is carried.

use drystone_base::Vec3;
use drystone_world::*;

/// Energy of everything \[J\].
fn energy(world: &World) -> f64 {
    world.kinetic_energy() + world.potential_energy()
}

fn rope(mass: f64, from: [f64; 3], to: [f64; 3], segments: u32) -> Strand {
    let length = (Vec3::from(to) - Vec3::from(from)).length();
    let mut fibre = Fibre::thread(mass / length, 1e-5, 1e-5);
    fibre.radius = 5e-3.into();
    fibre.bend_damping = 0.02.into();
    Strand::straight(from, to, segments).of(fibre)
}

/// A square of `n` x `n` vertices and side `side` in the plane y = 0, of `mass`.
fn sheet(n: u32, side: f64, mass: f64) -> Cloth {
    let surface = Surface::Sheet {
        columns: n,
        rows: n,
        spacing: side / f64::from(n - 1),
    };
    Cloth::new("cloth", surface).of(ClothMaterial {
        density: mass / (side * side),
        stretch: Stretch::Spring(3000.0 * mass),
        stretch_damping: 5.0 * mass,
        bending: 1e-3 * mass,
        friction: 0.5,
        ..ClothMaterial::default()
    })
}

/// Whether segment `a b` meets a triangle: an independent test on the points of frames.
fn crosses([a, b]: [Vec3; 2], [p, q, r]: [Vec3; 3]) -> bool {
    let volume = |a: Vec3, b: Vec3, c: Vec3, d: Vec3| (b - a).cross(c - a).dot(d - a);
    let sides = volume(p, q, r, a) * volume(p, q, r, b);
    let [x, y, z] = [[p, q], [q, r], [r, p]].map(|[u, v]| volume(a, b, u, v));
    sides < 0.0 && x * y > 0.0 && y * z > 0.0
}

/// Number of places in the present frame where a strand passes through cloth.
fn crossings(world: &World) -> usize {
    let (strands, cloths) = (world.strands().unwrap(), world.cloths().unwrap());
    let mut count = 0;
    for (i, sheet) in cloths.model().sheets.iter().enumerate() {
        let points = cloths.points(i);
        for curve in (0..strands.model.len()).flat_map(|i| strands.points(i)) {
            for segment in curve.windows(2) {
                let meets = |face: &&[u32; 3]| {
                    let corners = face.map(|v| points[v as usize]);
                    crosses([segment[0], segment[1]], corners)
                };
                count += sheet.faces.iter().filter(meets).count();
            }
        }
    }
    count
}

/// A bead that a free rope begins with.
fn bead(mass: f64, place: [f64; 3]) -> Body {
    let [x, y, z] = place;
    let mut bead = Body::ball(5e-3).named("bead").mass(mass).at(x, y, z);
    bead.passable = true;
    bead
}

fn dropped(mass: f64) -> Scene {
    let mut scene = Scene::new();
    scene.dt = 0.01;
    scene.add(sheet(17, 0.8, 0.2).pin(Pin::fixed(ClothPart::Corners)));
    let (from, to) = ([-0.25, 0.2, -0.12], [0.25, 0.2, 0.15]);
    scene.add(bead(1e-3 * mass, from));
    scene.add(rope(mass, from, to, 20).named("rope").on("bead"));
    scene
}

#[test]
fn a_rope_dropped_on_a_sheet_lies_in_it() {
    for mass in [0.02, 0.2, 2.0] {
        let mut world = World::new(&dropped(mass)).unwrap();
        let (start, mut gain) = (energy(&world), f64::MIN);
        let clock = std::time::Instant::now();
        for k in 0..1200 {
            world.step();
            gain = gain.max(energy(&world) - start);
            assert_eq!(crossings(&world), 0, "{mass} kg at step {k}");
            if k % 100 == 0 {
                let v: f64 = world.cloths().unwrap().velocities(0).iter().map(|v| v.length()).fold(0.0, f64::max);
                println!("{mass} t {:.3} E {:.5} {} contacts v {v:.4} ke {:.2e} {:.2}s", world.time(), energy(&world) - start, world.strands().unwrap().points(0)[0][10], world.kinetic_energy(), clock.elapsed().as_secs_f64());
            }
        }
        println!("{mass}: gain {gain:.2e} {:?}", world.findings());
    }
}

/// A sheet above a line that is held at both ends.
fn towel(line: f64, dt: f64) -> Scene {
    let mut scene = Scene::new();
    scene.dt = dt;
    scene.add(sheet(13, 0.6, 0.2).at(0.0, 0.1, 0.02));
    let line = rope(line, [-0.6, 0.0, 0.0], [0.6, 0.0, 0.0], 30).named("line");
    scene.add(line.hold(Hold::tip()));
    scene
}

#[test]
fn a_sheet_dropped_over_a_line_hangs_on_it() {
    for mass in [0.02, 0.2, 2.0] {
        let mut world = World::new(&towel(mass, 0.01)).unwrap();
        let (start, mut gain) = (energy(&world), f64::MIN);
        let clock = std::time::Instant::now();
        for k in 0..800 {
            world.step();
            gain = gain.max(energy(&world) - start);
            assert_eq!(crossings(&world), 0, "{mass} kg at step {k}");
            if k % 80 == 0 {
                let v: f64 = world.cloths().unwrap().velocities(0).iter().map(|v| v.length()).fold(0.0, f64::max);
                let p = world.cloths().unwrap().points(0);
                println!("{mass} t {:.3} E {:.5} rope {:.4} sheet mid {:.4} corner {:.4} v {v:.4} ke {:.2e} {:.2}s", world.time(), energy(&world) - start, world.strands().unwrap().points(0)[0][15].y, p[84].y, p[0].y, world.kinetic_energy(), clock.elapsed().as_secs_f64());
            }
        }
        println!("{mass}: gain {gain:.2e} {:?}", world.findings());
    }
}

/// A rope and a sheet that fly at each other without weight.
fn clash(mass: f64, speed: f64, dt: f64) -> Scene {
    let mut scene = Scene::new();
    scene.gravity = [0.0; 3];
    scene.dt = dt;
    scene.add(sheet(9, 0.4, 0.1));
    let (from, to) = ([-0.15, 0.03, -0.06], [0.15, 0.03, 0.1]);
    scene.add(bead(0.1 * mass, from).velocity(0.1 * speed, -speed, 0.0));
    scene.add(rope(mass, from, to, 12).named("rope").on("bead"));
    scene
}

#[test]
fn a_free_rope_and_a_free_sheet_keep_momentum_and_gain_nothing() {
    for mass in [1e-3, 1e-2, 0.1, 1.0, 10.0] {
        for speed in [0.5, 5.0] {
            let mut world = World::new(&clash(mass, speed, 0.01)).unwrap();
            let (start, before, turning) = (energy(&world), world.momentum(), world.angular_momentum());
            let (mut gain, mut off, mut spun) = (0.0f64, 0.0f64, 0.0f64);
            let clock = std::time::Instant::now();
            for k in 0..200 {
                world.step();
                assert_eq!(crossings(&world), 0, "{mass} kg at step {k}");
                gain = gain.max(energy(&world) - start);
                off = off.max((world.momentum() - before).length());
                spun = spun.max((world.angular_momentum() - turning).length());
            }
            println!("{mass} kg {speed} m/s: gain {:.2e} of start, end {:.3}, momentum {:.2e}, angular {:.2e} of {:.2e}, {:.2}s {:?}", gain / start, energy(&world) / start, off / before.length(), spun / (before.length() * 0.2), turning.length(), clock.elapsed().as_secs_f64(), world.findings());
        }
    }
}
