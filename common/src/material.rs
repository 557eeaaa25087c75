//! Materials of surfaces, and what holds between each two of them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Friction and restitution of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Material {
    /// Coulomb's coefficient of what slides, and of what rests too unless `static_friction` is given; `dynamic_friction`
    /// in files is the same word \[1\].
    #[serde(alias = "dynamic_friction")]
    pub friction: f64,
    /// Coulomb's coefficient of what rests, at least `friction` \[1\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub static_friction: Option<f64>,
    /// Newton's coefficient, 0 (stays) to 1 (bounces back) \[1\].
    pub restitution: f64,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            friction: 0.5,
            static_friction: None,
            restitution: 0.0,
        }
    }
}

impl Material {
    /// Coulomb's coefficient of what rests \[1\].
    #[inline]
    pub fn at_rest(&self) -> f64 {
        self.static_friction.unwrap_or(self.friction)
    }

    /// What holds between two surfaces unless something else is said: the geometric mean of their frictions, of each
    /// kind by itself, and the larger restitution.
    #[inline]
    #[must_use]
    pub fn against(&self, other: &Self) -> Self {
        let both = self.static_friction.or(other.static_friction);
        Self {
            friction: (self.friction * other.friction).sqrt(),
            static_friction: both.map(|_| (self.at_rest() * other.at_rest()).sqrt()),
            restitution: self.restitution.max(other.restitution),
        }
    }
}

/// Friction and restitution between two given materials, instead of what follows from each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaterialPair {
    /// Index of one material.
    pub a: usize,
    /// Index of the other.
    pub b: usize,
    /// Friction and restitution between the two.
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

    /// Names the materials, in their order.
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

    /// Friction and restitution between materials `a` and `b`.
    #[inline]
    pub fn between(&self, a: usize, b: usize) -> Material {
        self.table[a * self.list.len() + b]
    }

    /// Whether some two of them hold what rests by more than they brake what slides.
    pub fn have_static_friction(&self) -> bool {
        self.table.iter().any(|of| of.at_rest() > of.friction)
    }

    /// Friction and restitution between material `a` and each material, by index.
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
            static_friction: None,
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

    #[test]
    fn static_friction_of_one_surface_counts_between_two() {
        let plain = Material {
            friction: 0.25,
            ..Material::default()
        };
        let sticky = Material {
            static_friction: Some(1.0),
            ..plain
        };
        let both = plain.against(&sticky);
        assert_eq!((both.friction, both.at_rest()), (0.25, 0.5));
        assert_eq!(plain.against(&plain).static_friction, None);
        let table = |list| Materials::new(list, Vec::new());
        assert!(!table(vec![plain, plain]).have_static_friction());
        assert!(table(vec![plain, sticky]).have_static_friction());
    }
}
