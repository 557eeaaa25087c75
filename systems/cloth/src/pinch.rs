//! Pinching: cloth that prescribed things leave no room goes with one of them until there is room again.
//!
//! Harmon 2012 (§7.3) wishes for it and names no method. Where a contact stalls between two things that move as prescribed
//! (`stall_watch.rs`) and `Options::pinching` allows, the vertices that are pressed hardest stand still as seen from one of
//! the things, like vertices pinned to it. The other one may come through them, no deeper than was allowed: deeper
//! is a stall after all. So the guarantee is given up between those vertices and prescribed things alone, nothing else
//! passes through anything, and what was pinched, where and how deep is told (`System::pinches`).
//!
//! A layer does not know its side, so a pinched vertex remembers on which side it was of everything that it may be in, by
//! the way in which the nearest face looks. It is let go when it is back there, as far away as the layer that pushed
//! first when it was pinched, and no face about it crosses anything prescribed.

use drystone_base::{Mat3, Vec3};
use drystone_geometry::proximity::vertex_face;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Certificate;
use crate::clock::{Tick, next_tick, seconds};
use crate::event_loop::Run;
use crate::pair::{Kind, Pair, Scripted};
use crate::pairs::SIZE_CLASSES;
use crate::prescribed_surfaces::Surfaces;
use crate::stall_watch::{join, root};
use crate::state::{Feature, Stall, State};
use crate::topology::Topology;
use crate::watch::kept_energy;

/// Pinched vertices are looked at once in a period of this level, every 2⁻⁷ s.
const LOOKED_AT: u8 = 33;
/// Vertices of pairs with at least this share of the layers of the deepest one are pinched, where these lie between two
/// things \[1\].
const PRESSED: f64 = 0.5;
/// Layer whose thickness is the distance at which a vertex is let go: a part of the outermost one, so that what comes back
/// is not pinched again at once.
const FREE_LAYER: u32 = 4;
/// Layer whose thickness is the least distance of edges and faces about it from everything prescribed then.
const RING_LAYER: u32 = 16;

/// Cloth that was pinched between two things.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pinch {
    /// Name of the sheet.
    pub sheet: String,
    /// Names of the thing that carried it, and of one that may have come through it.
    pub between: [String; 2],
    /// Most vertices at a time.
    pub vertices: u32,
    /// How deep the other thing came through them at most; 0 if it did not \[m\].
    pub deepest: f64,
    /// When it began, and when it was last so \[s\].
    pub time: f64,
    /// See `time` \[s\].
    pub last_time: f64,
}

impl std::fmt::Display for Pinch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [carrier, other] = &self.between;
        write!(
            f,
            "`{}` was pinched between `{carrier}` and `{other}` from {:.3} s to {:.3} s: {} vertices, {:.2e} m deep",
            self.sheet, self.time, self.last_time, self.vertices, self.deepest
        )
    }
}

/// On which side a vertex is of a thing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Side {
    thing: u32,
    /// 1 if the faces of the thing looked at the vertex, -1 if they looked away.
    sign: f64,
    /// Distance from its surface when that was last near, below zero on the other side \[m\].
    distance: f64,
}

/// A vertex that is pinched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Carried {
    vertex: u32,
    /// Three vertices of the thing that carries it; all the same if that has no face.
    carrier: [u32; 3],
    /// Mover of that thing.
    mover: u32,
    /// Where it is as seen from those \[m\].
    place: Vec3,
    /// Of other things that have been near.
    sides: Vec<Side>,
    /// Its place in what is told.
    told: u32,
}

/// All that is pinched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pinches {
    carried: Vec<Carried>,
    /// By vertex, its place among `carried`, plus one; empty if nothing is.
    place: Vec<u32>,
    /// What is told. Written by `pinch` and `look_at_pinches`.
    pub(crate) told: Vec<Pinch>,
}

