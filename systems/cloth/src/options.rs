//! Everything a user may set about how time is stepped.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Error;

/// How it is known that no layer is needed yet. Results do not depend on it, only their cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Certificate {
    /// Each vertex stays in a ball about a reference that moves with it. The default.
    #[default]
    Ball,
    /// Each pair has a separating slab, renewed at every kick (Harmon 2012, §4.1).
    Slab,
    /// Tests every pair in every event. For tests.
    BruteForce,
}

/// Method that finds pairs that may come close.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BroadPhase {
    /// Roomy boxes about vertices in a refitted hierarchy. The default.
    #[default]
    Boxes,
    /// A kinetic hierarchy of 26-DOPs (Harmon 2012, §4.2).
    KDop,
}

/// How gravity acts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Gravity {
    /// Free vertices follow parabolas. The default.
    #[default]
    Ballistic,
    /// As a force with a clock, of this period at most \[s\] (Harmon 2012, §5.1).
    Ticking(f64),
}

/// Each field has a default that needs no tuning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Method that certifies that no layer is needed yet.
    pub certificate: Certificate,
    /// Method that finds pairs that may come close.
    pub broad_phase: BroadPhase,
    /// How gravity acts.
    pub gravity: Gravity,
    /// Period of an elastic force, as a part of the largest stable one \[1\].
    pub elastic_fraction: f64,
    /// Period of a penalty layer, as a part of the largest stable one for it alone \[1\].
    pub penalty_fraction: f64,
    /// Distance before its own at which a layer is activated, as a part of the thickness \[1\].
    pub early: f64,
    /// Shortest period of a layer; one that would need a shorter one is a stall \[s\].
    pub shortest_period: f64,
    /// How many times as often as elastic forces layers may tick about the vertices of one contact; where they do so
    /// for long, that is a stall \[1\].
    pub stall_ratio: f64,
    /// How deep things that move as prescribed may come through cloth that is pinched between them, as a part of its
    /// thickness; deeper is a stall. At 0 nothing is pinched: cloth without room is a stall \[1\].
    pub pinching: f64,
    /// Whether cloth that lies still sleeps until it is disturbed.
    pub sleeping: bool,
    /// Most layers a pair may need at the start.
    pub start_layers: u32,
    /// Longest period of loads, wind and drag \[s\].
    pub field_period: f64,
    /// Most events of one call of `advance`; more are reported as exhausted.
    pub event_limit: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            certificate: Certificate::Ball,
            broad_phase: BroadPhase::Boxes,
            gravity: Gravity::Ballistic,
            elastic_fraction: 0.5,
            penalty_fraction: 0.1,
            early: 0.005,
            shortest_period: 1e-9,
            stall_ratio: 60.0,
            pinching: 0.0,
            sleeping: true,
            start_layers: 100,
            field_period: 1e-3,
            event_limit: u64::MAX,
        }
    }
}

impl Options {
    /// Whether everything lies in its range.
    pub fn validate(&self) -> Result<(), Error> {
        let within = |option: &'static str, x: f64, low: f64, high: f64, wanted: &'static str| {
            if x > low && x <= high {
                Ok(())
            } else {
                Err(Error::Option {
                    option,
                    found: x.to_string(),
                    wanted,
                })
            }
        };
        // lengths of clocks
        within(
            "elastic_fraction",
            self.elastic_fraction,
            0.0,
            0.9,
            "a part of the stable period, above 0 and at most 0.9",
        )?;
        within(
            "penalty_fraction",
            self.penalty_fraction,
            0.0,
            0.5,
            "a part of the stable period, above 0 and at most 0.5",
        )?;
        within(
            "early",
            self.early,
            1e-9,
            0.5,
            "a part of the thickness, above 0 and at most 0.5",
        )?;
        within(
            "shortest_period",
            self.shortest_period,
            1e-11,
            1e-3,
            "1e-11 s to 1e-3 s",
        )?;
        within(
            "field_period",
            self.field_period,
            1e-7,
            0.1,
            "1e-7 s to 0.1 s",
        )?;
        if let Gravity::Ticking(h) = self.gravity {
            within("gravity", h, 1e-7, 0.1, "a period from 1e-7 s to 0.1 s")?;
        }
        // what stalls, and how deep a start may be
        if !(0.0..=1e6).contains(&self.pinching) {
            return Err(Error::Option {
                option: "pinching",
                found: self.pinching.to_string(),
                wanted: "thicknesses, 0 to 1e6",
            });
        }
        if self.start_layers > 100_000 {
            return Err(Error::Option {
                option: "start_layers",
                found: self.start_layers.to_string(),
                wanted: "100000 at most",
            });
        }
        Ok(())
    }
}
