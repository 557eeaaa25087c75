//! Rigid bodies among the members of a group: their predicted motion, and impacts on them.

use drystone_base::{Pose, Vec3};

use crate::base::BaseFrame;
use crate::contact::Swept;
use crate::implicit::{Bdf, LinkStep};
use crate::kinematics::Link;
use crate::state::{Push, StrandState};
use crate::step::{Step, Workspace};
use drystone_base::rotation::nudge;

/// Unpredicted change of a body's velocity that counts as an impact: this \[m/s\], plus this part of its speed \[1\].
pub(crate) const SNAP: f64 = 0.02;

impl Step<'_> {
    /// Predicted motion over the step of obstacles that are bodies of the group.
    pub(crate) fn foresee_bodies(&mut self) {
        self.work.moving_obstacles.clear();
        for (link, member) in self.input.members[..self.input.bodies].iter().enumerate() {
            let body = &self.input.model.bodies[member.index];
            let Some((obstacle, at)) = &body.body.surface else {
                continue;
            };
            let (at, state) = (body.in_link(at), &self.strands[link]);
            let from = Pose::new(state.base.position, state.rotation[0]);
            let motion = Swept {
                from: from.then(&at),
                to: foreseen(state, self.bdf.h).then(&at),
                body: Some((link, at)),
            };
            self.work.moving_obstacles.push((*obstacle, motion));
        }
    }

    /// Base frame of member `k` at the end of the step; of a body and what it carries, as predicted.
    pub(crate) fn base_frame(&self, k: usize) -> BaseFrame {
        let (member, h) = (&self.input.members[k], self.bdf.h);
        if k < self.input.bodies {
            return BaseFrame::plain(Pose::at(foreseen(&self.strands[k], h).position));
        }
        match &member.mount {
            Some((body, at)) => BaseFrame::plain(foreseen(&self.strands[*body], h).then(at)),
            None => member.chain.base.frame(&self.strands[k].base, self.t, h),
        }
    }

    /// Moves the frames of bodies and of strands based on them to the solution.
    pub(crate) fn follow_bodies(&mut self) {
        let Workspace {
            frames, iterate, ..
        } = &mut *self.work;
        for (frame, centre) in frames.iter_mut().zip(&iterate.centres) {
            frame.pose = Pose::at(*centre);
        }
        for (frame, member) in frames.iter_mut().zip(self.input.members) {
            if let Some((link, at)) = &member.mount {
                let carrier = &iterate.links[*link];
                frame.pose = Pose::new(carrier.origin, carrier.rotation).then(at);
            }
        }
    }

    /// Whether this step, not yet accepted, contains an impact on a body (a rope that snaps taut, a contact) or of
    /// a strand on a strand; where either might be, also of a strand on an obstacle.
    pub(crate) fn strikes_body(&self) -> bool {
        if self.strikes_strand() {
            return true;
        }
        let touching = self.work.strand_contacts.len() > 0;
        (touching && self.strikes_obstacle())
            || (self.input.bodies > 0 && (self.snaps() || self.strikes_obstacle()))
    }

    /// Whether the velocity of a body changes unlike in the step before.
    fn snaps(&self) -> bool {
        let (work, bdf) = (&*self.work, self.bdf);
        (0..self.input.bodies).any(|k| {
            let state = &self.strands[k];
            let (past, link) = (&state.history[0], &work.iterate.links[k]);
            let part = if state.depth > 0 {
                bdf.h / state.steps[0]
            } else {
                0.0
            };
            let v = link.centre * bdf.s - work.link_steps[k].velocity_history;
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
}

/// Replaces an external force `p / h` on a body by `s p − b p₋` (`p₋`: impulse of the step before), so that the
/// step changes its momentum by exactly the impulse `p`. BDF2 would spread it over the steps that follow.
pub(crate) fn push_exactly(body: &mut LinkStep, state: &StrandState, bdf: Bdf) {
    let [push, turn] = state.base_impulse;
    let (force, torque) = (state.force[0], state.torque[0]);
    body.applied_force += force * (bdf.s * bdf.h - 1.0) - push * bdf.b;
    body.torque += torque * (bdf.s * bdf.h - 1.0) - turn * bdf.b;
}

/// Adds a push to a link of a strand, as exactly.
pub(crate) fn push_link(link: &mut LinkStep, push: &Push, bdf: Bdf) {
    let ([force, torque], [before, turn]) = (push.load, push.before);
    link.applied_force += force * (bdf.s * bdf.h) - before * bdf.b;
    link.torque += torque * (bdf.s * bdf.h) - turn * bdf.b;
}

/// Pose of a body's link after `h` seconds at its present velocity.
fn foreseen(state: &StrandState, h: f64) -> Pose {
    let turn = (state.rate[0] * h).clamp_length_max(1.0);
    Pose::new(
        state.base.position + state.centre_velocity(0) * h,
        nudge(state.rotation[0], turn),
    )
}

/// Velocity at the start of the step of the point of a body that is at `place` at its end.
pub(crate) fn velocity_before(state: &StrandState, link: &Link, place: Vec3) -> Vec3 {
    let past = &state.history[0];
    past.velocity[0] + past.axes_rate[0] * (link.axes.transpose() * (place - link.origin))
}
