//! Pairs of primitives that may come close, each with its number of active layers, and the
//! agenda of those layers' ticks.

use drystone_base::Vec3;
use drystone_base::lanes::fetch;
use drystone_geometry::proximity::{Closest, edge_edge, vertex_edge, vertex_face, vertex_vertex};
use serde::{Deserialize, Serialize};

use crate::clock::{LEVELS, Tick};
use crate::net::Net;
use crate::penalty_layers::Layers;

/// What a pair is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    /// A point and a triangle.
    VertexFace,
    /// Two edges.
    EdgeEdge,
    /// A point and an edge: in the plane, or a particle and a bare edge.
    VertexEdge,
    /// Two particles.
    VertexVertex,
}

impl Kind {
    /// Closest points of the corners; unused corners repeat the last and weigh nothing.
    #[inline]
    pub(crate) fn closest(self, x: [Vec3; 4]) -> Closest {
        match self {
            Self::VertexFace => vertex_face(x[0], x[1], x[2], x[3]),
            Self::EdgeEdge => edge_edge(x[0], x[1], x[2], x[3]),
            Self::VertexEdge => vertex_edge(x[0], x[1], x[2]),
            Self::VertexVertex => vertex_vertex(x[0], x[1]),
        }
    }

    /// How many of the corners belong to the first primitive.
    #[inline]
    pub(crate) const fn split(self) -> usize {
        if matches!(self, Self::EdgeEdge) { 2 } else { 1 }
    }
}

/// Two primitives and what is known of them: what a renewed ball looks at, in one cache line.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[repr(align(64))]
pub(crate) struct Pair {
    pub(crate) corners: [u32; 4],
    /// A direction along which they were apart, not longer than 1.
    pub(crate) normal: [f32; 3],
    pub(crate) kind: Kind,
    /// Which of its vertices' balls it relies on.
    pub(crate) rank: u8,
    /// Whether this is a pair, and not a place for one.
    there: bool,
    /// Thickness of the next layer, not active yet [m].
    pub(crate) watched: f64,
    /// Until when the next layer is certainly not needed.
    pub(crate) expires: Tick,
    /// When the pair is looked at.
    pub(crate) filed: Tick,
    /// Layers 1 to this are active.
    pub(crate) layers: u32,
}

impl Pair {
    /// The direction, as a vector.
    #[inline]
    pub(crate) fn normal(&self) -> Vec3 {
        widened(self.normal)
    }

    /// Keeps a unit direction.
    #[inline]
    pub(crate) fn set_normal(&mut self, n: Vec3) {
        self.normal = shortened(n);
    }
}

/// What is rarely asked of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// Kind and numbers; orders ticks of one time.
    pub(crate) key: u64,
    /// Longest period of the first layer, in ticks.
    pub(crate) period: f64,
    /// Of each corner, the place in its vertex's list; `UNLISTED` if that never moves or was there before.
    places: [u32; 4],
    /// The round in which it was last renewed.
    pub(crate) round: u64,
}

/// How many steps ahead a loop asks for memory that lies anywhere.
pub(crate) const AHEAD: usize = 8;

/// How many balls a vertex has, see `balls.rs`.
pub(crate) const RANKS: usize = 5;

/// All pairs, found by vertex and rank.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pairs {
    pub(crate) pool: Vec<Pair>,
    pub(crate) records: Vec<Record>,
    unused: Vec<u32>,
    /// By vertex and rank, the pairs that it is a corner of: number of the pair, times 4, plus which corner.
    lists: Vec<[Vec<u32>; RANKS]>,
    /// By vertex, bit k: the list of rank k is not empty.
    relied: Vec<u8>,
}

/// Place of a corner that is in no list.
const UNLISTED: u32 = u32::MAX;

impl Pairs {
    pub(crate) fn new(net: &Net) -> Self {
        Self {
            lists: vec![Default::default(); net.start.len()],
            relied: vec![0; net.start.len()],
            ..Self::default()
        }
    }

