//! The numbers that were chosen by measurement, all without a unit.
//!
//! Lengths are shares of the *length* of the smaller body of a contact that moves
//! ([`crate::Model::length`], the geometric mean of thickness and diameter) or of its thickness,
//! speeds shares of `√(g · length)`, times of the step. A scene and the same scene a hundred times as
//! large, with times ten times as long, so take the same steps.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Error;

/// Tolerances and thresholds of detection and of the default stepper, made dimensionless.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Tuning {
    /// Distance at which contacts are looked for, over the length \[1\].
    pub envelope: f64,
    /// Relative motion below which a pair keeps its manifold, over the length \[1\].
    pub recycle: f64,
    /// How far a body may move before the broad phase looks for its neighbours again, over the
    /// typical length of the scene \[1\].
    pub margin: f64,
    /// Displacement within a step from which a blow by a neighbour extends the search for contacts of what it
    /// strikes, over the length \[1\].
    pub struck: f64,
    /// Gap up to which bodies at rest belong to one island, over the length \[1\].
    pub near: f64,

    /// Gap below which a contact counts as touching, over the length \[1\]; half of it while its
    /// group flies.
    pub zone: f64,
    /// Depth left alone by the position correction, over the length \[1\].
    pub slop: f64,
    /// Depth from which the correction takes four times its sweeps, over the thickness \[1\].
    pub deep: f64,
    /// Depth up to which the correction of a group that flies takes a third of its sweeps, over the
    /// thickness \[1\].
    pub passing: f64,
    /// Depth from which it goes on while that helps, up to ten times as long, over the thickness
    /// \[1\]. Overlaps of impacts are left to several steps: pressing them out at once costs a struck
    /// tower 3 % of its bricks.
    pub buried: f64,

    /// Approach below which a contact is calm and the solve done, over `√(g · length)` \[1\].
    pub calm: f64,
    /// Upper limit of `calm`, as a length per substep over the length \[1\]: where steps are long for the size of the
    /// bodies, the approach that is left carries far.
    pub calm_travel: f64,
    /// Replaces `calm` without gravity: a length per substep over the length \[1\].
    pub calm_weightless: f64,
    /// The solve is also done at this share of the approach that it started from \[1\].
    pub gain: f64,
    /// Replaces `gain` while the group flies \[1\]: what rests must come to rest, what flies need not.
    pub flying_gain: f64,
    /// Share of the residual energy that a round may leave, for a further one while the group
    /// flies and nothing in it is overladen \[1\].
    pub flying_progress: f64,
    /// Replaces `gain` where nothing is fixed, so that there are no layers \[1\].
    pub free_gain: f64,
    /// Factor on the rounds that such an island may take \[1\].
    pub free_rounds: u32,
    /// Velocity of pressed contacts, over that of a calm one, below which their impulses are left
    /// as they are in the first substep of a step \[1\].
    pub still: f64,
    /// The same in the other substeps, for a large group \[1\]: what creeps is found once a step.
    pub still_within: f64,
    /// Speed above which a body flies, over `√(g · length)` \[1\].
    pub flying: f64,
    /// Speed above which a body flies without gravity, over its length per step \[1\].
    pub flying_weightless: f64,
    /// Approach that must not be left whatever it costs, over the thickness a substep \[1\].
    pub sinking: f64,
    /// Most rounds spent on `sinking`.
    pub sinking_rounds: u32,

    /// Mass ratio across a contact from which a load is heavy \[1\].
    pub heavy: f64,
    /// Replaces `heavy` while the group flies: blows press harder than loads, and pass \[1\].
    pub heavy_flying: f64,
    /// A load is heavy only if its impulse alone would move the lighter body faster than this, over the
    /// approach of a calm contact \[1\].
    pub thrown: f64,
    /// Approach under a heavy load that the direct solver takes up, over that of a calm contact \[1\].
    pub tight: f64,
    /// Solves in turn within a step that end unsolved before the direct solver is called.
    pub stubborn: u32,
    /// Blocks of eight patches up to which a group may go to the direct solver.
    pub direct: u32,

    /// Share of the contacts that must be closing for a further round \[1\]; three times as many while
    /// the group flies.
    pub few: f64,
    /// Share of closing contacts below which a large group sweeps only around those \[1\].
    pub many: f64,
    /// Share of the residual energy from which on the coarse solve is worth its cost, if it is predicted to take as
    /// much: a large group then does not sweep around closing contacts alone \[1\].
    #[serde(alias = "worth")]
    pub coarse_decrease: f64,
    /// Sweeps go around contacts that close faster than this share of what is enough \[1\]; while the
    /// group flies, than that.
    pub spread: f64,
    /// Share of changed contacts above which the coarse matrix is built again \[1\]; twice as many
    /// while the group flies.
    #[serde(alias = "stale")]
    pub rebuild_fraction: f64,
    /// Blocks of eight patches from which a group is large.
    pub large: u32,
    /// Islands of at most this many patches are solved in double precision.
    pub small: u32,

    /// Turn since inertia and arms were taken from which they are taken again within a step, times
    /// the root of the ratio of principal inertias less one \[rad\].
    pub stale_inertia: f64,
    /// Replaces `stale_inertia` where contacts bounce, which gives back what an old inertia gets wrong \[rad\].
    pub stale_bouncing: f64,
    /// Turn from which they are taken again whatever the inertia \[rad\].
    pub stale_arms: f64,
    /// Largest bend of the path of a body's points by its turn in one step, beside another, over the
    /// thickness \[1\]; a step with a larger one is split.
    pub turn: f64,
    /// Largest travel of a body against another in one step, over the thickness \[1\]; a step with a
    /// longer one is split.
    pub travel: f64,
    /// Largest travel in a part of a split step, over the thickness \[1\].
    pub travel_part: f64,
    /// Travel of two bodies against each other in a part of a step from which their depth is measured at its end, over the
    /// thickness of the thinner one \[1\].
    pub far: f64,
    /// Depth from which such a part is taken again in two, over that thickness \[1\].
    pub sunk: f64,
    /// Most parts into which a step is split.
    pub parts: u32,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            envelope: 0.01,
            struck: 0.04,
            recycle: 2e-4,
            margin: 0.07,
            near: 1.5e-3,
            zone: 2.5e-4,
            slop: 2.5e-4,
            deep: 1e-3,
            passing: 0.02,
            buried: 0.08,
            calm: 7e-4,
            calm_travel: 1e-5,
            calm_weightless: 1e-6,
            gain: 0.01,
            flying_gain: 0.05,
            flying_progress: 0.8,
            free_gain: 1e-3,
            free_rounds: 2,
            still: 5e-4,
            still_within: 5e-3,
            flying: 0.35,
            flying_weightless: 0.013,
            sinking: 0.05,
            sinking_rounds: 24,
            heavy: 6.0,
            heavy_flying: 20.0,
            thrown: 40.0,
            tight: 4e-3,
            stubborn: 1,
            direct: 256,
            few: 0.01,
            many: 0.2,
            coarse_decrease: 0.1,
            spread: 0.5,
            rebuild_fraction: 0.05,
            large: 32,
            small: 64,
            stale_inertia: 0.05,
            stale_bouncing: 1e-3,
            stale_arms: 0.1,
            turn: 0.1,
            travel: 1.0,
            travel_part: 0.3,
            far: 0.4,
            sunk: 0.1,
            parts: 64,
        }
    }
}

