//! Small models built in place, shared by the tests of the published stepper and its rivals.

#![allow(dead_code, clippy::unwrap_used)]

use drystone_base::functions::{rotation_about, rotation_vector};
use drystone_base::random::Random;
use drystone_base::{Pose, Vec3};
use drystone_geometry::Shape;
use drystone_rigid::{
    Body, Material, Materials, Model, Motion, Options, Stepper, System, Weight, energy,
};

/// The paper's time step \[s\].
pub(crate) const DT: f64 = 0.01;

/// A model in which every contact has this friction and restitution.
pub(crate) fn model(friction: f64, restitution: f64) -> Model {
    let material = Material {
        friction,
        restitution,
        ..Material::default()
    };
    Model::new(
        Vec3::new(0.0, -9.81, 0.0),
        Materials::new(vec![material], Vec::new()),
    )
}

/// The half-space y <= 0, fixed.
pub(crate) fn ground(model: &mut Model) -> usize {
    let body = Body {
        motion: Motion::Fixed,
        ..Body::new("ground", Shape::HalfSpace)
    };
    model.add(body).unwrap()
}

/// A box by its half extents, centre and mass.
pub(crate) fn block(model: &mut Model, half: Vec3, at: Vec3, mass: f64) -> usize {
    add(model, Shape::Box { half }, at, mass)
}

/// A cube of 1 m and `mass` centred at `at`.
pub(crate) fn cube(model: &mut Model, at: Vec3, mass: f64) -> usize {
    block(model, Vec3::splat(0.5), at, mass)
}

/// A ball by its radius, centre and mass.
pub(crate) fn ball(model: &mut Model, radius: f64, at: Vec3, mass: f64) -> usize {
    add(model, Shape::Sphere { radius }, at, mass)
}

fn add(model: &mut Model, shape: Shape, at: Vec3, mass: f64) -> usize {
    let name = format!("body {}", model.len());
    let weight = Weight::Mass(mass);
    model
        .add(Body {
            pose: Pose::at(at),
            weight,
            ..Body::new(name, shape)
        })
        .unwrap()
}

/// `count` cubes of 10 kg on the ground.
pub(crate) fn stack(count: usize, friction: f64, restitution: f64) -> Model {
    let mut model = model(friction, restitution);
    ground(&mut model);
    for i in 0..count {
        cube(&mut model, Vec3::new(0.0, 0.5 + i as f64, 0.0), 10.0);
    }
    model
}

/// 125 balls of radius 0.5 m, 0.9 m apart, on the ground: Erleben 2007, Fig. 13.
pub(crate) fn ball_grid() -> Model {
    let mut model = model(0.0, 0.0);
    ground(&mut model);
    for k in 0..125 {
        let at = Vec3::new((k % 5) as f64, (k / 25) as f64, (k / 5 % 5) as f64) * 0.9;
        ball(&mut model, 0.5, at + Vec3::Y * 0.45, 10.0);
    }
    model
}

/// A plank on a fixed pivot with 1 kg on its left end and 20 kg placed on its right. Returns the
/// index of the light box.
pub(crate) fn seesaw() -> (Model, usize) {
    let mut model = model(0.5, 0.0);
    ground(&mut model);
    let pivot = Body {
        motion: Motion::Fixed,
        pose: Pose::at(Vec3::Y * 0.5),
        ..Body::new(
            "pivot",
            Shape::Box {
                half: Vec3::new(0.1, 0.5, 0.5),
            },
        )
    };
    model.add(pivot).unwrap();
    block(&mut model, Vec3::new(2.0, 0.05, 0.25), Vec3::Y * 1.05, 5.0);
    let light = block(
        &mut model,
        Vec3::splat(0.15),
        Vec3::new(-1.8, 1.25, 0.0),
        1.0,
    );
    block(
        &mut model,
        Vec3::splat(0.15),
        Vec3::new(1.8, 1.25, 0.0),
        20.0,
    );
    (model, light)
}

/// A box of 1 kg on a box of 10 kg that slides at 2 m/s over ground without friction; 0.5 between
/// the two. Returns the index of the rider.
pub(crate) fn carried_box() -> (Model, usize) {
    let rough = Material {
        friction: 0.5,
        restitution: 0.0,
        ..Material::default()
    };
    let smooth = Material {
        friction: 0.0,
        restitution: 0.0,
        ..Material::default()
    };
    let mut model = Model::new(
        Vec3::new(0.0, -9.81, 0.0),
        Materials::new(vec![rough, smooth], Vec::new()),
    );
    let floor = Body {
        motion: Motion::Fixed,
        material: 1,
        ..Body::new("floor", Shape::HalfSpace)
    };
    model.add(floor).unwrap();
    let carrier = cube(&mut model, Vec3::Y * 0.5, 10.0);
    let rider = block(&mut model, Vec3::splat(0.25), Vec3::Y * 1.25, 1.0);
    for i in [carrier, rider] {
        model.start_linear_velocity[i] = Vec3::X * 2.0;
    }
    (model, rider)
}

