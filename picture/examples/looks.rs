//! Draws a brick tower, a heap of balls and a mesh: `cargo run --release --example looks DIRECTORY`.

use std::sync::Arc;
use std::time::Instant;

use drystone_base::random::Random;
use drystone_base::{Pose, Quat, Vec3, functions};
use drystone_picture::render::{
    Camera, Item, Settings, Surface, Triangles, accent, bounds, ground_colour, palette, render,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    for (name, bodies, floor) in [
        ("tower", tower(), ground()),
        ("balls", balls(), ground()),
        ("mesh", meshes(), slab()),
        ("wall", wall(), slab()),
    ] {
        let settings = Settings::default();
        let (low, high) = bounds(&bodies).unwrap_or_default();
        let camera = Camera::framing(low, high, Camera::THREE_QUARTER, settings.aspect());
        let mut items = bodies;
        items.push(floor);
        let start = Instant::now();
        let image = render(&items, &camera, &settings);
        let seconds = start.elapsed().as_secs_f64();
        let path = format!("{directory}/{name}.png");
        image.write_png(&path)?;
        std::io::Write::write_fmt(
            &mut std::io::stdout(),
            format_args!("{path}: {} items, {seconds:.3} s\n", items.len()),
        )?;
    }
    Ok(())
}

fn ground() -> Item {
    Item {
        surface: Surface::Ground,
        pose: Pose::IDENTITY,
        colour: ground_colour(),
    }
}

fn slab() -> Item {
    Item {
        surface: Surface::Box {
            half: Vec3::new(50.0, 0.5, 50.0),
        },
        pose: Pose::at(Vec3::new(0.0, -0.5, 0.0)),
        colour: ground_colour(),
    }
}

fn about_y(angle: f64) -> Quat {
    functions::rotation_about(Vec3::Y, angle)
}

fn brick(half: Vec3, position: Vec3, rotation: Quat, colour: [f32; 3]) -> Item {
    Item {
        surface: Surface::Box { half },
        pose: Pose::new(position, rotation),
        colour,
    }
}

/// Twenty bricks a ring, forty rings, every other one turned by half a brick; a roof; a ball.
fn tower() -> Vec<Item> {
    let (half, radius) = (Vec3::new(0.27, 0.1, 0.14), 2.0);
    let mut items = Vec::new();
    for layer in 0..40 {
        for k in 0..20 {
            let turn = f64::from(k) + if layer % 2 == 1 { 0.5 } else { 0.0 };
            let angle = turn / 20.0 * std::f64::consts::TAU;
            let place = Vec3::new(functions::sin(angle), 0.0, functions::cos(angle)) * radius;
            let height = Vec3::Y * (0.1 + 0.2 * f64::from(layer));
            items.push(brick(
                half,
                place + height,
                about_y(angle),
                palette(items.len()),
            ));
        }
    }
    let roof = Vec3::new(2.4, 0.15, 2.4);
    items.push(brick(roof, Vec3::Y * 8.15, about_y(0.3), accent(1)));
    items.push(Item {
        surface: Surface::Sphere { radius: 0.5 },
        pose: Pose::at(Vec3::new(-4.5, 3.0, 2.5)),
        colour: accent(0),
    });
    items
}

fn balls() -> Vec<Item> {
    let mut items = Vec::new();
    let mut random = Random::new(3);
    for layer in 0..7 {
        let side = 7 - layer;
        for i in 0..side {
            for j in 0..side {
                let shift = -0.5 * f64::from(side - 1);
                let (x, z) = (f64::from(i) + shift, f64::from(j) + shift);
                let place = Vec3::new(x, 0.5 + f64::from(layer) * 0.5f64.sqrt(), z);
                items.push(Item {
                    surface: Surface::Sphere { radius: 0.5 },
                    pose: Pose::at(place),
                    colour: palette(random.below(1000)),
                });
            }
        }
    }
    for k in 0..6 {
        items.push(Item {
            surface: Surface::Capsule {
                half_length: 0.5,
                radius: 0.3,
            },
            pose: Pose::new(
                Vec3::new(-4.0 + 1.6 * f64::from(k), 0.3, 5.0),
                about_y(0.5 * f64::from(k))
                    * functions::rotation_about(Vec3::Z, 0.5 * std::f64::consts::PI),
            ),
            colour: accent(k as usize),
        });
    }
    items
}

/// A ring of tube, once smooth, once flat.
fn meshes() -> Vec<Item> {
    let (around, across) = (96u32, 32u32);
    let mut mesh = Triangles::default();
    for i in 0..around {
        for j in 0..across {
            let a = std::f64::consts::TAU * f64::from(i) / f64::from(around);
            let b = std::f64::consts::TAU * f64::from(j) / f64::from(across);
            let r = 1.0 + 0.35 * functions::cos(b);
            let y = 0.35 * functions::sin(b);
            mesh.vertices
                .push(Vec3::new(r * functions::cos(a), y, r * functions::sin(a)));
            let (i1, j1) = ((i + 1) % around, (j + 1) % across);
            let at = |i: u32, j: u32| i * across + j;
            mesh.triangles.push([at(i, j), at(i, j1), at(i1, j)]);
            mesh.triangles.push([at(i1, j), at(i, j1), at(i1, j1)]);
        }
    }
    let flat = Arc::new(mesh.clone());
    let smooth = Arc::new(mesh.smooth());
    let leaning = functions::rotation_about(Vec3::X, 1.1);
    [
        (
            smooth.clone(),
            Pose::at(Vec3::new(0.0, 0.35, 0.0)),
            palette(1),
        ),
        (
            flat,
            Pose::new(Vec3::new(2.4, 1.25, 0.4), leaning),
            palette(2),
        ),
        (
            smooth,
            Pose::new(Vec3::new(-1.8, 1.2, -1.2), leaning),
            accent(2),
        ),
    ]
    .into_iter()
    .map(|(mesh, pose, colour)| Item {
        surface: Surface::Triangles(mesh),
        pose,
        colour,
    })
    .collect()
}

fn wall() -> Vec<Item> {
    let half = Vec3::new(0.5, 0.25, 0.25);
    let mut items = Vec::new();
    for layer in 0..8 {
        for k in 0..10 {
            let shift = if layer % 2 == 1 { 0.5 } else { 0.0 };
            let place = Vec3::new(
                f64::from(k) - 5.0 + shift,
                0.25 + 0.5 * f64::from(layer),
                0.0,
            );
            items.push(brick(half, place, Quat::IDENTITY, palette(items.len())));
        }
    }
    items
}
