//! Bodies and strands in one implicit step.
//!
//! A body that carries strands, holds them or may be touched by them is a link of their tree while they
//! step (`drystone_strand::RigidBody`): its motion comes from there, with momentum exact between all of
//! them. Contacts with other bodies stay with the rigid solver, which sees such a body with an apparent
//! mass and inertia (its own and, in part, that of what hangs from it) and under the force that takes it
//! where the tree had it; what its contacts give the body goes back into the tree as a constant force:
//!
//! 1. trees under the contact impulses of the last step,
//! 2. rigid step of all bodies, which gives the contact impulses of this one,
//! 3. trees again from the start under exactly these; back to 2 where both disagree on the velocities.
//!
//! Every impulse acts with its opposite, whatever the contact solver leaves unsolved. The apparent inertia
//! is never more than what the tree really answers with, so that contacts rather take too little than too
//! much in a pass: they may lag, and do not add energy.

use drystone_base::{Pose, Quat, Stopwatch, Symmetric3, Vec3};
use drystone_rigid as rigid;
use drystone_strand::{BodyMotion, Report};
use serde::{Deserialize, Serialize};

use crate::strands::{Strands, poses};

/// Impulse and moment that a body received from contacts with other bodies over a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactImpulse {
    /// \[N s\]
    pub linear: Vec3,
    /// About its centre of mass, world axes \[N m s\].
    pub angular: Vec3,
    /// Length of the step \[s\].
    pub dt: f64,
    /// Whether it was a blow, which does not predict the next step.
    pub blow: bool,
}

/// A body that takes part in a step of strands.
#[derive(Clone, Copy)]
struct CoupledBody {
    /// Index in the rigid model, and among the bodies of the strand system.
    body: usize,
    link: usize,
    /// External force and torque over the step, gravity apart \[N\], \[N m\].
    wrench: [Vec3; 2],
    /// Contact impulses that the trees were last solved with.
    used: [Vec3; 2],
}

/// What the rigid solver is told about a coupled body.
struct Apparent {
    mass: f64,
    inertia: Symmetric3,
    force: Vec3,
    torque: Vec3,
}

/// Most times that trees are solved in a step.
const PASSES: u32 = 6;
/// Difference of velocities on which contacts and trees agree \[m/s\].
const AGREED: f64 = 1e-4;
/// Change of velocity by contacts from one step to the next that is a blow \[m/s\].
const BLOW: f64 = 0.1;

impl Strands {
    /// Advances the bodies by `dt`, and the strands with them where some take part; see [`Self::catch_up`].
    pub(crate) fn advance(&mut self, rigid: &mut rigid::System, dt: f64) -> rigid::Report {
        let coupled_bodies = self.coupled_bodies(rigid, dt);
        let first = !self.ties.is_empty() || !self.touchable.is_empty();
        self.behind = coupled_bodies.is_empty() && !first;
        if self.behind {
            return rigid.advance(dt);
        }
        rigid.apply_fields(dt);
        self.begin_step();
        self.begin_touching();
        self.open_near();
        self.advance_together(rigid, coupled_bodies, dt)
    }

    /// Wall time of the strands' part of [`Self::advance`] \[s\].
    pub(crate) fn tree_seconds(&self) -> f64 {
        if self.behind { 0.0 } else { self.last.seconds }
    }

    /// Ends the step once everything else has moved the bodies: strands follow them where none took part.
    pub(crate) fn catch_up(&mut self, rigid: &rigid::System) {
        if std::mem::take(&mut self.behind) {
            self.follow(rigid);
        } else {
            self.settle_in(rigid);
        }
    }

    /// Bodies that take part in the next step: what strands are tied to, and what they might touch.
    fn coupled_bodies(&mut self, rigid: &rigid::System, dt: f64) -> Vec<CoupledBody> {
        let system = &self.system;
        let mut tied = vec![false; system.model.bodies.len()];
        for (body, _) in system.model.chains.iter().filter_map(|c| c.base.body) {
            tied[body] = true;
        }
        for constraint in &system.model.constraints {
            if let Some(body) = constraint.body() {
                tied[body] = true;
            }
        }
        let reach = system.bounds(dt);
        let mut coupled_bodies = Vec::new();
        for (body, link) in self.links.iter().enumerate() {
            let Some(link) = *link else {
                continue;
            };
            let (state, model) = (&rigid.state, &rigid.model);
            let mut near = tied[link];
            if state.present[body] && !near && !self.passable[body] {
                let solid = model.shape[body].aabb(&state.shape_pose(model, body));
                let size = (solid.high - solid.low).length();
                let moving = state.linear_velocity[body].length() * dt;
                near = solid.grown(size + moving).overlaps(&reach);
            }
            near &= state.present[body];
            if near {
                // what has moved otherwise since, or takes part for the first time, starts anew
                let now = motion(state, body);
                if self.system.body(link) != now {
                    self.system.set_body(link, &now);
                }
                near = tied[link] || self.system.strands_near(link, dt).next().is_some();
            }
            self.system.push_body(link, near, Vec3::ZERO, Vec3::ZERO);
            if near {
                coupled_bodies.push(CoupledBody {
                    body,
                    link,
                    wrench: [Vec3::ZERO; 2],
                    used: [Vec3::ZERO; 2],
                });
            } else {
                self.impulses[link] = ContactImpulse::default();
            }
        }
        coupled_bodies
    }

