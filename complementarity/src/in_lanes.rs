//! The methods in lanes of eight by their names: what the default stepper runs on its islands, and
//! the laboratory's `two-level-lanes`.

use drystone_base::lanes::Dispatch;

use crate::Solver;
use crate::blocks::Blocks;
use crate::coarse::Coarse;

/// A method over [`Blocks`], chosen by the name of a [`Solver`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LaneMethod {
    /// A coarse correction over the stack layers, then cone sweeps.
    #[default]
    TwoLevel,
    /// Cone sweeps alone.
    Cone,
}

impl LaneMethod {
    /// The method of this name; none if it is not there in lanes.
    pub const fn of(solver: Solver) -> Option<Self> {
        match solver {
            Solver::TwoLevel | Solver::TwoLevelLanes => Some(Self::TwoLevel),
            Solver::Cone => Some(Self::Cone),
            _ => None,
        }
    }

    /// One iteration: a correction from the last [`Coarse::residual`], whose matrix is rebuilt if more
    /// than the fraction `rebuild` of the contacts has changed, and `sweeps` sweeps, forward and
    /// backward in turn. Returns the fastest approach that the last sweep met, in units of the calm
    /// speed \[1\].
    pub fn iterate<T: Dispatch>(
        self,
        blocks: &mut Blocks<T>,
        coarse: &mut Coarse<T>,
        rebuild: f64,
        sweeps: u32,
    ) -> f64 {
        if self == Self::TwoLevel {
            coarse.solve(blocks, rebuild);
        }
        let mut approach = 0.0;
        for sweep in 0..sweeps {
            approach = blocks.sweep(sweep % 2 == 1);
        }
        approach
    }
}