    pub(crate) fn is_sound(&self, net: &Net) -> bool {
        let placed = |p: usize| {
            let (pair, record) = (&self.pool[p], &self.records[p]);
            pair.corners.iter().all(|i| (*i as usize) < net.start.len())
                && (pair.rank as usize) < RANKS
                && (0..4).all(|k| {
                    let list = &self.lists[pair.corners[k] as usize][pair.rank as usize];
                    let found = list.get(record.places[k] as usize);
                    record.places[k] == UNLISTED || found == Some(&((p * 4 + k) as u32))
                })
        };
        let gone = |p: usize| !self.pool[p].there;
        let listed = |record: &Record| record.places.iter().filter(|k| **k != UNLISTED).count();
        let there = self.all().map(|p| &self.records[p as usize]);
        let relied = |i: usize| {
            let bit = |rank: usize| u8::from(!self.lists[i][rank].is_empty()) << rank;
            self.relied[i] == (0..RANKS).map(bit).sum::<u8>()
        };
        self.lists.len() == net.start.len()
            && self.relied.len() == net.start.len()
            && (0..self.relied.len()).all(relied)
            && self.pool.len() == self.records.len()
            && self
                .unused
                .iter()
                .all(|p| (*p as usize) < self.pool.len() && gone(*p as usize))
            && (0..self.pool.len()).all(|p| gone(p) || placed(p))
            && self.lists.iter().flatten().map(Vec::len).sum::<usize>()
                == there.map(listed).sum::<usize>()
    }

