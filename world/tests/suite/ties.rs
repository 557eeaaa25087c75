//! Ties: strands and cloth hold each other at vertices.

use drystone_base::Vec3;
use drystone_world::*;

/// Energy of everything \[J\].
fn energy(world: &World) -> f64 {
    world.kinetic_energy() + world.potential_energy()
}

fn rope(mass: f64, from: [f64; 3], to: [f64; 3], segments: u32) -> Strand {
    let length = (Vec3::from(to) - Vec3::from(from)).length();
    let mut fibre = Fibre::thread(mass / length, 1e-5, 1e-5);
    fibre.radius = 2e-3.into();
    Strand::straight(from, to, segments).of(fibre)
}

/// A square of 49 vertices, 0.42 m, in the plane y = 0.
fn sheet(mass: f64) -> Cloth {
    let surface = Surface::Sheet {
        columns: 7,
        rows: 7,
        spacing: 0.07,
    };
    Cloth::new("cloth", surface).of(ClothMaterial {
        density: mass / (0.42 * 0.42),
        stretch: Stretch::Spring(5000.0 * mass),
        stretch_damping: 10.0 * mass,
        bending: 1e-2 * mass,
        ..ClothMaterial::default()
    })
}

/// A sheet of 0.1 kg that hangs by two corners from ropes of `rope` kg; gravity along z.
fn curtain(mass: f64, dt: f64) -> Scene {
    let mut scene = Scene::new();
    scene.gravity = [0.0, 0.0, 9.81];
    scene.dt = dt;
    scene.solver.cloth.thickness = Some(0.01);
    scene.add(sheet(0.1));
    for (name, x) in [("left", -0.21), ("right", 0.21)] {
        let rope = rope(mass, [1.5 * x, 0.0, -0.7], [x, 0.0, -0.21], 6).named(name);
        scene.add(rope.hold(Hold::tip().tied_to_cloth("cloth", None)));
    }
    scene
}

/// Largest distance of a strand's tip from the vertex that it is tied to \[m\].
fn gap(world: &World, vertices: [usize; 2]) -> f64 {
    let points = world.cloths().unwrap().points(0);
    let strands = world.strands().unwrap();
    let gaps = vertices.iter().enumerate().map(|(i, v)| {
        let tip = *strands.points(i)[0].last().unwrap();
        (tip - points[*v]).length()
    });
    gaps.fold(0.0, f64::max)
}

/// Pull of all strands at their bases over the last step \[N\].
fn pull(world: &World) -> Vec3 {
    let strands = &world.strands().unwrap().state.strands;
    let impulse: Vec3 = strands.iter().map(|s| s.base_impulse[0]).sum();
    impulse / world.strand_step()
}

#[test]
fn a_sheet_on_two_ropes_rests_and_they_carry_its_weight() {
    for mass in [1e-3, 1e-2, 0.1, 1.0, 10.0] {
        for dt in [0.002, 0.01, 0.02] {
            let mut world = World::new(&curtain(mass, dt)).unwrap();
            let (start, mut gain, mut apart) = (energy(&world), 0.0f64, 0.0f64);
            for _ in 0..(4.0 / dt) as usize {
                world.step();
                gain = gain.max(energy(&world) - start);
                apart = apart.max(gap(&world, [0, 6]));
            }
            let weight = (0.1 + 2.0 * mass) * 9.81;
            let fastest = world
                .cloths()
                .unwrap()
                .velocities(0)
                .iter()
                .fold(0.0f64, |m, v| m.max(v.length()));
            println!(
                "{mass} {dt}: T/W {:.5} fastest {fastest:.1e} gain {gain:.1e} apart {apart:.1e} {}",
                -pull(&world).z / weight,
                world.is_sound()
            );
        }
    }
}

#[test]
fn a_free_rope_and_a_sheet_keep_momentum_and_gain_nothing() {
    for mass in [1e-3, 1e-2, 0.1, 1.0, 10.0] {
        for dt in [0.002, 0.01, 0.02] {
            let mut scene = curtain(mass, dt);
            scene.gravity = [0.0; 3];
            scene.strands.truncate(1);
            scene.cloths[0].velocity = [0.5, 1.0, 2.0];
            // rooted on a small ball, so that it is free
            scene.strands[0].base = Base::On("ball".into());
            scene.add(
                Body::ball(0.02)
                    .named("ball")
                    .mass(0.5 * mass)
                    .at(-0.315, 0.0, -0.7),
            );
            let mut world = World::new(&scene).unwrap();
            let (start, before) = (energy(&world), world.momentum());
            let (mut gain, mut off, mut apart) = (0.0f64, 0.0f64, 0.0f64);
            for _ in 0..(1.0 / dt) as usize {
                world.step();
                gain = gain.max(energy(&world) - start);
                off = off.max((world.momentum() - before).length());
                let tip = *world.strands().unwrap().points(0)[0].last().unwrap();
                apart = apart.max((tip - world.cloths().unwrap().points(0)[0]).length());
            }
            println!(
                "{mass} {dt} gain {:.1e} off {:.1e} apart {apart:.1e} {}",
                gain / start,
                off / before.length(),
                world.is_sound()
            );
        }
    }
}