impl Pinches {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.carried.is_empty()
    }

    /// Number of vertices that are pinched.
    pub(crate) fn len(&self) -> usize {
        self.carried.len()
    }

    /// How vertex `i` is carried, if it is pinched.
    #[inline]
    fn of(&self, i: u32) -> Option<&Carried> {
        let k = self.place.get(i as usize)?.checked_sub(1)?;
        self.carried.get(k as usize)
    }

    /// Name of a sheet that is pinched now.
    pub(crate) fn sheet(&self, topology: &Topology) -> Option<String> {
        let first = self.carried.first()?;
        Some(topology.object_of(first.vertex).name.clone())
    }

    /// The thing that carries vertex `i`, if it is pinched.
    pub(crate) fn carrier(&self, topology: &Topology, i: u32) -> Option<u32> {
        self.of(i).map(|c| topology.thing(c.carrier[0]))
    }

    /// Whether vertex `i` is pinched.
    pub(crate) fn holds(&self, i: usize) -> bool {
        self.of(i as u32).is_some()
    }

    pub(crate) fn is_sound(&self, topology: &Topology) -> bool {
        let count = topology.start.len();
        let known = |c: &Carried| {
            (c.vertex as usize) < topology.first_of_obstacles
                && c.carrier.iter().all(|i| (*i as usize) < count)
                && (c.mover as usize) < topology.movers.len()
                && (c.told as usize) < self.told.len()
        };
        let placed = |(i, k): (usize, &u32)| {
            let carried = k.checked_sub(1).map(|k| self.carried.get(k as usize));
            carried.is_none_or(|c| c.is_some_and(|c| c.vertex as usize == i))
        };
        (self.place.is_empty() || self.place.len() == count)
            && self.carried.iter().all(known)
            && self.place.iter().enumerate().all(placed)
            && self.place.iter().filter(|k| **k > 0).count() == self.carried.len()
    }

    /// Numbers `carried` anew.
    fn renumber(&mut self, vertices: usize) {
        self.place.clear();
        if !self.carried.is_empty() {
            self.place.resize(vertices, 0);
        }
        for (k, c) in self.carried.iter().enumerate() {
            self.place[c.vertex as usize] = k as u32 + 1;
        }
    }
}

impl Topology {
    /// Number of the thing that a prescribed vertex belongs to: all that never moves is one.
    pub(crate) fn thing(&self, i: u32) -> u32 {
        match self.fixed[i as usize] {
            true => u32::MAX,
            false => self.rigid_group[i as usize],
        }
    }

    /// Three prescribed vertices that have a plane, of a thing with these `corners`; if it has none, the first of them thrice.
    fn carrier(&self, corners: &[u32]) -> [u32; 3] {
        if let [a, b, c] = *corners {
            return [a, b, c];
        }
        let faces = self.vertex_faces.row(corners[0] as usize).iter();
        let own = self.thing(corners[0]);
        let of_thing = |i: &u32| self.held[*i as usize] && self.thing(*i) == own;
        let mut faces = faces.map(|f| self.faces[*f as usize]);
        let whole = faces.find(|face| face.iter().all(of_thing));
        whole.unwrap_or([corners[0]; 3])
    }

    /// Mover of a prescribed vertex.
    fn mover_of(&self, i: u32) -> Option<usize> {
        match (self.object[i as usize] as usize).checked_sub(self.sheets) {
            Some(obstacle) => Some(obstacle),
            None => self.movers.iter().position(|m| m.vertices.contains(&i)),
        }
    }
}

/// A thing that a group of pressed vertices touches.
#[derive(Clone, Copy, Debug)]
struct Touched {
    /// Root of the group.
    group: u32,
    thing: u32,
    /// The pair with most layers at which they touch.
    pair: u32,
    /// Whether it carries pinched vertices that the group touches.
    carries: bool,
}

/// Origin and axes that three points carry with them.
fn frame([a, b, c]: [Vec3; 3]) -> (Vec3, Mat3) {
    let along = (b - a).normalize_or_zero();
    let normal = along.cross(c - a).normalize_or_zero();
    match normal == Vec3::ZERO {
        true => (a, Mat3::IDENTITY),
        false => (a, Mat3::from_cols(along, normal.cross(along), normal)),
    }
}

