//! The three friction laws that solvers solve, and the residual that belongs to each.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::kernel::onto_disc;
use crate::operator::{Iterate, Operator};

/// The law of friction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// Each tangent apart between `±μ λ_n` (Erleben 2007, eq. 8c): a square pyramid.
    Pyramid,
    /// Coulomb: at most `μ λ_n` in any direction, against sliding.
    Cone,
    /// The least energy in Coulomb's cones, `w` in the dual cones: convex, and sliding contacts
    /// part at `μ |w_t|` (Mazhar 2015). The same as [`Law::Cone`] where nothing slides.
    ConvexCone,
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Pyramid => "pyramid",
            Self::Cone => "cone",
            Self::ConvexCone => "convex-cone",
        })
    }
}

impl Law {
    /// Projects an impulse onto the set that the law allows. For the pyramid and the cone the normal is projected
    /// first and bounds friction; for the convex cone it is the nearest point.
    #[inline]
    pub fn project(self, friction: f64, impulse: [f64; 3]) -> [f64; 3] {
        let [normal, t1, t2] = impulse;
        let most = friction * normal.max(0.0);
        match self {
            Self::Pyramid => [
                normal.max(0.0),
                t1.max(-most).min(most),
                t2.max(-most).min(most),
            ],
            Self::Cone => {
                let (t1, t2) = onto_disc(t1, t2, most);
                [normal.max(0.0), t1, t2]
            }
            Self::ConvexCone => onto_cone(friction, impulse),
        }
    }

    /// [`Law::project`] of a step from `lambda` to `next`. Friction of the pyramid and the cone is
    /// bounded by the normal impulse before the step.
    fn project_step(self, friction: f64, lambda: [f64; 3], next: [f64; 3]) -> [f64; 3] {
        match self {
            Self::Pyramid | Self::Cone => {
                let [_, t1, t2] = self.project(friction, [lambda[0], next[1], next[2]]);
                [next[0].max(0.0), t1, t2]
            }
            Self::ConvexCone => onto_cone(friction, next),
        }
    }

    /// Stiffness of the rows of contact `k` in a projected step \[1/kg\]: the diagonal; on the cone
    /// `λ_max(A_tt)` for both tangents; on the convex cone one for all three, so that the projection
    /// is the nearest point.
    fn stiffness<O: Operator>(self, operator: &O, k: usize) -> [f64; 3] {
        let diagonal = operator.diagonal(k);
        match self {
            Self::Pyramid => diagonal,
            Self::Cone => [diagonal[0], operator.tangential(k), operator.tangential(k)],
            Self::ConvexCone => [stiffness(operator, k); 3],
        }
    }

    /// The residual before it is compared with the start \[sqrt(J)\]: the change by one more projected
    /// step from feasible impulses, in the energy norm,
    ///
    /// `sqrt(Σ A_ii r_i²)`, `r_i = λ_i − project(λ_i − w_i / A_ii)`.
    pub fn residual_norm<O: Operator>(self, operator: &O, impulses: &[[f64; 3]]) -> f64 {
        let feasible: Vec<[f64; 3]> = (impulses.iter().enumerate())
            .map(|(k, lambda)| self.project(operator.friction(k), *lambda))
            .collect();
        let mut sum = 0.0;
        for (k, w) in operator.velocities_after(&feasible).iter().enumerate() {
            let (lambda, stiffness) = (feasible[k], self.stiffness(operator, k));
            if stiffness.iter().any(|s| *s <= 0.0) {
                continue; // neither body can move
            }
            let step = std::array::from_fn(|i| lambda[i] - w[i] / stiffness[i]);
            let next = self.project_step(operator.friction(k), lambda, step);
            sum += (0..3)
                .map(|i| stiffness[i] * (lambda[i] - next[i]).powi(2))
                .sum::<f64>();
        }
        sum.sqrt()
    }

    /// The scale-free residual: one at `λ = 0`, zero at a solution \[1\]. If nothing approaches at
    /// `λ = 0` there is nothing to compare with, and it is [`Law::residual_norm`] \[sqrt(J)\].
    pub fn residual<O: Operator>(self, operator: &O, impulses: &[[f64; 3]]) -> f64 {
        let start = self.residual_norm(operator, &vec![[0.0; 3]; operator.contacts()]);
        let now = self.residual_norm(operator, impulses);
        if start > 0.0 { now / start } else { now }
    }

    /// The merit function, zero at a solution and nowhere else:
    ///
    /// `H = λ − project(λ − w)`, `θ = ½ HᵀH`   (Erleben 2007, eq. 37-38, where it is written
    /// `H_i = min(λ_i − lo_i, max(λ_i − hi_i, w_i))`)
    ///
    /// It adds squares of N s and of m/s, so its value depends on the units; [`Law::residual`] does
    /// not.
    pub fn merit<O: Operator>(self, operator: &O, impulses: &[[f64; 3]]) -> f64 {
        let iterate = operator.iterate(impulses.to_vec());
        self.merit_parts(operator, &iterate).iter().sum()
    }

    /// The parts of [`Law::merit`] from normal and from friction rows.
    pub(crate) fn merit_parts<O: Operator>(self, operator: &O, iterate: &Iterate) -> [f64; 2] {
        let mut parts = [0.0; 2];
        for (k, lambda) in iterate.impulses.iter().enumerate() {
            let w = operator.velocity(k, iterate);
            let step = std::array::from_fn(|i| lambda[i] - w[i]);
            let next = self.project_step(operator.friction(k), *lambda, step);
            parts[0] += 0.5 * (lambda[0] - next[0]).powi(2);
            parts[1] += 0.5 * ((lambda[1] - next[1]).powi(2) + (lambda[2] - next[2]).powi(2));
        }
        parts
    }
}

/// The nearest point of the cone `|t| <= μ n`.
pub(crate) fn onto_cone(friction: f64, impulse: [f64; 3]) -> [f64; 3] {
    let [n, t1, t2] = impulse;
    let t = (t1 * t1 + t2 * t2).sqrt();
    if t <= friction * n {
        return impulse;
    }
    // below the polar cone the tip is nearest
    if friction * t <= -n || t == 0.0 {
        return [n.max(0.0) * f64::from(u8::from(t == 0.0)), 0.0, 0.0];
    }
    let normal = (n + friction * t) / (1.0 + friction * friction);
    let scale = friction * normal / t;
    [normal, t1 * scale, t2 * scale]
}

/// Largest diagonal value of a contact \[1/kg\].
pub(crate) fn stiffness<O: Operator>(operator: &O, k: usize) -> f64 {
    let diagonal = operator.diagonal(k);
    diagonal[0].max(diagonal[1]).max(diagonal[2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operator::FactoredOperator;
    use crate::problem::Problem;
    use crate::sweeping::{Sweeping, pgs as solve};
    use crate::test_problems::{column, random_cluster};

    fn residual(problem: &Problem, impulses: &[[f64; 3]]) -> f64 {
        Law::Pyramid.residual(&FactoredOperator::new(problem), impulses)
    }

    fn merit(problem: &Problem, impulses: &[[f64; 3]]) -> f64 {
        Law::Pyramid.merit(&FactoredOperator::new(problem), impulses)
    }

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
