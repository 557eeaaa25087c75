//! Which pairs may come close, as published: a kinetic hierarchy of 26-DOPs (Harmon 2012, §4.2).
//!
//! A node knows its extremal vertex in each of 26 directions; that an extremal vertex stays extremal
//! is a certificate, a comparison of the children's. Pairs of nodes on the front are separated along
//! one of 13 axes; that they stay so is a certificate too. When it fails another axis is tried, else
//! the front descends, and two leaves make pairs of their primitives. Every kick renews the
//! certificates of the nodes in which its vertices are extremal.
//!
//! Ours: the front moves back up by being made anew from the root now and then. Comparisons hold
//! up to a small pad, which the distance that separates pays for, so that ties cannot stop time.

use std::collections::BTreeMap;

use drystone_base::Vec3;
use drystone_geometry::proximity::{first_root, rounding};
use serde::{Deserialize, Serialize};

use crate::clock::{TICK, Tick};
use crate::event_loop::Run;
use crate::heap::Heap;
use crate::pair::Kind;
use crate::topology::Topology;

const NONE: u32 = u32::MAX;
/// Interval at which the front is made anew, in ticks: 2⁻⁵ s.
const ANEW: Tick = 1 << 35;
const AXES: usize = 13;

/// Unit vectors along edges, face diagonals and body diagonals of a cube.
const AXIS: [Vec3; AXES] = {
    const H: f64 = std::f64::consts::FRAC_1_SQRT_2;
    const T: f64 = 0.577_350_269_189_625_8;
    [
        Vec3::X,
        Vec3::Y,
        Vec3::Z,
        Vec3::new(H, H, 0.0),
        Vec3::new(H, -H, 0.0),
        Vec3::new(H, 0.0, H),
        Vec3::new(H, 0.0, -H),
        Vec3::new(0.0, H, H),
        Vec3::new(0.0, H, -H),
        Vec3::new(T, T, T),
        Vec3::new(T, T, -T),
        Vec3::new(T, -T, T),
        Vec3::new(T, -T, -T),
    ]
};

/// A node and its extremal vertices.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Node {
    low: [u32; AXES],
    high: [u32; AXES],
    children: Option<[u32; 2]>,
    parent: u32,
    /// Corners of a leaf.
    corners: [u32; 3],
    /// All of it is of obstacles.
    obstacle: bool,
}

/// Two nodes of the front.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Front {
    nodes: [u32; 2],
    /// The axis that separates them, and whether the first is above; none for leaves in touch.
    axis: Option<(u8, bool)>,
}

/// The hierarchy, its front and their certificates.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct KDops {
    nodes: Vec<Node>,
    /// Leaves of each vertex.
    leaves: Vec<Vec<u32>>,
    front: Vec<Front>,
    fronts_of: Vec<Vec<u32>>,
    comparisons: Heap,
    separations: Heap,
    /// Pairs made, by key.
    pairs: BTreeMap<u64, u32>,
    anew: Tick,
    mark: Vec<u64>,
}

impl KDops {
    pub(crate) fn next_event(&self) -> Tick {
        let first = |heap: &Heap| heap.first().map_or(Tick::MAX, |first| first.0);
        self.anew
            .min(first(&self.comparisons))
            .min(first(&self.separations))
    }

    pub(crate) fn is_sound(&self, topology: &Topology) -> bool {
        let node = |n: &u32| (*n as usize) < self.nodes.len();
        let vertex = |i: &u32| (*i as usize) < topology.start.len();
        self.leaves.len() == topology.start.len()
            && self.leaves.iter().flatten().all(node)
            && self.mark.len() == self.nodes.len()
            && self.fronts_of.len() == self.nodes.len()
            && self
                .fronts_of
                .iter()
                .flatten()
                .all(|f| (*f as usize) < self.front.len())
            && self.front.iter().all(|front| front.nodes.iter().all(node))
            && self.comparisons.is_sound(self.nodes.len())
            && self.separations.is_sound(self.front.len())
            && self.nodes.iter().all(|n| {
                n.low.iter().chain(&n.high).chain(&n.corners).all(vertex)
                    && (n.parent == NONE || node(&n.parent))
                    && n.children.is_none_or(|c| c.iter().all(node))
            })
    }
}