impl State {
    /// The thing that a vertex moves with: what prescribes it, or what carries it while it is pinched.
    fn goes_with(&self, topology: &Topology, i: u32) -> Option<u32> {
        match self.pinches.carrier(topology, i) {
            Some(carrier) => Some(carrier),
            None => (topology.held[i as usize] && !self.gives_way(topology, i))
                .then(|| topology.thing(i)),
        }
    }

    /// Whether vertex `i` belongs to a body that gives way in this advance.
    fn gives_way(&self, topology: &Topology, i: u32) -> bool {
        let obstacle = (topology.object[i as usize] as usize).checked_sub(topology.sheets);
        obstacle.is_some_and(|k| matches!(self.bodies.get(k), Some(Some(_))))
    }

    /// Whether `other` is of a prescribed thing that does not carry the pinched `vertex`.
    fn is_foreign(&self, topology: &Topology, vertex: u32, other: u32) -> bool {
        let carrier = self
            .pinches
            .of(vertex)
            .map(|c| topology.thing(c.carrier[0]));
        topology.held[other as usize]
            && !self.gives_way(topology, other)
            && carrier.is_some_and(|own| topology.thing(other) != own)
    }

    /// How a pair is watched while vertices are pinched: not at all where one of its corners is pinched and another is of a
    /// thing that does not carry it, or where all go with the same thing; as prescribed things are where all are
    /// prescribed or pinched otherwise.
    fn watch_of(&self, topology: &Topology, corners: &[u32; 4], now: Scripted) -> Scripted {
        if topology.is_scripted(corners) || now == Scripted::Met {
            return now;
        }
        let Some(own) = corners.iter().find_map(|i| self.pinches.of(*i)) else {
            return Scripted::No;
        };
        let thing = |i: &u32| self.goes_with(topology, *i);
        let (vertex, own) = (own.vertex, topology.thing(own.carrier[0]));
        if corners
            .iter()
            .any(|i| self.is_foreign(topology, vertex, *i))
            || corners.iter().all(|i| thing(i) == Some(own))
        {
            Scripted::Pinched
        } else if corners.iter().all(|i| thing(i).is_some()) {
            Scripted::Apart
        } else {
            Scripted::No
        }
    }

    /// Notes how pair `p` is watched now; true if that has changed.
    pub(crate) fn note_watch(&mut self, topology: &Topology, p: u32) -> bool {
        let (corners, before) = {
            let pair = &self.pairs.pool[p as usize];
            (pair.corners, pair.scripted)
        };
        let now = self.watch_of(topology, &corners, before);
        let pair = &mut self.pairs.pool[p as usize];
        pair.scripted = now;
        if now == Scripted::Pinched {
            pair.expires = Tick::MAX;
        }
        now != before
    }
}

