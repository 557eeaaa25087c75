//! Sweeps: a kernel says what is done at one contact, an ordering in which order.

use crate::ordering::{Grain, Sequence, Visit};
use crate::solvers::run::Run;
use crate::solvers::{Law, SolveError};
use crate::system::{State, System};

/// Sweeps after which what is kept beside the impulses is computed afresh: rounding adds up.
const REFRESH: u32 = 256;

/// What a Gauss-Seidel method does where a sweep stops.
pub(crate) trait Kernel {
    /// The smallest part it can treat alone.
    const GRAIN: Grain;

    /// Before a sweep.
    fn begin(&mut self, _state: &State) {}

    /// Treats a part of a contact.
    fn visit<S: System>(&self, system: &S, visit: Visit, state: &mut State);
}

/// A kernel with an ordering: a map from impulses to better ones.
pub(crate) struct Sweeper<'a, S, K> {
    system: &'a S,
    law: Law,
    kernel: K,
    sequence: Sequence,
    sweeps: u32,
}

impl<'a, S: System, K: Kernel> Sweeper<'a, S, K> {
    pub(crate) fn new(run: &Run<'a, S>, kernel: K) -> Result<Self, SolveError> {
        Ok(Self {
            system: run.system,
            law: run.law,
            kernel,
            sequence: run.sequence(K::GRAIN)?,
            sweeps: 0,
        })
    }

    /// The next sweep of the ordering; returns the rows it computed.
    pub(crate) fn sweep(&mut self, state: &mut State) -> u64 {
        self.sweeps += 1;
        if self.sweeps.is_multiple_of(REFRESH) {
            *state = self.system.state(std::mem::take(&mut state.impulses));
        }
        let (visits, mut rows) = self.sequence.next(self.system, state, self.law);
        self.kernel.begin(state);
        for visit in visits {
            self.kernel.visit(self.system, *visit, state);
            rows += visit.row_count();
        }
        rows
    }

    /// As many sweeps as it takes to visit all rows equally often; returns the rows computed.
    pub(crate) fn cycle(&mut self, state: &mut State) -> u64 {
        (0..self.sequence.cycle()).map(|_| self.sweep(state)).sum()
    }
}

/// A map whose fixed points solve the problem: what accelerated methods accelerate.
pub(crate) trait Map {
    /// Applies it; returns the rows computed.
    fn apply(&mut self, state: &mut State) -> u64;
}

impl<S: System, K: Kernel> Map for Sweeper<'_, S, K> {
    fn apply(&mut self, state: &mut State) -> u64 {
        self.cycle(state)
    }
}

/// Sweeps until the run has had enough.
pub(crate) fn iterate<S: System>(
    run: &mut Run<'_, S>,
    kernel: impl Kernel,
) -> Result<(), SolveError> {
    let mut sweeper = Sweeper::new(run, kernel)?;
    let mut state = run.first_state();
    while run.goes_on(&state.impulses) {
        let rows = sweeper.sweep(&mut state);
        run.count(rows);
    }
    Ok(())
}
