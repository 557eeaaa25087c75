//! Sweeps: a kernel says what is done at one contact, an ordering in which order.

use crate::operator::{Iterate, Operator};
use crate::ordering::{Grain, Sequence, Visit};
use crate::solvers::run::Run;
use crate::solvers::{Law, SolveError};

/// Sweeps after which what is kept beside the impulses is computed afresh: rounding adds up.
const REFRESH: u32 = 256;

/// The update of a Gauss-Seidel method at one visit of a sweep.
pub(crate) trait Kernel {
    /// The smallest set of rows that it can treat alone.
    const GRAIN: Grain;

    /// Before a sweep.
    fn begin(&mut self, _iterate: &Iterate) {}

    /// Treats a part of a contact.
    fn visit<O: Operator>(&self, operator: &O, visit: Visit, iterate: &mut Iterate);
}

/// Sweeps of a kernel in an ordering, which map impulses to better ones.
pub(crate) struct Sweeper<'a, O, K> {
    operator: &'a O,
    law: Law,
    kernel: K,
    sequence: Sequence,
    sweeps: u32,
}

impl<'a, O: Operator, K: Kernel> Sweeper<'a, O, K> {
    pub(crate) fn new(run: &Run<'a, O>, kernel: K) -> Result<Self, SolveError> {
        Ok(Self {
            operator: run.operator,
            law: run.law,
            kernel,
            sequence: run.sequence(K::GRAIN)?,
            sweeps: 0,
        })
    }

    /// The next sweep of the ordering; returns the rows it computed.
    pub(crate) fn sweep(&mut self, iterate: &mut Iterate) -> u64 {
        self.sweeps += 1;
        if self.sweeps.is_multiple_of(REFRESH) {
            *iterate = self.operator.iterate(std::mem::take(&mut iterate.impulses));
        }
        let (visits, mut rows) = self.sequence.next(self.operator, iterate, self.law);
        self.kernel.begin(iterate);
        for visit in visits {
            self.kernel.visit(self.operator, *visit, iterate);
            rows += visit.row_count();
        }
        rows
    }

    /// One cycle: sweeps until all rows were visited equally often; returns the rows computed.
    pub(crate) fn cycle(&mut self, iterate: &mut Iterate) -> u64 {
        (0..self.sequence.cycle())
            .map(|_| self.sweep(iterate))
            .sum()
    }
}

/// A map whose fixed points solve the problem: what accelerated methods accelerate.
pub(crate) trait Map {
    /// Applies it; returns the rows computed.
    fn apply(&mut self, iterate: &mut Iterate) -> u64;
}

impl<O: Operator, K: Kernel> Map for Sweeper<'_, O, K> {
    fn apply(&mut self, iterate: &mut Iterate) -> u64 {
        self.cycle(iterate)
    }
}

/// Sweeps until the run has had enough.
pub(crate) fn sweep_on<O: Operator>(
    run: &mut Run<'_, O>,
    kernel: impl Kernel,
) -> Result<(), SolveError> {
    let mut sweeper = Sweeper::new(run, kernel)?;
    let mut iterate = run.first_iterate();
    while run.goes_on(&iterate.impulses) {
        let rows = sweeper.sweep(&mut iterate);
        run.count(rows);
    }
    Ok(())
}
