//! Certificates by vertex: each stays in balls about references that move with it.
//!
//! A reference goes on as its vertex did when it was made, gravity included, so falling or carried
//! cloth leaves no ball. While all four vertices of a pair are in their balls, the pair is
//! farther apart than its references less the radii; along a fixed direction that is a parabola in
//! time, and its first root is when the pair must be looked at again. A kick costs a few tests of its
//! vertex; only a vertex that leaves a ball touches pairs. A vertex has a ball of each size class, each
//! larger than the one before, and a pair relies on the largest that its slack allows: so a small
//! motion touches the few tight pairs only. The smallest ball that a vertex keeps lies in its others and in
//! its box for a while; until then, its quiet bound, a kick tests that one only. Pairs wait in a calendar of coarse slots, and are only
//! ever filed earlier; at the slot they are looked at, renewed or put off.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use drystone_base::Vec3;
use drystone_base::lanes::prefetch;
use drystone_geometry::proximity::first_root;
use serde::{Deserialize, Serialize};

use crate::clock::{TICK, Tick, next_tick};
use crate::event_loop::Run;
use crate::pair::{Kind, Pair};
use crate::pairs::{AHEAD, SIZE_CLASSES};

/// Slots are 2^SLOT ticks long, 2⁻¹² s.
const SLOT: u8 = 28;
/// Number of slots of the calendar.
const RING: usize = 256;
/// Radius of the smallest ball, as a part of the least slack of its pairs \[1\].
const SHARE: f64 = 0.35;
/// Largest radius for a pair, as a part of its slack: references may be off by a radius and vertices by a radius
/// from them on both sides, so a fifth of the slack is left \[1\].
const ALLOWED: f64 = 0.2;
/// Radii of the larger balls, as parts of the scale of a vertex \[1\]; the smallest adapts. Of a flat sheet whose vertices
/// are 1.5 thicknesses apart the next pairs but one have a slack of 0.06, those after them of 0.5 and 1.1.
const RADII: [f64; SIZE_CLASSES] = [0.0, 0.01, 0.035, 0.097, 0.2];

/// A ball in which a vertex is expected to stay. One cache line.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[repr(align(64))]
pub(crate) struct Ball {
    reference: Vec3,
    drift: Vec3,
    time: Tick,
    radius: f32,
    /// 1 if the reference falls, 0 if not.
    falls: f32,
}

/// The smallest ball of a vertex, while it lies in all others and in the box. One cache line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[repr(align(64))]
pub(crate) struct QuietBound {
    reference: Vec3,
    drift: Vec3,
    time: Tick,
    /// Negative if the reference does not fall.
    radius: f32,
    /// Duration of its validity from `time` on, in units of 2^UNIT ticks; 0 is a quiet bound that has ended.
    life: u32,
}

/// Leashes count 2^UNIT ticks, 6e-8 s.
const UNIT: u8 = 16;
/// Number of its checks that all balls of a vertex must have lasted before it gets a quiet bound.
const QUIET: Tick = 12;
/// Longest quiet bound; boxes are not meant to last longer \[s\].
const LONGEST: f64 = 0.25;

/// Balls of all vertices, and the times at which pairs are tested.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Balls {
    ball: [Vec<Ball>; SIZE_CLASSES],
    quiet_bound: Vec<QuietBound>,
    /// Bit k: the vertex stays in its ball of size class k, as some pair relies on it.
    kept: Vec<u8>,
    slots: Vec<Vec<u32>>,
    /// The slot that was last emptied.
    slot: Tick,
    /// Pairs that cannot wait for a slot.
    urgent: BinaryHeap<Reverse<(Tick, u32)>>,
}

impl Balls {
    pub(crate) fn is_sound(&self, vertices: usize, pairs: usize) -> bool {
        let numbers = self
            .slots
            .iter()
            .flatten()
            .chain(self.urgent.iter().map(|Reverse((_, p))| p));
        self.ball.iter().all(|ball| ball.len() == vertices)
            && self.kept.len() == vertices
            && self.quiet_bound.len() == vertices
            && self.slots.len() == RING
            && numbers.into_iter().all(|p| (*p as usize) < pairs)
    }
}