    fn advance_together(
        &mut self,
        rigid: &mut rigid::System,
        mut coupled_bodies: Vec<CoupledBody>,
        dt: f64,
    ) -> rigid::Report {
        // begin from the contact impulses of the last step
        for coupled in &mut coupled_bodies {
            rigid.state.wake(coupled.body);
            coupled.wrench = external(rigid, coupled.body, dt);
            let last = &self.impulses[coupled.link];
            if !last.blow && last.dt > 0.0 {
                let scale = dt / last.dt;
                coupled.used = [last.linear * scale, last.angular * scale];
            }
        }
        // trees and contacts in turn, until both agree on the bodies' velocities
        let (before, start) = (self.snapshot(), rigid.state.clone());
        let mut report = rigid::Report::default();
        let mut seconds = 0.0;
        for pass in 1..=PASSES {
            if pass > 1 {
                // the state comes from this very system
                if self.restore(&before).is_err() {
                    break;
                }
                for coupled in &coupled_bodies {
                    self.system
                        .push_body(coupled.link, true, Vec3::ZERO, Vec3::ZERO);
                    if self.is_blow(rigid, coupled, dt) {
                        self.system.strike_body(coupled.link);
                    }
                }
            }
            self.solve_trees(rigid, &start, &coupled_bodies, dt);
            seconds += self.last.seconds;
            let agreed = coupled_bodies.iter().all(|coupled| {
                let (tree, i) = (self.system.body(coupled.link), coupled.body);
                let shift = tree.linear_velocity - rigid.state.linear_velocity[i];
                let spin = tree.angular_velocity - rigid.state.angular_velocity[i];
                shift.length() + spin.length() * rigid.model.length[i] <= AGREED
            });
            if pass == PASSES || (pass > 1 && agreed) {
                break;
            }
            if pass > 1 {
                rigid.state.clone_from(&start);
            }
            let (step, found) = self.contact_step(rigid, &start, &coupled_bodies, dt);
            let searched = report.collision_seconds;
            report = step;
            report.collision_seconds += searched;
            let mut same = true;
            for (coupled, found) in coupled_bodies.iter_mut().zip(found) {
                same &= coupled.used == found;
                coupled.used = found;
            }
            if same {
                break;
            }
        }
        // bodies go where their trees went
        self.take_home(rigid, &coupled_bodies, dt);
        self.last.seconds = seconds;
        self.total.add(&self.last);
        report
    }

    /// Whether contacts push a coupled body so differently from the last step that it is a blow.
    fn is_blow(&self, rigid: &rigid::System, coupled: &CoupledBody, dt: f64) -> bool {
        let (last, i) = (&self.impulses[coupled.link], coupled.body);
        let scale = if last.dt > 0.0 { dt / last.dt } else { 0.0 };
        let (push, turn) = (
            coupled.used[0] - last.linear * scale,
            coupled.used[1] - last.angular * scale,
        );
        let [shift, spin] = match self.system.body_response(coupled.link) {
            Some([light, loose]) => [light * push, loose * turn],
            None => {
                let inverse = rigid.state.inverse_inertia(&rigid.model, i);
                [push * rigid.model.inverse_mass[i], inverse.times(turn)]
            }
        };
        shift.length() + spin.length() * rigid.model.length[i] > BLOW
    }

