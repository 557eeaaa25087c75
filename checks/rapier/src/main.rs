//! Drystone beside Rapier 0.36 (feature `simd8`, 8 iterations, 120 Hz contacts) on the same
//! scene, in the same run, one thread: CPU time per step, interleaved rounds, best of each.
//!
//! `cargo run --release [SCENE] [ROUNDS]`, by default `bench-roof-tower 3`.

use cpu_time::ProcessTime;
use drystone_world::{Motion, Scene, Shape, World};
use rapier3d::prelude as rp;

fn main() {
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build_global()
        .expect("no pool before this one");
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "bench-roof-tower".into());
    let rounds: usize = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(3);
    let entry = drystone_gallery::find(&name).unwrap_or_else(|| panic!("no scene `{name}` in the gallery"));
    let scene = (entry.build)();
    let steps = match name.as_str() {
        "bench-roof-tower" => 600,
        "bench-box-stack" | "bench-silo" => 1000,
        "bench-ball-grid" => 120,
        _ => 500,
    };

    println!("{name}: {steps} steps of {} s, one thread, CPU ms per step", scene.step());
    println!("round   drystone (mean worst)     rapier8-q (mean worst)   ratio");
    let (mut best_ours, mut best_theirs) = (vec![f64::INFINITY; steps], vec![f64::INFINITY; steps]);
    for round in 1..=rounds {
        let (ours, theirs) = (drystone_run(&scene, steps), rapier_run(&scene, steps));
        print!("{round:>5}");
        row(&ours, &theirs);
        keep_best(&mut best_ours, &ours);
        keep_best(&mut best_theirs, &theirs);
    }
    print!("best ");
    row(&best_ours, &best_theirs);
    println!("\nbest of each step, by part of the run");
    for part in 0..PARTS {
        let range = part * steps / PARTS..(part + 1) * steps / PARTS;
        print!("{:>4.1} s", range.start as f64 * scene.step());
        row(&best_ours[range.clone()], &best_theirs[range]);
    }
}

/// Rows of the table that shows where in the run the time goes.
const PARTS: usize = 6;

fn row(ours: &[f64], theirs: &[f64]) {
    let mean = |ms: &[f64]| ms.iter().sum::<f64>() / ms.len() as f64;
    let worst = |ms: &[f64]| ms.iter().copied().fold(0.0, f64::max);
    println!(
        " {:>12.3} {:>8.3} {:>20.3} {:>8.3} {:>12.2}",
        mean(ours),
        worst(ours),
        mean(theirs),
        worst(theirs),
        mean(ours) / mean(theirs)
    );
}

fn keep_best(best: &mut [f64], now: &[f64]) {
    for (best, &now) in best.iter_mut().zip(now) {
        *best = best.min(now);
    }
}

/// CPU milliseconds of each of `steps` calls.
fn time(steps: usize, mut step: impl FnMut(usize)) -> Vec<f64> {
    (0..steps)
        .map(|k| {
            let start = ProcessTime::now();
            step(k);
            1e3 * start.elapsed().as_secs_f64()
        })
        .collect()
}

fn drystone_run(scene: &Scene, steps: usize) -> Vec<f64> {
    let mut world = World::new(scene).expect("a gallery scene");
    time(steps, |_| {
        world.step();
    })
}

fn rapier_run(scene: &Scene, steps: usize) -> Vec<f64> {
    let mut world = rp::PhysicsWorld::new();
    world.gravity = rp::Vector::new(0.0, -9.81, 0.0);
    let parameters = &mut world.integration_parameters;
    parameters.dt = scene.step() as f32;
    parameters.num_solver_iterations = 8;
    parameters.contact_softness.natural_frequency = 120.0;
    parameters.static_contact_softness.natural_frequency = 240.0;

    let mut waiting = Vec::new();
    for body in scene.expand().expect("a gallery scene") {
        let pose = body.pose();
        let (p, q) = (pose.position, pose.rotation);
        let turn = rp::Rotation::from_xyzw(q.x as f32, q.y as f32, q.z as f32, q.w as f32);
        let builder = match body.motion {
            Motion::Fixed => rp::RigidBodyBuilder::fixed(),
            _ => rp::RigidBodyBuilder::dynamic(),
        };
        let [vx, vy, vz] = body.velocity.map(|x| x as f32);
        let rigid = builder
            .pose(rp::Pose::from_parts(rp::Vector::new(p.x as f32, p.y as f32, p.z as f32), turn))
            .linvel(rp::Vector::new(vx, vy, vz))
            .can_sleep(false)
            .gravity_scale(body.gravity_scale as f32);
        let mut collider = match &body.shape {
            Shape::Box { size } => {
                let [x, y, z] = size.map(|s| 0.5 * s as f32);
                rp::ColliderBuilder::cuboid(x, y, z)
            }
            Shape::Sphere { radius } => rp::ColliderBuilder::ball(*radius as f32),
            other => panic!("shape {other:?} is not part of the comparison"),
        }
        .friction(0.5);
        collider = match (body.mass, body.density) {
            (Some(mass), _) => collider.mass(mass as f32),
            (None, density) => collider.density(density.unwrap_or(1000.0) as f32),
        };
        waiting.push((body.enters_at, Some((rigid, collider))));
    }
    let mut clock = 0.0;
    let dt = scene.step();
    time(steps, |_| {
        for (enters_at, body) in &mut waiting {
            if *enters_at <= clock + 1e-9
                && let Some((rigid, collider)) = body.take()
            {
                world.insert(rigid, collider);
            }
        }
        world.step();
        clock += dt;
    })
}