impl Tuning {
    /// Approach at which a contact is calm \[m/s\]: `length` is what it is measured by \[m\], `gravity` the
    /// acceleration \[m/s²\], `h` the substep \[s\].
    pub(crate) fn calm_speed(&self, length: f64, gravity: f64, h: f64) -> f64 {
        let weighed = self.calm * (gravity * length).sqrt();
        let far = length / h;
        weighed.clamp(
            self.calm_weightless * far,
            self.calm_travel.max(self.calm_weightless) * far,
        )
    }

    /// Speed above which a body of this `length` flies \[m/s\].
    pub(crate) fn flying_speed(&self, length: f64, gravity: f64, dt: f64) -> f64 {
        let weighed = self.flying * (gravity * length).sqrt();
        weighed.max(self.flying_weightless * length / dt)
    }

    /// Says which number is out of range, if one is.
    pub(crate) fn validate(&self) -> Result<(), Error> {
        // which numbers may be zero
        let positive = [
            ("tuning.envelope", self.envelope),
            ("tuning.struck", self.struck),
            ("tuning.margin", self.margin),
            ("tuning.calm", self.calm),
            ("tuning.calm_travel", self.calm_travel),
            ("tuning.calm_weightless", self.calm_weightless),
            ("tuning.turn", self.turn),
            ("tuning.travel", self.travel),
            ("tuning.travel_part", self.travel_part),
            ("tuning.far", self.far),
        ];
        let not_negative = [
            ("tuning.recycle", self.recycle),
            ("tuning.near", self.near),
            ("tuning.zone", self.zone),
            ("tuning.slop", self.slop),
            ("tuning.deep", self.deep),
            ("tuning.passing", self.passing),
            ("tuning.buried", self.buried),
            ("tuning.gain", self.gain),
            ("tuning.flying_gain", self.flying_gain),
            ("tuning.flying_progress", self.flying_progress),
            ("tuning.free_gain", self.free_gain),
            ("tuning.still", self.still),
            ("tuning.still_within", self.still_within),
            ("tuning.flying", self.flying),
            ("tuning.flying_weightless", self.flying_weightless),
            ("tuning.sinking", self.sinking),
            ("tuning.heavy", self.heavy),
            ("tuning.heavy_flying", self.heavy_flying),
            ("tuning.thrown", self.thrown),
            ("tuning.tight", self.tight),
            ("tuning.few", self.few),
            ("tuning.many", self.many),
            ("tuning.coarse_decrease", self.coarse_decrease),
            ("tuning.spread", self.spread),
            ("tuning.rebuild_fraction", self.rebuild_fraction),
            ("tuning.stale_inertia", self.stale_inertia),
            ("tuning.stale_bouncing", self.stale_bouncing),
            ("tuning.stale_arms", self.stale_arms),
            ("tuning.sunk", self.sunk),
        ];
        let refused = |option: &'static str, found: f64, wanted: &'static str| Error::Option {
            option,
            found: found.to_string(),
            wanted,
        };
        // the first that is out of range
        for (option, found) in positive {
            if !(found > 0.0 && found.is_finite()) {
                return Err(refused(option, found, "more than zero, finite"));
            }
        }
        for (option, found) in not_negative {
            if !(found >= 0.0 && found.is_finite()) {
                return Err(refused(option, found, "zero or more, finite"));
            }
        }
        for (option, found) in [
            ("tuning.free_rounds", self.free_rounds),
            ("tuning.sinking_rounds", self.sinking_rounds),
            ("tuning.parts", self.parts),
        ] {
            if !(1..=1000).contains(&found) {
                return Err(refused(option, f64::from(found), "1 to 1000"));
            }
        }
        Ok(())
    }
}