    /// Steps all strands, and the coupled bodies with them, by `dt` under given contact impulses.
    fn solve_trees(
        &mut self,
        rigid: &rigid::System,
        start: &rigid::State,
        coupled_bodies: &[CoupledBody],
        dt: f64,
    ) {
        let (begin, end) = (start.time, start.time + dt);
        let ahead = ahead(rigid, start, dt);
        let now = std::mem::replace(&mut self.poses, ahead);
        let (watch, mut report) = (Stopwatch::start(), Report::default());
        for k in 1..=self.substeps {
            let u = f64::from(k) / f64::from(self.substeps);
            let time = if k == self.substeps {
                end
            } else {
                begin + dt * u
            };
            self.drive(start, &now, u, time);
            for coupled in coupled_bodies {
                let [force, torque] = [0, 1].map(|p| coupled.wrench[p] + coupled.used[p] / dt);
                self.system.push_body(coupled.link, true, force, torque);
            }
            for (tie, load) in self.ties.iter().zip(&self.tie_loads) {
                let [force, torque] = load.map(|impulse| impulse / dt);
                self.system.push_body(tie.link, true, force, torque);
            }
            self.push_near(dt);
            report.add(&self.system.advance(time - self.system.state.time));
            self.system.state.time = time;
        }
        report.seconds = watch.seconds();
        self.last = report;
        self.poses = now;
    }

    /// A rigid step from `start` in which coupled bodies move as their trees have them but for contacts; what
    /// contacts gave each of them.
    fn contact_step(
        &self,
        rigid: &mut rigid::System,
        start: &rigid::State,
        coupled_bodies: &[CoupledBody],
        dt: f64,
    ) -> (rigid::Report, Vec<[Vec3; 2]>) {
        let seen: Vec<Apparent> = coupled_bodies
            .iter()
            .map(|coupled| self.apparent(rigid, start, coupled, dt))
            .collect();
        let mut kept = Vec::with_capacity(coupled_bodies.len());
        for (coupled, seen) in coupled_bodies.iter().zip(&seen) {
            let i = coupled.body;
            let (model, state) = (&mut rigid.model, &mut rigid.state);
            kept.push((
                (model.mass[i], model.inverse_mass[i]),
                (model.inertia_local[i], model.inverse_inertia_local[i]),
                (model.linear_damping[i], model.angular_damping[i]),
            ));
            model.mass[i] = seen.mass;
            model.inverse_mass[i] = 1.0 / seen.mass;
            model.inertia_local[i] = seen.inertia;
            model.inverse_inertia_local[i] = seen.inertia.inverse();
            (model.linear_damping[i], model.angular_damping[i]) = (0.0, 0.0);
            (state.force[i], state.torque[i]) = (seen.force, seen.torque);
        }
        let report = rigid.step(dt);
        let found = coupled_bodies.iter().zip(&seen);
        let found = found
            .map(|(coupled, seen)| given(rigid, start, coupled.body, seen, dt))
            .collect();
        for (coupled, (mass, inertia, damping)) in coupled_bodies.iter().zip(kept) {
            let (i, model) = (coupled.body, &mut rigid.model);
            (model.mass[i], model.inverse_mass[i]) = mass;
            (model.inertia_local[i], model.inverse_inertia_local[i]) = inertia;
            (model.linear_damping[i], model.angular_damping[i]) = damping;
        }
        (report, found)
    }

    /// Mass and inertia with which contacts see a coupled body, and what takes it from `start` to where its tree
    /// has it under the impulses that the tree was solved with.
    fn apparent(
        &self,
        rigid: &rigid::System,
        start: &rigid::State,
        coupled: &CoupledBody,
        dt: f64,
    ) -> Apparent {
        let (i, model) = (coupled.body, &rigid.model);
        let (mut mass, mut inertia) = (model.mass[i], model.inertia_local[i]);
        if let Some([shift, turn]) = self.system.body_response(coupled.link) {
            // twice the blocks on the diagonal are more than the whole; no more than the body alone
            let norm = |m: drystone_base::Mat3| {
                let m = m.transpose();
                let row = |k: usize| m.col(k).abs().element_sum();
                row(0).max(row(1)).max(row(2))
            };
            let light = |share: f64| {
                if share > 0.0 {
                    share.clamp(1e-9, 1.0)
                } else {
                    1.0
                }
            };
            let world = inertia.rotated(start.rotation[i]).matrix();
            let (lighter, slower) = (
                light(2.0 * norm(shift * mass)),
                light(2.0 * norm(world * turn)),
            );
            mass /= lighter;
            inertia = scaled(&inertia, 1.0 / slower);
        }
        let tree = self.system.body(coupled.link);
        let gravity = model.gravity * model.gravity_scale[i];
        let change = (tree.linear_velocity - start.linear_velocity[i]) * mass - coupled.used[0];
        let [then, now] = [
            (tree.pose.rotation, tree.angular_velocity),
            (start.rotation[i], start.angular_velocity[i]),
        ]
        .map(|(rotation, spin)| inertia.rotated(rotation).times(spin));
        Apparent {
            mass,
            inertia,
            force: change / dt - gravity * mass,
            torque: (then - now - coupled.used[1]) / dt,
        }
    }

