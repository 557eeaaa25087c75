//! Materials of surfaces, and what holds between each two of them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a surface rubs and bounces.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Material {
    /// Coulomb's coefficient \[1\].
    pub friction: f64,
    /// Newton's coefficient, 0 (stays) to 1 (bounces back) \[1\].
    pub restitution: f64,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            friction: 0.5,
            restitution: 0.0,
        }
    }
}

impl Material {
    /// What holds between two surfaces unless something else is said: the geometric mean of their frictions and the
    /// larger restitution.
    #[inline]
    #[must_use]
    pub fn against(&self, other: &Self) -> Self {
        Self {
            friction: (self.friction * other.friction).sqrt(),
            restitution: self.restitution.max(other.restitution),
        }
    }
}

/// What holds between two given materials, whatever they are with others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaterialPair {
    /// Index of one material.
    pub a: usize,
    /// Index of the other.
    pub b: usize,
    /// What holds between them.
    pub contact: Material,
}

/// Every material of a model and what holds between each two.
#[derive(Clone, Debug, PartialEq)]
pub struct Materials {
    list: Vec<Material>,
    pairs: Vec<MaterialPair>,
    /// `list.len()` squared entries, filled from the two above.
    table: Vec<Material>,
    index: BTreeMap<String, usize>,
}

impl Default for Materials {
    fn default() -> Self {
        Self::new(vec![Material::default()], Vec::new())
    }
}

impl Materials {
    /// Materials by index, and the pairs in which [`Material::against`] does not hold.
    pub fn new(list: Vec<Material>, pairs: Vec<MaterialPair>) -> Self {
        let n = list.len();
        let mut table: Vec<Material> = Vec::with_capacity(n * n);
        for a in &list {
            table.extend(list.iter().map(|b| a.against(b)));
        }
        for pair in &pairs {
            if pair.a < n && pair.b < n {
                table[pair.a * n + pair.b] = pair.contact;
                table[pair.b * n + pair.a] = pair.contact;
            }
        }
        Self {
            list,
            pairs,
            table,
            index: BTreeMap::new(),
        }
    }

    /// The same, found by name.
    #[must_use]
    pub fn named(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.index = names.into_iter().zip(0..self.list.len()).collect();
        self
    }

    /// Index of the material called `name`.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    /// Names of those that have one, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.index.keys().map(String::as_str)
    }

    /// How many materials there are.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The exceptions to the general rule.
    pub fn pairs(&self) -> &[MaterialPair] {
        &self.pairs
    }

    /// What holds between materials `a` and `b`.
    #[inline]
    pub fn between(&self, a: usize, b: usize) -> Material {
        self.table[a * self.list.len() + b]
    }

    /// What holds between material `a` and each of them, by index.
    pub fn row(&self, a: usize) -> &[Material] {
        &self.table[a * self.list.len()..][..self.list.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_holds_both_ways_and_the_rule_for_the_rest() {
        let of = |friction, restitution| Material {
            friction,
            restitution,
        };
        let pair = MaterialPair {
            a: 1,
            b: 0,
            contact: of(0.7, 0.1),
        };
        let table = Materials::new(vec![of(0.2, 0.0), of(0.8, 0.5)], vec![pair]);
        let table = table.named(["ice", "rubber"].map(String::from));
        assert_eq!((table.find("rubber"), table.find("rubbr")), (Some(1), None));
        assert_eq!(table.between(0, 1), pair.contact);
        assert_eq!(table.row(1), [pair.contact, of(0.8, 0.5)]);
        assert_eq!(of(0.2, 0.0).against(&of(0.8, 0.5)), of(0.4, 0.5));
    }
}
