#![allow(clippy::unwrap_used)]

use super::*;
use crate::Moving;
use crate::elastic::{Law, TangentLaw};
use crate::factor::{Factor, Kind};
use crate::implicit::{Bdf, Problem};
use crate::kinematics::{Link, place};
use crate::state::StrandState;
use crate::step::link_step;
use crate::{Curve, Model, Strand};
use drystone_base::functions::rotation_vector;
use drystone_base::random::Random;
use drystone_base::{Mat3, Pose};

fn vector(random: &mut Random, size: f64) -> Vec3 {
    let mut c = || random.range(-size, size);
    Vec3::new(c(), c(), c())
}

/// A branched strand in a random pose with random rates on a base that moves in every way.
struct Case {
    chain: Chain,
    properties: Properties,
    rotation: Vec<Quat>,
    rate: Vec<Vec3>,
    acceleration: Vec<Vec3>,
    base: Moving,
}

fn case(seed: u64) -> Case {
    let random = &mut Random::new(seed);
    let trunk = Curve::straight(Vec3::new(0.1, 0.0, 0.0), Vec3::new(0.5, 0.3, 0.0), 4);
    let twig = Curve::through(&[
        trunk.points[2],
        Vec3::new(0.4, 0.5, 0.2),
        Vec3::new(0.3, 0.6, 0.4),
    ]);
    let mut strand = Strand::new("tree", trunk);
    strand.curves.push(twig.growing_from(0, 2));
    strand.parameters.mass_per_length = 2.0.into();
    strand.parameters.radius = 0.03.into();
    strand.parameters.bend_stiffness = 3.0.into();
    let mut model = Model::default();
    model.add(strand).unwrap();
    let chain = model.chains.remove(0);
    let mut properties = Properties::default();
    properties.sample(&chain, 0.0);
    let n = chain.len();
    let turned = |q: &Quat| *q * rotation_vector(vector(random, 0.6));
    Case {
        rotation: chain.start_rotation.iter().map(turned).collect(),
        rate: (0..n).map(|_| vector(random, 4.0)).collect(),
        acceleration: (0..n).map(|_| vector(random, 20.0)).collect(),
        base: Moving {
            pose: Pose::new(vector(random, 1.0), random.rotation()),
            velocity: vector(random, 2.0),
            acceleration: vector(random, 10.0),
            angular_velocity: vector(random, 3.0),
            angular_acceleration: vector(random, 10.0),
        },
        chain,
        properties,
    }
}

impl Case {
    /// Where the links are at `t`, if everything goes on as it goes.
    fn at(&self, t: f64) -> Vec<Link> {
        let base = &self.base;
        let turn = base.angular_velocity * t + base.angular_acceleration * (0.5 * t * t);
        let shift = base.velocity * t + base.acceleration * (0.5 * t * t);
        let pose = Pose::new(
            base.pose.position + shift,
            base.pose.rotation * rotation_vector(turn),
        );
        let joint = |j: usize| {
            let turn = self.rate[j] * t + self.acceleration[j] * (0.5 * t * t);
            self.rotation[j] * rotation_vector(turn)
        };
        let rotation: Vec<Quat> = (0..self.chain.len()).map(joint).collect();
        let mut links = Vec::new();
        place(&self.chain, &rotation, &[], &pose, &mut links);
        links
    }

    fn rates(&self) -> Rates<'_> {
        Rates {
            rotation: &self.rotation,
            rate: &self.rate,
            acceleration: &self.acceleration,
        }
    }
}

