//! When active layers tick.

use drystone_base::Vec3;
use serde::{Deserialize, Serialize};

use crate::clock::LEVELS;
use crate::pair::{Kind, Pair};
use crate::pairs::{Pairs, Record};
use crate::penalty_layers::Layers;

/// Layers of one pair that tick together: those from `from` to `to` that are active. What a tick without
/// a force needs of the pair is here, as pairs lie all over memory.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) key: u64,
    pub(crate) pair: u32,
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) corners: [u32; 4],
    /// A direction along which they were apart, not longer than 1.
    normal: [f32; 3],
}

impl Entry {
    /// What the pair is made of.
    #[inline]
    pub(crate) fn kind(&self) -> Kind {
        match self.key >> 60 {
            0 => Kind::VertexFace,
            1 => Kind::EdgeEdge,
            2 => Kind::VertexEdge,
            3 => Kind::VertexVertex,
            _ => Kind::VertexPlane,
        }
    }

    /// How far its primitives are apart along its direction, with corners at `x`; see
    /// [`drystone_geometry::proximity::gap_along`] \[m\].
    #[inline(always)]
    pub(crate) fn gap(&self, x: &[Vec3; 4]) -> f64 {
        if self.key >> 60 == Kind::VertexPlane as u64 {
            // a plane has no end, along any other direction but its own
            let normal = (x[2] - x[1]).cross(x[3] - x[1]).normalize_or_zero();
            return normal.dot(x[0] - x[1]);
        }
        let n = widened(self.normal);
        let [a, b, c, d] = x.map(|x| n.dot(x));
        let less = |a: f64, b: f64| if a < b { a } else { b };
        let more = |a: f64, b: f64| if a > b { a } else { b };
        if self.key >> 60 == Kind::EdgeEdge as u64 {
            less(a, b) - more(c, d)
        } else {
            a - more(b, more(c, d))
        }
    }

    /// Keeps a unit direction.
    #[inline]
    pub(crate) fn set_normal(&mut self, n: Vec3) {
        self.normal = shortened(n);
    }
}

#[inline(always)]
fn widened(n: [f32; 3]) -> Vec3 {
    let [x, y, z] = n.map(f64::from);
    Vec3::new(x, y, z)
}

/// A unit direction in single precision, a little shortened so that rounding does not lengthen it.
fn shortened(n: Vec3) -> [f32; 3] {
    (n * (1.0 - 2e-7)).to_array().map(|x| x as f32)
}

/// The layers that tick on each level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PenaltySchedule {
    pub(crate) levels: Vec<Vec<Entry>>,
    /// Bit k: level k has entries.
    pub(crate) mask: u64,
    /// Bit k: level k is out of order.
    unsorted: u64,
    /// By level, entries of pairs that sleep and do not tick, see `sleep.rs`.
    pub(crate) dormant: Vec<Vec<Entry>>,
}

/// Puts in order what is so already but for some entries at the end.
fn sort_tail(entries: &mut [Entry], tail: &mut Vec<Entry>) {
    let falls = |pair: &[Entry]| pair[0].key > pair[1].key;
    let Some(last) = entries.windows(2).position(falls) else {
        return;
    };
    let mut left = last + 1;
    tail.clear();
    tail.extend_from_slice(&entries[left..]);
    tail.sort_unstable_by_key(|entry| entry.key);
    // from the back: the larger of both, until the tail is used up
    while let Some(entry) = tail.last() {
        let to = left + tail.len() - 1;
        if left > 0 && entries[left - 1].key > entry.key {
            left -= 1;
            entries[to] = entries[left];
        } else {
            entries[to] = *entry;
            tail.pop();
        }
    }
}

impl Default for PenaltySchedule {
    fn default() -> Self {
        Self {
            levels: vec![Vec::new(); LEVELS],
            mask: 0,
            unsorted: 0,
            dormant: vec![Vec::new(); LEVELS],
        }
    }
}

impl PenaltySchedule {
    pub(crate) fn is_sound(&self, pairs: &[Pair]) -> bool {
        let entries = || self.levels.iter().chain(&self.dormant).flatten();
        let fits = |entry: &Entry| {
            let pair = pairs.get(entry.pair as usize);
            pair.is_some_and(|pair| pair.corners == entry.corners && pair.kind == entry.kind())
        };
        let mask = (0..self.levels.len()).map(|k| u64::from(!self.levels[k].is_empty()) << k);
        self.levels.len() == LEVELS
            && self.dormant.len() == LEVELS
            && entries().all(|entry| fits(entry) && entry.from >= 1)
            && mask.sum::<u64>() == self.mask
    }

