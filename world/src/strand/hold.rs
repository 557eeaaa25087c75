//! A point, a pose or a joint of a strand that is held where the user wants it, for as long as the
//! user wants it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::defaults::is_default;
use crate::{Key, Turn};
use drystone_common::Ramp;

/// A constraint on a strand. By default its tip is held where it is at the start, at all times.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Hold {
    /// Index of the curve: 0, or that of a branch counted from 1.
    #[serde(skip_serializing_if = "is_default")]
    pub curve: usize,
    /// Index of the point on it, 1 or more; its tip if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<usize>,
    /// The part that is held: `"point"`, `"pose"` or `{ joint = {...} }`.
    #[serde(skip_serializing_if = "is_default")]
    pub what: Held,
    /// The anchor that it is held to.
    #[serde(skip_serializing_if = "is_default")]
    pub to: Anchor,
    /// Spans of time in which it is held; always if left out \[s\].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub during: Vec<[f64; 2]>,
    /// Rate at which an error comes back; as fast as a step allows if left out \[1/s\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequency: Option<f64>,
}

/// The part of a strand that is held.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Held {
    /// The place of a point.
    #[default]
    Point,
    /// The position of a point, and the rotation of the segment that ends there.
    Pose,
    /// The rotation of the segment that ends there against the one before, whatever `to` says.
    Joint {
        /// Which axes of the segment are driven; y runs along it.
        #[serde(default = "every_axis")]
        axes: [bool; 3],
        /// The wanted turn away from the start, over time; no turn at all if left out.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        keys: Vec<JointKey>,
    },
}

fn every_axis() -> [bool; 3] {
    [true; 3]
}

/// The turn of a joint at one time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointKey {
    /// \[s\]
    pub time: f64,
    /// Away from the start, in the segment's frame.
    pub turn: Turn,
}

/// The anchor of a constraint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Anchor {
    /// Its place at the start, fixed in the world.
    #[default]
    Start,
    /// Its place at the start, fixed in the frame of the strand's base.
    Base,
    /// A place in the world \[m\].
    Place([f64; 3]),
    /// Along keys in the world.
    Path(Vec<Key>),
    /// Its place at the start, fixed in the frame of a body of the scene.
    On(String),
    /// Another point of the same strand, which closes a loop.
    Point {
        /// Index of its curve.
        #[serde(default)]
        curve: usize,
        /// Index on that curve.
        point: usize,
        /// Whether both meet, rather than keep their distance of the start.
        #[serde(default = "yes")]
        meet: bool,
    },
    /// A point of another strand; both pull on each other.
    Tie {
        /// Its name.
        strand: String,
        /// Index of its curve.
        #[serde(default)]
        curve: usize,
        /// Index on that curve, 1 or more; its tip if left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        point: Option<usize>,
        /// Whether both meet, rather than keep their distance of the start.
        #[serde(default = "yes")]
        meet: bool,
    },
    /// A vertex of a cloth, which goes with the segment that ends in the point; both pull on each other.
    Cloth {
        /// Its name.
        name: String,
        /// Number of the vertex; the one that is nearest at the start if left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        vertex: Option<u32>,
    },
}

fn yes() -> bool {
    true
}

impl Hold {
    /// The tip, where it is at the start.
    pub fn tip() -> Self {
        Self::default()
    }

    /// Point `point` of the first curve, where it is at the start.
    pub fn point(point: usize) -> Self {
        Self {
            point: Some(point),
            ..Self::default()
        }
    }

    /// Sets the anchor.
    #[must_use]
    pub fn to(mut self, to: Anchor) -> Self {
        self.to = to;
        self
    }

    /// Sets as anchor point `point` of `strand`, or its tip.
    #[must_use]
    pub fn tied_to(self, strand: impl Into<String>, point: Option<usize>) -> Self {
        self.to(Anchor::Tie {
            strand: strand.into(),
            curve: 0,
            point,
            meet: true,
        })
    }

    /// Sets as anchor vertex `vertex` of `cloth`, or the one that is nearest at the start.
    #[must_use]
    pub fn tied_to_cloth(self, cloth: impl Into<String>, vertex: Option<u32>) -> Self {
        self.to(Anchor::Cloth {
            name: cloth.into(),
            vertex,
        })
    }

    /// Holds the rotation of the segment too.
    #[must_use]
    pub fn posed(mut self) -> Self {
        self.what = Held::Pose;
        self
    }

    /// Holds only between `from` and `to` \[s\].
    #[must_use]
    pub fn during(mut self, from: f64, to: f64) -> Self {
        self.during.push([from, to]);
        self
    }

    /// Ramp that is 1 while it is held and 0 otherwise; `None` for spans that are not in order.
    pub(crate) fn active(&self) -> Option<Ramp> {
        /// Time in which it is switched on or off \[s\].
        const EDGE: f64 = 1e-9;
        if self.during.is_empty() {
            return Some(1.0.into());
        }
        let mut keys: Vec<[f64; 2]> = Vec::new();
        for &[from, to] in &self.during {
            let later = keys.last().is_none_or(|key| from > key[0] + EDGE);
            if !(from.is_finite() && to.is_finite() && from + 2.0 * EDGE < to && later) {
                return None;
            }
            keys.extend([[from - EDGE, 0.0], [from, 1.0], [to - EDGE, 1.0], [to, 0.0]]);
        }
        Some(Ramp { keys })
    }
}
