//! Constraints: a point, a pose or a joint of a strand held where the user wants it, for as long as
//! the user wants it (Hadap 2006, §4).
//!
//! A constraint has a target for the end of every step: three rows for a point, three more for a
//! rotation, one for each driven axis of a joint. An error at the moment a constraint is switched on
//! (or that another constraint forces) decays as under a critically damped spring, so that nothing
//! pops; what is on its target stays on it, along any path.
//!
//! Ours: eq. 15 constrains only the direction of the desired acceleration; here all three components.

use drystone_base::functions::{exp, rotation_vector};
use drystone_base::{Pose, Quat, Vec3};

use crate::base::BaseFrame;
use crate::chain::Chain;
use crate::kinematics::Link;
use crate::spatial::Motion;
use crate::state::StrandState;
use crate::{Error, Model, MotionPath, Ramp};
use drystone_base::rotation::log;

/// The anchor that a constraint holds its strand to.
#[derive(Clone, Debug)]
pub enum Anchor {
    /// A place that moves in the world.
    World(MotionPath),
    /// A place in the frame of the strand's base.
    Base(Pose),
    /// A place on another link of the same strand: a closed loop.
    Link {
        /// Index of the link.
        link: usize,
        /// Pose in that link's frame.
        at: Pose,
    },
    /// A place on a link of another strand: both pull on each other, and are solved as one.
    Strand {
        /// Index of the other strand.
        strand: usize,
        /// Index of its link.
        link: usize,
        /// Pose in that link's frame.
        at: Pose,
    },
    /// A place on a rigid body: both pull on each other, and are solved as one.
    Body {
        /// Index of the body.
        body: usize,
        /// Pose in the body's frame, whose origin is its centre of mass.
        at: Pose,
    },
}

/// What a constraint holds: a point, a pose, or a joint.
#[derive(Clone, Debug)]
pub enum ConstraintKind {
    /// A point of a link.
    Point {
        /// Index of the link.
        link: usize,
        /// Point in the link's frame \[m\].
        at: Vec3,
        /// The anchor that it is held to.
        to: Anchor,
    },
    /// A point of a link, and the link's rotation.
    Pose {
        /// Index of the link.
        link: usize,
        /// Frame on the link that is held.
        at: Pose,
        /// The anchor that its pose is held to.
        to: Anchor,
    },
    /// The rotation of a link against its parent.
    Joint {
        /// Index of the link.
        link: usize,
        /// Axes that are driven.
        axes: [bool; 3],
        /// The wanted rotation in the parent's frame; positions count for nothing.
        to: MotionPath,
    },
}

impl ConstraintKind {
    /// Index of the link that is held.
    pub fn link(&self) -> usize {
        match self {
            Self::Point { link, .. } | Self::Pose { link, .. } | Self::Joint { link, .. } => *link,
        }
    }

    /// The place of the link that is held, in its frame \[m\]; none where a joint is held.
    pub(crate) fn place(&self) -> Option<Vec3> {
        match self {
            Self::Point { at, .. } => Some(*at),
            Self::Pose { at, .. } => Some(at.position),
            Self::Joint { .. } => None,
        }
    }
}

/// A constraint on one strand.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// Unique in the model.
    pub name: String,
    /// Index of the strand.
    pub strand: usize,
    /// The part that is held, and its anchor.
    pub kind: ConstraintKind,
    /// Holds while this is positive, over time; see also [`State::constraint_on`](crate::State).
    pub active: Ramp,
    /// Rate at which an error comes back \[1/s\]; at most half a step's rate is used.
    pub frequency: f64,
    /// Index of the obstacle that the link is held to, which it does not touch beside the hold while it is held.
    pub passes: Option<usize>,
}

impl Constraint {
    /// Always on, errors come back as fast as the step allows.
    pub fn new(name: impl Into<String>, strand: usize, kind: ConstraintKind) -> Self {
        Self {
            name: name.into(),
            strand,
            kind,
            active: 1.0.into(),
            frequency: f64::INFINITY,
            passes: None,
        }
    }
}

