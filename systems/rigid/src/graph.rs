//! The contact graph: which bodies hang together, how high each stands above what is fixed,
//! and which contacts belong to which stack layer (Erleben 2007, §4).

use crate::{Contacts, Model};

/// Height of a body that no chain of contacts joins to a fixed one; island of a fixed body.
pub const NONE: u32 = u32::MAX;

/// Islands, heights and layers of one contact graph.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Per body: contacts to the nearest fixed or scripted body, 0 for those, [`NONE`] for a
    /// body that hangs free.
    pub height: Vec<u32>,
    /// Per body: its island, numbered by the smallest body in it; [`NONE`] for bodies that
    /// contacts do not move. Islands do not join across those.
    pub island: Vec<u32>,
    /// Number of islands.
    pub islands: u32,
    /// Per patch: its stack layer, the smaller of the two heights, one less if they are equal;
    /// [`NONE`] for a patch that hangs free or is not part of the graph.
    pub layer: Vec<u32>,
    /// Number of layers.
    pub layers: u32,
    /// Per patch: whether it is part of the graph.
    pub joined: Vec<bool>,
    /// Number of analyses of a graph that differed from the one before.
    pub(crate) revision: u64,
    // neighbours of body i: neighbour[start[i]..start[i + 1]]
    start: Vec<u32>,
    neighbour: Vec<u32>,
    queue: Vec<u32>,
    // what was analysed: bodies of each patch and whether it joined them, what is dynamic
    patches: Vec<(u32, u32, bool)>,
    dynamic: Vec<bool>,
}

impl Graph {
    /// Analyses the patches for which `joins` holds, by a breadth-first search from all fixed
    /// and scripted bodies at once. Where nothing changed since the last time, there is nothing
    /// to do.
    pub fn analyse(&mut self, contacts: &Contacts, model: &Model, joins: impl Fn(usize) -> bool) {
        let n = model.len();
        if self.is_of(contacts, model, &joins) {
            return;
        }
        self.revision += 1;
        self.dynamic.clear();
        self.dynamic.extend((0..n).map(|i| model.is_dynamic(i)));
        self.patches.clear();
        let patches = contacts.patches.iter().enumerate();
        self.patches
            .extend(patches.map(|(k, patch)| (patch.a, patch.b, joins(k))));
        self.joined.clear();
        self.joined.extend(self.patches.iter().map(|patch| patch.2));
        self.link(contacts, n);

        // heights: breadth first, in the order of body indices
        self.height.clear();
        self.height.resize(n, NONE);
        self.queue.clear();
        for i in 0..n {
            if !model.is_dynamic(i) {
                self.height[i] = 0;
                self.queue.push(i as u32);
            }
        }
        let mut head = 0;
        while head < self.queue.len() {
            let i = self.queue[head] as usize;
            head += 1;
            for k in self.start[i]..self.start[i + 1] {
                let j = self.neighbour[k as usize] as usize;
                if self.height[j] == NONE {
                    self.height[j] = self.height[i] + 1;
                    self.queue.push(j as u32);
                }
            }
        }

        // islands: flood over bodies that contacts move
        self.island.clear();
        self.island.resize(n, NONE);
        self.islands = 0;
        for seed in 0..n {
            if self.island[seed] != NONE || !model.is_dynamic(seed) {
                continue;
            }
            let island = self.islands;
            self.islands += 1;
            self.island[seed] = island;
            self.queue.clear();
            self.queue.push(seed as u32);
            while let Some(i) = self.queue.pop() {
                let i = i as usize;
                for k in self.start[i]..self.start[i + 1] {
                    let j = self.neighbour[k as usize] as usize;
                    if self.island[j] == NONE && model.is_dynamic(j) {
                        self.island[j] = island;
                        self.queue.push(j as u32);
                    }
                }
            }
        }

        // layers
        self.layers = 0;
        self.layer.clear();
        for (k, patch) in contacts.patches.iter().enumerate() {
            let (ha, hb) = (self.height[patch.a as usize], self.height[patch.b as usize]);
            let layer = match (ha, hb) {
                _ if !self.joined[k] => NONE,
                (NONE, _) | (_, NONE) | (0, 0) => NONE,
                (ha, hb) if ha == hb => ha - 1,
                (ha, hb) => ha.min(hb),
            };
            if layer != NONE {
                self.layers = self.layers.max(layer + 1);
            }
            self.layer.push(layer);
        }
    }

    /// Whether this is the graph of these contacts already.
    fn is_of(&self, contacts: &Contacts, model: &Model, joins: impl Fn(usize) -> bool) -> bool {
        let patches = contacts.patches.iter().enumerate();
        self.revision > 0
            && self.patches.len() == contacts.patches.len()
            && self.dynamic.len() == model.len()
            && (self.dynamic.iter().enumerate()).all(|(i, &dynamic)| dynamic == model.is_dynamic(i))
            && (self.patches.iter().zip(patches))
                .all(|(old, (k, patch))| *old == (patch.a, patch.b, joins(k)))
    }

    /// Island of a patch: that of whichever of its bodies moves.
    #[inline]
    pub fn island_of(&self, a: u32, b: u32) -> u32 {
        let island = self.island[a as usize];
        if island == NONE {
            self.island[b as usize]
        } else {
            island
        }
    }

    /// Whether body `i` touches nothing.
    #[inline]
    pub fn alone(&self, i: usize) -> bool {
        self.start[i] == self.start[i + 1]
    }

    /// Adjacency lists, by counting.
    fn link(&mut self, contacts: &Contacts, n: usize) {
        self.start.clear();
        self.start.resize(n + 1, 0);
        for (k, patch) in contacts.patches.iter().enumerate() {
            if self.joined[k] {
                self.start[patch.a as usize + 1] += 1;
                self.start[patch.b as usize + 1] += 1;
            }
        }
        for i in 0..n {
            self.start[i + 1] += self.start[i];
        }
        self.neighbour.clear();
        self.neighbour.resize(self.start[n] as usize, 0);
        self.queue.clear();
        self.queue.extend_from_slice(&self.start[..n]);
        for (k, patch) in contacts.patches.iter().enumerate() {
            if self.joined[k] {
                for (from, to) in [(patch.a, patch.b), (patch.b, patch.a)] {
                    let slot = &mut self.queue[from as usize];
                    self.neighbour[*slot as usize] = to;
                    *slot += 1;
                }
            }
        }
    }
}
