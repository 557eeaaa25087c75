//! `sin` and friends with the same bits on every platform (libm, never the system's).

use crate::{Quat, Vec3};

/// Sine of `x` \[rad\].
#[inline]
pub fn sin(x: f64) -> f64 {
    libm::sin(x)
}

/// Cosine of `x` \[rad\].
#[inline]
pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}

/// Tangent of `x` \[rad\].
#[inline]
pub fn tan(x: f64) -> f64 {
    libm::tan(x)
}

/// Angle of the point (`x`, `y`) \[rad\].
#[inline]
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

/// Angle whose cosine is `x`, clamped into \[-1, 1\] first \[rad\].
#[inline]
pub fn acos(x: f64) -> f64 {
    libm::acos(x.clamp(-1.0, 1.0))
}

/// `x` to the power `y`.
#[inline]
pub fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// e to the power `x`.
#[inline]
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// Natural logarithm.
#[inline]
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// Rotation by `angle` \[rad\] about the unit vector `axis`.
pub fn rotation_about(axis: Vec3, angle: f64) -> Quat {
    let (s, c) = (sin(0.5 * angle), cos(0.5 * angle));
    Quat::from_xyzw(axis.x * s, axis.y * s, axis.z * s, c)
}

/// The finite rotation whose axis and angle are those of `v` \[rad\].
pub fn rotation_vector(v: Vec3) -> Quat {
    let square = v.length_squared();
    if square < 1e-3 {
        // series of sin(angle/2)/angle and cos(angle/2), exact to the last digit here
        let half = 0.5 - square * (1.0 / 48.0 - square * (1.0 / 3840.0 - square / 645_120.0));
        let w = 1.0 - square * (0.125 - square * (1.0 / 384.0 - square / 46_080.0));
        return Quat::from_xyzw(half * v.x, half * v.y, half * v.z, w);
    }
    let angle = square.sqrt();
    rotation_about(v / angle, angle)
}
