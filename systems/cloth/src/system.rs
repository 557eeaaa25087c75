//! A model that moves.

mod roster;

use drystone_base::{Pose, Vec3};
use serde::{Deserialize, Serialize};

use crate::body::FreeBody;
use crate::clock::{LEVELS, Tick, period, seconds, ticks};
use crate::elastic::Held;
use crate::event_loop::{Run, Scratch};
use crate::island::Island;
use crate::pair::Kind;
use crate::start::Close;
use crate::state::State;
use crate::topology::Topology;
use crate::vertex::Vertex;
pub use roster::Kept;

use crate::{
    Account, Answer, BodyContact, BroadPhase, Certificate, ClampedDamper, Energy, Error,
    FreeMotion, LinkedBodies, Meeting, Model, Moment, Obstacle, Options, Patch, Pinch, Report,
    Stall, Surplus, energy, watch,
};

/// What a start was like.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Start {
    /// Deepest layer active at the start.
    pub deepest: u32,
    /// Energy that the layers put into pairs that start close \[J\].
    pub energy: f64,
}

/// Where everything was at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place {
    time: Tick,
    vertices: Vec<Vertex>,
}

/// A model, its state, and the options with which it is advanced.
#[derive(Clone)]
pub struct System {
    model: Model,
    options: Options,
    topology: Topology,
    state: State,
    scratch: Scratch,
    start: Start,
}

impl System {
    /// The start of `model`; refuses what cannot be simulated.
    pub fn new(model: Model, options: Options) -> Result<Self, Error> {
        options.validate()?;
        model.validate()?;
        let topology = Topology::new(&model, &options)?;
        topology.validate_start(options.start_layers)?;
        let state = State::new(&topology);
        let mut system = Self::begun(model, options, topology, state, Scratch::default());
        system.open_account();
        system.start = Start {
            deepest: system.scratch.tally.deepest,
            energy: system.state.account.layers,
        };
        Ok(system)
    }

    /// Takes down the energies of the start.
    pub(crate) fn open_account(&mut self) {
        let energy = self.energy();
        let kept = watch::kept_energy(&self.topology, &self.state);
        let account = &mut self.state.account;
        (account.start, account.layers) = (kept, energy.contact);
        account.peak = watch::at_work(&energy);
    }

