//! Accelerated projected gradient descent on the convex problem (Mazhar 2015).

use crate::operator::Operator;
use crate::solvers::law::{onto_cone, stiffness};
use crate::solvers::run::Run;

/// Part of the step length's inverse that is kept from one iteration to the next ...
const FORGET: f64 = 0.9;

/// ... but never less than this. Scaled as it is, the matrix has ones on its diagonal, so that some direction is at
/// least as steep as that. Where nothing is enough, as for a body between two walls that close in, steps would
/// otherwise grow by a tenth in every iteration.
const LEAST: f64 = 0.5;

/// Nesterov's method on `min ½ λᵀAλ + bᵀλ` over the friction cones: a gradient step from an
/// extrapolated point, projected; the step found by backtracking; a fresh start where the step
/// goes uphill   (Mazhar 2015, Alg. 1).
///
/// Ours: impulses at each contact are scaled by one over the root of its largest diagonal value,
/// which keeps the cones and takes the masses out; and `A y` follows from `A λ`, which saves a
/// product.
pub(crate) fn solve<O: Operator>(run: &mut Run<'_, O>) {
    let (operator, contacts) = (run.operator, run.operator.contacts());
    let scale: Vec<f64> = (0..contacts)
        .map(|k| match stiffness(operator, k) {
            a if a > 0.0 => 1.0 / a.sqrt(),
            _ => 0.0, // neither body can move
        })
        .collect();
    let to_impulses = |x: &[[f64; 3]]| -> Vec<[f64; 3]> {
        x.iter()
            .zip(&scale)
            .map(|(x, s)| x.map(|x| s * x))
            .collect()
    };
    let product = |x: &[[f64; 3]]| -> Vec<[f64; 3]> {
        let mut product = operator.product(&to_impulses(x));
        for (y, s) in product.iter_mut().zip(&scale) {
            *y = y.map(|y| s * y);
        }
        product
    };
    let b: Vec<[f64; 3]> = (operator.b().iter().zip(&scale))
        .map(|(b, s)| b.map(|b| s * b))
        .collect();
    let mut x: Vec<[f64; 3]> = (run.first_iterate().impulses.iter().zip(&scale))
        .map(|(l, s)| l.map(|l| if *s > 0.0 { l / s } else { 0.0 }))
        .collect();
    let mut a_x = product(&x);
    let (mut y, mut a_y) = (x.clone(), a_x.clone());
    let (mut theta, mut inverse_step) = (1.0f64, 1.0f64);
    while run.goes_on(&to_impulses(&x)) {
        let gradient: Vec<[f64; 3]> = combine(&a_y, 1.0, &b);
        let value_y = 0.5 * dot(&y, &a_y) + dot(&b, &y);
        let mut products = 0;
        // a step short enough that the parabola lies above
        let (next, a_next) = loop {
            let next: Vec<[f64; 3]> = combine(&y, -1.0 / inverse_step, &gradient)
                .into_iter()
                .enumerate()
                .map(|(k, x)| onto_cone(operator.friction(k), x))
                .collect();
            let a_next = product(&next);
            products += 1;
            let step = combine(&next, -1.0, &y);
            let value = 0.5 * dot(&next, &a_next) + dot(&b, &next);
            let above = value_y + dot(&gradient, &step) + 0.5 * inverse_step * dot(&step, &step);
            // rounding must not shorten steps for ever
            let slack = 1e-14 * (value.abs() + value_y.abs());
            if value <= above + slack || products >= 40 {
                break (next, a_next);
            }
            inverse_step *= 2.0;
        };
        let moved = combine(&next, -1.0, &x);
        if dot(&gradient, &moved) > 0.0 {
            // uphill: forget the momentum
            theta = 1.0;
            (y, a_y) = (next.clone(), a_next.clone());
        } else {
            let theta_next = 0.5 * (theta * (theta * theta + 4.0).sqrt() - theta * theta);
            let beta = theta * (1.0 - theta) / (theta * theta + theta_next);
            theta = theta_next;
            y = combine(&next, beta, &moved);
            a_y = combine(&a_next, beta, &combine(&a_next, -1.0, &a_x));
        }
        (x, a_x) = (next, a_next);
        inverse_step = (FORGET * inverse_step).max(LEAST);
        run.count(products * run.all_rows());
    }
}

/// `x + factor y`.
fn combine(x: &[[f64; 3]], factor: f64, y: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let one = |(x, y): (&[f64; 3], &[f64; 3])| std::array::from_fn(|i| x[i] + factor * y[i]);
    x.iter().zip(y).map(one).collect()
}

fn dot(x: &[[f64; 3]], y: &[[f64; 3]]) -> f64 {
    x.iter()
        .flatten()
        .zip(y.iter().flatten())
        .map(|(x, y)| x * y)
        .sum()
}
