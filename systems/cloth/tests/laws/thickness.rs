//! Thickness: one that fits every mesh, one for each sheet, and the mean of both between two.

use drystone_base::Vec3;
use drystone_base::random::Random;
use drystone_cloth::{Contact, Material, Model, Motion, Options, Pin, Sheet, System};
use drystone_geometry::mesh::build::{icosphere, torus};

use crate::culling::all_agree;
use crate::scenes::{DOWN, floor};

/// Meshes of all sizes: grids, random grids, closed surfaces, chains, particles.
fn meshes() -> Vec<Sheet> {
    let mut meshes = Vec::new();
    for spacing in [1e-3, 0.04, 0.15, 3.0] {
        for n in [2, 3, 4, 9] {
            meshes.push(Sheet::grid(
                &format!("grid {n} of {spacing}"),
                n,
                n,
                spacing,
            ));
        }
        let mut random = Random::new(5);
        let mut bent = Sheet::grid(&format!("random grid of {spacing}"), 8, 6, spacing);
        for p in &mut bent.points {
            let mut off = || 0.3 * spacing * random.range(-1.0, 1.0);
            *p += Vec3::new(off(), off(), off());
        }
        meshes.push(bent);
    }
    for (k, mesh) in [icosphere(0.3, 1), icosphere(0.3, 3), torus(0.5, 0.1, 20, 8)]
        .into_iter()
        .enumerate()
    {
        meshes.push(Sheet {
            name: format!("closed {k}"),
            points: mesh.vertices().to_vec(),
            faces: mesh.triangles().to_vec(),
            ..Sheet::default()
        });
    }
    meshes.push(Sheet {
        name: "chain".into(),
        points: (0..9)
            .map(|k| Vec3::new(0.1 * f64::from(k), 0.0, 0.0))
            .collect(),
        segments: (1..9).map(|k| [k - 1, k]).collect(),
        material: massive(),
        ..Sheet::default()
    });
    meshes.push(Sheet {
        name: "particles".into(),
        points: vec![Vec3::ZERO, Vec3::X * 0.3, Vec3::Y * 0.02],
        material: massive(),
        ..Sheet::default()
    });
    meshes
}

fn massive() -> Material {
    Material {
        vertex_mass: 0.01,
        ..Material::default()
    }
}

#[test]
fn a_fitting_thickness_starts_every_mesh_without_energy() {
    for mut sheet in meshes() {
        let thickness = sheet.fitting_thickness().unwrap();
        sheet.thickness = Some(thickness);
        let name = sheet.name.clone();
        let model = Model {
            sheets: vec![sheet],
            ..Model::default()
        };
        let system =
            System::new(model, Options::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(system.start().energy, 0.0, "{name}");
        assert!(thickness > 0.0, "{name}: {thickness} m");
    }
    // a quarter of the spacing of a grid: closest are a vertex and the diagonal next to it, a/√2 away
    let grid = Sheet::grid("grid", 5, 5, 0.04).fitting_thickness().unwrap();
    assert!((grid / 0.04 - 0.35 / 2f64.sqrt()).abs() < 1e-12, "{grid} m");
    let alone = Sheet {
        points: vec![Vec3::ZERO],
        ..Sheet::default()
    };
    assert_eq!(alone.fitting_thickness(), None);
    // what is refused anyway has none
    let mut broken = Sheet::grid("broken", 3, 3, 0.1);
    broken.faces.push([0, 1, 900]);
    assert_eq!(broken.fitting_thickness(), None);
    broken.faces.pop();
    broken.points[4].y = f64::NAN;
    assert_eq!(broken.fitting_thickness(), None);
}

#[test]
fn a_start_too_close_makes_thinner_only_those_that_may() {
    let sheets = |gap: f64| {
        let mut lower = Sheet::grid("lower", 5, 5, 0.15);
        let mut upper = Sheet::grid("upper", 5, 5, 0.15).moved(Vec3::new(0.02, gap, 0.03));
        (lower.thickness, upper.thickness) = (Some(0.03), Some(0.05));
        Model {
            sheets: vec![lower, upper],
            ..Model::default()
        }
    };
    for (gap, may, wanted) in [
        (0.05, [true, true], [0.03, 0.05]),
        (0.01, [true, true], [0.009, 0.009]),
        (0.01, [true, false], [0.009, 0.05]),
        (1e-6, [true, true], [3e-5, 5e-5]),
    ] {
        let mut model = sheets(gap);
        model.fit_thickness_to_start(&may);
        let found: Vec<f64> = model.thicknesses().collect();
        for (found, wanted) in found.iter().zip(wanted) {
            assert!(
                (found / wanted - 1.0).abs() < 1e-9,
                "gap {gap}: {found} m, wanted {wanted} m"
            );
        }
    }
}

/// A sheet with the default thickness of 0.1 m fixed in the air, a finer and thinner one above, and a floor below.
fn stack() -> Model {
    let mut shelf = Sheet::grid("shelf", 7, 7, 0.15).moved(Vec3::Y * 0.5);
    shelf.pins = vec![Pin {
        vertices: (0..49).collect(),
        motion: Motion::Fixed,
        until: None,
    }];
    let mut cover = Sheet::grid("cover", 8, 8, 0.06).moved(Vec3::new(0.013, 0.57, 0.007));
    cover.thickness = Some(0.02);
    let mut rug = Sheet::grid("rug", 5, 5, 0.06).moved(Vec3::new(0.01, 0.03, 0.0));
    rug.thickness = Some(0.025);
    for sheet in [&mut cover, &mut rug] {
        sheet.material.bending = 1e-4;
        sheet.material.friction = 0.3;
    }
    let mut floor = floor(3.0);
    floor.friction = 0.3;
    Model {
        sheets: vec![shelf, cover, rug],
        obstacles: vec![floor],
        contact: Contact::default(),
        gravity: DOWN,
        ..Model::default()
    }
}

#[test]
fn sheets_of_two_thicknesses_rest_at_the_mean_and_on_a_floor_at_their_own() {
    let mut system = System::new(stack(), Options::default()).unwrap();
    for _ in 0..20 {
        system.advance(0.05);
        assert_eq!(system.crossings(), []);
        assert_eq!(system.missing_layers(), []);
    }
    // of every vertex, weight over the stiffness of the first layer is how deep it may sink in
    let weight = 0.1 * 0.06 * 0.06 * 9.8 / 1000.0;
    for (sheet, below, wanted) in [(1, 0.5, 0.06), (2, 0.0, 0.025)] {
        for p in system.points(sheet) {
            let gap = p.y - below;
            assert!(
                gap > wanted - 20.0 * weight && gap < wanted + 1e-3,
                "sheet {sheet}: {gap} m, wanted {wanted} m"
            );
        }
    }
}

#[test]
fn certificates_change_no_bit_where_thicknesses_differ() {
    let mut model = stack();
    for (sheet, down) in [(1, 0.009), (2, 0.0045)] {
        let sheet = &mut model.sheets[sheet];
        sheet.points.iter_mut().for_each(|p| p.y -= down);
        sheet.velocities = vec![Vec3::Y * -1.0; sheet.points.len()];
        sheet.material.restitution = 1.0;
    }
    all_agree(&model, 2, 0.004, true);
    all_agree(&model, 3, 0.03, false);
}