impl Run<'_> {
    /// How far two nodes must be apart, so that no pair in them comes within the outermost layer.
    fn reach(&self) -> f64 {
        self.topology.thickness * (1.0 + 2.0 * self.topology.early) + self.state.delta
    }

    /// Distance by which a vertex may exceed the one that counts as extremal.
    fn pad(&self) -> f64 {
        0.01 * self.topology.early * self.topology.thickness
    }

    /// Height, speed and half the acceleration of a vertex along an axis.
    fn along(&self, axis: usize, i: u32) -> [f64; 3] {
        let (t, gravity, v) = (
            self.state.time,
            self.topology.gravity,
            &self.state.vertices[i as usize],
        );
        let n = AXIS[axis];
        [
            n.dot(v.at(t, gravity)),
            n.dot(v.velocity_at(t, gravity)),
            0.5 * n.dot(v.falls(gravity)),
        ]
    }

    /// The hierarchy over all faces, bare edges and particles, and its front.
    pub(crate) fn start_kdops(&mut self) {
        let topology = self.topology;
        let mut leaves: Vec<[u32; 3]> = topology.faces.clone();
        let bare = (0..topology.edges.len()).filter(|e| topology.bare[*e]);
        leaves.extend(bare.map(|e| {
            [
                topology.edges[e][0],
                topology.edges[e][1],
                topology.edges[e][1],
            ]
        }));
        let particles = (0..topology.start.len() as u32).filter(|i| topology.particle[*i as usize]);
        leaves.extend(particles.map(|i| [i; 3]));
        let kdops = &mut self.state.kdops;
        *kdops = KDops {
            leaves: vec![Vec::new(); topology.start.len()],
            ..KDops::default()
        };
        // objects apart first, then by the median of the longest axis
        leaves.sort_by_key(|corners| topology.object[corners[0] as usize]);
        build(topology, kdops, &mut leaves, NONE);
        let count = kdops.nodes.len();
        kdops.fronts_of = vec![Vec::new(); count];
        kdops.mark = vec![0; count];
        self.state.delta = 0.0;
        for i in 0..topology.start.len() {
            self.widen(i);
        }
        for node in (0..count as u32).rev() {
            self.find_extremes(node);
        }
        for node in 0..count as u32 {
            self.compare(node);
        }
        self.renew_front();
    }

    /// Keeps the bound of rounding errors above what vertex `i` needs.
    fn widen(&mut self, i: usize) {
        let x = self.state.vertices[i]
            .at(self.state.time, self.topology.gravity)
            .abs()
            .max_element();
        if rounding(x) > 0.5 * self.state.delta {
            self.state.delta = rounding(4.0 * x);
        }
    }

    /// Extremal vertices of a node from its children's; whether one changed.
    fn find_extremes(&mut self, node: u32) -> bool {
        let mut new = self.state.kdops.nodes[node as usize];
        let candidates = match new.children {
            Some(children) => children
                .map(|c| self.state.kdops.nodes[c as usize])
                .to_vec(),
            None => Vec::new(),
        };
        for axis in 0..AXES {
            let (lows, highs): (Vec<u32>, Vec<u32>) = if candidates.is_empty() {
                (new.corners.to_vec(), new.corners.to_vec())
            } else {
                candidates
                    .iter()
                    .map(|c| (c.low[axis], c.high[axis]))
                    .unzip()
            };
            // by height, then by speed
            let order = |a: &u32, b: &u32| {
                let (a, b) = (self.along(axis, *a), self.along(axis, *b));
                a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1]))
            };
            new.low[axis] = lows.iter().copied().min_by(order).unwrap_or(0);
            new.high[axis] = highs.iter().copied().max_by(order).unwrap_or(0);
        }
        let old = &mut self.state.kdops.nodes[node as usize];
        let changed = old.low != new.low || old.high != new.high;
        *old = new;
        changed
    }

    /// Until when the extremal vertices of a node stay extremal.
    fn compare(&mut self, node: u32) {
        let (own, pad) = (self.state.kdops.nodes[node as usize], self.pad());
        let mut life = f64::INFINITY;
        let rivals = |axis: usize| match own.children {
            Some(children) => {
                let [a, b] = children.map(|c| &self.state.kdops.nodes[c as usize]);
                [
                    a.low[axis],
                    b.low[axis],
                    a.high[axis],
                    b.high[axis],
                    own.low[axis],
                    own.high[axis],
                ]
            }
            None => [
                own.corners[0],
                own.corners[1],
                own.corners[2],
                own.corners[0],
                own.corners[1],
                own.corners[2],
            ],
        };
        for axis in 0..AXES {
            let (low, high) = (
                self.along(axis, own.low[axis]),
                self.along(axis, own.high[axis]),
            );
            for i in rivals(axis) {
                let x = self.along(axis, i);
                if i != own.low[axis] {
                    life = life.min(first_root(
                        x[0] - low[0] + pad,
                        x[1] - low[1],
                        x[2] - low[2],
                    ));
                }
                if i != own.high[axis] {
                    life = life.min(first_root(
                        high[0] - x[0] + pad,
                        high[1] - x[1],
                        high[2] - x[2],
                    ));
                }
            }
        }
        let due = self
            .state
            .time
            .saturating_add(((life / TICK) as Tick).max(1));
        self.scratch.tally.slabs += 1;
        self.state.kdops.comparisons.set(node, due);
    }

    /// Comparisons and separations that fail now, and the front when its time has come.
    pub(crate) fn renew_failed_kdops(&mut self) {
        let t = self.state.time;
        while let Some((due, node)) = self.state.kdops.comparisons.first() {
            if due > t {
                break;
            }
            self.scratch.tally.boxes += 1;
            self.climb(node);
        }
        while let Some((due, front)) = self.state.kdops.separations.first() {
            if due > t {
                break;
            }
            self.scratch.tally.boxes += 1;
            self.separate(front);
        }
        if self.state.kdops.anew <= t {
            self.renew_front();
        }
    }

    /// Updates the extremes of a node and of its ancestors, as far as they change.
    fn climb(&mut self, mut node: u32) {
        loop {
            let changed = self.find_extremes(node);
            self.compare(node);
            self.renew_fronts_of(node);
            node = self.state.kdops.nodes[node as usize].parent;
            if node == NONE {
                return;
            }
            if !changed {
                self.compare(node);
                return;
            }
        }
    }

    fn renew_fronts_of(&mut self, node: u32) {
        for k in 0..self.state.kdops.fronts_of[node as usize].len() {
            let front = self.state.kdops.fronts_of[node as usize][k];
            self.renew_separation(front);
        }
    }

    /// Certificates of everything in which a kicked vertex is extremal.
    pub(crate) fn renew_kdops_of(&mut self, touched: &[u32]) {
        let round = self.state.round;
        let mut nodes = Vec::new();
        for i in touched {
            self.widen(*i as usize);
            for k in 0..self.state.kdops.leaves[*i as usize].len() {
                let mut node = self.state.kdops.leaves[*i as usize][k];
                while node != NONE {
                    let own = &self.state.kdops.nodes[node as usize];
                    let extremal = own.low.contains(i) || own.high.contains(i);
                    if std::mem::replace(&mut self.state.kdops.mark[node as usize], round) != round
                    {
                        nodes.push(node);
                    }
                    // one above compares with its vertex, even if it is not extremal there
                    node = if extremal { own.parent } else { NONE };
                }
            }
        }
        for node in nodes {
            self.compare(node);
            self.renew_fronts_of(node);
        }
    }

    /// Life of a separation along an axis \[s\]; nothing if they are too close.
    fn separation(&self, nodes: [u32; 2], axis: usize, above: bool) -> f64 {
        let [a, b] = if above { nodes } else { [nodes[1], nodes[0]] };
        let (low, high) = (
            self.state.kdops.nodes[a as usize].low[axis],
            self.state.kdops.nodes[b as usize].high[axis],
        );
        let (x, y) = (self.along(axis, low), self.along(axis, high));
        first_root(x[0] - y[0] - self.reach(), x[1] - y[1], x[2] - y[2])
    }

    /// Until when two nodes of the front stay separated along their axis.
    fn renew_separation(&mut self, front: u32) {
        let own = self.state.kdops.front[front as usize];
        if let Some((axis, above)) = own.axis {
            self.scratch.tally.slabs += 1;
            let ticks = (self.separation(own.nodes, axis as usize, above) / TICK) as Tick;
            self.state
                .kdops
                .separations
                .set(front, self.state.time.saturating_add(ticks));
        }
    }

    /// Another axis for two nodes of the front, or else their children, or else their primitives.
    fn separate(&mut self, front: u32) {
        let kdops = &mut self.state.kdops;
        kdops.separations.remove(front);
        let nodes = kdops.front[front as usize].nodes;
        for node in nodes {
            kdops.fronts_of[node as usize].retain(|f| *f != front);
        }
        self.descend(nodes);
    }

    fn descend(&mut self, [a, b]: [u32; 2]) {
        let [p, q] = [a, b].map(|n| self.state.kdops.nodes[n as usize]);
        if p.obstacle && q.obstacle {
            return;
        }
        if a == b {
            if let Some([l, r]) = p.children {
                self.descend([l, l]);
                self.descend([r, r]);
                self.descend([l, r]);
            }
            return;
        }
        let mut best = (1.0, None);
        for axis in 0..AXES {
            for above in [true, false] {
                let life = self.separation([a, b], axis, above) / TICK;
                if life > best.0 {
                    best = (life, Some((axis as u8, above)));
                }
            }
        }
        if best.1.is_some() {
            self.add_front([a, b], best.1);
            return;
        }
        match (p.children, q.children) {
            (None, None) => {
                self.add_front([a, b], None);
                self.pair_leaves(p.corners, q.corners);
            }
            (Some([l, r]), None) => [l, r].into_iter().for_each(|c| self.descend([c, b])),
            (None, Some([l, r])) => [l, r].into_iter().for_each(|c| self.descend([a, c])),
            // the larger one first: it has more below it
            (Some([l, r]), Some(other)) => {
                if self.width(a) >= self.width(b) {
                    [l, r].into_iter().for_each(|c| self.descend([c, b]));
                } else {
                    other.into_iter().for_each(|c| self.descend([a, c]));
                }
            }
        }
    }

    fn width(&self, node: u32) -> f64 {
        let own = &self.state.kdops.nodes[node as usize];
        (0..3)
            .map(|axis| self.along(axis, own.high[axis])[0] - self.along(axis, own.low[axis])[0])
            .fold(0.0, f64::max)
    }

    fn add_front(&mut self, nodes: [u32; 2], axis: Option<(u8, bool)>) {
        let kdops = &mut self.state.kdops;
        let front = kdops.front.len() as u32;
        kdops.front.push(Front { nodes, axis });
        for node in nodes {
            kdops.fronts_of[node as usize].push(front);
        }
        self.renew_separation(front);
    }

    /// Pairs of the primitives of two leaves, if they are not there yet.
    fn pair_leaves(&mut self, a: [u32; 3], b: [u32; 3]) {
        let topology = self.topology;
        let mut hits = std::mem::take(&mut self.scratch.hits);
        hits.clear();
        for (own, other) in [(a, b), (b, a)] {
            for i in own {
                for f in topology
                    .vertex_faces
                    .row(other[0] as usize)
                    .iter()
                    .filter(|f| topology.faces[**f as usize] == other)
                {
                    hits.push((Kind::VertexFace, i, *f));
                }
                for e in edges_of(topology, other) {
                    hits.push((Kind::VertexEdge, i, e));
                }
                hits.extend(other.map(|j| (Kind::VertexVertex, i.min(j), i.max(j))));
            }
        }
        for e in edges_of(topology, a) {
            hits.extend(edges_of(topology, b).map(|f| (Kind::EdgeEdge, e.min(f), e.max(f))));
        }
        for (kind, first, second) in hits.iter().copied() {
            let key = ((kind as u64) << 60) | (u64::from(first) << 30) | u64::from(second);
            if topology.may_touch(kind, first, second) && !self.state.kdops.pairs.contains_key(&key)
            {
                let p = self.state.pairs.insert(topology, kind, first, second);
                self.state.kdops.pairs.insert(key, p);
                self.scratch.tally.pairs_made += 1;
                self.scratch.doubtful.push(p);
            }
        }
        self.scratch.hits = hits;
    }

    /// The front from the root down; pairs that no two leaves need any more are dropped.
    fn renew_front(&mut self) {
        let kdops = &mut self.state.kdops;
        kdops.anew = self.state.time + ANEW;
        kdops.front.clear();
        kdops.separations = Heap::default();
        kdops.fronts_of.iter_mut().for_each(Vec::clear);
        let before = std::mem::take(&mut kdops.pairs);
        if kdops.nodes.is_empty() {
            return;
        }
        // pairs still needed are found again under their old number
        self.state.kdops.pairs = before.clone();
        self.descend([0, 0]);
        let mut needed = BTreeMap::new();
        let touching = self.state.kdops.front.iter().filter(|f| f.axis.is_none());
        let leaves: Vec<[[u32; 3]; 2]> = touching
            .map(|f| f.nodes.map(|n| self.state.kdops.nodes[n as usize].corners))
            .collect();
        let all = std::mem::take(&mut self.state.kdops.pairs);
        for [a, b] in leaves {
            let corners = |p: &u32| self.state.pairs.pool[*p as usize].corners;
            let near = |c: [u32; 4]| {
                let split = |side: &[u32; 3], c: &[u32]| c.iter().all(|i| side.contains(i));
                (1..=2).any(|k| {
                    (split(&a, &c[..k]) && split(&b, &c[k..]))
                        || (split(&b, &c[..k]) && split(&a, &c[k..]))
                })
            };
            for (key, p) in self.keys_of(a, b, &all) {
                if near(corners(&p)) {
                    needed.insert(key, p);
                }
            }
        }
        for (key, p) in &before {
            if !needed.contains_key(key) {
                self.drop_pair(*p);
            }
        }
        self.state.kdops.pairs = needed;
    }

    /// Listed pairs of the primitives of two leaves.
    fn keys_of(&self, a: [u32; 3], b: [u32; 3], all: &BTreeMap<u64, u32>) -> Vec<(u64, u32)> {
        let topology = self.topology;
        let mut found = Vec::new();
        let mut look = |kind: Kind, first: u32, second: u32| {
            let key = ((kind as u64) << 60) | (u64::from(first) << 30) | u64::from(second);
            found.extend(all.get(&key).map(|p| (key, *p)));
        };
        for (own, other) in [(a, b), (b, a)] {
            for i in own {
                for f in topology.vertex_faces.row(other[0] as usize) {
                    look(Kind::VertexFace, i, *f);
                }
                edges_of(topology, other).for_each(|e| look(Kind::VertexEdge, i, e));
                other
                    .into_iter()
                    .for_each(|j| look(Kind::VertexVertex, i.min(j), i.max(j)));
            }
        }
        for e in edges_of(topology, a) {
            edges_of(topology, b).for_each(|f| look(Kind::EdgeEdge, e.min(f), e.max(f)));
        }
        found
    }
}

