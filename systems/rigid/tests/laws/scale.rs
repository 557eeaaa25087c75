//! The law of scale: a scene and the same scene `s` times as large, with times `√s` as long, move alike
//! under one gravity, and their overlaps are the same share of their sizes. Nothing in the engine has a
//! length, a speed or a time of its own.

use drystone_base::functions::{rotation_about, rotation_vector};
use drystone_base::{Pose, Quat, Vec3};
use drystone_geometry::Shape;
use drystone_rigid::{Body, Model, Motion, Options};

use crate::build::{ground, model, start};
use crate::{at_most, sine_cosine, slope};

/// A scene of unit size with its lengths times the factor, and how long it runs at unit size \[s\].
type Kind = (&'static str, fn(f64) -> Model, f64);

const KINDS: [Kind; 6] = [
    ("stack", stack, 1.0),
    ("dice", dice, 0.6),
    ("slide", slide, 1.0),
    ("roll", roll, 1.0),
    ("rod", rod_against_plate, 0.1),
    ("dominoes", dominoes, 1.2),
];

/// Adds a body of 1000 kg/m³ by shape, pose and velocities, all of unit size.
fn add(model: &mut Model, s: f64, shape: Shape, pose: Pose, v: Vec3, w: Vec3) {
    let name = format!("body {}", model.len());
    let body = Body {
        pose: Pose::new(pose.position * s, pose.rotation),
        linear_velocity: v * s.sqrt(),
        angular_velocity: w / s.sqrt(),
        ..Body::new(name, shape)
    };
    model.add(body).unwrap();
}

fn block(s: f64, x: f64, y: f64, z: f64) -> Shape {
    Shape::Box {
        half: 0.5 * s * Vec3::new(x, y, z),
    }
}

fn stack(s: f64) -> Model {
    let mut model = model(0.5, 0.0);
    ground(&mut model);
    for k in 0..8 {
        // every other one turned, with a gap of half a per cent under each
        let turn = rotation_about(Vec3::Y, f64::from(k % 2));
        let pose = Pose::new(Vec3::Y * (0.505 + 1.005 * f64::from(k)), turn);
        add(
            &mut model,
            s,
            block(s, 1.0, 1.0, 1.0),
            pose,
            Vec3::ZERO,
            Vec3::ZERO,
        );
    }
    model
}

fn dice(s: f64) -> Model {
    let mut model = model(0.4, 0.3);
    ground(&mut model);
    for k in 0..6 {
        let at = Vec3::new(
            1.6 * f64::from(k % 3),
            1.0 + 0.3 * f64::from(k),
            1.6 * f64::from(k / 3),
        );
        let turn = rotation_vector(Vec3::new(0.3, 0.2 * f64::from(k), -0.4));
        let spin = Vec3::new(1.0, -2.0, 0.5 * f64::from(k));
        add(
            &mut model,
            s,
            block(s, 1.0, 1.0, 1.0),
            Pose::new(at, turn),
            Vec3::X,
            spin,
        );
    }
    model
}

fn slide(s: f64) -> Model {
    let mut model = model(0.3, 0.0);
    let turn = slope(&mut model, 0.6);
    let pose = Pose::new(turn * Vec3::new(0.0, 0.25, 0.0), turn);
    add(
        &mut model,
        s,
        block(s, 1.0, 0.5, 1.0),
        pose,
        Vec3::ZERO,
        Vec3::ZERO,
    );
    model
}

fn roll(s: f64) -> Model {
    let mut model = model(0.8, 0.0);
    let turn = slope(&mut model, 0.4);
    let ball = Shape::Sphere { radius: 0.5 * s };
    let pose = Pose::new(turn * Vec3::new(0.0, 0.5, 0.0), Quat::IDENTITY);
    add(&mut model, s, ball, pose, Vec3::ZERO, Vec3::ZERO);
    model
}

fn rod_against_plate(s: f64) -> Model {
    let mut model = model(0.3, 0.0);
    let plate = Body {
        motion: Motion::Fixed,
        pose: Pose::at(s * Vec3::new(0.9, 0.0, 0.5)),
        ..Body::new("plate", block(s, 0.4, 1.0, 0.02))
    };
    model.add(plate).unwrap();
    let spin = Vec3::Y * -20.0;
    add(
        &mut model,
        s,
        block(s, 2.0, 0.04, 0.04),
        Pose::IDENTITY,
        Vec3::ZERO,
        spin,
    );
    model
}

fn dominoes(s: f64) -> Model {
    let mut model = model(0.3, 0.0);
    ground(&mut model);
    for k in 0..6 {
        let pose = Pose::at(Vec3::new(0.4 * f64::from(k), 0.5, 0.0));
        let push = if k == 0 { Vec3::Z * -4.0 } else { Vec3::ZERO };
        let along = if k == 0 { Vec3::X * 2.0 } else { Vec3::ZERO };
        add(&mut model, s, block(s, 0.15, 1.0, 0.5), pose, along, push);
    }
    model
}

/// Poses at the end with lengths over `s`, and the deepest overlap on the way over `s`.
fn run(kind: &Kind, s: f64) -> (Vec<(Vec3, Quat)>, f64) {
    let mut system = start(kind.1(s), Options::default());
    let dt = 0.01 * s.sqrt();
    let mut deepest = 0.0f64;
    for _ in 0..(kind.2 / 0.01).round() as usize {
        deepest = deepest.max(system.advance(dt).deepest_penetration / s);
    }
    let state = &system.state;
    let ends = state
        .position
        .iter()
        .map(|x| *x / s)
        .zip(state.rotation.iter().copied());
    (ends.collect(), deepest)
}

#[test]
fn the_same_scene_from_a_millimetre_to_a_hundred_metres_moves_alike() {
    for kind in &KINDS {
        let (here, depth) = run(kind, 1.0);
        for s in [1e-3, 1e-2, 100.0] {
            let (there, other) = run(kind, s);
            let off = here.iter().zip(&there).map(|((x, q), (y, p))| {
                x.distance(*y)
                    .max((*q - *p).length().min((*q + *p).length()))
            });
            let off = off.fold(0.0, f64::max);
            at_most(
                &format!("{} at {s}: poses off, over the size", kind.0),
                off,
                0.01,
            );
            let deeper = (other - depth).abs();
            at_most(
                &format!("{} at {s}: overlap off, over the size", kind.0),
                deeper,
                1e-4,
            );
        }
    }
}

#[test]
fn the_scenes_of_the_law_of_scale_do_what_they_are_for() {
    let way = |kind: usize, body: usize| {
        let (ends, _) = run(&KINDS[kind], 1.0);
        let (begin, (end, _)) = (KINDS[kind].1(1.0).start_position[body], ends[body]);
        end - begin
    };
    // the stack has closed its gaps and stands; dice have fallen; the third domino is struck
    at_most(
        "stack: way sideways [m]",
        way(0, 8).with_y(0.0).length(),
        0.01,
    );
    assert!(
        way(1, 6).y < -1.0,
        "the highest die came down by {} m",
        -way(1, 6).y
    );
    assert!(
        way(5, 3).x > 0.01,
        "the third domino moved by {} m",
        way(5, 3).x
    );
    // closed forms: g t²/2 (sin - mu cos), and 5/7 of the slope for a ball
    let (sin, cos) = sine_cosine(0.6);
    let wanted = 0.5 * crate::G * (sin - 0.3 * cos);
    crate::is_near("slide [m]", way(2, 1).length(), wanted, 0.02);
    let (sin, _) = sine_cosine(0.4);
    crate::is_near(
        "roll [m]",
        way(3, 1).length(),
        0.5 * crate::G * sin * 5.0 / 7.0,
        0.02,
    );
    // the rod is stopped by the plate: less than its free turn of 2 rad
    let (ends, _) = run(&KINDS[4], 1.0);
    let turned = 2.0 * (ends[1].1 - Quat::IDENTITY).length();
    assert!(turned < 1.5, "the rod turned by {turned} rad");
}
