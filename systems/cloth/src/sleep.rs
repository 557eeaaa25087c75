//! Sleep: cloth that lies still on something ticks no layers until it is disturbed.
//!
//! At fixed times, when all clocks tick together, each free vertex is asked whether it has stayed in place for a while. If
//! the forces on it balance as well, and something pushes it, it falls asleep: it stands still like a pinned
//! vertex, and layers between vertices that sleep or never move are taken off the schedule. Nothing that stands still can
//! cross anything, so no certificate is weakened. It wakes
//! - at the next of those times at which the force on it has changed by its weight, nothing pushes it any more, or what
//!   pushes it moves as prescribed or gives way (what nothing pushes: at which the sum of forces is half of its weight, or
//!   nothing that sleeps carries it any more), and
//! - at once, before it is pushed, when something comes at it faster than a resting vertex hops between two ticks.
//!
//! What nothing pushes, such as the side of a cloth over the edge of a table, sleeps where it hangs, through others
//! that sleep, on some that lie. There nothing holds what is left over, so balance is asked for in all directions. A
//! curtain, which hangs on pins alone, never sleeps.
//!
//! Balance is asked for along the push of the layers only: along the surface friction holds what is left over, and a sum
//! of forces at the ticks says less than staying in place does. Tried and lost: asking for balance in all directions (of
//! 1405 vertices of a stack that stayed in place, 47 had a mean force that was small beside its swing), and
//! `penalty_fraction` 0.4, with which the stack cost more and not less. And letting what is within 0.0003 thicknesses of its
//! balance sleep: light particles then rest at another depth. The napkins' last vertices awake are that near to it, though:
//! pressed between layers that all take speed from each other, they creep there by some micrometres a second. So what has
//! been in place for long, is near to its balance and creeps may sleep; what carries itself alone is there by then.
//!
//! Forces, places and times are those of the trajectory alone, so sleep does not depend on certificates either. The
//! energy of motion that a vertex loses when it falls asleep is lost; waking gives it none beyond half a kick.

use drystone_base::Vec3;
use serde::{Deserialize, Serialize};

use crate::clock::{Tick, period};
use crate::event_loop::Run;
use crate::pairs::SIZE_CLASSES;
use crate::penalty_schedule::Entry;
use crate::state::State;
use crate::topology::Topology;
use crate::{Certificate, Gravity};

/// Vertices are asked once in a period of this level, every 2⁻⁷ s.
const ASKED: u8 = 33;
/// Questions in a row at which a vertex must have stayed in place: 1/16 s.
const STEADY: u8 = 8;
/// Distance that a vertex which stays in place may move, as a part of its thickness \[1\].
const PLACE: f64 = 3e-3;
/// Number of questions over which sums of forces are averaged: about a quarter of a second \[1\].
const AVERAGED: f64 = 32.0;
/// Largest sum of the forces along the push of the layers for a vertex that falls asleep, as a part of all that presses
/// it and as a part of how much the sum swings \[1\]. Along the surface friction holds what is left over.
const BALANCE: (f64, f64) = (0.005, 0.05);
/// A vertex that moves from one question to the next by at most this part of the way to where its layers would balance
/// is held where it is, by friction or by the order of its clocks, and may sleep out of balance \[1\].
const HELD: f64 = 2e-3;
/// A vertex that has stayed in place for so many questions, a quarter of a second, creeps to its balance and does not
/// fall to it: what carries itself gets there in ten periods of its layers, what is pressed between many others in seconds.
const CREEPING: u8 = 32;
/// It may sleep out of balance when that is at most this part of its thickness away \[1\],
const NEAR: f64 = 1e-3;
/// and it moves from one question to the next by at most the first part of its thickness, and the second part of the way
/// that is left, or by so little of its thickness \[1\].
const CREEPS: (f64, f64, f64) = (1e-5, 0.01, 1e-6);
/// Largest sum of the forces on a vertex that hangs on others and falls asleep, as a part of its weight \[1\].
const HANGS: f64 = 0.005;
/// Largest swing of that sum about its mean for a vertex that falls asleep, as a part of its weight \[1\].
const SWING: f64 = 0.5;
/// Likewise as a part of all that presses it, if that is more: between many layers its own weight is little \[1\].
const PRESSED_SWING: f64 = 0.05;
/// Change of that sum up to which the vertex sleeps on, as a part of its weight \[1\].
const DISTURBED: f64 = 1.0;
/// Speed at which a thing that comes at sleeping cloth wakes it at once, as a part of `√(g η)` \[1\].
const COMING: f64 = 0.05;