impl Constraint {
    /// The other strand, where the constraint joins two.
    pub fn other_strand(&self) -> Option<usize> {
        match &self.kind {
            ConstraintKind::Point { to, .. } | ConstraintKind::Pose { to, .. } => match to {
                Anchor::Strand { strand, .. } => Some(*strand),
                _ => None,
            },
            ConstraintKind::Joint { .. } => None,
        }
    }

    /// The rigid body that the strand is held to, where it is.
    pub fn body(&self) -> Option<usize> {
        match self.anchor()? {
            Anchor::Body { body, .. } => Some(*body),
            _ => None,
        }
    }

    /// Anchor of a point or pose; `None` for a joint.
    pub(crate) fn anchor(&self) -> Option<&Anchor> {
        match &self.kind {
            ConstraintKind::Point { to, .. } | ConstraintKind::Pose { to, .. } => Some(to),
            ConstraintKind::Joint { .. } => None,
        }
    }
}

impl Model {
    /// Adds a constraint on a strand that is there already; its index is returned.
    pub fn add_constraint(&mut self, constraint: Constraint) -> Result<usize, Error> {
        let fault = |what: &str, found: String, wanted| {
            Err(Error::Constraint {
                constraint: constraint.name.clone(),
                what: what.into(),
                found,
                wanted,
            })
        };
        if self.constraints.iter().any(|c| c.name == constraint.name) {
            return fault("the name", "used twice".into(), "a name of its own");
        }
        // strand, activity, frequency
        let Some(chain) = self.chains.get(constraint.strand) else {
            let found = constraint.strand.to_string();
            return fault("the strand", found, "the index of a strand of the model");
        };
        if let Some((found, wanted)) = constraint.active.fault() {
            return fault("the time of activity", found, wanted);
        }
        if constraint.frequency.is_nan() || constraint.frequency <= 0.0 {
            let found = constraint.frequency.to_string();
            return fault("the frequency", found, "more than zero");
        }
        // the link held, and what it is held to
        let (link, at, to) = match &constraint.kind {
            ConstraintKind::Point { link, at, to } => (*link, Pose::at(*at), Some(to)),
            ConstraintKind::Pose { link, at, to } => (*link, *at, Some(to)),
            ConstraintKind::Joint { link, .. } => (*link, Pose::IDENTITY, None),
        };
        let (other, place) = match to {
            Some(Anchor::Link { link, at }) => (*link, *at),
            Some(Anchor::Base(pose)) => (0, *pose),
            Some(Anchor::Body { body, at }) => {
                if *body >= self.bodies.len() {
                    let wanted = "the index of a rigid body of the model";
                    return fault("the body it is held to", body.to_string(), wanted);
                }
                (0, *at)
            }
            Some(Anchor::Strand { strand, link, at }) => {
                let other = self.chains.get(*strand);
                if *strand == constraint.strand || other.is_none() {
                    let wanted = "the index of another strand of the model";
                    return fault("the strand it is tied to", strand.to_string(), wanted);
                }
                if other.is_some_and(|other| *link >= other.len()) {
                    let wanted = "the index of a link of that strand";
                    return fault("the link it is tied to", link.to_string(), wanted);
                }
                (0, *at)
            }
            _ => (0, Pose::IDENTITY),
        };
        // indices of links, and places on them
        if link >= chain.len() || other >= chain.len() {
            let found = link.max(other).to_string();
            return fault("the link", found, "the index of a link of the strand");
        }
        for pose in [at, place] {
            let unit = (pose.rotation.length() - 1.0).abs() < 1e-3;
            if !(pose.position.is_finite() && unit) {
                let found = format!("{} {}", pose.position, pose.rotation);
                return fault("the place", found, "finite numbers and a unit quaternion");
            }
        }
        self.constraints.push(constraint);
        Ok(self.constraints.len() - 1)
    }
}

/// A point of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LinkPoint {
    pub link: usize,
    pub at: Vec3,
}

impl LinkPoint {
    pub(crate) fn place(&self, links: &[Link]) -> Vec3 {
        links[self.link].origin + self.lever(links)
    }

