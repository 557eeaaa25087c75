//! A point of contact: its impulse in the augmented Lagrangian, how it moves, and how far it is from a
//! solution.

use super::six::Six;
use crate::block_cholesky::Place;
use crate::kernel::onto_disc;

/// A point of the island in hand.
#[derive(Clone, Debug)]
pub(super) struct Point {
    /// Indices of the bodies in the island, or [`NONE`].
    pub(super) body: [u32; 2],
    /// Rows n, t1, t2 of the Jacobian for each body.
    pub(super) rows: [[Six; 3]; 2],
    /// Relative velocity due to bodies that contacts do not move \[m/s\].
    pub(super) bias: [f64; 3],
    pub(super) target: f64,
    pub(super) friction: f64,
    /// 1 / A_nn and 1 / largest eigenvalue of A_tt \[kg\].
    pub(super) mass: [f64; 2],
    /// Multipliers along n, t1, t2 \[N s\].
    pub(super) lambda: [f64; 3],
    /// `μ |u_t|` of the previous multipliers \[m/s\].
    pub(super) lift: f64,
    /// Relative velocity, and its change along the direction of search \[m/s\].
    pub(super) u: [f64; 3],
    pub(super) change: [f64; 3],
    /// Best impulses so far \[N s\].
    pub(super) best: [f64; 3],
    /// Block, lane and number of the point.
    pub(super) at: (u32, u8, u8),
    pub(super) place: Option<Place>,
}

impl Point {
    /// The impulse of the augmented Lagrangian for the relative velocity `u`, and how the point
    /// moves.
    #[inline(always)]
    pub(super) fn projected(&self, u: &[f64; 3], stiffness: f64) -> ([f64; 3], Motion) {
        let mu = self.friction;
        let n = self.lambda[0] - stiffness * (u[0] - self.target + self.lift);
        let (t1, t2) = (
            self.lambda[1] - stiffness * u[1],
            self.lambda[2] - stiffness * u[2],
        );
        let length = (t1 * t1 + t2 * t2).sqrt();
        if n > 0.0 && length <= mu * n {
            return ([n, t1, t2], Motion::Sticks);
        }
        let pressed = (n + mu * length) / (1.0 + mu * mu);
        if pressed <= 0.0 || pressed.is_nan() {
            return ([0.0; 3], Motion::Opens);
        }
        let slip = if length > 0.0 {
            [t1 / length, t2 / length]
        } else {
            [1.0, 0.0]
        };
        let friction = mu * pressed;
        let share = if length > 0.0 { friction / length } else { 0.0 };
        (
            [pressed, friction * slip[0], friction * slip[1]],
            Motion::Slides { slip, share },
        )
    }
}

/// State of a point (open, sticking or sliding), with the terms of its projection's derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Motion {
    Opens,
    Sticks,
    /// Direction of the friction, and its length over that of the trial.
    Slides {
        slip: [f64; 2],
        share: f64,
    },
}

/// What one projected step at a point would change, in units of velocity \[m/s\]: zero at a
/// solution and only there.
pub(super) fn natural_residual(
    lambda: &[f64; 3],
    u: &[f64; 3],
    target: f64,
    mu: f64,
    mass: [f64; 2],
) -> f64 {
    let normal = (lambda[0] / mass[0]).min(u[0] - target).abs();
    let (t1, t2) = onto_disc(
        lambda[1] - mass[1] * u[1],
        lambda[2] - mass[1] * u[2],
        mu * lambda[0],
    );
    let (d1, d2) = (lambda[1] - t1, lambda[2] - t2);
    normal.max((d1 * d1 + d2 * d2).sqrt() / mass[1])
}
