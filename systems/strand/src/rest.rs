//! The shape without gravity that gravity bends into the groom (Hadap 2006, §6.6), whether that
//! groom is stable, and how much stiffer it would have to be.

use drystone_base::functions::{atan2, rotation_about};
use drystone_base::{Quat, Vec3};

use crate::chain::Chain;
use crate::elastic::{JointStiffness, Law};
use crate::factor::{Factor, Kind};
use crate::implicit::{Bdf, Problem};
use crate::kinematics::place;
use crate::properties::Properties;
use crate::recursion::{Rates, inverse_dynamics};
use crate::spatial::{Force, Motion};
use crate::state::StrandState;
use crate::step::link_step;
use crate::{Model, System};

/// Treatment of a groom whose stiffness cannot hold it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Repair {
    /// Tell of it.
    None,
    /// Stiffen the strand until it holds, and by this factor more \[1\].
    Stiffen {
        /// Factor beyond the least stiffness that holds.
        margin: f64,
    },
}

/// Result for the rest shape of one strand.
#[derive(Clone, Debug, PartialEq)]
pub struct RestShape {
    /// Index of the strand.
    pub strand: usize,
    /// Its name.
    pub name: String,
    /// Largest torque left over at a joint \[N m\].
    pub residual: f64,
    /// Directions in which the groom would leave its place, with the stiffness as given.
    pub unstable_directions: usize,
    /// Least factor on the stiffness that makes the groom stable; 1: it is. Infinite: no factor
    /// below a million does \[1\].
    pub least_stiffening: f64,
    /// Factor by which the stiffness was raised \[1\].
    pub stiffening: f64,
}

impl RestShape {
    /// Whether the strand holds its groom now.
    pub fn holds(&self) -> bool {
        self.stiffening >= self.least_stiffening && self.residual.is_finite()
    }
}

impl std::fmt::Display for RestShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "strand `{}`: ", self.name)?;
        if self.unstable_directions == 0 {
            return write!(f, "holds its groom");
        }
        write!(f, "cannot hold its groom; ")?;
        if !self.least_stiffening.is_finite() {
            return write!(f, "no stiffness holds it");
        }
        write!(f, "wanted {:.2} times its stiffness", self.least_stiffening)?;
        if self.stiffening > 1.0 {
            write!(f, ", given {:.2} times", self.stiffening)?;
        }
        Ok(())
    }
}

impl System {
    /// Takes the present pose of every strand as its groom under gravity, and gives it the rest
    /// shape that gravity bends into it.
    pub fn adapt_rest_shapes(&mut self, repair: Repair) -> Vec<RestShape> {
        let all = 0..self.model.len();
        all.map(|i| self.adapt_rest_shape(i, repair)).collect()
    }

    /// As [`Self::adapt_rest_shapes`], for strand `i` alone.
    pub fn adapt_rest_shape(&mut self, i: usize, repair: Repair) -> RestShape {
        adapt(
            &mut self.model,
            i,
            &mut self.state.strands[i],
            &mut self.properties[i],
            self.state.time,
            repair,
        )
    }
}

