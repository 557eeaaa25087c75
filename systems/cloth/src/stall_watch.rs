//! Is there any progress? A contact that leaves no room needs ever deeper layers, which tick ever more often.
//!
//! After so many ticks of layers the groups are looked at: the free vertices that active layers join. A group's
//! strain is how often layers tick about it, over how often elastic forces and first layers do. In a fast hit it is
//! large for a moment, in which every vertex sees some hundred ticks. Where it stays above `Options::stall_ratio` for
//! longer, time is about to stand still: that is a stall, soon if the group lies between prescribed things that move
//! against each other, and after many more ticks if it does not. Where pinching is allowed, what lies between such things
//! is pinched instead (`pinch.rs`). Only ticks are counted and no clock is
//! asked, so it comes at the same event everywhere.

use serde::{Deserialize, Serialize};

use crate::clock::period;
use crate::event_loop::Run;
use crate::topology::Topology;

/// Ticks of layers between two tests, and per entry of the schedule if those are more.
const TEST_TICKS: u64 = 1 << 15;
const LOOK_EACH: u64 = 2;
/// No test is made while the fastest layers tick at most this many times as often as the fastest elastic force, as a
/// power of two.
const CALM: u32 = 2;
/// Ticks under strain that are a stall, at least and per vertex of the group, where it is pressed between things that
/// are prescribed.
const PRESSED: (f64, f64) = (1e5, 1000.0);
/// Part of the ratio that is a stall from which on things pinch what they press, where they may \[1\].
const SOONER: f64 = 0.25;
/// Limits of a group that is not under strain.
const FREE: (f64, f64) = (2e6, 10_000.0);

/// Ticks of layers, and how many of them under strain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct StallWatch {
    /// Since the last test.
    ticks: u64,
    /// Ticks of groups under strain since the last test at which there was none.
    strained: f64,
}

/// The groups under too much strain.
#[derive(Default)]
struct Strained {
    /// Ratio of ticks to progress of the worst of them \[1\].
    ratio: f64,
    /// Share of their ticks in all ticks of layers \[1\].
    share: f64,
    vertices: usize,
    /// Whether one of them is pressed between two prescribed things that move differently.
    pressed: bool,
    /// Their pair with most layers.
    deepest: u32,
}

/// Events a second of elastic forces at every vertex, those of an element shared among its corners; a test of a vertex
/// counts as well, so that what has no elasticity has a measure too.
fn elastic_rates(topology: &Topology) -> Vec<f64> {
    let mut rate: Vec<f64> = topology
        .check
        .iter()
        .map(|level| 1.0 / period(*level))
        .collect();
    for (level, clock_level) in topology.clock_levels.iter().enumerate() {
        let often = 1.0 / period(level as u8);
        let mut add = |corners: &[u32]| {
            for i in corners {
                rate[*i as usize] += often / corners.len() as f64;
            }
        };
        clock_level
            .springs
            .iter()
            .for_each(|spring| add(&spring.ends));
        clock_level
            .hinges
            .iter()
            .for_each(|hinge| add(&hinge.corners));
        clock_level
            .triangles
            .iter()
            .for_each(|face| add(&face.corners));
    }
    rate
}

/// Root of a vertex in a forest, shortening the way.
pub(crate) fn root(parent: &mut [u32], mut i: u32) -> u32 {
    while parent[i as usize] != i {
        let above = parent[parent[i as usize] as usize];
        parent[i as usize] = above;
        i = above;
    }
    i
}

/// Joins vertices in a forest.
pub(crate) fn join(parent: &mut [u32], mut vertices: impl Iterator<Item = u32>) {
    if let Some(first) = vertices.next() {
        let first = root(parent, first);
        for i in vertices {
            let other = root(parent, i);
            parent[other as usize] = first;
        }
    }
}

