//! What holds strands to each other: the goals of the constraints that join them, and links counted
//! through all members.

use drystone_base::functions::{exp, rotation_vector};
use drystone_base::{Pose, Quat, Vec3};

use super::Group;
use crate::constraint::{Anchor, Goal, Hold, Spot, left_of, within_reach};
use crate::implicit::{Live, Load};
use crate::kinematics::place;
use crate::response::Handle;
use crate::rotation::log;
use crate::step::{Scene, Workspace};
use crate::{Model, MotionPath};

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
            let Some(a) = self.member(constraint.strand) else {
                continue;
            };
            if constraint.active.at(t + h) <= 0.0 {
                continue;
            }
            let mine = Spot {
                link,
                at: at.position,
            };
            let Some(other) = self.other_end(model, a, to) else {
                continue;
            };
            // places and velocities in the true world, at the start of the step
            let (xa, va, qa) = self.seen(scenes, a, mine, t);
            let (xb, vb, qb) = match &other {
                End::Link { member, at } => {
                    let spot = Spot {
                        link: at.0,
                        at: at.1.position,
                    };
                    self.seen(scenes, *member, spot, t)
                }
                End::World(path) => {
                    let now = path.at(t);
                    (now.pose.position, now.velocity, now.pose.rotation)
                }
            };
            let rate = constraint.frequency.min(0.5 / h);
            let reach = match &other {
                End::Link { member, .. } => {
                    let reach = scenes[a].chain.reach;
                    reach.max(scenes[*member].chain.reach)
                }
                End::World(_) => scenes[a].chain.reach,
            };
            let held = self.strands[a]
                .held
                .iter()
                .find(|held| held.constraint == c);
            let mut returning = held.map(|held| held.returning);
            let left = left_of(xa - xb, va - vb, (reach, h, rate), &mut returning);
            self.returning.push((c, returning.unwrap_or(Vec3::ZERO)));
            let fa = &self.frames[a];
            let mine = mine.shifted(self.first[a]);
            let goals = &mut self.whole.goals;
            match &other {
                End::Link { member, at: on } => {
                    let fb = &self.frames[*member];
                    let through = if fa.plain && fb.plain {
                        Pose::IDENTITY
                    } else {
                        fa.to_world.inverse().then(&fb.to_world)
                    };
                    let theirs = Spot {
                        link: on.0,
                        at: on.1.position,
                    };
                    let theirs = theirs.shifted(self.first[*member]);
                    let place = Goal::Place {
                        a: mine,
                        b: Some((theirs, through)),
                        target: fa.felt(left),
                    };
                    goals.push((c, place));
                    if turned {
                        let on = on.1.rotation;
                        let off = log(on.conjugate() * qb.conjugate() * qa * at.rotation);
                        let left = rotation_vector(off * exp(-rate * h));
                        let turn = Goal::Turn {
                            link: mine.link,
                            against: Some((theirs.link, through.rotation)),
                            target: on * left * at.rotation.conjugate(),
                        };
                        goals.push((c, turn));
                    }
                }
                End::World(path) => {
                    let next = path.pose(t + h);
                    let mut target = next.position + left;
                    if self.mounts[a].is_none() {
                        // the base does not give way
                        let base = &self.frames[a].pose;
                        let own = Spot {
                            link,
                            at: at.position,
                        };
                        let goal = base.local_point(target);
                        target = base.point(within_reach(scenes[a].chain, own, goal));
                    }
                    let place = Goal::Place {
                        a: mine,
                        b: None,
                        target,
                    };
                    goals.push((c, place));
                    if turned {
                        let off = log(qb.conjugate() * qa * at.rotation);
                        let left = rotation_vector(off * exp(-rate * h));
                        let turn = Goal::Turn {
                            link: mine.link,
                            against: None,
                            target: next.rotation * left * at.rotation.conjugate(),
                        };
                        goals.push((c, turn));
                    }
                }
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

    /// The member that is strand `i`.
    fn member(&self, i: usize) -> Option<usize> {
        let place = self.members.iter().position(|&m| m == i)?;
        Some(self.bodies.len() + place)
    }

    /// What a constraint of member `a` holds it to.
    fn other_end<'a>(&self, model: &Model, a: usize, to: &'a Anchor) -> Option<End<'a>> {
        let on_body = |body: usize, at: &Pose| {
            let member = self.bodies.iter().position(|&k| k == body)?;
            let at = (0, model.bodies[body].in_link(at));
            Some(End::Link { member, at })
        };
        match to {
            Anchor::Strand { strand, link, at } => Some(End::Link {
                member: self.member(*strand)?,
                at: (*link, *at),
            }),
            Anchor::Body { body, at } => on_body(*body, at),
            Anchor::Base(pose) => {
                let strand = self.members[a.checked_sub(self.bodies.len())?];
                let (body, at) = model.chains[strand].base.body?;
                on_body(body, &at.then(pose))
            }
            Anchor::World(path) => Some(End::World(path)),
            Anchor::Link { .. } => None,
        }
    }

    /// Place and velocity of a spot of member `m` and rotation of its link, in the true world at time `t`,
    /// the start of the step.
    fn seen(&self, scenes: &[Scene<'_>], m: usize, spot: Spot, t: f64) -> (Vec3, Vec3, Quat) {
        let (chain, strand) = (scenes[m].chain, &self.strands[m]);
        let links = &self.works[m].start;
        if m < self.bodies.len() || self.mounts[m].is_some() {
            let rotation = links[spot.link].rotation;
            return (spot.place(links), spot.velocity(strand, links), rotation);
        }
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
    }
}

/// What a strand is held to.
enum End<'a> {
    /// A link of a member, and a pose in its frame.
    Link { member: usize, at: (usize, Pose) },
    /// A place that moves in the world.
    World(&'a MotionPath),
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
