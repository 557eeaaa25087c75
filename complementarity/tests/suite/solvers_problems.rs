//! Contact problems made on the spot: columns, stacks of boxes, piles of balls.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use drystone_base::random::Random;
use drystone_base::{Symmetric3, Vec3, tangents};
use drystone_complementarity::{Contact, ContactProblem, Mass, Problem, Twist};

/// Speed that gravity gives in the step before the problem \[m/s\].
const FALL: f64 = 0.0981;

fn contact(a: usize, b: usize, normal: Vec3, r_a: Vec3, r_b: Vec3, friction: f64) -> Contact {
    let (t1, t2) = tangents(normal);
    Contact {
        a,
        b,
        normal,
        tangents: [t1, t2],
        r_a,
        r_b,
        friction,
    }
}

fn cube(mass: f64) -> Mass {
    Mass {
        inverse_mass: 1.0 / mass,
        inverse_inertia: Symmetric3::diagonal(Vec3::splat(6.0 / mass)),
    }
}

fn falling(
    problem: Problem,
    places: Vec<Vec3>,
    velocities: &[Twist],
    name: String,
) -> ContactProblem {
    let mut named = ContactProblem::factored(name, problem);
    if let drystone_complementarity::Form::Factored(problem) = &mut named.form {
        problem.b = problem.row_velocities(velocities);
    }
    named.places = Some(places);
    named.check().unwrap();
    named
}

/// Unit cubes of given masses on each other, one contact through the centres at each interface.
pub fn column(masses: &[f64]) -> ContactProblem {
    let mut problem = Problem {
        bodies: vec![Mass::default()],
        ..Problem::default()
    };
    let (mut places, mut velocities) = (Vec::new(), vec![Twist::ZERO]);
    for (i, mass) in masses.iter().enumerate() {
        let half = Vec3::Y * 0.5;
        problem.bodies.push(cube(*mass));
        problem
            .contacts
            .push(contact(i, i + 1, Vec3::Y, half, -half, 0.0));
        places.push(Vec3::Y * i as f64);
        velocities.push(Twist {
            linear: Vec3::Y * -FALL,
            angular: Vec3::ZERO,
        });
    }
    falling(
        problem,
        places,
        &velocities,
        format!("column of {}", masses.len()),
    )
}

/// A unit cube of one kilogram between two walls that close in with a metre a second each.
pub fn squeezed() -> ContactProblem {
    let half = Vec3::Y * 0.5;
    let problem = Problem {
        bodies: vec![Mass::default(), cube(1.0), Mass::default()],
        contacts: vec![
            contact(0, 1, Vec3::Y, half, -half, 0.5),
            contact(1, 2, Vec3::Y, half, -half, 0.5),
        ],
        ..Problem::default()
    };
    let moving = |y: f64| Twist {
        linear: Vec3::Y * y,
        angular: Vec3::ZERO,
    };
    let velocities = [moving(1.0), moving(0.0), moving(-1.0)];
    let places = vec![Vec3::ZERO, Vec3::Y];
    falling(problem, places, &velocities, "squeezed".into())
}

/// Unit cubes of given masses on each other with four contacts at each face, which is one more
/// than a face needs, each cube shoved a little to the side and set turning.
pub fn stack(masses: &[f64], friction: f64, shove: f64, seed: u64) -> ContactProblem {
    let mut random = Random::new(seed);
    let mut problem = Problem {
        bodies: vec![Mass::default()],
        ..Problem::default()
    };
    let (mut places, mut velocities) = (Vec::new(), vec![Twist::ZERO]);
    for (i, mass) in masses.iter().enumerate() {
        problem.bodies.push(cube(*mass));
        for (x, z) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
            let corner = Vec3::new(x, 0.0, z);
            let (r_a, r_b) = (corner + Vec3::Y * 0.5, corner - Vec3::Y * 0.5);
            problem
                .contacts
                .push(contact(i, i + 1, Vec3::Y, r_a, r_b, friction));
            places.push(corner + Vec3::Y * i as f64);
        }
        let mut any = || Vec3::new(random.range(-1.0, 1.0), 0.0, random.range(-1.0, 1.0)) * shove;
        velocities.push(Twist {
            linear: any() - Vec3::Y * FALL,
            angular: any(),
        });
    }
    falling(
        problem,
        places,
        &velocities,
        format!("stack of {}", masses.len()),
    )
}

/// Every contact so many times over.
pub fn repeated(problem: &ContactProblem, times: usize) -> ContactProblem {
    let mut repeated = problem.clone();
    if let drystone_complementarity::Form::Factored(problem) = &mut repeated.form {
        problem.contacts = problem.contacts.repeat(times);
        problem.b = problem.b.repeat(times);
    }
    repeated.places = repeated.places.map(|places| places.repeat(times));
    repeated
}

/// Balls in layers, each on one to four of the layer below, with masses between 1 and
/// `heaviest`, and random velocities beside that of gravity.
pub fn pile(seed: u64, friction: f64, heaviest: f64) -> ContactProblem {
    let mut random = Random::new(seed);
    let mut problem = Problem {
        bodies: vec![Mass::default()],
        ..Problem::default()
    };
    let (mut places, mut velocities) = (Vec::new(), vec![Twist::ZERO]);
    let (width, layers) = (3 + random.below(3), 2 + random.below(3));
    for layer in 0..layers {
        for i in 0..width {
            let body = problem.bodies.len();
            // masses evenly on a scale of ratios, within 0.1 %
            let mut mass = 1.0;
            for _ in 0..60 {
                mass *= 1.0 + random.unit() * (heaviest.powf(1.0 / 30.0) - 1.0);
            }
            let mass = mass.min(heaviest);
            problem.bodies.push(Mass {
                inverse_mass: 1.0 / mass,
                inverse_inertia: Symmetric3::diagonal(Vec3::splat(10.0 / mass)),
            });
            let mut any = |size: f64| {
                Vec3::new(
                    random.range(-size, size),
                    random.range(-size, size),
                    random.range(-size, size),
                )
            };
            velocities.push(Twist {
                linear: any(0.05) - Vec3::Y * FALL,
                angular: any(0.1),
            });
            let below = |step: usize| 1 + (layer - 1) * width + (i + step) % width;
            let supports: Vec<usize> = match layer {
                0 => vec![0, 0],
                _ => (0..1 + random.below(width.min(4))).map(below).collect(),
            };
            for support in supports {
                let mut any = || {
                    Vec3::new(
                        random.range(-0.6, 0.6),
                        random.range(-0.1, 0.1),
                        random.range(-0.6, 0.6),
                    )
                };
                let normal = (Vec3::Y + any()).normalize();
                let jitter = any() * 0.2;
                let (r_a, r_b) = (normal * 0.5 + jitter, normal * -0.5 + jitter);
                problem
                    .contacts
                    .push(contact(support, body, normal, r_a, r_b, friction));
                places.push(Vec3::new(i as f64, layer as f64, 0.0) + jitter);
            }
        }
    }
    falling(problem, places, &velocities, format!("pile {seed}"))
}

/// `N` equal masses of 1 kg.
pub fn equal(n: usize) -> Vec<f64> {
    vec![1.0; n]
}

/// Masses that grow evenly by ratio from 1 kg to `heaviest`.
pub fn growing(n: usize, heaviest: f64) -> Vec<f64> {
    let ratio = heaviest.powf(1.0 / (n - 1) as f64);
    (0..n).map(|i| ratio.powi(i as i32)).collect()
}