    #[cfg(test)]
    pub(crate) fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }

    /// A system with its pairs and certificates.
    pub(crate) fn begun(
        model: Model,
        options: Options,
        topology: Topology,
        state: State,
        scratch: Scratch,
    ) -> Self {
        let mut system = Self {
            model,
            options,
            topology,
            state,
            scratch,
            start: Start::default(),
        };
        system.begin();
        system
    }

    /// A system of `model` that goes on from `state`, a snapshot of one of the same model and options.
    pub fn resumed(model: Model, options: Options, state: State) -> Result<Self, Error> {
        options.validate()?;
        model.validate()?;
        let topology = Topology::new(&model, &options)?;
        let mut system = Self {
            state: State::new(&topology),
            scratch: Scratch::default(),
            start: Start::default(),
            model,
            options,
            topology,
        };
        system.restore(state)?;
        Ok(system)
    }

    /// Adds an obstacle while time runs. Refuses one that crosses something, or is closer to it
    /// than `Options::start_layers` allow; then nothing has changed.
    pub fn add_obstacle(&mut self, obstacle: Obstacle) -> Result<(), Error> {
        let (mut model, mut kept) = (self.model.clone(), Kept::all(&self.model));
        model.obstacles.push(obstacle);
        kept.obstacles.push(None);
        self.replace_model(model, &kept)
    }

    /// Lets time stand still, for the reason that `stall` gives.
    pub fn stop(&mut self, stall: Stall) {
        self.state.stall = Some(stall);
    }

    fn run(&mut self) -> Run<'_> {
        Run {
            topology: &self.topology,
            options: &self.options,
            fields: &self.model.fields,
            state: &mut self.state,
            scratch: &mut self.scratch,
        }
    }

    /// Groups elements anew while time goes on. A kick stands for a force from half a period before it to half a period
    /// after it, so an element whose clock changes has pushed too early or too late by another amount than its new
    /// clock has at this time: the difference is made up for at once. Left out, each change was a false kick.
    ///
    /// The energy of an element at a prescribed vertex is taken where the vertex would have been at the last tick
    /// with its present velocity. Another clock has another last tick, so that jumps, as when the velocity changes
    /// (`pulled_energy`); the jump is work of what moves the vertex.
    fn change_clocks(&mut self) {
        let before = std::mem::take(&mut self.topology.levels);
        self.group();
        let (t, topology) = (self.state.time, &self.topology);
        let since = |level: u8| seconds(t & ((1 << level) - 1));
        let ahead = |level: u8| 0.5 * period(level) - since(level);
        let kept = |vertices: &[Vertex], k: usize, level: u8| {
            let back = |i: u32| vertices[i as usize].before(t, since(level), topology.gravity);
            let moving = topology.elements.corners(k).iter().map(|i| {
                let vertex = &vertices[*i as usize];
                match vertex.inverse_mass > 0.0 {
                    true => 0.5 * vertex.velocity.length_squared() / vertex.inverse_mass,
                    false => 0.0,
                }
            });
            moving.sum::<f64>() + topology.elements.kept(k, level, back)
        };
        for (k, (old, new)) in before.iter().zip(&topology.levels).enumerate() {
            if old != new {
                let vertices = &mut self.state.vertices;
                let corners = topology.elements.corners(k);
                for i in corners {
                    vertices[*i as usize].move_to(t, topology.gravity);
                }
                let pulled = topology.elements.is_pulled(k);
                let held_before = if pulled { kept(vertices, k, *old) } else { 0.0 };
                let mut held = Held {
                    work: 0.0,
                    reaction: &mut self.state.reaction,
                };
                let missing = ahead(*new) - ahead(*old);
                topology.elements.push(k, missing, vertices, &mut held);
                self.state.account.movers += match pulled {
                    true => kept(vertices, k, *new) - held_before,
                    false => held.work,
                };
                self.scratch.touched.extend(corners);
            }
        }
    }

    /// Puts elements on the clocks that their present shape asks for; those at hands and moving pins stand alone.
    fn group(&mut self) {
        let mut pulls = self.topology.pulling();
        for i in 0..self.state.vertices.len() {
            let hand = self.state.inverse_mass(&self.topology, i) == 0.0
                && self.topology.inverse_mass[i] > 0.0;
            pulls[i] |= hand && !self.topology.fixed[i];
        }
        let check = std::mem::take(&mut self.topology.check);
        self.topology
            .group(&self.state.drops, &self.state.pressed, &pulls);
        // who is looked at less often must be certified for longer
        for (i, (old, new)) in check.iter().zip(&self.topology.check).enumerate() {
            if old != new {
                self.scratch.touched.push(i as u32);
            }
        }
    }

    /// Pairs and certificates of the start.
    fn begin(&mut self) {
        let (certificate, broad_phase) = (self.options.certificate, self.options.broad_phase);
        let mut run = self.run();
        match (certificate, broad_phase) {
            (Certificate::BruteForce, _) => run.start_brute_force(),
            (_, BroadPhase::Boxes) => run.start_broad_phase(),
            (_, BroadPhase::KDop) => run.start_kdops(),
        }
        run.start_half_spaces();
        if certificate == Certificate::Ball {
            run.start_balls();
        }
        let all: Vec<u32> = run.state.pairs.all().collect();
        run.scratch.doubtful = all;
        run.repair();
    }

    /// What the start was like.
    pub fn start(&self) -> &Start {
        &self.start
    }

    /// What is simulated.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Options of the event loop.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Everything that moves; a clone of it is a snapshot.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Goes on from `state`, a snapshot of a system of the same model and options.
    pub fn restore(&mut self, state: State) -> Result<(), Error> {
        let count = |s: &State| {
            format!(
                "{} vertices and {} movers",
                s.vertices.len(),
                s.movers.len()
            )
        };
        let fits = state.vertices.len() == self.state.vertices.len()
            && state.movers.len() == self.state.movers.len()
            && state.is_sound(&self.topology, &self.options);
        if !fits {
            return Err(Error::State {
                found: count(&state),
                wanted: format!("{}, and lists to match", count(&self.state)),
            });
        }
        self.state = state;
        self.group();
        // what was marked in rounds that will come again
        self.scratch = Scratch::default();
        Ok(())
    }

    /// Time since the start \[s\].
    pub fn time(&self) -> f64 {
        self.state.seconds()
    }

    /// Advances by `seconds`. Ends early at a stall, which every later call reports again.
    pub fn advance(&mut self, seconds: f64) -> Report {
        self.advance_watched(seconds, |_| {})
    }

    /// As [`System::advance`]; `watch` sees the state after the events of each time.
    pub fn advance_watched(&mut self, seconds: f64, mut watch: impl FnMut(&State)) -> Report {
        self.advance_with(seconds, &mut watch, &mut |_| true)
    }

    /// As [`System::advance`], but `go_on` is asked every few thousand events whether to. If it says no the advance
    /// ends between two events and is reported as interrupted; another one for the time that was left takes it up
    /// again, and all is as if it had not been interrupted.
    pub fn advance_while(
        &mut self,
        seconds: f64,
        mut go_on: impl FnMut(&Moment) -> bool,
    ) -> Report {
        self.advance_with(seconds, &mut |_| {}, &mut go_on)
    }

    fn advance_with(
        &mut self,
        seconds: f64,
        watch: &mut dyn FnMut(&State),
        go_on: &mut dyn FnMut(&Moment) -> bool,
    ) -> Report {
        self.scratch.tally = Default::default();
        self.scratch.counted_ticks = 0;
        let end = if seconds > 0.0 {
            self.state.time.saturating_add(ticks(seconds))
        } else {
            self.state.time
        };
        let mut interrupted = false;
        if seconds > 0.0 && self.state.stall.is_none() {
            interrupted = !self.run().until(end, watch, go_on);
            while self.scratch.regroup && !interrupted {
                self.change_clocks();
                interrupted = !self.run().until(end, watch, go_on);
            }
        }
        let report = self.report(end);
        Report {
            interrupted,
            exhausted: report.exhausted && !interrupted,
            ..report
        }
    }

    /// Where everything is, for [`System::stand_still_at`].
    pub fn place(&self) -> Place {
        Place {
            time: self.state.time,
            vertices: self.state.vertices.clone(),
        }
    }

    /// After a stall, puts everything back where it was when `place` was taken; time goes on standing still.
    pub fn stand_still_at(&mut self, place: &Place) {
        if self.state.stall.is_some() && place.vertices.len() <= self.state.vertices.len() {
            let (kept, new) = self.state.vertices.split_at_mut(place.vertices.len());
            kept.copy_from_slice(&place.vertices);
            for vertex in new {
                vertex.time = vertex.time.min(place.time);
            }
            self.state.time = place.time;
        }
    }

    fn report(&mut self, end: Tick) -> Report {
        let (energy, surplus) = self.close_account();
        let state = &self.state;
        let mut layers = vec![0u64; 2];
        let mut level: Vec<u8> = self.topology.check.clone();
        for p in state.pairs.all() {
            let pair = &state.pairs.pool[p as usize];
            let record = &state.pairs.records[p as usize];
            let bin = match pair.layers {
                0 => 0,
                n => 1 + (n - 1).checked_ilog2().map_or(0, |k| k as usize + 1),
            };
            if layers.len() <= bin {
                layers.resize(bin + 1, 0);
            }
            layers[bin] += 1;
            if let Some(deep) = (pair.layers > 0)
                .then(|| self.topology.layers.level(record.clock, pair.layers))
                .flatten()
            {
                for i in pair.corners {
                    level[i as usize] = level[i as usize].min(deep);
                }
            }
        }
        let mut steps = vec![0u64; LEVELS];
        let mut not_finite = Vec::new();
        for (i, v) in state.vertices.iter().enumerate() {
            if v.inverse_mass > 0.0 {
                steps[level[i] as usize] += 1;
            }
            if !(v.position.is_finite() && v.velocity.is_finite()) {
                not_finite.push(i as u32);
            }
        }
        Report {
            events: self.scratch.tally,
            energy,
            surplus,
            account: state.account,
            pairs: state.pairs.len(),
            layers,
            steps,
            asleep: state.sleep.count,
            stall: state.stall.clone(),
            exhausted: state.time < end && state.stall.is_none(),
            interrupted: false,
            not_finite,
            time: self.time(),
            seconds: 0.0,
        }
    }

    /// Energies now, and what of them was not put in.
    fn close_account(&mut self) -> (Energy, Surplus) {
        let (topology, state) = (&self.topology, &mut self.state);
        let sheets = energy::energy_of_sheets(topology, state);
        let all = energy::sum(&sheets, energy::contact_energy(topology, state));
        let before = &mut self.scratch.sheet_energy;
        let surplus = watch::close_account(topology, state, &sheets, before, &all);
        (all, surplus)
    }

    /// What met although both sides of it are prescribed, once for each two things, since the start.
    pub fn meetings(&self) -> &[Meeting] {
        &self.state.meetings
    }

    /// What prescribed things have pinched since the start, see [`Options::pinching`].
    pub fn pinches(&self) -> &[Pinch] {
        &self.state.pinches.told
    }

    /// How many vertices are pinched now.
    pub fn pinched(&self) -> usize {
        self.state.pinches.len()
    }

    /// Every two things between which a penalty layer is active, sheets numbered first and obstacles after them: the
    /// lower number first, in order. Contacts of a sheet with itself are left out.
    pub fn touching(&self) -> Vec<[usize; 2]> {
        let active = self.state.pairs.pool.iter();
        let active = active.filter(|pair| pair.there && pair.layers > 0);
        let things = active.map(|pair| {
            let corners = [pair.corners[0], pair.corners[pair.kind.split()]];
            let [a, b] = corners.map(|i| self.topology.object[i as usize] as usize);
            [a.min(b), a.max(b)]
        });
        let mut list: Vec<_> = things.filter(|[a, b]| a != b).collect();
        list.sort_unstable();
        list.dedup();
        list
    }

    /// Why time stands still, if it does.
    pub fn stall(&self) -> Option<&Stall> {
        self.state.stall.as_ref()
    }

    fn object_points(&self, object: usize) -> Vec<Vec3> {
        let range = self.topology.objects[object].vertices.clone();
        let vertices = &self.state.vertices[range];
        vertices
            .iter()
            .map(|v| v.at(self.state.time, self.topology.gravity))
            .collect()
    }

    /// Where the vertices of sheet `i` are now \[m\].
    pub fn points(&self, i: usize) -> Vec<Vec3> {
        self.object_points(i)
    }

    /// Where the vertices of obstacle `i` are now \[m\].
    pub fn obstacle_points(&self, i: usize) -> Vec<Vec3> {
        self.object_points(self.model.sheets.len() + i)
    }

    /// Mass of vertex `vertex` of sheet `i` \[kg\]; none if there is no such vertex.
    pub fn vertex_mass(&self, i: usize, vertex: usize) -> Option<f64> {
        let sheet = self
            .topology
            .objects
            .get(i)
            .filter(|_| i < self.topology.sheets)?;
        let vertex = sheet.vertices.clone().nth(vertex)?;
        Some(1.0 / self.topology.inverse_mass[vertex])
    }

    /// How fast the vertices of sheet `i` are \[m/s\].
    pub fn velocities(&self, i: usize) -> Vec<Vec3> {
        let range = self.topology.objects[i].vertices.clone();
        let vertices = &self.state.vertices[range];
        vertices
            .iter()
            .map(|v| v.velocity_at(self.state.time, self.topology.gravity))
            .collect()
    }

    /// Carries obstacle `i`, whose motion must be `Driven`, to `pose` during the next `seconds`;
    /// to be called before an advance of that length.
    pub fn drive_obstacle(&mut self, i: usize, pose: Pose, seconds: f64) {
        self.drive(i, pose, seconds);
    }

    /// As [`Self::drive_obstacle`], for pin `pin` of sheet `sheet`, whose motion must be `Driven`.
    pub fn drive_pin(&mut self, sheet: usize, pin: usize, pose: Pose, seconds: f64) {
        let before: usize = self.model.sheets[..sheet]
            .iter()
            .map(|s| s.pins.len())
            .sum();
        self.drive(self.model.obstacles.len() + before + pin, pose, seconds);
    }

    fn drive(&mut self, mover: usize, pose: Pose, seconds: f64) {
        let now = self.state.time;
        let finite = pose.position.is_finite() && pose.rotation.is_normalized();
        if let (Some(path), Some(state)) = (
            self.topology.movers.get(mover),
            self.state.movers.get_mut(mover),
        ) && finite
            && seconds > 0.0
        {
            if let Some(body) = self.state.bodies.get_mut(mover) {
                *body = None;
            }
            path.drive(state, now, now.saturating_add(ticks(seconds)), pose);
        }
    }

    /// Lets obstacles, whose motion must be `Driven`, give way during the next `seconds`: each follows its motion
    /// and what the cloth makes of that, while `contacts` hold between them. To be called before an advance of that
    /// length, and for every one anew; [`System::answer_of`] tells where they went. Returns which have motions that are
    /// not finite; they stay as they were.
    pub fn free_obstacles(
        &mut self,
        motions: &[(usize, FreeMotion)],
        contacts: &[BodyContact],
        seconds: f64,
    ) -> Vec<usize> {
        self.free_linked_obstacles(motions, contacts, &[], seconds)
    }

    /// As [`Self::free_obstacles`], where some of them are linked otherwise than by contacts. Links of obstacles without
    /// a motion, or whose response is not one of them, link nothing.
    pub fn free_linked_obstacles(
        &mut self,
        motions: &[(usize, FreeMotion)],
        contacts: &[BodyContact],
        links: &[LinkedBodies],
        seconds: f64,
    ) -> Vec<usize> {
        // those that are named no more touch nothing
        for body in self.state.bodies.iter_mut().flatten() {
            body.leave_island();
        }
        let mut refused = Vec::new();
        for (i, motion) in motions {
            if !self.free_obstacle(*i, motion, seconds) {
                refused.push(*i);
            }
        }
        let State {
            bodies, islands, ..
        } = &mut self.state;
        let known = |link: &&LinkedBodies| {
            let there = |k: &usize| {
                motions.iter().any(|motion| motion.0 == *k)
                    && matches!(bodies.get(*k), Some(Some(_)))
            };
            link.is_sound() && link.obstacles.iter().all(there)
        };
        let links: Vec<LinkedBodies> = links.iter().filter(known).cloned().collect();
        for link in &links {
            for (k, gathered) in link.obstacles.iter().zip(&link.gathered) {
                if let Some(body) = &mut bodies[*k] {
                    body.link(*gathered);
                }
            }
        }
        *islands = Island::all(contacts, &links, bodies);
        let mut foretold = vec![[Vec3::ZERO; 2]; bodies.len()];
        for (i, motion) in motions {
            if let Some(Some(body)) = bodies.get_mut(*i) {
                foretold[*i] = motion.foretold;
                if body.island().is_none() && motion.foretold != [Vec3::ZERO; 2] {
                    body.withdraw_alone(motion.foretold, seconds);
                }
            }
        }
        for island in islands {
            island.withdraw(&foretold, bodies, seconds);
        }
        refused
    }

    fn free_obstacle(&mut self, i: usize, motion: &FreeMotion, seconds: f64) -> bool {
        let driven = i < self.model.obstacles.len() && self.topology.movers[i].is_driven();
        let attached_pins = motion.attached_pins.iter();
        let attached_pins: Vec<u32> = attached_pins
            .filter_map(|r| self.mover_of_pin(*r))
            .collect();
        for m in &attached_pins {
            self.state.movers[*m as usize].let_give_way(None);
        }
        let body = FreeBody::new(motion, attached_pins, self.state.time, seconds);
        let (true, Some(body)) = (driven, body) else {
            return false;
        };
        if self.state.bodies.len() <= i {
            self.state.bodies.resize(i + 1, None);
        }
        self.state.bodies[i] = Some(body);
        self.state.movers[i].let_give_way(Some(self.state.time));
        true
    }

    /// Number of the mover of a pin, if that is driven and still held.
    fn mover_of_pin(&self, (sheet, pin): (usize, usize)) -> Option<u32> {
        let own = self.model.sheets.get(sheet)?.pins.len();
        let before: usize = self.model.sheets[..sheet]
            .iter()
            .map(|s| s.pins.len())
            .sum();
        let m = self.model.obstacles.len() + before + pin;
        let held = pin < own && self.topology.movers[m].is_driven() && self.state.movers[m].holds();
        held.then_some(m as u32)
    }

    /// Pose of obstacle `i`, whose motion must be `Driven`, at the end of the last advance.
    pub fn obstacle_pose(&self, i: usize) -> Option<Pose> {
        let (path, state) = (self.topology.movers.get(i)?, self.state.movers.get(i)?);
        path.pose(state)
    }

    /// What became of obstacle `i` in the last advance, if it gave way.
    pub fn answer_of(&self, i: usize) -> Option<Answer> {
        let body = self.state.bodies.get(i)?.as_ref()?;
        Some(body.answer())
    }

    /// Number of the island of bodies that touch each other to which obstacle `i` belongs in this advance.
    pub fn island_of(&self, i: usize) -> Option<usize> {
        let body = self.state.bodies.get(i)?.as_ref()?;
        body.island().map(|(island, _)| island)
    }

    /// Impulse that obstacle `i` has received since this was last called \[N s\], and its moment about
    /// `centre` \[N m s\].
    pub fn take_reaction(&mut self, i: usize, centre: Vec3) -> (Vec3, Vec3) {
        let range = self.topology.objects[self.model.sheets.len() + i]
            .vertices
            .clone();
        let (mut linear, mut angular) = (Vec3::ZERO, Vec3::ZERO);
        for k in range {
            let impulse = std::mem::take(&mut self.state.reaction[k]);
            let x = self.state.vertices[k].at(self.state.time, self.topology.gravity);
            linear += impulse;
            angular += (x - centre).cross(impulse);
        }
        (linear, angular)
    }

    /// Energies now.
    pub fn energy(&self) -> Energy {
        energy::energy(&self.topology, &self.state)
    }

    /// Work put in and energy taken since the start.
    pub fn account(&self) -> &Account {
        &self.state.account
    }

    /// Dashpots that are stronger than their clocks can carry. Their sheets rest where they should, and never gain
    /// energy, but relax sooner than asked for.
    pub fn clamped_dampers(&self) -> Vec<ClampedDamper> {
        self.topology.clamped_dampers()
    }

    /// Momentum of everything free \[kg m/s\], and its moment about the origin \[kg m²/s\].
    pub fn momentum(&self) -> (Vec3, Vec3) {
        energy::momentum(&self.topology, &self.state)
    }

    fn all_points(&self, state: &State) -> Vec<Vec3> {
        state
            .vertices
            .iter()
            .map(|v| v.at(state.time, self.topology.gravity))
            .collect()
    }

    /// Places where surfaces cross now, by exact predicates. There should never be any.
    pub fn crossings(&self) -> Vec<Patch> {
        self.topology
            .crossing_patches(&self.all_points(&self.state), true)
    }

    /// Whether something crosses something in `state`, seen while advancing a clone of this system.
    pub fn crosses(&self, state: &State) -> bool {
        let x = self.all_points(state);
        !(self.topology.crossings(&x, true).is_empty() && self.topology.sunk(&x, true).is_empty())
    }

    /// Pairs that lack a layer at the distance they have now, by brute force. There should never be any.
    pub fn missing_layers(&self) -> Vec<(Kind, u32, u32)> {
        let x = self.all_points(&self.state);
        let close = self.topology.close_pairs(&x, 1.0, |_, _| true);
        let mut missing = Vec::new();
        for Close {
            kind,
            a,
            b,
            distance,
            thickness,
            ..
        } in close
        {
            let key = ((kind as u64) << 60) | (u64::from(a) << 30) | u64::from(b);
            let needed = self
                .topology
                .layers
                .count(thickness, distance, u32::MAX - 2);
            let pairs = &self.state.pairs;
            let listed = pairs.all().find(|p| pairs.records[*p as usize].key == key);
            if listed.is_none_or(|p| pairs.pool[p as usize].layers < needed) {
                missing.push((kind, a, b));
            }
        }
        missing
    }
}

