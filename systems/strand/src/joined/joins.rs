//! What holds strands to each other: the goals of the constraints that join them, and links counted
//! through all members.

use drystone_base::functions::{exp, rotation_vector};
use drystone_base::{Pose, Quat, Vec3};

use super::Group;
use crate::constraint::{Anchor, Goal, Hold, Spot, left_of};
use crate::implicit::{Live, Load};
use crate::kinematics::place;
use crate::response::Handle;
use crate::rotation::log;
use crate::step::{Scene, Workspace};

impl Group {
    /// What the joining constraints want at the end of the step, from the forces of the last.
    pub(super) fn set_joins(&mut self, scenes: &[Scene<'_>], t: f64, h: f64) {
        let model = scenes[0].model;
        self.returning.clear();
        for ((scene, strand), work) in scenes.iter().zip(&self.strands).zip(&mut self.works) {
            let (chain, links) = (scene.chain, &mut work.start);
            place(
                chain,
                &strand.rotation,
                &strand.stretch,
                &strand.base,
                links,
            );
        }
        for &c in &self.joins {
            let constraint = &model.constraints[c];
            let (link, at, to, turned) = match &constraint.hold {
                Hold::Point { link, at, to } => (*link, Pose::at(*at), to, false),
                Hold::Pose { link, at, to } => (*link, *at, to, true),
                Hold::Joint { .. } => continue,
            };
            let Anchor::Strand {
                strand,
                link: other,
                at: on,
            } = to
            else {
                continue;
            };
            let find = |i: usize| self.members.iter().position(|&m| m == i);
            let (Some(a), Some(b)) = (find(constraint.strand), find(*strand)) else {
                continue;
            };
            if constraint.active.at(t + h) <= 0.0 {
                continue;
            }
            // places and velocities in the true world, at the start of the step
            let (mine, theirs) = (
                Spot {
                    link,
                    at: at.position,
                },
                Spot {
                    link: *other,
                    at: on.position,
                },
            );
            let seen = |m: usize, spot: Spot| {
                let (chain, strand) = (scenes[m].chain, &self.strands[m]);
                let links = &self.works[m].start;
                let (felt, truly) = (chain.base.felt_motion(t).0, chain.base.path.at(t));
                let x = strand.base.local_point(spot.place(links));
                let v = strand.base.local_direction(spot.velocity(strand, links))
                    - felt.linear
                    - felt.angular.cross(x);
                let carried = truly.angular_velocity.cross(x);
                let turn = truly.pose.rotation * strand.base.rotation.conjugate();
                (
                    truly.pose.point(x),
                    truly.velocity + truly.pose.direction(v + carried),
                    turn * links[spot.link].rotation,
                )
            };
            let ((xa, va, qa), (xb, vb, qb)) = (seen(a, mine), seen(b, theirs));
            let rate = constraint.frequency.min(0.5 / h);
            let reach = scenes[a].chain.reach.max(scenes[b].chain.reach);
            let held = self.strands[a]
                .held
                .iter()
                .find(|held| held.constraint == c);
            let mut returning = held.map(|held| held.returning);
            let left = left_of(xa - xb, va - vb, (reach, h, rate), &mut returning);
            self.returning.push((c, returning.unwrap_or(Vec3::ZERO)));
            let (fa, fb) = (&self.frames[a], &self.frames[b]);
            let through = if fa.plain && fb.plain {
                Pose::IDENTITY
            } else {
                fa.to_world.inverse().then(&fb.to_world)
            };
            let (mine, theirs) = (mine.shifted(self.first[a]), theirs.shifted(self.first[b]));
            let goals = &mut self.whole.goals;
            let place = Goal::Place {
                a: mine,
                b: Some((theirs, through)),
                target: fa.felt(left),
            };
            goals.push((c, place));
            if turned {
                let off = log(on.rotation.conjugate() * qb.conjugate() * qa * at.rotation);
                let left = rotation_vector(off * exp(-rate * h));
                let turn = Goal::Turn {
                    link: mine.link,
                    against: Some((theirs.link, through.rotation)),
                    target: on.rotation * left * at.rotation.conjugate(),
                };
                goals.push((c, turn));
            }
            let calm = held.filter(|held| held.error < 1e-3 * reach);
            for k in 0..if turned { 6 } else { 3 } {
                self.forces.push(calm.map_or(0.0, |held| held.force[k]));
            }
        }
        let Workspace {
            iterate,
            goals,
            response,
            ..
        } = &mut self.whole;
        response.rows.clear();
        response.measure(goals, &iterate.links, &iterate.rotation);
        for (row, force) in response.rows.iter_mut().zip(&self.forces) {
            row.force = *force;
        }
        iterate.loads.resize(self.chain.len(), Load::ZERO);
        response.apply(&iterate.links, &mut iterate.loads);
        for (k, work) in self.works.iter().enumerate() {
            let range = self.first[k]..self.first[k + 1];
            work.contacts.add_loads(&mut iterate.loads[range]);
        }
        let live = model.fields.iter().any(|field| field.implicit);
        let count = if live { self.chain.len() } else { 0 };
        iterate.live.resize(count, Live::ZERO);
    }
}

impl Spot {
    /// The same where its strand's links begin at `first`.
    pub(super) fn shifted(self, first: usize) -> Self {
        Self {
            link: self.link + first,
            ..self
        }
    }
}

impl Goal {
    /// The same where its strand's links begin at `first`.
    pub(super) fn shifted(self, first: usize) -> Self {
        match self {
            Self::Place { a, b, target } => Self::Place {
                a: a.shifted(first),
                b: b.map(|(b, seen)| (b.shifted(first), seen)),
                target,
            },
            Self::Turn {
                link,
                against,
                target,
            } => Self::Turn {
                link: link + first,
                against: against.map(|(b, seen)| (b + first, seen)),
                target,
            },
            Self::Joint { link, axes, target } => Self::Joint {
                link: link + first,
                axes,
                target,
            },
        }
    }
}

impl Handle {
    /// The same where its strand's links begin at `first`.
    pub(super) fn shifted(self, first: usize) -> Self {
        let turned = |(b, seen): (usize, Quat)| (b + first, seen);
        match self {
            Self::Points(a, b) => Self::Points(
                a.shifted(first),
                b.map(|(b, seen)| (b.shifted(first), seen)),
            ),
            Self::Turn(a, b) => Self::Turn(a + first, b.map(turned)),
            Self::Joint(a) => Self::Joint(a + first),
        }
    }
}
