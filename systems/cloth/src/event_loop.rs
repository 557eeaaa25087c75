//! The algorithm on one screen: pop the earliest event, kick, repair (Harmon 2012, §5).
//!
//! Order at one time: certificates that fail, prescribed changes, elastic ticks by level, fields,
//! penalty ticks by level and pair, what falls asleep or wakes, repair. Certificates only decide which null ticks are left
//! out, so the trajectory does not depend on them.

use std::sync::Arc;

use drystone_base::Vec3;

use crate::balls::GapBound;
use crate::broad::Bounds;
use crate::clock::{LEVELS, Tick, next_tick};
use crate::layer_ticks::{Before, Touch};
use crate::mover::MoverState;
use crate::pair::{Kind, Pair};
use crate::pairs::SIZE_CLASSES;
use crate::penalty_schedule::Entry;
use crate::report::{Moment, Tally};
use crate::state::State;
use crate::topology::Topology;
use crate::watch::pulled_energy;
use crate::{BroadPhase, Certificate, Field, Options};

/// Number of events between two calls of `go_on`.
const ASK: u64 = 4096;

/// Levels that tick at `t`, of those in `mask`, the fastest first.
pub(crate) fn levels_at(t: Tick, mask: u64) -> impl Iterator<Item = usize> {
    let ticking = (2u64 << t.trailing_zeros().min(LEVELS as u32)) - 1;
    let mut left = mask & ticking;
    std::iter::from_fn(move || {
        let level = left.trailing_zeros() as usize;
        left &= left.wrapping_sub(1);
        (level < 64).then_some(level)
    })
}

/// What the loop works with; results depend on nothing in here that outlives an event.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// Vertices kicked at this time.
    pub(crate) touched: Vec<u32>,
    mark: Vec<u64>,
    /// By pair, the round in which its slab was renewed.
    renewed: Vec<u64>,
    /// Vertices that left their ball.
    pub(crate) left: Vec<(u32, usize)>,
    /// Pairs to be tested.
    pub(crate) doubtful: Vec<u32>,
    pub(crate) hits: Vec<(Kind, u32, u32)>,
    /// Edges or faces whose boxes change, with the old one and the new one.
    pub(crate) changed: Vec<(u32, Bounds, Bounds)>,
    pub(crate) gap_bound: Vec<GapBound>,
    pub(crate) near: Vec<u32>,
    pub(crate) copies: Vec<Pair>,
    /// Positions of the vertices, written by `tick_penalties`.
    pub(crate) places: Vec<Vec3>,
    /// Entries of the schedule that are not in order yet.
    pub(crate) tail: Vec<Entry>,
    /// By vertex, half of the kicks of this time; see `tick_elastic`.
    pub(crate) middle: Vec<Vec3>,
    /// Vertices that fields and loads push at this time: velocity before \[m/s\] and impulse \[N s\].
    pub(crate) pushed: Vec<(u32, Vec3, Vec3)>,
    /// By sheet, its energy at the end of the last advance \[J\]; see `watch.rs`.
    pub(crate) sheet_energy: Vec<f64>,
    /// By vertex, its velocity before the kicks of a time; by obstacle, the same of bodies that give way. What contact
    /// takes, it takes half way through the kicks; see `take_losses`.
    pub(crate) before: Vec<Before>,
    pub(crate) twists: Vec<[Vec3; 2]>,
    /// Pairs that push now.
    pub(crate) touches: Vec<Touch>,
    /// By vertex, see `follow_layers`.
    pub(crate) bounds: Vec<u8>,
    /// Elements need other clocks before the loop goes on.
    pub(crate) regroup: bool,
    /// A hit has woken something at this time, see `sleep.rs`.
    pub(crate) woken: bool,
    pub(crate) tally: Tally,
    /// Ticks of layers of this advance that are counted, see `stall_watch.rs`.
    pub(crate) counted_ticks: u64,
}

/// A run of the event loop.
pub(crate) struct Run<'a> {
    pub(crate) topology: &'a Topology,
    pub(crate) options: &'a Options,
    pub(crate) fields: &'a [Arc<dyn Field>],
    pub(crate) state: &'a mut State,
    pub(crate) scratch: &'a mut Scratch,
}

