//! A tree of boxes over boxes: built by the surface area heuristic, refitted while bodies
//! move, built anew when queries have become slow.

use crate::Aabb;

/// The most bodies in a leaf.
const LEAF: usize = 4;
/// Number of bins in the search for a split.
const BINS: usize = 8;
/// Depth from which on bodies are split into halves by number, so that the depth stays bounded.
const DEEP: u32 = 40;
/// The deepest a tree of 2³² bodies can be, with room.
const STACK: usize = 96;
/// Visits per query, compared with a fresh tree, at which the tree is built anew.
const SLOW: f64 = 1.6;
/// Number of queries by which the cost of a tree is measured after it was built.
const PROBES: usize = 64;

/// An inner node has its two children at `first` and `first + 1`; a leaf has `count` bodies
/// from `first` on.
#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Aabb,
    first: u32,
    count: u32,
    parent: u32,
    /// Index after its last body in the order of the leaves.
    end: u32,
}

const NONE: u32 = u32::MAX;

/// Boxes over boxes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// Bodies in the order of the leaves.
    bodies: Vec<u32>,
    /// By body, its leaf or `NONE`.
    leaf: Vec<u32>,
    fresh_visits: f64,
    visits: u64,
    queries: u64,
    // working memory of building: (node, depth)
    open: Vec<(u32, u32)>,
}

impl Tree {
    /// Bodies in the order of the leaves: neighbours are near each other.
    pub(crate) fn bodies(&self) -> &[u32] {
        &self.bodies
    }

    /// Builds the tree over all boxes that are not empty.
    pub(crate) fn build(&mut self, boxes: &[Aabb]) {
        self.nodes.clear();
        self.bodies.clear();
        self.leaf.clear();
        self.leaf.resize(boxes.len(), NONE);
        for (n, bounds) in boxes.iter().enumerate() {
            if bounds.low.x <= bounds.high.x {
                self.bodies.push(n as u32);
            }
        }
        if !self.bodies.is_empty() {
            let root = self.node_of(boxes, 0, self.bodies.len(), NONE);
            self.nodes.push(root);
            self.open.clear();
            self.open.push((0, 0));
            while let Some((n, depth)) = self.open.pop() {
                self.divide(boxes, n, depth);
            }
        }

        // how quick are queries in a fresh tree?
        (self.visits, self.queries) = (0, 0);
        let stride = (self.bodies.len() / PROBES).max(1);
        for k in (0..self.bodies.len()).step_by(stride) {
            let bounds = boxes[self.bodies[k] as usize];
            self.overlaps(&bounds, boxes, |_| {});
        }
        self.fresh_visits = self.visits as f64 / self.queries.max(1) as f64;
        (self.visits, self.queries) = (0, 0);
    }

    fn node_of(&self, boxes: &[Aabb], first: usize, count: usize, parent: u32) -> Node {
        let bounds = self.bodies[first..first + count]
            .iter()
            .fold(Aabb::EMPTY, |sum, &b| sum.union(&boxes[b as usize]));
        Node {
            bounds,
            first: first as u32,
            count: count as u32,
            parent,
            end: (first + count) as u32,
        }
    }

    /// Makes a node that holds bodies a leaf, or splits it in two.
    fn divide(&mut self, boxes: &[Aabb], n: u32, depth: u32) {
        let node = self.nodes[n as usize];
        let (first, count) = (node.first as usize, node.count as usize);
        if count <= LEAF {
            for &body in &self.bodies[first..first + count] {
                self.leaf[body as usize] = n;
            }
            return;
        }
        let range = &mut self.bodies[first..first + count];
        let half = if depth < DEEP {
            split(boxes, range).unwrap_or(count / 2)
        } else {
            count / 2
        };
        let left = self.nodes.len() as u32;
        let low = self.node_of(boxes, first, half, n);
        let high = self.node_of(boxes, first + half, count - half, n);
        self.nodes.extend([low, high]);
        self.nodes[n as usize].first = left;
        self.nodes[n as usize].count = 0;
        self.open.push((left + 1, depth + 1));
        self.open.push((left, depth + 1));
    }

    /// Fits the tree to the boxes of the bodies that moved, or builds it anew.
    pub(crate) fn refit(&mut self, boxes: &[Aabb], moved: &[u32]) {
        let slow = self.queries >= PROBES as u64
            && self.visits as f64 > SLOW * (self.fresh_visits + 4.0) * self.queries as f64;
        let came = moved
            .iter()
            .any(|&b| self.leaf[b as usize] == NONE && boxes[b as usize] != Aabb::EMPTY);
        if slow || came {
            self.build(boxes);
            return;
        }
        if self.queries >= 4 * PROBES as u64 {
            // what was long ago counts less and less
            (self.visits, self.queries) = (self.visits / 2, self.queries / 2);
        }
        if moved.len() * 4 > self.bodies.len() {
            // children follow their parents, so backwards every node finds its children done
            for n in (0..self.nodes.len()).rev() {
                self.nodes[n].bounds = self.fitted(boxes, n);
            }
            return;
        }
        for &body in moved {
            let mut n = self.leaf[body as usize];
            while n != NONE {
                let bounds = self.fitted(boxes, n as usize);
                let node = &mut self.nodes[n as usize];
                if node.bounds == bounds {
                    break;
                }
                node.bounds = bounds;
                n = node.parent;
            }
        }
    }

