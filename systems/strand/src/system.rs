//! A model, its state and how to step it, in one hand.

mod roster;

use std::collections::BTreeMap;
use std::time::Instant;

use drystone_base::{Mat3, Pose, Quat, Vec3};
use rayon::prelude::*;

use crate::body::motion_of;
use crate::contact::Swept;
use crate::continuum::{Grid, Parcel, Push};
use crate::joined::Group;
use crate::kinematics::{Link, place};
use crate::properties::Properties;
use crate::state::StrandState;
use crate::step::{Scene, Workspace, advance};
use crate::{Anchor, Constraint, Error, Key, Model, MotionPath, Options, State};

/// Bodies, strands and constraints that are solved as one, by index.
type Together = (Vec<usize>, Vec<usize>, Vec<usize>);

/// How far from a body a strand is solved with it in any case [m].
const REACH: f64 = 1e-2;

/// What a step did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Implicit steps of all strands.
    pub steps: u64,
    /// How many solves took 0, 1, 2, … Newton iterations.
    pub iterations: Vec<u64>,
    /// Steps halved, for their error or because Newton did not converge.
    pub halved: u64,
    /// Steps accepted unsolved, because they could not be halved any more.
    pub failed: u64,
    /// Strands that `failed` is about, in order. Strands solved together count by the first.
    pub unsolved: Vec<usize>,
    /// Largest error of an accepted step [m].
    pub error: f64,
    /// Strands put back on their start because their motion was no longer finite.
    pub set_aside: Vec<usize>,
    /// Seconds spent.
    pub seconds: f64,
}

impl Report {
    /// Mean, 95th percentile and maximum of the Newton iterations of a solve (the paper: 18.3 in
    /// the mean, 213 at most).
    pub fn iteration_figures(&self) -> (f64, usize, usize) {
        let count: u64 = self.iterations.iter().sum();
        let weighted = self.iterations.iter().zip(0u64..).map(|(n, k)| n * k);
        let mean = weighted.sum::<u64>() as f64 / count.max(1) as f64;
        let (mut seen, mut p95) = (0, 0);
        for (k, n) in self.iterations.iter().enumerate() {
            if seen * 20 < count * 19 {
                p95 = k;
            }
            seen += n;
        }
        let most = self.iterations.iter().rposition(|&n| n > 0).unwrap_or(0);
        (mean, p95, most)
    }

    /// Adds what a later step did.
    pub fn add(&mut self, other: &Self) {
        if self.iterations.len() < other.iterations.len() {
            self.iterations.resize(other.iterations.len(), 0);
        }
        for (sum, n) in self.iterations.iter_mut().zip(&other.iterations) {
            *sum += n;
        }
        self.steps += other.steps;
        self.halved += other.halved;
        self.failed += other.failed;
        self.error = self.error.max(other.error);
        self.unsolved.extend(&other.unsolved);
        self.unsolved.sort_unstable();
        self.unsolved.dedup();
        self.set_aside.extend(&other.set_aside);
        self.seconds += other.seconds;
    }
}

/// A model, its state, and the options with which it is stepped.
pub struct System {
    /// What stays fixed.
    pub model: Model,
    /// What moves.
    pub state: State,
    pub(crate) options: Options,
    pub(crate) properties: Vec<Properties>,
    pub(crate) workspaces: Vec<Workspace>,
    grid: Grid,
    parcels: Vec<Parcel>,
    pushes: Vec<Push>,
    first_push: Vec<usize>,
    /// Constraints switched on, by strand; those solved with what they hold it to are in `joins`.
    constraints: Vec<Vec<usize>>,
    joins: Vec<Vec<usize>>,
    /// Inverse mass and inverse inertia of each body over the last step; see [`System::body_response`].
    pub(crate) responses: Vec<Option<[Mat3; 2]>>,
    /// Strands that constraints join, and whether each strand is one of them.
    groups: Vec<Group>,
    joined: Vec<bool>,
    /// Motion of each obstacle over the present step.
    swept: Vec<Swept>,
    /// Paths of the model that driven bases have left.
    left: BTreeMap<usize, MotionPath>,
}

