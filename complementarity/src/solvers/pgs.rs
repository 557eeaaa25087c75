//! Projected Gauss-Seidel on the pyramid, bounds of the newest normal impulses (Erleben 2007, §3).

use crate::ordering::{Grain, Part, Visit};
use crate::solvers::run::Run;
use crate::solvers::sweeper::{self, iterate};
use crate::solvers::{Settings, SolveError};
use crate::system::{State, System};

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
            Part::Whole => {
                row(0, state);
                row(1, state);
                row(2, state);
            }
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
