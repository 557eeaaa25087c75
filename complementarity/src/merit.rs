//! How far impulses are from solving a contact problem.

use crate::cone::onto_disc;
use crate::problem::Problem;
use crate::system::{FactoredSystem, System};

/// The merit function, zero at a solution and nowhere else:
///
/// `H_i = min(λ_i − lo_i, max(λ_i − hi_i, w_i))`, `θ = ½ HᵀH`   (Erleben 2007, eq. 37-38)
///
/// It adds squares of N s and of m/s, so its value depends on the units; see [`residual`].
pub fn merit(problem: &Problem, impulses: &[[f64; 3]]) -> f64 {
    merit_of(&FactoredSystem::new(problem), impulses)
}

/// [`merit`] of either form.
pub fn merit_of(system: &impl System, impulses: &[[f64; 3]]) -> f64 {
    let [normals, friction] = merit_parts(system, impulses);
    normals + friction
}

/// [`merit`] apart: what the normal rows and what the friction rows add to it.
pub fn merit_parts(system: &impl System, impulses: &[[f64; 3]]) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for (k, w) in system.velocities_after(impulses).iter().enumerate() {
        let lambda = impulses[k];
        let most = (system.friction(k) * lambda[0]).max(0.0);
        for i in 0..3 {
            let (low, high) = if i == 0 {
                (0.0, f64::INFINITY)
            } else {
                (-most, most)
            };
            let h = (lambda[i] - low).min((lambda[i] - high).max(w[i]));
            sums[usize::from(i > 0)] += 0.5 * h.powi(2);
        }
    }
    sums
}

/// The scale-free residual of the pyramid problem [1]: what one more projected step
/// `r_i = λ_i − clamp(λ_i − w_i / A_ii)` would change, in the energy norm, as a part of the same
/// at `λ = 0`:   `e = sqrt(Σ A_ii r_i²) / e_0`.
///
/// Bounds are those of the current normal impulses, after all impulses are put between them. If
/// nothing approaches at `λ = 0` there is nothing to compare with, and the norm itself is
/// returned [sqrt(J)].
pub fn residual(problem: &Problem, impulses: &[[f64; 3]]) -> f64 {
    residual_of(&FactoredSystem::new(problem), impulses)
}

/// [`residual`] of the cone problem: friction is projected onto the disc of radius `μ λ_n`, with
/// the step `1 / λ_max(A_tt)` of [`crate::cone`].
pub fn cone_residual(problem: &Problem, impulses: &[[f64; 3]]) -> f64 {
    cone_residual_of(&FactoredSystem::new(problem), impulses)
}

/// [`residual`] of either form.
pub fn residual_of(system: &impl System, impulses: &[[f64; 3]]) -> f64 {
    relative(system, impulses, residual_norm)
}

/// [`cone_residual`] of either form.
pub fn cone_residual_of(system: &impl System, impulses: &[[f64; 3]]) -> f64 {
    relative(system, impulses, cone_residual_norm)
}

/// The norm of [`residual`] before it is compared with the start [sqrt(J)].
pub fn residual_norm<S: System>(system: &S, impulses: &[[f64; 3]]) -> f64 {
    norm(
        system,
        impulses,
        |most, x, y| (x.max(-most).min(most), y.max(-most).min(most)),
        |k| {
            let diagonal = system.diagonal(k);
            [diagonal[1], diagonal[2]]
        },
    )
}

/// The norm of [`cone_residual`] before it is compared with the start [sqrt(J)].
pub fn cone_residual_norm<S: System>(system: &S, impulses: &[[f64; 3]]) -> f64 {
    norm(
        system,
        impulses,
        |most, x, y| onto_disc(x, y, most),
        |k| [system.tangential(k); 2],
    )
}

fn relative<S: System>(
    system: &S,
    impulses: &[[f64; 3]],
    norm: impl Fn(&S, &[[f64; 3]]) -> f64,
) -> f64 {
    let start = norm(system, &vec![[0.0; 3]; system.contacts()]);
    let now = norm(system, impulses);
    if start > 0.0 { now / start } else { now }
}

fn norm(
    system: &impl System,
    impulses: &[[f64; 3]],
    project: impl Fn(f64, f64, f64) -> (f64, f64),
    stiffness: impl Fn(usize) -> [f64; 2],
) -> f64 {
    // feasible first, then measure the step
    let feasible: Vec<[f64; 3]> = impulses
        .iter()
        .enumerate()
        .map(|(k, lambda)| {
            let normal = lambda[0].max(0.0);
            let (t1, t2) = project(system.friction(k) * normal, lambda[1], lambda[2]);
            [normal, t1, t2]
        })
        .collect();
    let mut sum = 0.0;
    for (k, w) in system.velocities_after(&feasible).iter().enumerate() {
        let (lambda, diagonal) = (feasible[k], system.diagonal(k));
        if diagonal.iter().any(|d| *d <= 0.0) {
            continue; // neither body can move
        }
        let [s1, s2] = stiffness(k);
        let normal = (lambda[0] - w[0] / diagonal[0]).max(0.0);
        let most = system.friction(k) * lambda[0];
        let (t1, t2) = project(most, lambda[1] - w[1] / s1, lambda[2] - w[2] / s2);
        sum += diagonal[0] * (lambda[0] - normal).powi(2)
            + s1 * (lambda[1] - t1).powi(2)
            + s2 * (lambda[2] - t2).powi(2);
    }
    sum.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pgs::{Sweeping, solve};
    use crate::test_problems::{column, random_cluster};

    #[test]
    fn merit_and_residual_vanish_at_a_solution() {
        let problem = random_cluster(2);
        let mut impulses = problem.zero_impulses();
        let before = merit(&problem, &impulses);
        solve(&problem, &mut impulses, Sweeping::times(3000));
        let (theta, e) = (merit(&problem, &impulses), residual(&problem, &impulses));
        assert!(
            theta < 1e-20 * before,
            "merit {theta:.1e}, {before:.1e} at the start"
        ); // measured: 8e-31 of it
        assert!(e < 1e-10, "residual {e:.1e}"); // measured: 6e-16
    }

    #[test]
    fn the_residual_is_one_at_the_start_and_does_not_depend_on_units() {
        let problem = random_cluster(4);
        assert_eq!(residual(&problem, &problem.zero_impulses()), 1.0);
        // tonnes instead of kilograms: the merit changes, the residual does not
        let mut heavy = problem.clone();
        for mass in &mut heavy.bodies {
            mass.inverse_mass *= 1e-3;
            let i = mass.inverse_inertia.matrix() * 1e-3;
            mass.inverse_inertia = drystone_base::Symmetric3::from_matrix(&i);
        }
        let mut light_impulses = problem.zero_impulses();
        solve(&problem, &mut light_impulses, Sweeping::times(4));
        let heavy_impulses: Vec<[f64; 3]> =
            light_impulses.iter().map(|l| l.map(|x| 1e3 * x)).collect();
        let (e, e_heavy) = (
            residual(&problem, &light_impulses),
            residual(&heavy, &heavy_impulses),
        );
        assert!((e / e_heavy - 1.0).abs() < 1e-12, "{e} and {e_heavy}");
    }

    #[test]
    fn the_residual_falls_with_every_sweep_over_a_column() {
        let problem = column(9, 1.0);
        let mut impulses = problem.zero_impulses();
        let mut last = 1.0;
        for _ in 0..50 {
            solve(&problem, &mut impulses, Sweeping::normals(1));
            let e = residual(&problem, &impulses);
            assert!(e < last, "{e} after {last}");
            last = e;
        }
    }
}
