//! Pairs of primitives that may come close, each with its number of active layers, and the
//! agenda of those layers' ticks.

use drystone_base::Vec3;
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

/// Two primitives and what is known of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pair {
    /// Kind and numbers; orders ticks of one time.
    pub(crate) key: u64,
    pub(crate) corners: [u32; 4],
    pub(crate) kind: Kind,
    /// Layers 1 to this are active.
    pub(crate) layers: u32,
    /// A direction along which they were apart.
    pub(crate) normal: Vec3,
    /// Until when the next layer is certainly not needed.
    pub(crate) expires: Tick,
    /// When the pair is looked at.
    pub(crate) filed: Tick,
    /// Longest period of the first layer, in ticks.
    pub(crate) period: f64,
    /// Both primitives' numbers, and the places in their lists.
    pub(crate) primitives: [u32; 2],
    places: [u32; 2],
    /// The round in which it was last renewed.
    pub(crate) round: u64,
}

/// All pairs, found by primitive. Primitives are numbered vertices first, then edges, then faces.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pairs {
    pub(crate) pool: Vec<Pair>,
    unused: Vec<u32>,
    lists: Vec<Vec<u32>>,
}

const GONE: u64 = u64::MAX;

impl Pairs {
    pub(crate) fn new(net: &Net) -> Self {
        let count = net.start.len() + net.edges.len() + net.faces.len();
        Self {
            lists: vec![Vec::new(); count],
            ..Self::default()
        }
    }

    pub(crate) fn is_sound(&self, net: &Net) -> bool {
        let count = net.start.len() + net.edges.len() + net.faces.len();
        let placed = |p: usize, pair: &Pair| {
            pair.corners.iter().all(|i| (*i as usize) < net.start.len())
                && (0..2).all(|side| {
                    let list = self.lists.get(pair.primitives[side] as usize);
                    list.and_then(|l| l.get(pair.places[side] as usize)) == Some(&(p as u32))
                })
        };
        self.lists.len() == count
            && self.unused.iter().all(|p| {
                self.pool
                    .get(*p as usize)
                    .is_some_and(|pair| pair.key == GONE)
            })
            && self
                .pool
                .iter()
                .enumerate()
                .all(|(p, pair)| pair.key == GONE || placed(p, pair))
            && self.lists.iter().map(Vec::len).sum::<usize>() == 2 * self.len()
    }

    /// Pairs of a primitive.
    #[inline]
    pub(crate) fn of(&self, primitive: usize) -> &[u32] {
        &self.lists[primitive]
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
        self.pool[p as usize].key != GONE
    }

    pub(crate) fn insert(&mut self, net: &Net, kind: Kind, a: u32, b: u32) -> u32 {
        let (vertices, edges) = (net.start.len() as u32, net.edges.len() as u32);
        let (corners, primitives) = match kind {
            Kind::VertexFace => {
                let f = net.faces[b as usize];
                ([a, f[0], f[1], f[2]], [a, vertices + edges + b])
            }
            Kind::EdgeEdge => {
                let (e, f) = (net.edges[a as usize], net.edges[b as usize]);
                ([e[0], e[1], f[0], f[1]], [vertices + a, vertices + b])
            }
            Kind::VertexEdge => {
                let e = net.edges[b as usize];
                ([a, e[0], e[1], e[1]], [a, vertices + b])
            }
            Kind::VertexVertex => ([a, b, b, b], [a, b]),
        };
        let inverse = corners.map(|i| net.inverse_mass[i as usize]);
        let (first, second) = inverse.split_at(kind.split());
        let most = |side: &[f64]| side.iter().copied().fold(0.0, f64::max);
        let pair = Pair {
            key: ((kind as u64) << 60) | (u64::from(a) << 30) | u64::from(b),
            corners,
            kind,
            layers: 0,
            normal: Vec3::ZERO,
            expires: 0,
            filed: Tick::MAX,
            period: net.layers.period_ticks(most(first) + most(second)),
            places: primitives.map(|k| self.lists[k as usize].len() as u32),
            primitives,
            round: 0,
        };
        let p = if let Some(p) = self.unused.pop() {
            self.pool[p as usize] = pair;
            p
        } else {
            self.pool.push(pair);
            self.pool.len() as u32 - 1
        };
        for k in primitives {
            self.lists[k as usize].push(p);
        }
        p
    }

    pub(crate) fn remove(&mut self, p: u32) {
        for side in 0..2 {
            let pair = &self.pool[p as usize];
            let (k, place) = (pair.primitives[side] as usize, pair.places[side] as usize);
            self.lists[k].swap_remove(place);
            if let Some(moved) = self.lists[k].get(place) {
                let moved = &mut self.pool[*moved as usize];
                let side = usize::from(moved.primitives[0] as usize != k);
                moved.places[side] = place as u32;
            }
        }
        self.pool[p as usize].key = GONE;
        self.pool[p as usize].filed = Tick::MAX;
        self.unused.push(p);
    }
}

/// Layers of one pair that tick together: those from `from` to `to` that are active.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) key: u64,
    pub(crate) pair: u32,
    pub(crate) from: u32,
    pub(crate) to: u32,
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
    pub(crate) fn is_sound(&self, pairs: usize) -> bool {
        let entries = || self.levels.iter().flatten();
        let mask = (0..self.levels.len()).map(|k| u64::from(!self.levels[k].is_empty()) << k);
        self.levels.len() == LEVELS
            && entries().all(|entry| (entry.pair as usize) < pairs && entry.from >= 1)
            && mask.sum::<u64>() == self.mask
    }

    /// Activates the next layer of a pair; false if its period would be too short.
    #[must_use]
    pub(crate) fn activate(&mut self, layers: &Layers, p: u32, pair: &mut Pair) -> bool {
        let next = pair.layers + 1;
        let Some(level) = layers.level(pair.period, next) else {
            return false;
        };
        if pair.layers == 0 || layers.level(pair.period, pair.layers) != Some(level) {
            let mut to = next;
            while layers.level(pair.period, to + 1) == Some(level) {
                to += 1;
            }
            self.levels[level as usize].push(Entry {
                key: pair.key,
                pair: p,
                from: next,
                to,
            });
            self.mask |= 1 << level;
            self.unsorted |= 1 << level;
        }
        pair.layers = next;
        true
    }

    /// Takes a level out, in order, to be put back by [`Agenda::put_back`].
    pub(crate) fn take(&mut self, level: usize) -> Vec<Entry> {
        let mut entries = std::mem::take(&mut self.levels[level]);
        if self.unsorted & (1 << level) != 0 {
            entries.sort_unstable_by_key(|entry| entry.key);
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
    pub(crate) fn forget(&mut self, layers: &Layers, pair: &mut Pair) {
        let mut l = pair.layers;
        while l > 0 {
            let Some(level) = layers.level(pair.period, l) else {
                break;
            };
            let entries = &mut self.levels[level as usize];
            if let Some(k) = entries.iter().position(|entry| entry.key == pair.key) {
                l = entries[k].from;
                entries.remove(k);
                if entries.is_empty() {
                    self.mask &= !(1 << level);
                }
            }
            l -= 1;
        }
        pair.layers = 0;
    }
}
