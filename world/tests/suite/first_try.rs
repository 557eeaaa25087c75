//! Cloth as a new user writes it: a surface and a place, nothing else.

use drystone_world::*;

/// A table of 1.2 x 0.8 m whose top is at 0.75 m.
fn table(scene: &mut Scene) {
    let top = Body::block(1.2, 0.04, 0.8).named("table").fixed();
    scene.add(top.at(0.0, 0.73, 0.0));
    scene.ground();
}

/// A sheet `size` wide whose vertices are about `spacing` apart.
fn square(size: f64, spacing: f64) -> Surface {
    let n = (size / spacing).round().max(1.0);
    Surface::Sheet {
        columns: n as u32 + 1,
        rows: n as u32 + 1,
        spacing: size / n,
    }
}

/// Of a sheet \[m²\].
fn area(surface: &Surface) -> f64 {
    match surface {
        Surface::Sheet {
            columns,
            rows,
            spacing,
        } => f64::from((columns - 1) * (rows - 1)) * spacing * spacing,
        _ => 0.0,
    }
}

/// Time goes on, nothing crosses, and energy does not grow by more than a hundredth of what a fall gives in that time.
fn goes_well(scene: &Scene, seconds: f64, about: &str) -> World {
    let mut world = World::new(scene).unwrap_or_else(|e| panic!("{about}: {e}"));
    let start = world.cloths().unwrap().start().clone();
    assert_eq!(start.energy, 0.0, "{about}: the start pushes");
    let energy = |world: &World| world.cloths().unwrap().energy().total();
    let before = energy(&world);
    world.run_for(seconds);
    let system = world.cloths().unwrap();
    assert!(system.crossings().is_empty(), "{about}: something crosses");
    assert_eq!(world.cloth_total().unwrap().stalled, None, "{about}");
    let after = energy(&world);
    let mass: f64 = 0.15
        * scene
            .cloths
            .iter()
            .map(|cloth| area(&cloth.surface))
            .sum::<f64>();
    let fall = 0.5 * mass * (9.81 * seconds).powi(2);
    assert!(
        after <= before + 0.01 * fall,
        "{about}: {before} J to {after} J, fallen {fall} J"
    );
    world
}

#[test]
fn cloths_of_every_size_and_mesh_are_laid_on_a_table_and_a_ball() {
    for (size, spacing) in [
        (0.3, 0.01),
        (0.4, 0.04),
        (1.6, 0.08),
        (2.4, 0.2),
        (12.0, 1.0),
    ] {
        for gap in [0.0005, 0.005, 0.05] {
            let about = format!("{size} m of {spacing} m, {gap} m above");
            let mut scene = Scene::new();
            table(&mut scene);
            scene.add(Cloth::new("cloth", square(size, spacing)).at(0.0, 0.75 + gap, 0.0));
            goes_well(&scene, 0.01, &about);
            let mut scene = Scene::new();
            scene.add(Body::ball(0.3).named("ball").at(0.0, 0.4, 0.0).fixed());
            scene.add(Cloth::new("cloth", square(size, spacing)).at(0.0, 0.7 + gap, 0.0));
            goes_well(&scene, 0.01, &about);
        }
    }
}

#[test]
fn a_tablecloth_of_sixteen_decimetres_lies_and_hangs() {
    let mut scene = Scene::new();
    table(&mut scene);
    scene.add(Cloth::new("cloth", square(1.6, 0.08)).at(0.0, 0.77, 0.0));
    let world = goes_well(&scene, 0.8, "tablecloth");
    let points = &world.frame().cloths[0].points;
    // its own thickness above the table: a quarter of the spacing, nearly
    let middle = points[points.len() / 2];
    assert!((0.765..0.771).contains(&middle.y), "{middle}"); // measured: 0.7698
    // the sides hang down
    let hem = points[10];
    assert!(hem.y < 0.6, "{hem}");
}

#[test]
fn thickness_is_of_the_cloth_then_of_the_scene_then_of_the_mesh() {
    let mut scene = Scene::new();
    let sheet = || square(0.4, 0.1);
    scene.add(Cloth::new("a", sheet()).at(0.0, 1.0, 0.0));
    scene.add(Cloth::new("b", sheet()).at(0.0, 2.0, 0.0).thick(0.06));
    let found = |scene: &Scene| {
        let world = World::new(scene).unwrap();
        let model = world.cloths().unwrap().model().clone();
        model.thicknesses().collect::<Vec<_>>()
    };
    let of_mesh = 0.35 * 0.1 / 2f64.sqrt();
    let [a, b] = found(&scene)[..] else { panic!() };
    assert!((a - of_mesh).abs() < 1e-12 && b == 0.06, "{a} {b}");
    scene.solver.cloth.thickness = Some(0.03);
    assert_eq!(found(&scene), [0.03, 0.06]);
    // and it survives its file
    let text = toml::to_string(&scene).unwrap();
    let again: Scene = toml::from_str(&text).unwrap();
    assert_eq!(scene, again);
    // what cannot be is refused by name
    for bad in [0.0, -1.0, f64::NAN] {
        let mut wrong = scene.clone();
        wrong.cloths[1].thickness = Some(bad);
        let message = World::new(&wrong).err().unwrap().to_string();
        assert!(
            message.contains("`b`") && message.contains("thickness"),
            "{message}"
        );
        let mut wrong = scene.clone();
        wrong.solver.cloth.thickness = Some(bad);
        let message = World::new(&wrong).err().unwrap().to_string();
        assert!(message.contains("solver.cloth.thickness"), "{message}");
    }
}