/// Diagnostics and interactive dragging.
impl System {
    /// Of every vertex of sheet `i`: the shortest period of all forces that act on it \[s\], and how many
    /// penalty layers are active at it (Harmon 2012, Fig. 2 and 4).
    pub fn clocks(&self, i: usize) -> Vec<(f64, u32)> {
        let Some(object) = self.topology.objects.get(i) else {
            return Vec::new();
        };
        let range = object.vertices.clone();
        let mut found: Vec<(u8, u32)> = self.topology.check[range.clone()]
            .iter()
            .map(|level| (*level, 0))
            .collect();
        for p in self.state.pairs.all() {
            let pair = &self.state.pairs.pool[p as usize];
            if pair.layers == 0 {
                continue;
            }
            let clock = self.state.pairs.records[p as usize].clock;
            let level = self.topology.layers.level(clock, pair.layers);
            for corner in pair.corners.map(|i| i as usize) {
                if range.contains(&corner) {
                    let (least, most) = &mut found[corner - range.start];
                    *least = (*least).min(level.unwrap_or(u8::MAX));
                    *most = (*most).max(pair.layers);
                }
            }
        }
        let seconds = |(level, layers): (u8, u32)| (crate::clock::period(level.min(63)), layers);
        found.into_iter().map(seconds).collect()
    }