    pub(crate) fn lever(&self, links: &[Link]) -> Vec3 {
        links[self.link].axes * self.at
    }

    /// Its velocity at the start of the step, in the scaled world; `links` are those of that time \[m/s\].
    pub(crate) fn velocity(&self, strand: &StrandState, links: &[Link]) -> Vec3 {
        let (past, link) = (&strand.history[self.link], &links[self.link]);
        let from_centre = link.axes.transpose() * (self.place(links) - link.centre);
        past.velocity[0] + past.axes_rate[0] * from_centre
    }
}

/// Target of a constraint at the end of the present step, in the scaled world.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StepConstraint {
    /// `a` at `target`; with `b`, `a − b` equal to `target`. The pose leads from the scaled world of `b`
    /// to that of `a`.
    Place {
        a: LinkPoint,
        b: Option<(LinkPoint, Pose)>,
        target: Vec3,
    },
    /// Rotation of `link` equal to `target`; with `against`, in the frame of that link, whose scaled
    /// world is turned as given.
    Turn {
        link: usize,
        against: Option<(usize, Quat)>,
        target: Quat,
    },
    /// Rotation of `link` in its parent's frame equal to `target`, about some axes.
    Joint {
        link: usize,
        axes: [bool; 3],
        target: Quat,
    },
}

/// Equations of one constraint for a step from `t` to `t + h`; `links` are at its start, `frame` is at its
/// end. `returning` is the prescribed rate of the error at the start of the step, if the constraint was active
/// before, and becomes that at its end.
pub(crate) fn step_constraints(
    constraint: &Constraint,
    chain: &Chain,
    strand: &StrandState,
    links: &[Link],
    frame: &BaseFrame,
    (t, h): (f64, f64),
    out: &mut Vec<StepConstraint>,
    returning: &mut Option<Vec3>,
) {
    let rate = constraint.frequency.min(0.5 / h);
    match &constraint.kind {
        ConstraintKind::Point { link, at, to } => {
            place_constraint(
                LinkPoint {
                    link: *link,
                    at: *at,
                },
                to,
                chain,
                strand,
                links,
                frame,
                (t, h, rate),
                out,
                returning,
            );
        }
        ConstraintKind::Pose { link, at, to } => {
            let point = LinkPoint {
                link: *link,
                at: at.position,
            };
            place_constraint(
                point,
                to,
                chain,
                strand,
                links,
                frame,
                (t, h, rate),
                out,
                returning,
            );
            // rotation: what is left of the error, seen from what it is held to
            let now = links[*link].rotation * at.rotation;
            let left = |wanted: Quat, now: Quat| {
                rotation_vector(log(wanted.conjugate() * now) * exp(-rate * h))
            };
            let back = at.rotation.conjugate();
            let turn = match to {
                Anchor::Strand { .. } | Anchor::Body { .. } => return,
                Anchor::Link {
                    link: other,
                    at: on,
                } => {
                    let relative = links[*other].rotation.conjugate() * now;
                    let target = on.rotation * left(on.rotation, relative) * back;
                    StepConstraint::Turn {
                        link: *link,
                        against: Some((*other, Quat::IDENTITY)),
                        target,
                    }
                }
                Anchor::Base(pose) => {
                    let relative = strand.base.rotation.conjugate() * now;
                    let target =
                        frame.pose.rotation * pose.rotation * left(pose.rotation, relative) * back;
                    StepConstraint::Turn {
                        link: *link,
                        against: None,
                        target,
                    }
                }
                Anchor::World(path) => {
                    // in base coordinates both worlds agree
                    let base = |time: f64| chain.base.path.pose(time).rotation.conjugate();
                    let (wanted, next) = (
                        base(t) * path.pose(t).rotation,
                        base(t + h) * path.pose(t + h).rotation,
                    );
                    let relative = strand.base.rotation.conjugate() * now;
                    let target = frame.pose.rotation * next * left(wanted, relative) * back;
                    StepConstraint::Turn {
                        link: *link,
                        against: None,
                        target,
                    }
                }
            };
            out.push(turn);
        }
        ConstraintKind::Joint { link, axes, to } => {
            // angles of the joint: the target, and off it by what is left of the error
            let (wanted, next) = (to.pose(t).rotation, to.pose(t + h).rotation);
            let error = log(wanted.conjugate() * strand.rotation[*link]) * exp(-rate * h);
            let target = next * rotation_vector(error);
            out.push(StepConstraint::Joint {
                link: *link,
                axes: *axes,
                target,
            });
        }
    }
}

