//! Safeguarded Anderson acceleration of cone sweeps (Walker 2011).

use std::collections::VecDeque;

use crate::operator::{Iterate, Operator};
use crate::solvers::SolveError;
use crate::solvers::dense::{Square, cholesky_solve};
use crate::solvers::gauss_seidel::Cone;
use crate::solvers::run::Run;
use crate::solvers::stagnation::Stagnation;
use crate::solvers::sweeper::{Map, Sweeper};

/// Windows without a new least `|f|²` after which plain sweeps follow.
const AGE: u32 = 6;

/// Anderson acceleration of cone sweeps.
pub(crate) fn solve<O: Operator>(run: &mut Run<'_, O>) -> Result<(), SolveError> {
    let sweeper = Sweeper::new(run, Cone::new(run.settings))?;
    accelerate(run, sweeper);
    Ok(())
}

/// With the map `G` and `f_k = G(x_k) − x_k`, weighed by `sqrt(A_ii)`:
///
/// `x_{k+1} = G(x_k) − Σ γ_j ΔG_j`, `γ` least squares of `|f_k − Σ γ_j Δf_j|`   (Walker 2011, §2)
///
/// over the last few differences. Safeguards: what the law forbids is put back; where `|f|²`
/// grows all memory is dropped and the plain step stands (to let it grow twofold or fourfold first
/// cost four times the iterations on a box that slides on many points); and where it finds no new
/// least value for long, plain steps follow, twice as many each time.
pub(crate) fn accelerate<O: Operator>(run: &mut Run<'_, O>, mut map: impl Map) {
    let (operator, law, window) = (run.operator, run.law, run.settings.window);
    let weights: Vec<f64> = (0..operator.contacts())
        .flat_map(|k| operator.diagonal(k).map(|a| a.max(0.0).sqrt()))
        .collect();
    let mut iterate = run.first_iterate();
    let mut last: Option<(Vec<f64>, Iterate)> = None;
    let mut memory: VecDeque<(Vec<f64>, Iterate)> = VecDeque::new();
    let mut last_square = f64::INFINITY;
    let mut stagnation = Stagnation::new(AGE * window as u32, window as u32);
    while run.goes_on(&iterate.impulses) {
        let before = iterate.impulses.clone();
        let rows = map.apply(&mut iterate);
        run.count(rows);
        let f: Vec<f64> = (iterate.impulses.iter().flatten())
            .zip(before.iter().flatten())
            .zip(&weights)
            .map(|((x, y), weight)| weight * (x - y))
            .collect();
        let square = dot(&f, &f);
        if stagnation.plain_next(square) || square > last_square {
            memory.clear();
        } else if let Some((last_f, last_g)) = &last {
            let difference = f.iter().zip(last_f).map(|(x, y)| x - y).collect();
            let mut step = iterate.clone();
            step.add_scaled(-1.0, last_g);
            memory.push_back((difference, step));
            if memory.len() > window {
                memory.pop_front();
            }
        }
        last_square = square;
        let plain = iterate.clone();
        if let Some(gamma) = least_squares(&memory, &f) {
            for (gamma, (_, step)) in gamma.iter().zip(&memory) {
                iterate.add_scaled(-gamma, step);
            }
            let mut forbidden = false;
            for (k, lambda) in iterate.impulses.iter_mut().enumerate() {
                let projected = law.project(operator.friction(k), *lambda);
                forbidden |= projected != *lambda;
                *lambda = projected;
            }
            if forbidden {
                iterate = operator.iterate(std::mem::take(&mut iterate.impulses));
            }
        }
        last = Some((f, plain));
    }
}

/// `γ` of the least `|f − Σ γ_j Δf_j|`, a hair short where differences are nearly dependent.
fn least_squares(memory: &VecDeque<(Vec<f64>, Iterate)>, f: &[f64]) -> Option<Vec<f64>> {
    let count = memory.len();
    if count == 0 {
        return None;
    }
    let mut gram = Square::zero(count);
    let mut right = vec![0.0; count];
    for (i, (x, _)) in memory.iter().enumerate() {
        for (j, (y, _)) in memory.iter().enumerate().take(i + 1) {
            let value = dot(x, y);
            gram[(i, j)] = value;
            gram[(j, i)] = value;
        }
        right[i] = dot(x, f);
    }
    // to unit diagonal, then a little more on it
    let scale: Vec<f64> = (0..count).map(|i| gram[(i, i)].sqrt()).collect();
    if scale.iter().any(|s| !(*s > 0.0 && s.is_finite())) {
        return None;
    }
    for i in 0..count {
        for j in 0..count {
            gram[(i, j)] /= scale[i] * scale[j];
        }
        gram[(i, i)] += 1e-12;
        right[i] /= scale[i];
    }
    cholesky_solve(gram, &mut right).then_some(())?;
    right.iter_mut().zip(&scale).for_each(|(x, s)| *x /= s);
    right.iter().all(|x| x.is_finite()).then_some(right)
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
