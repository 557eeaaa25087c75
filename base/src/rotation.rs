//! Rotations as vectors: logarithm, the Jacobians that turn rates of the vector into angular
//! velocity, and products with skew matrices.

use crate::functions::{atan2, cos, sin};
use crate::{Mat3, Quat, Vec3};

/// The rotation vector of `q`, the shorter way round \[rad\].
#[inline]
pub fn log(q: Quat) -> Vec3 {
    let (v, w) = if q.w < 0.0 {
        (-q.xyz(), -q.w)
    } else {
        (q.xyz(), q.w)
    };
    let length_squared = v.length_squared();
    let norm_squared = w * w + length_squared;
    if length_squared < 0.01 * norm_squared {
        // 2 asin(x) / x by its series, divided by what little the norm is off
        let x = length_squared / norm_squared;
        let c = 231.0 / 13312.0 + x * (143.0 / 10240.0);
        let c = 35.0 / 1152.0 + x * (63.0 / 2816.0 + x * c);
        let c = 1.0 / 6.0 + x * (3.0 / 40.0 + x * (5.0 / 112.0 + x * c));
        return v * ((2.0 + 2.0 * x * c) / norm_squared.sqrt());
    }
    let length = length_squared.sqrt();
    v * (2.0 * atan2(length, w) / length)
}

/// `[v]`, the matrix of `v ×`.
#[inline]
pub fn skew(v: Vec3) -> Mat3 {
    Mat3::from_cols(
        Vec3::new(0.0, v.z, -v.y),
        Vec3::new(-v.z, 0.0, v.x),
        Vec3::new(v.y, -v.x, 0.0),
    )
}

/// The product `[v] m`, where `[v]` is the cross-product matrix of `v`.
#[inline]
pub fn skew_times(v: Vec3, m: &Mat3) -> Mat3 {
    Mat3::from_cols(v.cross(m.x_axis), v.cross(m.y_axis), v.cross(m.z_axis))
}

/// The product `m [v]`, where `[v]` is the cross-product matrix of `v`.
#[inline]
pub fn times_skew(m: &Mat3, v: Vec3) -> Mat3 {
    Mat3::from_cols(
        m.y_axis * v.z - m.z_axis * v.y,
        m.z_axis * v.x - m.x_axis * v.z,
        m.x_axis * v.y - m.y_axis * v.x,
    )
}

/// `[a] [b] = b aᵀ − (a·b) 1`.
#[inline]
pub fn skew_skew(a: Vec3, b: Vec3) -> Mat3 {
    let mut m = outer(b, a);
    let d = a.dot(b);
    m.x_axis.x -= d;
    m.y_axis.y -= d;
    m.z_axis.z -= d;
    m
}

/// The outer product `a bᵀ`.
#[inline]
pub fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// `d` times the identity.
#[inline]
pub fn scalar(d: f64) -> Mat3 {
    Mat3::from_diagonal(Vec3::splat(d))
}

/// Coefficients `(1 − cos θ)/θ²`, `(θ − sin θ)/θ³` and their derivatives by θ, divided by θ.
fn coefficients(angle_squared: f64) -> [f64; 4] {
    let t2 = angle_squared;
    if t2 < 0.04 {
        let a = 0.5 - t2 / 24.0 * (1.0 - t2 / 30.0 * (1.0 - t2 / 56.0 * (1.0 - t2 / 90.0)));
        let b = 1.0 / 6.0 - t2 / 120.0 * (1.0 - t2 / 42.0 * (1.0 - t2 / 72.0 * (1.0 - t2 / 110.0)));
        let da = -1.0 / 12.0 + t2 / 180.0 * (1.0 - t2 * 3.0 / 112.0 * (1.0 - t2 / 67.5));
        let db = -1.0 / 60.0 + t2 / 1260.0 * (1.0 - t2 / 48.0 * (1.0 - t2 / 82.5));
        return [a, b, da, db];
    }
    let t = t2.sqrt();
    let (s, c) = (sin(t), cos(t));
    [
        (1.0 - c) / t2,
        (t - s) / (t2 * t),
        (t * s - 2.0 * (1.0 - c)) / (t2 * t2),
        (3.0 * s - 2.0 * t - t * c) / (t2 * t2 * t),
    ]
}

