//! Bodies on strands and cloth: a body answers cloth with what its strands leave it.

use drystone_base::Vec3;
use drystone_world::*;

/// Energy of everything \[J\].
fn energy(world: &World) -> f64 {
    world.kinetic_energy() + world.potential_energy()
}

fn rope(from: [f64; 3], to: [f64; 3]) -> Strand {
    let mut fibre = Fibre::thread(0.05, 1e-5, 1e-5);
    fibre.radius = 2e-3.into();
    Strand::straight(from, to, 6).of(fibre)
}

/// A square of 49 vertices and 41 g in the plane y = 0.
fn sheet() -> Cloth {
    let surface = Surface::Sheet {
        columns: 7,
        rows: 7,
        spacing: 0.07,
    };
    Cloth::new("cloth", surface).of(ClothMaterial {
        density: 0.233,
        stretch: Stretch::Spring(500.0),
        stretch_damping: 1.0,
        bending: 1e-3,
        ..ClothMaterial::default()
    })
}

/// A box on two ropes, from which a sheet hangs; gravity along z.
fn hung(mass: f64, dt: f64) -> Scene {
    let mut scene = Scene::new();
    scene.gravity = [0.0, 0.0, 9.81];
    scene.dt = dt;
    scene.solver.cloth.thickness = Some(0.01);
    let mut body = Body::block(0.5, 0.06, 0.06).named("box");
    body.mass = Some(mass);
    scene.add(body.at(0.0, 0.0, -0.25));
    for (name, x) in [("left", -0.2), ("right", 0.2)] {
        let rope = rope([x, 0.0, -1.0], [x, 0.0, -0.28]).named(name);
        scene.add(rope.hold(Hold::tip().to(Anchor::On("box".into()))));
    }
    scene.add(sheet().pin(Pin::on(ClothPart::First, "box")));
    scene
}

#[test]
fn a_weight_on_ropes_that_carries_cloth_rests_at_every_mass_and_step() {
    for mass in [0.01, 0.1, 1.0, 100.0] {
        for dt in [0.005, 0.01, 0.02] {
            let mut world = World::new(&hung(mass, dt)).unwrap();
            let (start, mut gain) = (energy(&world), 0.0f64);
            for _ in 0..(2.0 / dt) as usize {
                world.step();
                gain = gain.max(energy(&world) - start);
            }
            let body = world.body(world.find("box").unwrap()).unwrap();
            let off = (body.pose().position - Vec3::new(0.0, 0.0, -0.25)).length();
            let speed = body.velocity().length();
            let case = format!("{mass} kg in steps of {dt} s");
            assert!(off < 1e-4, "{case}: {off:.1e} m off"); // measured: 2e-5, above 0.01 kg 1e-8
            assert!(speed < 1e-3, "{case}: {speed:.1e} m/s"); // measured: 1e-4, above 0.01 kg 1e-7
            assert!(gain < 1e-9, "{case}: gained {gain:.1e} J"); // measured: none
            assert!(world.is_sound(), "{case}: {:?}", world.findings());
        }
    }
}

/// A box with a tail of rope and a sheet on it, flying and spinning without weight.
fn comet(mass: f64, dt: f64) -> Scene {
    let mut scene = hung(mass, dt);
    scene.gravity = [0.0; 3];
    scene.strands.truncate(1);
    scene.strands[0].points = vec![
        [0.2, 0.0, -0.28],
        [0.3, 0.1, -0.4],
        [0.2, 0.2, -0.5],
        [0.1, 0.3, -0.45],
    ];
    scene.strands[0].holds.clear();
    scene.strands[0].base = Base::On("box".into());
    scene.bodies[0].velocity = [0.3, 0.5, -1.0];
    scene.bodies[0].angular_velocity = [3.0, 0.5, 1.0];
    scene
}

#[test]
fn a_free_body_with_strand_and_cloth_keeps_momentum_and_gains_nothing() {
    for mass in [0.01, 0.1, 1.0, 100.0] {
        for dt in [0.005, 0.01, 0.02] {
            let mut world = World::new(&comet(mass, dt)).unwrap();
            let (start, before) = (energy(&world), world.momentum());
            let (mut gain, mut off) = (0.0f64, 0.0f64);
            for _ in 0..(1.0 / dt) as usize {
                world.step();
                gain = gain.max(energy(&world) - start);
                off = off.max((world.momentum() - before).length());
            }
            let case = format!("{mass} kg in steps of {dt} s");
            let off = off / before.length();
            assert!(off < 5e-9, "{case}: momentum off by {off:.1e}"); // measured: 2e-9, above 0.01 kg 2e-10
            assert!(gain < 1e-9 * start, "{case}: gained {gain:.1e} J"); // measured: none
            assert!(world.is_sound(), "{case}: {:?}", world.findings());
        }
    }
}

#[test]
fn a_step_that_was_interrupted_goes_on_from_a_snapshot_bit_for_bit() {
    let mut scene = comet(0.1, 0.02);
    scene.strands[0].collide_cloth = Some(false);
    let mut world = World::new(&scene).unwrap();
    world.run_for(0.2);
    // stops in the midst of the events of cloth
    let mut asked = 0;
    while !world.is_mid_step() {
        world.advance_while(0.02, |_| {
            asked += 1;
            asked % 3 != 0
        });
        assert!(world.time() < 2.0, "no step has enough events");
    }
    let snapshot = world.snapshot();
    let mut other = World::new(&scene).unwrap();
    other.restore(&snapshot).unwrap();
    for world in [&mut world, &mut other] {
        world.advance(0.02);
        assert!(!world.is_mid_step());
        world.run_for(0.1);
    }
    assert!(world.snapshot() == other.snapshot());
    // and as if it had not been interrupted
    let mut whole = World::new(&scene).unwrap();
    while whole.time() < world.time() - 1e-9 {
        whole.step();
    }
    assert_eq!(whole.pose(0), world.pose(0));
}
