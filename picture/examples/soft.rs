//! Draws a head of hair, a rope and a draped cloth: `cargo run --release --example soft DIRECTORY [HAIRS]`.

use std::sync::Arc;
use std::time::Instant;

use drystone_base::random::Random;
use drystone_base::{Quat, Vec3, functions};
use drystone_picture::frame::Scenery;
use drystone_picture::render::Settings;
use drystone_world::{Body, Frame, FrameCloth, FrameStrand, Scene, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let directory = words.next().unwrap_or_else(|| ".".to_owned());
    let hairs: usize = words.next().map_or(Ok(3000), |word| word.parse())?;
    for (name, scene, fill) in [
        ("hair", head(), hair as fn(&mut Frame, usize)),
        ("rope", floor(), ropes),
        ("cloth", ball(), cloth),
    ] {
        let world = World::new(&scene)?;
        let mut frame = world.frame();
        fill(&mut frame, hairs);
        let start = Instant::now();
        let image = Scenery::of(&world).picture(&frame, &Settings::default());
        let seconds = start.elapsed().as_secs_f64();
        let path = format!("{directory}/{name}.png");
        image.write_png(&path)?;
        std::io::Write::write_fmt(
            &mut std::io::stdout(),
            format_args!("{path}: {seconds:.3} s\n"),
        )?;
    }
    Ok(())
}

fn floor() -> Scene {
    let mut scene = Scene::new();
    scene.ground();
    scene
}

fn head() -> Scene {
    let mut scene = Scene::new();
    scene.add(Body::ball(0.1).named("head").at(0.0, 1.7, 0.0).fixed());
    scene
}

fn ball() -> Scene {
    let mut scene = floor();
    scene.add(Body::ball(0.5).named("ball").at(0.0, 0.5, 0.0).fixed());
    scene
}

fn strand(points: Vec<Vec3>, radii: Vec<f64>, colour: Option<[f64; 3]>) -> FrameStrand {
    let direction = |p: &[Vec3]| Quat::from_rotation_arc(Vec3::Y, (p[1] - p[0]).normalize());
    FrameStrand {
        name: "strand".into(),
        orientations: points.windows(2).map(direction).collect(),
        points,
        radii: radii.into(),
        colour,
    }
}

/// Hair of 25 segments that leaves the scalp upright, falls, and curls at its end.
fn hair(frame: &mut Frame, count: usize) {
    let mut random = Random::new(7);
    for i in 0..count {
        let height = 1.0 - 1.1 * (i as f64 + 0.5) / count as f64;
        let angle = 2.399_963 * i as f64;
        let side = (1.0 - height * height).sqrt();
        let outward = Vec3::new(
            side * functions::cos(angle),
            height,
            side * functions::sin(angle),
        );
        let mut point = Vec3::Y * 1.7 + outward * 0.1;
        let mut direction = outward;
        let curl = random.range(0.15, 0.45);
        let turn = random.range(0.0, std::f64::consts::TAU);
        let mut points = vec![point];
        for k in 0..25 {
            let phase = turn + 0.9 * f64::from(k);
            let wave = Vec3::new(functions::cos(phase), 0.0, functions::sin(phase)) * curl;
            direction = (direction + Vec3::new(0.0, -0.28, 0.0) + 0.3 * wave).normalize();
            point += direction * 0.014;
            let away = point - Vec3::Y * 1.7;
            if away.length() < 0.104 {
                point = Vec3::Y * 1.7 + away.normalize() * 0.104;
            }
            points.push(point);
        }
        let radii = (0..26)
            .map(|k| 5e-5 * (1.0 - 0.8 * f64::from(k) / 25.0))
            .collect();
        frame.strands.push(strand(points, radii, None));
    }
}

fn ropes(frame: &mut Frame, _: usize) {
    for i in 0..4 {
        let points = (0..60).map(|k| {
            let s = f64::from(k) / 59.0;
            let x = 2.0 * s - 1.0;
            Vec3::new(
                x,
                0.05 + 0.9 * x * x + 0.1 * f64::from(i),
                0.2 * f64::from(i),
            )
        });
        let radius = 0.03 / f64::from(1 + i);
        let radii = (0..60)
            .map(|k| radius * (1.0 - f64::from(k) / 62.0))
            .collect();
        let colour = [[0.6, 0.45, 0.25], [0.2, 0.35, 0.12], [0.5, 0.1, 0.08]];
        frame.strands.push(strand(
            points.collect(),
            radii,
            colour.get(i as usize).copied(),
        ));
    }
}

fn cloth(frame: &mut Frame, _: usize) {
    let side = 60u32;
    let place = |i: u32, j: u32| {
        let (x, z) = (
            f64::from(i) / 59.0 * 2.0 - 1.0,
            f64::from(j) / 59.0 * 2.0 - 1.0,
        );
        let r = x.hypot(z);
        let fall = 1.02 - 0.75 * r * r + 0.06 * functions::sin(9.0 * functions::atan2(z, x)) * r;
        Vec3::new(x, fall.max(0.02), z)
    };
    let at = |i: u32, j: u32| i * side + j;
    let mut triangles = Vec::new();
    for i in 0..side - 1 {
        for j in 0..side - 1 {
            triangles.push([at(i, j), at(i, j + 1), at(i + 1, j)]);
            triangles.push([at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)]);
        }
    }
    frame.cloths.push(FrameCloth {
        name: "sheet".into(),
        points: (0..side)
            .flat_map(|i| (0..side).map(move |j| place(i, j)))
            .collect(),
        triangles: Arc::from(triangles),
        colour: None,
    });
}
