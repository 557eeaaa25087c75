//! Small models that several laws are tried on.

use drystone_base::Vec3;
use drystone_base::random::Random;
use drystone_cloth::{Certificate, Material, Model, Obstacle, Options, Sheet};
use drystone_geometry::mesh::build::icosphere;

pub(crate) const DOWN: Vec3 = Vec3::new(0.0, -9.8, 0.0);

/// Two large triangles in the plane y = 0.
pub(crate) fn floor(size: f64) -> Obstacle {
    let corner = |x: f64, z: f64| Vec3::new(x * size, 0.0, z * size);
    Obstacle {
        name: "floor".into(),
        points: vec![
            corner(-1.0, -1.0),
            corner(1.0, -1.0),
            corner(1.0, 1.0),
            corner(-1.0, 1.0),
        ],
        faces: vec![[0, 2, 1], [0, 3, 2]],
        ..Obstacle::default()
    }
}

/// Particles of mass 1 at the given places with the given velocities.
pub(crate) fn particles(name: &str, at: &[(Vec3, Vec3)], restitution: f64) -> Sheet {
    Sheet {
        name: name.into(),
        points: at.iter().map(|p| p.0).collect(),
        velocities: at.iter().map(|p| p.1).collect(),
        material: Material {
            vertex_mass: 1.0,
            restitution,
            ..Material::default()
        },
        ..Sheet::default()
    }
}

/// A particle above a floor (Harmon 2012, Fig. 6).
pub(crate) fn walkthrough(restitution: f64) -> Model {
    let mut floor = floor(3.0);
    floor.restitution = restitution;
    Model {
        sheets: vec![particles(
            "particle",
            &[(Vec3::new(0.3, 1.0, 0.2), Vec3::ZERO)],
            restitution,
        )],
        obstacles: vec![floor],
        gravity: DOWN,
        ..Model::default()
    }
}

/// Short chains and particles falling into a funnel, in the plane.
pub(crate) fn sludge(count: u32, restitution: f64) -> Model {
    let mut random = Random::new(17);
    let mut points = Vec::new();
    let mut segments = Vec::new();
    for k in 0..count {
        let (column, row) = (k % 5, k / 5);
        let x = -1.0 + 0.5 * f64::from(column) + random.range(-0.03, 0.03);
        let y = 0.6 + 0.3 * f64::from(row) + random.range(-0.03, 0.03);
        points.push(Vec3::new(x, y, 0.0));
        if k % 2 == 0 {
            points.push(Vec3::new(x + 0.2, y + 0.02, 0.0));
            let i = points.len() as u32;
            segments.push([i - 2, i - 1]);
        }
    }
    // single ones in a sheet of their own
    let paired: Vec<u32> = segments.iter().flatten().copied().collect();
    let (mut chains, mut singles) = (Vec::new(), Vec::new());
    let mut number = vec![0; points.len()];
    for (i, p) in points.iter().enumerate() {
        if paired.contains(&(i as u32)) {
            number[i] = chains.len() as u32;
            chains.push(*p);
        } else {
            singles.push(*p);
        }
    }
    let material = Material {
        vertex_mass: 0.01,
        restitution,
        ..Material::default()
    };
    let wall = |name: &str, a: Vec3, b: Vec3| Obstacle {
        name: name.into(),
        points: vec![a, b],
        segments: vec![[0, 1]],
        restitution,
        ..Obstacle::default()
    };
    let at = |x: f64, y: f64| Vec3::new(x, y, 0.0);
    Model {
        sheets: vec![
            Sheet {
                name: "chains".into(),
                points: chains,
                segments: segments
                    .iter()
                    .map(|s| s.map(|i| number[i as usize]))
                    .collect(),
                material: material.clone(),
                ..Sheet::default()
            },
            Sheet {
                name: "singles".into(),
                points: singles,
                material,
                ..Sheet::default()
            },
        ],
        obstacles: vec![
            wall("left", at(-3.0, 1.5), at(-0.4, -0.5)),
            wall("right", at(0.4, -0.5), at(3.0, 1.5)),
            wall("bottom", at(-1.5, -0.9), at(1.5, -0.9)),
        ],
        gravity: DOWN,
        plane: true,
        ..Model::default()
    }
}

/// A free sheet of `n` x `n` vertices thrown at a fixed ball.
pub(crate) fn thrown_sheet(n: u32, speed: f64, restitution: f64) -> Model {
    let radius = 0.4;
    let ball = icosphere(radius, 1);
    let mut sheet = Sheet::grid("sheet", n, n, 0.15).moved(Vec3::new(0.013, radius + 0.12, 0.007));
    sheet.material.restitution = restitution;
    sheet.material.stretch_damping = 0.0;
    sheet.velocities = sheet
        .points
        .iter()
        .map(|p| Vec3::new(0.2 * p.z, -speed, 0.1))
        .collect();
    Model {
        sheets: vec![sheet],
        obstacles: vec![Obstacle {
            name: "ball".into(),
            points: ball.vertices().to_vec(),
            faces: ball.triangles().to_vec(),
            restitution,
            ..Obstacle::default()
        }],
        ..Model::default()
    }
}

/// Two free sheets that fly at each other, turned by a little: contact of all kinds.
pub(crate) fn two_sheets(n: u32, speed: f64, restitution: f64) -> Model {
    let mut model = Model::default();
    for (k, side) in [-1.0, 1.0].into_iter().enumerate() {
        let mut sheet = Sheet::grid(["lower", "upper"][k], n, n, 0.15);
        let (s, c) = (0.3f64, (1.0f64 - 0.09).sqrt());
        for (i, p) in sheet.points.iter_mut().enumerate() {
            let bulge = 0.01 * ((i * 7 % 5) as f64);
            *p = if side > 0.0 {
                Vec3::new(c * p.x - s * p.z, 0.1 + bulge, s * p.x + c * p.z)
            } else {
                *p - Vec3::Y * 0.1
            };
        }
        sheet.rest = Some(Sheet::grid("rest", n, n, 0.15).points);
        sheet.velocities = vec![Vec3::new(0.1, -side * speed, 0.05); sheet.points.len()];
        sheet.material.restitution = restitution;
        sheet.material.stretch_damping = 0.0;
        model.sheets.push(sheet);
    }
    model
}

pub(crate) fn with(certificate: Certificate) -> Options {
    Options {
        certificate,
        ..Options::default()
    }
}
