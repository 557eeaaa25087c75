//! The algorithm on one screen: pop the earliest event, kick, repair (Harmon 2012, §5).
//!
//! Order at one time: certificates that fail, prescribed changes, elastic ticks by level, fields,
//! penalty ticks by level and pair, repair. Certificates only decide which null ticks are left
//! out, so the trajectory does not depend on them.

use std::sync::Arc;

use drystone_base::Vec3;
use drystone_base::lanes::fetch;
use drystone_geometry::proximity::{first_root, gap_along, rounding};

use crate::agenda::Entry;
use crate::balls::Below;
use crate::body::FreeBody;
use crate::broad::Bounds;
use crate::clock::{LEVELS, TICK, Tick, next_tick, period, seconds};
use crate::eights::{tick_dashpots, tick_hinges, tick_springs};
use crate::elastic::Held;
use crate::net::Net;
use crate::pair::{Kind, Pair, Scripted};
use crate::pairs::RANKS;
use crate::report::{Moment, Tally};
use crate::state::{Feature, Stall, State};
use crate::{BroadPhase, Certificate, Field, Options};

/// Why a pair with room left has no time left.
const TOO_FAST: &str = "it moves faster than a tick of time can resolve";
/// How many events pass between two questions whether to go on.
const ASK: u64 = 4096;

/// Levels that tick at `t`, of those in `mask`, the fastest first.
fn levels_at(t: Tick, mask: u64) -> impl Iterator<Item = usize> {
    let ticking = (2u64 << t.trailing_zeros().min(LEVELS as u32)) - 1;
    let mut left = mask & ticking;
    std::iter::from_fn(move || {
        let level = left.trailing_zeros() as usize;
        left &= left.wrapping_sub(1);
        (level < 64).then_some(level)
    })
}

/// What the loop works with; nothing in here outlives an event.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// Vertices kicked at this time.
    pub(crate) touched: Vec<u32>,
    mark: Vec<u64>,
    /// By pair, the round in which its slab was renewed.
    renewed: Vec<u64>,
    /// Vertices that left their ball.
    pub(crate) left: Vec<(u32, usize)>,
    /// Pairs to be looked at.
    pub(crate) doubtful: Vec<u32>,
    pub(crate) hits: Vec<(Kind, u32, u32)>,
    /// Edges or faces whose boxes change, with the old one and the new one.
    pub(crate) changed: Vec<(u32, Bounds, Bounds)>,
    pub(crate) below: Vec<Below>,
    pub(crate) near: Vec<u32>,
    pub(crate) copies: Vec<Pair>,
    /// Where the vertices are, see `tick_penalties`.
    places: Vec<Vec3>,
    /// Entries of the agenda that are not in order yet.
    tail: Vec<Entry>,
    /// By vertex, half of the kicks of this time; see `tick_elastic`.
    middle: Vec<Vec3>,
    /// Elements need other clocks before the loop goes on.
    pub(crate) regroup: bool,
    pub(crate) tally: Tally,
    /// Ticks of layers of this advance that are counted, see `toil.rs`.
    pub(crate) toiled: u64,
}

/// The primitive of a pair that belongs to a body which gives way.
struct GivingSide {
    /// Number of the obstacle.
    body: usize,
    /// Which corners of the pair are its.
    corners: std::ops::Range<usize>,
    /// Sum of their weights, 1 or -1.
    sign: f64,
    /// From its centre to where the pair meets it [m], and its velocity there [m/s].
    arm: Vec3,
    velocity: Vec3,
}