impl System {
    /// The start of `model`; refuses options that make no sense.
    pub fn new(model: Model, options: Options) -> Result<Self, Error> {
        options.validate()?;
        let state = State::new(&model);
        let mut system = Self {
            model,
            state,
            options,
            properties: Vec::new(),
            workspaces: Vec::new(),
            grid: Grid::default(),
            parcels: Vec::new(),
            pushes: Vec::new(),
            first_push: Vec::new(),
            constraints: Vec::new(),
            joins: Vec::new(),
            responses: Vec::new(),
            groups: Vec::new(),
            joined: Vec::new(),
            swept: Vec::new(),
            left: BTreeMap::new(),
        };
        system.renew_properties();
        Ok(system)
    }

    /// How steps are taken.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Changes how steps are taken, from the next one on.
    pub fn set_options(&mut self, options: Options) -> Result<(), Error> {
        options.validate()?;
        self.options = options;
        Ok(())
    }

    /// Goes on from `state`, a snapshot of a system with the same model.
    pub fn restore(&mut self, state: State) -> Result<(), Error> {
        state.fits(&self.model)?;
        self.state = state;
        // a base that is driven goes on from the keys it had
        for (i, strand) in self.state.strands.iter().enumerate() {
            let path = &mut self.model.chains[i].base.path;
            if !strand.driven.is_empty() {
                self.left.entry(i).or_insert_with(|| path.clone());
                *path = MotionPath::through(&strand.driven)?;
            } else if let Some(given) = self.left.remove(&i) {
                *path = given;
            }
        }
        self.renew_properties();
        Ok(())
    }

    /// Parameters of strand `i` at the present time.
    pub fn properties(&self, i: usize) -> &Properties {
        &self.properties[i]
    }

    /// Samples all parameters anew; to be called after changing the model.
    pub fn renew_properties(&mut self) {
        self.properties
            .resize_with(self.model.len(), Properties::default);
        for (properties, chain) in self.properties.iter_mut().zip(&self.model.chains) {
            properties.sample(chain, self.state.time);
        }
    }

    /// Advances to the end of a frame of `frame` seconds, in the steps that the options ask for.
    pub fn advance_frame(&mut self, frame: f64) -> Report {
        let (start, count) = (self.state.time, self.options.steps_per_frame);
        let mut report = Report::default();
        for k in 1..=count {
            // ends of steps come from the frame, so that rounding does not add up
            let end = start + frame * (f64::from(k) / f64::from(count));
            self.step_into(end - self.state.time, &mut report);
            self.state.time = end;
        }
        report
    }

    /// Takes one step of `dt` seconds. A step that is not of positive, finite length changes nothing.
    pub fn step(&mut self, dt: f64) -> Report {
        let mut report = Report::default();
        self.step_into(dt, &mut report);
        report
    }

    /// The same, and adds what it did to `report`. Once everything has its size, a step asks for no
    /// memory.
    pub fn step_into(&mut self, dt: f64, report: &mut Report) {
        if !(dt > 0.0 && dt.is_finite()) {
            return;
        }
        let start = Instant::now();
        self.interact();
        self.list_constraints();
        self.list_groups(dt);
        self.move_obstacles(dt);
        self.advance_strands(dt);
        self.state.time += dt;
        self.state.step += 1;
        self.collect_tallies(report);
        report.seconds += start.elapsed().as_secs_f64();
    }

    /// What the strands do to each other during the next step.
    fn interact(&mut self) {
        self.parcels.clear();
        self.pushes.clear();
        self.first_push.clear();
        let Some(continuum) = &self.options.continuum else {
            return;
        };
        for (i, strand) in self.state.strands.iter().enumerate() {
            let (chain, properties) = (&self.model.chains[i], &self.properties[i]);
            let to_world = match chain.base.body {
                Some(_) => Pose::IDENTITY,
                None => {
                    let truly = chain.base.path.pose(self.state.time);
                    truly.then(&strand.base.inverse())
                }
            };
            self.first_push.push(self.parcels.len());
            for (j, history) in strand.history.iter().enumerate() {
                self.parcels.push(Parcel {
                    mass: properties.links[j].mass,
                    position: to_world.point(history.centre[0]),
                    velocity: to_world.direction(strand.centre_velocity(j)),
                });
            }
        }
        self.grid
            .interact(continuum, &self.parcels, &mut self.pushes);
    }

