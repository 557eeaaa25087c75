//! Projected successive over-relaxation with the bounds of the last iterate (Poulsen 2010,
//! eq. 16 and 18c).

use crate::ordering::{Grain, Visit};
use crate::solvers::SolveError;
use crate::solvers::pgs::relax;
use crate::solvers::run::Run;
use crate::solvers::sweeper::{self, iterate};
use crate::system::{State, System};

/// Over-relaxation if none is given [1].
const OMEGA: f64 = 1.3;

/// `M = D/ω + L`, `N = (1/ω − 1) D − U`: the true splitting of `A`; eq. 18c prints that of `ω A`,
/// which goes with `ω b`. Each row is projected as soon as it is found, as eq. 12 asks: to project
/// only the finished vector (eq. 17) has other fixed points. Bounds are those at the beginning of
/// the sweep, `u(λ^k)`.
pub(crate) struct Kernel {
    omega: f64,
    /// Normal impulses at the beginning of the sweep.
    normals: Vec<f64>,
}

impl Kernel {
    pub(crate) fn new(omega: f64) -> Self {
        Self {
            omega,
            normals: Vec::new(),
        }
    }
}

impl sweeper::Kernel for Kernel {
    const GRAIN: Grain = Grain::Row;

    fn begin(&mut self, state: &State) {
        self.normals.clear();
        self.normals
            .extend(state.impulses.iter().map(|lambda| lambda[0].max(0.0)));
    }

    #[inline]
    fn visit<S: System>(&self, system: &S, visit: Visit, state: &mut State) {
        for (k, i) in visit.rows() {
            let most = match i {
                0 => f64::INFINITY,
                _ => system.friction(k) * self.normals[k],
            };
            relax(system, k, i, self.omega, most, state);
        }
    }
}

pub(crate) fn solve<S: System>(run: &mut Run<'_, S>) -> Result<(), SolveError> {
    let kernel = Kernel::new(run.settings.relaxation.unwrap_or(OMEGA));
    iterate(run, kernel)
}
