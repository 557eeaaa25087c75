//! Cone-projected block Gauss-Seidel (Erleben 2017): friction the same in every direction.

use crate::cone::onto_disc;
use crate::ordering::{Grain, Part, Visit};
use crate::solvers::pgs::relax;
use crate::solvers::run::Run;
use crate::solvers::sweeper::{self, iterate};
use crate::solvers::{Settings, SolveError};
use crate::system::{AtContact, State, System};

/// `λ_n ← max(0, λ_n − ω w_n / A_nn)`, then `λ_t ← disc(λ_t − ω w_t / λ_max(A_tt))` of radius
/// `μ λ_n`, as in [`crate::cone`].
pub(crate) struct Kernel {
    omega: f64,
}

impl Kernel {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            omega: settings.relaxation.unwrap_or(1.0),
        }
    }

    #[inline]
    fn friction<S: System>(&self, system: &S, k: usize, state: &mut State) {
        let stiffness = system.tangential(k);
        if stiffness <= 0.0 {
            return; // neither body can move
        }
        let most = system.friction(k) * state.impulses[k][0].max(0.0);
        let [_, old_1, old_2] = state.impulses[k];
        let step = self.omega / stiffness;
        let (t1, t2) = onto_disc(
            old_1 - step * system.velocity_row(k, 1, state),
            old_2 - step * system.velocity_row(k, 2, state),
            most,
        );
        system.change(k, 1, t1 - old_1, state);
        system.change(k, 2, t2 - old_2, state);
    }
}

/// Normal, then friction, what one does to the other by the block of the contact.
#[inline]
fn whole(at: &AtContact, omega: f64) -> [f64; 3] {
    let (m, [n, t1, t2]) = (&at.block, at.impulse);
    if m[0][0] <= 0.0 {
        return at.impulse; // neither body can move
    }
    // quotients first: they do not wait for the velocity
    let (step_n, step_t) = (omega / m[0][0], omega / at.tangential);
    let normal = (n - step_n * at.velocity[0]).max(0.0);
    if at.tangential <= 0.0 {
        return [normal, t1, t2];
    }
    let (change, most) = (normal - n, at.friction * normal);
    let t1 = t1 - step_t * (at.velocity[1] + m[1][0] * change);
    let t2 = t2 - step_t * (at.velocity[2] + m[2][0] * change);
    if t1 * t1 + t2 * t2 <= most * most {
        return [normal, t1, t2]; // sticking needs no root
    }
    let (t1, t2) = onto_disc(t1, t2, most);
    [normal, t1, t2]
}

impl sweeper::Kernel for Kernel {
    const GRAIN: Grain = Grain::Pair;

    #[inline]
    fn visit<S: System>(&self, system: &S, visit: Visit, state: &mut State) {
        let k = visit.contact as usize;
        match visit.part {
            Part::Whole => system.update(k, state, |at| whole(at, self.omega)),
            Part::Normal => relax(system, k, 0, self.omega, f64::INFINITY, state),
            _ => self.friction(system, k, state),
        }
    }
}

pub(crate) fn solve<S: System>(run: &mut Run<'_, S>) -> Result<(), SolveError> {
    let kernel = Kernel::new(run.settings);
    iterate(run, kernel)
}