/// Target of a point at the end of the step: its anchor, plus what is left of the error after `h` seconds of a
/// critically damped return.
fn place_constraint(
    a: LinkPoint,
    to: &Anchor,
    chain: &Chain,
    strand: &StrandState,
    links: &[Link],
    frame: &BaseFrame,
    (t, h, rate): (f64, f64, f64),
    out: &mut Vec<StepConstraint>,
    returning: &mut Option<Vec3>,
) {
    let mut left =
        |error: Vec3, velocity: Vec3| left_of(error, velocity, (chain.reach, h, rate), returning);
    let velocity = |point: LinkPoint| point.velocity(strand, links);
    // a loop: against another point of the strand
    if let Anchor::Link { link, at } = to {
        let b = LinkPoint {
            link: *link,
            at: at.position,
        };
        let error = a.place(links) - b.place(links);
        let target = left(error, velocity(a) - velocity(b));
        out.push(StepConstraint::Place {
            a,
            b: Some((b, Pose::IDENTITY)),
            target,
        });
        return;
    }
    // everything in base coordinates, where the scaled world and the true one agree
    let seen = |x: Vec3, v: Vec3, pose: &Pose, motion: Motion| {
        let x = pose.local_point(x);
        (
            x,
            pose.local_direction(v) - motion.linear - motion.angular.cross(x),
        )
    };
    let (scaled, _) = chain.base.scaled_motion(t);
    let (x, v) = seen(a.place(links), velocity(a), &strand.base, scaled);
    let (wanted, moving, next) = match to {
        Anchor::World(path) => {
            let (target, base) = (path.at(t), chain.base.path.at(t));
            let (y, w) = seen(
                target.pose.position,
                target.velocity,
                &base.pose,
                Motion::velocity_of(&base),
            );
            let later = chain
                .base
                .path
                .pose(t + h)
                .local_point(path.pose(t + h).position);
            (y, w, later)
        }
        Anchor::Base(pose) => (pose.position, Vec3::ZERO, pose.position),
        Anchor::Link { .. } | Anchor::Strand { .. } | Anchor::Body { .. } => return,
    };
    let end = next + left(x - wanted, v - moving);
    let target = frame.pose.point(within_reach(chain, a, end));
    out.push(StepConstraint::Place { a, b: None, target });
}

/// What is left of `error` after `h` of a critically damped return at `rate`, which is never faster than
/// `reach` in a tenth of a second. `returning` is as in [`step_constraints`]; `velocity` is measured.
pub(crate) fn left_of(
    error: Vec3,
    velocity: Vec3,
    (reach, h, rate): (f64, f64, f64),
    returning: &mut Option<Vec3>,
) -> Vec3 {
    // a return that is under way goes on as it was meant to; only one that begins is measured
    let velocity = returning.unwrap_or(velocity);
    let (fading, pull) = (exp(-rate * h), velocity + error * rate);
    let change = (error + pull * h) * fading - error;
    let slowed = change.clamp_length_max(10.0 * reach * h);
    *returning = Some(if slowed == change {
        (velocity - pull * (rate * h)) * fading
    } else {
        slowed / h
    });
    error + slowed
}

/// `target`, moved to where `point` can reach it with the strand almost straight; base coordinates.
pub(crate) fn within_reach(chain: &Chain, point: LinkPoint, target: Vec3) -> Vec3 {
    if chain.extensible {
        return target;
    }
    let (root, reach) = chain.reach_of(point.link, point.at);
    root + (target - root).clamp_length_max(0.9999 * reach)
}
