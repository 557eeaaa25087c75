//! Which contacts the coarse level takes together: interfaces between the layers of the contact
//! graph, whole or in parts.

use std::collections::{BTreeMap, VecDeque};

use drystone_base::Vec3;
use serde::{Deserialize, Serialize};

use crate::contact_problem::ContactGraph;

/// The aggregates of the coarse level of the two-level solvers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Aggregates {
    /// All contacts between two neighbouring layers of an island.
    #[default]
    Layer,
    /// The contacts of a layer that stand on the same body of the lowest layer.
    Column,
    /// The contacts of a layer in the same eighth of a turn about the vertical through their middle; for
    /// problems that know where their contacts are, otherwise as [`Aggregates::Layer`].
    Sector,
    /// All contacts between the same two bodies, also within a layer: the coarse level is then a direct
    /// solve of all touching pairs.
    Pair,
}

impl Aggregates {
    /// All of them, coarsest first.
    pub const ALL: [Self; 4] = [Self::Layer, Self::Column, Self::Sector, Self::Pair];

    /// Its name on the command line and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Layer => "layer",
            Self::Column => "column",
            Self::Sector => "sector",
            Self::Pair => "pair",
        }
    }
}

/// Place of a contact in the coarse level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    /// Island of its movable bodies.
    pub(crate) island: Option<usize>,
    /// Its aggregate; none between bodies of one height (but for pairs), or between fixed ones.
    pub(crate) aggregate: Option<usize>,
    /// 1 if the body farther from what is fixed is the second, else -1.
    pub(crate) sign: f64,
}

/// The aggregates of a problem, island after island, from the lowest up.
#[derive(Clone, Debug)]
pub(crate) struct Partition {
    pub(crate) islands: usize,
    pub(crate) count: usize,
    pub(crate) members: Vec<Member>,
}

impl Partition {
    pub(crate) fn of(graph: &ContactGraph, places: Option<&[Vec3]>, kind: Aggregates) -> Self {
        let tree = Tree::of(graph);
        let islands = tree.islands;
        // first the interfaces: by island and height of the lower side, twice, and once more for
        // contacts within a layer
        let mut members = Vec::with_capacity(graph.pairs.len());
        let mut levels = Vec::with_capacity(graph.pairs.len());
        for &[a, b] in &graph.pairs {
            let movable = if graph.fixed[b] { a } else { b };
            let (upper, lower) = match tree.height[b] >= tree.height[a] {
                true => (b, a),
                false => (a, b),
            };
            let across = tree.height[upper] > tree.height[lower];
            let island = tree.island[movable];
            members.push(Member {
                island,
                aggregate: None,
                sign: if upper == b { 1.0 } else { -1.0 },
            });
            let level = 2 * tree.height[lower] + usize::from(!across);
            levels.push(
                island
                    .filter(|_| across || kind == Aggregates::Pair)
                    .map(|i| (i, level)),
            );
        }
        let middles = places.map(|places| middles(places, &levels));
        let mut numbers = BTreeMap::new();
        let mut keys = vec![None; levels.len()];
        for (k, level) in levels.iter().enumerate() {
            let Some((island, level)) = *level else {
                continue;
            };
            let [a, b] = graph.pairs[k];
            let upper = if members[k].sign > 0.0 { b } else { a };
            let part = match (kind, places, &middles) {
                (Aggregates::Column, ..) => [tree.root[upper], 0],
                (Aggregates::Pair, ..) => [a.min(b), a.max(b)],
                (Aggregates::Sector, Some(places), Some(middles)) => {
                    [eighth(places[k] - middles[&(island, level)]), 0]
                }
                _ => [0, 0],
            };
            let key = (island, level, part);
            numbers.insert(key, 0);
            keys[k] = Some(key);
        }
        for (number, value) in numbers.values_mut().enumerate() {
            *value = number;
        }
        for (member, key) in members.iter_mut().zip(&keys) {
            member.aggregate = key.map(|key| numbers[&key]);
        }
        Self {
            islands,
            count: numbers.len(),
            members,
        }
    }
}

/// Middles of the places on each level \[m\].
fn middles(places: &[Vec3], levels: &[Option<(usize, usize)>]) -> BTreeMap<(usize, usize), Vec3> {
    let mut sums: BTreeMap<(usize, usize), (Vec3, f64)> = BTreeMap::new();
    for (place, level) in places.iter().zip(levels) {
        if let Some(level) = level {
            let sum = sums.entry(*level).or_insert((Vec3::ZERO, 0.0));
            *sum = (sum.0 + *place, sum.1 + 1.0);
        }
    }
    let middle = |(level, (sum, count))| (level, sum / count);
    sums.into_iter().map(middle).collect()
}

