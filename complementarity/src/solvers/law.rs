//! The three friction laws that solvers solve, and the residual that belongs to each.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::cone::onto_disc;
use crate::merit::{cone_residual_norm, residual_norm};
use crate::system::{State, System};

/// What is asked of friction.
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
    /// The impulse nearest to `impulse` that the law allows. For the pyramid and the cone the
    /// normal goes first and bounds friction; for the convex cone it is the nearest of all.
    pub fn allowed(self, friction: f64, impulse: [f64; 3]) -> [f64; 3] {
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

    /// How wrong impulses are before that is compared with the start [sqrt(J)]; see
    /// [`crate::merit::residual`].
    pub fn residual_norm<S: System>(self, system: &S, impulses: &[[f64; 3]]) -> f64 {
        match self {
            Self::Pyramid => residual_norm(system, impulses),
            Self::Cone => cone_residual_norm(system, impulses),
            Self::ConvexCone => convex_residual_norm(system, impulses),
        }
    }

    /// The scale-free residual: one at `λ = 0`, zero at a solution [1].
    pub fn residual<S: System>(self, system: &S, impulses: &[[f64; 3]]) -> f64 {
        let start = self.residual_norm(system, &vec![[0.0; 3]; system.contacts()]);
        let now = self.residual_norm(system, impulses);
        if start > 0.0 { now / start } else { now }
    }

    /// The merit function `θ = ½ HᵀH` (Erleben 2007, eq. 37-38) with the `H` that vanishes where
    /// the law holds: rows for the pyramid, on cones `H = λ − nearest(λ − w)`.
    pub fn merit<S: System>(self, system: &S, impulses: &[[f64; 3]]) -> f64 {
        let state = system.state(impulses.to_vec());
        if self != Self::ConvexCone {
            return self.merit_parts(system, &state).iter().sum();
        }
        let mut sum = 0.0;
        for k in 0..system.contacts() {
            let (lambda, w) = (state.impulses[k], system.velocity(k, &state));
            let next = onto_cone(
                system.friction(k),
                std::array::from_fn(|i| lambda[i] - w[i]),
            );
            sum += (0..3)
                .map(|i| 0.5 * (lambda[i] - next[i]).powi(2))
                .sum::<f64>();
        }
        sum
    }

    /// Shares of the normal and of the friction rows in the merit function (Erleben 2007,
    /// eq. 37-38); on cones friction is `H_t = λ_t − disc(λ_t − w_t)`.
    pub(crate) fn merit_parts<S: System>(self, system: &S, state: &State) -> [f64; 2] {
        let mut parts = [0.0; 2];
        for k in 0..system.contacts() {
            let (lambda, w) = (state.impulses[k], system.velocity(k, state));
            let most = (system.friction(k) * lambda[0]).max(0.0);
            let (x, y) = (lambda[1] - w[1], lambda[2] - w[2]);
            let (t1, t2) = match self {
                Self::Pyramid => (x.max(-most).min(most), y.max(-most).min(most)),
                Self::Cone | Self::ConvexCone => onto_disc(x, y, most),
            };
            parts[0] += 0.5 * lambda[0].min(w[0]).powi(2);
            parts[1] += 0.5 * ((lambda[1] - t1).powi(2) + (lambda[2] - t2).powi(2));
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

/// `sqrt(Σ ρ_k |λ_k − cone(λ_k − w_k / ρ_k)|²)` with `ρ` the largest diagonal value of a contact:
/// one step in all rows, so that the projection is the nearest point.
fn convex_residual_norm<S: System>(system: &S, impulses: &[[f64; 3]]) -> f64 {
    let feasible: Vec<[f64; 3]> = impulses
        .iter()
        .enumerate()
        .map(|(k, lambda)| onto_cone(system.friction(k), *lambda))
        .collect();
    let mut sum = 0.0;
    for (k, w) in system.velocities_after(&feasible).iter().enumerate() {
        let (lambda, stiffness) = (feasible[k], stiffness(system, k));
        if stiffness <= 0.0 {
            continue; // neither body can move
        }
        let step = std::array::from_fn(|i| lambda[i] - w[i] / stiffness);
        let next = onto_cone(system.friction(k), step);
        let change: f64 = (0..3).map(|i| (next[i] - lambda[i]).powi(2)).sum();
        sum += stiffness * change;
    }
    sum.sqrt()
}

/// Largest diagonal value of a contact [1/kg].
pub(crate) fn stiffness<S: System>(system: &S, k: usize) -> f64 {
    let diagonal = system.diagonal(k);
    diagonal[0].max(diagonal[1]).max(diagonal[2])
}