    /// Which constraints act on which strand in the next step.
    fn list_constraints(&mut self) {
        self.state
            .constraint_on
            .resize(self.model.constraints.len(), true);
        if self.model.constraints.is_empty() && self.constraints.is_empty() {
            return;
        }
        self.constraints.resize_with(self.model.len(), Vec::new);
        self.joins.resize_with(self.model.len(), Vec::new);
        for list in self.constraints.iter_mut().chain(&mut self.joins) {
            list.clear();
        }
        for (c, constraint) in self.model.constraints.iter().enumerate() {
            if !self.state.constraint_on[c] || constraint.strand >= self.model.len() {
                continue;
            }
            if self.is_join(constraint) {
                self.joins[constraint.strand].push(c);
            } else {
                self.constraints[constraint.strand].push(c);
            }
        }
    }

    /// Whether a constraint is solved together with what it holds its strand to: another strand, a body, or
    /// anything outside of a strand that a body carries.
    fn is_join(&self, constraint: &Constraint) -> bool {
        match constraint.anchor() {
            Some(Anchor::Strand { .. } | Anchor::Body { .. }) => true,
            Some(Anchor::World(_) | Anchor::Base(_)) => {
                let chain = self.model.chains.get(constraint.strand);
                chain.is_some_and(|chain| chain.base.body.is_some())
            }
            _ => false,
        }
    }

    /// Which strands and bodies are joined during the next step.
    fn list_groups(&mut self, dt: f64) {
        self.joined.clear();
        let (model, t, count) = (&self.model, self.state.time, self.model.len());
        let free = |k: usize| self.state.body_free.get(k) == Some(&true);
        let bodies: Vec<usize> = (0..model.bodies.len()).filter(|&k| free(k)).collect();
        // nodes are strands, then bodies
        let ends = |c: usize| {
            let constraint = &model.constraints[c];
            let active = constraint.active.at(t) > 0.0 || constraint.active.at(t + dt) > 0.0;
            let on = self.state.constraint_on[c] && constraint.strand < count;
            if !on || !active || !self.is_join(constraint) {
                return None;
            }
            let other = match constraint.anchor()? {
                Anchor::Strand { strand, .. } => (*strand < count).then_some(*strand)?,
                Anchor::Body { body, .. } => free(*body).then_some(count + *body)?,
                _ => constraint.strand,
            };
            Some((constraint.strand, other))
        };
        let mut edges: Vec<(usize, usize)> = Vec::new();
        let joins: Vec<(usize, usize)> = (0..model.constraints.len())
            .filter_map(|c| Some((c, ends(c)?.0)))
            .collect();
        edges.extend((0..model.constraints.len()).filter_map(ends));
        if bodies.is_empty() && edges.is_empty() {
            self.groups.clear();
            return;
        }
        for (i, chain) in model.chains.iter().enumerate() {
            if let Some((body, _)) = chain.base.body.filter(|(body, _)| free(*body)) {
                edges.push((i, count + body));
            }
        }
        for &k in &bodies {
            edges.extend(self.strands_near(k, dt).map(|i| (i, count + k)));
        }
        // each is named after the first one that it hangs together with
        let mut leader: Vec<usize> = (0..count + model.bodies.len()).collect();
        let find = |leader: &[usize], mut i: usize| {
            while leader[i] != i {
                i = leader[i];
            }
            i
        };
        for (a, b) in edges {
            let (a, b) = (find(&leader, a), find(&leader, b));
            leader[a.max(b)] = a.min(b);
        }
        let mut lists: BTreeMap<usize, Together> = BTreeMap::new();
        for &k in &bodies {
            lists.entry(find(&leader, count + k)).or_default().0.push(k);
        }
        for i in 0..count {
            lists.entry(find(&leader, i)).or_default().1.push(i);
        }
        for (c, a) in joins {
            lists.entry(find(&leader, a)).or_default().2.push(c);
        }
        self.joined.resize(count, false);
        let mut groups = Vec::new();
        let mut known = std::mem::take(&mut self.groups);
        let together = |(bodies, _, joins): &Together| !bodies.is_empty() || !joins.is_empty();
        for (bodies, members, joins) in lists.into_values().filter(together) {
            for &i in &members {
                self.joined[i] = true;
            }
            let same = |group: &Group| group.members == members && group.bodies == bodies;
            groups.push(match known.iter().position(same) {
                Some(k) => {
                    let mut group = known.swap_remove(k);
                    group.joins = joins;
                    group
                }
                None => Group::new(model, bodies, members, joins),
            });
        }
        // beside bodies a place in the world is held as exactly as one on a body
        for group in groups.iter_mut().filter(|group| !group.bodies.is_empty()) {
            for &i in &group.members {
                if !model.chains[i].base.is_plain() {
                    continue;
                }
                let Some(list) = self.constraints.get_mut(i) else {
                    continue;
                };
                let world =
                    |c: usize| matches!(model.constraints[c].anchor(), Some(Anchor::World(_)));
                let moved = list.iter().copied().filter(|&c| world(c));
                self.joins[i].extend(moved.clone());
                group.joins.extend(moved);
                list.retain(|&c| !world(c));
                self.joins[i].sort_unstable();
            }
            group.joins.sort_unstable();
        }
        self.groups = groups;
    }

