//! Strands that constraints hold to each other are advanced as one: in the same steps, with one Newton
//! iteration over all their joints, in which what holds them together are rows beside those of loops and
//! contacts. Each keeps its own base, history and obstacles; strands that nothing joins stay alone.
//!
//! Rigid bodies that carry strands, hold them or may be touched by them are members too: links with six
//! freedoms that come first, from which the strands based on them hang. All move together, and what acts
//! between them acts on both sides in one equation: momentum is kept by construction.

use drystone_base::{Pose, Vec3};
use drystone_complementarity::solvers::Row as Bound;

mod bodies;
mod joins;
mod surroundings;

use bodies::push_exactly;
use surroundings::Surroundings;

use crate::Model;
use crate::base::{Frame, base_load};
use crate::chain::{BASE, Chain, FREE};
use crate::constraint::{Goal, Spot};
use crate::contact::Swept;
use crate::encounter::{find_speeds, impact_rows, strikes, watch_obstacles};
use crate::goals::{remember_forces, set_goals, take_up};
use crate::implicit::{Bdf, Problem};
use crate::kinematics::Bases;
use crate::newton::{Limits, Solved, solve};
use crate::properties::Properties;
use crate::reaction::{add_reactions, correct_for_impact, momentum_before};
use crate::response::Handle;
use crate::spring::Spring;
use crate::state::{Held, StrandState};
use crate::step::{
    Scene, Workspace, accept, extrapolate, gather_forces, local_error, start_halvings,
};

/// How much finer than strands alone a step with bodies is solved, so that momentum is kept [1].
const BODY_TOLERANCE: f64 = 1e-4;
/// Longest length over which a shift counts like a radian [m].
const LONG: f64 = 1.0;

/// Strands that are advanced as one.
pub(crate) struct Group {
    /// Indices of rigid bodies and of strands, rising, and the constraints that join them.
    pub bodies: Vec<usize>,
    pub members: Vec<usize>,
    pub joins: Vec<usize>,
    /// What moves of each member, bodies first; lent by the system for a step.
    pub strands: Vec<StrandState>,
    pub properties: Vec<Properties>,
    pub works: Vec<Workspace>,
    frames: Vec<Frame>,
    /// Where the links of each member begin among all, and their count at last.
    first: Vec<usize>,
    /// All links: only what the equations need of a chain is filled in.
    chain: Chain,
    whole: Workspace,
    /// Base of each link.
    bases: Vec<Pose>,
    forces: Vec<f64>,
    returning: Vec<(usize, Vec3)>,
    /// Of a strand based on a body of the group: that body, and its base in the frame of the body's link.
    mounts: Vec<Option<(usize, Pose)>>,
    /// Obstacles that are bodies of the group, with their motion over the present step.
    moving: Vec<(usize, Swept)>,
    /// Coefficients of the last accepted step.
    pub last: Option<Bdf>,
}

impl Group {
    /// Bodies `bodies` and strands `members` of `model`, joined by the constraints `joins`.
    pub(crate) fn new(
        model: &Model,
        bodies: Vec<usize>,
        members: Vec<usize>,
        joins: Vec<usize>,
    ) -> Self {
        let links = bodies.iter().map(|&k| &model.bodies[k].chain);
        let strands = members.iter().map(|&i| &model.chains[i]);
        let chains: Vec<&Chain> = links.chain(strands).collect();
        let mut chain = chains[0].clone();
        let mut first = vec![0, chain.len()];
        let mut mounts = vec![None; bodies.len()];
        for &i in &members {
            let mount = model.chains[i].base.body.and_then(|(body, at)| {
                let link = bodies.iter().position(|&k| k == body)?;
                Some((link, model.bodies[body].in_link(&at)))
            });
            mounts.push(mount);
        }
        for (m, other) in chains.iter().enumerate().skip(1) {
            let start = chain.len();
            for (&parent, &joint) in other.parent.iter().zip(&other.joint) {
                let (parent, joint) = match (parent, mounts[m]) {
                    (BASE, Some((link, at))) => (link, at.point(joint)),
                    (BASE | FREE, _) => (parent, joint),
                    (parent, _) => (parent + start, joint),
                };
                chain.parent.push(parent);
                chain.joint.push(joint);
            }
            chain.length.extend_from_slice(&other.length);
            chain.reach = chain.reach.max(other.reach);
            first.push(chain.len());
        }
        let mut works = Vec::new();
        works.resize_with(chains.len(), Workspace::default);
        Self {
            bodies,
            members,
            joins,
            strands: Vec::new(),
            properties: Vec::new(),
            works,
            frames: Vec::new(),
            first,
            chain,
            whole: Workspace::default(),
            bases: Vec::new(),
            forces: Vec::new(),
            returning: Vec::new(),
            mounts,
            moving: Vec::new(),
            last: None,
        }
    }