/// `A(r)` with body angular velocity `ω = A(r) ṙ` for `R = exp(r)`.
///
/// `A = 1 − (1−cos θ)/θ² [r] + (θ−sin θ)/θ³ [r]²`, θ = |r|.
pub fn body_jacobian(r: Vec3) -> Mat3 {
    let [a, b, ..] = coefficients(r.length_squared());
    Mat3::IDENTITY - skew(r) * a + skew_skew(r, r) * b
}

/// Time derivative of [`body_jacobian`] while `r` changes at `rate`.
pub fn body_jacobian_rate(r: Vec3, rate: Vec3) -> Mat3 {
    let [a, b, da, db] = coefficients(r.length_squared());
    let along = r.dot(rate);
    skew(r) * (-da * along) - skew(rate) * a
        + skew_skew(r, r) * (db * along)
        + (skew_skew(rate, r) + skew_skew(r, rate)) * b
}

/// Inverse of [`body_jacobian`], by series: exact to 1e-9 below 1 rad, enough for a Newton matrix.
#[inline]
pub fn inverse_body_jacobian(r: Vec3) -> Mat3 {
    let t2 = r.length_squared();
    let c = 1.0 / 12.0 + t2 * (1.0 / 720.0 + t2 * (1.0 / 30240.0 + t2 / 1_209_600.0));
    Mat3::IDENTITY + skew(r) * 0.5 + skew_skew(r, r) * c
}

/// `q ∘ exp(v)` to second order and of length one: the cheap update of a Newton iteration.
#[inline]
pub fn nudge(q: Quat, v: Vec3) -> Quat {
    (q * Quat::from_xyzw(0.5 * v.x, 0.5 * v.y, 0.5 * v.z, 1.0)).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::rotation_vector;
    use crate::random::Random;

    fn vector(random: &mut Random, size: f64) -> Vec3 {
        Vec3::new(
            random.range(-size, size),
            random.range(-size, size),
            random.range(-size, size),
        )
    }

    #[test]
    fn logarithm_undoes_the_exponential_at_every_size() {
        let mut random = Random::new(1);
        for size in [1e-9, 1e-7, 1e-5, 1e-2, 0.1, 0.15, 1.0, 1.7] {
            let v = vector(&mut random, size);
            let error = (log(rotation_vector(v)) - v).length() / v.length();
            assert!(error < 1e-14, "{size}: {error:.1e}"); // measured: 2e-16
        }
    }

    #[test]
    fn jacobians_are_those_of_finite_differences() {
        let mut random = Random::new(2);
        for size in [1e-3, 0.05, 0.11, 0.12, 0.5, 1.4] {
            let (r, rate) = (vector(&mut random, size), vector(&mut random, 1.0));
            let h = 1e-5;
            let turn = rotation_vector(r - rate * h).conjugate() * rotation_vector(r + rate * h);
            let found = body_jacobian(r) * rate;
            // log is about the earlier frame, half a step off: the error is of second order
            let error = (found - log(turn) / (2.0 * h)).length();
            assert!(error < 1e-9, "A: {error:.1e}"); // measured: 6e-12
            let slope = (body_jacobian(r + rate * h) * rate - body_jacobian(r - rate * h) * rate)
                / (2.0 * h);
            let error = (body_jacobian_rate(r, rate) * rate - slope).length();
            assert!(error < 1e-9, "A rate: {error:.1e}"); // measured: 1e-11
            if r.length() < 1.0 {
                let one = inverse_body_jacobian(r) * body_jacobian(r) - Mat3::IDENTITY;
                let error = one.x_axis.length() + one.y_axis.length() + one.z_axis.length();
                assert!(error < 1e-8, "inverse: {error:.1e}"); // measured: 3e-11
            }
        }
    }

    #[test]
    fn products_with_skew_matrices_are_products() {
        let mut random = Random::new(3);
        let (a, b) = (vector(&mut random, 1.0), vector(&mut random, 1.0));
        let m = Mat3::from_cols(a, b, vector(&mut random, 1.0));
        let far = |x: Mat3, y: Mat3| {
            let d = x - y;
            d.x_axis.length() + d.y_axis.length() + d.z_axis.length()
        };
        assert!(far(skew_times(a, &m), skew(a) * m) < 1e-15);
        assert!(far(times_skew(&m, a), m * skew(a)) < 1e-15);
        assert!(far(skew_skew(a, b), skew(a) * skew(b)) < 1e-15);
    }
}