    /// Takes vertex `vertex` of sheet `sheet`, which must be free, into a hand: from now on it moves with
    /// `velocity` \[m/s\], whatever pushes it, until the next call or [`System::let_go`]. False if there is no
    /// such vertex, or if it is prescribed by a pin.
    pub fn hold(&mut self, sheet: usize, vertex: usize, velocity: Vec3) -> bool {
        let Some(i) = self
            .free_vertex(sheet, vertex)
            .filter(|_| velocity.is_finite())
        else {
            return false;
        };
        self.run().wake_one(i);
        let (t, gravity) = (self.state.time, self.topology.gravity);
        let before = watch::kept_energy(&self.topology, &self.state);
        let held = &mut self.state.vertices[i];
        held.move_to(t, gravity);
        let new = std::mem::replace(&mut held.inverse_mass, 0.0) > 0.0;
        held.velocity = velocity;
        let after = watch::kept_energy(&self.topology, &self.state);
        self.state.account.movers += after - before;
        if new {
            self.group();
        }
        self.moves_otherwise(i as u32);
        true
    }

    /// Lets vertex `vertex` of sheet `sheet` go again, with the velocity it has.
    pub fn let_go(&mut self, sheet: usize, vertex: usize) {
        if let Some(i) = self.free_vertex(sheet, vertex) {
            self.run().wake_one(i);
            let (t, gravity) = (self.state.time, self.topology.gravity);
            let held = &mut self.state.vertices[i];
            held.move_to(t, gravity);
            if held.inverse_mass == 0.0 {
                held.inverse_mass = self.topology.inverse_mass[i];
                let given = held.own_energy(held.inverse_mass, self.topology.true_gravity);
                self.state.account.movers += given;
                self.group();
            }
            self.moves_otherwise(i as u32);
        }
    }

    /// Number of a vertex of a sheet among all, unless a pin prescribes it, now or later, or it is pinched.
    fn free_vertex(&self, sheet: usize, vertex: usize) -> Option<usize> {
        let own = self.model.sheets.get(sheet)?;
        let pinned = |pin: &crate::Pin| pin.vertices.contains(&(vertex as u32));
        let free = vertex < own.points.len() && !own.pins.iter().any(pinned);
        let i = self.topology.objects[sheet].vertices.start + vertex;
        (free && !self.state.pinches.holds(i)).then_some(i)
    }

    /// A vertex whose velocity changed between two advances: its certificates are made anew at once, so that a
    /// snapshot has them.
    fn moves_otherwise(&mut self, i: u32) {
        self.scratch.touched.push(i);
        if self.options.certificate == Certificate::Ball {
            let size_classes = 0..crate::pairs::SIZE_CLASSES;
            self.scratch
                .left
                .extend(size_classes.map(|size_class| (i, size_class)));
        }
        self.run().repair();
    }
}
