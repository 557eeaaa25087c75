//! Energy watchdog: finds strands that gain energy which nothing gave them.
//!
//! In every implicit step the change of kinetic and elastic energy of a group is set against the work of gravity, fields,
//! loads, pose springs, moving bases and anchors, and of obstacles that move. Dampers, drag, friction and impacts only
//! take. What is left over is summed over steps with a slow decay and without credit for losses before it (a one-sided
//! CUSUM), so that a steady drift is found as well as a jump.
//!
//! The power of a force is that of the step's own formula, `f·V` with `V` the backward difference: of that, first
//! order keeps account exactly, and second order up to a swing that does not add up. Work may so be booked some steps
//! before the energy that it becomes; what was put in lately may therefore come back as energy later.
//!
//! The watchdog writes nothing but the account, on which no result depends.

use drystone_base::rotation::log;
use drystone_base::{Mat3, Pose, Vec3};
use drystone_complementarity::solvers::Bound;
use serde::{Deserialize, Serialize};

use crate::constraint::StepConstraint;
use crate::contact::Swept;
use crate::reaction::{Reaction, Source};
use crate::step::Step;

/// Surplus that passes for discretisation error, as a share of the energy at stake \[1\].
pub const GAIN_SHARE: f64 = 0.05;
/// Implicit steps after which a surplus, and the memory of a former energy, has fallen to 1/e.
pub const GAIN_MEMORY: f64 = 400.0;
/// Always at stake: the weight of the group over this part of its reach \[1\].
const FALL: f64 = 0.1;
/// And joints that are bent by so much \[rad\].
const BEND: f64 = 0.01;

/// What the watchdog knows of a strand: its part of the account of the group in which it is solved \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Account {
    /// Energy from nowhere over the last few hundred steps; below zero where more was put in than has come of it yet.
    pub surplus: f64,
    /// Work put in over the same time.
    pub put_in: f64,
    /// Most kinetic energy of the same time.
    pub at_stake: f64,
}

/// A group that gained energy which nothing gave it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnergyGain {
    /// The first strand of the group.
    pub strand: usize,
    /// Number of strands that are solved with it, itself included.
    pub strands: usize,
    /// Surplus over the last few hundred steps \[J\].
    pub gained: f64,
    /// Surplus that would have passed for discretisation error \[J\].
    pub allowed: f64,
}

/// Energies and impulses before a step is accepted, and the work done in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Opening {
    kinetic: f64,
    elastic: f64,
    /// Work of all forces but those of bases and obstacles; of that, what no constraint does \[J\].
    work: f64,
    given: f64,
    /// Pose of the base by member.
    base: Vec<Pose>,
    base_impulse: Vec<[Vec3; 2]>,
    reactions: Vec<Vec<Reaction>>,
}

