//! All pairs of primitives that may come close, each with its number of active layers, found by vertex.

use drystone_base::Vec3;
use drystone_base::lanes::{ask_for_large_pages, prefetch};
use serde::{Deserialize, Serialize};

use crate::clock::Tick;
use crate::friction_spring::FrictionSpring;
use crate::pair::{Kind, Pair, Scripted};
use crate::penalty_layers::LayerClock;
use crate::topology::Topology;

/// Data of a pair that are rarely needed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// Kind and numbers; orders ticks of one time.
    pub(crate) key: u64,
    /// Clock of its layers.
    pub(crate) clock: LayerClock,
    /// Of each corner, the place in its vertex's list; `UNLISTED` if that never moves, is of a half-space,
    /// or was there before.
    places: [u32; 4],
}

/// Number of iterations ahead for which loops prefetch scattered memory.
pub(crate) const AHEAD: usize = 8;

/// Number of balls of a vertex, see `balls.rs`.
pub(crate) const SIZE_CLASSES: usize = 5;

/// All pairs, found by vertex and size class.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pairs {
    pub(crate) pool: Vec<Pair>,
    pub(crate) records: Vec<Record>,
    unused: Vec<u32>,
    /// What friction remembers, and by pair which of them is its, or `NO_SPRING`. Kept as long as the pair, so that it does
    /// not depend on when layers end.
    friction_springs: Vec<FrictionSpring>,
    spring_of: Vec<u32>,
    unused_springs: Vec<u32>,
    /// By vertex and size class, the pairs that it is a corner of: number of the pair, times 4, plus which corner.
    lists: Vec<[Vec<u32>; SIZE_CLASSES]>,
    /// By vertex, bit k: the list of size class k is not empty.
    relied: Vec<u8>,
}

/// Place of a corner that is in no list.
const UNLISTED: u32 = u32::MAX;

/// Marks a pair that has not touched yet.
const NO_SPRING: u32 = u32::MAX;

impl Pairs {
    pub(crate) fn new(topology: &Topology) -> Self {
        Self {
            lists: vec![Default::default(); topology.start.len()],
            relied: vec![0; topology.start.len()],
            ..Self::default()
        }
    }

    pub(crate) fn is_sound(&self, topology: &Topology) -> bool {
        let placed = |p: usize| {
            let (pair, record) = (&self.pool[p], &self.records[p]);
            let corners = pair.corners.map(|i| i as usize);
            corners.iter().all(|i| *i < topology.start.len())
                && (pair.size_class as usize) < SIZE_CLASSES
                && (0..4).all(|k| {
                    let list = &self.lists[corners[k]][pair.size_class as usize];
                    let found = list.get(record.places[k] as usize);
                    record.places[k] == UNLISTED || found == Some(&((p * 4 + k) as u32))
                })
        };
        let gone = |p: usize| !self.pool[p].there;
        let listed = |record: &Record| record.places.iter().filter(|k| **k != UNLISTED).count();
        let there = self.all().map(|p| &self.records[p as usize]);
        let relied = |i: usize| {
            let bit =
                |size_class: usize| u8::from(!self.lists[i][size_class].is_empty()) << size_class;
            self.relied[i] == (0..SIZE_CLASSES).map(bit).sum::<u8>()
        };
        self.lists.len() == topology.start.len()
            && self.relied.len() == topology.start.len()
            && (0..self.relied.len()).all(relied)
            && self.pool.len() == self.records.len()
            && self.pool.len() == self.spring_of.len()
            && (self.spring_of.iter().chain(&self.unused_springs))
                .all(|g| *g == NO_SPRING || (*g as usize) < self.friction_springs.len())
            && self.friction_springs.iter().all(FrictionSpring::is_sound)
            && self
                .unused
                .iter()
                .all(|p| (*p as usize) < self.pool.len() && gone(*p as usize))
            && (0..self.pool.len()).all(|p| gone(p) || placed(p))
            && self.lists.iter().flatten().map(Vec::len).sum::<usize>()
                == there.map(listed).sum::<usize>()
    }