/// Which vertices sleep.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sleep {
    /// By vertex. Written by `lie_down` and `wake`.
    asleep: Vec<bool>,
    /// By vertex, the place that it has stayed near \[m\], and for how many questions. Written by `note_places`.
    place: Vec<Vec3>,
    steady: Vec<u8>,
    /// By vertex, where it was at the last question, and how far it has moved since the one before \[m\]. Likewise.
    last: Vec<Vec3>,
    moved: Vec<f64>,
    /// By vertex, at how many questions in a row it was held out of balance. Written by `ask`.
    held: Vec<u8>,
    /// By vertex that is awake and steady, mean and mean square of the sum of all forces on it, over its mass \[m/s²\];
    /// of one that sleeps, that sum when it fell asleep. Written by `ask_who_sleeps`.
    mean: Vec<Vec3>,
    square: Vec<f64>,
    /// Number of vertices that sleep.
    pub(crate) count: usize,
}

/// Sums over all that acts on a vertex.
#[derive(Clone, Copy, Default)]
struct Load {
    /// Force without weight \[N\].
    force: Vec3,
    /// Half of the sum over forces of the impulse in one period \[N s\].
    half_kick: Vec3,
    /// Force of layers alone, and the sum of its size over pairs \[N\].
    push: Vec3,
    pressed: f64,
    /// Stiffness of the layers that push it \[N/m\].
    stiffness: f64,
    /// Whether something that moves as prescribed, or a body that gives way, pushes it.
    driven: bool,
}

impl Sleep {
    pub(crate) fn new(vertices: usize) -> Self {
        Self {
            asleep: vec![false; vertices],
            place: vec![Vec3::ZERO; vertices],
            steady: vec![0; vertices],
            last: vec![Vec3::ZERO; vertices],
            moved: vec![0.0; vertices],
            held: vec![0; vertices],
            mean: vec![Vec3::ZERO; vertices],
            square: vec![0.0; vertices],
            count: 0,
        }
    }

    /// Whether vertex `i` sleeps.
    #[inline]
    pub(crate) fn holds(&self, i: usize) -> bool {
        self.asleep[i]
    }

    pub(crate) fn is_sound(&self, vertices: usize) -> bool {
        [self.asleep.len(), self.place.len(), self.steady.len()] == [vertices; 3]
            && [self.mean.len(), self.square.len()] == [vertices; 2]
            && [self.last.len(), self.moved.len(), self.held.len()] == [vertices; 3]
            && self.asleep.iter().filter(|x| **x).count() == self.count
    }
}

impl State {
    /// Inverse mass of a vertex that is free or sleeps; 0 of what is prescribed \[1/kg\].
    #[inline]
    pub(crate) fn inverse_mass(&self, topology: &Topology, i: usize) -> f64 {
        match self.sleep.asleep[i] {
            true => topology.inverse_mass[i],
            false => self.vertices[i].inverse_mass,
        }
    }
}