    fn fitted(&self, boxes: &[Aabb], n: usize) -> Aabb {
        let node = &self.nodes[n];
        let first = node.first as usize;
        if node.count > 0 {
            self.bodies[first..first + node.count as usize]
                .iter()
                .fold(Aabb::EMPTY, |sum, &b| sum.union(&boxes[b as usize]))
        } else {
            let (low, high) = (&self.nodes[first], &self.nodes[first + 1]);
            low.bounds.union(&high.bounds)
        }
    }

    /// Calls `visit` for every body whose box overlaps `bounds`.
    #[inline]
    pub(crate) fn overlaps(&mut self, bounds: &Aabb, boxes: &[Aabb], visit: impl FnMut(u32)) {
        self.overlaps_from(0, bounds, boxes, visit);
    }

    /// As [`Self::overlaps`], of the bodies from `from` on in the order of the leaves: asked so
    /// for each of them in turn, every pair comes up once.
    #[inline]
    pub(crate) fn overlaps_from(
        &mut self,
        from: usize,
        bounds: &Aabb,
        boxes: &[Aabb],
        mut visit: impl FnMut(u32),
    ) {
        let mut stack = [0u32; STACK];
        let mut height = usize::from(!self.nodes.is_empty());
        let mut visits = 0;
        while height > 0 {
            height -= 1;
            let node = &self.nodes[stack[height] as usize];
            visits += 1;
            if node.end as usize <= from || !node.bounds.overlaps(bounds) {
                continue;
            }
            if node.count == 0 {
                stack[height] = node.first + 1;
                stack[height + 1] = node.first;
                height += 2;
            } else {
                let first = (node.first as usize).max(from);
                for &body in &self.bodies[first..node.end as usize] {
                    if boxes[body as usize].overlaps(bounds) {
                        visit(body);
                    }
                }
            }
        }
        // half a search finds about half of the nodes
        self.visits += if from == 0 { visits } else { 2 * visits };
        self.queries += 1;
    }

    /// Walks the tree; `enter` decides for a box whether to descend into it (nearer children should
    /// return the smaller number, `None` is skipped); `visit` is called for each body.
    pub(crate) fn walk(
        &self,
        mut enter: impl FnMut(&Aabb) -> Option<f64>,
        mut visit: impl FnMut(u32),
    ) {
        let mut stack = [0u32; STACK];
        let mut height = usize::from(!self.nodes.is_empty());
        while height > 0 {
            height -= 1;
            let node = &self.nodes[stack[height] as usize];
            // asked again: what is known may have become better since
            if enter(&node.bounds).is_none() {
                continue;
            }
            if node.count == 0 {
                let (low, high) = (node.first, node.first + 1);
                let near = enter(&self.nodes[low as usize].bounds);
                let far = enter(&self.nodes[high as usize].bounds);
                let swap = match (near, far) {
                    (Some(x), Some(y)) => x > y,
                    (None, _) => true,
                    _ => false,
                };
                (stack[height], stack[height + 1]) = if swap { (low, high) } else { (high, low) };
                height += 2;
            } else {
                for &body in &self.bodies[node.first as usize..(node.first + node.count) as usize] {
                    visit(body);
                }
            }
        }
    }
}

/// Reorders `bodies` so that a cheap split by the surface area heuristic falls after the
/// returned number of them; `None` if all centres coincide.
fn split(boxes: &[Aabb], bodies: &mut [u32]) -> Option<usize> {
    // the longest axis of the box about all centres
    let mut centres = Aabb::EMPTY;
    for &b in bodies.iter() {
        let c = boxes[b as usize].centre();
        centres = Aabb {
            low: centres.low.min(c),
            high: centres.high.max(c),
        };
    }
    let extent = centres.extent();
    let axis = if extent.x >= extent.y && extent.x >= extent.z {
        0
    } else if extent.y >= extent.z {
        1
    } else {
        2
    };
    if extent[axis] <= 0.0 {
        return None;
    }
    // sort bodies into bins along it
    let scale = BINS as f64 * (1.0 - 1e-9) / extent[axis];
    let low = centres.low[axis];
    let bin = |b: u32| {
        let bounds = &boxes[b as usize];
        let centre = 0.5 * (bounds.low[axis] + bounds.high[axis]);
        (((centre - low) * scale) as usize).min(BINS - 1)
    };
    let mut bins = [(Aabb::EMPTY, 0usize); BINS];
    for &b in bodies.iter() {
        let slot = &mut bins[bin(b)];
        slot.0 = slot.0.union(&boxes[b as usize]);
        slot.1 += 1;
    }
    // cost of cutting before each bin: areas times counts
    let mut above = [0.0; BINS];
    let (mut sum, mut count) = (Aabb::EMPTY, 0);
    for k in (1..BINS).rev() {
        sum = sum.union(&bins[k].0);
        count += bins[k].1;
        above[k] = area(&sum) * count as f64;
    }
    let (mut best, mut cut) = (f64::INFINITY, 0);
    (sum, count) = (Aabb::EMPTY, 0);
    for k in 1..BINS {
        sum = sum.union(&bins[k - 1].0);
        count += bins[k - 1].1;
        let cost = area(&sum) * count as f64 + above[k];
        if count > 0 && count < bodies.len() && cost < best {
            (best, cut) = (cost, k);
        }
    }
    if cut == 0 {
        return None;
    }
    // partition
    let mut kept = 0;
    for i in 0..bodies.len() {
        if bin(bodies[i]) < cut {
            bodies.swap(i, kept);
            kept += 1;
        }
    }
    Some(kept)
}

fn area(bounds: &Aabb) -> f64 {
    if bounds.low.x > bounds.high.x {
        return 0.0;
    }
    let e = bounds.extent();
    e.x * e.y + e.y * e.z + e.z * e.x
}
