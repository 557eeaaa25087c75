//! How far to go along Newton's direction.

use super::island::Island;
use super::six::{dot, parts};
use crate::blocks::NONE;

/// The line search ends where the slope has fallen to this share of the first, or after `TRIALS` trials.
const SLOPE: f64 = 0.1;
const TRIALS: u32 = 20;

impl Island {
    /// The step along `direction`, at most 1, at which the derivative nearly vanishes.
    pub(super) fn line_search(&mut self) -> f64 {
        let (mut first, mut curve) = (0.0, 0.0);
        for (((d, v), free), body) in self
            .direction
            .iter()
            .zip(&self.v)
            .zip(&self.free)
            .zip(&self.bodies)
        {
            let ((v, w), (v0, w0), (dv, dw)) = (parts(v), parts(free), parts(d));
            first += body.mass * dv.dot(v - v0) + dw.dot(body.inertia.times(w - w0));
            curve += body.mass * dv.dot(dv) + dw.dot(body.inertia.times(dw));
        }
        for point in &mut self.points {
            let mut change = [0.0; 3];
            for (side, &body) in point.body.iter().enumerate() {
                if body != NONE {
                    for (to, row) in change.iter_mut().zip(&point.rows[side]) {
                        *to += dot(row, &self.direction[body as usize]);
                    }
                }
            }
            point.change = change;
        }
        let slope = |step: f64| {
            let mut sum = first + step * curve;
            for point in &self.points {
                let mut u = point.u;
                for (u, change) in u.iter_mut().zip(&point.change) {
                    *u += step * change;
                }
                let p = point.projected(&u, self.stiffness).0;
                sum -= p[0] * point.change[0] + p[1] * point.change[1] + p[2] * point.change[2];
            }
            sum
        };

        // the derivative rises with the step: false position, halving where it hangs
        let start = slope(0.0);
        if start >= 0.0 || start.is_nan() {
            return 0.0;
        }
        let (mut low, mut low_slope) = (0.0, start);
        let (mut high, mut high_slope) = (1.0, slope(1.0));
        let enough = SLOPE * -start;
        if high_slope <= enough {
            return 1.0;
        }
        let mut step = 0.5;
        for trial in 0..TRIALS {
            step = if trial % 3 == 2 {
                0.5 * (low + high)
            } else {
                low + (high - low) * low_slope / (low_slope - high_slope)
            };
            let here = slope(step);
            if here.abs() <= enough {
                break;
            }
            if here < 0.0 {
                (low, low_slope) = (step, here);
            } else {
                (high, high_slope) = (step, here);
            }
        }
        step
    }
}