    /// Advances all members from `t` by `dt`: the steps of [`crate::step::advance`], side by side.
    pub(crate) fn advance(&mut self, scenes: &[Scene<'_>], t: f64, dt: f64) {
        let options = scenes[0].options;
        let parts = 1u64 << options.halvings;
        let mut done = 0;
        let mut halvings = 0;
        let mut struck = false;
        self.whole.tired = false;
        for (k, strand) in self.strands.iter_mut().enumerate() {
            // of a body it is what came from outside over its last step
            if k >= self.bodies.len() {
                strand.base_impulse = [Vec3::ZERO; 2];
            }
            strand.reactions.clear();
            if strand.depth == 0 {
                strand.halvings = strand.halvings.max(start_halvings(options, strand));
            }
            halvings = halvings.max(strand.halvings);
        }
        while done < parts {
            let size = parts >> halvings;
            let part = [done, done + size].map(|k| k as f64 / parts as f64);
            let (now, h) = (t + dt * part[0], dt * (size as f64 / parts as f64));

            let bdf = if struck {
                Bdf::first(h)
            } else {
                self.difference_formula(h)
            };
            self.frames.clear();
            self.foresee_bodies(scenes[0].model, h);
            for (k, scene) in scenes.iter().enumerate() {
                let frame = self.frame(scene, k, now, h);
                let (strand, work) = (&self.strands[k], &mut self.works[k]);
                let properties = &mut self.properties[k];
                extrapolate(scene, strand, &frame, bdf, work);
                gather_forces(scene, strand, properties, &frame, bdf, now + h, work);
                set_goals(scene, strand, &frame, bdf, now, work);
                let span = (part[0], part[1]);
                if k < self.bodies.len() {
                    push_exactly(&mut work.bodies[0], strand, bdf);
                } else {
                    let moving = &self.moving;
                    watch_obstacles(scene, strand, properties, &frame, now, span, moving, work);
                }
                self.frames.push(frame);
            }
            self.unite(scenes);
            self.set_joins(scenes, now, h);
            let solved = self.solve(scenes, bdf, now + h);
            let solved = self.hold_goals(scenes, bdf, now + h, solved);
            self.divide();

            // after a blow backward differences over two steps would give a part of it back: such a step
            // is taken at first order, and so is the next
            let blow = solved.converged && !struck && self.is_blow(bdf);
            if blow && bdf != Bdf::first(h) {
                struck = true;
                self.works[0].tally.count(solved.iterations);
                continue;
            }

            // the worst member decides
            let (mut error, mut rough) = (0.0f64, 0.0f64);
            for ((strand, work), scene) in self.strands.iter().zip(&self.works).zip(scenes) {
                let own = local_error(strand, &work.iterate.links, h);
                let reach = match scene.chain.reach {
                    0.0 => self.chain.reach,
                    reach => reach,
                };
                let allowed = options.error_tolerance * reach;
                error = error.max(own);
                rough = if own.is_nan() {
                    f64::INFINITY
                } else {
                    rough.max(own / allowed.max(f64::MIN_POSITIVE))
                };
            }
            let controlled = options.error_tolerance > 0.0;
            self.works[0].tally.count(solved.iterations);
            let strikes = |k: usize| {
                let (strand, properties) = (&self.strands[k], &self.properties[k]);
                strikes(strand, properties, &self.frames[k], bdf, &self.works[k])
            };
            let again =
                !solved.converged || (controlled && rough > 1.0 && !(0..scenes.len()).any(strikes));
            let again = again && !(struck && solved.converged);
            if again && !self.whole.tired && halvings < options.halvings {
                halvings += 1;
                self.works[0].tally.halved += 1;
                continue;
            }
            self.whole.tired |= !solved.converged;
            let tally = &mut self.works[0].tally;
            tally.failed += u64::from(!solved.converged);
            tally.steps += self.members.len() as u64;
            tally.error = tally.error.max(error);
            self.accept(bdf);
            self.last = Some(bdf);
            if self.bodies.is_empty() {
                self.bounce(scenes, bdf, now + h);
            } else if struck || blow {
                for strand in &mut self.strands {
                    strand.depth = 0;
                }
            }
            struck = false;

            done += size;
            let settled = self.strands.iter().all(|strand| strand.depth > 2);
            let calm = settled && rough < 1.0 / 16.0 || !controlled;
            let calm = calm || self.whole.hurries(halvings);
            if halvings > 0 && done % (2 * size) == 0 && calm {
                halvings -= 1;
            }
        }
        for strand in &mut self.strands {
            strand.halvings = halvings;
        }
    }

    /// One formula for all: of second order where all took the same step before.
    fn difference_formula(&self, h: f64) -> Bdf {
        let before = self.strands[0].steps[0];
        let alike = |strand: &StrandState| strand.depth > 0 && strand.steps[0] == before;
        if self.strands.iter().all(alike) {
            Bdf::second(h, before)
        } else {
            Bdf::first(h)
        }
    }

    /// Puts guesses, forces and goals of all members side by side.
    fn unite(&mut self, scenes: &[Scene<'_>]) {
        let Workspace {
            iterate,
            bodies,
            springs,
            goals,
            ..
        } = &mut self.whole;
        iterate.rotation.clear();
        iterate.stretch.clear();
        iterate.links.clear();
        iterate.centres.clear();
        bodies.clear();
        springs.clear();
        goals.clear();
        self.forces.clear();
        self.bases.clear();
        let extensible = scenes.iter().any(|scene| scene.chain.extensible);
        for (k, work) in self.works.iter().enumerate() {
            let (first, count) = (self.first[k], work.bodies.len());
            iterate.rotation.extend_from_slice(&work.iterate.rotation);
            iterate.links.extend_from_slice(&work.iterate.links);
            bodies.extend_from_slice(&work.bodies);
            if k < self.bodies.len() {
                iterate.centres.push(self.frames[k].pose.position);
            }
            // joints on a body turn in the frame of its link
            if let Some((_, at)) = &self.mounts[k] {
                for (j, _) in scenes[k].chain.roots() {
                    let (rotation, body) =
                        (&mut iterate.rotation[first + j], &mut bodies[first + j]);
                    *rotation = at.rotation * *rotation;
                    body.start = at.rotation * body.start;
                    body.rest_inverse *= at.rotation.conjugate();
                }
            }
            if extensible {
                iterate.stretch.extend_from_slice(&work.iterate.stretch);
                iterate.stretch.resize(first + count, 0.0);
            }
            let mount = self.mounts[k].map(|(_, at)| at.rotation);
            springs.extend(work.springs.iter().map(|spring| {
                let mut goal = spring.goal.shifted(first);
                if let (Goal::Joint { link, target, .. }, Some(turn)) = (&mut goal, mount)
                    && scenes[k].chain.parent[*link - first] == BASE
                {
                    *target = turn * *target;
                }
                Spring { goal, ..*spring }
            }));
            let own = work.goals.iter();
            goals.extend(own.map(|(c, goal)| (*c, goal.shifted(first))));
            self.forces
                .extend(work.response.rows.iter().map(|row| row.force));
            let base = self.frames[k].pose;
            self.bases.extend(std::iter::repeat_n(base, count));
        }
    }

    /// Newton on the joints of all members.
    fn solve(&mut self, scenes: &[Scene<'_>], bdf: Bdf, t: f64) -> Solved {
        let iterations = self.whole.patience(scenes[0].options);
        let Workspace {
            iterate,
            bodies,
            springs,
            goals,
            response,
            ..
        } = &mut self.whole;
        let problem = Problem {
            chain: &self.chain,
            law: &*scenes[0].model.law,
            bdf,
            bodies,
            springs,
        };
        let lengths = scenes[self.bodies.len()..]
            .iter()
            .map(|scene| scene.chain.reach / scene.chain.len() as f64);
        let limits = Limits {
            tolerance: if self.bodies.is_empty() {
                scenes[0].options.tolerance
            } else {
                BODY_TOLERANCE * scenes[0].options.tolerance
            },
            late: scenes[0].options.tolerance,
            iterations,
            length: lengths.fold(f64::INFINITY, f64::min).min(LONG),
            careful: !springs.is_empty(),
        };
        let mut coupling = Surroundings {
            scenes,
            properties: &self.properties,
            frames: &self.frames,
            first: &self.first,
            works: &mut self.works,
            bodies,
            goals,
            response,
            bdf,
            t,
        };
        solve(
            &problem,
            Bases::Each(&self.bases),
            iterate,
            limits,
            &mut coupling,
        )
    }

    /// As [`crate::goals::hold_goals`], over all members.
    fn hold_goals(&mut self, scenes: &[Scene<'_>], bdf: Bdf, t: f64, mut solved: Solved) -> Solved {
        for _ in 0..2 {
            let Workspace {
                iterate, springs, ..
            } = &mut self.whole;
            if springs.is_empty() || !solved.converged {
                break;
            }
            if !take_up(iterate, springs, self.chain.reach) {
                break;
            }
            let again = self.solve(scenes, bdf, t);
            solved = Solved {
                converged: again.converged,
                iterations: solved.iterations + again.iterations,
            };
        }
        solved
    }

    /// Gives every member its part of the solution.
    fn divide(&mut self) {
        let Workspace {
            iterate,
            springs,
            response,
            ..
        } = &self.whole;
        let (mut spring, mut row) = (0, 0);
        for (k, work) in self.works.iter_mut().enumerate() {
            let range = self.first[k]..self.first[k + 1];
            let own = &mut work.iterate;
            own.rotation
                .copy_from_slice(&iterate.rotation[range.clone()]);
            if let Some((link, at)) = &self.mounts[k] {
                for (j, rotation) in own.rotation.iter_mut().enumerate() {
                    if self.chain.parent[range.start + j] == *link {
                        *rotation = (at.rotation.conjugate() * *rotation).normalize();
                    }
                }
                let carrier = &iterate.links[*link];
                self.frames[k].pose = Pose::new(carrier.origin, carrier.rotation).then(at);
            }
            if let Some(centre) = iterate.centres.get(k) {
                self.frames[k].pose = Pose::at(*centre);
            }
            own.links.copy_from_slice(&iterate.links[range.clone()]);
            if !own.stretch.is_empty() {
                own.stretch.copy_from_slice(&iterate.stretch[range.clone()]);
            }
            own.live.clear();
            if !iterate.live.is_empty() {
                own.live.extend_from_slice(&iterate.live[range.clone()]);
            }
            own.loads.clear();
            own.loads.extend_from_slice(&iterate.loads[range]);
            for (own, found) in work.springs.iter_mut().zip(&springs[spring..]) {
                own.force = found.force;
            }
            spring += work.springs.len();
            for (own, found) in work.response.rows.iter_mut().zip(&response.rows[row..]) {
                own.force = found.force;
            }
            row += work.response.rows.len();
        }
    }

    /// The iterate becomes the state of every member.
    fn accept(&mut self, bdf: Bdf) {
        for (k, strand) in self.strands.iter_mut().enumerate() {
            let (frame, work) = (&self.frames[k], &mut self.works[k]);
            accept(strand, frame, bdf, work);
            if k < self.bodies.len() {
                strand.base_impulse = [strand.force[0] * bdf.h, strand.torque[0] * bdf.h];
                continue;
            }
            let load = base_load(frame, bdf, work);
            for (sum, part) in strand.base_impulse.iter_mut().zip(load) {
                *sum += part * bdf.h;
            }
            remember_forces(strand, work);
            work.contacts.forces(frame, &mut strand.contacts);
            add_reactions(strand, frame, bdf, work);
        }
        // what joins them is kept by the strand that it belongs to
        let Workspace {
            iterate,
            goals,
            response,
            ..
        } = &mut self.whole;
        response.measure(goals, &iterate.links, &iterate.rotation);
        for (c, returning) in &self.returning {
            let rows = response.rows.iter().filter(|row| goals[row.group].0 == *c);
            let mut held = Held {
                constraint: *c,
                force: [0.0; 6],
                returning: *returning,
                error: 0.0,
            };
            let mut link = 0;
            for (k, row) in rows.take(6).enumerate() {
                held.force[k] = row.force;
                held.error = held.error.max(row.gap.abs());
                if let Handle::Points(spot, _) = row.handle {
                    link = spot.link;
                }
            }
            let owner = self.first.partition_point(|&first| first <= link) - 1;
            self.strands[owner].held.push(held);
        }
    }

    /// As [`crate::encounter::bounce`]: an impact of one is felt by all.
    fn bounce(&mut self, scenes: &[Scene<'_>], bdf: Bdf, t: f64) {
        let mut fast = false;
        for (k, scene) in scenes.iter().enumerate() {
            let (strand, work) = (&self.strands[k], &mut self.works[k]);
            let (frame, properties) = (&self.frames[k], &self.properties[k]);
            fast |= impact_rows(scene, strand, properties, frame, bdf, work);
        }
        if !fast {
            return;
        }
        let Workspace {
            iterate,
            goals,
            response,
            moving,
            bodies,
            springs,
            ..
        } = &mut self.whole;
        let problem = Problem {
            chain: &self.chain,
            law: &*scenes[0].model.law,
            bdf,
            bodies,
            springs,
        };
        iterate.factor_for_impact(&problem);
        response.measure(goals, &iterate.links, &iterate.rotation);
        let held = response
            .rows
            .iter()
            .take_while(|row| row.group < goals.len());
        let held = held.count();
        response.rows.truncate(held);
        moving.clear();
        for (k, scene) in scenes.iter().enumerate() {
            let (strand, work) = (&mut self.strands[k], &mut self.works[k]);
            find_speeds(scene, strand, &self.frames[k], bdf, t, work);
            moving.extend_from_slice(&work.moving);
            let offset = response.rows.len();
            for row in &work.response.rows {
                let mut row = *row;
                row.handle = row.handle.shifted(self.first[k]);
                if let Bound::Disc { normal, .. } = &mut row.bound {
                    *normal += offset;
                }
                response.rows.push(row);
            }
        }
        // what is held moves alike
        for row in &mut response.rows[..held] {
            let speed = |spot: Spot| {
                let (spin, velocity) = moving[spot.link];
                velocity + spin.cross(spot.lever(&iterate.links))
            };
            let apart = match row.handle {
                Handle::Points(a, b) => {
                    speed(a) - b.map_or(Vec3::ZERO, |(b, seen)| seen * speed(b))
                }
                Handle::Turn(a, b) => {
                    moving[a].0 - b.map_or(Vec3::ZERO, |(b, seen)| seen * moving[b].0)
                }
                Handle::Joint(_) => Vec3::ZERO,
            };
            row.gap = row.direction.dot(apart);
        }
        let method = scenes[0].options.method();
        response.strike(&mut iterate.factor, &iterate.links, method);
        let mut next = held;
        for (k, strand) in self.strands.iter_mut().enumerate() {
            for (j, rate) in strand.rate.iter_mut().enumerate() {
                let link = self.first[k] + j;
                *rate += iterate.links[link].axes.transpose() * iterate.factor.joint_turn(link);
            }
            let (frame, work) = (&self.frames[k], &self.works[k]);
            let rows = &response.rows[next..next + work.response.rows.len()];
            next += rows.len();
            let before = momentum_before(strand, work);
            strand.restart(scenes[k].chain, t);
            correct_for_impact(strand, before, frame, bdf, rows, work);
        }
    }
}