/// Edges between corners of a leaf.
fn edges_of(topology: &Topology, corners: [u32; 3]) -> impl Iterator<Item = u32> + '_ {
    let mut own: Vec<u32> = corners
        .iter()
        .flat_map(|i| topology.vertex_edges.row(*i as usize))
        .copied()
        .collect();
    own.sort_unstable();
    own.dedup();
    own.into_iter().filter(move |e| {
        topology.edges[*e as usize]
            .iter()
            .all(|i| corners.contains(i))
    })
}

/// Adds a node over `leaves` and those below it.
fn build(topology: &Topology, kdops: &mut KDops, leaves: &mut [[u32; 3]], parent: u32) {
    if leaves.is_empty() {
        return;
    }
    let at = kdops.nodes.len() as u32;
    kdops.nodes.push(Node {
        low: [leaves[0][0]; AXES],
        high: [leaves[0][0]; AXES],
        children: None,
        parent,
        corners: leaves[0],
        obstacle: leaves.iter().flatten().all(|i| topology.is_of_obstacle(*i)),
    });
    if leaves.len() == 1 {
        for (k, i) in leaves[0].iter().enumerate() {
            if !leaves[0][..k].contains(i) {
                kdops.leaves[*i as usize].push(at);
            }
        }
        return;
    }
    let object = |corners: &[u32; 3]| topology.object[corners[0] as usize];
    let (first, last) = (object(&leaves[0]), object(&leaves[leaves.len() - 1]));
    let half = if first == last {
        let middle = |c: &[u32; 3]| c.iter().map(|i| topology.start[*i as usize]).sum::<Vec3>();
        let (low, high) = leaves
            .iter()
            .map(middle)
            .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), x| {
                (low.min(x), high.max(x))
            });
        let extent = high - low;
        let axis = (0..3)
            .max_by(|a, b| extent[*a].total_cmp(&extent[*b]))
            .unwrap_or(0);
        leaves.sort_by(|a, b| middle(a)[axis].total_cmp(&middle(b)[axis]).then(a.cmp(b)));
        leaves.len() / 2
    } else {
        let cut = u32::midpoint(first, last);
        leaves
            .iter()
            .position(|c| object(c) > cut)
            .unwrap_or(leaves.len() / 2)
    };
    let (left, right) = leaves.split_at_mut(half);
    let l = kdops.nodes.len() as u32;
    build(topology, kdops, left, at);
    let r = kdops.nodes.len() as u32;
    build(topology, kdops, right, at);
    kdops.nodes[at as usize].children = Some([l, r]);
}