impl PartialEq for Balls {
    fn eq(&self, other: &Self) -> bool {
        let sorted = |heap: &BinaryHeap<Reverse<(Tick, u32)>>| heap.clone().into_sorted_vec();
        (
            &self.ball,
            &self.kept,
            &self.quiet_bound,
            &self.slots,
            self.slot,
        ) == (
            &other.ball,
            &other.kept,
            &other.quiet_bound,
            &other.slots,
            other.slot,
        ) && sorted(&self.urgent) == sorted(&other.urgent)
    }
}

/// A parabola below the gap of a pair, without one ball's radius: `c0 + c1 t + c2 t²`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GapBound {
    c0: f64,
    c1: f64,
    c2: f64,
}

impl GapBound {
    const NEVER: Self = Self {
        c0: f64::INFINITY,
        c1: 0.0,
        c2: 0.0,
    };

    /// Ticks until it reaches `radius`.
    #[inline]
    fn ticks(&self, radius: f64) -> f64 {
        first_root(self.c0 - radius, self.c1, self.c2) / TICK
    }
}

impl Run<'_> {
    /// Makes the balls of all vertices; every pair must be tested after that.
    pub(crate) fn start_balls(&mut self) {
        let (t, topology) = (self.state.time, self.topology);
        self.state.balls.slots = vec![Vec::new(); RING];
        self.state.balls.slot = t >> SLOT;
        self.state.balls.kept = vec![u8::MAX; self.state.vertices.len()];
        self.state.balls.quiet_bound = vec![QuietBound::default(); self.state.vertices.len()];
        for size_class in 0..SIZE_CLASSES {
            let radius = |i: usize| match size_class {
                _ if topology.fixed[i] => 0.0,
                0 => self.smallest_radius(),
                _ => RADII[size_class] * topology.scale[i],
            };
            self.state.balls.ball[size_class] = (0..self.state.vertices.len())
                .map(|i| self.ball_here(i, radius(i)))
                .collect();
        }
    }

    fn smallest_radius(&self) -> f64 {
        self.topology.early * self.topology.thickness / 16.0
    }

    /// Latest time at which a pair must be tested next.
    pub(crate) fn next_ball_event(&self) -> Tick {
        let balls = &self.state.balls;
        let slot = (balls.slot + 1) << SLOT;
        balls
            .urgent
            .peek()
            .map_or(slot, |Reverse((t, _))| slot.min(*t))
    }

    /// Looks at the pairs that are due.
    pub(crate) fn renew_due_pairs(&mut self) {
        let t = self.state.time;
        while (self.state.balls.slot + 1) << SLOT <= t {
            self.state.balls.slot += 1;
            let slot = self.state.balls.slot;
            let k = slot as usize % RING;
            let mut due = std::mem::take(&mut self.state.balls.slots[k]);
            for (n, &p) in due.iter().enumerate() {
                if let Some(later) = due.get(n + 4 * AHEAD) {
                    self.state.pairs.prefetch(*later);
                }
                let pair = &mut self.state.pairs.pool[p as usize];
                if pair.filed == slot << SLOT {
                    pair.filed = Tick::MAX;
                    let expires = pair.expires;
                    if expires >= (slot + 1) << SLOT {
                        self.file(p, expires);
                    } else {
                        self.scratch.doubtful.push(p);
                    }
                }
            }
            if self.state.balls.slots[k].is_empty() {
                due.clear();
                self.state.balls.slots[k] = due; // keeps its memory
            }
        }
        while let Some(Reverse((due, p))) = self.state.balls.urgent.peek().copied() {
            if due > t {
                break;
            }
            self.state.balls.urgent.pop();
            let pair = &mut self.state.pairs.pool[p as usize];
            if pair.filed == due {
                pair.filed = Tick::MAX;
                let expires = pair.expires;
                if expires > t {
                    self.file(p, expires);
                } else {
                    self.scratch.doubtful.push(p);
                }
            }
        }
    }

    /// Files the pair to be tested before `expires`, unless it is already.
    #[inline]
    fn file(&mut self, p: u32, expires: Tick) {
        let balls = &mut self.state.balls;
        let pair = &mut self.state.pairs.pool[p as usize];
        pair.expires = expires;
        if expires >= pair.filed {
            return;
        }
        let slot = (expires >> SLOT).min(balls.slot + RING as Tick - 1);
        if slot > balls.slot {
            pair.filed = slot << SLOT;
            balls.slots[slot as usize % RING].push(p);
        } else {
            pair.filed = expires;
            balls.urgent.push(Reverse((expires, p)));
        }
    }

    /// A ball about the present position and path of vertex `i`.
    fn ball_here(&self, i: usize, radius: f64) -> Ball {
        let (t, gravity, vertex) = (
            self.state.time,
            self.topology.gravity,
            &self.state.vertices[i],
        );
        Ball {
            reference: vertex.at(t, gravity),
            drift: vertex.velocity_at(t, gravity),
            time: t,
            radius: radius as f32,
            falls: if vertex.inverse_mass > 0.0 { 1.0 } else { 0.0 },
        }
    }

    /// How far vertex `i`, being `there` at `t`, is from its reference then. As both fall alike the
    /// difference is linear in time: in the ball now and then is in the ball in between.
    #[inline]
    fn is_in_ball_at(
        &self,
        i: usize,
        size_class: usize,
        t: Tick,
        there: Vec3,
        gravity: Vec3,
    ) -> bool {
        let ball = &self.state.balls.ball[size_class][i];
        let age = (t - ball.time) as i64 as f64 * TICK;
        let off = there - (ball.reference + ball.drift * age + gravity * (0.5 * age * age));
        let radius = f64::from(ball.radius);
        off.length_squared() <= radius * radius
    }

    /// Whether vertex `i` is in its ball at `t`.
    fn is_in_ball(&self, i: usize, size_class: usize, t: Tick) -> bool {
        let (vertex, gravity) = (&self.state.vertices[i], self.topology.gravity);
        let there = vertex.at(t, gravity);
        self.is_in_ball_at(i, size_class, t, there, vertex.falls(gravity))
    }

    /// Whether vertex `i` stays in its ball until it is looked at again.
    fn stays_in_ball(&self, i: usize, size_class: usize) -> bool {
        self.is_in_ball(
            i,
            size_class,
            next_tick(self.state.time, self.topology.check[i]),
        )
    }

    /// Whether vertex `i` stays on its quiet bound until `next`, when it will be `there`: then nothing else about
    /// it needs a test.
    #[inline]
    pub(crate) fn stays_in_quiet_bound(&self, i: usize, next: Tick, there: Vec3) -> bool {
        let quiet_bound = &self.state.balls.quiet_bound[i];
        let (age, vertex) = (next.wrapping_sub(quiet_bound.time), &self.state.vertices[i]);
        let alike = (vertex.inverse_mass > 0.0) == (quiet_bound.radius > 0.0);
        if age > Tick::from(quiet_bound.life) << UNIT || !alike {
            return false;
        }
        let (age, fall) = (
            age as i64 as f64 * TICK,
            vertex.falls(self.topology.gravity),
        );
        let off =
            there - (quiet_bound.reference + quiet_bound.drift * age + fall * (0.5 * age * age));
        let radius = f64::from(quiet_bound.radius);
        off.length_squared() <= radius * radius
    }

    /// Ends the quiet bound of vertex `i`, of which a ball or the box is another now.
    #[inline]
    pub(crate) fn end_quiet_bound(&mut self, i: usize) {
        if let Some(quiet_bound) = self.state.balls.quiet_bound.get_mut(i) {
            quiet_bound.life = 0;
        }
    }

    /// New balls for vertex `i` where it leaves one before it is looked at again. Balls that no pair
    /// relies on are let go. If it is in all of them it gets a new quiet bound.
    #[inline]
    pub(crate) fn keep_in_balls(&mut self, i: usize, next: Tick, there: Vec3) {
        let fall = self.state.vertices[i].falls(self.topology.gravity);
        let mut youngest = 0;
        for size_class in 0..SIZE_CLASSES {
            if !self.state.pairs.rely_on(i, size_class) {
                self.state.balls.kept[i] &= !(1 << size_class);
            } else if !self.is_in_ball_at(i, size_class, next, there, fall) {
                self.scratch.left.push((i as u32, size_class));
                youngest = self.state.time;
            } else {
                youngest = youngest.max(self.state.balls.ball[size_class][i].time);
            }
        }
        // what has lasted for a while will go on to
        if next - youngest > QUIET << self.topology.check[i] {
            self.renew_quiet_bound(i);
        }
    }

    /// Finds out how long the smallest ball of vertex `i` will lie in its others and in its box.
    fn renew_quiet_bound(&mut self, i: usize) {
        let (t, topology, state) = (self.state.time, self.topology, &*self.state);
        let kept = state.balls.kept[i];
        let balls = || {
            (0..SIZE_CLASSES)
                .filter(|size_class| kept & (1 << size_class) != 0)
                .map(|size_class| &state.balls.ball[size_class][i])
        };
        let least = balls().min_by(|a, b| a.radius.total_cmp(&b.radius));
        let ball = least
            .copied()
            .unwrap_or_else(|| self.ball_here(i, self.room(i)));
        let radius = f64::from(ball.radius);
        let fall = topology.gravity * f64::from(ball.falls);
        let age = (t - ball.time) as i64 as f64 * TICK;
        let x = ball.reference + ball.drift * age + fall * (0.5 * age * age);
        let mut life = LONGEST;
        for other in balls().filter(|other| *other != &ball) {
            // both fall alike, so they part in a straight line
            let room = f64::from(other.radius) - radius - state.delta;
            let since = (t - other.time) as i64 as f64 * TICK;
            let apart = x - (other.reference + other.drift * since + fall * (0.5 * since * since));
            let parting = ball.drift + fall * age - other.drift - fall * since;
            let (a, b) = (parting.length_squared(), apart.dot(parting));
            let left = room * room - apart.length_squared();
            if room <= 0.0 || left <= 0.0 || ball.falls != other.falls {
                return;
            }
            // when |apart + parting s| reaches the room; no form cancels
            let root = (b * b + a * left).sqrt();
            let until = if b > 0.0 {
                left / (b + root)
            } else {
                (root - b) / a
            };
            life = life.min(until);
        }
        if self.options.broad_phase == crate::BroadPhase::Boxes {
            let (low, high) = state.broad.roomy(i);
            let speed = ball.drift + fall * age;
            for axis in 0..3 {
                let (v, half) = (speed[axis], 0.5 * fall[axis]);
                let pad = radius + state.delta;
                life = life
                    .min(first_root(x[axis] - pad - low[axis], v, half))
                    .min(first_root(high[axis] - pad - x[axis], -v, -half));
            }
        }
        let end = (t - ball.time) as f64 + (life * (1.0 - 1e-9)) / TICK;
        self.state.balls.quiet_bound[i] = QuietBound {
            reference: ball.reference,
            drift: ball.drift,
            time: ball.time,
            radius: ball.radius * (2.0 * ball.falls - 1.0),
            life: (end as Tick >> UNIT).min(u32::MAX.into()) as u32,
        };
    }

    /// A parabola below the gap of a pair from now on, less its next layer and all radii.
    #[inline]
    fn gap_bound(&self, pair: &Pair) -> GapBound {
        let state = &*self.state;
        if pair.kind == Kind::VertexPlane {
            return self.gap_bound_over_plane(pair);
        }
        let (n, split) = (pair.direction(), pair.kind.split());
        if pair.scripted.is_unwatched() {
            return GapBound::NEVER;
        }
        let watched = self.watched(pair);
        let fall = 0.5 * n.dot(self.topology.gravity);
        let (mut low, mut low_speed, mut low_fall) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
        let (mut high, mut high_speed, mut high_fall) = (-low, -low_speed, -low_fall);
        let balls = &state.balls.ball[pair.size_class as usize];
        for (k, i) in pair.corners.into_iter().enumerate() {
            let ball = &balls[i as usize];
            let age = (state.time - ball.time) as i64 as f64 * TICK;
            let (falls, radius) = (fall * f64::from(ball.falls), f64::from(ball.radius));
            let speed = n.dot(ball.drift);
            let x = n.dot(ball.reference) + (speed + falls * age) * age;
            let speed = speed + 2.0 * falls * age;
            if k < split {
                low = low.min(x - radius);
                low_speed = low_speed.min(speed);
                low_fall = low_fall.min(falls);
            } else {
                high = high.max(x + radius);
                high_speed = high_speed.max(speed);
                high_fall = high_fall.max(falls);
            }
        }
        GapBound {
            c0: low - high - watched - state.delta,
            c1: low_speed - high_speed,
            c2: low_fall - high_fall,
        }
    }

    /// Gap bound of a vertex and a half-space.
    #[inline(never)]
    fn gap_bound_over_plane(&self, pair: &Pair) -> GapBound {
        if pair.scripted.is_unwatched() {
            return GapBound::NEVER;
        }
        let ball = &self.state.balls.ball[pair.size_class as usize][pair.corners[0] as usize];
        let age = (self.state.time - ball.time) as i64 as f64 * TICK;
        let fall = self.topology.gravity * f64::from(ball.falls);
        let vertex = [
            ball.reference + (ball.drift + fall * (0.5 * age)) * age,
            ball.drift + fall * age,
            fall * 0.5,
        ];
        let radius = f64::from(ball.radius);
        let [c0, c1, c2] = self.over_plane(pair, vertex, radius);
        GapBound { c0, c1, c2 }
    }

    /// A new ball for vertex `i`, which is about to leave its ball; pairs of the `next` one are on their way
    /// meanwhile.
    #[inline(never)]
    pub(crate) fn renew_ball(&mut self, i: usize, size_class: usize, next: Option<(u32, usize)>) {
        let (t, topology) = (self.state.time, self.topology);
        self.scratch.tally.balls[size_class] += 1;
        self.end_quiet_bound(i);
        let fixed = RADII[size_class] * topology.scale[i];
        let before = self.state.balls.ball[size_class][i];
        self.state.balls.kept[i] |= 1 << size_class;
        self.state.balls.ball[size_class][i] = self.ball_here(i, fixed);
        if size_class > 0 {
            self.drift_as_mean(i, size_class, &before);
        }
        // pairs lie all over memory: short loops that only read them wait for many at once
        let mut near = std::mem::take(&mut self.scratch.near);
        let mut copies = std::mem::take(&mut self.scratch.copies);
        let mut found = std::mem::take(&mut self.scratch.gap_bound);
        near.clear();
        near.extend(self.state.pairs.of(i, size_class));
        copies.clear();
        copies.extend(near.iter().map(|p| self.state.pairs.pool[*p as usize]));
        found.clear();
        let prefetch_balls = |pair: &Pair| {
            for i in pair.corners {
                prefetch(&self.state.balls.ball[size_class][i as usize]);
            }
        };
        copies.iter().take(AHEAD).for_each(prefetch_balls);
        let (j, r) = next.unwrap_or((i as u32, size_class));
        let mut coming = self.state.pairs.of(j as usize, r);
        for (k, pair) in copies.iter().enumerate() {
            copies.get(k + AHEAD).into_iter().for_each(prefetch_balls);
            coming
                .next()
                .into_iter()
                .for_each(|p| self.state.pairs.prefetch(p));
            found.push(self.gap_bound(pair));
        }
        coming.for_each(|p| self.state.pairs.prefetch(p));
        let least = found
            .iter()
            .fold(f64::INFINITY, |least, gap_bound| least.min(gap_bound.c0));
        self.scratch.tally.ball_pairs[size_class] += near.len() as u64;
        let mut radius = 0.0;
        if size_class == 0 {
            // without slack, as far as is known from old directions: pairs in doubt will tell
            radius = if least > 0.0 {
                SHARE * least
            } else {
                self.smallest_radius()
            };
            radius = f64::from(radius.min(RADII[1] * topology.scale[i]) as f32);
            self.state.balls.ball[0][i].radius = radius as f32;
        }
        for (p, gap_bound) in near.iter().zip(&found) {
            let ticks = gap_bound.ticks(radius);
            if ticks >= 1.0 {
                self.file(*p, t.saturating_add(ticks as Tick));
            } else {
                self.scratch.doubtful.push(*p);
            }
        }
        self.scratch.near = near;
        self.scratch.copies = copies;
        self.scratch.gap_bound = found;
    }

    /// Lets the reference of a larger ball go on with a mean velocity: a vertex that swings is
    /// somewhere else soon, but its mean is not. Of small balls the mean over the last one's life,
    /// if that was long enough to tell; of large ones that of the vertices around.
    fn drift_as_mean(&mut self, i: usize, size_class: usize, before: &Ball) {
        let (t, topology) = (self.state.time, self.topology);
        let (age, here) = (t - before.time, self.state.balls.ball[size_class][i]);
        let drift = if size_class >= 3 {
            let (mut sum, mut count) = (here.drift, 1.0);
            for e in topology.vertex_edges.row(i) {
                let [a, b] = topology.edges[*e as usize];
                let other = if a as usize == i { b } else { a };
                sum += self.state.vertices[other as usize].velocity_at(t, topology.gravity);
                count += 1.0;
            }
            sum / count
        } else if age >= 8 << topology.check[i] {
            // the mean is the velocity of the middle of its life
            let (age, fall) = (
                age as f64 * TICK,
                self.state.vertices[i].falls(topology.gravity),
            );
            (here.reference - before.reference) / age + fall * (0.5 * age)
        } else {
            return;
        };
        self.state.balls.ball[size_class][i].drift = drift;
        if !self.stays_in_ball(i, size_class) {
            self.state.balls.ball[size_class][i].drift = here.drift;
        }
    }

    /// Pair `p` is apart by `slack` more than its next layer: when must it be looked at again?
    /// It relies on the largest balls that leave a fifth of the slack; if even the smallest take
    /// too much they shrink, and vertices outside of them get new ones.
    pub(crate) fn renew_pair(&mut self, p: u32, slack: f64) {
        let (t, allowed) = (self.state.time, ALLOWED * slack);
        let pair = &self.state.pairs.pool[p as usize];
        let scale = pair.corners.map(|i| self.topology.scale[i as usize]);
        let scale = scale.into_iter().fold(0.0, f64::max);
        let size_class = (1..SIZE_CLASSES)
            .rev()
            .find(|size_class| RADII[*size_class] * scale <= allowed)
            .unwrap_or(0);
        // those of a half-space are known exactly
        let corners = match pair.kind {
            Kind::VertexPlane => [pair.corners[0]; 4],
            _ => pair.corners,
        };
        for i in corners.map(|i| i as usize) {
            if self.state.balls.kept[i] & (1 << size_class) == 0 {
                self.state.balls.kept[i] |= 1 << size_class;
                let most = RADII[size_class.max(1)] * self.topology.scale[i];
                self.state.balls.ball[size_class][i] = self.ball_here(i, most.min(allowed));
                self.end_quiet_bound(i);
            }
        }
        self.state.pairs.set_size_class(p, size_class as u8);
        let mut gap_bound = self.gap_bound(&self.state.pairs.pool[p as usize]);
        if size_class == 0 && gap_bound.c0 < 0.25 * slack {
            for i in corners {
                let ball = &mut self.state.balls.ball[0][i as usize];
                if f64::from(ball.radius) > allowed {
                    ball.radius = allowed as f32;
                    self.end_quiet_bound(i as usize);
                    if !self.is_in_ball(i as usize, 0, t) || !self.stays_in_ball(i as usize, 0) {
                        self.state.balls.ball[0][i as usize] = self.ball_here(i as usize, allowed);
                        self.scratch.left.push((i, 0));
                    }
                }
            }
            gap_bound = self.gap_bound(&self.state.pairs.pool[p as usize]);
        }
        let ticks = gap_bound.ticks(0.0);
        if ticks >= 1.0 {
            self.file(p, t.saturating_add(ticks as Tick));
        } else {
            self.has_no_time(p);
        }
    }
}
