//! Six numbers of a body, linear and angular, and how they are read from lanes.

use drystone_base::lanes::{Real, Wide8};
use drystone_base::{Symmetric3, Vec3};

/// A velocity, a momentum or a row of the Jacobian of one body: three linear entries, three angular,
/// two unused.
pub(super) type Six = Wide8<f64>;

#[inline]
pub(super) fn dot(x: &Six, y: &Six) -> f64 {
    let mut sum = 0.0;
    for i in 0..6 {
        sum += x.0[i] * y.0[i];
    }
    sum
}

#[inline]
pub(super) fn add(to: &mut Six, x: &Six, factor: f64) {
    for i in 0..6 {
        to.0[i] += x.0[i] * factor;
    }
}

pub(super) fn six(linear: Vec3, angular: Vec3) -> Six {
    Wide8([
        linear.x, linear.y, linear.z, angular.x, angular.y, angular.z, 0.0, 0.0,
    ])
}

pub(super) fn parts(x: &Six) -> (Vec3, Vec3) {
    let x = &x.0;
    (Vec3::new(x[0], x[1], x[2]), Vec3::new(x[3], x[4], x[5]))
}

pub(super) fn vector<T: Real>(of: &[Wide8<T>; 3], lane: usize) -> Vec3 {
    Vec3::new(
        of[0].0[lane].f64(),
        of[1].0[lane].f64(),
        of[2].0[lane].f64(),
    )
}

pub(super) fn symmetric<T: Real>(m: &[T; 6]) -> Symmetric3 {
    let [xx, yy, zz, xy, xz, yz] = m.map(Real::f64);
    Symmetric3 {
        xx,
        yy,
        zz,
        xy,
        xz,
        yz,
    }
}
