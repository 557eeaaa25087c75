//! Islands that rounds of coarse solve and sweeps leave unsolved go to the direct solver.
//!
//! Two signs call for it. A body much lighter than what presses on it is moved by small errors of
//! large impulses: there contacts must close more slowly than the rounds are content with. And
//! rounds that end unsolved, in a group where nothing flies, will not get there; where it finds no solution
//! either, it is tried once more, from the impulses of the next substep, and then left alone for the rest of
//! the step. Under a heavy load it is called every time: one substep left unsolved starts a collapse.

use drystone_base::lanes::Dispatch;
use drystone_complementarity::newton::{Limits, Newton, bears_heavy_load};

use crate::Tuning;
use crate::group::Group;

/// Share of the approach that is too fast under a heavy load to which the direct solver works \[1\].
const SOLVED: f64 = 0.1;

/// Most failures in a step where there is no heavy load.
const ATTEMPTS: u32 = 2;

/// Limits of rounds without a heavy load that end unsolved.
const SHORT_LIMITS: Limits = Limits {
    factorisations: 30,
    flops: 5e6,
    work: 5e7,
};

/// Limits under a heavy load while things fly: after 30 factorisations a plate of 41 t between the ground and a body of 17 kt still
/// sank at 3 m/s.
const BLOW_LIMITS: Limits = Limits {
    factorisations: 300,
    flops: 5e6,
    work: 2e8,
};

/// How many times heavier than what is heavy a load must be for [`CRUSHING_LIMITS`] \[1\].
const CRUSHING: f64 = 10.0;

/// What may be spent where everything else ends in collapse: 343 cubes side by side under 1000:1 need more than the default.
const CRUSHING_LIMITS: Limits = Limits {
    factorisations: 300,
    flops: 2e9,
    work: 4e10,
};

/// The direct solver of a group, and whether to call it. Nothing of it outlives a step but memory.
#[derive(Default)]
pub(crate) struct Direct {
    newton: Newton,
    /// Solves in turn that ended above what is enough.
    unsolved: u32,
    /// Failures in this step.
    failed: u32,
}

impl Direct {
    /// A new step.
    pub(crate) fn begin(&mut self) {
        self.unsolved = 0;
        self.failed = 0;
    }
}

/// Solves directly what the rounds left; `enough` is the approach they were content with, over that of
/// a calm patch.
pub(crate) fn finish<T: Dispatch>(group: &mut Group<T>, enough: f64, tuning: &Tuning) {
    let calm_speed = group.calmest_speed;
    let direct = &mut group.direct;
    let stuck = group.residual > enough && !group.flies;
    direct.unsolved = if stuck { direct.unsolved + 1 } else { 0 };
    let stubborn = direct.unsolved >= tuning.stubborn && direct.failed < ATTEMPTS;
    // what flies need not be that still
    let limit = if group.flies { enough } else { tuning.tight };
    let heavy = if group.flies {
        tuning.heavy_flying
    } else {
        tuning.heavy
    };
    let bears = |ratio: f64| bears_heavy_load(&group.blocks, ratio, tuning.thrown * calm_speed);
    let loaded = group.residual > limit && bears(heavy);
    let small = group.blocks.len() <= tuning.direct as usize;
    if !small || (!loaded && !stubborn) {
        return;
    }
    let tolerance = SOLVED * tuning.tight * calm_speed;
    let limits = match (loaded, group.flies) {
        (true, false) if bears(CRUSHING * heavy) => CRUSHING_LIMITS,
        (true, false) => Limits::default(),
        (true, true) => BLOW_LIMITS,
        (false, _) => SHORT_LIMITS,
    };
    let outcome = (direct.newton).solve(&mut group.blocks, tolerance, &limits);
    direct.failed += u32::from(!outcome.solved);
    group.residual = outcome.residual / calm_speed;
}
