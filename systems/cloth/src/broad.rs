//! Which pairs may come close: roomy boxes about vertices, in refitted hierarchies.
//!
//! Every vertex stays in its box; a primitive's box holds those of its vertices and half the
//! thickness around. A pair is in the list if and only if the two boxes overlap, so a pair outside
//! it is farther apart than the outermost layer for as long as no vertex leaves its box. A vertex
//! that would leave gets a new box, and its primitives are looked up again.

use drystone_base::Vec3;
use drystone_geometry::proximity::rounding;
use drystone_geometry::{Aabb, BoxTree};
use serde::{Deserialize, Serialize};

use crate::clock::{Tick, period, seconds, ticks};
use crate::event_loop::Run;
use crate::pair::Kind;
use crate::pairs::{AHEAD, SIZE_CLASSES};
use crate::topology::Topology;

/// Room around a vertex, as a part of its scale \[1\].
const ROOM: f64 = 0.3;
/// Longest time that a box is meant to last \[s\].
const LAST: f64 = 0.1;

/// Lowest and highest corner of a box.
pub(crate) type Bounds = (Vec3, Vec3);

/// Boxes of vertices, and hierarchies of the primitives' boxes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Broad {
    roomy: Vec<Bounds>,
    vertices: BoxTree,
    edges: BoxTree,
    faces: BoxTree,
    /// Largest coordinate of a box \[m\].
    pub(crate) extent: f64,
}

impl Broad {
    /// The box that vertex `i` stays in.
    #[inline]
    pub(crate) fn roomy(&self, i: usize) -> Bounds {
        self.roomy[i]
    }
}

/// A vertex, an edge or a face.
#[derive(Clone, Copy, Debug)]
enum Primitive {
    Vertex(u32),
    Edge(u32),
    Face(u32),
}

fn overlap(a: Bounds, b: Bounds) -> bool {
    a.0.cmple(b.1).all() && b.0.cmple(a.1).all()
}

impl Topology {
    /// Whether the two primitives of a pair must not pass through each other: no vertex shared, one of them free or
    /// both prescribed apart from each other, and the kind of pair that the dimension asks for.
    pub(crate) fn may_touch(&self, kind: Kind, a: u32, b: u32) -> bool {
        if kind != Kind::EdgeEdge && self.anchor[a as usize] {
            return false;
        }
        match kind {
            Kind::VertexFace => {
                let f = self.faces[b as usize];
                !self.plane && !f.contains(&a) && self.concerns(&[a], &f)
            }
            Kind::EdgeEdge => {
                let (e, f) = (self.edges[a as usize], self.edges[b as usize]);
                !self.plane
                    && a != b
                    && !f.contains(&e[0])
                    && !f.contains(&e[1])
                    && self.concerns(&e, &f)
            }
            Kind::VertexEdge => {
                let e = self.edges[b as usize];
                (self.plane || (self.particle[a as usize] && self.bare[b as usize]))
                    && !e.contains(&a)
                    && self.concerns(&[a], &e)
            }
            Kind::VertexVertex => {
                a != b
                    && self.particle[a as usize]
                    && self.particle[b as usize]
                    && self.concerns(&[a], &[b])
            }
            Kind::VertexPlane => self.concerns(&[a], &self.planes[b as usize]),
        }
    }
}