impl Step<'_> {
    /// Takes down energies before the step is accepted, and the work of all forces that are known by now.
    pub(crate) fn open_account(&mut self) {
        self.find_step_velocities();
        let (kinetic, elastic) = self.energies();
        let given = self.work_of_forces();
        let work = given + self.work_of_constraints();
        let opening = &mut self.work.opening;
        (opening.kinetic, opening.elastic) = (kinetic, elastic);
        (opening.work, opening.given) = (work, given);
        opening.base.clear();
        opening.base_impulse.clear();
        opening
            .reactions
            .resize_with(self.strands.len(), Default::default);
        for (strand, kept) in self.strands.iter().zip(&mut opening.reactions) {
            opening.base.push(strand.base);
            opening.base_impulse.push(strand.base_impulse);
            kept.clone_from(&strand.reactions);
        }
    }

    /// After a step that was not solved: its velocities, differences of a pose that is off by anything, are reduced until
    /// there is no more energy than before and than gravity, fields and loads have given. The next step is of first order.
    pub(crate) fn take_energy_from_nowhere(&mut self) {
        let (kinetic, elastic) = self.energies();
        let opening = &self.work.opening;
        let allowed = (opening.kinetic + opening.elastic + opening.given - elastic).max(0.0);
        if kinetic <= allowed || !kinetic.is_finite() {
            return;
        }
        let part = (allowed / kinetic).sqrt();
        for strand in self.strands.iter_mut() {
            for past in &mut strand.history {
                past.velocity[0] *= part;
                past.axes_rate[0] *= part;
            }
            for rate in &mut strand.rate {
                *rate *= part;
            }
            for rate in &mut strand.stretch_rate {
                *rate *= part;
            }
            strand.depth = 0;
        }
    }

    /// Closes the account of the step that was accepted.
    pub(crate) fn close_account(&mut self) {
        let (kinetic, elastic) = self.energies();
        let mut work = self.work.opening.work;
        for k in self.input.bodies..self.input.members.len() {
            work += self.work_of_base(k) + self.work_of_obstacles(k);
        }
        let Opening {
            kinetic: kinetic_t0,
            elastic: elastic_t0,
            ..
        } = self.work.opening;

        // the account of the group, shared by its strands
        let strands = &mut self.strands[self.input.bodies..];
        let (fade, share) = (1.0 - 1.0 / GAIN_MEMORY, 1.0 / strands.len().max(1) as f64);
        let mut sum = Account::default();
        for strand in strands.iter() {
            sum.surplus += strand.account.surplus * fade;
            sum.put_in += strand.account.put_in * fade;
            sum.at_stake += strand.account.at_stake * fade;
        }
        sum.put_in += work.abs();
        sum.surplus += kinetic + elastic - kinetic_t0 - elastic_t0 - work;
        sum.surplus = sum.surplus.max(-sum.put_in);
        sum.at_stake = sum.at_stake.max(kinetic).max(kinetic_t0);
        for strand in strands {
            strand.account = Account {
                surplus: sum.surplus * share,
                put_in: sum.put_in * share,
                at_stake: sum.at_stake * share,
            };
        }
    }

    /// Whether the step just solved, not yet accepted, of strands alone ends with more energy than there was, by more than
    /// half of what is at stake. Never where bases or obstacles move, whose work is not known before a step is accepted.
    pub(crate) fn gains_much(&mut self) -> bool {
        let mut frames = self.work.frames.iter().zip(&*self.strands);
        let driven = frames.any(|(frame, strand)| !(frame.plain && frame.pose == strand.base));
        let moves = |motion: &Swept| motion.from != motion.to;
        if driven || self.work.swept.iter().any(moves) {
            return false;
        }
        self.find_step_velocities();
        let (mut gain, law) = (0.0, &*self.input.model.law);
        let links = &self.work.iterate;
        for (k, member) in self.input.members.iter().enumerate() {
            for (j, own) in member.range().enumerate() {
                let (body, link) = (&self.work.link_steps[own], &links.links[own]);
                let (v, m) = (
                    link.centre * self.bdf.s - body.velocity_history,
                    body.second_moments,
                );
                let rate = self.axes_rate(k, j, &link.axes);
                let turning = m.x * rate.x_axis.length_squared()
                    + m.y * rate.y_axis.length_squared()
                    + m.z * rate.z_axis.length_squared();
                gain += 0.5 * (body.mass * v.length_squared() + turning);
                let deviation = body.rest_inverse * links.rotation[own];
                gain += law.energy(&body.stiffness, deviation);
                if let (Some((stiffness, _)), Some(e)) = (body.stretch, links.stretch.get(own)) {
                    gain += 0.5 * stiffness * e * e;
                }
            }
        }
        let (kinetic, elastic) = self.energies();
        gain -= kinetic + elastic + self.work_of_forces() + self.work_of_constraints();
        gain > 0.5 * (kinetic + self.footing())
    }

    /// The gain of the group, if it is more than passes for discretisation error; and its surplus as a part of that \[1\].
    pub(crate) fn gain(&self) -> (f64, Option<EnergyGain>) {
        let own = self.strands.iter().skip(self.input.bodies);
        let gained: f64 = own.clone().map(|strand| strand.account.surplus).sum();
        let at_stake: f64 = own.map(|strand| strand.account.at_stake).sum();
        let allowed = GAIN_SHARE * (at_stake + self.footing());
        let strands = &self.input.members[self.input.bodies..];
        let found = strands.first().filter(|_| gained > allowed);
        let gain = found.map(|first| EnergyGain {
            strand: first.index,
            strands: strands.len(),
            gained,
            allowed,
        });
        (gained / allowed.max(f64::MIN_POSITIVE), gain)
    }

    /// Energy that is at stake before anything moves \[J\].
    fn footing(&self) -> f64 {
        let (g, reach) = (
            self.input.model.gravity.length(),
            self.input.chain.reach * FALL,
        );
        let links = self.properties.iter().flat_map(|own| &own.links);
        let of = links.map(|link| {
            let k = link.stiffness;
            let stiffest = k.bend_x.max(k.bend_z).max(k.twist);
            let fall = link.mass * g * link.gravity.abs() * reach;
            fall + 0.5 * stiffest * BEND * BEND
        });
        of.sum()
    }

    /// Kinetic and elastic energy of all members \[J\].
    fn energies(&self) -> (f64, f64) {
        let (mut kinetic, mut elastic, law) = (0.0, 0.0, &*self.input.model.law);
        let members = self.input.members.iter().zip(&*self.strands);
        for (k, ((member, strand), own)) in members.zip(&*self.properties).enumerate() {
            for (j, link) in own.links.iter().enumerate() {
                let past = &strand.history[j];
                let (r, m) = (&past.axes_rate[0], link.second_moments);
                let turning = m.x * r.x_axis.length_squared()
                    + m.y * r.y_axis.length_squared()
                    + m.z * r.z_axis.length_squared();
                kinetic += 0.5 * (link.mass * past.velocity[0].length_squared() + turning);
                if k < self.input.bodies {
                    continue;
                }
                let deviation = member.chain.rest_rotation[j].conjugate() * strand.rotation[j];
                elastic += law.energy(&link.stiffness, deviation);
                if let (Some((k, _)), Some(e)) = (link.stretch, strand.stretch.get(j)) {
                    elastic += 0.5 * k * e * e;
                }
            }
        }
        (kinetic, elastic)
    }

    /// Writes `moving`, by the differences of the step that was solved.
    fn find_step_velocities(&mut self) {
        self.work.moving.clear();
        for (k, member) in self.input.members.iter().enumerate() {
            for (j, own) in member.range().enumerate() {
                let (link, body) = (&self.work.iterate.links[own], &self.work.link_steps[own]);
                let v = link.centre * self.bdf.s - body.velocity_history;
                let rate = self.axes_rate(k, j, &link.axes);
                let spin = spin_of(&link.axes, &rate);
                self.work
                    .moving
                    .push((spin, v - spin.cross(link.centre - link.origin)));
            }
        }
    }

    /// Rate of the axes of link `j` of member `k` in the step that was solved.
    fn axes_rate(&self, k: usize, j: usize, axes: &Mat3) -> Mat3 {
        let [before, earlier] = &self.strands[k].history[j].axes;
        *axes * self.bdf.s - (*before * self.bdf.a - *earlier * self.bdf.b)
    }

    /// Work of gravity, fields, loads, other strands and pose springs \[J\]. Gravity's is that of the height.
    fn work_of_forces(&self) -> f64 {
        let (work, h) = (&*self.work, self.bdf.h);
        let mut sum = 0.0;
        for (k, member) in self.input.members.iter().enumerate() {
            let gravity = work.frames[k].scaled(self.input.model.gravity);
            for (j, own) in member.range().enumerate() {
                let (link, body) = (&work.iterate.links[own], &work.link_steps[own]);
                let (spin, v) = work.moving[own];
                let at = |place: Vec3| v + spin.cross(place - link.origin);
                let weight = gravity * (body.mass * self.properties[k].links[j].gravity);
                let sampled = work.iterate.sampled.get(own);
                let other = body.applied_force - weight + sampled.map_or(Vec3::ZERO, |f| f.force);
                let before = self.strands[k].history[j].centre[0];
                sum += weight.dot(link.centre - before);
                sum += h * (other.dot(at(link.centre)) + body.torque.dot(spin));
                if body.tip_stiffness > 0.0 {
                    let pull = body.tip_pull - link.tip * body.tip_stiffness;
                    sum += h * pull.dot(at(link.tip));
                }
            }
        }
        sum
    }

    /// Work of what holds links to places, poses and each other: of anchors that move, and of errors that are taken
    /// back \[J\].
    fn work_of_constraints(&self) -> f64 {
        let (work, h) = (&*self.work, self.bdf.h);
        let (links, rotation) = (&work.iterate.links, &work.iterate.rotation);
        let mut sum = 0.0;
        for penalty in &work.penalties {
            let j = penalty.link();
            let given = -penalty.required(&links[j], rotation[j]);
            let (spin, v) = work.moving[j];
            sum += h * match penalty.equation {
                StepConstraint::Place { a, .. } => given.dot(v + spin.cross(a.lever(links))),
                StepConstraint::Turn { .. } => given.dot(spin),
                StepConstraint::Joint { .. } => {
                    given.dot(work.link_steps[j].turn_and_rate(self.bdf.s, rotation[j]).1)
                }
            };
        }
        let rows = work.response.rows.iter();
        for row in rows.filter(|row| row.bound == Bound::Bilateral) {
            sum += h * row.force * row.speed(&work.moving, links);
        }
        sum
    }

    /// Work of the base of member `k`, unless a body of the group carries it \[J\].
    fn work_of_base(&self, k: usize) -> f64 {
        let (member, frame) = (&self.input.members[k], &self.work.frames[k]);
        let base = &member.chain.base;
        if base.body.is_some() {
            return 0.0;
        }
        let (v, _) = base.scaled_motion(self.end);
        let [push, turn] = self.strands[k].base_impulse;
        let [push_t0, turn_t0] = self.work.opening.base_impulse[k];
        let (v, w) = (
            frame.pose.direction(v.linear),
            frame.pose.direction(v.angular),
        );
        frame.scaled(push - push_t0).dot(v) + frame.scaled(turn - turn_t0).dot(w)
    }

    /// Work of obstacles that move, as member `k` sees them \[J\].
    fn work_of_obstacles(&self, k: usize) -> f64 {
        let (member, frame, h) = (&self.input.members[k], &self.work.frames[k], self.bdf.h);
        let before = &self.work.opening.reactions[k];
        let mut sum = 0.0;
        for reaction in &self.strands[k].reactions {
            let Source::Obstacle(obstacle) = reaction.source else {
                continue;
            };
            let Some(motion) = self.work.swept.get(obstacle).filter(|m| m.body.is_none()) else {
                continue;
            };
            let known = before.iter().find(|known| known.source == reaction.source);
            let (push_t0, turn_t0) = known.map_or((Vec3::ZERO, Vec3::ZERO), |known| {
                (known.impulse, known.angular_impulse)
            });
            let (push, turn) = (
                reaction.impulse - push_t0,
                reaction.angular_impulse - turn_t0,
            );
            // in the scaled world also that moves which stands in the true one
            let mut motion = *motion;
            let mut origin = Vec3::ZERO;
            if !frame.plain {
                let to_world_t0 = member.chain.base.path.pose(self.t);
                let to_world_t0 = to_world_t0.then(&self.work.opening.base[k].inverse());
                motion.from = to_world_t0.inverse().then(&motion.from);
                motion.to = frame.to_world.inverse().then(&motion.to);
                origin = frame.to_world.position;
            }
            let (v, w) = velocity_at_origin(&motion, h);
            sum += frame.scaled(push).dot(v) + frame.scaled(turn - origin.cross(push)).dot(w);
        }
        sum
    }
}

/// Angular velocity of axes that change at `rate`: `½ Σ u × u̇`.
fn spin_of(axes: &Mat3, rate: &Mat3) -> Vec3 {
    let sum = axes.x_axis.cross(rate.x_axis)
        + axes.y_axis.cross(rate.y_axis)
        + axes.z_axis.cross(rate.z_axis);
    sum * 0.5
}

/// Velocity of the point of an obstacle that is in the origin at the end of `h` seconds, and its angular velocity.
fn velocity_at_origin(motion: &Swept, h: f64) -> (Vec3, Vec3) {
    if motion.from == motion.to {
        return (Vec3::ZERO, Vec3::ZERO);
    }
    let Swept { from, to, .. } = motion;
    let at = to.local_point(Vec3::ZERO);
    let turn = log(to.rotation * from.rotation.conjugate());
    (-from.point(at) / h, turn / h)
}