impl Run<'_> {
    /// Time at which pinched vertices are looked at next.
    #[inline]
    pub(crate) fn next_look(&self) -> Tick {
        match self.state.pinches.is_empty() {
            true => Tick::MAX,
            false => next_tick(self.state.time, LOOKED_AT),
        }
    }

    fn places(&self) -> Vec<Vec3> {
        let (t, gravity) = (self.state.time, self.topology.gravity);
        let vertices = self.state.vertices.iter();
        vertices.map(|v| v.at(t, gravity)).collect()
    }

    /// Pinches what a contact under strain presses hardest between prescribed things, of which `deepest` is the pair with most
    /// layers. False if there is nothing, or if that is not allowed.
    pub(crate) fn pinch(&mut self, deepest: u32) -> bool {
        if self.options.pinching == 0.0 {
            return false;
        }
        let layers = self.state.pairs.pool[deepest as usize].layers;
        let hardest = (PRESSED * f64::from(layers)).ceil() as u32;
        let halves =
            std::iter::successors(Some(hardest.max(1)), |l| Some(l / 2).filter(|l| *l > 0));
        let pinched = halves.into_iter().any(|l| self.pinch_from(l));
        if pinched {
            self.state.stall_watch = Default::default();
        }
        pinched
    }

    /// Pinches every group of free vertices that pairs with at least `layers` layers join and that touches two things.
    fn pinch_from(&mut self, layers: u32) -> bool {
        let topology = self.topology;
        let (mut parent, touched) = self.pressed_groups(layers);
        let mut groups: Vec<u32> = touched.iter().map(|touch| touch.group).collect();
        groups.sort_unstable();
        groups.dedup();
        let mut any = false;
        for group in groups {
            let of_group = touched.iter().filter(|touch| touch.group == group);
            let mut things: Vec<&Touched> = of_group.collect();
            // what carries its neighbours carries it too; else what stands still carries best
            things.sort_unstable_by_key(|touch| std::cmp::Reverse((touch.carries, touch.thing)));
            let free: Vec<u32> = (0..topology.first_of_obstacles as u32)
                .filter(|i| self.state.vertices[*i as usize].inverse_mass > 0.0)
                .filter(|i| root(&mut parent, *i) == group)
                .collect();
            if let [carrier, other, ..] = things[..] {
                any |= self.carry(&free, *carrier, *other);
            }
        }
        any
    }

    /// Free vertices as a forest, those joined that pairs with at least `layers` layers join; and the things that each such
    /// group touches.
    fn pressed_groups(&self, layers: u32) -> (Vec<u32>, Vec<Touched>) {
        let (topology, state) = (self.topology, &*self.state);
        let free = |i: &u32| state.vertices[*i as usize].inverse_mass > 0.0;
        let pair = |p: &u32| &state.pairs.pool[*p as usize];
        let active = |p: &u32| pair(p).layers > 0 && pair(p).corners.iter().any(free);
        let mut active: Vec<u32> = state.pairs.all().filter(active).collect();
        active.sort_unstable_by_key(|p| state.pairs.records[*p as usize].key);
        // who is pressed hard, and with whom
        let mut parent: Vec<u32> = (0..state.vertices.len() as u32).collect();
        let mut hard = vec![false; parent.len()];
        for pair in active.iter().map(pair).filter(|pair| pair.layers >= layers) {
            pair.corners.iter().for_each(|i| hard[*i as usize] = true);
            join(&mut parent, pair.corners.into_iter().filter(free));
        }
        // what their groups touch, and the pair with most layers at which they do
        let mut touched: Vec<Touched> = Vec::new();
        for p in active {
            let Pair {
                corners, layers, ..
            } = *pair(&p);
            let Some(own) = corners.iter().find(|i| free(i) && hard[**i as usize]) else {
                continue;
            };
            let group = root(&mut parent, *own);
            for i in corners {
                let Some(thing) = state.goes_with(topology, i) else {
                    continue;
                };
                let carries = state.pinches.holds(i as usize);
                let known = touched
                    .iter_mut()
                    .find(|touch| (touch.group, touch.thing) == (group, thing));
                match known {
                    Some(touch) => {
                        touch.carries |= carries;
                        if pair(&touch.pair).layers < layers {
                            touch.pair = p;
                        }
                    }
                    None => touched.push(Touched {
                        group,
                        thing,
                        pair: p,
                        carries,
                    }),
                }
            }
        }
        (parent, touched)
    }

    /// Lets a thing carry these vertices; false if that has no motion.
    fn carry(&mut self, vertices: &[u32], touch: Touched, other: Touched) -> bool {
        let (t, topology) = (self.state.time, self.topology);
        let state = &*self.state;
        let carrier_of = |touch: Touched| -> [u32; 3] {
            let corners = state.pairs.pool[touch.pair as usize].corners;
            let own = |i: &u32| state.goes_with(topology, *i) == Some(touch.thing);
            let (mut held, pinched): (Vec<u32>, Vec<u32>) =
                (corners.into_iter().filter(own)).partition(|i| topology.held[*i as usize]);
            held.dedup();
            let carried = pinched.first().and_then(|i| state.pinches.of(*i));
            match carried.filter(|_| held.is_empty()) {
                Some(c) => c.carrier,
                None => topology.carrier(&held),
            }
        };
        let (carrier, others) = (carrier_of(touch), carrier_of(other));
        let Some(mover) = topology.mover_of(carrier[0]) else {
            return false;
        };
        let told = self.tell_of(vertices[0], [carrier[0], others[0]]);
        let x = self.places();
        let surfaces = Surfaces::new(topology, &x);
        let (origin, axes) = frame(carrier.map(|i| x[i as usize]));
        let before = kept_energy(topology, self.state);
        for i in vertices {
            let p = x[*i as usize];
            let near = surfaces.near(p, topology.reach_of(*i), touch.thing);
            let sides = near.into_iter().map(|(thing, distance)| Side {
                thing,
                sign: 1.0f64.copysign(distance),
                distance: distance.abs(),
            });
            self.state.pinches.carried.push(Carried {
                vertex: *i,
                carrier,
                mover: mover as u32,
                place: axes.transpose() * (p - origin),
                sides: sides.collect(),
                told,
            });
            let vertex = &mut self.state.vertices[*i as usize];
            vertex.move_to(t, topology.gravity);
            (vertex.velocity, vertex.inverse_mass) = (Vec3::ZERO, 0.0);
        }
        self.state.pinches.renumber(topology.start.len());
        self.state.account.movers += kept_energy(topology, self.state) - before;
        self.watch_anew(vertices);
        self.aim_pinches();
        self.scratch.regroup = true;
        true
    }

    /// Number of what is told of a vertex pinched between things with these corners.
    fn tell_of(&mut self, vertex: u32, things: [u32; 2]) -> u32 {
        let name = |i: u32| self.topology.object_of(i).name.clone();
        let (sheet, between) = (name(vertex), things.map(name));
        let told = &mut self.state.pinches.told;
        let known = told
            .iter()
            .position(|p| p.sheet == sheet && p.between == between);
        let time = seconds(self.state.time);
        let k = known.unwrap_or_else(|| {
            told.push(Pinch {
                sheet,
                between,
                vertices: 0,
                deepest: 0.0,
                time,
                last_time: time,
            });
            told.len() - 1
        });
        k as u32
    }

    /// Pairs of vertices that are pinched now, or are not any more, are watched accordingly.
    fn watch_anew(&mut self, vertices: &[u32]) {
        let topology = self.topology;
        let mut any = false;
        for i in vertices {
            for size_class in 0..SIZE_CLASSES {
                let of_vertex: Vec<u32> = self.state.pairs.of(*i as usize, size_class).collect();
                for p in of_vertex {
                    if self.state.note_watch(topology, p) {
                        any = true;
                        self.scratch.doubtful.push(p);
                    }
                }
            }
            self.scratch.touched.push(*i);
            if self.options.certificate == Certificate::Ball {
                let size_classes = 0..SIZE_CLASSES;
                let left = &mut self.scratch.left;
                left.extend(size_classes.map(|size_class| (*i, size_class)));
            }
        }
        if any {
            self.forget_unwatched();
        }
    }

    /// Takes layers of pairs that nothing can push apart off the schedule.
    fn forget_unwatched(&mut self) {
        let pool = &mut self.state.pairs.pool;
        self.state
            .schedule
            .retain(|entry| pool[entry.pair as usize].scripted == Scripted::No);
        for pair in pool.iter_mut().filter(|pair| pair.scripted != Scripted::No) {
            pair.layers = 0;
        }
    }

    /// Sends pinched vertices where what carries them goes next.
    pub(crate) fn aim_pinches(&mut self) {
        if self.state.pinches.is_empty() {
            return;
        }
        let (t, topology) = (self.state.time, self.topology);
        let before = kept_energy(topology, self.state);
        let mut pinches = std::mem::take(&mut self.state.pinches);
        for c in &pinches.carried {
            let state = &mut *self.state;
            let due = state.movers[c.mover as usize].due.filter(|due| *due > t);
            let velocity = due.map_or(Vec3::ZERO, |due| {
                let there = c
                    .carrier
                    .map(|i| state.vertices[i as usize].at(due, Vec3::ZERO));
                let (origin, axes) = frame(there);
                let now = state.vertices[c.vertex as usize].at(t, Vec3::ZERO);
                (origin + axes * c.place - now) / seconds(due - t)
            });
            let vertex = &mut state.vertices[c.vertex as usize];
            if vertex.velocity != velocity {
                vertex.move_to(t, Vec3::ZERO);
                vertex.velocity = velocity;
                self.scratch.touched.push(c.vertex);
                if self.options.certificate == Certificate::Ball {
                    let size_classes = 0..SIZE_CLASSES;
                    let left = &mut self.scratch.left;
                    left.extend(size_classes.map(|size_class| (c.vertex, size_class)));
                }
            }
        }
        std::mem::swap(&mut self.state.pinches, &mut pinches);
        self.state.account.movers += kept_energy(topology, self.state) - before;
        self.follow_all_shapes();
    }

    /// At the times of looks: notes how deep things are in pinched vertices, and lets go those that have room again.
    pub(crate) fn look_at_pinches(&mut self) {
        let t = self.state.time;
        if t & ((1 << LOOKED_AT) - 1) != 0 || self.state.pinches.is_empty() {
            return;
        }
        let topology = self.topology;
        let x = self.places();
        let surfaces = Surfaces::new(topology, &x);
        let mut pinches = std::mem::take(&mut self.state.pinches);
        let (mut roomy, mut counts) = (Vec::new(), vec![0; pinches.told.len()]);
        let mut stall = None;
        for c in &mut pinches.carried {
            let thickness = topology.reach_of(c.vertex);
            let deep = self.options.pinching * thickness;
            let depth = c.look(&surfaces, x[c.vertex as usize], deep + thickness);
            let told = &mut pinches.told[c.told as usize];
            told.deepest = told.deepest.max(depth);
            told.last_time = seconds(t);
            counts[c.told as usize] += 1;
            told.vertices = told.vertices.max(counts[c.told as usize]);
            if -depth >= topology.layers.thickness(thickness, FREE_LAYER) {
                roomy.push(c.vertex);
            }
            if depth > deep && stall.is_none() {
                stall = Some((c.vertex, c.sides.clone(), depth));
            }
        }
        std::mem::swap(&mut self.state.pinches, &mut pinches);
        if let Some((vertex, sides, depth)) = stall {
            self.pinched_too_deep(vertex, &sides, depth, &x);
            return;
        }
        self.let_go_of(roomy, &x);
    }

    /// The stall of a vertex that something has come through deeper than is allowed.
    fn pinched_too_deep(&mut self, vertex: u32, sides: &[Side], depth: f64, x: &[Vec3]) {
        let topology = self.topology;
        let at = |i: u32| x[i as usize];
        let deepest = sides
            .iter()
            .min_by(|a, b| a.distance.total_cmp(&b.distance));
        let of_thing = |f: &usize| {
            let face = topology.faces[*f];
            topology.is_scripted(&face)
                && deepest.is_some_and(|side| topology.thing(face[0]) == side.thing)
        };
        let off = |f: &usize| {
            let [a, b, c] = topology.faces[*f].map(at);
            vertex_face(at(vertex), a, b, c).distance_squared
        };
        let faces = (0..topology.faces.len()).filter(of_thing);
        let face = faces.min_by(|a, b| off(a).total_cmp(&off(b)));
        let a = Feature::of(topology, Kind::VertexFace, false, vertex, &at);
        let b = match face {
            Some(face) => Feature::of(topology, Kind::VertexFace, true, face as u32, &at),
            None => Feature::of(topology, Kind::VertexPlane, true, 0, &at),
        };
        self.state.stall = Some(Stall {
            a,
            b,
            layer: 0,
            distance: depth,
            time: seconds(self.state.time),
            reason: format!(
                "pinched {depth:.2e} m deep, {:.2} thicknesses; pinching allows {}",
                depth / topology.reach_of(vertex),
                self.options.pinching
            ),
        });
    }

    /// Frees those of the pinched vertices that no face about them keeps in something prescribed.
    fn let_go_of(&mut self, mut roomy: Vec<u32>, x: &[Vec3]) {
        if roomy.is_empty() {
            return;
        }
        let topology = self.topology;
        let crossings = topology.crossings(x, false);
        let crossed = |i: &u32| {
            crossings.iter().any(|(e, f)| {
                let (edge, face) = (&topology.edges[*e as usize], &topology.faces[*f as usize]);
                edge.contains(i) || face.contains(i)
            })
        };
        roomy.retain(|i| !crossed(i));
        let candidates = roomy.clone();
        roomy.retain(|i| self.has_room(*i, &candidates, x));
        if roomy.is_empty() {
            return;
        }
        let (t, state) = (self.state.time, &mut *self.state);
        for i in &roomy {
            let vertex = &mut state.vertices[*i as usize];
            vertex.move_to(t, Vec3::ZERO);
            vertex.inverse_mass = topology.inverse_mass[*i as usize];
            state.account.movers += vertex.own_energy(vertex.inverse_mass, topology.true_gravity);
        }
        let pinches = &mut state.pinches;
        pinches.carried.retain(|c| !roomy.contains(&c.vertex));
        pinches.renumber(topology.start.len());
        self.watch_anew(&roomy);
        self.scratch.regroup = true;
    }
}

