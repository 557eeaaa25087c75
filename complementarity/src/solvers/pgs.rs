//! Projected Gauss-Seidel on the pyramid, bounds of the newest normal impulses (Erleben 2007, §3).

use crate::ordering::{Grain, Part, Visit};
use crate::solvers::run::Run;
use crate::solvers::sweeper::{self, iterate};
use crate::solvers::{Settings, SolveError};
use crate::system::{AtContact, State, System};

/// `λ_i ← clamp(λ_i − ω w_i / A_ii)`, friction between `±μ λ_n` (Erleben 2007, eq. 29-33).
pub(crate) struct Kernel {
    omega: f64,
}

impl Kernel {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            omega: settings.relaxation.unwrap_or(1.0),
        }
    }
}

impl sweeper::Kernel for Kernel {
    const GRAIN: Grain = Grain::Row;

    #[inline]
    fn visit<S: System>(&self, system: &S, visit: Visit, state: &mut State) {
        let k = visit.contact as usize;
        let row = |i: usize, state: &mut State| {
            let most = match i {
                0 => f64::INFINITY,
                _ => system.friction(k) * state.impulses[k][0].max(0.0),
            };
            relax(system, k, i, self.omega, most, state);
        };
        match visit.part {
            Part::Whole => system.update(k, state, |at| whole(at, self.omega)),
            Part::Normal => row(0, state),
            Part::Friction => {
                row(1, state);
                row(2, state);
            }
            Part::FirstTangent => row(1, state),
            Part::SecondTangent => row(2, state),
        }
    }
}

/// The three rows in turn, what one does to the next by the block of the contact.
#[inline]
fn whole(at: &AtContact, omega: f64) -> [f64; 3] {
    let (m, mut new) = (&at.block, at.impulse);
    if m[0][0] <= 0.0 {
        return new; // neither body can move
    }
    // quotients first: they do not wait for the velocity
    let steps: [f64; 3] = std::array::from_fn(|i| omega / m[i][i]);
    new[0] = (new[0] - steps[0] * at.velocity[0]).max(0.0);
    let most = at.friction * new[0];
    let mut changes = [new[0] - at.impulse[0], 0.0];
    for i in 1..3 {
        if m[i][i] > 0.0 {
            let w = at.velocity[i] + m[i][0] * changes[0] + m[i][1] * changes[1];
            new[i] = (new[i] - steps[i] * w).max(-most).min(most);
        }
        if i == 1 {
            changes[1] = new[1] - at.impulse[1];
        }
    }
    new
}

/// One row: the step that stops its velocity, times `omega`, then between 0 (normal) or `-most`
/// (tangent) and `most`.
#[inline]
pub(crate) fn relax<S: System>(
    system: &S,
    k: usize,
    i: usize,
    omega: f64,
    most: f64,
    state: &mut State,
) {
    let diagonal = system.diagonal(k)[i];
    if diagonal <= 0.0 {
        return; // neither body can move
    }
    let old = state.impulses[k][i];
    let free = old - omega * system.velocity_row(k, i, state) / diagonal;
    let least = if i == 0 { 0.0 } else { -most };
    system.change(k, i, free.max(least).min(most) - old, state);
}

pub(crate) fn solve<S: System>(run: &mut Run<'_, S>) -> Result<(), SolveError> {
    let kernel = Kernel::new(run.settings);
    iterate(run, kernel)
}
