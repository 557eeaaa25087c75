//! Certificates by vertex: each stays in a ball about a reference that moves with it.
//!
//! A reference goes on as its vertex did when it was made, gravity included, so falling or carried
//! cloth leaves no ball. While all four vertices of a pair are in their balls, the pair is
//! farther apart than its references less the radii; along a fixed direction that is a parabola in
//! time, and its first root is when the pair must be looked at again. A kick costs one test of its
//! vertex; only a vertex that leaves its ball touches its pairs. Pairs wait in a calendar of coarse
//! slots, and are only ever filed earlier; at the slot they are looked at, renewed or put off.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use drystone_base::Vec3;
use drystone_geometry::proximity::first_root;
use serde::{Deserialize, Serialize};

use crate::clock::{TICK, Tick, next_tick};
use crate::event_loop::{Run, TOO_FAST};

/// Slots are 2^SLOT ticks long, 2⁻¹² s.
const SLOT: u8 = 28;
/// How many slots the calendar has.
const RING: usize = 256;
/// A ball's radius, as a part of the least slack of its pairs [1].
const SHARE: f64 = 0.25;
/// A ball's radius if a pair leaves too little, as a part of the pair's slack [1].
const SQUEEZED: f64 = 0.125;

/// Where a vertex is expected to be, and how far off it may be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ball {
    reference: Vec3,
    drift: Vec3,
    time: Tick,
    radius: f64,
}

/// Balls of all vertices, and when pairs are looked at.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Balls {
    ball: Vec<Ball>,
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
        self.ball.len() == vertices
            && self.slots.len() == RING
            && numbers.into_iter().all(|p| (*p as usize) < pairs)
    }
}

impl PartialEq for Balls {
    fn eq(&self, other: &Self) -> bool {
        let sorted = |heap: &BinaryHeap<Reverse<(Tick, u32)>>| heap.clone().into_sorted_vec();
        (&self.ball, &self.slots, self.slot) == (&other.ball, &other.slots, other.slot)
            && sorted(&self.urgent) == sorted(&other.urgent)
    }
}

/// A parabola below the gap of a pair, without one ball's radius: `c0 + c1 t + c2 t²`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Below {
    c0: f64,
    c1: f64,
    c2: f64,
}

impl Below {
    /// Ticks until it reaches `radius`.
    #[inline]
    fn ticks(&self, radius: f64) -> f64 {
        first_root(self.c0 - radius, self.c1, self.c2) / TICK
    }
}