    /// Numbers of the pairs that vertex `i` is a corner of and that rely on its ball of one rank.
    #[inline]
    pub(crate) fn of(&self, i: usize, rank: usize) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.lists[i][rank].iter().map(|entry| entry >> 2)
    }

    /// Has a pair brought from memory.
    #[inline]
    pub(crate) fn fetch(&self, p: u32) {
        fetch(&self.pool[p as usize]);
    }

    /// Has all pairs of a list brought from memory.
    #[inline]
    pub(crate) fn fetch_of(&self, i: usize, rank: usize) {
        self.of(i, rank).for_each(|p| self.fetch(p));
    }

    /// Has their list brought from memory.
    #[inline]
    pub(crate) fn fetch_list(&self, i: usize, rank: usize) {
        self.lists[i][rank].iter().step_by(16).for_each(fetch);
    }

    /// Has brought from memory where their list is.
    #[inline]
    pub(crate) fn fetch_place(&self, i: usize, rank: usize) {
        fetch(&self.lists[i][rank]);
    }

    /// One of them, if there are so many.
    #[inline]
    pub(crate) fn nth_of(&self, i: usize, rank: usize, k: usize) -> Option<u32> {
        self.lists[i][rank].get(k).map(|entry| entry >> 2)
    }

    /// Whether any pair relies on a vertex's ball of one rank.
    #[inline]
    pub(crate) fn rely_on(&self, i: usize, rank: usize) -> bool {
        self.relied[i] & (1 << rank) != 0
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.pool.len() - self.unused.len()
    }

    /// Numbers of all pairs.
    pub(crate) fn all(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.pool.len() as u32).filter(|p| self.is_there(*p))
    }

    #[inline]
    pub(crate) fn is_there(&self, p: u32) -> bool {
        self.pool[p as usize].there
    }

    pub(crate) fn insert(&mut self, net: &Net, kind: Kind, a: u32, b: u32) -> u32 {
        let corners = match kind {
            Kind::VertexFace => {
                let f = net.faces[b as usize];
                [a, f[0], f[1], f[2]]
            }
            Kind::EdgeEdge => {
                let (e, f) = (net.edges[a as usize], net.edges[b as usize]);
                [e[0], e[1], f[0], f[1]]
            }
            Kind::VertexEdge => {
                let e = net.edges[b as usize];
                [a, e[0], e[1], e[1]]
            }
            Kind::VertexVertex => [a, b, b, b],
        };
        let inverse = corners.map(|i| net.inverse_mass[i as usize]);
        let (first, second) = inverse.split_at(kind.split());
        let most = |side: &[f64]| side.iter().copied().fold(0.0, f64::max);
        let pair = Pair {
            corners,
            normal: [0.0; 3],
            kind,
            rank: 0,
            there: true,
            watched: net.layers.thickness(1),
            expires: 0,
            filed: Tick::MAX,
            layers: 0,
        };
        let record = Record {
            key: ((kind as u64) << 60) | (u64::from(a) << 30) | u64::from(b),
            period: net.layers.period_ticks(most(first) + most(second)),
            places: std::array::from_fn(|k| {
                let repeated = corners[..k].contains(&corners[k]);
                match repeated || net.fixed[corners[k] as usize] {
                    true => UNLISTED,
                    false => 0,
                }
            }),
            round: 0,
        };
        let p = if let Some(p) = self.unused.pop() {
            self.pool[p as usize] = pair;
            self.records[p as usize] = record;
            p
        } else {
            self.pool.push(pair);
            self.records.push(record);
            self.pool.len() as u32 - 1
        };
        self.enlist(p);
        p
    }

    fn enlist(&mut self, p: u32) {
        let (pair, record) = (&self.pool[p as usize], &mut self.records[p as usize]);
        for k in 0..4 {
            if record.places[k] != UNLISTED {
                let list = &mut self.lists[pair.corners[k] as usize][pair.rank as usize];
                record.places[k] = list.len() as u32;
                list.push(p * 4 + k as u32);
                self.relied[pair.corners[k] as usize] |= 1 << pair.rank;
            }
        }
    }

    fn delist(&mut self, p: u32) {
        let (pair, places) = (&self.pool[p as usize], self.records[p as usize].places);
        // those that will take its places
        for i in pair.corners {
            if let Some(last) = self.lists[i as usize][pair.rank as usize].last() {
                fetch(&self.records[(last >> 2) as usize]);
            }
        }
        for k in 0..4 {
            if places[k] != UNLISTED {
                let list = &mut self.lists[pair.corners[k] as usize][pair.rank as usize];
                list.swap_remove(places[k] as usize);
                if let Some(moved) = list.get(places[k] as usize) {
                    let (moved, corner) = (moved >> 2, moved & 3);
                    self.records[moved as usize].places[corner as usize] = places[k];
                } else if list.is_empty() {
                    self.relied[pair.corners[k] as usize] &= !(1 << pair.rank);
                }
            }
        }
    }

    /// Makes pair `p` rely on balls of another rank.
    pub(crate) fn set_rank(&mut self, p: u32, rank: u8) {
        if self.pool[p as usize].rank != rank {
            self.delist(p);
            self.pool[p as usize].rank = rank;
            self.enlist(p);
        }
    }

    pub(crate) fn remove(&mut self, p: u32) {
        self.delist(p);
        self.pool[p as usize].there = false;
        self.pool[p as usize].filed = Tick::MAX;
        self.unused.push(p);
    }
}

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
            _ => Kind::VertexVertex,
        }
    }

    /// How far its primitives are apart along its direction, with corners at `x`; see
    /// [`drystone_geometry::proximity::gap_along`] [m].
    #[inline(always)]
    pub(crate) fn gap(&self, x: &[Vec3; 4]) -> f64 {
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

/// Which layers tick on which level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Agenda {
    pub(crate) levels: Vec<Vec<Entry>>,
    /// Bit k: level k has entries.
    pub(crate) mask: u64,
    /// Bit k: level k is out of order.
    unsorted: u64,
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

impl Default for Agenda {
    fn default() -> Self {
        Self {
            levels: vec![Vec::new(); LEVELS],
            mask: 0,
            unsorted: 0,
        }
    }
}

impl Agenda {
    pub(crate) fn is_sound(&self, pairs: &[Pair]) -> bool {
        let entries = || self.levels.iter().flatten();
        let fits = |entry: &Entry| {
            let pair = pairs.get(entry.pair as usize);
            pair.is_some_and(|pair| pair.corners == entry.corners && pair.kind == entry.kind())
        };
        let mask = (0..self.levels.len()).map(|k| u64::from(!self.levels[k].is_empty()) << k);
        self.levels.len() == LEVELS
            && entries().all(|entry| fits(entry) && entry.from >= 1)
            && mask.sum::<u64>() == self.mask
    }

    /// Activates the next layer of a pair; false if its period would be too short.
    #[must_use]
    pub(crate) fn activate(&mut self, layers: &Layers, p: u32, pairs: &mut Pairs) -> bool {
        let (pair, record) = (&mut pairs.pool[p as usize], &pairs.records[p as usize]);
        let next = pair.layers + 1;
        let Some(level) = layers.level(record.period, next) else {
            return false;
        };
        if pair.layers == 0 || layers.level(record.period, pair.layers) != Some(level) {
            let mut to = next;
            while layers.level(record.period, to + 1) == Some(level) {
                to += 1;
            }
            self.levels[level as usize].push(Entry {
                key: record.key,
                pair: p,
                from: next,
                to,
                corners: pair.corners,
                normal: pair.normal,
            });
            self.mask |= 1 << level;
            self.unsorted |= 1 << level;
        }
        pair.layers = next;
        pair.watched = layers.thickness(next + 1);
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

    /// Forgets a pair that is far apart.
    pub(crate) fn forget(&mut self, layers: &Layers, count: u32, record: &Record) {
        let mut l = count;
        while l > 0 {
            let Some(level) = layers.level(record.period, l) else {
                break;
            };
            let entries = &mut self.levels[level as usize];
            if let Some(k) = entries.iter().position(|entry| entry.key == record.key) {
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