    /// Coupled bodies go where their trees have them.
    fn take_home(&mut self, rigid: &mut rigid::System, coupled_bodies: &[CoupledBody], dt: f64) {
        for coupled in coupled_bodies {
            let (i, k) = (coupled.body, coupled.link);
            let blow = self.is_blow(rigid, coupled, dt);
            if blow {
                self.system.strike_body(k);
            }
            self.impulses[k] = ContactImpulse {
                linear: coupled.used[0],
                angular: coupled.used[1],
                dt,
                blow,
            };
            let shift = rigid.correction(i);
            if shift != Vec3::ZERO {
                self.system.shift_body(k, shift);
            }
            let tree = self.system.body(k);
            let state = &mut rigid.state;
            state.position[i] = tree.pose.position;
            state.rotation[i] = tree.pose.rotation;
            state.linear_velocity[i] = tree.linear_velocity;
            state.angular_velocity[i] = tree.angular_velocity;
        }
        self.poses = poses(rigid);
        for coupled in coupled_bodies {
            let seen = &mut self.system.state.obstacle_pose[coupled.body];
            if !self.passable[coupled.body] {
                *seen = self.poses[coupled.body];
            }
        }
    }
}

/// Pose and velocity of body `i`.
pub(crate) fn motion(state: &rigid::State, i: usize) -> BodyMotion {
    BodyMotion {
        pose: state.pose(i),
        linear_velocity: state.linear_velocity[i],
        angular_velocity: state.angular_velocity[i],
    }
}

/// External force and torque on body `i` over the next step, and what damps it; gravity apart.
fn external(rigid: &rigid::System, i: usize, dt: f64) -> [Vec3; 2] {
    let (state, model) = (&rigid.state, &rigid.model);
    // what an implicit step of damping alone would take
    let lost = |damping: f64| (1.0 / (1.0 + dt * damping) - 1.0) / dt;
    let push = state.linear_velocity[i] * model.mass[i];
    let turn = state.inertia(model, i).times(state.angular_velocity[i]);
    [
        state.force[i] + push * lost(model.linear_damping[i]),
        state.torque[i] + turn * lost(model.angular_damping[i]),
    ]
}

/// What contacts gave body `i` in the rigid step from `start`, in which it was seen so: the change of its
/// momentum beyond that by its force.
fn given(
    rigid: &rigid::System,
    start: &rigid::State,
    i: usize,
    seen: &Apparent,
    dt: f64,
) -> [Vec3; 2] {
    let (state, model) = (&rigid.state, &rigid.model);
    let touches = |patch: &rigid::Patch| patch.a as usize == i || patch.b as usize == i;
    if !state.contacts.patches.iter().any(touches) {
        return [Vec3::ZERO; 2];
    }
    let gravity = model.gravity * model.gravity_scale[i] * seen.mass;
    let change = (state.linear_velocity[i] - start.linear_velocity[i]) * seen.mass;
    let linear = change - (gravity + seen.force) * dt;
    let momentum = |state: &rigid::State| {
        let inertia = seen.inertia.rotated(state.rotation[i]);
        inertia.times(state.angular_velocity[i])
    };
    let angular = momentum(state) - momentum(start) - seen.torque * dt;
    // rounding is no impulse
    let speed = state.linear_velocity[i].length() + start.linear_velocity[i].length();
    let spin = momentum(state).length() + momentum(start).length();
    let least = 1e-13 * (seen.mass * speed + (gravity + seen.force).length() * dt);
    let turned = 1e-13 * (spin + seen.torque.length() * dt);
    if linear.length() <= least && angular.length() <= turned {
        return [Vec3::ZERO; 2];
    }
    [linear, angular]
}

/// Where the shape of every body is after `dt` from `start`, as far as that is known: along its script, or
/// going on as it goes.
fn ahead(rigid: &rigid::System, start: &rigid::State, dt: f64) -> Vec<Pose> {
    let model = &rigid.model;
    let pose = |i: usize| {
        if let rigid::Motion::Scripted(path) = &model.motion[i] {
            return path.pose(start.time + dt);
        }
        let turn = drystone_base::functions::rotation_vector(start.angular_velocity[i] * dt);
        let centre = start.position[i] + start.linear_velocity[i] * dt;
        let rotation: Quat = (turn * start.rotation[i]).normalize();
        Pose::new(centre + rotation * model.shape_offset[i], rotation)
    };
    (0..model.len()).map(pose).collect()
}

fn scaled(inertia: &Symmetric3, by: f64) -> Symmetric3 {
    Symmetric3 {
        xx: inertia.xx * by,
        yy: inertia.yy * by,
        zz: inertia.zz * by,
        xy: inertia.xy * by,
        xz: inertia.xz * by,
        yz: inertia.yz * by,
    }
}
