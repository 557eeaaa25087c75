//! Bodies and cloth push each other at once: what lies on cloth rests, and nothing gains energy.

use drystone_world::*;

/// A fixed table with a cloth on it, layers of 10 mm.
fn table(columns: u32) -> Scene {
    let mut scene = Scene::new();
    scene.dt = 0.01;
    scene.add(
        Body::block(4.0, 0.2, 4.0)
            .named("table")
            .at(0.0, -0.1, 0.0)
            .fixed(),
    );
    scene.solver.cloth.thickness = Some(0.01);
    scene.add(sheet(columns).at(0.0, 0.01005, 0.0));
    scene
}

fn sheet(columns: u32) -> Cloth {
    let surface = Surface::Sheet {
        columns,
        rows: columns,
        spacing: 0.07,
    };
    Cloth::new("cloth", surface).of(ClothMaterial {
        density: 0.2,
        stretch: Stretch::Spring(500.0),
        stretch_damping: 0.2,
        bending: 1e-3,
        friction: 0.3,
        ..ClothMaterial::default()
    })
}

fn weight(mass: f64) -> Body {
    let mut body = Body::block(0.3, 0.2, 0.3).named("box");
    body.mass = Some(mass);
    body
}

/// Highest and last height of the box, and its last speed.
fn watch(world: &mut World, seconds: f64) -> (f64, f64, f64) {
    let id = world.find("box").unwrap();
    let mut highest = f64::NEG_INFINITY;
    for _ in 0..(seconds / world.step_length()).round() as usize {
        world.step();
        highest = highest.max(world.body(id).unwrap().pose().position.y);
    }
    let body = world.body(id).unwrap();
    (highest, body.pose().position.y, body.velocity().length())
}

#[test]
fn a_box_put_on_a_tablecloth_rests_at_every_mass() {
    for mass in [0.05, 0.5, 5.0, 50.0] {
        let mut scene = table(7);
        scene.add(weight(mass).at(0.0, 0.1202, 0.0));
        let mut world = World::new(&scene).unwrap();
        let (highest, last, speed) = watch(&mut world, 1.0);
        assert!(highest < 0.1202 + 5e-3, "{mass} kg rose to {highest} m");
        assert!(last > 0.1, "{mass} kg went through the cloth: {last} m");
        assert!(speed < 1e-3, "{mass} kg still goes at {speed} m/s"); // measured: 0.6 mm/s
        assert!(world.cloths().unwrap().crossings().is_empty());
        assert!(world.is_sound(), "{:?}", world.findings());
    }
}

#[test]
fn a_box_dropped_on_a_tablecloth_does_not_bounce_higher() {
    for mass in [0.05, 5.0] {
        let mut scene = table(7);
        scene.add(weight(mass).at(0.0, 0.2202, 0.0));
        let mut world = World::new(&scene).unwrap();
        let (highest, last, _) = watch(&mut world, 0.5);
        assert!(highest < 0.2202 + 1e-3, "{mass} kg rose to {highest} m");
        assert!(last > 0.1, "{mass} kg went through the cloth: {last} m");
        assert!(world.is_sound(), "{:?}", world.findings());
    }
}

/// A box at 2 m/s into a sheet that lies against another box, no gravity: momentum, whatever the steps.
#[test]
fn momentum_is_kept_in_every_step_of_any_length() {
    let mut scene = Scene::new();
    scene.gravity = [0.0; 3];
    scene.solver.cloth.thickness = Some(0.01);
    scene.add(sheet(7));
    let mut above = weight(1.0).at(0.0, 0.2, 0.01);
    above.velocity = [0.1, -2.0, 0.0];
    scene.add(above);
    let mut below = weight(4.0).named("below").at(0.0, -0.12, 0.0);
    below.angular_velocity = [0.0, 0.4, 0.0];
    scene.add(below);
    let mut world = World::new(&scene).unwrap();
    let start = world.momentum();
    for k in 0..60 {
        world.advance([0.01, 0.004, 0.02][k % 3]);
        let off = (world.momentum() - start).length() / start.length();
        assert!(off < 1e-11, "step {k}: momentum off by {off:.1e}"); // measured: below 1e-13
    }
    assert!(world.is_sound(), "{:?}", world.findings());
}

/// A box that hangs from the last row of a sheet whose first row is held: the sheet carries it.
#[test]
fn a_box_hangs_from_the_pins_of_a_sheet() {
    let mut scene = Scene::new();
    scene.dt = 0.01;
    scene.solver.cloth.thickness = Some(0.01);
    scene.add(weight(0.5).at(0.0, 0.0, 0.4));
    let mut hung = sheet(7);
    hung.material.stretch_damping = 5.0;
    hung.pins = vec![
        Pin::fixed(ClothPart::First),
        Pin::on(ClothPart::Last, "box"),
    ];
    scene.add(hung);
    scene.gravity = [0.0, 0.0, 9.81];
    let mut world = World::new(&scene).unwrap();
    world.run_for(2.0);
    let body = world.body(world.find("box").unwrap()).unwrap();
    let z = body.pose().position.z - 0.4;
    let speed = body.velocity().length();
    // seven columns of six springs of 500 N/m; diagonals carry too; measured: 0.79 of it
    let sag = 0.5 * 9.81 / (500.0 * 7.0 / 6.0);
    assert!(
        z > 0.6 * sag && z < sag,
        "hangs {z} m lower, the columns alone would {sag} m"
    );
    assert!(speed < 0.05, "{speed} m/s");
    assert!(world.is_sound(), "{:?}", world.findings());
}