/// A run of the event loop.
pub(crate) struct Run<'a> {
    pub(crate) net: &'a Net,
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
        self.change_velocities();
        self.repair();
        self.scratch.regroup = false;
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
                self.pull_bodies();
                self.aim_kicked_bodies();
            }
            self.repair();
            if ticks {
                self.count_toil();
            }
            watch(self.state);
        }
        true
    }

    /// When something happens next.
    fn next_event(&self) -> Tick {
        let now = self.state.time;
        let mut next = Tick::MAX;
        for mover in &self.state.movers {
            next = next.min(mover.due.unwrap_or(Tick::MAX));
        }
        let levels = self.net.beat_mask | self.state.agenda.mask;
        if levels != 0 {
            next = next.min(next_tick(now, levels.trailing_zeros() as u8));
        }
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

    /// Pairs whose certificate ends are looked at, before anything is kicked.
    fn fail_certificates(&mut self) {
        if self.is_culled() && self.options.broad_phase == BroadPhase::KDop {
            self.renew_failed_kdops();
        }
        match self.options.certificate {
            Certificate::Ball => self.renew_due_pairs(),
            Certificate::Slab => self.renew_failed_slabs(),
            Certificate::BruteForce => {}
        }
        self.look_at_doubtful();
    }

    /// Prescribed vertices that change their velocity now.
    fn change_velocities(&mut self) {
        let (t, net) = (self.state.time, self.net);
        for k in 0..self.state.bodies.len() {
            let due = self.state.movers[k].due.is_some_and(|due| due <= t);
            if let (true, Some(body)) = (due, &mut self.state.bodies[k]) {
                body.pass(t);
                self.scratch.tally.prescribed += 1;
                self.aim_body(k);
            }
        }
        let mut ground_moves = false;
        for (mover, state) in net.movers.iter().zip(&mut self.state.movers) {
            if state.due.is_some_and(|due| due <= t) {
                let scratch = &mut *self.scratch;
                scratch.tally.prescribed += 1;
                mover.change(
                    state,
                    t,
                    &mut self.state.vertices,
                    &net.inverse_mass,
                    net.gravity,
                    |i| {
                        if net.anchor[i as usize] {
                            ground_moves = true;
                            return;
                        }
                        scratch.touched.push(i);
                        // it moves otherwise than its ball
                        if self.options.certificate == Certificate::Ball {
                            scratch.left.extend((0..RANKS).map(|rank| (i, rank)));
                        }
                    },
                );
                if mover.lets_go(t) {
                    for i in mover.vertices.iter().map(|i| *i as usize) {
                        let vertex = &self.state.vertices[i];
                        self.state.account.movers +=
                            vertex.own_energy(vertex.inverse_mass, net.true_gravity);
                    }
                }
            }
        }
        if ground_moves {
            self.scratch.doubtful.extend(&self.state.grounded);
        }
    }

    /// Bodies receive what pins that ride on them have withstood.
    fn pull_bodies(&mut self) {
        let (t, state) = (self.state.time, &mut *self.state);
        for body in state.bodies.iter_mut().flatten() {
            body.take_pulls(|rider, kick| {
                for &i in &self.net.movers[rider].vertices {
                    let impulse = std::mem::take(&mut state.reaction[i as usize]);
                    if impulse != Vec3::ZERO {
                        kick(t, state.vertices[i as usize].at(t, Vec3::ZERO), impulse);
                    }
                }
            });
        }
    }

    /// Bodies that were kicked now go on accordingly.
    fn aim_kicked_bodies(&mut self) {
        for k in 0..self.state.bodies.len() {
            if self.state.bodies[k]
                .as_ref()
                .is_some_and(FreeBody::is_kicked)
            {
                self.aim_body(k);
            }
        }
    }

    /// Sends the vertices of a body that gives way to where it will be next.
    fn aim_body(&mut self, k: usize) {
        let (t, state) = (self.state.time, &mut *self.state);
        let Some(body) = &mut state.bodies[k] else {
            return;
        };
        let (next, touched) = (body.aim(t), &mut self.scratch.touched);
        for m in std::iter::once(k).chain(body.riders()) {
            let mover = &self.net.movers[m];
            mover.aim(&mut state.movers[m], t, next, &mut state.vertices, |i| {
                touched.push(i);
            });
        }
    }

    /// The body that gives way of which a pair has a primitive.
    #[inline]
    fn giving_side(&self, entry: &Entry, x: &[Vec3; 4], w: &[f64; 4]) -> Option<GivingSide> {
        let split = entry.kind().split();
        for (corner, own, other) in [(0, 0..split, split..4), (3, split..4, 0..split)] {
            let object = self.net.object[entry.corners[corner] as usize] as usize;
            let Some(Some(body)) =
                (object.checked_sub(self.net.sheets)).and_then(|k| self.state.bodies.get(k))
            else {
                continue;
            };
            let (mut sign, mut point) = (0.0, Vec3::ZERO);
            for c in other {
                sign += w[c];
                point += x[c] * w[c];
            }
            // where the other side is: both are pushed at one point, so that no moment is left over
            let arm = body.arm(point / sign, self.state.time);
            return Some(GivingSide {
                body: object - self.net.sheets,
                corners: own,
                sign: -sign,
                arm,
                velocity: body.velocity_at(arm),
            });
        }
        None
    }

    /// Levels that tick now, of those in `mask`.
    fn levels_now(&self, mask: u64) -> impl Iterator<Item = usize> + use<> {
        levels_at(self.state.time, mask)
    }

    /// Elastic forces, gravity, fields and dashpots whose clocks tick now. Positions stand still meanwhile, so kicks
    /// are known at once; dashpots act half way through them, where velocities are those of the middle of the tick.
    fn tick_elastic(&mut self) {
        let (t, net) = (self.state.time, self.net);
        self.scratch
            .middle
            .resize(self.state.vertices.len(), Vec3::ZERO);
        for level in self.levels_now(net.beat_mask) {
            let beat = &net.beats[level];
            for i in &beat.stencil {
                self.state.vertices[*i as usize].move_to(t, net.gravity);
            }
            for i in &beat.damped {
                self.scratch.middle[*i as usize] = self.state.vertices[*i as usize].velocity;
            }
        }
        // kicks
        let mut work = 0.0;
        for level in self.levels_now(net.beat_mask) {
            let beat = &net.beats[level];
            let vertices = &mut self.state.vertices[..];
            let mut held = Held {
                work: 0.0,
                reaction: &mut self.state.reaction,
            };
            tick_springs(&beat.spring_runs, vertices);
            for spring in &beat.springs[8 * beat.spring_runs.len()..] {
                spring.tick(vertices, &mut held);
            }
            for triangle in &beat.triangles {
                triangle.tick(vertices, &mut held);
            }
            tick_hinges(&beat.hinge_runs, vertices);
            for hinge in &beat.hinges[8 * beat.hinge_runs.len()..] {
                hinge.tick(vertices, &mut held);
            }
            work += held.work;
            for i in &beat.heavy {
                let vertex = &mut vertices[*i as usize];
                vertex.velocity += if vertex.inverse_mass > 0.0 {
                    net.true_gravity * period(level as u8)
                } else {
                    Vec3::ZERO
                };
            }
            if !beat.aired.is_empty() {
                self.tick_fields(level);
            }
            self.scratch.tally.tick(beat);
            self.scratch.touched.extend(&beat.stencil);
            self.scratch.touched.extend(&beat.watched);
        }
        self.state.account.movers += work;
        self.tick_dashpots();
        self.follow_shapes();
    }

    /// Dashpots whose clocks tick now, half way back into the kicks of this time.
    fn tick_dashpots(&mut self) {
        let net = self.net;
        let (vertices, middle) = (&mut self.state.vertices[..], &mut self.scratch.middle[..]);
        for level in levels_at(self.state.time, net.beat_mask) {
            for i in net.beats[level].damped.iter().map(|i| *i as usize) {
                let half = (vertices[i].velocity - middle[i]) * 0.5;
                vertices[i].velocity -= half;
                middle[i] = half;
            }
        }
        let mut taken = 0.0;
        let mut held = Held {
            work: 0.0,
            reaction: &mut self.state.reaction,
        };
        for level in levels_at(self.state.time, net.beat_mask) {
            let beat = &net.beats[level];
            taken += tick_dashpots(&beat.dashpot_runs, vertices);
            for dashpot in &beat.dashpots[8 * beat.dashpot_runs.len()..] {
                taken += dashpot.tick(vertices, &mut held);
            }
            for dashpot in &beat.hinge_dashpots {
                taken += dashpot.tick(vertices, &mut held);
            }
        }
        for level in levels_at(self.state.time, net.beat_mask) {
            for i in net.beats[level].damped.iter().map(|i| *i as usize) {
                vertices[i].velocity += middle[i];
            }
        }
        let work = held.work;
        self.state.account.damping += taken;
        self.state.account.movers += work;
    }

    /// Every sixteenth tick of a level: whether its elements are so deformed that they need shorter periods.
    fn follow_shapes(&mut self) {
        let (t, net) = (self.state.time, self.net);
        let vertices = &self.state.vertices;
        let at = |i: u32| vertices[i as usize].at(t, net.gravity);
        let mut due = levels_at(t, net.beat_mask).filter(|level| (t >> level) & 15 == 0);
        let drops = &mut self.state.drops;
        let outgrown = |level: usize| {
            let beat = &net.beats[level];
            net.elements
                .is_outgrown(beat, drops, &net.inverse_mass, &at)
        };
        if due.any(outgrown) {
            net.elements.follow(drops, &net.inverse_mass, &at);
            self.scratch.regroup = true;
        }
    }

    /// Loads, air and accelerations on one level.
    fn tick_fields(&mut self, level: usize) {
        let (net, h) = (self.net, period(level as u8));
        let t = seconds(self.state.time);
        for i in &net.beats[level].aired {
            let vertex = &mut self.state.vertices[*i as usize];
            if vertex.inverse_mass == 0.0 {
                continue;
            }
            let before = vertex.velocity;
            let mut air = Vec3::ZERO;
            for field in self.fields {
                air += field.air(vertex.position, t);
                vertex.velocity += field.acceleration(vertex.position, vertex.velocity, t) * h;
            }
            let drag = net.drag[*i as usize];
            if drag > 0.0 {
                // the exact flow of drag alone: never past the air's own speed
                let keep = drystone_base::functions::exp(-drag * vertex.inverse_mass * h);
                vertex.velocity = air + (vertex.velocity - air) * keep;
            }
            let (gain, mass) = (vertex.velocity - before, 1.0 / vertex.inverse_mass);
            self.state.account.loads += 0.5 * mass * gain.dot(vertex.velocity + before);
        }
        for load in &net.loads {
            let impulse = load.force * (load.part(t) * h);
            for i in &load.vertices {
                let vertex = &mut self.state.vertices[*i as usize];
                if vertex.inverse_mass > 0.0 {
                    let gain = impulse * vertex.inverse_mass;
                    self.state.account.loads += impulse.dot(vertex.velocity + gain * 0.5);
                    vertex.velocity += gain;
                }
            }
        }
    }

    /// Penalty layers whose clocks tick now. Those that are certainly outside, and not so far that they might
    /// end, are passed over: most of resting cloth are.
    fn tick_penalties(&mut self) {
        let (t, gravity) = (self.state.time, self.net.gravity);
        for level in self.levels_now(self.state.agenda.mask) {
            let mut entries = self.state.agenda.take(level, &mut self.scratch.tail);
            let (h, mut clear) = (period(level as u8), 0);
            let (alike, outermost) = (self.net.is_alike(), self.clear_of(self.net.thickness, 1));
            let mut tick = |run: &mut Self, entry: &mut Entry, x: [Vec3; 4]| {
                let (from, to) = match entry.from {
                    1 if alike => outermost,
                    l => run.clear_of(run.net.thickness_of(&entry.corners), l),
                };
                let gap = entry.gap(&x);
                if gap >= from && gap <= to {
                    clear += 1;
                    return true;
                }
                run.tick_layers(entry, x, h)
            };
            // kicks change no place: where there are many pairs each vertex is placed once for all
            if entries.len() > self.state.vertices.len() {
                let mut places = std::mem::take(&mut self.scratch.places);
                places.clear();
                places.extend(self.state.vertices.iter().map(|v| v.at(t, gravity)));
                entries.retain_mut(|entry| {
                    let x = entry.corners.map(|i| places[i as usize]);
                    tick(self, entry, x)
                });
                self.scratch.places = places;
            } else {
                entries.retain_mut(|entry| {
                    let vertices = &self.state.vertices;
                    let x = entry.corners.map(|i| vertices[i as usize].at(t, gravity));
                    tick(self, entry, x)
                });
            }
            self.scratch.tally.null_penalties += clear;
            self.state.agenda.put_back(level, entries);
        }
    }

    /// Gaps of a pair of thickness `outermost` at which layer `l` neither acts nor ends: rounding is counted once for
    /// the gap and once for the distance that it stands for.
    #[inline]
    fn clear_of(&self, outermost: f64, l: u32) -> (f64, f64) {
        let from = self.net.layers.thickness(outermost, l) + 2.0 * self.state.delta;
        (from, from + 2.0 * self.net.layers.early(outermost, l))
    }

    /// Kicks a pair by its layers of one level; false if none of them is active any more.
    #[inline]
    fn tick_layers(&mut self, entry: &mut Entry, x: [Vec3; 4], h: f64) -> bool {
        let (t, net, gravity) = (self.state.time, self.net, self.net.gravity);
        let found = entry.kind().closest(x);
        let d = found.distance_squared.sqrt();
        let outermost = net.thickness_of(&entry.corners);
        if d >= net.layers.thickness(outermost, entry.from) {
            self.scratch.tally.null_penalties += 1;
            entry.set_normal(found.apart / d);
            return self.keep_layers(entry, d, found.apart, &found.weights);
        }
        self.scratch.tally.penalties += 1;
        let n = found.apart / d;
        let w = found.weights;
        let corners = entry.corners.map(|i| i as usize);
        let mut impulse = h * net
            .layers
            .force(outermost, entry.from, self.last_layer(entry), d);
        // the side of a body that gives way
        let side = match self.state.bodies.is_empty() {
            true => None,
            false => self.giving_side(entry, &x, &w),
        };
        let (mut velocity, mut inverse_mass) = match &side {
            Some(side) => (side.velocity * side.sign, 0.0),
            None => (Vec3::ZERO, 0.0),
        };
        let gives = |k: usize| side.as_ref().is_some_and(|side| side.corners.contains(&k));
        for k in (0..4).filter(|k| !gives(*k)) {
            let vertex = &self.state.vertices[corners[k]];
            velocity += vertex.velocity_at(t, gravity) * w[k];
            inverse_mass += w[k] * w[k] * vertex.inverse_mass;
        }
        let (a, b) = (
            net.object_of(corners[0] as u32),
            net.object_of(corners[3] as u32),
        );
        if velocity.dot(n) > 0.0 {
            // work given back is e² of the work stored, so the speed is e of the speed
            let e = a.restitution.max(b.restitution);
            impulse *= e * e;
        }
        if impulse == 0.0 {
            return true;
        }
        let mut kick = n * impulse;
        let friction = (a.friction * b.friction).sqrt();
        if friction > 0.0 {
            if let Some(side) = &side {
                // a body that is pushed off its centre turns, which is a slip too
                velocity += self.answer(side, kick);
            }
            let slip = velocity - n * velocity.dot(n);
            let speed = slip.length();
            if speed > 0.0 {
                if let Some(side) = &side {
                    inverse_mass += self.answer(side, slip).dot(slip) / (speed * speed);
                }
                if inverse_mass > 0.0 {
                    kick -= slip * ((friction * impulse).min(speed / inverse_mass) / speed);
                }
            }
        }
        // energy given to free vertices, and work of what is prescribed or a body of its own
        let (mut given, mut work) = (0.0, 0.0);
        for k in (0..4).filter(|k| !gives(*k)) {
            let vertex = &mut self.state.vertices[corners[k]];
            if vertex.inverse_mass > 0.0 {
                vertex.move_to(t, gravity);
                let change = kick * (w[k] * vertex.inverse_mass);
                given += w[k] * kick.dot(vertex.velocity + change * 0.5);
                vertex.velocity += change;
                self.scratch.touched.push(corners[k] as u32);
            } else {
                work -= w[k] * kick.dot(vertex.velocity);
                self.state.reaction[corners[k]] += kick * w[k];
            }
        }
        if let Some(side) = side
            && let Some(body) = &mut self.state.bodies[side.body]
        {
            let change = body.answer_at(side.arm, kick * side.sign);
            work -= side.sign * kick.dot(side.velocity + change * 0.5);
            body.kick(t, side.arm, kick * side.sign);
        }
        self.state.account.movers += work;
        self.state.account.contact += work - given;
        true
    }

    /// Change of velocity of a body that gives way by an impulse, where a pair meets it [m/s].
    #[inline]
    fn answer(&self, side: &GivingSide, impulse: Vec3) -> Vec3 {
        match &self.state.bodies[side.body] {
            Some(body) => body.answer_at(side.arm, impulse),
            None => Vec3::ZERO,
        }
    }

    /// The last of an entry's layers that is active; a single one is known to be without its pair.
    #[inline]
    fn last_layer(&self, entry: &Entry) -> u32 {
        if entry.from == entry.to {
            return entry.to;
        }
        let top = self.state.pairs.pool[entry.pair as usize].layers;
        entry.to.min(top)
    }

    /// A null tick: the top layers of the pair end if they are well outside and parting
    /// (Harmon 2012, §5.1). False if none of the entry's layers is left.
    fn keep_layers(&mut self, entry: &Entry, d: f64, apart: Vec3, weights: &[f64; 4]) -> bool {
        let (t, net) = (self.state.time, self.net);
        let (layers, outermost) = (&net.layers, net.thickness_of(&entry.corners));
        let ends = |l: u32| d > layers.thickness(outermost, l) + 2.0 * layers.early(outermost, l);
        if entry.from == entry.to && !ends(entry.from) {
            return true;
        }
        let mut parting = 0.0;
        for k in 0..4 {
            let vertex = &self.state.vertices[entry.corners[k] as usize];
            parting += weights[k] * apart.dot(vertex.velocity_at(t, net.gravity));
        }
        if parting <= 0.0 {
            return true;
        }
        let before = self.state.pairs.pool[entry.pair as usize].layers;
        if before > entry.to {
            return true;
        }
        let mut top = before;
        while top >= entry.from && ends(top) {
            top -= 1;
        }
        if top < before {
            self.state.pairs.pool[entry.pair as usize].layers = top;
            self.scratch.tally.deactivations += u64::from(before - top);
            self.scratch.doubtful.push(entry.pair);
        }
        top >= entry.from
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
                        let next = next_tick(self.state.time, self.net.check[i]);
                        let there = self.state.vertices[i].at(next, self.net.gravity);
                        if self.stays_on_leash(i, next, there) {
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
                        let next = next_tick(self.state.time, self.net.check[i]);
                        let there = self.state.vertices[i].at(next, self.net.gravity);
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
            Certificate::BruteForce => self.look_at_all(),
        }
        touched.clear();
        self.scratch.touched = touched;
        self.look_at_doubtful();
    }

    /// Calls `act` with every pair that vertex `i` is a corner of.
    fn for_pairs_of(&mut self, i: usize, mut act: impl FnMut(&mut Self, u32)) {
        for rank in 0..RANKS {
            for k in 0.. {
                let Some(p) = self.state.pairs.nth_of(i, rank, k) else {
                    break;
                };
                act(self, p);
            }
        }
    }

    /// Measures pairs in doubt: activates the layers they need and certifies them anew, until none
    /// is in doubt.
    fn look_at_doubtful(&mut self) {
        while self.state.stall.is_none() {
            if let Some((i, rank)) = self.scratch.left.pop() {
                // pairs lie all over memory: those of the next are on their way meanwhile
                let next = self.scratch.left.last().copied();
                if let [.., far, _, _, near, _, _] = self.scratch.left[..] {
                    self.state.pairs.fetch_place(far.0 as usize, far.1);
                    self.state.pairs.fetch_list(near.0 as usize, near.1);
                }
                self.renew_ball(i as usize, rank, next);
            } else if let Some(p) = self.scratch.doubtful.pop() {
                if let [.., later, next] = self.scratch.doubtful[..] {
                    self.state.pairs.fetch(later);
                    self.fetch_for_look(next);
                }
                if self.state.pairs.is_there(p) {
                    self.look_at(p);
                }
            } else {
                break;
            }
        }
        self.scratch.left.clear();
        self.scratch.doubtful.clear();
    }

    /// Has what a look at a pair needs brought from memory.
    #[inline]
    fn fetch_for_look(&self, p: u32) {
        self.state.pairs.fetch_record(p);
        for i in self.state.pairs.pool[p as usize].corners {
            fetch(&self.state.vertices[i as usize]);
        }
    }

    fn look_at(&mut self, p: u32) {
        let (t, net) = (self.state.time, self.net);
        self.scratch.tally.looks += 1;
        let pair = &self.state.pairs.pool[p as usize];
        let x = pair
            .corners
            .map(|i| self.state.vertices[i as usize].at(t, net.gravity));
        let found = pair.kind.closest(x);
        let d = found.distance_squared.sqrt();
        let n = if d > 0.0 { found.apart / d } else { Vec3::ZERO };
        let low = gap_along(n, &x, pair.kind.split()) - self.state.delta;
        if pair.scripted != Scripted::No {
            if !self.is_apart(p, low) {
                return;
            }
        } else if !self.activate_down_to(p, low) {
            return;
        }
        let slack = low - self.watched(&self.state.pairs.pool[p as usize]);
        self.state.pairs.pool[p as usize].set_direction(n);
        match self.options.certificate {
            Certificate::Ball => self.renew_pair(p, slack),
            Certificate::Slab => {
                if !self.renew_slab(p) {
                    self.has_no_time(p);
                }
            }
            Certificate::BruteForce => {}
        }
    }

    /// The distance that certificates of a pair watch: the thickness of its next layer, not active yet [m].
    #[inline]
    pub(crate) fn watched(&self, pair: &Pair) -> f64 {
        match pair.scripted {
            Scripted::No => {
                let outermost = self.net.thickness_of(&pair.corners);
                self.net.layers.thickness(outermost, pair.layers + 1)
            }
            _ => self.net.meeting_distance(),
        }
    }

    /// No certificate of a pair lasts for a tick: a stall, if it can be pushed apart.
    pub(crate) fn has_no_time(&mut self, p: u32) {
        match self.state.pairs.pool[p as usize].scripted {
            Scripted::No => self.stall(p, TOO_FAST),
            _ => self.meet(p),
        }
    }

    /// Activates every layer that a pair `low` apart needs, a little early; false is a stall.
    fn activate_down_to(&mut self, p: u32, low: f64) -> bool {
        let layers = &self.net.layers;
        let corners = &self.state.pairs.pool[p as usize].corners;
        let outermost = self.net.thickness_of(corners);
        loop {
            let next = self.state.pairs.pool[p as usize].layers + 1;
            if low >= layers.thickness(outermost, next) + layers.early(outermost, next) {
                return true;
            }
            if low <= 0.0 || self.state.delta > 0.05 * layers.early(outermost, next) {
                self.stall(
                    p,
                    "too far from the origin, or too close, for the digits of a number",
                );
                return false;
            }
            if !self.state.agenda.activate(layers, p, &mut self.state.pairs) {
                self.stall(p, "its period would be shorter than the shortest allowed");
                return false;
            }
            self.scratch.tally.activations += 1;
            self.scratch.tally.deepest = self.scratch.tally.deepest.max(next);
        }
    }

    /// Brute force lists every pair that may touch at all.
    pub(crate) fn start_brute_force(&mut self) {
        let net = self.net;
        let [v, e, f] = [net.start.len(), net.edges.len(), net.faces.len()].map(|n| n as u32);
        let kinds = [
            (Kind::VertexFace, v, f),
            (Kind::EdgeEdge, e, e),
            (Kind::VertexEdge, v, e),
            (Kind::VertexVertex, v, v),
        ];
        for (kind, first, second) in kinds {
            let alike = matches!(kind, Kind::EdgeEdge | Kind::VertexVertex);
            for a in 0..first {
                for b in if alike { a + 1 } else { 0 }..second {
                    if net.may_touch(kind, a, b) {
                        self.state.pairs.insert(net, kind, a, b);
                    }
                }
            }
        }
    }

    /// Brute force: every pair is measured, and again before the first of them can come closer than
    /// its next layer.
    fn look_at_all(&mut self) {
        let (t, net) = (self.state.time, self.net);
        self.state.look_again = Tick::MAX;
        for p in 0..self.state.pairs.pool.len() as u32 {
            let pair = &self.state.pairs.pool[p as usize];
            let vertices = pair.corners.map(|i| self.state.vertices[i as usize]);
            let x = vertices.map(|v| v.at(t, net.gravity));
            let n = pair.kind.closest(x).apart.normalize_or_zero();
            let (pair_kind, split) = (pair.kind, pair.kind.split());
            let size = x
                .iter()
                .fold(0.0f64, |most, x| most.max(x.abs().max_element()));
            let low = gap_along(n, &x, split) - rounding(2.0 * size);
            if pair.scripted != Scripted::No {
                if !self.is_apart(p, low) {
                    continue;
                }
            } else if !self.activate_down_to(p, low) {
                return;
            }
            let slack = low - self.watched(&self.state.pairs.pool[p as usize]);
            let velocity = vertices.map(|v| v.velocity_at(t, net.gravity));
            let mut fastest = 0.0f64;
            for a in &velocity[..split] {
                for b in &velocity[split..] {
                    fastest = fastest.max((*a - *b).length());
                }
            }
            let life = match pair_kind {
                Kind::VertexPlane => self.time_over_plane(&self.state.pairs.pool[p as usize]),
                _ => first_root(slack, -fastest, -0.5 * net.fall),
            } / TICK;
            let again = t.saturating_add((life as Tick).max(1));
            self.state.look_again = self.state.look_again.min(again);
        }
    }

    /// Sets the stall that ends the run.
    pub(crate) fn stall(&mut self, p: u32, reason: &str) {
        let (t, net) = (self.state.time, self.net);
        let pair = &self.state.pairs.pool[p as usize];
        let x = |i: u32| self.state.vertices[i as usize].at(t, net.gravity);
        let found = pair.kind.closest(pair.corners.map(x));
        let key = self.state.pairs.records[p as usize].key;
        let (a, b) = ((key >> 30) as u32 & 0x3fff_ffff, key as u32 & 0x3fff_ffff);
        self.state.stall = Some(Stall {
            a: Feature::of(net, pair.kind, false, a, &x),
            b: Feature::of(net, pair.kind, true, b, &x),
            layer: pair.layers + 1,
            distance: found.distance_squared.sqrt(),
            time: seconds(t),
            reason: reason.into(),
        });
    }
}
