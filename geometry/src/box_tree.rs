//! A hierarchy of boxes over things that move a little at a time: built once, refitted where a
//! box changed. Things of one group stay under one node, so that groups may part.

use serde::{Deserialize, Serialize};

use drystone_base::Vec3;
use drystone_base::lanes::prefetch;

use crate::Aabb;

const NONE: u32 = u32::MAX;

/// A node of the tree; nodes stand in depth-first order.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Node {
    low: Vec3,
    high: Vec3,
    /// The node after the last one below this.
    skip: u32,
    /// The thing of a leaf.
    item: u32,
    parent: u32,
}

/// Boxes by number, and who overlaps a box.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BoxTree {
    nodes: Vec<Node>,
    leaf: Vec<u32>,
}

impl BoxTree {
    /// A tree over `boxes`; `group` says who belongs together.
    pub fn new(boxes: &[Aabb], group: &[u32]) -> Self {
        let mut tree = Self {
            nodes: Vec::with_capacity(2 * boxes.len()),
            leaf: vec![NONE; boxes.len()],
        };
        let mut items: Vec<u32> = (0..boxes.len() as u32).collect();
        // groups in the order of their centres, each a run
        items.sort_by_key(|&i| (group[i as usize], i));
        if !items.is_empty() {
            tree.build(&mut items, boxes, group, NONE);
        }
        tree
    }

    fn build(&mut self, items: &mut [u32], boxes: &[Aabb], group: &[u32], parent: u32) {
        let at = self.nodes.len();
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for &i in items.iter() {
            low = low.min(boxes[i as usize].low);
            high = high.max(boxes[i as usize].high);
        }
        let item = if items.len() == 1 { items[0] } else { NONE };
        self.nodes.push(Node {
            low,
            high,
            skip: 0,
            item,
            parent,
        });
        if items.len() > 1 {
            let extent = high - low;
            let axis = (0..3)
                .max_by(|&a, &b| extent[a].total_cmp(&extent[b]))
                .unwrap_or(0);
            let middle = |i: u32| boxes[i as usize].low[axis] + boxes[i as usize].high[axis];
            let first = group[items[0] as usize];
            let half = if items.iter().any(|&i| group[i as usize] != first) {
                group_split(items, group, &middle)
            } else {
                items.sort_by(|&a, &b| middle(a).total_cmp(&middle(b)).then(a.cmp(&b)));
                items.len() / 2
            };
            let (left, right) = items.split_at_mut(half);
            self.build(left, boxes, group, at as u32);
            self.build(right, boxes, group, at as u32);
        } else {
            self.leaf[item as usize] = at as u32;
        }
        self.nodes[at].skip = self.nodes.len() as u32;
    }

    /// Puts thing `item` into another box.
    pub fn refit(&mut self, item: usize, low: Vec3, high: Vec3) {
        let mut at = self.leaf[item];
        self.nodes[at as usize].low = low;
        self.nodes[at as usize].high = high;
        loop {
            at = self.nodes[at as usize].parent;
            if at == NONE {
                return;
            }
            let left = self.nodes[at as usize + 1];
            let right = self.nodes[left.skip as usize];
            let (low, high) = (left.low.min(right.low), left.high.max(right.high));
            let node = &mut self.nodes[at as usize];
            if node.low == low && node.high == high {
                return;
            }
            (node.low, node.high) = (low, high);
        }
    }

    /// The box of thing `item`.
    pub fn bounds(&self, item: usize) -> (Vec3, Vec3) {
        let node = &self.nodes[self.leaf[item] as usize];
        (node.low, node.high)
    }

    /// Calls `found` with every thing whose box shares a point with `low`, `high`.
    #[inline]
    pub fn query(&self, low: Vec3, high: Vec3, mut found: impl FnMut(u32)) {
        self.query_boxes(low, high, |item, _| found(item));
    }

    /// As [`Self::query`], with the box of each thing.
    #[inline]
    pub fn query_boxes(&self, low: Vec3, high: Vec3, mut found: impl FnMut(u32, (Vec3, Vec3))) {
        let mut at = 0;
        while at < self.nodes.len() {
            let node = &self.nodes[at];
            // where it goes on if they are apart is on its way meanwhile
            if let Some(next) = self.nodes.get(node.skip as usize) {
                prefetch(next);
            }
            let apart = node.low.x > high.x
                || low.x > node.high.x
                || node.low.y > high.y
                || low.y > node.high.y
                || node.low.z > high.z
                || low.z > node.high.z;
            if apart {
                at = node.skip as usize;
            } else {
                if node.item != NONE {
                    found(node.item, (node.low, node.high));
                }
                at += 1;
            }
        }
    }
}

/// Orders `items` so that groups are runs sorted by their centres; where the middle group starts.
fn group_split(items: &mut [u32], group: &[u32], middle: &impl Fn(u32) -> f64) -> usize {
    // (centre, group, count), groups being runs already
    let mut runs: Vec<(f64, u32, usize)> = Vec::new();
    for &i in items.iter() {
        match runs.last_mut() {
            Some(run) if run.1 == group[i as usize] => {
                run.0 += middle(i);
                run.2 += 1;
            }
            _ => runs.push((middle(i), group[i as usize], 1)),
        }
    }
    for run in &mut runs {
        run.0 /= run.2 as f64;
    }
    runs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut rank: Vec<(u32, usize)> = runs.iter().enumerate().map(|(k, r)| (r.1, k)).collect();
    rank.sort_unstable();
    let rank_of = |g: u32| {
        rank.binary_search_by_key(&g, |r| r.0)
            .map_or(0, |k| rank[k].1)
    };
    items.sort_by_key(|&i| (rank_of(group[i as usize]), i));
    runs[..runs.len() / 2].iter().map(|run| run.2).sum()
}

#[cfg(test)]
mod tests {
    use drystone_base::random::Random;

    use super::*;

    #[test]
    fn a_refitted_tree_finds_what_brute_force_finds() {
        let mut random = Random::new(1);
        let mut point = |scale: f64| Vec3::new(random.unit(), random.unit(), random.unit()) * scale;
        let mut boxes: Vec<Aabb> = (0..300)
            .map(|_| {
                let low = point(10.0);
                Aabb {
                    low,
                    high: low + point(1.0),
                }
            })
            .collect();
        let group: Vec<u32> = (0..300).map(|i| i % 7).collect();
        let mut tree = BoxTree::new(&boxes, &group);
        for round in 0..200 {
            let i = (round * 37) % 300;
            let low = point(10.0);
            boxes[i] = Aabb {
                low,
                high: low + point(1.0),
            };
            tree.refit(i, boxes[i].low, boxes[i].high);
            let low = point(10.0);
            let high = low + point(3.0);
            let mut found = Vec::new();
            tree.query(low, high, |i| found.push(i));
            found.sort_unstable();
            let truth: Vec<u32> = (0..300u32)
                .filter(|&i| {
                    let b = &boxes[i as usize];
                    b.low.cmple(high).all() && low.cmple(b.high).all()
                })
                .collect();
            assert_eq!(found, truth);
        }
    }
}
