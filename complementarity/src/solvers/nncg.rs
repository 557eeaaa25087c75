//! Nonsmooth nonlinear conjugate gradients: a sweep is taken for a step down the gradient, and
//! directions are kept as Fletcher and Reeves do (Silcowitz 2010).

use crate::operator::{Iterate, Operator};
use crate::solvers::SolveError;
use crate::solvers::run::Run;
use crate::solvers::stagnation::Stagnation;
use crate::solvers::sweeper::{Kernel, Sweeper};

/// Iterations without a new least `|g|²` after which plain sweeps follow: at least so many, and
/// so many for each contact.
const AGE: u32 = 60;
const AGE_PER_CONTACT: u32 = 10;

/// With the sweep `G` and `g_k = x_k − G(x_k)`:
///
/// `β = |g_k|² / |g_{k−1}|²`; `x_{k+1} = G(x_k) + β p_{k−1}`, `p_k = β p_{k−1} − g_k`, and where
/// `β > 1` a fresh start with `p_k = 0`   (Silcowitz 2010, Alg. 1)
///
/// Ours: the norm weighs rows by `A_ii`, so that masses do not matter; `ΔV = M⁻¹Jᵀx` is linear
/// in `x` and follows without a product; and where `|g|²` finds no new least value for long,
/// plain sweeps follow, twice as many each time.
pub(crate) fn solve<O: Operator>(
    run: &mut Run<'_, O>,
    kernel: impl Kernel,
) -> Result<(), SolveError> {
    let mut sweeper = Sweeper::new(run, kernel)?;
    let weights: Vec<[f64; 3]> = (0..run.operator.contacts())
        .map(|k| run.operator.diagonal(k))
        .collect();
    let mut iterate = run.first_iterate();
    let mut before = iterate.clone();
    let mut direction: Option<Iterate> = None;
    let mut last = f64::INFINITY;
    let age = AGE.max(AGE_PER_CONTACT * run.operator.contacts() as u32);
    let mut stagnation = Stagnation::new(age, AGE);
    while run.goes_on(&iterate.impulses) {
        before.clone_from(&iterate);
        let rows = sweeper.cycle(&mut iterate);
        run.count(rows);
        // step = −g
        let mut step = iterate.clone();
        step.add_scaled(-1.0, &before);
        let now = weighted_square(&weights, &step);
        let beta = if last > 0.0 {
            now / last
        } else {
            f64::INFINITY
        };
        last = now;
        let plain = stagnation.plain_next(now);
        direction = match direction {
            _ if plain => None,
            Some(mut p) if beta <= 1.0 => {
                p.scale(beta);
                iterate.add_scaled(1.0, &p);
                p.add_scaled(1.0, &step);
                Some(p)
            }
            Some(_) => None,
            None => Some(step),
        };
    }
    Ok(())
}

/// `Σ A_ii x_i²`.
pub(crate) fn weighted_square(weights: &[[f64; 3]], x: &Iterate) -> f64 {
    let squares = |(weight, x): (&[f64; 3], &[f64; 3])| -> f64 {
        (0..3).map(|i| weight[i] * x[i] * x[i]).sum()
    };
    weights.iter().zip(&x.impulses).map(squares).sum()
}