impl Run<'_> {
    /// Boxes for everyone at the present time, and the pairs that overlap.
    pub(crate) fn start_broad_phase(&mut self) {
        let (topology, t) = (self.topology, self.state.time);
        let count = topology.start.len();
        self.state.broad.roomy = (0..count).map(|i| self.roomy_box(i, t)).collect();
        let group = |i: u32| topology.object[i as usize];
        let boxes = |list: &mut dyn Iterator<Item = Bounds>| -> Vec<Aabb> {
            list.map(|(low, high)| Aabb { low, high }).collect()
        };
        let broad = &self.state.broad;
        let vertices = boxes(&mut (0..count as u32).map(|i| self.bounds(Primitive::Vertex(i))));
        let edges =
            boxes(&mut (0..topology.edges.len() as u32).map(|i| self.bounds(Primitive::Edge(i))));
        let faces =
            boxes(&mut (0..topology.faces.len() as u32).map(|i| self.bounds(Primitive::Face(i))));
        let extent = broad.roomy.iter().fold(0.0f64, |most, (low, high)| {
            most.max(low.abs().max(high.abs()).max_element())
        });
        let groups: [Vec<u32>; 3] = [
            topology.object.clone(),
            topology.edges.iter().map(|e| group(e[0])).collect(),
            topology.faces.iter().map(|f| group(f[0])).collect(),
        ];
        let broad = &mut self.state.broad;
        broad.vertices = BoxTree::new(&vertices, &groups[0]);
        broad.edges = BoxTree::new(&edges, &groups[1]);
        broad.faces = BoxTree::new(&faces, &groups[2]);
        broad.extent = extent;
        self.state.delta = rounding(extent);
        // every pair once: from its vertex, or from its lower edge
        let mut hits = std::mem::take(&mut self.scratch.hits);
        hits.clear();
        for i in 0..count as u32 {
            let own = self.state.broad.vertices.bounds(i as usize);
            self.partners(Primitive::Vertex(i), own, |kind, a, b| {
                if kind != Kind::VertexVertex || a == i {
                    hits.push((kind, a, b));
                }
            });
        }
        for e in 0..topology.edges.len() as u32 {
            let own = self.state.broad.edges.bounds(e as usize);
            self.partners(Primitive::Edge(e), own, |kind, a, b| {
                if kind == Kind::EdgeEdge && a == e {
                    hits.push((kind, a, b));
                }
            });
        }
        // folds will need more
        self.state.pairs.make_room(hits.len() + hits.len() / 4);
        for (kind, a, b) in &hits {
            self.state.pairs.insert(topology, *kind, *a, *b);
        }
        self.scratch.hits = hits;
    }

    /// Room around a vertex \[m\].
    pub(crate) fn room(&self, i: usize) -> f64 {
        ROOM * self.topology.scale[i]
    }

    /// A box in which vertex `i` will stay for a while.
    fn roomy_box(&self, i: usize, t: Tick) -> Bounds {
        let (vertex, topology) = (&self.state.vertices[i], self.topology);
        let x = vertex.at(t, topology.gravity);
        if topology.fixed[i] {
            return (x, x);
        }
        let room = self.room(i);
        let speed = vertex.velocity_at(t, topology.gravity).length();
        let shortest = 2.0 * period(topology.check[i]);
        let ahead = (2.0 * room / speed.max(1e-9)).min(LAST).max(shortest);
        let there = vertex.at(t + ticks(ahead), topology.gravity);
        let sag = topology.fall * ahead * ahead * 0.125;
        let pad = Vec3::splat(room + sag);
        (x.min(there) - pad, x.max(there) + pad)
    }

    fn bounds(&self, primitive: Primitive) -> Bounds {
        match primitive {
            Primitive::Vertex(i) => self.around(&[i]),
            Primitive::Edge(e) => self.around(&self.topology.edges[e as usize]),
            Primitive::Face(f) => self.around(&self.topology.faces[f as usize]),
        }
    }

    /// The box of a primitive with these corners.
    #[inline]
    fn around(&self, corners: &[u32]) -> Bounds {
        let (topology, roomy) = (self.topology, &self.state.broad.roomy);
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for i in corners {
            low = low.min(roomy[*i as usize].0);
            high = high.max(roomy[*i as usize].1);
        }
        // half of the outermost layer, a little early, and the rounding of all this
        let pad = 0.5 * topology.reach_of(corners[0]) * (1.0 + 2.0 * topology.early);
        (low - pad, high + pad)
    }

    /// Calls `found` with every pair that `primitive`, if it had this box, would be in.
    fn partners(
        &self,
        primitive: Primitive,
        (low, high): Bounds,
        mut found: impl FnMut(Kind, u32, u32),
    ) {
        let (topology, broad) = (self.topology, &self.state.broad);
        let mut consider = |kind: Kind, a: u32, b: u32| {
            if topology.may_touch(kind, a, b) {
                found(kind, a, b);
            }
        };
        match primitive {
            Primitive::Vertex(i) => {
                if !topology.plane {
                    broad
                        .faces
                        .query(low, high, |f| consider(Kind::VertexFace, i, f));
                }
                if topology.plane || topology.particle[i as usize] {
                    broad
                        .edges
                        .query(low, high, |e| consider(Kind::VertexEdge, i, e));
                }
                if topology.particle[i as usize] {
                    broad.vertices.query(low, high, |j| {
                        consider(Kind::VertexVertex, i.min(j), i.max(j));
                    });
                }
            }
            Primitive::Edge(e) => {
                if !topology.plane {
                    broad
                        .edges
                        .query(low, high, |f| consider(Kind::EdgeEdge, e.min(f), e.max(f)));
                }
                if topology.plane || topology.bare[e as usize] {
                    broad
                        .vertices
                        .query(low, high, |i| consider(Kind::VertexEdge, i, e));
                }
            }
            // looked up together, and found from their vertices at the start
            Primitive::Face(_) => {}
        }
    }

    /// Whether vertex `i`, on its way to be `there` at `next`, stays in its box.
    #[inline]
    pub(crate) fn stays_in_box(&self, i: usize, next: Tick, there: Vec3) -> bool {
        let h = seconds(next - self.state.time);
        let sag = self.topology.fall * h * h * 0.125;
        let (low, high) = &self.state.broad.roomy[i];
        there.cmpgt(*low + sag).all() && there.cmplt(*high - sag).all()
    }

    /// Gives vertex `i` a new box: pairs that overlap now are listed, those that do not are dropped.
    #[inline(never)]
    pub(crate) fn renew_box(&mut self, i: usize) {
        let topology = self.topology;
        let own = self.roomy_box(i, self.state.time);
        self.scratch.tally.boxes += 1;
        let reach = own.0.abs().max(own.1.abs()).max_element();
        if reach > self.state.broad.extent {
            self.state.broad.extent = 2.0 * reach;
            self.state.delta = rounding(2.0 * reach);
        }
        self.state.broad.roomy[i] = own;
        self.end_quiet_bound(i);
        self.renew_primitive(Primitive::Vertex(i as u32));
        let edges = topology.vertex_edges.row(i);
        if topology.plane || edges.iter().any(|e| topology.bare[*e as usize]) {
            for e in edges {
                self.renew_primitive(Primitive::Edge(*e));
            }
        } else {
            self.renew_together(edges, Kind::EdgeEdge);
        }
        if !topology.plane {
            self.renew_together(topology.vertex_faces.row(i), Kind::VertexFace);
        }
        // pairs whose boxes do not overlap any more
        let mut parted = std::mem::take(&mut self.scratch.near);
        parted.clear();
        for size_class in 0..SIZE_CLASSES {
            parted.extend(self.state.pairs.of(i, size_class));
        }
        let mut count = 0;
        for k in 0..parted.len() {
            if let Some(later) = parted.get(k + 2 * AHEAD) {
                self.state.pairs.prefetch(*later);
            }
            if self.have_parted(parted[k]) {
                parted[count] = parted[k];
                count += 1;
            }
        }
        parted.truncate(count);
        for k in 0..parted.len() {
            if let Some(later) = parted.get(k + 2) {
                self.state.pairs.prefetch_record(*later);
            }
            self.drop_pair(parted[k]);
        }
        self.scratch.near = parted;
    }

    /// Whether the boxes of a pair overlap no more. From those of its corners, which are next to each other
    /// in memory; the trees hold the same.
    #[inline]
    fn have_parted(&self, p: u32) -> bool {
        let pair = &self.state.pairs.pool[p as usize];
        if pair.kind == Kind::VertexPlane {
            return false;
        }
        let (first, second) = pair.corners.split_at(pair.kind.split());
        !overlap(self.around(first), self.around(second))
    }

    fn tree(&mut self, primitive: Primitive) -> (&mut BoxTree, usize) {
        let broad = &mut self.state.broad;
        match primitive {
            Primitive::Vertex(i) => (&mut broad.vertices, i as usize),
            Primitive::Edge(e) => (&mut broad.edges, e as usize),
            Primitive::Face(f) => (&mut broad.faces, f as usize),
        }
    }

    fn renew_primitive(&mut self, primitive: Primitive) {
        let topology = self.topology;
        let new = self.bounds(primitive);
        let (tree, item) = self.tree(primitive);
        let old = tree.bounds(item);
        if old == new {
            return;
        }
        // those that overlap now and did not before
        let mut hits = std::mem::take(&mut self.scratch.hits);
        hits.clear();
        self.partners(primitive, new, |kind, a, b| hits.push((kind, a, b)));
        for (kind, a, b) in hits.iter().copied() {
            let other = self.other_bounds(primitive, kind, a, b);
            if !overlap(old, other) {
                let p = self.state.pairs.insert(topology, kind, a, b);
                self.scratch.tally.pairs_made += 1;
                self.scratch.doubtful.push(p);
            }
        }
        self.scratch.hits = hits;
        let (tree, item) = self.tree(primitive);
        tree.refit(item, new.0, new.1);
    }

    /// The same as [`Run::renew_primitive`] of all edges or faces about one vertex, in one look at the tree:
    /// their boxes are nearly the same, and they make no pairs with each other.
    fn renew_together(&mut self, items: &[u32], kind: Kind) {
        let topology = self.topology;
        let primitive = |item: u32| match kind {
            Kind::EdgeEdge => Primitive::Edge(item),
            _ => Primitive::Face(item),
        };
        let mut changed = std::mem::take(&mut self.scratch.changed);
        changed.clear();
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for &item in items {
            let new = self.bounds(primitive(item));
            let (tree, k) = self.tree(primitive(item));
            let old = tree.bounds(k);
            if old != new {
                (low, high) = (low.min(new.0), high.max(new.1));
                changed.push((item, old, new));
            }
        }
        let mut hits = std::mem::take(&mut self.scratch.hits);
        hits.clear();
        let broad = &self.state.broad;
        let partners = match kind {
            Kind::EdgeEdge => &broad.edges,
            _ => &broad.vertices,
        };
        partners.query_boxes(low, high, |other, own| {
            for &(item, old, new) in &changed {
                let (a, b) = match kind {
                    Kind::EdgeEdge => (item.min(other), item.max(other)),
                    _ => (other, item),
                };
                if overlap(new, own) && !overlap(old, own) && topology.may_touch(kind, a, b) {
                    hits.push((kind, a, b));
                }
            }
        });
        for (kind, a, b) in hits.drain(..) {
            let p = self.state.pairs.insert(topology, kind, a, b);
            self.scratch.tally.pairs_made += 1;
            self.scratch.doubtful.push(p);
        }
        self.scratch.hits = hits;
        for (item, _, new) in changed.drain(..) {
            let (tree, k) = self.tree(primitive(item));
            tree.refit(k, new.0, new.1);
        }
        self.scratch.changed = changed;
    }

    fn other_bounds(&self, own: Primitive, kind: Kind, a: u32, b: u32) -> Bounds {
        let broad = &self.state.broad;
        match (kind, own) {
            (Kind::VertexFace, Primitive::Vertex(_)) => broad.faces.bounds(b as usize),
            (Kind::EdgeEdge, Primitive::Edge(e)) => {
                broad.edges.bounds(if e == a { b } else { a } as usize)
            }
            (Kind::VertexEdge, Primitive::Vertex(_)) => broad.edges.bounds(b as usize),
            (Kind::VertexVertex, Primitive::Vertex(i)) => {
                broad.vertices.bounds(if i == a { b } else { a } as usize)
            }
            _ => broad.vertices.bounds(a as usize),
        }
    }

    pub(crate) fn drop_pair(&mut self, p: u32) {
        let state = &mut *self.state;
        let layers = state.pairs.pool[p as usize].layers;
        if layers > 0 {
            state.schedule.forget(
                &self.topology.layers,
                layers,
                &state.pairs.records[p as usize],
            );
        }
        state.slabs.remove(p);
        state.pairs.remove(p);
    }
}
