//! Islands that rounds of coarse solve and sweeps leave unsolved go to the direct solver.
//!
//! Two signs call for it. A body much lighter than what presses on it is moved by small errors of
//! large impulses: there contacts must close more slowly than the rounds are content with. And
//! rounds that end unsolved several times in turn, in a group where nothing flies, will not get
//! there; where it finds no solution either it is called less and less often. Under a heavy load it
//! is called every time: one substep left unsolved starts a collapse.

use drystone_base::lanes::Dispatch;
use drystone_complementarity::newton::{Limits, Newton, bears_heavy_load};

use crate::coursed::FLYING;
use crate::group::Group;

/// Mass ratio across a contact from which a load is heavy ...
const HEAVY: f64 = 20.0;
/// ... if its impulse alone would move the lighter body faster than this [m/s].
const THROWN: f64 = 0.1;
/// Approach that is too fast under a heavy load [m/s].
const TIGHT: f64 = 1e-5;
/// Residual to which the direct solver works [m/s].
const TOLERANCE: f64 = 1e-6;
/// Solves in turn that end above what is enough, before the direct solver is called.
const STUBBORN: u32 = 4;
/// Most solves that it is left out for after it has failed.
const PAUSE: u32 = 64;

/// The direct solver of a group, and whether to call it.
#[derive(Default)]
pub(crate) struct Direct {
    newton: Newton,
    /// Solves in turn that ended above what is enough.
    unsolved: u32,
    /// Solves for which it is left out, now and after the next failure.
    wait: u32,
    pause: u32,
}

/// Solves directly what the rounds left; `enough` is the approach they were content with [m/s].
pub(crate) fn finish<T: Dispatch>(group: &mut Group<T>, enough: f64) {
    let direct = &mut group.direct;
    let stuck = group.residual > enough && group.fastest <= FLYING;
    direct.unsolved = if stuck { direct.unsolved + 1 } else { 0 };
    let loaded = group.residual > TIGHT && bears_heavy_load(&group.blocks, HEAVY, THROWN);
    if !loaded && direct.unsolved < STUBBORN {
        return;
    }
    if !loaded && direct.wait > 0 {
        direct.wait -= 1;
        return;
    }
    let outcome = direct
        .newton
        .solve(&mut group.blocks, TOLERANCE, &Limits::default());
    if outcome.solved {
        (direct.unsolved, direct.pause) = (0, 0);
    } else {
        direct.pause = (2 * direct.pause + 1).min(PAUSE);
        direct.wait = direct.pause;
    }
    group.residual = outcome.residual;
}
