//! What cannot be simulated is refused by name, value found and value wanted.

use drystone_base::Vec3;
use drystone_cloth::{
    Contact, Error, Material, Model, Motion, Options, Pin, PointsKey, Sheet, Stretch, System,
    patches_as_obj,
};

use crate::scenes::floor;

fn sheet() -> Sheet {
    Sheet::grid("shirt", 4, 4, 0.2)
}

fn refused(model: Model, wanted: &[&str]) {
    let message = match System::new(model, Options::default()) {
        Ok(_) => panic!("accepted; wanted a refusal with {wanted:?}"),
        Err(error) => error.to_string(),
    };
    for word in wanted {
        assert!(message.contains(word), "`{message}` does not say `{word}`");
    }
}

fn of(change: impl Fn(&mut Sheet)) -> Model {
    let mut sheet = sheet();
    change(&mut sheet);
    Model {
        sheets: vec![sheet],
        ..Model::default()
    }
}

#[test]
fn bad_numbers_are_named() {
    refused(
        of(|s| s.points[5].y = f64::NAN),
        &["shirt", "vertex 5", "finite"],
    );
    refused(
        of(|s| s.points[5].y = 1e9),
        &["shirt", "vertex 5", "digits"],
    );
    refused(
        of(|s| s.material.density = 0.0),
        &["shirt", "mass of vertex 0", "0 kg"],
    );
    refused(
        of(|s| s.material.density = -1.0),
        &["shirt", "density", "-1"],
    );
    refused(
        of(|s| s.material.stretch = Stretch::Spring(f64::INFINITY)),
        &["shirt", "stretch", "inf"],
    );
    refused(
        of(|s| s.material.stretch = Stretch::Spring(1e30)),
        &["shirt", "stretch", "stable period"],
    );
    refused(
        of(|s| s.material.bending = 1e30),
        &["shirt", "bending", "stable period"],
    );
    refused(
        of(|s| s.material.restitution = 1.5),
        &["shirt", "restitution", "1.5", "0 to 1"],
    );
    refused(
        of(|s| s.velocities = vec![Vec3::ZERO; 3]),
        &["shirt", "velocities", "3", "16"],
    );
    refused(
        of(|s| s.rest = Some(vec![Vec3::ZERO; 2])),
        &["shirt", "rest points", "2", "16"],
    );
    let mut model = of(|_| {});
    model.contact = Contact {
        thickness: 0.0,
        ..Contact::default()
    };
    refused(model, &["contact.thickness", "0"]);
    let options = Options {
        early: -1.0,
        ..Options::default()
    };
    let error = System::new(of(|_| {}), options).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("`early` is -1"), "{error}");
}

#[test]
fn bad_meshes_are_named() {
    refused(
        of(|s| s.faces[2] = [0, 1, 99]),
        &["shirt", "triangle 2", "99", "below 16"],
    );
    refused(
        of(|s| s.faces[2] = [0, 1, 1]),
        &["shirt", "triangle 2", "different"],
    );
    refused(
        of(|s| s.faces[2] = s.faces[3]),
        &["shirt", "triangle 3", "triangle 2", "once"],
    );
    refused(
        of(|s| s.faces.push([0, 1, 2])),
        &["shirt", "triangle 18", "area"],
    );
    refused(
        of(|s| s.points.push(Vec3::Y)),
        &["shirt", "vertex 16", "no triangle"],
    );
    refused(
        of(|s| {
            s.points
                .extend([Vec3::new(0.0, 1.0, 0.3), Vec3::new(0.0, -1.0, 0.3)]);
            s.faces.extend([[5, 6, 16], [5, 6, 17]]);
        }),
        &["shirt", "edge 5-6", "two triangles at most"],
    );
    refused(
        of(|s| {
            s.pins.push(Pin {
                vertices: vec![77],
                motion: Motion::Fixed,
                until: None,
            });
        }),
        &["pin 0", "77"],
    );
    let twice = Pin {
        vertices: vec![1],
        motion: Motion::Fixed,
        until: None,
    };
    refused(
        of(|s| s.pins = vec![twice.clone(), twice.clone()]),
        &["vertex 1", "pins 0 and 1"],
    );
    let keys = vec![
        PointsKey {
            time: 1.0,
            points: vec![Vec3::ZERO],
        },
        PointsKey {
            time: 0.5,
            points: vec![Vec3::ZERO],
        },
    ];
    refused(
        of(|s| {
            s.pins = vec![Pin {
                vertices: vec![1],
                motion: Motion::Points(keys.clone()),
                until: None,
            }];
        }),
        &["key 1", "0.5", "later"],
    );
    let mut two = of(|_| {});
    two.sheets.push(sheet());
    refused(two, &["shirt", "twice"]);
}

#[test]
fn a_start_that_crosses_is_refused_with_the_place_and_a_patch() {
    let mut model = of(|s| {
        for p in &mut s.points {
            *p = Vec3::new(p.x, p.z + 0.05, 0.01);
        }
    });
    model.obstacles.push(floor(3.0));
    let Err(Error::Start { worst, patches }) = System::new(model, Options::default()).map(|_| ())
    else {
        panic!("accepted");
    };
    assert!(
        worst.contains("shirt") && worst.contains("floor") && worst.contains("cross"),
        "{worst}"
    );
    let obj = patches_as_obj(&patches);
    let count = |start: &str| obj.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!(
        (count("l "), count("f "), count("v ")),
        (patches.len(), patches.len(), 5 * patches.len())
    );
}

#[test]
fn a_mesh_too_fine_for_the_thickness_is_refused_with_a_thickness_that_would_do() {
    let model = of(|s| *s = Sheet::grid("fine", 5, 5, 0.1));
    refused(
        model.clone(),
        &["fine", "rest shape", "thickness 0.1", "below 0.0707"],
    );
    let mut thin = model;
    thin.contact.thickness = 0.07;
    System::new(thin, Options::default()).unwrap();
}

#[test]
fn a_start_that_is_close_but_legal_tells_its_layers_and_energy() {
    let mut model = of(|s| *s = sheet().moved(Vec3::new(0.01, 0.05, 0.02)));
    model.obstacles.push(floor(3.0));
    let system = System::new(model.clone(), Options::default()).unwrap();
    let start = system.start();
    assert!(start.deepest == 16 && start.energy > 0.0, "{start:?}"); // (η/d)⁴ = 16
    model.sheets[0] = sheet().moved(Vec3::new(0.01, 1e-4, 0.02));
    refused(model, &["shirt", "floor", "layers at most"]);
}

/// Ends that are torn apart by their pins: no NaN, no hang.
#[test]
fn pins_torn_apart_end_in_a_bounded_answer() {
    let start = sheet().points;
    let pin = |i: u32, by: Vec3| Pin {
        vertices: vec![i],
        motion: Motion::Points(vec![PointsKey {
            time: 0.1,
            points: vec![start[i as usize] + by],
        }]),
        until: None,
    };
    let model = of(|s| {
        s.pins = vec![pin(0, Vec3::X * -1e3), pin(15, Vec3::X * 1e3)];
        s.material = Material {
            stretch_damping: 1.0,
            ..Material::default()
        };
    });
    let options = Options {
        event_limit: 2_000_000,
        ..Options::default()
    };
    let mut system = System::new(model, options).unwrap();
    let report = system.advance(0.2);
    assert_eq!(report.not_finite, [] as [u32; 0]);
    assert_eq!(system.crossings(), []);
}