impl Run<'_> {
    /// Balls for everyone; pairs are looked at one by one.
    pub(crate) fn start_balls(&mut self) {
        let (t, net) = (self.state.time, self.net);
        self.state.balls.slots = vec![Vec::new(); RING];
        self.state.balls.slot = t >> SLOT;
        let smallest = self.smallest_radius();
        let vertices = self.state.vertices.iter().enumerate();
        self.state.balls.ball = vertices
            .map(|(i, v)| Ball {
                reference: v.at(t, net.gravity),
                drift: v.velocity_at(t, net.gravity),
                time: t,
                radius: if net.fixed[i] { 0.0 } else { smallest },
            })
            .collect();
        let all: Vec<u32> = self.state.pairs.all().collect();
        self.scratch.doubtful.extend(all);
    }

    fn smallest_radius(&self) -> f64 {
        self.net.early * self.net.thickness / 16.0
    }

    /// When a pair must be looked at next, at the latest.
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
            for p in due.drain(..) {
                let pair = &mut self.state.pairs.pool[p as usize];
                if pair.filed == slot << SLOT {
                    pair.filed = Tick::MAX;
                    if pair.expires >= (slot + 1) << SLOT {
                        let expires = pair.expires;
                        self.file(p, expires);
                    } else {
                        self.scratch.doubtful.push(p);
                    }
                }
            }
            if self.state.balls.slots[k].is_empty() {
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
                if pair.expires > t {
                    let expires = pair.expires;
                    self.file(p, expires);
                } else {
                    self.scratch.doubtful.push(p);
                }
            }
        }
    }

    /// Has the pair looked at before `expires`, unless that is so already.
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

    /// Whether vertex `i` stays in its ball until it is looked at again.
    #[inline]
    pub(crate) fn stays_in_ball(&self, i: usize) -> bool {
        let next = next_tick(self.state.time, self.net.check[i]);
        let vertex = &self.state.vertices[i];
        let ball = &self.state.balls.ball[i];
        // both fall alike, so their difference is linear and its largest value at an end
        let (h, age) = (
            (next - vertex.time) as f64 * TICK,
            (next - ball.time) as f64 * TICK,
        );
        let fall = vertex.falls(self.net.gravity) * (0.5 * (h * h - age * age));
        let off = vertex.position + vertex.velocity * h - ball.reference - ball.drift * age + fall;
        off.length_squared() <= ball.radius * ball.radius
    }

    /// Whether vertex `i` is in its ball now.
    fn is_in_ball(&self, i: usize) -> bool {
        let (t, gravity) = (self.state.time, self.net.gravity);
        let (vertex, ball) = (&self.state.vertices[i], &self.state.balls.ball[i]);
        let age = (t - ball.time) as f64 * TICK;
        let reference =
            ball.reference + ball.drift * age + vertex.falls(gravity) * (0.5 * age * age);
        (vertex.at(t, gravity) - reference).length_squared() <= ball.radius * ball.radius
    }

    /// A parabola below the gap of pair `p` from now on, less its next layer and all radii.
    #[inline]
    fn below(&self, p: u32) -> Below {
        let (state, gravity) = (&*self.state, self.net.gravity);
        let pair = &state.pairs.pool[p as usize];
        let (n, split) = (pair.normal, pair.kind.split());
        let fall = 0.5 * n.dot(gravity);
        let (mut low, mut low_speed, mut low_fall) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
        let (mut high, mut high_speed, mut high_fall) = (-low, -low_speed, -low_fall);
        for (k, i) in pair.corners.iter().enumerate() {
            let ball = &state.balls.ball[*i as usize];
            let age = (state.time - ball.time) as f64 * TICK;
            let falls = if state.vertices[*i as usize].inverse_mass > 0.0 {
                fall
            } else {
                0.0
            };
            let speed = n.dot(ball.drift);
            let x = n.dot(ball.reference) + (speed + falls * age) * age;
            let speed = speed + 2.0 * falls * age;
            if k < split {
                low = low.min(x - ball.radius);
                low_speed = low_speed.min(speed);
                low_fall = low_fall.min(falls);
            } else {
                high = high.max(x + ball.radius);
                high_speed = high_speed.max(speed);
                high_fall = high_fall.max(falls);
            }
        }
        Below {
            c0: low - high - self.net.layers.thickness(pair.layers + 1) - state.delta,
            c1: low_speed - high_speed,
            c2: low_fall - high_fall,
        }
    }

    /// A new reference for vertex `i`, which is about to leave its ball.
    #[inline(never)]
    pub(crate) fn renew_ball(&mut self, i: usize) {
        let (t, net) = (self.state.time, self.net);
        self.scratch.tally.balls += 1;
        let vertex = &self.state.vertices[i];
        self.state.balls.ball[i] = Ball {
            reference: vertex.at(t, net.gravity),
            drift: vertex.velocity_at(t, net.gravity),
            time: t,
            radius: 0.0,
        };
        let mut found = std::mem::take(&mut self.scratch.below);
        found.clear();
        let mut least = f64::INFINITY;
        self.for_pairs_of(i, |run, p| {
            let below = run.below(p);
            least = least.min(below.c0);
            found.push((p, below));
        });
        // without slack, as far as is known from old directions: pairs in doubt will tell
        let radius = if least > 0.0 {
            SHARE * least
        } else {
            self.smallest_radius()
        };
        let radius = radius.min(0.25 * net.thickness);
        self.state.balls.ball[i].radius = radius;
        for (p, below) in &found {
            let ticks = below.ticks(radius);
            if ticks >= 1.0 {
                self.file(*p, t.saturating_add(ticks as Tick));
            } else {
                self.scratch.doubtful.push(*p);
            }
        }
        self.scratch.below = found;
    }

    /// Pair `p` is apart by `slack` more than its next layer: when must it be looked at again?
    /// Balls that take too much of the slack shrink, and vertices outside of them get new ones.
    pub(crate) fn renew_pair(&mut self, p: u32, slack: f64) {
        let t = self.state.time;
        let mut below = self.below(p);
        if below.c0 < 0.25 * slack {
            let radius = SQUEEZED * slack;
            for i in self.state.pairs.pool[p as usize].corners {
                let ball = &mut self.state.balls.ball[i as usize];
                if ball.radius > radius {
                    ball.radius = radius;
                    if !self.is_in_ball(i as usize) || !self.stays_in_ball(i as usize) {
                        self.recentre(i as usize, radius);
                        self.scratch.left.push(i);
                    }
                }
            }
            below = self.below(p);
        }
        let ticks = below.ticks(0.0);
        if ticks >= 1.0 {
            self.file(p, t.saturating_add(ticks as Tick));
        } else {
            self.stall(p, TOO_FAST);
        }
    }

    /// Puts the ball of `i` where the vertex is; its pairs are renewed when its turn comes.
    fn recentre(&mut self, i: usize, radius: f64) {
        let (t, gravity) = (self.state.time, self.net.gravity);
        let vertex = &self.state.vertices[i];
        self.state.balls.ball[i] = Ball {
            reference: vertex.at(t, gravity),
            drift: vertex.velocity_at(t, gravity),
            time: t,
            radius,
        };
    }
}