    /// Activates the next layer of a pair; false if its period would be too short.
    #[must_use]
    pub(crate) fn activate(&mut self, layers: &Layers, p: u32, pairs: &mut Pairs) -> bool {
        let (pair, record) = (&mut pairs.pool[p as usize], &pairs.records[p as usize]);
        let next = pair.layers + 1;
        let Some(level) = layers.level(record.clock, next) else {
            return false;
        };
        if pair.layers == 0 || layers.level(record.clock, pair.layers) != Some(level) {
            let mut to = next;
            while layers.level(record.clock, to + 1) == Some(level) {
                to += 1;
            }
            self.levels[level as usize].push(Entry {
                key: record.key,
                pair: p,
                from: next,
                to,
                corners: pair.corners,
                normal: shortened(pair.direction()),
            });
            self.mask |= 1 << level;
            self.unsorted |= 1 << level;
        }
        pair.layers = next;
        true
    }

    /// Takes a level out, in order, to be put back by `put_back`.
    pub(crate) fn take(&mut self, level: usize, scratch: &mut Vec<Entry>) -> Vec<Entry> {
        let mut entries = std::mem::take(&mut self.levels[level]);
        if self.unsorted & (1 << level) != 0 {
            sort_tail(&mut entries, scratch);
            self.unsorted &= !(1 << level);
        }
        entries
    }

    pub(crate) fn put_back(&mut self, level: usize, entries: Vec<Entry>) {
        if entries.is_empty() {
            self.mask &= !(1 << level);
        }
        self.levels[level] = entries;
    }

    /// Puts what slept back on the schedule, all levels in order.
    pub(crate) fn put_back_dormant(&mut self, scratch: &mut Vec<Entry>) {
        for level in 0..LEVELS {
            if !self.dormant[level].is_empty() {
                self.levels[level].append(&mut self.dormant[level]);
                (self.mask, self.unsorted) = (self.mask | 1 << level, self.unsorted | 1 << level);
            }
            let entries = self.take(level, scratch);
            self.put_back(level, entries);
        }
    }

    /// Takes entries that sleep off the schedule. All that slept before must be on it.
    pub(crate) fn take_dormant(&mut self, mut sleeps: impl FnMut(&Entry) -> bool) {
        for (entries, dormant) in self.levels.iter_mut().zip(&mut self.dormant) {
            entries.retain(|entry| {
                let asleep = sleeps(entry);
                if asleep {
                    dormant.push(*entry);
                }
                !asleep
            });
        }
        let bit = |k: usize| u64::from(!self.levels[k].is_empty()) << k;
        self.mask = (0..LEVELS).map(bit).sum();
    }

    /// Keeps entries, asleep or not, for which `keep` is true.
    pub(crate) fn retain(&mut self, keep: impl Fn(&Entry) -> bool) {
        for entries in self.levels.iter_mut().chain(&mut self.dormant) {
            entries.retain(&keep);
        }
        let bit = |k: usize| u64::from(!self.levels[k].is_empty()) << k;
        self.mask = (0..LEVELS).map(bit).sum();
    }

    /// Forgets a pair that is far apart.
    pub(crate) fn forget(&mut self, layers: &Layers, count: u32, record: &Record) {
        let mut l = count;
        while l > 0 {
            let Some(level) = layers.level(record.clock, l) else {
                break;
            };
            let of_pair = |entry: &Entry| entry.key == record.key;
            let dormant = &mut self.dormant[level as usize];
            if let Some(k) = dormant.iter().position(of_pair) {
                l = dormant.remove(k).from - 1;
                continue;
            }
            let entries = &mut self.levels[level as usize];
            if let Some(k) = entries.iter().position(of_pair) {
                l = entries[k].from;
                entries.remove(k);
                if entries.is_empty() {
                    self.mask &= !(1 << level);
                }
            }
            l -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use drystone_base::random::Random;

    use super::*;

    #[test]
    fn a_tail_is_put_in_order() {
        let mut random = Random::new(3);
        let entry = |key: u64| Entry {
            key,
            pair: 0,
            from: 1,
            to: 1,
            corners: [0; 4],
            normal: [0.0; 3],
        };
        for (sorted, added) in [(0, 1), (1, 1), (7, 5), (40, 3), (3, 40), (5, 0)] {
            for _ in 0..20 {
                let mut key = || (random.unit() * 1e6) as u64;
                let mut entries: Vec<Entry> = (0..sorted).map(|_| entry(key())).collect();
                entries.sort_by_key(|entry| entry.key);
                entries.extend((0..added).map(|_| entry(key())));
                let mut wanted: Vec<u64> = entries.iter().map(|entry| entry.key).collect();
                wanted.sort_unstable();
                sort_tail(&mut entries, &mut Vec::new());
                assert!(entries.iter().map(|entry| entry.key).eq(wanted));
            }
        }
    }
}
