//! Gauss-Seidel sweeps of the steppers over a factored problem, contact by contact in the order of
//! the list (Erleben 2007, §3): the kernels of the solvers `pgs` and `cone` without their frame of
//! residuals, history and orderings.

use crate::kernel;
use crate::operator::{AtContact, FactoredOperator, Operator};
use crate::problem::{Problem, Twist};

/// Limits of a solve by sweeps, and the rows that it treats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sweeping {
    /// Most sweeps over all contacts.
    pub sweeps: u32,
    /// Whether friction is left out, as the position correction does (Erleben 2007, eq. 46).
    pub normals_only: bool,
    /// Stops when a sweep changes the impulses, in the energy norm `sqrt(Σ A_ii Δλ_i²)`, by less
    /// than this part of what it takes to stop every approach at `λ = 0` \[1\]. Zero: never.
    pub tolerance: f64,
}

impl Sweeping {
    /// `sweeps` sweeps over normals and friction.
    pub const fn times(sweeps: u32) -> Self {
        Self {
            sweeps,
            normals_only: false,
            tolerance: 0.0,
        }
    }

    /// `sweeps` sweeps over the normals.
    pub const fn normals(sweeps: u32) -> Self {
        Self {
            sweeps,
            normals_only: true,
            tolerance: 0.0,
        }
    }
}

/// Result of a solver apart from the impulses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Solved {
    /// `ΔV = M⁻¹ Jᵀ λ`, used as it is in the velocity update.
    pub delta_v: Vec<Twist>,
    /// Sweeps done.
    pub sweeps: u32,
}

/// Sweeps on the friction pyramid. `impulses` holds the first guess (zero, or those of the last
/// step) and then the answer.
pub fn pgs(problem: &Problem, impulses: &mut [[f64; 3]], sweeping: Sweeping) -> Solved {
    let stiffness = |at: &AtContact| [at.block[0][0], at.block[1][1], at.block[2][2]];
    sweep(problem, impulses, sweeping, kernel::pyramid, stiffness)
}

/// Sweeps on the friction cone, the same in every direction; otherwise as [`pgs`].
pub fn cone(problem: &Problem, impulses: &mut [[f64; 3]], sweeping: Sweeping) -> Solved {
    let stiffness = |at: &AtContact| [at.block[0][0], at.tangential, at.tangential];
    sweep(problem, impulses, sweeping, kernel::cone, stiffness)
}

/// Sweeps by `rule`, whose three rows are of `stiffness` \[1/kg\].
fn sweep(
    problem: &Problem,
    impulses: &mut [[f64; 3]],
    sweeping: Sweeping,
    rule: impl Fn(&AtContact, f64) -> [f64; 3],
    stiffness: impl Fn(&AtContact) -> [f64; 3],
) -> Solved {
    if sweeping.normals_only {
        (impulses.iter_mut()).for_each(|lambda| (lambda[1], lambda[2]) = (0.0, 0.0));
    }
    let operator = FactoredOperator::new(problem);
    let mut iterate = operator.iterate(impulses.to_vec());
    let enough = sweeping.tolerance * sweeping.tolerance * approach(&operator);
    let last = f64::from(sweeping.sweeps.saturating_sub(1));
    let mut sweeps = 0;
    while sweeps < sweeping.sweeps {
        // γ fades linearly and is gone in the last sweep
        let gamma = if last > 0.0 {
            problem.relaxation * (last - f64::from(sweeps)) / last
        } else {
            0.0
        };
        let mut change = 0.0;
        for k in 0..operator.contacts() {
            operator.update(k, &mut iterate, |at| {
                let at = at.relaxed(gamma);
                let mut new = rule(&at, 1.0);
                if sweeping.normals_only {
                    (new[1], new[2]) = (0.0, 0.0);
                }
                let stiffness = stiffness(&at);
                for i in 0..3 {
                    change += stiffness[i] * (new[i] - at.impulse[i]).powi(2);
                }
                new
            });
        }
        sweeps += 1;
        if change <= enough {
            break;
        }
    }
    impulses.copy_from_slice(&iterate.impulses);
    Solved {
        delta_v: iterate.delta_v,
        sweeps,
    }
}