impl Run<'_> {
    /// Whether edges and faces at pinched vertex `i` keep their distance from what does not carry it; those with vertices that
    /// stay pinched stay unwatched.
    fn has_room(&self, i: u32, candidates: &[u32], x: &[Vec3]) -> bool {
        let (topology, state) = (self.topology, &*self.state);
        let stays = |k: &u32| state.pinches.holds(*k as usize) && !candidates.contains(k);
        (0..SIZE_CLASSES)
            .flat_map(|size_class| state.pairs.of(i as usize, size_class))
            .all(|p| {
                let pair = &state.pairs.pool[p as usize];
                let foreign = pair.scripted == Scripted::Pinched
                    && pair
                        .corners
                        .iter()
                        .any(|k| state.is_foreign(topology, i, *k));
                if !foreign || pair.corners.iter().any(stays) {
                    return true;
                }
                let outermost = topology.thickness_of(&pair.corners);
                let least = topology.layers.thickness(outermost, RING_LAYER);
                let found = pair.kind.closest(pair.corners.map(|k| x[k as usize]));
                found.distance_squared >= least * least
            })
    }
}

impl Carried {
    /// Notes how far the vertex, at `p`, is on its side of all that is within `reach`. Returns how deep it is in one of
    /// them, below zero if in none \[m\].
    fn look(&mut self, surfaces: &Surfaces<'_>, p: Vec3, reach: f64) -> f64 {
        let own = surfaces.topology.thing(self.carrier[0]);
        let near = surfaces.near(p, reach, own);
        for (thing, distance) in &near {
            let known = self.sides.iter_mut().find(|side| side.thing == *thing);
            match known {
                Some(side) => side.distance = side.sign * distance,
                None => self.sides.push(Side {
                    thing: *thing,
                    sign: 1.0f64.copysign(*distance),
                    distance: distance.abs(),
                }),
            }
        }
        // what is out of reach is farther on the side where it was seen last
        for side in &mut self.sides {
            if !near.iter().any(|(thing, _)| *thing == side.thing) {
                side.distance = reach.copysign(side.distance);
            }
        }
        let distances = self.sides.iter().map(|side| side.distance);
        -distances.fold(reach, f64::min)
    }
}
