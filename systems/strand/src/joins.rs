//! Constraints between the members of a group, and links counted through all of them.

use drystone_base::functions::{exp, rotation_vector};
use drystone_base::{Pose, Quat, Vec3};

use crate::MotionPath;
use crate::constraint::{Anchor, ConstraintKind, LinkPoint, StepConstraint, left_of, within_reach};
use crate::step::Step;
use drystone_base::rotation::log;

impl Step<'_> {
    /// Equations of the constraints between members for the end of the step, warm-started.
    pub(crate) fn set_joins(&mut self) {
        for &c in self.input.joins {
            self.set_join(c);
        }
    }

    /// Sets the join of constraint `c`, while it is active.
    fn set_join(&mut self, c: usize) -> Option<()> {
        // what holds which point to what
        let (input, t, h) = (self.input, self.t, self.bdf.h);
        let constraint = &input.model.constraints[c];
        let (link, at, to, turned) = match &constraint.kind {
            ConstraintKind::Point { link, at, to } => (*link, Pose::at(*at), to, false),
            ConstraintKind::Pose { link, at, to } => (*link, *at, to, true),
            ConstraintKind::Joint { .. } => return None,
        };
        if constraint.active.at(t + h) <= 0.0 {
            return None;
        }
        let a = self.member(constraint.strand)?;
        let other = self.other_end(a, to)?;
        let (own, chain) = (
            LinkPoint {
                link,
                at: at.position,
            },
            input.members[a].chain,
        );

        // error and its rate in the true world, at the start of the step
        let (xa, va, qa) = self.seen(a, own);
        let (xb, vb, qb) = match &other {
            End::Link { member, point, .. } => self.seen(*member, *point),
            End::World(path) => {
                let now = path.at(t);
                (now.pose.position, now.velocity, now.pose.rotation)
            }
        };
        let rate = constraint.frequency.min(0.5 / h);
        let reach = match &other {
            End::Link { member, .. } => chain.reach.max(input.members[*member].chain.reach),
            End::World(_) => chain.reach,
        };
        let kept = self.strands[a].multipliers.iter();
        let mut returning = kept
            .filter(|kept| kept.constraint == c)
            .map(|kept| kept.returning)
            .next();
        let left = left_of(xa - xb, va - vb, (reach, h, rate), &mut returning);

        // what is left of it at the end: against a link of the other member, or in the world
        let frame = &self.work.frames[a];
        let a_shifted = own.shifted(input.members[a].first);
        let (place, against, on, lead) = match &other {
            End::Link { member, point, on } => {
                let theirs = &self.work.frames[*member];
                let through = if frame.plain && theirs.plain {
                    Pose::IDENTITY
                } else {
                    frame.to_world.inverse().then(&theirs.to_world)
                };
                let b = point.shifted(input.members[*member].first);
                let place = StepConstraint::Place {
                    a: a_shifted,
                    b: Some((b, through)),
                    target: frame.scaled(left),
                };
                (place, Some((b.link, through.rotation)), *on, *on)
            }
            End::World(path) => {
                let next = path.pose(t + h);
                let mut target = next.position + left;
                if input.members[a].mount.is_none() {
                    // the base does not give way
                    let local = frame.pose.local_point(target);
                    target = frame.pose.point(within_reach(chain, own, local));
                }
                let place = StepConstraint::Place {
                    a: a_shifted,
                    b: None,
                    target,
                };
                (place, None, Quat::IDENTITY, next.rotation)
            }
        };
        // the same of the rotation
        let off = log(on.conjugate() * qb.conjugate() * qa * at.rotation);
        let left = rotation_vector(off * exp(-rate * h));
        let turn = StepConstraint::Turn {
            link: a_shifted.link,
            against,
            target: lead * left * at.rotation.conjugate(),
        };
        // bilateral rows, warm-started
        let work = &mut *self.work;
        work.returning.push((c, returning.unwrap_or(Vec3::ZERO)));
        for (g, equation) in [place, turn]
            .into_iter()
            .enumerate()
            .take(1 + usize::from(turned))
        {
            let force = self.strands[a].force_of(c, 3 * g, reach);
            work.response.start.extend(force.to_array());
            work.bilateral.push((c, equation));
        }
        Some(())
    }

    /// The member that is strand `i`.
    fn member(&self, i: usize) -> Option<usize> {
        let strands = &self.input.members[self.input.bodies..];
        let place = strands.iter().position(|member| member.index == i)?;
        Some(self.input.bodies + place)
    }

    /// The other end of a constraint of member `a`.
    fn other_end<'b>(&self, a: usize, to: &'b Anchor) -> Option<End<'b>> {
        let (model, members) = (self.input.model, self.input.members);
        let end = |member: usize, link: usize, at: Pose| End::Link {
            member,
            point: LinkPoint {
                link,
                at: at.position,
            },
            on: at.rotation,
        };
        let on_body = |body: usize, at: &Pose| {
            let bodies = &members[..self.input.bodies];
            let member = bodies.iter().position(|member| member.index == body)?;
            Some(end(member, 0, model.bodies[body].in_link(at)))
        };
        match to {
            Anchor::Strand { strand, link, at } => Some(end(self.member(*strand)?, *link, *at)),
            Anchor::Body { body, at } => on_body(*body, at),
            Anchor::Base(pose) => {
                let (body, at) = members[a].chain.base.body?;
                on_body(body, &at.then(pose))
            }
            Anchor::World(path) => Some(End::World(path)),
            Anchor::Link { .. } => None,
        }
    }

    /// Position and velocity of a point of member `m` and rotation of its link, in the true world at the start of
    /// the step.
    fn seen(&self, m: usize, point: LinkPoint) -> (Vec3, Vec3, Quat) {
        let (member, strand) = (&self.input.members[m], &self.strands[m]);
        let links = &self.work.start[member.range()];
        if m < self.input.bodies || member.mount.is_some() {
            let rotation = links[point.link].rotation;
            return (point.place(links), point.velocity(strand, links), rotation);
        }
        let base = &member.chain.base;
        let (scaled, truly) = (base.scaled_motion(self.t).0, base.path.at(self.t));
        let x = strand.base.local_point(point.place(links));
        let v = strand.base.local_direction(point.velocity(strand, links))
            - scaled.linear
            - scaled.angular.cross(x);
        let carried = truly.angular_velocity.cross(x);
        let turn = truly.pose.rotation * strand.base.rotation.conjugate();
        (
            truly.pose.point(x),
            truly.velocity + truly.pose.direction(v + carried),
            turn * links[point.link].rotation,
        )
    }
}

/// The other end of a constraint.
enum End<'a> {
    /// A point of a member, and a rotation in the frame of its link.
    Link {
        member: usize,
        point: LinkPoint,
        on: Quat,
    },
    /// A place that moves in the world.
    World(&'a MotionPath),
}

impl LinkPoint {
    /// Shifted by `first`, the index of the strand's first link in the group.
    pub(crate) fn shifted(self, first: usize) -> Self {
        Self {
            link: self.link + first,
            ..self
        }
    }
}

impl StepConstraint {
    /// Whether it is between two links.
    pub(crate) fn joins_two(&self) -> bool {
        match self {
            Self::Place { b, .. } => b.is_some(),
            Self::Turn { against, .. } => against.is_some(),
            Self::Joint { .. } => false,
        }
    }

    /// Shifted by `first`, the index of the strand's first link in the group.
    pub(crate) fn shifted(self, first: usize) -> Self {
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