/// A 2 m/s box in flight beside a stack of five on ground without friction, level with the third.
pub(crate) fn struck_stack() -> Model {
    let rough = Material {
        friction: 0.5,
        restitution: 0.0,
        ..Material::default()
    };
    let smooth = Material {
        friction: 0.0,
        restitution: 0.0,
        ..Material::default()
    };
    let materials = Materials::new(vec![rough, smooth], Vec::new());
    let mut model = Model::new(Vec3::new(0.0, -9.81, 0.0), materials);
    let floor = Body {
        motion: Motion::Fixed,
        material: 1,
        ..Body::new("floor", Shape::HalfSpace)
    };
    model.add(floor).unwrap();
    for i in 0..5 {
        cube(&mut model, Vec3::Y * (0.5 + i as f64), 10.0);
    }
    let bullet = cube(&mut model, Vec3::new(-1.05, 2.5, 0.0), 10.0);
    model.start_linear_velocity[bullet] = Vec3::X * 2.0;
    model
}

/// Six bricks of 2 m, each shifted by a quarter of that against the one below: the centre of
/// mass lies far outside the support, it must fall. Returns the index of the top brick.
pub(crate) fn leaning_stack() -> (Model, usize) {
    let mut model = model(0.5, 0.0);
    ground(&mut model);
    for i in 0..6 {
        let at = Vec3::new(0.5 * i as f64, 0.5 + i as f64, 0.0);
        block(&mut model, Vec3::new(1.0, 0.5, 0.5), at, 10.0);
    }
    let top = model.len() - 1;
    (model, top)
}

/// Deepest overlap of the balls of [`ball_grid`] with each other and the ground, by brute force.
pub(crate) fn grid_depth(system: &System) -> f64 {
    let x = &system.state.position[1..];
    let mut depth = 0.0f64;
    for i in 0..x.len() {
        depth = depth.max(0.5 - x[i].y);
        for j in 0..i {
            depth = depth.max(1.0 - x[i].distance(x[j]));
        }
    }
    depth
}

/// Every stepper but the default, with its name.
pub(crate) fn rivals() -> Vec<(&'static str, Options)> {
    let mut rivals = vec![("paper", preset("paper")), ("repaired", preset("repaired"))];
    for kind in [
        Stepper::Pgs,
        Stepper::PgsProjection,
        Stepper::Isp,
        Stepper::Soft,
    ] {
        rivals.push((kind.name(), stepper(kind)));
    }
    rivals
}

/// The options of `preset`.
pub(crate) fn preset(name: &str) -> Options {
    Options::preset(name).unwrap()
}

/// The default options with another stepper.
pub(crate) fn stepper(stepper: Stepper) -> Options {
    Options {
        stepper,
        ..Options::default()
    }
}

/// A system ready to run.
pub(crate) fn start(model: Model, options: Options) -> System {
    System::new(model, options).unwrap()
}

/// Steps of `DT` for `seconds`.
pub(crate) fn run(system: &mut System, seconds: f64) {
    for _ in 0..(seconds / DT).round() as usize {
        system.advance(DT);
    }
}

/// Largest distance of a body from its start, horizontally and in all \[m\].
pub(crate) fn drift(system: &System) -> (f64, f64) {
    let moves = system
        .state
        .position
        .iter()
        .zip(&system.model.start_position)
        .map(|(x, x0)| *x - *x0);
    moves.fold((0.0, 0.0), |(flat, all): (f64, f64), d| {
        (flat.max((d - Vec3::Y * d.y).length()), all.max(d.length()))
    })
}

/// A lone rod of 0.7 x 0.03 x 0.03 m in space, spinning at 30 rad/s about each axis.
pub(crate) fn free_rod() -> Model {
    let mut model = model(0.5, 0.0);
    model.gravity = Vec3::ZERO;
    let i = block(&mut model, Vec3::new(0.35, 0.015, 0.015), Vec3::ZERO, 0.63);
    model.start_angular_velocity[i] = Vec3::splat(30.0);
    model
}

/// Twelve pencils of 180 x 7 mm dropped one after the other on the same place.
pub(crate) fn pencils(seed: u64) -> Model {
    let mut model = model(0.5, 0.0);
    ground(&mut model);
    let mut random = Random::new(seed);
    let pencil = Shape::Capsule {
        half_length: 0.0865,
        radius: 0.0035,
    };
    for k in 0..12 {
        let aside = Vec3::new(random.range(-0.1, 0.1), 0.0, random.range(-0.1, 0.1));
        let at = aside + Vec3::Y * (0.3 + 0.2 * f64::from(k));
        let i = add(&mut model, pencil.clone(), at, 0.00409);
        model.start_rotation[i] = random.rotation();
    }
    model
}

/// Ninety-six matches of 40 x 2 x 2 mm dropped in a heap.
pub(crate) fn matches(seed: u64) -> Model {
    let mut model = model(0.5, 0.0);
    ground(&mut model);
    let mut random = Random::new(seed);
    for k in 0..96 {
        let at = Vec3::new((k % 4) as f64, (k / 16) as f64, (k / 4 % 4) as f64) * 0.045;
        let half = Vec3::new(0.02, 0.001, 0.001);
        let i = block(&mut model, half, at + Vec3::Y * 0.05, 1.6e-4);
        model.start_rotation[i] = random.rotation();
    }
    model
}

