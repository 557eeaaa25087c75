//! One table of materials and pairs holds for bodies, strands and cloth.

use drystone_base::Vec3;
use drystone_world::*;

/// Where everything soft is after `seconds`.
fn end(scene: &Scene, seconds: f64) -> Vec<Vec3> {
    let mut world = World::new(scene).unwrap();
    world.run_for(seconds);
    let frame = world.frame();
    let strands = frame.strands.iter().flat_map(|s| s.points.clone());
    strands
        .chain(frame.cloths.iter().flat_map(|c| c.points.clone()))
        .collect()
}

/// A hair that falls across a bar, of which `friction` says how it rubs; by a pair of materials, if that is asked for.
fn hair_on_bar(friction: f64, by_pair: bool) -> Scene {
    let mut scene = Scene::new();
    (scene.dt, scene.frame_rate) = (1.0 / 24.0, 24.0);
    let bar = Body::ball(0.03).at(0.1, -0.05, 0.0).fixed();
    let mut hair = Strand::straight([0.0; 3], [0.2, 0.0, 0.0], 12).named("hair");
    if by_pair {
        scene
            .material("wood", 0.9, 0.3)
            .material("keratin", 0.1, 0.0);
        scene.contact("wood", "keratin", friction, 0.0);
        hair.fibre.contact_material = Some("keratin".into());
    } else {
        scene.material("wood", friction, 0.0);
    }
    scene.add(bar.of("wood"));
    scene.add(hair);
    scene
}

#[test]
fn a_pair_of_materials_holds_for_strands() {
    let (own, pair) = (hair_on_bar(0.6, false), hair_on_bar(0.6, true));
    assert_eq!(end(&own, 0.5), end(&pair, 0.5));
    assert_ne!(end(&hair_on_bar(0.0, true), 0.5), end(&pair, 0.5));
}

/// A sheet that falls on a ball.
fn sheet_on_ball(friction: f64, by_pair: bool) -> Scene {
    let mut scene = Scene::new();
    scene.solver.cloth.thickness = Some(0.02);
    let sheet = Surface::Sheet {
        columns: 8,
        rows: 8,
        spacing: 0.08,
    };
    let mut sheet = Cloth::new("sheet", sheet).at(0.05, 0.34, 0.0);
    if by_pair {
        scene.material("ice", 0.02, 0.1).material("wool", 0.8, 0.0);
        scene.contact("ice", "wool", friction, 0.0);
        scene.contact("wool", "wool", friction, 0.0);
        sheet.material.contact_material = Some("wool".into());
    } else {
        scene.material("ice", friction, 0.0);
        sheet.material.friction = friction;
    }
    scene.add(Body::ball(0.3).fixed().of("ice"));
    scene.add(sheet);
    scene
}

#[test]
fn a_pair_of_materials_holds_for_cloth() {
    // 0.25, of which the geometric mean with itself is exact
    let (own, pair) = (sheet_on_ball(0.25, false), sheet_on_ball(0.25, true));
    assert_eq!(end(&own, 0.3), end(&pair, 0.3));
    assert_ne!(end(&sheet_on_ball(0.0, true), 0.3), end(&pair, 0.3));
}

#[test]
fn a_material_that_does_not_exist_is_named() {
    let refused = |scene: &Scene| World::new(scene).err().unwrap().to_string();
    let mut scene = hair_on_bar(0.6, true);
    scene.strands[0].fibre.contact_material = Some("keratine".into());
    assert!(refused(&scene).contains("keratine"), "{}", refused(&scene));
    let mut scene = sheet_on_ball(0.6, true);
    scene.cloths[0].material.contact_material = Some("wol".into());
    assert!(refused(&scene).contains("wol"), "{}", refused(&scene));
}
