//! Projected Jacobi (Poulsen 2010, eq. 16 and 18a, where `N = −L − U`).

use crate::operator::Operator;
use crate::solvers::run::Run;

/// All rows at once from the last iterate: `λ_i ← clamp(λ_i − ω w_i / A_ii)`. As printed `ω = 1`,
/// which diverges where `2 D − A` is not positive, as on a box with four contacts.
pub(crate) fn solve<O: Operator>(run: &mut Run<'_, O>) {
    let (operator, law) = (run.operator, run.law);
    let omega = run.settings.relaxation.unwrap_or(1.0);
    let mut impulses = run.first_iterate().impulses;
    while run.goes_on(&impulses) {
        let w = operator.velocities_after(&impulses);
        for (k, lambda) in impulses.iter_mut().enumerate() {
            let (diagonal, old) = (operator.diagonal(k), *lambda);
            for i in (0..3).filter(|i| diagonal[*i] > 0.0) {
                lambda[i] -= omega * w[k][i] / diagonal[i];
            }
            // bounds of the last iterate
            let normal = lambda[0].max(0.0);
            *lambda = law.project(operator.friction(k), [old[0], lambda[1], lambda[2]]);
            lambda[0] = normal;
        }
        run.count(run.all_rows());
    }
}
