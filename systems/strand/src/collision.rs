//! Obstacles within a step (Hadap 2006, §5): which segments to watch before Newton starts, and what an impact
//! does to the rates when the step is accepted.

use std::ops::Range;

use drystone_base::{Pose, Vec3};
use drystone_complementarity::solvers::Bound;

use crate::base::BaseFrame;
use crate::body_step::velocity_before;
use crate::constraint::LinkPoint;
use crate::contact::{Swept, Touch};
use crate::implicit::Load;
use crate::kinematics::velocities;
use crate::newton::Iterate;
use crate::properties::Properties;
use crate::reaction::{correct_for_impact, momentum_before};
use crate::response::{Row, RowJacobian};
use crate::state::StrandState;
use crate::step::{Step, Workspace, problem};

/// Speed of approach from which a contact counts as an impact \[m/s\].
pub(crate) const IMPACT: f64 = 0.1;

impl Step<'_> {
    /// Lists the segments that might meet an obstacle before the end of the step.
    pub(crate) fn watch_obstacles(&mut self) {
        let (input, t) = (self.input, self.t);
        if input.swept.is_empty() {
            return;
        }
        let Workspace {
            frames,
            contacts,
            swept,
            moving_obstacles,
            start,
            iterate,
            ..
        } = &mut *self.work;

        // obstacles over the present part of the step; those that are bodies of the group, as foreseen
        let (from, to) = self.part;
        swept.clear();
        swept.extend(input.swept.iter().map(|motion| motion.part(from, to)));
        for (obstacle, motion) in moving_obstacles {
            swept[*obstacle] = *motion;
        }

        for (k, member) in input.members.iter().enumerate().skip(input.bodies) {
            // what the member brings: its place at the start, radii, contacts of the last step
            let (strand, links) = (&self.strands[k], &self.properties[k].links);
            let to_world = match member.chain.base.body {
                Some(_) => Pose::IDENTITY,
                None => member.chain.base.path.pose(t).then(&strand.base.inverse()),
            };
            let surface = |j: usize| (links[j].radius, links[j].friction_weight, links[j].material);
            // forces of an impact say nothing about the next step
            let touched = if strand.depth > 0 {
                &strand.contacts[..]
            } else {
                &[]
            };
            // where it is held to something it does not touch that
            let held = |obstacle: usize, link: usize| {
                let mut all = member.constraints.iter().chain(member.joins);
                let own = all.find(|&&c| {
                    let constraint = &input.model.constraints[c];
                    constraint.passes == Some(obstacle)
                        && constraint.kind.link() == link
                        && constraint.active.at(t) > 0.0
                })?;
                let place = input.model.constraints[*own].kind.place();
                Some(place.map_or(member.chain.length[link], |at| at.y))
            };
            // candidates, and the forces of contacts that last
            contacts[k].watch(
                member.chain,
                (&input.model.obstacles, swept),
                touched,
                held,
                surface,
                (&start[member.range()], &to_world),
                (&iterate.links[member.range()], &frames[k]),
            );
            if !contacts[k].is_empty() {
                iterate.loads.resize(input.chain.len(), Load::ZERO);
                contacts[k].add_loads(&mut iterate.loads[member.range()]);
            }
        }
    }

    /// Whether a strand hits an obstacle in this step, which is not yet accepted.
    pub(crate) fn strikes_obstacle(&self) -> bool {
        let (work, bdf) = (&*self.work, self.bdf);
        let members = self.input.members.iter().enumerate();
        members.skip(self.input.bodies).any(|(k, member)| {
            let (strand, frame) = (&self.strands[k], &work.frames[k]);
            work.contacts[k].touching().any(|touch| {
                let place = touch.point.place(&work.iterate.links[member.range()]);
                let v = speed_before(strand, &self.properties[k], touch.point, 0);
                let swept = &work.swept[touch.obstacle];
                let carried = match swept.body {
                    Some((link, _)) => {
                        let at = &work.iterate.links[link];
                        let v = velocity_before(&self.strands[link], at, frame.world(place));
                        frame.scaled(v)
                    }
                    None => carried_along(swept, frame, place, bdf.h),
                };
                touch.axes[0].dot(v - carried) < -IMPACT
            })
        })
    }

    /// Impacts (Hadap 2006, §5): where a strand has hit an obstacle, Newton's law of restitution acts on the speed
    /// of approach, friction with the same cone on the slip, and joined points get the same velocity. The next
    /// step starts without history. In groups with bodies, and where segments touch each other, no impulse is applied; after an impact (`struck`) the
    /// next step is of first order.
    pub(crate) fn apply_impacts(&mut self, struck: bool) {
        let (input, bdf, end) = (self.input, self.bdf, self.end);
        if input.bodies > 0 || struck {
            for strand in self.strands.iter_mut().filter(|_| struck) {
                strand.depth = 0;
            }
            return;
        }
        let bilateral = self.work.response.rows.len();
        if !self.add_impact_rows() {
            return;
        }

        // speeds of all rows, from the rates of the joints over this step alone
        self.take_mean_rates();
        let Workspace {
            iterate,
            response,
            link_steps,
            moving,
            contacts,
            frames,
            ..
        } = &mut *self.work;
        for row in &mut response.rows[..bilateral] {
            row.gap = 0.0;
        }
        for row in &mut response.rows {
            row.gap += row.speed(moving, &iterate.links);
        }

        // impulses, and the rates after them
        response.strike(&mut iterate.factor, &iterate.links, input.options.method());
        let mut rows = &response.rows[bilateral..];
        for (k, member) in input.members.iter().enumerate() {
            let strand = &mut self.strands[k];
            add_rates(strand, iterate, member.range());
            let own;
            (own, rows) = rows.split_at(3 * contacts[k].touching().count());
            let parts = (
                &iterate.links[member.range()],
                &link_steps[member.range()],
                &frames[k],
            );
            let before = momentum_before(strand, parts.1);
            strand.restart(member.chain, end);
            correct_for_impact(strand, before, parts, bdf, own);
        }
    }

    /// Rates of all joints over the step just accepted, and the velocities of their links in `moving`: in the pose of
    /// the end, the motion that has the links' momenta.
    ///
    /// The joints' mean rates alone are another motion there: the inertia that a joint turns changes as the chain
    /// folds, and with the rates kept, energy would change by `h/4 q̇·Ṁ q̇` in every impact. What the links' momenta
    /// lack moves the chain by the step's matrix, as an impulse does.
    fn take_mean_rates(&mut self) {
        let (input, h) = (self.input, self.bdf.h);
        for strand in self.strands.iter_mut() {
            for (j, past) in strand.history.iter().enumerate() {
                strand.rate[j] = past.turn / h;
                if let Some(rate) = strand.stretch_rate.get_mut(j) {
                    *rate = (strand.stretch[j] - past.stretch_before) / h;
                }
            }
        }
        self.find_velocities();
        let squared = self.bdf.s * self.bdf.s;
        let Workspace {
            iterate,
            link_steps,
            penalties,
            moving,
            ..
        } = &mut *self.work;
        iterate.factor_for_impact(&problem(input, self.bdf, link_steps, penalties));

        // momentum that is missing
        iterate.factor.clear_loads();
        for (member, strand) in input.members.iter().zip(&*self.strands) {
            for (past, own) in strand.history.iter().zip(member.range()) {
                let (link, body, (spin, velocity)) =
                    (&iterate.links[own], &link_steps[own], moving[own]);
                let lever = link.centre - link.origin;
                let mean = (past.centre[0] - past.centre[1]) / h;
                let push = (mean - velocity - spin.cross(lever)) * (body.mass * squared);
                let turned = |k: usize| {
                    let (axis, before) = (past.axes[0].col(k), past.axes[1].col(k));
                    let missing = (axis - before) / h - spin.cross(axis);
                    axis.cross(missing) * (body.second_moments[k] * squared)
                };
                let turn = turned(0) + turned(1) + turned(2);
                iterate.factor.add_load(own, lever, push, turn);
            }
        }
        iterate.factor.respond_to_loads();
        for (member, strand) in input.members.iter().zip(self.strands.iter_mut()) {
            add_rates(strand, iterate, member.range());
        }
        self.find_velocities();
    }

    /// Writes `moving`, from the rates of the joints.
    fn find_velocities(&mut self) {
        self.work.moving.clear();
        for (k, member) in self.input.members.iter().enumerate() {
            let (strand, work) = (&self.strands[k], &mut *self.work);
            let scaled = member.chain.base.scaled_motion(self.end).0;
            let pose = &work.frames[k].pose;
            velocities(
                member.chain,
                &work.iterate.links[member.range()],
                &strand.rate,
                &strand.stretch_rate,
                (
                    pose.direction(scaled.angular),
                    pose.direction(scaled.linear),
                ),
                &mut work.moving,
            );
        }
    }

    /// Adds the rows of all contacts that push, with `gap` the wanted speed less that of the obstacle \[m/s\].
    /// Returns whether any contact approaches fast enough for an impact.
    fn add_impact_rows(&mut self) -> bool {
        let (input, h) = (self.input, self.bdf.h);
        let Workspace {
            frames,
            contacts,
            swept,
            iterate,
            response,
            ..
        } = &mut *self.work;
        let mut fast = false;
        for (k, member) in input.members.iter().enumerate() {
            let (frame, links) = (&frames[k], &iterate.links[member.range()]);
            for touch in contacts[k].touching() {
                let Touch {
                    obstacle,
                    point,
                    axes,
                    friction,
                } = touch;
                // the step is history by now
                let v = speed_before(&self.strands[k], &self.properties[k], point, 1);
                let carried = carried_along(&swept[obstacle], frame, point.place(links), h);
                let approach = axes[0].dot(v - carried);
                fast |= approach < -IMPACT;
                let link = &self.properties[k].links[point.link];
                let [.., bounce] = input.model.obstacles[obstacle].coefficients(link.material);
                let restitution = bounce * link.restitution_weight;
                let normal = response.rows.len();
                for (k, direction) in axes.into_iter().enumerate() {
                    // the row wants n·(v − carried) = −restitution · approach, so it is off by the rest; along
                    // the surface friction wants no slip
                    let (wanted, bound) = if k == 0 {
                        (restitution * approach.min(0.0), Bound::Unilateral)
                    } else {
                        (0.0, Bound::Disc { normal, friction })
                    };
                    response.rows.push(Row {
                        jacobian: RowJacobian::Points(point.shifted(member.first), None),
                        direction,
                        gap: wanted - direction.dot(carried),
                        force: 0.0,
                        bound,
                        surface: None,
                        beside: None,
                        group: usize::MAX,
                    });
                }
            }
        }
        fast
    }
}

