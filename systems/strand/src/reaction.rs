//! Impulses on a strand from obstacles, constraints and its base over a step. Whoever exerts them receives the
//! opposite, so that momentum is kept.

use drystone_base::Vec3;
use serde::{Deserialize, Serialize};

use crate::base::BaseFrame;
use crate::constraint::StepConstraint;
use crate::implicit::{Bdf, LinkStep};
use crate::kinematics::Link;
use crate::response::Row;
use crate::state::StrandState;
use crate::step::Step;

/// Source of an impulse on a strand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Source {
    /// An obstacle, by index.
    Obstacle(usize),
    /// A constraint to a place outside of the strand, by index.
    Constraint(usize),
}

/// Impulse of one source over the last step, world axes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reaction {
    /// Its source.
    pub source: Source,
    /// Impulse on the strand \[N s\].
    pub impulse: Vec3,
    /// Angular impulse on the strand, about the origin of the world \[N m s\].
    pub angular_impulse: Vec3,
}

impl StrandState {
    /// Adds an impulse at `place` and an angular impulse, world axes.
    fn react(&mut self, source: Source, place: Vec3, impulse: Vec3, turn: Vec3) {
        let found = self.reactions.iter().position(|r| r.source == source);
        let k = found.unwrap_or_else(|| {
            self.reactions.push(Reaction {
                source,
                impulse: Vec3::ZERO,
                angular_impulse: Vec3::ZERO,
            });
            self.reactions.len() - 1
        });
        self.reactions[k].impulse += impulse;
        self.reactions[k].angular_impulse += place.cross(impulse) + turn;
    }

    /// Linear momentum, and angular momentum about the origin, scaled world; `past` steps ago (0 or 1).
    fn momentum(&self, link_steps: &[LinkStep], past: usize) -> [Vec3; 2] {
        let mut sum = [Vec3::ZERO; 2];
        for (history, body) in self.history.iter().zip(link_steps) {
            let push = history.velocity[past] * body.mass;
            let (axes, rate) = (&history.axes[past], &history.axes_rate[past]);
            let j = body.second_moments;
            sum[0] += push;
            sum[1] += history.centre[past].cross(push)
                + axes.x_axis.cross(rate.x_axis) * j.x
                + axes.y_axis.cross(rate.y_axis) * j.y
                + axes.z_axis.cross(rate.z_axis) * j.z;
        }
        sum
    }
}

impl Step<'_> {
    /// Adds what contacts and constraints exerted on member `k` over an accepted step.
    pub(crate) fn add_reactions(&mut self, k: usize) {
        let (strand, work, h) = (&mut self.strands[k], &*self.work, self.bdf.h);
        let (frame, own) = (&work.frames[k], self.input.members[k].range());
        for k in 0..strand.contacts.len() {
            let contact = strand.contacts[k];
            let source = Source::Obstacle(contact.obstacle);
            strand.react(source, contact.place, contact.force * h, Vec3::ZERO);
        }
        let (links, rotation) = (&work.iterate.links, &work.iterate.rotation);
        for penalty in work.penalties.iter().filter(|s| own.contains(&s.link())) {
            let j = penalty.link();
            let required = penalty.required(&links[j], rotation[j]);
            let given = frame.world_direction(required) * -h;
            let source = Source::Constraint(penalty.constraint);
            match penalty.equation {
                StepConstraint::Place { a, .. } => {
                    strand.react(source, frame.world(a.place(links)), given, Vec3::ZERO);
                }
                StepConstraint::Turn { .. } => strand.react(source, Vec3::ZERO, Vec3::ZERO, given),
                StepConstraint::Joint { .. } => {}
            }
        }
    }
}

/// Momentum before a step that ended in an impact, scaled world; to be called before the history is cleared.
pub(crate) fn momentum_before(strand: &StrandState, link_steps: &[LinkStep]) -> [Vec3; 2] {
    strand.momentum(link_steps, 1)
}

/// Corrects the reactions of a step that ended in an impact, after the history was cleared.
///
/// BDF2 spreads a sudden force over later steps, which an impact cuts off: of its impulse `f h` the strand has
/// received `f / (s² h)`. The impact itself adds `j / s²`, with `rows` in units of the step matrix. The rest of
/// the change of momentum came from the base.
pub(crate) fn correct_for_impact(
    strand: &mut StrandState,
    before: [Vec3; 2],
    (links, link_steps, frame): (&[Link], &[LinkStep], &BaseFrame),
    bdf: Bdf,
    rows: &[Row],
) {
    let origin = frame.pose.position;
    let after = strand.momentum(link_steps, 0);
    let (mut push, mut turn) = (after[0] - before[0], after[1] - before[1]);
    turn -= origin.cross(push);
    for (link, body) in links.iter().zip(link_steps) {
        let inertia = (link.centre * (bdf.s * bdf.s) - body.centre_history) * (body.mass * bdf.h);
        push -= inertia;
        turn -=
            (link.centre - origin).cross(inertia) + (body.moment(&link.axes) + body.torque) * bdf.h;
    }
    let (mut push, mut turn) = (frame.world_direction(push), frame.world_direction(turn));
    let base = frame.world(origin);
    let squared = bdf.s * bdf.s;
    for (k, three) in rows.chunks_exact(3).enumerate() {
        let Some(contact) = strand.contacts.get(k).copied() else {
            break;
        };
        let struck: Vec3 = three.iter().map(|row| row.direction * row.force).sum();
        let more = frame.world_direction(struck) / squared
            + contact.force * (1.0 / (squared * bdf.h) - bdf.h);
        let source = Source::Obstacle(contact.obstacle);
        strand.react(source, contact.place, more, Vec3::ZERO);
        push -= more;
        turn -= (contact.place - base).cross(more);
    }
    strand.base_impulse[0] += push;
    strand.base_impulse[1] += turn;
}