impl Run<'_> {
    /// Everything that happens until `end`; `watch` sees the state after every event, and `go_on` is asked now and
    /// then whether to. False if it said no.
    pub(crate) fn until(
        &mut self,
        end: Tick,
        watch: &mut dyn FnMut(&State),
        go_on: &mut dyn FnMut(&Moment) -> bool,
    ) -> bool {
        self.scratch.before.clear();
        self.scratch.regroup = false;
        self.change_velocities();
        if self.state.time == 0 {
            self.follow_all_shapes();
        }
        self.repair();
        let mut ask = ASK;
        while self.state.stall.is_none() && !self.scratch.regroup {
            let events = self.scratch.tally.events();
            if events >= self.options.event_limit {
                break;
            }
            if events >= ask {
                ask = events + ASK;
                let moment = Moment {
                    time: self.state.seconds(),
                    events,
                    deepest: self.scratch.tally.deepest,
                };
                if !go_on(&moment) {
                    return false;
                }
            }
            let t = self.next_event();
            if t > end {
                self.state.time = end;
                break;
            }
            let ticks = t > self.state.time;
            self.state.time = t;

            self.fail_certificates();
            self.change_velocities();
            if ticks {
                self.tick_elastic();
                self.tick_penalties();
                self.follow_hits();
                self.pull_bodies();
                self.aim_kicked_bodies();
                self.ask_who_sleeps();
                self.look_at_pinches();
            }
            self.repair();
            if ticks {
                self.count_toil();
            }
            watch(self.state);
        }
        true
    }

    /// Time of the next event.
    fn next_event(&self) -> Tick {
        let now = self.state.time;
        let mut next = Tick::MAX;
        for mover in &self.state.movers {
            next = next.min(mover.due.unwrap_or(Tick::MAX));
        }
        let levels = self.topology.clock_mask | self.state.schedule.mask;
        if levels != 0 {
            next = next.min(next_tick(now, levels.trailing_zeros() as u8));
        }
        next = next.min(self.next_question()).min(self.next_look());
        let certificate = match self.options.certificate {
            Certificate::Ball => self.next_ball_event(),
            Certificate::Slab => self.state.slabs.first().map_or(Tick::MAX, |first| first.0),
            Certificate::BruteForce => self.state.look_again,
        };
        let next = match self.options.broad_phase {
            BroadPhase::KDop if self.is_culled() => next.min(self.state.kdops.next_event()),
            _ => next,
        };
        next.min(certificate).max(now)
    }

    /// Whether pairs are listed only when they may come close.
    fn is_culled(&self) -> bool {
        self.options.certificate != Certificate::BruteForce
    }

    /// Tests the pairs whose certificate ends, before anything is kicked.
    fn fail_certificates(&mut self) {
        if self.is_culled() && self.options.broad_phase == BroadPhase::KDop {
            self.renew_failed_kdops();
        }
        match self.options.certificate {
            Certificate::Ball => self.renew_due_pairs(),
            Certificate::Slab => self.renew_failed_slabs(),
            Certificate::BruteForce => {}
        }
        self.test_doubtful();
    }

    /// Prescribed vertices that change their velocity now.
    fn change_velocities(&mut self) {
        let (t, topology) = (self.state.time, self.topology);
        for k in 0..self.state.bodies.len() {
            let due = self.state.movers[k].due.is_some_and(|due| due <= t);
            if let (true, Some(body)) = (due, &mut self.state.bodies[k]) {
                body.pass(t);
                self.scratch.tally.prescribed += 1;
                if let Some((island, _)) = body.island() {
                    self.state.islands[island].disturbed = true;
                }
            }
        }
        self.aim_kicked_bodies();
        let mut ground_moves = false;
        // pins come after obstacles
        let obstacles = topology.objects.len() - topology.sheets;
        let due = |state: &MoverState| state.due.is_some_and(|due| due <= t);
        let pinned = self.state.movers[obstacles..].iter().any(due);
        let before = pinned.then(|| pulled_energy(topology, self.state));
        let carriers_turn = !self.state.pinches.is_empty() && self.state.movers.iter().any(due);
        for (mover, state) in topology.movers.iter().zip(&mut self.state.movers) {
            if state.due.is_some_and(|due| due <= t) {
                let scratch = &mut *self.scratch;
                scratch.tally.prescribed += 1;
                mover.change(
                    state,
                    t,
                    &mut self.state.vertices,
                    &topology.inverse_mass,
                    topology.gravity,
                    |i| {
                        if topology.anchor[i as usize] {
                            ground_moves = true;
                            return;
                        }
                        scratch.touched.push(i);
                        // it moves otherwise than its ball
                        if self.options.certificate == Certificate::Ball {
                            scratch
                                .left
                                .extend((0..SIZE_CLASSES).map(|size_class| (i, size_class)));
                        }
                    },
                );
                if mover.lets_go(t) {
                    for i in mover.vertices.iter().map(|i| *i as usize) {
                        let vertex = &self.state.vertices[i];
                        self.state.account.movers +=
                            vertex.own_energy(vertex.inverse_mass, topology.true_gravity);
                    }
                }
            }
        }
        if let Some(before) = before {
            self.state.account.movers += pulled_energy(topology, self.state) - before;
            self.follow_all_shapes();
        }
        if carriers_turn {
            self.aim_pinches();
        }
        if ground_moves {
            self.scratch.doubtful.extend(&self.state.grounded);
        }
    }

    /// Levels that tick now, of those in `mask`.
    pub(crate) fn levels_now(&self, mask: u64) -> impl Iterator<Item = usize> + use<> {
        levels_at(self.state.time, mask)
    }

    /// Certificates of everything that was kicked hold again.
    pub(crate) fn repair(&mut self) {
        self.state.round += 1;
        let round = self.state.round;
        let mut touched = std::mem::take(&mut self.scratch.touched);
        self.scratch.mark.resize(self.state.vertices.len(), 0);
        let boxes = self.options.broad_phase == BroadPhase::Boxes;
        if !boxes && self.is_culled() {
            self.renew_kdops_of(&touched);
        }
        match self.options.certificate {
            Certificate::Ball => {
                for i in touched.iter().map(|i| *i as usize) {
                    if std::mem::replace(&mut self.scratch.mark[i], round) != round {
                        let next = next_tick(self.state.time, self.topology.check[i]);
                        let there = self.state.vertices[i].at(next, self.topology.gravity);
                        if self.stays_in_quiet_bound(i, next, there) {
                            continue;
                        }
                        if boxes && !self.stays_in_box(i, next, there) {
                            self.renew_box(i);
                        }
                        self.keep_in_balls(i, next, there);
                    }
                }
            }
            Certificate::Slab => {
                for i in touched.iter().map(|i| *i as usize) {
                    if std::mem::replace(&mut self.scratch.mark[i], round) != round {
                        let next = next_tick(self.state.time, self.topology.check[i]);
                        let there = self.state.vertices[i].at(next, self.topology.gravity);
                        if boxes && !self.stays_in_box(i, next, there) {
                            self.renew_box(i);
                        }
                        self.for_pairs_of(i, |run, p| {
                            run.scratch.renewed.resize(run.state.pairs.pool.len(), 0);
                            let last = &mut run.scratch.renewed[p as usize];
                            let known = std::mem::replace(last, round) == round;
                            if !known && !run.renew_slab(p) {
                                run.scratch.doubtful.push(p);
                            }
                        });
                    }
                }
            }
            Certificate::BruteForce => self.test_all_pairs(),
        }
        touched.clear();
        self.scratch.touched = touched;
        self.test_doubtful();
    }

    /// Calls `act` with every pair that vertex `i` is a corner of.
    fn for_pairs_of(&mut self, i: usize, mut act: impl FnMut(&mut Self, u32)) {
        for size_class in 0..SIZE_CLASSES {
            for k in 0.. {
                let Some(p) = self.state.pairs.nth_of(i, size_class, k) else {
                    break;
                };
                act(self, p);
            }
        }
    }
}
