//! The laws, and by how much a scene may miss each. Every tolerance is a pure number.

use serde::{Deserialize, Serialize};

/// What every scene must keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// The world is built: a generator makes no scene that is refused.
    Refused,
    /// The engine does not panic.
    Panics,
    /// Every number is finite, nothing is quarantined, nothing is behind the ground or outside of a
    /// closed room.
    Lost,
    /// Kinetic and potential energy never exceed what they were at the start and what was put in since.
    Energy,
    /// Energy does not fall where nothing takes any.
    EnergyKept,
    /// Momentum of a free system is constant.
    Momentum,
    /// Angular momentum of a free system is constant.
    AngularMomentum,
    /// No centre of mass gets into or across a box, and no overlap exceeds half of the thinner body.
    PassesThrough,
    /// Resting bodies do not overlap.
    RestingDepth,
    /// A scene in static equilibrium stays where it is.
    Stands,
    /// One thread and two give the same bits.
    Threads,
    /// A run ends in a bounded processor time.
    #[serde(alias = "WallTime", alias = "wall-time")]
    Time,
    /// Every step of a strand is solved.
    StrandSolved,
    /// The time of cloth goes on.
    ClothStalled,
    /// No cloth passes through itself, other cloth or a body.
    ClothCrossing,
    /// A scene with strands or cloth ends without a finding that no other law is about.
    Sound,
}

/// Gain of energy over the energy of the scene. Position correction lifts what it parts by
/// the depth corrected, some 1e-4 of a size, and the solver works in single precision (1e-7 an impulse):
/// a thousandth is above both and below anything seen.
pub(crate) const ENERGY: f64 = 1e-3;
/// Gain of energy allowed for one body that meets nothing, whose rotation alone can gain it: 1e-12 with an
/// energy-conserving rule.
pub(crate) const ENERGY_ALONE: f64 = 1e-6;
/// The same for strands, whose energy swings about its mean, and for cloth with bodies that give way. For cloth alone what is
/// put in is counted, and the share is [`drystone_world::CLOTH_GAIN_SHARE`].
pub(crate) const ENERGY_SOFT: f64 = 1e-2;
/// Loss of energy where nothing takes any: single precision over a thousand impulses, with a reserve.
pub(crate) const ENERGY_KEPT: f64 = 1e-2;
/// Change of momentum over `sqrt(2 M K)`. Impulses act on both bodies alike; only rounding is left.
pub(crate) const MOMENTUM: f64 = 1e-8;
/// Change of angular momentum over `sqrt(2 M K) R`. Both bodies receive an impulse at the same point; what
/// the arms miss within a step is second order in the step.
pub(crate) const ANGULAR_MOMENTUM: f64 = 1e-4;
/// Overlap of bodies in motion over the smallest dimension of the thinner one: at more than half, contact
/// normals turn round and push a body out on the other side.
pub(crate) const THROUGH: f64 = 0.5;
/// Allowed overlap of bodies at rest over the smallest dimension of the thinner one: just invisible.
pub(crate) const RESTING: f64 = 0.02;
/// Depth allowed in scenes that stand from the start, which recover from no impact.
pub(crate) const RESTING_STANDS: f64 = 0.005;
/// Displacement of what stands, over the smallest dimension of the body.
pub(crate) const STANDS: f64 = 0.01;
/// A body counts as resting if a step moves no point of it by more than this share of its smallest
/// dimension.
pub(crate) const AT_REST: f64 = 0.002;
/// A spin that turns a body by less in a step is resolved: its energy has to be kept \[rad\].
pub(crate) const RESOLVED_TURN: f64 = 0.3;

impl Law {
    /// In a word or two, for tables and file names.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Panics => "panics",
            Self::Lost => "lost",
            Self::Energy => "energy",
            Self::EnergyKept => "energy-kept",
            Self::Momentum => "momentum",
            Self::AngularMomentum => "angular-momentum",
            Self::PassesThrough => "passes-through",
            Self::RestingDepth => "resting-depth",
            Self::Stands => "stands",
            Self::Threads => "threads",
            Self::Time => "time",
            Self::StrandSolved => "strand-solved",
            Self::ClothStalled => "cloth-stalled",
            Self::ClothCrossing => "cloth-crossing",
            Self::Sound => "sound",
        }
    }

    /// The quantity and unit of its value.
    pub const fn measure(self) -> &'static str {
        match self {
            Self::Refused | Self::Panics | Self::Threads | Self::ClothStalled => "happened",
            Self::Lost => "things lost",
            Self::Energy => "energy gained over that of the scene",
            Self::EnergyKept => "energy lost over that of the scene",
            Self::Momentum => "change of momentum over sqrt(2 M K)",
            Self::AngularMomentum => "change of angular momentum over sqrt(2 M K) R",
            Self::PassesThrough => "deepest overlap over the thinner body",
            Self::RestingDepth => "overlap at rest over the thinner body",
            Self::Stands => "displacement over the smallest dimension",
            Self::Time => "seconds of processor time",
            Self::StrandSolved => "steps of strands not solved",
            Self::ClothCrossing => "crossings of cloth",
            Self::Sound => "findings",
        }
    }
}

/// A law that a scene broke.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Breach {
    /// The law that was broken.
    pub law: Law,
    /// Worst value found \[1\].
    pub value: f64,
    /// Largest value allowed \[1\].
    pub allowed: f64,
    /// When it was first exceeded \[s\].
    pub time: f64,
    /// What broke it: a body, a pair, or a description.
    pub who: String,
}

impl std::fmt::Display for Breach {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (name, measure) = (self.law.name(), self.law.measure());
        write!(
            f,
            "{name}: {:.4e} ({measure}), allowed {:.1e}, first at {:.6} s",
            self.value, self.allowed, self.time
        )?;
        if !self.who.is_empty() {
            write!(f, ": {}", self.who)?;
        }
        Ok(())
    }
}