    /// Strands that might touch the surface of body `k` within `dt` seconds, or that do not reach as far as
    /// they move.
    pub fn strands_near(&self, k: usize, dt: f64) -> impl Iterator<Item = usize> + '_ {
        let surface = self.model.bodies[k].body.surface;
        let motion = self.body(k);
        let solid = surface.map(|(obstacle, at)| {
            let shape = &self.model.obstacles[obstacle].shape;
            let (now, v) = (motion.pose.then(&at), motion.linear_velocity * dt);
            let later = Pose::new(now.position + v, now.rotation);
            let solid = shape.aabb(&now).union(&shape.aabb(&later));
            // it may turn, and be pushed on
            let turn = (motion.angular_velocity.length() * dt).min(2.0);
            let size = (solid.high - solid.low).length();
            solid.grown(turn * size + v.length() + REACH)
        });
        (0..self.model.len()).filter(move |&i| {
            let (Some(solid), strand) = (&solid, &self.state.strands[i]) else {
                return false;
            };
            let chain = &self.model.chains[i];
            let mut links = strand.history.iter().zip(&chain.length).enumerate();
            links.any(|(j, (past, length))| {
                let own = &self.properties[i].links[j];
                let far = 0.5 * length + own.radius + 2.0 * past.velocity[0].length() * dt;
                let x = past.centre[0];
                (x.clamp(solid.low, solid.high) - x).length() <= far
            })
        })
    }

    /// Obstacles go along their paths, or to where they are driven.
    fn move_obstacles(&mut self, dt: f64) {
        let (end, state) = (self.state.time + dt, &mut self.state);
        state
            .obstacle_target
            .resize(self.model.obstacles.len(), None);
        for obstacle in self.model.obstacles.iter().skip(state.obstacle_pose.len()) {
            state.obstacle_pose.push(obstacle.path.pose(state.time));
        }
        self.swept.clear();
        for (k, obstacle) in self.model.obstacles.iter().enumerate() {
            let to = state.obstacle_target[k].take();
            let to = to.unwrap_or_else(|| obstacle.path.pose(end));
            let from = std::mem::replace(&mut state.obstacle_pose[k], to);
            self.swept.push(Swept {
                from,
                to,
                body: None,
            });
        }
    }

    /// Every strand by itself, shared out to threads in chunks.
    fn advance_strands(&mut self, dt: f64) {
        let Self {
            model,
            state,
            options,
            properties,
            workspaces,
            pushes,
            first_push,
            constraints,
            joins,
            swept,
            groups,
            joined,
            responses,
            ..
        } = self;
        responses.clear();
        responses.resize(model.bodies.len(), None);
        for group in groups.iter_mut() {
            group.strands.clear();
            group.properties.clear();
            for &k in &group.bodies {
                group.strands.push(std::mem::take(&mut state.bodies[k]));
                group.properties.push(model.bodies[k].properties.clone());
            }
            for &i in &group.members {
                group.strands.push(std::mem::take(&mut state.strands[i]));
                group.properties.push(std::mem::take(&mut properties[i]));
            }
        }
        let (t, count) = (state.time, state.strands.len());
        let chunk = if options.parallel {
            count.div_ceil(64).max(1)
        } else {
            count.max(1)
        };
        workspaces.resize_with(count.div_ceil(chunk), Workspace::default);
        let scene = |i: usize| {
            let chain = &model.chains[i];
            let range = first_push.get(i).map(|&first| first..first + chain.len());
            Scene {
                model,
                chain,
                options,
                pushes: range.map_or(&[], |range| &pushes[range]),
                constraints: constraints.get(i).map_or(&[], |list| list),
                joins: joins.get(i).map_or(&[], |list| list),
                swept,
                settling: false,
            }
        };
        let body_scene = |k: usize| Scene {
            model,
            chain: &model.bodies[k].chain,
            options,
            pushes: &[],
            constraints: &[],
            joins: &[],
            swept: &[],
            settling: false,
        };
        let finish = |i: usize, strand: &mut StrandState, work: &mut Workspace| {
            strand.force.fill(Vec3::ZERO);
            strand.torque.fill(Vec3::ZERO);
            if !is_finite(strand) {
                let driven = std::mem::take(&mut strand.driven);
                *strand = StrandState::new(&model.chains[i], t + dt);
                strand.driven = driven;
                work.tally.set_aside.push(i);
            }
        };
        let run = |c: usize,
                   strands: &mut [StrandState],
                   properties: &mut [Properties],
                   work: &mut Workspace| {
            for (k, (strand, properties)) in strands.iter_mut().zip(properties).enumerate() {
                let i = c * chunk + k;
                if joined.get(i) != Some(&true) {
                    let failed = work.tally.failed;
                    advance(&scene(i), strand, properties, work, t, dt);
                    if work.tally.failed > failed {
                        work.tally.unsolved.push(i);
                    }
                    finish(i, strand, work);
                }
            }
        };
        let run_group = |group: &mut Group| {
            let bodies = group.bodies.iter().map(|&k| body_scene(k));
            let strands = group.members.iter().map(|&i| scene(i));
            let scenes: Vec<Scene<'_>> = bodies.chain(strands).collect();
            group.advance(&scenes, t, dt);
            if let (Some(work), Some(&first)) = (group.works.first_mut(), group.members.first())
                && work.tally.failed > 0
            {
                work.tally.unsolved.push(first);
            }
            let first = group.bodies.len();
            for (k, &i) in group.members.iter().enumerate() {
                finish(
                    i,
                    &mut group.strands[first + k],
                    &mut group.works[first + k],
                );
            }
        };
        if options.parallel {
            let chunks = state
                .strands
                .par_chunks_mut(chunk)
                .zip(properties.par_chunks_mut(chunk));
            let chunks = chunks.zip(workspaces.par_iter_mut()).enumerate();
            chunks.for_each(|(c, ((strands, properties), work))| run(c, strands, properties, work));
            groups.par_iter_mut().for_each(run_group);
        } else if let Some(work) = workspaces.first_mut() {
            run(0, &mut state.strands, properties, work);
            groups.iter_mut().for_each(run_group);
        }
        for group in groups {
            for (link, &k) in group.bodies.iter().enumerate() {
                responses[k] = group.response_of(link);
            }
            let mut lent = group.strands.drain(..).zip(group.properties.drain(..));
            for (&k, (body, _)) in group.bodies.iter().zip(&mut lent) {
                state.bodies[k] = body;
            }
            for (&i, (strand, own)) in group.members.iter().zip(lent) {
                state.strands[i] = strand;
                properties[i] = own;
            }
        }
    }

    /// Adds the counts of all workspaces to `report`, and clears them.
    fn collect_tallies(&mut self, report: &mut Report) {
        let joined = self.groups.iter_mut().flat_map(|group| &mut group.works);
        for work in self.workspaces.iter_mut().chain(joined) {
            let tally = &mut work.tally;
            if report.iterations.len() < tally.iterations.len() {
                report.iterations.resize(tally.iterations.len(), 0);
            }
            for (sum, n) in report.iterations.iter_mut().zip(&mut tally.iterations) {
                *sum += std::mem::take(n);
            }
            report.steps += std::mem::take(&mut tally.steps);
            report.halved += std::mem::take(&mut tally.halved);
            report.failed += std::mem::take(&mut tally.failed);
            report.error = report.error.max(std::mem::take(&mut tally.error));
            report.unsolved.append(&mut tally.unsolved);
            report.set_aside.append(&mut tally.set_aside);
        }
        report.unsolved.sort_unstable();
    }

    /// Poses of all links of strand `i` in the world.
    pub fn links(&self, i: usize) -> Vec<Link> {
        let (chain, strand) = (&self.model.chains[i], &self.state.strands[i]);
        let mut links = Vec::new();
        let base = self.base(i);
        place(chain, &strand.rotation, &strand.stretch, &base, &mut links);
        links
    }

    /// Points of every curve of strand `i` in the world, root to tip [m].
    pub fn points(&self, i: usize) -> Vec<Vec<Vec3>> {
        let (chain, links) = (&self.model.chains[i], self.links(i));
        let mut curves = vec![Vec::new(); chain.parameters.len()];
        let mut order: Vec<usize> = (0..links.len()).collect();
        order.sort_by_key(|&j| chain.source[j]);
        for j in order {
            let (curve, segment) = chain.source[j];
            if segment == 0 {
                curves[curve].push(links[j].pivot);
            }
            curves[curve].push(links[j].tip);
        }
        curves
    }

    /// Frames of the segments of every curve of strand `i`: y along the segment.
    pub fn frames(&self, i: usize) -> Vec<Vec<Quat>> {
        let (chain, links) = (&self.model.chains[i], self.links(i));
        let mut curves = vec![Vec::new(); chain.parameters.len()];
        let mut order: Vec<usize> = (0..links.len()).collect();
        order.sort_by_key(|&j| chain.source[j]);
        for j in order {
            curves[chain.source[j].0].push(links[j].rotation);
        }
        curves
    }

    /// Twist of each joint of strand `i` away from rest, about the segment [rad].
    pub fn twist(&self, i: usize) -> Vec<f64> {
        let (chain, strand) = (&self.model.chains[i], &self.state.strands[i]);
        let pairs = strand.rotation.iter().zip(&chain.rest_rotation);
        pairs
            .map(|(q, rest)| {
                let d = rest.conjugate() * *q;
                2.0 * drystone_base::functions::atan2(d.y * d.w.signum(), d.w.abs())
            })
            .collect()
    }

    /// Drives the base of strand `i`, which may hang on a body that moves by itself: it is in `pose`
    /// at `time` [s], the end of the next step. The path so far is that of the model.
    pub fn drive_base(&mut self, i: usize, time: f64, pose: Pose) {
        let (base, strand) = (&mut self.model.chains[i].base, &mut self.state.strands[i]);
        if strand.driven.is_empty() {
            self.left.insert(i, base.path.clone());
        }
        let now = self.state.time;
        let started = base.path.keys().last().is_some_and(|key| key.time >= now);
        if !started {
            let pose = base.path.pose(now);
            base.path = base.path.driven_to(Key { time: now, pose });
        }
        base.path = base.path.driven_to(Key { time, pose });
        strand.driven.clear();
        strand.driven.extend_from_slice(base.path.keys());
    }

    /// Where the base of strand `i` is.
    pub fn base(&self, i: usize) -> Pose {
        let base = &self.model.chains[i].base;
        match base.body {
            Some((body, at)) => self.body(body).pose.then(&at),
            None => base.path.pose(self.state.time),
        }
    }

    /// Puts the joints of strand `i` into `rotation`, turning at `rate`; it starts anew from there.
    pub fn set_joints(&mut self, i: usize, rotation: &[Quat], rate: &[Vec3]) {
        let (chain, strand) = (&self.model.chains[i], &mut self.state.strands[i]);
        for j in 0..chain.len() {
            if let (Some(q), Some(w)) = (rotation.get(j), rate.get(j)) {
                strand.rotation[j] = q.normalize();
                strand.rate[j] = *w;
            }
        }
        match chain.base.body {
            Some((body, at)) => {
                let carrier = motion_of(&self.model.bodies[body], &self.state.bodies[body]);
                strand.restart_on(chain, carrier.pose.then(&at), carrier.velocity_at(&at));
            }
            None => strand.restart(chain, self.state.time),
        }
    }
}

fn is_finite(strand: &StrandState) -> bool {
    let joints = strand.rotation.iter().zip(&strand.rate);
    joints
        .into_iter()
        .all(|(q, w)| q.is_finite() && w.is_finite())
        && strand
            .history
            .iter()
            .all(|h| h.centre[0].is_finite() && h.velocity[0].is_finite())
        && strand.stretch.iter().all(|e| e.is_finite())
}