fn adapt(
    model: &mut Model,
    i: usize,
    strand: &mut StrandState,
    properties: &mut Properties,
    t: f64,
    repair: Repair,
) -> RestShape {
    // rest shape and pivots at a given stiffening
    let given = model.chains[i].stiffening;
    let mut attempt = |factor: f64| {
        model.chains[i].stiffening = given * factor;
        properties.sample(&model.chains[i], t);
        let residual = balance(model, i, strand, properties, t);
        (
            residual,
            unstable_directions(model, i, strand, properties, t),
        )
    };
    let (mut residual, unstable) = attempt(1.0);
    let (mut least, mut applied) = (1.0, 1.0);
    if unstable > 0 {
        // the least factor, by doubling and then halving the interval
        let mut high = 1.0;
        while high < 1e6 && attempt(high).1 > 0 {
            high *= 2.0;
        }
        let mut low = 0.5 * high;
        for _ in 0..12 {
            let middle = (low * high).sqrt();
            if attempt(middle).1 > 0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        least = if high < 1e6 { high } else { f64::INFINITY };
        if let (Repair::Stiffen { margin }, true) = (repair, least.is_finite()) {
            applied = least * margin.max(1.0);
        }
        residual = attempt(applied).0;
    }
    // the strand starts at rest in the groomed pose
    let chain = &model.chains[i];
    strand.rate.fill(Vec3::ZERO);
    strand.stretch_rate.fill(0.0);
    strand.restart(chain, t);
    RestShape {
        strand: i,
        name: chain.name.clone(),
        residual,
        unstable_directions: unstable,
        least_stiffening: least,
        stiffening: applied,
    }
}

/// Sets the rest rotations so that the joints hold the present pose; returns the largest torque
/// left over \[N m\].
fn balance(
    model: &mut Model,
    i: usize,
    strand: &mut StrandState,
    properties: &Properties,
    t: f64,
) -> f64 {
    let law = model.law.clone();
    let (gravity, chain) = (model.gravity, &mut model.chains[i]);
    unstretch(chain, strand);
    let mut needed = static_torques(chain, strand, properties, gravity, t);
    if chain.extensible {
        prestretch(chain, strand, properties, gravity, t, &mut needed);
    }
    let mut worst = 0.0f64;
    for (j, torque) in needed.iter().enumerate() {
        let stiffness = &properties.links[j].stiffness;
        let (deviation, left) = hold(&*law, stiffness, *torque);
        chain.rest_rotation[j] = (strand.rotation[j] * deviation.conjugate()).normalize();
        worst = worst.max(left);
    }
    worst
}

/// Torque that each joint must exert so that the strand stays as it is under gravity \[N m\].
fn static_torques(
    chain: &Chain,
    strand: &StrandState,
    properties: &Properties,
    gravity: Vec3,
    t: f64,
) -> Vec<Vec3> {
    let (links, still) = (
        weights(chain, strand, properties, gravity, t),
        vec![Vec3::ZERO; chain.len()],
    );
    let rates = Rates {
        rotation: &strand.rotation,
        rate: &still,
        acceleration: &still,
    };
    inverse_dynamics(chain, properties, rates, Motion::ZERO, Motion::ZERO, &links)
}

/// Weight of each link about its origin, in its frame.
fn weights(
    chain: &Chain,
    strand: &StrandState,
    properties: &Properties,
    gravity: Vec3,
    t: f64,
) -> Vec<Force> {
    let mut links = Vec::new();
    place(
        chain,
        &strand.rotation,
        &[],
        &chain.base.path.pose(t),
        &mut links,
    );
    let pairs = links.iter().zip(&properties.links);
    pairs
        .map(|(link, own)| {
            let force = link.axes.transpose() * gravity * (own.mass * own.gravity);
            let moment = (Vec3::Y * own.half).cross(force);
            Force { moment, force }
        })
        .collect()
}

/// Takes an earlier [`prestretch`] back.
fn unstretch(chain: &mut Chain, strand: &mut StrandState) {
    for (j, e) in strand.stretch.iter_mut().enumerate() {
        chain.joint[j] += strand.rotation[j] * (Vec3::Y * *e);
        *e = 0.0;
    }
}

/// Stretches the joints so that they carry the weight, and shifts them back by as much, so that
/// nothing moves; with the pivots the torques about them change.
fn prestretch(
    chain: &mut Chain,
    strand: &mut StrandState,
    properties: &Properties,
    gravity: Vec3,
    t: f64,
    needed: &mut [Vec3],
) {
    let mut carried = weights(chain, strand, properties, gravity, t);
    for j in (0..chain.len()).rev() {
        if let Some((k, _)) = properties.links[j].stretch {
            strand.stretch[j] = carried[j].force.y / k;
            needed[j] -= (Vec3::Y * strand.stretch[j]).cross(carried[j].force);
        }
        if chain.parent[j] != crate::BASE {
            let back = carried[j].carried_back(chain.joint[j], strand.rotation[j]);
            let parent = &mut carried[chain.parent[j]];
            *parent = parent.plus(&back);
        }
    }
    for j in 0..chain.len() {
        chain.joint[j] -= strand.rotation[j] * (Vec3::Y * strand.stretch[j]);
    }
}

/// Deviation from rest at which the law gives `torque`, and what is left over \[N m\].
fn hold(law: &dyn Law, stiffness: &JointStiffness, torque: Vec3) -> (Quat, f64) {
    // Newton with backtracking on the residual torque
    let newton = |mut deviation: Quat, torque: Vec3| {
        let mut left = (law.torque(stiffness, deviation) - torque).length();
        for _ in 0..50 {
            let (found, jacobian) = law.torque_and_stiffness(stiffness, deviation);
            let step = (jacobian.inverse() * (found - torque)).clamp_length_max(0.5);
            let mut part = 1.0;
            loop {
                let next = drystone_base::rotation::nudge(deviation, step * part);
                let after = (law.torque(stiffness, next) - torque).length();
                if after < left {
                    (deviation, left) = (next, after);
                    break;
                }
                part *= 0.5;
                // no progress at all: as good as it gets, or a bad place
                if part < 1e-4 || !after.is_finite() {
                    return (deviation, left);
                }
            }
        }
        (deviation, left)
    };
    // as if bend and twist were apart: θ = 2 atan(Q / 2K)
    let angle = |q: f64, k: f64| {
        if k > 0.0 {
            -2.0 * atan2(q, 2.0 * k)
        } else {
            0.0
        }
    };
    let bend = Vec3::new(
        angle(torque.x, stiffness.bend_x),
        0.0,
        angle(torque.z, stiffness.bend_z),
    );
    let size = bend.length();
    let swing = if size > 0.0 {
        rotation_about(bend / size, size.min(3.0))
    } else {
        Quat::IDENTITY
    };
    let twist = rotation_about(Vec3::Y, angle(torque.y, stiffness.twist));
    let scale = torque.length();
    let (mut best, mut left) = newton(swing * twist, torque);
    if left > 1e-9 * scale {
        // load it little by little
        let mut deviation = Quat::IDENTITY;
        for k in 1..=32 {
            deviation = newton(deviation, torque * (f64::from(k) / 32.0)).0;
        }
        let again = (law.torque(stiffness, deviation) - torque).length();
        if again < left {
            (best, left) = (deviation, again);
        }
    }
    (best, left)
}

/// Directions in which the equilibrium at the present pose is unstable: pivots of its Hessian that
/// are not positive.
fn unstable_directions(
    model: &Model,
    i: usize,
    strand: &StrandState,
    properties: &Properties,
    t: f64,
) -> usize {
    let chain = &model.chains[i];
    let mut links = Vec::new();
    place(
        chain,
        &strand.rotation,
        &strand.stretch,
        &chain.base.path.pose(t),
        &mut links,
    );
    let mut link_steps = Vec::new();
    for j in 0..chain.len() {
        let own = &properties.links[j];
        let mut step = link_step(chain, strand, properties, Bdf::none(), j);
        step.applied_force = model.gravity * (own.mass * own.gravity);
        link_steps.push(step);
    }
    let problem = Problem {
        chain,
        law: &*model.law,
        bdf: Bdf::none(),
        link_steps: &link_steps,
        penalties: &[],
    };
    let mut factor = Factor::default();
    factor.eliminate(
        &problem,
        &strand.rotation,
        &strand.stretch,
        &links,
        &[],
        &[],
        Kind::Exact,
    );
    factor.non_positive_pivots()
}
