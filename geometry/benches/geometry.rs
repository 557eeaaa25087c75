//! What the broad phase costs per body, and contacts per pair.
#![allow(clippy::print_stdout)]

use std::{hint::black_box, time::Instant};

use drystone_base::{Pose, Vec3, functions::rotation_about, random::Random};
use drystone_geometry::{Aabb, BroadPhase, ContactBuffer, Shape, collide};

/// Time this thread has run \[ns\]: that of the processor where the system tells it, else of the clock.
fn now(since: &Instant) -> f64 {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse().ok())
        .unwrap_or_else(|| since.elapsed().as_secs_f64() * 1e9)
}

/// Mean time of one run, over a fifth of a second: the system counts in steps of some milliseconds \[ns\].
fn mean(mut run: impl FnMut()) -> f64 {
    run();
    let since = Instant::now();
    let start = now(&since);
    for runs in 1.. {
        run();
        let spent = now(&since) - start;
        if spent > 2e8 {
            return spent / f64::from(runs);
        }
    }
    f64::NAN
}

/// A flat pile, four deep, on a ground without end.
fn pile(count: usize, random: &mut Random) -> Vec<Aabb> {
    let side = (count as f64 / 4.0).sqrt();
    let mut boxes = vec![Aabb::about(Vec3::Y * -Aabb::FAR, Vec3::splat(Aabb::FAR))];
    while boxes.len() < count {
        let at = Vec3::new(
            random.range(0.0, side),
            random.range(0.0, 4.0),
            random.range(0.0, side),
        );
        boxes.push(Aabb::about(at, Vec3::splat(random.range(0.3, 0.6))));
    }
    boxes
}

fn shift(bounds: &mut Aabb, random: &mut Random, reach: f64) {
    let mut along = || random.range(-reach, reach);
    let way = Vec3::new(along(), along(), along());
    bounds.low += way;
    bounds.high += way;
}

fn broad_phase() {
    println!(
        "broad phase, ns per body      quiet   1 % moved   all moved   from nothing   pairs per body"
    );
    for count in [1_000, 4_000, 16_000, 64_000] {
        let mut random = Random::new(1);
        let mut boxes = pile(count, &mut random);
        let mut broad = BroadPhase::new();
        let all = |_: u32, _: u32| true;
        let nothing = mean(|| {
            broad = BroadPhase::new();
            broad.update(&boxes, None, all, 0.05);
        });
        let quiet = mean(|| {
            black_box(broad.update(&boxes, None, all, 0.05));
        });
        let few = mean(|| {
            for _ in 0..count / 100 {
                let n = 1 + random.below(count - 1);
                shift(&mut boxes[n], &mut random, 0.2);
            }
            broad.update(&boxes, None, all, 0.05);
        });
        // long enough that the tree has to be built anew now and then
        let many = mean(|| {
            for _ in 0..10 {
                for bounds in &mut boxes[1..] {
                    shift(bounds, &mut random, 0.2);
                }
                broad.update(&boxes, None, all, 0.05);
            }
        }) / 10.0;
        let n = count as f64;
        println!(
            "{count:>8}                   {:8.1}    {:8.1}    {:8.1}       {:8.1}         {:8.1}",
            quiet / n,
            few / n,
            many / n,
            nothing / n,
            broad.pairs().len() as f64 / n
        );
    }
}

fn contacts() {
    let cube = Shape::Box {
        half: Vec3::splat(0.5),
    };
    let ball = Shape::Sphere { radius: 0.5 };
    let rod = Shape::Capsule {
        half_length: 0.5,
        radius: 0.5,
    };
    let corners: Vec<Vec3> = (0..8u32)
        .map(|n| {
            let side = |k: u32| f64::from(n >> k & 1) - 0.5;
            Vec3::new(side(0), side(1), side(2))
        })
        .collect();
    let hull = Shape::hull(&corners).unwrap_or(Shape::HalfSpace);
    let flat = Pose::IDENTITY;
    let above = |turn: f64| Pose::new(Vec3::Y, rotation_about(Vec3::Y, turn));
    let beside = Pose::new(
        Vec3::new(1.05, 0.4, 0.3),
        rotation_about(Vec3::new(0.6, 0.0, 0.8), 0.7),
    );
    let crossed = Pose::new(
        Vec3::new(0.0, 2f64.sqrt(), 0.0),
        rotation_about(Vec3::X, std::f64::consts::FRAC_PI_4),
    );
    let tipped = Pose::new(
        Vec3::ZERO,
        rotation_about(Vec3::Z, std::f64::consts::FRAC_PI_4),
    );
    println!("contacts                     ns per pair   points");
    for (name, a, pose_a, b, pose_b) in [
        ("box on box", &cube, flat, &cube, above(0.0)),
        ("box on turned box", &cube, flat, &cube, above(1.0)),
        ("box across box, edges", &cube, tipped, &cube, crossed),
        ("box beside box, apart", &cube, flat, &cube, beside),
        ("ball on box", &cube, flat, &ball, above(0.0)),
        ("ball on ball", &ball, flat, &ball, above(0.0)),
        (
            "capsule on box",
            &cube,
            flat,
            &rod,
            Pose::new(Vec3::Y, tipped.rotation),
        ),
        ("hull on hull", &hull, flat, &hull, above(0.0)),
        ("hull on turned hull", &hull, flat, &hull, above(1.0)),
        ("hull across hull, edges", &hull, tipped, &hull, crossed),
    ] {
        let mut out = ContactBuffer::default();
        let rounds = 10_000;
        let time = mean(|| {
            for _ in 0..rounds {
                out.clear();
                collide(a, black_box(&pose_a), b, black_box(&pose_b), 0.01, &mut out);
            }
        });
        println!(
            "{name:<28} {:>10.0}   {:>6}",
            time / f64::from(rounds),
            out.points.len()
        );
    }
}

fn main() {
    broad_phase();
    contacts();
}