impl Run<'_> {
    /// Whether cloth sleeps at all: it needs a weight to be held against, and no wind.
    fn may_sleep(&self) -> bool {
        self.options.sleeping
            && self.topology.fall > 0.0
            && self.options.gravity == Gravity::Ballistic
            && self.fields.is_empty()
    }

    /// Time at which vertices are asked next.
    #[inline]
    pub(crate) fn next_question(&self) -> Tick {
        match self.may_sleep() {
            false => Tick::MAX,
            true => crate::clock::next_tick(self.state.time, ASKED),
        }
    }

    /// At the times of questions: lets vertices fall asleep, and wakes those whose forces no longer balance.
    pub(crate) fn ask_who_sleeps(&mut self) {
        let t = self.state.time;
        if t & ((1 << ASKED) - 1) != 0 || !self.may_sleep() {
            return;
        }
        let steady = self.note_places();
        if !steady && self.state.sleep.count == 0 {
            return;
        }
        self.schedule_all();
        let loads = self.loads();
        for (i, load) in loads.iter().enumerate() {
            let inverse_mass = self.state.inverse_mass(self.topology, i);
            if inverse_mass > 0.0 {
                self.ask(i, load, inverse_mass);
            }
        }
        self.ask_what_hangs(&loads);
        self.take_sleepers_off_agenda();
    }

    /// Asks vertices that nothing pushes: what hangs, through others that sleep, on some that lie falls asleep where all
    /// forces on it balance, and wakes where that is so no more.
    fn ask_what_hangs(&mut self, loads: &[Load]) {
        let topology = self.topology;
        let lies =
            |i: &u32| self.state.sleep.asleep[*i as usize] && loads[*i as usize].push != Vec3::ZERO;
        let mut carried: Vec<u32> = (0..topology.first_of_obstacles as u32)
            .filter(lies)
            .collect();
        let mut seen = vec![false; topology.first_of_obstacles];
        let mut next = 0;
        while let Some(i) = carried.get(next).copied() {
            next += 1;
            for e in topology.vertex_edges.row(i as usize) {
                let [a, b] = topology.edges[*e as usize];
                let j = if a == i { b } else { a };
                let k = j as usize;
                if seen[k]
                    || loads[k].push != Vec3::ZERO
                    || self.state.inverse_mass(topology, k) == 0.0
                {
                    continue;
                }
                seen[k] = true;
                if !self.state.sleep.asleep[k] && self.hangs_still(k) {
                    self.lie_down(k);
                }
                if self.state.sleep.asleep[k] {
                    carried.push(j);
                }
            }
        }
        for i in 0..topology.first_of_obstacles {
            if self.state.sleep.asleep[i] && !seen[i] && loads[i].push == Vec3::ZERO {
                self.wake(i);
                self.state.vertices[i].velocity = loads[i].half_kick * topology.inverse_mass[i];
            }
        }
    }

    /// Whether a vertex that nothing pushes has stayed in place, with forces that balance in all directions.
    fn hangs_still(&self, i: usize) -> bool {
        let (sleep, weight) = (&self.state.sleep, self.topology.fall);
        let mean = sleep.mean[i].length();
        let swing = (sleep.square[i] - mean * mean).max(0.0).sqrt();
        sleep.steady[i] >= STEADY
            && swing <= SWING * weight
            && mean <= HANGS * weight + BALANCE.1 * swing
    }

    /// Asks a vertex on which `load` acts whether it falls asleep, or wakes.
    fn ask(&mut self, i: usize, load: &Load, inverse_mass: f64) {
        let (sleep, weight) = (&mut self.state.sleep, self.topology.fall);
        let sum = load.force * inverse_mass + self.topology.gravity;
        // what nothing pushes is looked at when all others are known
        let held = load.push != Vec3::ZERO && !load.driven;
        let hangs = load.push == Vec3::ZERO;
        if sleep.asleep[i] {
            if hangs && sum.length() <= SWING * weight {
                return;
            }
            if !held || (sum - sleep.mean[i]).length() > DISTURBED * weight {
                self.wake(i);
                self.state.vertices[i].velocity = load.half_kick * inverse_mass;
            }
            return;
        }
        // mean and swing of the sum since it stays in place
        let part = match sleep.steady[i] {
            0 | 1 => 1.0,
            n => 1.0 / AVERAGED.min(f64::from(n)),
        };
        let before = sleep.mean[i];
        sleep.mean[i] += (sum - before) * part;
        sleep.square[i] += (sum.length_squared() - sleep.square[i]) * part;
        let swing = (sleep.square[i] - sleep.mean[i].length_squared())
            .max(0.0)
            .sqrt();
        let along = load.push.normalize_or_zero().dot(sum).abs();
        let way = along / (inverse_mass * load.stiffness);
        let thickness = self.topology.reach_of(i as u32);
        let slow = (CREEPS.0 * thickness)
            .min(CREEPS.1 * way)
            .max(CREEPS.2 * thickness);
        let creeps =
            sleep.steady[i] >= CREEPING && sleep.moved[i] <= slow && way <= NEAR * thickness;
        sleep.held[i] = match sleep.moved[i] <= HELD * way || creeps {
            true => sleep.held[i].saturating_add(1),
            false => 0,
        };
        let balanced = along <= BALANCE.0 * load.pressed * inverse_mass + BALANCE.1 * swing
            || sleep.held[i] >= STEADY;
        let calm = swing <= (SWING * weight).max(PRESSED_SWING * load.pressed * inverse_mass);
        if held && balanced && calm && sleep.steady[i] >= STEADY {
            sleep.mean[i] = sum;
            self.lie_down(i);
        }
    }

    /// Notes which vertices have stayed where they were; true if one has.
    fn note_places(&mut self) -> bool {
        let (t, topology) = (self.state.time, self.topology);
        let mut any = false;
        for i in 0..topology.first_of_obstacles {
            let vertex = &self.state.vertices[i];
            let sleep = &mut self.state.sleep;
            if vertex.inverse_mass == 0.0 {
                continue;
            }
            let (x, most) = (
                vertex.at(t, topology.gravity),
                PLACE * topology.reach_of(i as u32),
            );
            sleep.moved[i] = (x - sleep.last[i]).length();
            sleep.last[i] = x;
            if (x - sleep.place[i]).length_squared() > most * most {
                (sleep.place[i], sleep.steady[i]) = (x, 0);
            } else {
                sleep.steady[i] = sleep.steady[i].saturating_add(1);
            }
            any |= sleep.steady[i] > 0;
        }
        any
    }

    /// Loads on each vertex now, when all clocks have just ticked.
    fn loads(&mut self) -> Vec<Load> {
        let (t, topology) = (self.state.time, self.topology);
        let mut loads = vec![Load::default(); self.state.vertices.len()];
        let places = self
            .state
            .vertices
            .iter()
            .map(|v| v.at(t, topology.gravity));
        let x: Vec<Vec3> = places.collect();
        // elastic forces
        for (level, clock_level) in topology.clock_levels.iter().enumerate() {
            let half = 0.5 * period(level as u8);
            let mut add = |i: u32, force: Vec3| {
                loads[i as usize].force += force;
                loads[i as usize].half_kick += force * half;
            };
            for spring in &clock_level.springs {
                let force = spring.force(spring.ends.map(|i| x[i as usize]));
                add(spring.ends[0], force);
                add(spring.ends[1], -force);
            }
            for face in &clock_level.triangles {
                let forces = face.force(face.corners.map(|i| x[i as usize]));
                face.corners
                    .iter()
                    .zip(forces)
                    .for_each(|(i, f)| add(*i, f));
            }
            for hinge in &clock_level.hinges {
                let forces = hinge.force(hinge.corners.map(|i| x[i as usize]));
                hinge
                    .corners
                    .iter()
                    .zip(forces)
                    .for_each(|(i, f)| add(*i, f));
            }
        }
        // layers that push, and static friction
        let moves = |i: u32| {
            let k = i as usize;
            let obstacle = (topology.object[k] as usize).checked_sub(topology.sheets);
            let gives = obstacle.is_some_and(|k| matches!(self.state.bodies.get(k), Some(Some(_))));
            let vertex = &self.state.vertices[k];
            let prescribed = self.state.inverse_mass(topology, k) == 0.0;
            gives || (prescribed && vertex.velocity != Vec3::ZERO)
        };
        for (level, entries) in self.state.schedule.levels.iter().enumerate() {
            let half = 0.5 * period(level as u8);
            for entry in entries {
                let corners = entry.corners.map(|i| x[i as usize]);
                let found = entry.kind().closest(corners);
                let d = found.distance_squared.sqrt();
                let outermost = topology.thickness_of(&entry.corners);
                if d >= topology.layers.thickness(outermost, entry.from) {
                    continue;
                }
                let n = found.apart / d;
                let layers = self.state.pairs.pool[entry.pair as usize].layers;
                let total = |from, to| topology.layers.force(outermost, from, to, d);
                let push = n * total(entry.from, entry.to.min(layers));
                let deepest = topology
                    .layers
                    .deepest(outermost, entry.from, d)
                    .min(entry.to);
                let of_all = |l: u32| topology.layers.stiffness_of_all(l);
                let stiffness = of_all(deepest) - of_all(entry.from - 1);
                let mut force = push;
                if d >= topology
                    .layers
                    .thickness(outermost, entry.to.saturating_add(1))
                {
                    let [a, b] =
                        [entry.corners[0], entry.corners[3]].map(|i| topology.object_of(i));
                    let most = a.contact(b).at_rest() * total(1, entry.to);
                    force += self
                        .state
                        .pairs
                        .held_by_friction(entry.pair, t, (&corners, n), most);
                }
                let driven = entry.corners.into_iter().any(moves);
                for (i, w) in entry.corners.into_iter().zip(found.weights) {
                    let load = &mut loads[i as usize];
                    load.force += force * w;
                    load.half_kick += force * (w * half);
                    load.push += push * w;
                    load.pressed += (push * w).length();
                    load.stiffness += stiffness * w * w;
                    load.driven |= driven;
                }
            }
        }
        loads
    }

    /// Vertex `i` stands still from now on.
    fn lie_down(&mut self, i: usize) {
        let pinned = |mover: &crate::mover::Mover| mover.vertices.contains(&(i as u32));
        if self.topology.movers.iter().any(pinned)
            || self.topology.loaded_vertices.contains(&(i as u32))
        {
            self.state.sleep.steady[i] = 0;
            return;
        }
        let (t, gravity) = (self.state.time, self.topology.gravity);
        let vertex = &mut self.state.vertices[i];
        vertex.move_to(t, gravity);
        (vertex.velocity, vertex.inverse_mass) = (Vec3::ZERO, 0.0);
        self.state.sleep.asleep[i] = true;
        self.state.sleep.count += 1;
        self.moves_otherwise(i);
    }

    /// Vertex `i` is free again; its pairs are not on the schedule yet.
    fn wake(&mut self, i: usize) {
        let t = self.state.time;
        let vertex = &mut self.state.vertices[i];
        vertex.time = t;
        vertex.inverse_mass = self.topology.inverse_mass[i];
        self.state.sleep.asleep[i] = false;
        self.state.sleep.steady[i] = 0;
        self.state.sleep.count -= 1;
        self.moves_otherwise(i);
    }

    /// A vertex whose course has changed: its certificates are made anew in the repair to come.
    fn moves_otherwise(&mut self, i: usize) {
        self.scratch.touched.push(i as u32);
        if self.options.certificate == Certificate::Ball {
            let size_classes = 0..SIZE_CLASSES;
            self.scratch
                .left
                .extend(size_classes.map(|size_class| (i as u32, size_class)));
        }
    }

    /// Wakes the sleeping corners of a pair whose other side comes at them, before it pushes.
    #[inline]
    pub(crate) fn wake_if_hit(&mut self, entry: &Entry, weights: &[f64; 4], n: Vec3) {
        let sleeps = |run: &Self, i: u32| run.state.sleep.asleep[i as usize];
        if self.state.sleep.count == 0 || !entry.corners.iter().any(|i| sleeps(self, *i)) {
            return;
        }
        let (t, topology) = (self.state.time, self.topology);
        let mut closing = 0.0;
        for (i, w) in entry.corners.iter().zip(weights) {
            let vertex = &self.state.vertices[*i as usize];
            closing -= w * n.dot(vertex.velocity_at(t, topology.gravity));
        }
        let limit = COMING * (topology.fall * topology.thickness_of(&entry.corners)).sqrt();
        if closing > limit {
            for i in entry.corners {
                if sleeps(self, i) {
                    self.wake(i as usize);
                    self.scratch.before[i as usize].keep(t, Vec3::ZERO);
                    self.scratch.woken = true;
                }
            }
        }
    }

    /// Puts pairs of vertices that were woken by a hit back on the schedule.
    pub(crate) fn follow_hits(&mut self) {
        if std::mem::take(&mut self.scratch.woken) {
            self.schedule_all();
            self.take_sleepers_off_agenda();
        }
    }

    /// Puts pairs of sleeping vertices back on the schedule.
    fn schedule_all(&mut self) {
        let (pairs, t) = (&mut self.state.pairs, self.state.time);
        for entry in self.state.schedule.dormant.iter().flatten() {
            pairs.take_grip_up(entry.pair, t);
        }
        self.state.schedule.put_back_dormant(&mut self.scratch.tail);
    }

    /// Takes pairs off the schedule whose corners all sleep or never move.
    fn take_sleepers_off_agenda(&mut self) {
        let (state, topology) = (&mut *self.state, self.topology);
        if state.sleep.count == 0 {
            return;
        }
        let (sleep, pairs, t) = (&state.sleep, &mut state.pairs, state.time);
        let still = |i: u32| sleep.asleep[i as usize] || topology.fixed[i as usize];
        state
            .schedule
            .take_dormant(|entry| entry.corners.into_iter().all(still));
        // friction does not forget while a pair sleeps
        for entry in state.schedule.dormant.iter().flatten() {
            let first = topology
                .layers
                .level(pairs.records[entry.pair as usize].clock, 1);
            pairs.lay_grip_down(entry.pair, t.saturating_sub(1 << first.unwrap_or(0)));
        }
    }

    /// Wakes vertex `i`, if it sleeps, between two advances.
    pub(crate) fn wake_one(&mut self, i: usize) {
        if self.state.sleep.asleep[i] {
            self.wake(i);
            self.scratch.woken = true;
            self.follow_hits();
        }
    }
}