/// Forty-eight rods of 0.7 x 0.03 x 0.03 m that fly and spin in a closed box of 4 m, no gravity.
pub(crate) fn storm_of_rods(seed: u64) -> Model {
    let mut model = model(0.5, 0.0);
    model.gravity = Vec3::ZERO;
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        for side in [-2.05, 2.05] {
            let half = Vec3::splat(2.1) - axis * 2.05;
            let wall = Body {
                motion: Motion::Fixed,
                pose: Pose::at(axis * side),
                ..Body::new(format!("wall {}", model.len()), Shape::Box { half })
            };
            model.add(wall).unwrap();
        }
    }
    let mut random = Random::new(seed);
    let mut any = |most: f64| {
        let mut one = || random.range(-most, most);
        Vec3::new(one(), one(), one())
    };
    for k in 0..48 {
        let at = Vec3::new((k % 4) as f64, (k / 4 % 4) as f64, (k / 16) as f64);
        let half = Vec3::new(0.35, 0.015, 0.015);
        let i = block(&mut model, half, at * 0.8 - Vec3::splat(1.2), 0.63);
        model.start_rotation[i] = rotation_vector(any(2.0));
        model.start_linear_velocity[i] = any(6.0);
        model.start_angular_velocity[i] = any(52.0);
    }
    model
}

/// A column of `count` unit cubes of 10 kg, every other one turned by one radian: Erleben 2007,
/// Fig. 9.
pub(crate) fn turned_stack(count: usize, restitution: f64) -> Model {
    let mut model = stack(count, 0.5, restitution);
    for i in (2..=count).step_by(2) {
        model.start_rotation[i] = rotation_vector(Vec3::Y);
    }
    model
}

/// The cubes of [`turned_stack`] with gaps of 50 mm, which fall on each other.
pub(crate) fn dropped_stack(count: usize, restitution: f64) -> Model {
    let mut model = turned_stack(count, restitution);
    for i in 1..=count {
        model.start_position[i] += Vec3::Y * (0.05 * i as f64);
    }
    model
}

/// 27 t on 10 kg, no friction: Erleben 2007, Fig. 5.
pub(crate) fn large_mass() -> Model {
    let mut model = model(0.0, 0.0);
    ground(&mut model);
    cube(&mut model, Vec3::Y * 0.5, 10.0);
    block(&mut model, Vec3::splat(1.5), Vec3::Y * 2.5, 27_000.0);
    model
}

/// A wall of `rows` courses of nine bricks of 2 x 1 x 1 m and half a one, which stands last in even
/// and first in odd courses: Erleben 2007, Fig. 10.
pub(crate) fn wall(rows: usize, restitution: f64) -> Model {
    let mut model = model(0.25, restitution);
    ground(&mut model);
    for row in 0..rows {
        let odd = row % 2 == 1;
        let mut left = 0.0;
        for k in 0..10 {
            let half_length = if k == if odd { 0 } else { 9 } {
                0.5
            } else {
                1.0
            };
            let at = Vec3::new(left + half_length, 0.5 + row as f64, 0.0);
            let half = Vec3::new(half_length, 0.5, 0.5);
            block(&mut model, half, at, 20.0 * half_length);
            left += 2.0 * half_length;
        }
    }
    model
}

/// A ring tower of `rows` courses of sixteen bricks, odd courses turned by half a brick: Erleben
/// 2007, Fig. 11.
pub(crate) fn tower(rows: usize, restitution: f64) -> Model {
    let mut model = model(0.25, restitution);
    ground(&mut model);
    let step = std::f64::consts::PI / 8.0;
    for row in 0..rows {
        for k in 0..16 {
            let angle = step * (k as f64 + 0.5 * (row % 2) as f64);
            let turn = rotation_about(Vec3::Y, angle);
            let at = turn * Vec3::new(0.0, 0.0, 4.443) + Vec3::Y * (0.5 + row as f64);
            let i = block(&mut model, Vec3::new(0.75, 0.5, 0.5), at, 15.0);
            model.start_rotation[i] = turn;
        }
    }
    model
}

/// Kinetic and potential energy \[J\].
pub(crate) fn total_energy(system: &System) -> f64 {
    energy::kinetic_energy(&system.state, &system.model)
        + energy::potential_energy(&system.state, &system.model)
}

/// Largest total energy over `seconds`, as a share of that at the start. Infinite if a body is
/// lost.
pub(crate) fn most_energy(system: &mut System, seconds: f64) -> f64 {
    let before = total_energy(system);
    let mut most = 1.0f64;
    for _ in 0..(seconds / DT).round() as usize {
        system.advance(DT);
        let share = total_energy(system) / before;
        let lost = system.state.removed.iter().any(|removed| *removed);
        most = most.max(if share.is_finite() && !lost {
            share
        } else {
            f64::INFINITY
        });
    }
    most
}
