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
        let rope = rope(mass, [x, 0.0, -0.7], [x, 0.0, -0.21], 6).named(name);
        scene.add(rope.hold(Hold::tip().tied_to_cloth("cloth", None)));
    }
    scene
}

/// Largest distance of a strand's tip from the vertex that it is tied to \[m\].
fn gap(world: &World, vertices: [usize; 2]) -> f64 {
    let points = world.cloths().unwrap().points(0);
    let strands = world.strands().unwrap();
    let strands_and_vertices = vertices.iter().take(strands.model.len()).enumerate();
    let gaps = strands_and_vertices.map(|(i, v)| {
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
    for mass in [1e-3, 0.1, 10.0] {
        for dt in [0.002, 0.02] {
            let mut world = World::new(&curtain(mass, dt)).unwrap();
            let (start, mut gain, mut apart) = (energy(&world), 0.0f64, 0.0f64);
            let (mut pulled, mut fastest) = (0.0, 0.0f64);
            let steps = (1.5 / dt) as usize;
            for k in 0..steps {
                world.advance(dt);
                gain = gain.max(energy(&world) - start);
                apart = apart.max(gap(&world, [0, 6]));
                if 3 * k > 2 * steps {
                    pulled += -pull(&world).z / (steps - 2 * steps / 3 - 1) as f64;
                    let speeds = world.cloths().unwrap().velocities(0);
                    fastest = speeds.iter().fold(fastest, |most, v| most.max(v.length()));
                }
            }
            let weight = (0.1 + 2.0 * mass) * 9.81;
            let case = format!("ropes of {mass} kg in steps of {dt} s");
            let part = pulled / weight;
            assert!((part - 1.0).abs() < 2e-3, "{case}: {part} of the weight"); // measured: 7e-4
            assert!(apart < 1e-5, "{case}: {apart:.1e} m apart"); // measured: 4e-9
            assert!(gain < 1e-9, "{case}: gained {gain:.1e} J"); // measured: none
            assert!(fastest < 0.02, "{case}: {fastest} m/s"); // measured: 9e-3, of folds that open
            assert!(world.is_sound(), "{case}: {:?}", world.findings());
        }
    }
}

/// A sheet in flight that pulls a rope with a ball behind it, without weight: taut from the first moment on.
fn kite(mass: f64, dt: f64) -> Scene {
    let mut scene = curtain(mass, dt);
    scene.gravity = [0.0; 3];
    scene.strands.truncate(1);
    scene.cloths[0].velocity = [0.5, 1.0, 2.0];
    scene.strands[0].base = Base::On("ball".into());
    scene.add(
        Body::ball(0.02)
            .named("ball")
            .mass(0.5 * mass)
            .at(-0.21, 0.0, -0.7),
    );
    scene
}

#[test]
fn a_free_rope_and_a_sheet_keep_momentum_and_gain_nothing() {
    for mass in [1e-3, 1e-2, 0.1, 10.0] {
        for dt in [0.002, 0.02] {
            let mut world = World::new(&kite(mass, dt)).unwrap();
            let (start, before) = (energy(&world), world.momentum());
            let (mut gain, mut off, mut apart) = (0.0f64, 0.0f64, 0.0f64);
            for k in 0..(0.5 / dt) as usize {
                world.advance(dt);
                gain = gain.max(energy(&world) - start);
                off = off.max((world.momentum() - before).length());
                // it begins with a jerk
                if k as f64 * dt > 0.1 {
                    apart = apart.max(gap(&world, [0, 0]));
                }
            }
            let case = format!("a rope of {mass} kg in steps of {dt} s");
            let off = off / before.length();
            assert!(off < 1e-9, "{case}: momentum off by {off:.1e}"); // measured: 4e-10
            assert!(gain < 1e-9 * start, "{case}: gained {gain:.1e} J"); // measured: none
            assert!(apart < 2e-4, "{case}: {apart:.1e} m apart"); // measured: 6e-5 at 1 g, else 1e-9
            assert!(world.is_sound(), "{case}: {:?}", world.findings());
        }
    }
}

/// A pin on a strand: each vertex goes with the segment that is nearest.
#[test]
fn a_row_of_vertices_goes_with_the_rope_it_is_pinned_to_until_it_is_let_go() {
    let mut scene = Scene::new();
    scene.gravity = [0.0, 0.0, 9.81];
    scene.solver.cloth.thickness = Some(0.01);
    let line = rope(0.05, [-0.3, 0.0, -0.22], [0.3, 0.0, -0.22], 12).named("line");
    scene.add(line.hold(Hold::tip()));
    scene.add(sheet(0.1).pin(Pin::on(ClothPart::First, "line").until(0.5)));
    let mut world = World::new(&scene).unwrap();
    let height = |world: &World| world.cloths().unwrap().points(0)[3].z;
    world.run_for(0.5);
    assert!(height(&world) < -0.1, "{}", height(&world));
    assert!(world.is_sound(), "{:?}", world.findings());
    world.run_for(0.3);
    // falls for 0.3 s
    assert!(height(&world) > 0.1, "{}", height(&world));
    assert!(world.is_sound(), "{:?}", world.findings());
}

#[test]
fn what_cannot_be_tied_is_refused_by_name() {
    let refused = |change: &dyn Fn(&mut Scene)| {
        let mut scene = curtain(0.1, 0.01);
        change(&mut scene);
        scene.validate().unwrap_err().to_string()
    };
    let tie = |name: &str, vertex| Anchor::Cloth {
        name: name.into(),
        vertex,
    };
    let text = refused(&|scene| scene.strands[0].holds[0].to = tie("sheet", None));
    assert!(text.contains("no cloth `sheet`"), "{text}");
    let text = refused(&|scene| scene.strands[0].holds[0].to = tie("cloth", Some(49)));
    assert!(text.contains("49") && text.contains("below 49"), "{text}");
    let text = refused(&|scene| scene.strands[0].holds[0].to = tie("cloth", Some(48)));
    assert!(text.contains("from the point"), "{text}");
    let text = refused(&|scene| scene.strands[0].holds[0].what = Held::Pose);
    assert!(text.contains("no rotation"), "{text}");
    let text = refused(&|scene| scene.cloths[0].material.density = 0.0);
    assert!(text.contains("0 kg at vertex 0"), "{text}");
    let text = refused(&|scene| scene.cloths[0].pins = vec![Pin::on(ClothPart::Last, "left")]);
    assert!(text.contains("from the strand"), "{text}");
    let text = refused(&|scene| scene.cloths[0].pins = vec![Pin::on(ClothPart::Last, "lft")]);
    assert!(text.contains("did you mean `left`"), "{text}");
}