impl Run<'_> {
    /// Counts the ticks of layers of this event; stalls where they have been too many for too long.
    #[inline]
    pub(crate) fn count_toil(&mut self) {
        let ticks = self.scratch.tally.penalties + self.scratch.tally.null_penalties;
        self.state.stall_watch.ticks += ticks - self.scratch.counted_ticks.min(ticks);
        self.scratch.counted_ticks = ticks;
        if self.state.stall_watch.ticks >= TEST_TICKS {
            self.find_strain();
        }
    }

    #[inline(never)]
    fn find_strain(&mut self) {
        let entries: usize = self.state.schedule.levels.iter().map(Vec::len).sum();
        let ticks = self.state.stall_watch.ticks;
        if ticks < LOOK_EACH * entries as u64 || self.state.stall.is_some() {
            return;
        }
        self.state.stall_watch.ticks = 0;
        let fastest = |mask: u64| mask.trailing_zeros();
        if fastest(self.state.schedule.mask) + CALM >= fastest(self.topology.clock_mask) {
            self.state.stall_watch.strained = 0.0;
            return;
        }
        let most = self.options.stall_ratio;
        let may_pinch = self.options.pinching > 0.0;
        let worst = self.strained(if may_pinch { SOONER * most } else { most });
        let counts = |worst: &Strained| worst.ratio > most || (may_pinch && worst.pressed);
        let Some(worst) = worst.filter(counts) else {
            self.state.stall_watch.strained = 0.0;
            return;
        };
        self.state.stall_watch.strained += ticks as f64 * worst.share;
        let (least, each) = if worst.pressed { PRESSED } else { FREE };
        let limit = least.max(each * worst.vertices as f64);
        if self.state.stall_watch.strained > limit {
            if worst.pressed && self.pinch(worst.deepest) {
                return;
            }
            if worst.ratio <= most {
                self.state.stall_watch.strained = 0.0;
                return;
            }
            let reason = format!(
                "layers tick {:.0} times as often as elastic forces about the {} vertices of this contact, for long: what \
                 closes in on them leaves no room",
                worst.ratio, worst.vertices
            );
            self.stall(worst.deepest, &reason);
        }
    }

    /// The groups whose strain is above `limit`, if there are any.
    fn strained(&self, limit: f64) -> Option<Strained> {
        let (topology, state) = (self.topology, &*self.state);
        let free = |i: &u32| state.vertices[*i as usize].inverse_mass > 0.0;
        // groups of vertices joined by active layers
        let mut parent: Vec<u32> = (0..state.vertices.len() as u32).collect();
        for entry in state.schedule.levels.iter().flatten() {
            join(&mut parent, entry.corners.into_iter().filter(free));
        }
        // of each group, by its root: ticks a second of layers, of elastic forces and first layers, and more
        #[derive(Clone, Default)]
        struct Group {
            layers: f64,
            usual: f64,
            vertices: usize,
            /// What it touches of prescribed things, the first of them.
            touches: Option<u32>,
            pressed: bool,
            deepest: Option<(u32, u32)>,
        }
        // what never moves is one thing; bodies that give way are none
        let thing = |i: u32| match state.pinches.carrier(topology, i) {
            Some(carrier) => carrier,
            None => topology.thing(i),
        };
        let gives_way = |i: u32| {
            let obstacle = (topology.object[i as usize] as usize).checked_sub(topology.sheets);
            obstacle.is_some_and(|k| matches!(state.bodies.get(k), Some(Some(_))))
        };
        let mut groups = vec![Group::default(); parent.len()];
        let mut joined = vec![false; parent.len()];
        let mut all = 0.0;
        for (level, entries) in state.schedule.levels.iter().enumerate() {
            let often = 1.0 / period(level as u8);
            all += often * entries.len() as f64;
            for entry in entries {
                let Some(first) = entry.corners.into_iter().find(|i| free(i)) else {
                    continue;
                };
                let group = &mut groups[root(&mut parent, first) as usize];
                group.layers += often;
                if entry.from == 1 {
                    group.usual += often;
                }
                let layers = state.pairs.pool[entry.pair as usize].layers;
                if group.deepest.is_none_or(|(most, _)| layers > most) {
                    group.deepest = Some((layers, entry.pair));
                }
                for i in entry.corners {
                    if free(&i) {
                        joined[i as usize] = true;
                    } else if !gives_way(i) && !state.sleep.holds(i as usize) {
                        let first = *group.touches.get_or_insert(thing(i));
                        group.pressed |= first != thing(i);
                    }
                }
            }
        }
        let rate = elastic_rates(topology);
        for i in (0..parent.len()).filter(|i| joined[*i]) {
            let group = &mut groups[root(&mut parent, i as u32) as usize];
            group.usual += rate[i];
            group.vertices += 1;
        }
        // all that are under too much strain, as one
        let mut sum: Option<(Strained, u32)> = None;
        for group in &groups {
            let (ratio, share) = (group.layers / group.usual, group.layers / all);
            let Some((layers, pair)) = group.deepest.filter(|_| ratio > limit) else {
                continue;
            };
            let (sum, most) = sum.get_or_insert((Strained::default(), 0));
            sum.ratio = sum.ratio.max(ratio);
            sum.share += share;
            sum.vertices += group.vertices;
            sum.pressed |= group.pressed;
            if layers > *most {
                (sum.deepest, *most) = (pair, layers);
            }
        }
        sum.map(|(sum, _)| sum)
    }
}
