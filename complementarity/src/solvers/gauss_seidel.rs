//! Projected Gauss-Seidel with the bounds of the last iterate (Poulsen 2010, eq. 16 and 18b):
//! [`super::sor`] without over-relaxation.

use crate::solvers::SolveError;
use crate::solvers::run::Run;
use crate::solvers::sor::Kernel;
use crate::solvers::sweeper::iterate;
use crate::system::System;

pub(crate) fn solve<S: System>(run: &mut Run<'_, S>) -> Result<(), SolveError> {
    let kernel = Kernel::new(run.settings.relaxation.unwrap_or(1.0));
    iterate(run, kernel)
}