/// The eighth of a turn about y in which a direction lies.
fn eighth(direction: Vec3) -> usize {
    let (x, z) = (direction.x, direction.z);
    usize::from(x < 0.0) + 2 * usize::from(z < 0.0) + 4 * usize::from(x.abs() < z.abs())
}

/// Breadth-first search from what is fixed; islands that touch nothing fixed begin with their
/// first body.
struct Tree {
    islands: usize,
    island: Vec<Option<usize>>,
    /// Contacts between a body and what is fixed.
    height: Vec<usize>,
    /// The body of the lowest layer through which each was reached.
    root: Vec<usize>,
}

impl Tree {
    fn of(graph: &ContactGraph) -> Self {
        let bodies = graph.fixed.len();
        let mut neighbours = vec![Vec::new(); bodies];
        for &[a, b] in &graph.pairs {
            // points of one manifold follow each other
            if neighbours[a].last() != Some(&b) {
                neighbours[a].push(b);
                neighbours[b].push(a);
            }
        }
        let mut tree = Self {
            islands: 0,
            island: vec![None; bodies],
            height: vec![usize::MAX; bodies],
            root: (0..bodies).collect(),
        };
        let mut floating = Vec::new();
        for first in 0..bodies {
            if graph.fixed[first] || tree.island[first].is_some() || neighbours[first].is_empty() {
                continue;
            }
            let mut queue = VecDeque::from([first]);
            tree.island[first] = Some(tree.islands);
            let mut held = false;
            while let Some(body) = queue.pop_front() {
                for &other in &neighbours[body] {
                    held |= graph.fixed[other];
                    if !graph.fixed[other] && tree.island[other].is_none() {
                        tree.island[other] = Some(tree.islands);
                        queue.push_back(other);
                    }
                }
            }
            if !held {
                floating.push(first);
            }
            tree.islands += 1;
        }
        let mut queue: VecDeque<usize> = (0..bodies)
            .filter(|body| graph.fixed[*body] || floating.binary_search(body).is_ok())
            .collect();
        for &body in &queue {
            tree.height[body] = 0;
        }
        while let Some(body) = queue.pop_front() {
            for &other in &neighbours[body] {
                if tree.height[other] == usize::MAX {
                    tree.height[other] = tree.height[body] + 1;
                    if tree.height[body] > 0 {
                        tree.root[other] = tree.root[body];
                    }
                    queue.push_back(other);
                }
            }
        }
        tree
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two columns of two bodies on body 0, bridged by body 5: 1-2, 3-4, and 2-4 touch.
    fn two_columns() -> ContactGraph {
        let mut fixed = vec![false; 6];
        fixed[0] = true;
        ContactGraph {
            pairs: vec![[0, 1], [1, 2], [0, 3], [4, 3], [2, 4], [2, 5], [5, 4]],
            fixed,
        }
    }

    #[test]
    fn layers_columns_and_pairs_split_the_interfaces() {
        let numbers = |kind| -> Vec<Option<usize>> {
            let partition = Partition::of(&two_columns(), None, kind);
            partition.members.iter().map(|m| m.aggregate).collect()
        };
        let layer = [Some(0), Some(1), Some(0), Some(1), None, Some(2), Some(2)];
        assert_eq!(numbers(Aggregates::Layer), layer);
        assert_eq!(numbers(Aggregates::Sector), layer, "no places, no sectors");
        let column = [Some(0), Some(2), Some(1), Some(3), None, Some(4), Some(4)];
        assert_eq!(numbers(Aggregates::Column), column);
        let mut pairs: Vec<_> = numbers(Aggregates::Pair).into_iter().flatten().collect();
        pairs.sort_unstable();
        assert_eq!(pairs, [0, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn the_upper_body_gives_the_sign() {
        let partition = Partition::of(&two_columns(), None, Aggregates::Layer);
        let signs: Vec<f64> = partition.members.iter().map(|m| m.sign).collect();
        assert_eq!(signs[..4], [1.0, 1.0, 1.0, -1.0]);
        assert_eq!((signs[5], signs[6]), (1.0, -1.0));
        assert_eq!(partition.islands, 1);
    }
}