/// `Σ A_nn r_n²` at `λ = 0`: only normals can act there, friction has no room yet.
fn approach(operator: &FactoredOperator<'_>) -> f64 {
    let normals = (operator.b().iter().enumerate()).map(|(k, b)| (b[0], operator.diagonal(k)[0]));
    normals
        .filter(|(_, diagonal)| *diagonal > 0.0)
        .map(|(b, diagonal)| b.min(0.0).powi(2) / diagonal)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Law;
    use crate::test_problems::{column, random_cluster, sliding_block};

    /// Gauss-Seidel on the assembled matrix, the ten-line reference.
    fn dense_sweeps(problem: &Problem, impulses: &mut [[f64; 3]], sweeps: u32) {
        let a = problem.dense();
        for _ in 0..sweeps {
            for row in 0..a.len() {
                let (k, i) = (row / 3, row % 3);
                let product: f64 = (0..a.len())
                    .map(|j| a[row][j] * impulses[j / 3][j % 3])
                    .sum();
                let free = impulses[k][i] - (problem.b[k][i] + product) / a[row][row];
                let most = problem.contacts[k].friction * impulses[k][0];
                impulses[k][i] = if i == 0 {
                    free.max(0.0)
                } else {
                    free.clamp(-most, most)
                };
            }
        }
    }

    #[test]
    fn the_factored_sweep_is_the_dense_sweep() {
        let problem = random_cluster(3);
        let (mut factored, mut dense) = (problem.zero_impulses(), problem.zero_impulses());
        pgs(&problem, &mut factored, Sweeping::times(20));
        dense_sweeps(&problem, &mut dense, 20);
        let largest = dense.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
        let error = factored.iter().flatten().zip(dense.iter().flatten());
        let error = error.fold(0.0f64, |m, (x, y)| m.max((x - y).abs())) / largest;
        assert!(
            error < 1e-12,
            "differs by {error:.1e} of the largest impulse"
        ); // measured: 1e-15
    }

    #[test]
    fn a_warm_start_goes_on_where_the_last_sweep_stopped() {
        let problem = random_cluster(8);
        let (mut once, mut twice) = (problem.zero_impulses(), problem.zero_impulses());
        pgs(&problem, &mut once, Sweeping::times(12));
        pgs(&problem, &mut twice, Sweeping::times(5));
        let solved = pgs(&problem, &mut twice, Sweeping::times(7));
        let error = once.iter().flatten().zip(twice.iter().flatten());
        let error = error.fold(0.0f64, |m, (x, y)| m.max((x - y).abs()));
        assert!(error < 1e-12, "differs by {error:.1e} N s"); // measured: 9e-16
        for (v, exact) in solved.delta_v.iter().zip(problem.delta_v(&twice)) {
            assert!((v.linear - exact.linear).length() < 1e-12);
        }
    }

    /// A column of `n` equal bodies with one normal contact per interface has the closed form
    /// `ρ = cos²(π/2n)`, derived from the eigenvalues of the tridiagonal `A`.
    #[test]
    fn a_column_converges_at_the_rate_of_its_closed_form() {
        for n in [3u32, 9, 25] {
            let problem = column(n as usize, 1.0);
            let exact = |k: usize| f64::from(n) - k as f64;
            let error = |impulses: &[[f64; 3]]| -> f64 {
                impulses
                    .iter()
                    .enumerate()
                    .map(|(k, l)| (l[0] - exact(k)).powi(2))
                    .sum::<f64>()
                    .sqrt()
            };
            let mut impulses = problem.zero_impulses();
            pgs(&problem, &mut impulses, Sweeping::normals(n * n / 2 + 20));
            let before = error(&impulses);
            pgs(&problem, &mut impulses, Sweeping::normals(1));
            let rate = error(&impulses) / before;
            let angle = std::f64::consts::FRAC_PI_2 / f64::from(n);
            let closed = drystone_base::functions::cos(angle).powi(2);
            // the slow part is what matters: compare 1 - rate, too, within 1 %
            let miss = ((1.0 - rate) / (1.0 - closed) - 1.0).abs();
            assert!(
                (rate / closed - 1.0).abs() < 0.01,
                "{n} bodies: rate {rate}, closed form {closed}"
            );
            assert!(miss < 0.01, "{n} bodies: 1 - rate is off by {miss:.1e}"); // measured: 4e-16, 5e-8, 3e-6
        }
    }

    #[test]
    fn ten_cold_sweeps_leave_most_of_a_tall_column_unsupported() {
        // part of the weight that the ground contact carries; facts of the closed form
        for (n, part) in [(9, 0.39), (25, 0.14), (40, 0.09)] {
            let problem = column(n, 1.0);
            let mut impulses = problem.zero_impulses();
            pgs(&problem, &mut impulses, Sweeping::normals(10));
            let carried = impulses[0][0] / n as f64;
            assert!((carried - part).abs() < 0.006, "{n} bodies: {carried}"); // measured: 0.392, 0.141, 0.088
        }
    }

    #[test]
    fn relaxation_weakens_early_sweeps_and_is_gone_in_the_last() {
        let mut problem = column(1, 2.0);
        problem.relaxation = 0.5;
        // one sweep: γ = 0, the exact answer
        let mut impulses = problem.zero_impulses();
        pgs(&problem, &mut impulses, Sweeping::normals(1));
        assert!((impulses[0][0] - 2.0).abs() < 1e-15);
        // two sweeps: the first against A + γ, the last exact again
        let mut impulses = problem.zero_impulses();
        pgs(&problem, &mut impulses, Sweeping::normals(2));
        assert!((impulses[0][0] - 2.0).abs() < 1e-15);
        // on a column the relaxed sweeps carry less
        let mut tall = column(9, 1.0);
        let (mut plain, mut relaxed) = (tall.zero_impulses(), tall.zero_impulses());
        pgs(&tall, &mut plain, Sweeping::normals(10));
        tall.relaxation = 0.5;
        pgs(&tall, &mut relaxed, Sweeping::normals(10));
        assert!(
            relaxed[0][0] < 0.95 * plain[0][0],
            "{} of {}",
            relaxed[0][0],
            plain[0][0]
        ); // measured: 2.27 of 3.52
    }

    #[test]
    fn a_converged_solve_stops_early() {
        let problem = column(3, 1.0);
        let mut impulses = problem.zero_impulses();
        let sweeping = Sweeping {
            tolerance: 1e-6,
            ..Sweeping::normals(1000)
        };
        let solved = pgs(&problem, &mut impulses, sweeping);
        assert!(solved.sweeps < 60, "took {} sweeps", solved.sweeps); // measured: 50
        assert!((impulses[0][0] - 3.0).abs() < 1e-5);
    }

    #[test]
    fn a_contact_between_two_immovable_bodies_does_nothing() {
        let mut problem = column(1, 1.0);
        problem.bodies[1] = Default::default();
        let mut impulses = problem.zero_impulses();
        pgs(&problem, &mut impulses, Sweeping::times(3));
        assert_eq!(impulses[0], [0.0; 3]);
    }

    #[test]
    fn friction_on_the_cone_is_the_same_in_every_direction() {
        for i in 0..16 {
            let angle = f64::from(i) * std::f64::consts::TAU / 16.0;
            let problem = sliding_block(angle, 0.5);
            let mut impulses = problem.zero_impulses();
            cone(&problem, &mut impulses, Sweeping::times(200));
            let friction = (impulses[0][1].powi(2) + impulses[0][2].powi(2)).sqrt();
            let ratio = friction / (0.5 * impulses[0][0]);
            assert!((ratio - 1.0).abs() < 1e-12, "direction {i}: {ratio}"); // measured: 1e-16
        }
        // the pyramid with fixed axes gives √2 along its diagonal
        let problem = sliding_block(std::f64::consts::FRAC_PI_4, 0.5);
        let mut impulses = problem.zero_impulses();
        pgs(&problem, &mut impulses, Sweeping::times(200));
        let friction = (impulses[0][1].powi(2) + impulses[0][2].powi(2)).sqrt();
        let ratio = friction / (0.5 * impulses[0][0]);
        assert!((ratio - 2f64.sqrt()).abs() < 1e-9, "{ratio}"); // measured: 2e-16
    }

    #[test]
    fn sweeping_on_drives_the_cone_residual_to_nothing() {
        let problem = random_cluster(21);
        let mut impulses = problem.zero_impulses();
        cone(&problem, &mut impulses, Sweeping::times(2000));
        let e = Law::Cone.residual(&FactoredOperator::new(&problem), &impulses);
        assert!(e < 1e-10, "residual {e:.1e}"); // measured: 2e-14
    }
}
