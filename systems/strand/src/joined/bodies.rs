//! Rigid bodies among the members of a group: where they will be, and when they are struck.

use drystone_base::{Mat3, Pose, Vec3};

use super::Group;
use crate::Model;
use crate::base::Frame;
use crate::contact::Swept;
use crate::encounter::{IMPACT, carried_along, speed_before};
use crate::implicit::{Bdf, Body};
use crate::kinematics::Link;
use crate::rotation::nudge;
use crate::state::StrandState;
use crate::step::Scene;

/// Change of a body's velocity that the step before did not foresee and that counts as a blow: this, and
/// this part of its speed [m/s], [1].
const SNAP: f64 = 0.02;

impl Group {
    /// Where the obstacles that are bodies of the group are now, and where they are going.
    pub(super) fn foresee_bodies(&mut self, model: &Model, h: f64) {
        self.moving.clear();
        for (link, &k) in self.bodies.iter().enumerate() {
            let (body, state) = (&model.bodies[k], &self.strands[link]);
            let Some((obstacle, at)) = &body.body.surface else {
                continue;
            };
            let at = body.in_link(at);
            let from = Pose::new(state.base.position, state.rotation[0]);
            let motion = Swept {
                from: from.then(&at),
                to: foreseen(state, h).then(&at),
                body: Some((link, at)),
            };
            self.moving.push((*obstacle, motion));
        }
    }

    /// The frame of member `k` at the end of a step of `h` from `t`; of what a body carries, as foreseen.
    pub(super) fn frame(&self, scene: &Scene<'_>, k: usize, t: f64, h: f64) -> Frame {
        let plain = |pose| Frame {
            pose,
            to_world: Pose::IDENTITY,
            plain: true,
        };
        if k < self.bodies.len() {
            return plain(Pose::at(foreseen(&self.strands[k], h).position));
        }
        match &self.mounts[k] {
            Some((body, at)) => plain(foreseen(&self.strands[*body], h).then(at)),
            None => scene.chain.base.frame(&self.strands[k].base, t, h),
        }
    }

    /// How the velocity of body `link` answers an impulse over the last step: inverse mass and inertia.
    ///
    /// An impulse `p` enters as the force `s p` ([`push_exactly`]), which shifts it by `H⁻¹ s p` and so changes
    /// its velocity by `s² H⁻¹ p`.
    pub(crate) fn response_of(&self, link: usize) -> Option<[Mat3; 2]> {
        let (bdf, free) = (self.last?, self.whole.iterate.factor.free.get(link)?);
        let scale = bdf.s * bdf.s;
        Some([free.inverse.pp * scale, free.inverse.tt * scale])
    }

    /// Whether a body is stopped short in this step, which is not yet accepted (by a rope that snaps taut, by
    /// something else that touches it), or a strand comes upon an obstacle; asked only where bodies take part.
    pub(super) fn is_blow(&self, bdf: Bdf) -> bool {
        !self.bodies.is_empty() && (self.snaps(bdf) || self.strikes(bdf))
    }

    /// Whether the velocity of a body changes otherwise than it did before.
    fn snaps(&self, bdf: Bdf) -> bool {
        (0..self.bodies.len()).any(|k| {
            let (state, work) = (&self.strands[k], &self.works[k]);
            let (past, link) = (&state.history[0], &work.iterate.links[0]);
            let part = if state.depth > 0 {
                bdf.h / state.steps[0]
            } else {
                0.0
            };
            let v = link.centre * bdf.s - work.bodies[0].velocity_history;
            let [v0, v1] = past.velocity;
            let jump = (v - v0 - (v0 - v1) * part).length();
            // of spin, at the radius of gyration
            let own = &self.properties[k].links[0];
            let rate = link.axes * bdf.s - (past.axes[0] * bdf.a - past.axes[1] * bdf.b);
            let [r0, r1] = past.axes_rate;
            let turn = rate - r0 - (r0 - r1) * part;
            let spin = Vec3::new(
                turn.x_axis.length_squared(),
                turn.y_axis.length_squared(),
                turn.z_axis.length_squared(),
            );
            let spun = (own.second_moments.dot(spin) / own.mass).sqrt();
            jump + spun > SNAP * (1.0 + v0.length())
        })
    }

    /// Whether a strand comes upon an obstacle in this step, which is not yet accepted.
    fn strikes(&self, bdf: Bdf) -> bool {
        let count = self.bodies.len();
        (count..self.strands.len()).any(|k| {
            let (work, strand) = (&self.works[k], &self.strands[k]);
            let frame = &self.frames[k];
            work.contacts.touching().any(|touch| {
                let place = touch.spot.place(&work.iterate.links);
                let v = speed_before(strand, &self.properties[k], touch.spot, 0);
                let swept = &work.swept[touch.obstacle];
                let carried = match swept.body {
                    Some((link, _)) => {
                        let at = &self.whole.iterate.links[link];
                        let v = velocity_before(&self.strands[link], at, frame.world(place));
                        frame.felt(v)
                    }
                    None => carried_along(swept, frame, place, bdf.h),
                };
                touch.axes[0].dot(v - carried) < -IMPACT
            })
        })
    }
}

/// Makes what pushes a body from outside change its momentum by exactly its impulse `p` in this step:
/// `s p − b p₋` in place of `p / h`, where `p₋` is that of the step before. Backward differences over two
/// steps would spread what changes from step to step over those that follow.
pub(super) fn push_exactly(body: &mut Body, state: &StrandState, bdf: Bdf) {
    let [push, turn] = state.base_impulse;
    let (force, torque) = (state.force[0], state.torque[0]);
    body.push += force * (bdf.s * bdf.h - 1.0) - push * bdf.b;
    body.torque += torque * (bdf.s * bdf.h - 1.0) - turn * bdf.b;
}

/// Pose of a body's link after `h` seconds, had nothing stopped it.
fn foreseen(state: &StrandState, h: f64) -> Pose {
    let turn = (state.rate[0] * h).clamp_length_max(1.0);
    Pose::new(
        state.base.position + state.centre_velocity(0) * h,
        nudge(state.rotation[0], turn),
    )
}

/// Velocity at the start of the step of the point of a body that is at `place` at its end.
fn velocity_before(state: &StrandState, link: &Link, place: Vec3) -> Vec3 {
    let past = &state.history[0];
    past.velocity[0] + past.axes_rate[0] * (link.axes.transpose() * (place - link.origin))
}