/// Adds the factor's solution to the rates of a member with these links.
fn add_rates(strand: &mut StrandState, iterate: &Iterate, links: Range<usize>) {
    for (j, own) in links.enumerate() {
        let axes = &iterate.links[own].axes;
        strand.rate[j] += axes.transpose() * iterate.factor.joint_turn(own);
        if let Some(rate) = strand.stretch_rate.get_mut(j) {
            *rate += iterate.factor.slide[own];
        }
    }
}

impl Row {
    /// How fast the row moves when links turn and their origins move as given, world axes \[m/s\] or \[rad/s\].
    pub(crate) fn speed(&self, moving: &[(Vec3, Vec3)], links: &[crate::Link]) -> f64 {
        let velocity = |point: LinkPoint| {
            let (spin, velocity) = moving[point.link];
            velocity + spin.cross(point.lever(links))
        };
        let apart = match self.jacobian {
            RowJacobian::Points(a, None) => velocity(a),
            RowJacobian::Points(a, Some((b, seen))) => velocity(a) - seen * velocity(b),
            RowJacobian::Turn(a, None) => moving[a].0,
            RowJacobian::Turn(a, Some((b, seen))) => moving[a].0 - seen * moving[b].0,
            RowJacobian::Joint(_) => Vec3::ZERO,
        };
        self.direction.dot(apart)
    }
}

/// Velocity of a point of a link at the start of the step, which is entry `past` of the history.
fn speed_before(
    strand: &StrandState,
    properties: &Properties,
    point: LinkPoint,
    past: usize,
) -> Vec3 {
    let history = &strand.history[point.link];
    let from_centre = Vec3::Y * (point.at.y - properties.links[point.link].half);
    history.velocity[past] + history.axes_rate[past] * from_centre
}

/// Velocity of the obstacle's material point at `place`, scaled world.
fn carried_along(motion: &Swept, frame: &BaseFrame, place: Vec3, h: f64) -> Vec3 {
    let at = motion.to.local_point(frame.world(place));
    frame.scaled(motion.to.point(at) - motion.from.point(at)) / h
}
