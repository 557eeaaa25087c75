//! Random solids, about one unit long, and how thin a solid is.

use drystone_base::functions::{cos, pow, sin};
use drystone_base::random::Random;
use drystone_base::{Pose, Vec3};
use drystone_geometry::mesh::build;
use drystone_world::{Builtin, Mesh, Part, Shape};

/// Families of solids that behave alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Ball,
    /// A box no longer than twice its height.
    Brick,
    Capsule,
    /// A box or capsule, ten to a hundred times as long as thick.
    Rod,
    /// A box, ten to a hundred times as wide as thick.
    Plate,
    Hull,
    Compound,
    Mesh,
}

impl Form {
    const ALL: [Self; 8] = [
        Self::Ball,
        Self::Brick,
        Self::Capsule,
        Self::Rod,
        Self::Plate,
        Self::Hull,
        Self::Compound,
        Self::Mesh,
    ];

    /// Any of them; meshes, which cost most, less often.
    pub(crate) fn any(random: &mut Random) -> Self {
        match Self::ALL[random.below(8)] {
            Self::Mesh if random.unit() < 0.5 => Self::Brick,
            form => form,
        }
    }
}

/// A number between `low` and `high`, each decade alike.
pub(crate) fn decades(random: &mut Random, low: f64, high: f64) -> f64 {
    low * pow(high / low, random.unit())
}

/// A unit vector, all directions alike.
pub(crate) fn direction(random: &mut Random) -> Vec3 {
    random.rotation() * Vec3::X
}

/// Least thickness of a body in a scene \[m\]: half of it is a length that shapes may have.
pub(crate) const THINNEST: f64 = 2.5e-6;

/// A solid of the given form whose longest side is `size` \[m\].
pub(crate) fn shape(random: &mut Random, form: Form, size: f64) -> Shape {
    match form {
        Form::Ball => Shape::ball(0.5 * size),
        Form::Brick => {
            let mut side = || size * random.range(0.5, 1.0);
            Shape::block(side(), side(), side())
        }
        Form::Capsule => capsule(size, size * random.range(0.1, 0.3)),
        Form::Rod => {
            let thick = size / decades(random, 10.0, 100.0);
            if random.unit() < 0.5 {
                capsule(size, 0.5 * thick)
            } else {
                Shape::block(size, thick, thick * random.range(0.5, 1.0))
            }
        }
        Form::Plate => {
            let thick = size / decades(random, 10.0, 100.0);
            Shape::block(size, thick, size * random.range(0.3, 1.0))
        }
        Form::Hull => hull(random, size),
        Form::Compound => compound(random, size),
        Form::Mesh => mesh(random, size),
    }
}

/// A capsule of a whole length \[m\].
fn capsule(whole: f64, radius: f64) -> Shape {
    Shape::Capsule {
        length: whole - 2.0 * radius,
        radius,
    }
}

/// Points on an ellipsoid, or a prism of many sides: no longer than `size` \[m\].
fn hull(random: &mut Random, size: f64) -> Shape {
    let points = if random.unit() < 0.3 {
        let (sides, height) = (3 + random.below(8), size * random.range(0.1, 0.8));
        let radius = 0.5 * size;
        let corner = |k: usize, y: f64| {
            let angle = std::f64::consts::TAU * k as f64 / sides as f64;
            [radius * cos(angle), y, radius * sin(angle)]
        };
        (0..sides)
            .flat_map(|k| [corner(k, -0.5 * height), corner(k, 0.5 * height)])
            .collect()
    } else {
        let axes = Vec3::new(1.0, random.range(0.3, 1.0), random.range(0.3, 1.0)) * (0.5 * size);
        let count = 8 + random.below(13);
        (0..count)
            .map(|_| (direction(random) * axes).to_array())
            .collect()
    };
    Shape::Hull { points }
}

