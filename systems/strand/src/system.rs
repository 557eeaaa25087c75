//! A model, its state, and how it is advanced.

mod roster;

use std::collections::BTreeMap;
use std::slice::from_mut;

use drystone_base::{Mat3, Pose, Quat, Vec3};
use rayon::prelude::*;

use crate::body::motion_of;
use crate::condensed::Segment;
use crate::contact::Swept;
use crate::continuum::{Grid, Interaction, Parcel};
use crate::group::Group;
use crate::kinematics::{Link, place};
use crate::properties::Properties;
use crate::state::StrandState;
use crate::step::{Member, Step, StepInput, Workspace};
use crate::step_control::Tally;
use crate::{EnergyGain, Error, Model, MotionPath, Options, State};

/// What a step did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Implicit steps of all strands.
    pub steps: u64,
    /// Number of solves that took 0, 1, 2, … Newton iterations.
    pub iterations: Vec<u64>,
    /// Steps halved, for their error or because Newton did not converge.
    pub halved: u64,
    /// Steps accepted unsolved, because they could not be halved any more.
    pub failed: u64,
    /// Strands that `failed` is about, in order. Strands solved together count by the first.
    pub unsolved: Vec<usize>,
    /// Largest error of an accepted step \[m\].
    pub error: f64,
    /// Strands put back on their start because their motion was no longer finite.
    pub quarantined: Vec<usize>,
    /// Groups with more energy than was put in, at the end of the step.
    pub gains: Vec<EnergyGain>,
    /// Largest surplus of energy of a group as a part of what passes for discretisation error; a group above 1 is among
    /// `gains` \[1\].
    pub surplus: f64,
    /// Wall time \[s\]; zero until whoever times the step writes it.
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
        self.quarantined.extend(&other.quarantined);
        for gain in &other.gains {
            match self
                .gains
                .iter_mut()
                .find(|known| known.strand == gain.strand)
            {
                Some(known) if known.gained < gain.gained => *known = *gain,
                Some(_) => {}
                None => self.gains.push(*gain),
            }
        }
        self.surplus = self.surplus.max(other.surplus);
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
    interactions: Vec<Interaction>,
    first_interaction: Vec<usize>,
    /// Active constraints by strand; those that join two links are in `joins`.
    pub(crate) constraints: Vec<Vec<usize>>,
    pub(crate) joins: Vec<Vec<usize>>,
    /// Inverse mass and inverse inertia of each body over the last step; see [`System::body_response`].
    pub(crate) responses: Vec<Option<[Mat3; 2]>>,
    /// Strands that constraints join, and whether each strand is one of them.
    pub(crate) groups: Vec<Group>,
    pub(crate) joined: Vec<bool>,
    /// Segments that others may push after the next step, in order.
    pub(crate) open: Vec<Segment>,
    /// Motion of each obstacle over the present step.
    swept: Vec<Swept>,
    /// Original paths of bases that are driven.
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
            interactions: Vec::new(),
            first_interaction: Vec::new(),
            constraints: Vec::new(),
            joins: Vec::new(),
            responses: Vec::new(),
            groups: Vec::new(),
            joined: Vec::new(),
            open: Vec::new(),
            swept: Vec::new(),
            left: BTreeMap::new(),
        };
        system.renew_properties();
        Ok(system)
    }

    /// What stays fixed.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// What moves.
    pub fn state(&self) -> &State {
        &self.state
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
                *path = MotionPath::smooth(&strand.driven)?;
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
            self.advance_into(end - self.state.time, &mut report);
            self.state.time = end;
        }
        report
    }

    /// Takes one step of `dt` seconds. A step that is not of positive, finite length changes nothing.
    pub fn advance(&mut self, dt: f64) -> Report {
        let mut report = Report::default();
        self.advance_into(dt, &mut report);
        report
    }

    /// As [`Self::advance`], adding to `report`. After the first steps it allocates no memory.
    pub fn advance_into(&mut self, dt: f64, report: &mut Report) {
        if !(dt > 0.0 && dt.is_finite()) {
            return;
        }
        self.interact();
        self.list_constraints();
        self.list_groups(dt);
        self.move_obstacles(dt);
        self.advance_groups(dt);
        self.state.time += dt;
        self.state.step += 1;
        self.collect_tallies(report);
    }

    /// Strand-strand interaction for the next step (Hadap 2006, §6.7).
    fn interact(&mut self) {
        self.parcels.clear();
        self.interactions.clear();
        self.first_interaction.clear();
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
            self.first_interaction.push(self.parcels.len());
            for (j, history) in strand.history.iter().enumerate() {
                self.parcels.push(Parcel {
                    mass: properties.links[j].mass,
                    position: to_world.point(history.centre[0]),
                    velocity: to_world.direction(strand.centre_velocity(j)),
                });
            }
        }
        self.grid
            .interact(continuum, &self.parcels, &mut self.interactions);
    }

    /// Lists the constraints that act on each strand in the next step.
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

    /// Advances every group by itself, in parallel; strands alone in chunks that share their arrays.
    fn advance_groups(&mut self, dt: f64) {
        let Self {
            model,
            state,
            options,
            properties,
            workspaces,
            interactions,
            first_interaction,
            constraints,
            joins,
            swept,
            groups,
            joined,
            responses,
            ..
        } = self;
        // groups own their members during the step; strands alone share arrays by chunk
        for group in groups.iter_mut() {
            group.borrow(state, properties, model);
        }
        let (t, count) = (state.time, state.strands.len());
        let chunk = if options.parallel {
            count.div_ceil(64).max(1)
        } else {
            count.max(1)
        };
        workspaces.resize_with(count.div_ceil(chunk), Workspace::default);

        // what a strand's step reads
        let member = |i: usize| {
            let chain = &model.chains[i];
            let range = first_interaction
                .get(i)
                .map(|&first| first..first + chain.len());
            Member {
                interactions: range.map_or(&[], |range| &interactions[range]),
                constraints: constraints.get(i).map_or(&[], |list| list),
                joins: joins.get(i).map_or(&[], |list| list),
                ..Member::alone(i, chain)
            }
        };
        // forces are for one step; what is no longer finite starts anew
        let finish = |i: usize, strand: &mut StrandState, tally: &mut Tally| {
            strand.force.fill(Vec3::ZERO);
            strand.torque.fill(Vec3::ZERO);
            strand.end_pushes();
            if !is_finite(strand) {
                let driven = std::mem::take(&mut strand.driven);
                *strand = StrandState::new(&model.chains[i], t + dt);
                strand.driven = driven;
                tally.quarantined.push(i);
            }
        };

        let alone =
            |i: usize, strand: &mut StrandState, own: &mut Properties, work: &mut Workspace| {
                let failed = work.tally.failed;
                let members = [member(i)];
                let input = StepInput::new(model, options, &members, swept);
                let (strands, properties) = (from_mut(strand), from_mut(own));
                Step::new(&input, strands, properties, work, t).advance(dt);
                if work.tally.failed > failed {
                    work.tally.unsolved.push(i);
                }
                finish(i, strand, &mut work.tally);
            };
        let run = |c: usize,
                   strands: &mut [StrandState],
                   properties: &mut [Properties],
                   work: &mut Workspace| {
            for (k, (strand, own)) in strands.iter_mut().zip(properties).enumerate() {
                let i = c * chunk + k;
                if joined.get(i) != Some(&true) {
                    alone(i, strand, own, work);
                }
            }
        };
        // threads
        let run_group =
            |group: &mut Group| group.advance((model, options, swept), member, finish, (t, dt));
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

        // how bodies answer impulses, and members back
        responses.clear();
        responses.resize(model.bodies.len(), None);
        for group in groups {
            for (link, &k) in group.bodies.iter().enumerate() {
                responses[k] = group.response_of(link);
            }
            group.give_back(state, properties);
        }
    }

    /// Adds the counts of all workspaces to `report`, and clears them.
    fn collect_tallies(&mut self, report: &mut Report) {
        let joined = self.groups.iter_mut().map(|group| &mut group.work);
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
            report.quarantined.append(&mut tally.quarantined);
            report.gains.append(&mut tally.gains);
            report.surplus = report.surplus.max(std::mem::take(&mut tally.surplus));
        }
        report.unsolved.sort_unstable();
        report.gains.sort_by_key(|gain| gain.strand);
    }

    /// Poses of all links of strand `i` in the world.
    pub fn links(&self, i: usize) -> Vec<Link> {
        let (chain, strand) = (&self.model.chains[i], &self.state.strands[i]);
        let mut links = Vec::new();
        let base = self.base(i);
        place(chain, &strand.rotation, &strand.stretch, &base, &mut links);
        links
    }

    /// Points of every curve of strand `i` in the world, root to tip \[m\].
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

    /// Twist of each joint of strand `i` away from rest, about the segment \[rad\].
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

    /// Drives the base of strand `i`: it is to be in `pose` at `time` \[s\], the end of the next step. The path up to
    /// now is kept.
    pub fn drive_base(&mut self, i: usize, time: f64, pose: Pose) {
        let (base, strand) = (&mut self.model.chains[i].base, &mut self.state.strands[i]);
        if strand.driven.is_empty() {
            self.left.insert(i, base.path.clone());
        }
        let now = self.state.time;
        let started = base.path.keys().last().is_some_and(|key| key.time >= now);
        if !started {
            let pose = base.path.pose(now);
            base.path = base.path.driven_to(now, pose);
        }
        base.path = base.path.driven_to(time, pose);
        strand.driven.clear();
        strand.driven.extend_from_slice(base.path.keys());
    }

    /// Pose of the base of strand `i`.
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