    /// Numbers of the pairs that vertex `i` is a corner of and that rely on its ball of one size class.
    #[inline]
    pub(crate) fn of(
        &self,
        i: usize,
        size_class: usize,
    ) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.lists[i][size_class].iter().map(|entry| entry >> 2)
    }

    /// Has a pair brought from memory.
    #[inline]
    pub(crate) fn prefetch(&self, p: u32) {
        prefetch(&self.pool[p as usize]);
    }

    /// Has what is rarely asked of it brought from memory.
    #[inline]
    pub(crate) fn prefetch_record(&self, p: u32) {
        prefetch(&self.records[p as usize]);
    }

    /// Prefetches their list.
    #[inline]
    pub(crate) fn prefetch_list(&self, i: usize, size_class: usize) {
        self.lists[i][size_class]
            .iter()
            .step_by(16)
            .for_each(prefetch);
    }

    /// Has brought from memory where their list is.
    #[inline]
    pub(crate) fn prefetch_place(&self, i: usize, size_class: usize) {
        prefetch(&self.lists[i][size_class]);
    }

    /// The `k`-th of them, if there is one.
    #[inline]
    pub(crate) fn nth_of(&self, i: usize, size_class: usize, k: usize) -> Option<u32> {
        self.lists[i][size_class].get(k).map(|entry| entry >> 2)
    }

    /// Whether any pair relies on a vertex's ball of one size class.
    #[inline]
    pub(crate) fn rely_on(&self, i: usize, size_class: usize) -> bool {
        self.relied[i] & (1 << size_class) != 0
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

    /// Reserves memory for `count` more, in large pages, as accesses are scattered.
    pub(crate) fn make_room(&mut self, count: usize) {
        self.pool.reserve(count.max(16));
        self.records.reserve(count.max(16));
        ask_for_large_pages(&self.pool);
        ask_for_large_pages(&self.records);
    }

    pub(crate) fn insert(&mut self, topology: &Topology, kind: Kind, a: u32, b: u32) -> u32 {
        // corners of both primitives
        let corners = match kind {
            Kind::VertexFace => {
                let f = topology.faces[b as usize];
                [a, f[0], f[1], f[2]]
            }
            Kind::EdgeEdge => {
                let (e, f) = (topology.edges[a as usize], topology.edges[b as usize]);
                [e[0], e[1], f[0], f[1]]
            }
            Kind::VertexEdge => {
                let e = topology.edges[b as usize];
                [a, e[0], e[1], e[1]]
            }
            Kind::VertexVertex => [a, b, b, b],
            Kind::VertexPlane => {
                let plane = topology.planes[b as usize];
                [a, plane[0], plane[1], plane[2]]
            }
        };
        let inverse = corners.map(|i| topology.lightness[i as usize]);
        let (first, second) = inverse.split_at(kind.split());
        let most = |side: &[f64]| side.iter().copied().fold(0.0, f64::max);
        let pair = Pair {
            corners,
            direction: [0.0; 3],
            expires: 0,
            filed: Tick::MAX,
            layers: 0,
            kind,
            size_class: 0,
            there: true,
            scripted: match topology.is_scripted(&corners) {
                true => Scripted::Apart,
                false => Scripted::No,
            },
        };
        // what its clock and its lists need
        let [a_side, b_side] = [corners[0], corners[3]].map(|i| topology.object_of(i));
        let bounce = a_side.contact(b_side).restitution;
        let record = Record {
            key: ((kind as u64) << 60) | (u64::from(a) << 30) | u64::from(b),
            clock: LayerClock {
                period: topology
                    .layers
                    .period_ticks(most(first) + most(second), bounce),
                calm: topology.calm(&corners),
            },
            places: std::array::from_fn(|k| {
                let repeated = corners[..k].contains(&corners[k]);
                let still =
                    topology.fixed[corners[k] as usize] || topology.anchor[corners[k] as usize];
                match repeated || still {
                    true => UNLISTED,
                    false => 0,
                }
            }),
        };
        // a place in the pool
        let p = if let Some(p) = self.unused.pop() {
            self.pool[p as usize] = pair;
            self.records[p as usize] = record;
            p
        } else {
            if self.pool.len() == self.pool.capacity() {
                self.make_room(self.pool.len() / 2);
            }
            self.pool.push(pair);
            self.records.push(record);
            self.spring_of.push(NO_SPRING);
            self.pool.len() as u32 - 1
        };
        self.enlist(p);
        p
    }

    fn enlist(&mut self, p: u32) {
        let (pair, record) = (&self.pool[p as usize], &mut self.records[p as usize]);
        for (k, i) in pair.corners.map(|i| i as usize).into_iter().enumerate() {
            if record.places[k] != UNLISTED {
                let list = &mut self.lists[i][pair.size_class as usize];
                record.places[k] = list.len() as u32;
                list.push(p * 4 + k as u32);
                self.relied[i] |= 1 << pair.size_class;
            }
        }
    }

    fn delist(&mut self, p: u32) {
        let (pair, places) = (&self.pool[p as usize], self.records[p as usize].places);
        let corners = pair.corners.map(|i| i as usize);
        // those that will take its places
        for i in corners {
            if let Some(last) = self.lists[i][pair.size_class as usize].last() {
                prefetch(&self.records[(last >> 2) as usize]);
            }
        }
        for (k, i) in corners.into_iter().enumerate() {
            if places[k] != UNLISTED {
                let list = &mut self.lists[i][pair.size_class as usize];
                list.swap_remove(places[k] as usize);
                if let Some(moved) = list.get(places[k] as usize) {
                    let (moved, corner) = (moved >> 2, moved & 3);
                    self.records[moved as usize].places[corner as usize] = places[k];
                } else if list.is_empty() {
                    self.relied[i] &= !(1 << pair.size_class);
                }
            }
        }
    }

    /// Makes pair `p` rely on balls of another size class.
    pub(crate) fn set_size_class(&mut self, p: u32, size_class: u8) {
        if self.pool[p as usize].size_class != size_class {
            self.delist(p);
            self.pool[p as usize].size_class = size_class;
            self.enlist(p);
        }
    }

    pub(crate) fn remove(&mut self, p: u32) {
        self.delist(p);
        self.pool[p as usize].there = false;
        self.pool[p as usize].filed = Tick::MAX;
        self.unused.push(p);
        let friction_spring = std::mem::replace(&mut self.spring_of[p as usize], NO_SPRING);
        if friction_spring != NO_SPRING {
            self.unused_springs.push(friction_spring);
        }
    }

    /// Friction spring of pair `p` if it pulled at `since` or later, else `fresh`.
    #[inline]
    pub(crate) fn friction_spring(
        &mut self,
        p: u32,
        since: Tick,
        fresh: impl FnOnce() -> FrictionSpring,
    ) -> &mut FrictionSpring {
        let g = self.spring_of[p as usize];
        if g != NO_SPRING {
            let friction_spring = &mut self.friction_springs[g as usize];
            if friction_spring.time < since {
                *friction_spring = fresh();
            }
            return friction_spring;
        }
        let g = match self.unused_springs.pop() {
            Some(g) => {
                self.friction_springs[g as usize] = fresh();
                g as usize
            }
            None => {
                self.friction_springs.push(fresh());
                self.friction_springs.len() - 1
            }
        };
        self.spring_of[p as usize] = g as u32;
        &mut self.friction_springs[g]
    }

    /// Whether the points of pair `p` slide, if it pulled at `since` or later.
    pub(crate) fn slides(&self, p: u32, since: Tick) -> bool {
        let friction_spring = self
            .friction_springs
            .get(self.spring_of[p as usize] as usize);
        friction_spring
            .is_some_and(|friction_spring| friction_spring.slides && friction_spring.time >= since)
    }

    /// Notes whether the points of pair `p` slide.
    pub(crate) fn set_slides(&mut self, p: u32, slides: bool) {
        if let Some(friction_spring) = self
            .friction_springs
            .get_mut(self.spring_of[p as usize] as usize)
        {
            friction_spring.slides = slides;
        }
    }

    /// Force of static friction on the first primitive of pair `p`, at most `most`, if it pulled at `t`; see
    /// [`FrictionSpring::pull`] \[N\].
    #[inline]
    pub(crate) fn held_by_friction(
        &self,
        p: u32,
        t: Tick,
        (x, n): (&[Vec3; 4], Vec3),
        most: f64,
    ) -> Vec3 {
        match self
            .friction_springs
            .get(self.spring_of[p as usize] as usize)
        {
            Some(friction_spring) if friction_spring.time == t => {
                friction_spring.force(x, n).clamp_length_max(most)
            }
            _ => Vec3::ZERO,
        }
    }

    /// Pair `p` falls asleep: what friction remembers of it lasts, unless it did not pull at `since` or later.
    pub(crate) fn lay_grip_down(&mut self, p: u32, since: Tick) {
        if let Some(friction_spring) = self
            .friction_springs
            .get_mut(self.spring_of[p as usize] as usize)
            && friction_spring.time < since
        {
            friction_spring.time = 0;
        }
    }

    /// Pair `p` wakes at `t`: friction pulls as before it fell asleep.
    pub(crate) fn take_grip_up(&mut self, p: u32, t: Tick) {
        if let Some(friction_spring) = self
            .friction_springs
            .get_mut(self.spring_of[p as usize] as usize)
            && friction_spring.time > 0
        {
            friction_spring.time = t;
        }
    }
}
