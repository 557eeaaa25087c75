//! Distance test of a pair in doubt: how far apart it is, which layers it needs, until when it is certainly safe.

use drystone_base::Vec3;
use drystone_base::lanes::prefetch;
use drystone_geometry::proximity::gap_along;

use crate::Certificate;
use crate::clock::seconds;
use crate::event_loop::Run;
use crate::pair::{Pair, Scripted};
use crate::state::{Feature, Stall};

/// Why a pair with room left has no time left.
const TOO_FAST: &str = "it moves faster than a tick of time can resolve";

impl Run<'_> {
    /// Measures pairs in doubt: activates the layers they need and certifies them anew, until none
    /// is in doubt.
    pub(crate) fn test_doubtful(&mut self) {
        while self.state.stall.is_none() {
            if let Some((i, size_class)) = self.scratch.left.pop() {
                // pairs lie all over memory: those of the next are on their way meanwhile
                let next = self.scratch.left.last().copied();
                if let [.., far, _, _, near, _, _] = self.scratch.left[..] {
                    self.state.pairs.prefetch_place(far.0 as usize, far.1);
                    self.state.pairs.prefetch_list(near.0 as usize, near.1);
                }
                self.renew_ball(i as usize, size_class, next);
            } else if let Some(p) = self.scratch.doubtful.pop() {
                if let [.., later, next] = self.scratch.doubtful[..] {
                    self.state.pairs.prefetch(later);
                    self.prefetch_distance_test(next);
                }
                if self.state.pairs.is_there(p) {
                    self.test_pair(p);
                }
            } else {
                break;
            }
        }
        self.scratch.left.clear();
        self.scratch.doubtful.clear();
    }

    /// Has what the distance test of a pair needs brought from memory.
    #[inline]
    fn prefetch_distance_test(&self, p: u32) {
        self.state.pairs.prefetch_record(p);
        for i in self.state.pairs.pool[p as usize].corners {
            prefetch(&self.state.vertices[i as usize]);
        }
    }

    fn test_pair(&mut self, p: u32) {
        let (t, topology) = (self.state.time, self.topology);
        self.scratch.tally.distance_tests += 1;
        if !self.state.pinches.is_empty() {
            self.state.note_watch(topology, p);
        }
        let pair = &self.state.pairs.pool[p as usize];
        let x = pair
            .corners
            .map(|i| self.state.vertices[i as usize].at(t, topology.gravity));
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

    /// The distance that certificates of a pair watch: the thickness of its next layer, not active yet \[m\].
    #[inline]
    pub(crate) fn watched(&self, pair: &Pair) -> f64 {
        match pair.scripted {
            Scripted::No => {
                let outermost = self.topology.thickness_of(&pair.corners);
                self.topology.layers.thickness(outermost, pair.layers + 1)
            }
            _ => self.topology.meeting_distance(),
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
    pub(crate) fn activate_down_to(&mut self, p: u32, low: f64) -> bool {
        let layers = &self.topology.layers;
        let corners = &self.state.pairs.pool[p as usize].corners;
        let outermost = self.topology.thickness_of(corners);
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
            if !self
                .state
                .schedule
                .activate(layers, p, &mut self.state.pairs)
            {
                self.stall(p, "its period would be shorter than the shortest allowed");
                return false;
            }
            self.scratch.tally.activations += 1;
            self.scratch.tally.deepest = self.scratch.tally.deepest.max(next);
        }
    }

    /// Sets the stall that ends the run.
    pub(crate) fn stall(&mut self, p: u32, reason: &str) {
        let (t, topology) = (self.state.time, self.topology);
        let pair = &self.state.pairs.pool[p as usize];
        let x = |i: u32| self.state.vertices[i as usize].at(t, topology.gravity);
        let found = pair.kind.closest(pair.corners.map(x));
        let key = self.state.pairs.records[p as usize].key;
        let (a, b) = ((key >> 30) as u32 & 0x3fff_ffff, key as u32 & 0x3fff_ffff);
        self.state.stall = Some(Stall {
            a: Feature::of(topology, pair.kind, false, a, &x),
            b: Feature::of(topology, pair.kind, true, b, &x),
            layer: pair.layers + 1,
            distance: found.distance_squared.sqrt(),
            time: seconds(t),
            reason: reason.into(),
        });
    }
}