#[test]
fn the_recursive_residual_is_that_of_the_implicit_step() {
    let mut worst = 0.0f64;
    for seed in 0..8 {
        let case = case(seed);
        let n = case.chain.len();
        let gravity = Vec3::new(1.0, -9.81, 0.4);
        let here = case.at(0.0);
        // accelerations of centres and axes, by differences of fourth order
        let h = 2e-3;
        let [a2, a1, b1, b2] = [-2.0 * h, -h, h, 2.0 * h].map(|t| case.at(t));
        let second = |f: &dyn Fn(&Link) -> Vec3, j: usize| {
            (f(&a1[j]) + f(&b1[j])) * (16.0 / (12.0 * h * h))
                - (f(&a2[j]) + f(&b2[j])) / (12.0 * h * h)
                - f(&here[j]) * (30.0 / (12.0 * h * h))
        };
        let strand = StrandState::new(&case.chain, 0.0);
        let mut link_steps = Vec::new();
        let (mut external, mut torque) = (Vec::new(), Vec::new());
        for j in 0..n {
            let own = &case.properties.links[j];
            let mut step = link_step(&case.chain, &strand, &case.properties, Bdf::none(), j);
            step.centre_history = -second(&|link| link.centre, j);
            let column = |k: usize| -second(&|link: &Link| link.axes.col(k), j);
            step.axes_history = Mat3::from_cols(column(0), column(1), column(2));
            step.applied_force = gravity * own.mass;
            link_steps.push(step);
            let force = here[j].axes.transpose() * gravity * own.mass;
            external.push(Force {
                moment: (Vec3::Y * own.half).cross(force),
                force,
            });
            let deviation = step.rest_inverse * case.rotation[j];
            torque.push(TangentLaw.torque(&own.stiffness, deviation));
        }
        let problem = Problem {
            chain: &case.chain,
            law: &TangentLaw,
            bdf: Bdf::none(),
            link_steps: &link_steps,
            penalties: &[],
        };
        let mut factor = Factor::default();
        factor.eliminate(&problem, &case.rotation, &[], &here, &[], &[], Kind::Exact);
        let (v0, a0) = (
            Motion::velocity_of(&case.base),
            Motion::acceleration_of(&case.base),
        );
        let rs = residual(
            &case.chain,
            &case.properties,
            case.rates(),
            v0,
            a0,
            &external,
            &torque,
        );
        let scale = rs.iter().fold(0.0f64, |a, r| a.max(r.length()));
        for j in 0..n {
            let implicit = here[j].axes.transpose() * factor.residual[j];
            worst = worst.max((implicit - rs[j]).length() / scale);
        }
    }
    assert!(worst < 1e-6, "{worst:.1e} of the residual"); // measured: 8e-9
}

#[test]
fn a_single_rod_needs_the_torque_of_the_textbook() {
    // horizontal rod, about z: I α + m g l/2
    let mut model = Model::default();
    let mut strand = Strand::new(
        "rod",
        Curve::straight(Vec3::ZERO, Vec3::new(0.6, 0.0, 0.0), 1),
    );
    strand.parameters.mass_per_length = 2.0.into();
    strand.parameters.radius = 0.05.into();
    model.add(strand).unwrap();
    let chain = &model.chains[0];
    let mut properties = Properties::default();
    properties.sample(chain, 0.0);
    let (m, l) = (1.2, 0.6);
    let alpha = 3.0;
    // the link's frame: y along x of the world, z as in the world
    let q = chain.start_rotation[0];
    let rates = Rates {
        rotation: &[q],
        rate: &[q.conjugate() * Vec3::Z * 5.0],
        acceleration: &[q.conjugate() * Vec3::Z * alpha],
    };
    let weight = q.conjugate() * Vec3::new(0.0, -9.81 * m, 0.0);
    let external = [Force {
        moment: (Vec3::Y * (0.5 * l)).cross(weight),
        force: weight,
    }];
    let torque = inverse_dynamics(
        chain,
        &properties,
        rates,
        Motion::ZERO,
        Motion::ZERO,
        &external,
    );
    let inertia = m * (l * l / 3.0 + 0.05 * 0.05 / 4.0);
    let expected = inertia * alpha + m * 9.81 * l / 2.0;
    let error = (q * torque[0] - Vec3::Z * expected).length();
    assert!(error < 1e-12, "{} and {expected} N m", q * torque[0]); // measured: 9e-16
}
