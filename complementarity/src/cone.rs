//! Cone-projected block Gauss-Seidel: the price of a projected sweep, and friction that is
//! the same in every direction (Erleben 2017, blocked PROX).

use crate::pgs::{Solved, Sweeping, iterate, relax};
use crate::problem::Problem;

/// Sweeps over contacts, normal before friction:
///
/// `λ_n ← max(0, λ_n − y_n / A_nn)`, then with the newest normal impulse
/// `λ_t ← disc of radius μ λ_n of (λ_t − y_t / λ_max(A_tt))`
///
/// where `y = b + J ΔV` is the relative velocity just before each update and `λ_max` the larger
/// eigenvalue of the tangential 2x2 block. `impulses` holds the first guess and then the answer.
pub fn solve(problem: &Problem, impulses: &mut [[f64; 3]], sweeping: Sweeping) -> Solved {
    iterate(problem, impulses, sweeping, |rows, k, lambda, gamma, v| {
        let b = &problem.b[k];
        let mut change = relax(rows, 0, b[0], gamma, (0.0, f64::INFINITY), lambda, v);
        let tangential = rows.tangential + gamma;
        if sweeping.normals_only || tangential <= 0.0 {
            return change;
        }
        // both tangents at once, then back onto the disc
        let most = problem.contacts[k].friction * lambda[0];
        let step =
            |i: usize| lambda[i] - (b[i] + rows.velocity(i, v) + gamma * lambda[i]) / tangential;
        let (t1, t2) = onto_disc(step(1), step(2), most);
        for (i, new) in [(1, t1), (2, t2)] {
            let difference = new - lambda[i];
            lambda[i] = new;
            rows.push(i, difference, v);
            change += tangential * difference * difference;
        }
        change
    })
}

/// The nearest point to (`x`, `y`) at most `radius` from the origin.
#[inline]
pub(crate) fn onto_disc(x: f64, y: f64, radius: f64) -> (f64, f64) {
    let length = (x * x + y * y).sqrt();
    if length <= radius {
        return (x, y);
    }
    (x * radius / length, y * radius / length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merit::cone_residual;
    use crate::test_problems::{random_cluster, sliding_block};

    #[test]
    fn friction_on_the_cone_is_the_same_in_every_direction() {
        for i in 0..16 {
            let angle = f64::from(i) * std::f64::consts::TAU / 16.0;
            let problem = sliding_block(angle, 0.5);
            let mut impulses = problem.zero_impulses();
            solve(&problem, &mut impulses, Sweeping::times(200));
            let friction = (impulses[0][1].powi(2) + impulses[0][2].powi(2)).sqrt();
            let ratio = friction / (0.5 * impulses[0][0]);
            assert!((ratio - 1.0).abs() < 1e-12, "direction {i}: {ratio}"); // measured: 1e-16
        }
        // the pyramid with fixed axes gives √2 along its diagonal
        let problem = sliding_block(std::f64::consts::FRAC_PI_4, 0.5);
        let mut impulses = problem.zero_impulses();
        crate::pgs::solve(&problem, &mut impulses, Sweeping::times(200));
        let friction = (impulses[0][1].powi(2) + impulses[0][2].powi(2)).sqrt();
        let ratio = friction / (0.5 * impulses[0][0]);
        assert!((ratio - 2f64.sqrt()).abs() < 1e-9, "{ratio}"); // measured: 2e-16
    }

    #[test]
    fn sweeping_on_drives_the_cone_residual_to_nothing() {
        let problem = random_cluster(21);
        let mut impulses = problem.zero_impulses();
        solve(&problem, &mut impulses, Sweeping::times(2000));
        let e = cone_residual(&problem, &impulses);
        assert!(e < 1e-10, "residual {e:.1e}"); // measured: 2e-14
    }
}