fn compound(random: &mut Random, size: f64) -> Shape {
    let part = |shape, x, y, z| Part::new(shape, [x, y, z]);
    let parts = match random.below(4) {
        // a dumb-bell, one end heavier
        0 => {
            let (a, b) = (0.15 * size, size * random.range(0.08, 0.15));
            vec![
                part(Shape::ball(a), -0.5 * size + a, 0.0, 0.0),
                part(Shape::ball(b), 0.5 * size - b, 0.0, 0.0),
                part(capsule(0.8 * size, 0.04 * size), 0.0, 0.0, 0.0).turned([0.0, 0.0, 1.0], 90.0),
            ]
        }
        // a cross of bars
        1 => {
            let thick = size * random.range(0.05, 0.2);
            vec![
                part(Shape::block(size, thick, thick), 0.0, 0.0, 0.0),
                part(Shape::block(thick, size, thick), 0.0, 0.0, 0.0),
                part(Shape::block(thick, thick, size), 0.0, 0.0, 0.0),
            ]
        }
        // a table
        2 => {
            let (leg, top) = (0.1 * size, 0.1 * size);
            let reach = 0.5 * size - 0.5 * leg;
            let mut parts = vec![part(Shape::block(size, top, size), 0.0, 0.25 * size, 0.0)];
            for (x, z) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
                let leg = Shape::block(leg, 0.5 * size, leg);
                parts.push(part(leg, x * reach, -0.05 * size, z * reach));
            }
            parts
        }
        // an L
        _ => {
            let arm = size * random.range(0.15, 0.35);
            vec![
                part(
                    Shape::block(size, arm, arm),
                    0.0,
                    -0.5 * size + 0.5 * arm,
                    0.0,
                ),
                part(
                    Shape::block(arm, size, arm),
                    -0.5 * size + 0.5 * arm,
                    0.0,
                    0.0,
                ),
            ]
        }
    };
    Shape::Compound { parts }
}

fn mesh(random: &mut Random, size: f64) -> Shape {
    let solid = match random.below(5) {
        0 => build::torus(0.35, random.range(0.1, 0.15), 16, 8),
        1 => build::l_shape(1.0, 0.35, random.range(0.2, 0.35)),
        2 => build::icosphere(0.5, 1),
        3 => build::cuboid(Vec3::new(
            0.5,
            random.range(0.1, 0.5),
            random.range(0.1, 0.5),
        )),
        _ => {
            let mut animal = Mesh::builtin(Builtin::Animal);
            animal.scale = size;
            animal.resolution = 24;
            return Shape::Mesh(animal);
        }
    };
    let vertices = solid.vertices().iter().map(|v| v.to_array()).collect();
    let mut mesh = Mesh::new(vertices, solid.triangles().to_vec());
    mesh.scale = size;
    mesh.resolution = 24;
    Shape::Mesh(mesh)
}

/// Smallest dimension of a solid \[m\]: how far something has to go to be through it. Of hulls and
/// meshes, the shortest side of the box about them.
pub(crate) fn thickness(shape: &Shape) -> f64 {
    let of_box = || {
        let (low, high) = shape
            .bounds()
            .unwrap_or((Vec3::ZERO, Vec3::splat(f64::INFINITY)));
        (high - low).min_element()
    };
    match shape {
        Shape::Box { size } => Vec3::from(*size).min_element(),
        Shape::Sphere { radius } | Shape::Capsule { radius, .. } => 2.0 * radius,
        Shape::HalfSpace => f64::INFINITY,
        Shape::Compound { parts } => parts
            .iter()
            .fold(f64::INFINITY, |t, part| t.min(thickness(&part.shape))),
        // legs and horns
        Shape::Mesh(mesh) if mesh.builtin.is_some() => 0.2 * of_box(),
        Shape::Hull { .. } | Shape::Mesh(_) => of_box(),
    }
}

/// The shape with all lengths times `factor`.
pub(crate) fn scaled(shape: &Shape, factor: f64) -> Shape {
    let times = |v: &[f64; 3]| v.map(|x| x * factor);
    match shape {
        Shape::Box { size } => Shape::Box { size: times(size) },
        Shape::Sphere { radius } => Shape::ball(radius * factor),
        Shape::Capsule { length, radius } => Shape::Capsule {
            length: length * factor,
            radius: radius * factor,
        },
        Shape::HalfSpace => Shape::HalfSpace,
        Shape::Hull { points } => Shape::Hull {
            points: points.iter().map(times).collect(),
        },
        Shape::Compound { parts } => Shape::Compound {
            parts: parts
                .iter()
                .map(|part| Part {
                    shape: scaled(&part.shape, factor),
                    position: times(&part.position),
                    ..part.clone()
                })
                .collect(),
        },
        Shape::Mesh(mesh) => Shape::Mesh(Mesh {
            scale: mesh.scale * factor,
            ..mesh.clone()
        }),
    }
}

/// The box about `shape` at `pose`, of a capsule or a box as tight as possible \[m\].
pub(crate) fn around(shape: &Shape, pose: &Pose) -> (Vec3, Vec3) {
    shape
        .bounds_in(pose)
        .unwrap_or((pose.position, pose.position))
}
