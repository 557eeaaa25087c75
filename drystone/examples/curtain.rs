//! A sheet that hangs from two pins; one of them is led away, and the other end follows.

#![allow(clippy::print_stdout, clippy::expect_used)]

use drystone::prelude::*;

/// Runs it.
pub fn main() -> Result<(), SceneError> {
    let mut scene = Scene::new();
    let surface = Surface::Sheet {
        columns: 8,
        rows: 8,
        spacing: 0.1,
    };
    let mut sheet = Cloth::new("sheet", surface).at(0.0, 2.0, 0.0);
    let pin = |vertex: u32| Pin {
        part: ClothPart::Vertices(vec![vertex]),
        ..Pin::default()
    };
    sheet.pins = vec![pin(0), pin(7)];
    let sheet = scene.add(sheet);
    scene.add(Body::ball(0.2).named("ball").at(0.0, 1.2, 0.0).mass(0.1));

    let mut world = World::new(&scene)?;
    for k in 1..=40 {
        if let Some(mut sheet) = world.cloth_mut(sheet) {
            sheet.move_pin(1, Vec3::X * (-0.005 * f64::from(k)));
        }
        world.step();
    }
    let Some(system) = world.cloths() else {
        return Ok(());
    };
    println!(
        "{} events, {} places cross",
        world.report().cloth.events.events(),
        system.crossings().len()
    );
    assert!(system.crossings().is_empty() && !world.has_stopped());
    Ok(())
}
