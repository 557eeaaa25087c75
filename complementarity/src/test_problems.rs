//! Small contact problems that the tests share.

use drystone_base::functions::{cos, sin};
use drystone_base::random::Random;
use drystone_base::{Symmetric3, Vec3, tangents};

use crate::{Contact, Mass, Problem};

/// Body 0 is the ground; bodies `1..=n` of mass `mass` stand on each other, one contact at each
/// interface through the centres, and gravity has just given each 1 m/s downwards.
pub(crate) fn column(n: usize, mass: f64) -> Problem {
    let mut problem = Problem {
        bodies: vec![Mass::default()],
        ..Problem::default()
    };
    for i in 0..n {
        problem.bodies.push(Mass {
            inverse_mass: 1.0 / mass,
            inverse_inertia: Symmetric3::diagonal(Vec3::splat(6.0 / mass)),
        });
        problem.contacts.push(contact(
            i,
            i + 1,
            Vec3::Y,
            Vec3::Y * 0.5,
            Vec3::Y * -0.5,
            0.0,
        ));
        problem.b.push([if i == 0 { -1.0 } else { 0.0 }, 0.0, 0.0]);
    }
    problem
}

/// A ball on the ground, approaching it and sliding in the direction `angle` of the tangents.
pub(crate) fn sliding_block(angle: f64, friction: f64) -> Problem {
    let mass = Mass {
        inverse_mass: 0.5,
        inverse_inertia: Symmetric3::ZERO,
    };
    Problem {
        bodies: vec![Mass::default(), mass],
        contacts: vec![contact(0, 1, Vec3::Y, Vec3::ZERO, Vec3::Y * -0.5, friction)],
        b: vec![[-1.0, 5.0 * cos(angle), 5.0 * sin(angle)]],
        relaxation: 0.0,
    }
}

/// Eight bodies and the ground (index 0) with 18 random contacts, friction 0.3 and approach
/// velocities that a motion of the bodies really has.
pub(crate) fn random_cluster(seed: u64) -> Problem {
    let mut random = Random::new(seed);
    let mut vector = |low: f64, high: f64| {
        Vec3::new(
            random.range(low, high),
            random.range(low, high),
            random.range(low, high),
        )
    };
    let mut problem = Problem {
        bodies: vec![Mass::default()],
        ..Problem::default()
    };
    let mut velocities = vec![crate::Twist::ZERO];
    for _ in 0..8 {
        problem.bodies.push(Mass {
            inverse_mass: vector(0.3, 2.0).x,
            inverse_inertia: Symmetric3::diagonal(vector(2.0, 9.0)),
        });
        velocities.push(crate::Twist {
            linear: vector(-1.0, 1.0) - Vec3::Y,
            angular: vector(-1.0, 1.0),
        });
    }
    for k in 0..18 {
        let (a, b) = if k < 6 {
            (0, 1 + k)
        } else {
            (1 + k % 7, 2 + k % 7)
        };
        let normal = (vector(-0.4, 0.4) + Vec3::Y).normalize();
        let (r_a, r_b) = (
            vector(-0.5, 0.5) + Vec3::Y * 0.5,
            vector(-0.5, 0.5) - Vec3::Y * 0.5,
        );
        problem.contacts.push(contact(a, b, normal, r_a, r_b, 0.3));
    }
    problem.b = problem.row_velocities(&velocities);
    problem
}

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
