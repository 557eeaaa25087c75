//! Symmetric 3x3 matrices: inertia tensors and their inverses.

use serde::{Deserialize, Serialize};

use crate::{Mat3, Quat, Vec3};

/// A symmetric 3x3 matrix, six numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Symmetric3 {
    pub xx: f64,
    pub yy: f64,
    pub zz: f64,
    pub xy: f64,
    pub xz: f64,
    pub yz: f64,
}

impl Symmetric3 {
    /// All zero: the inverse inertia of what cannot turn.
    pub const ZERO: Self = Self::diagonal(Vec3::ZERO);

    /// A diagonal matrix.
    pub const fn diagonal(d: Vec3) -> Self {
        Self {
            xx: d.x,
            yy: d.y,
            zz: d.z,
            xy: 0.0,
            xz: 0.0,
            yz: 0.0,
        }
    }

    /// The symmetric part of `m`.
    pub fn from_matrix(m: &Mat3) -> Self {
        Self {
            xx: m.x_axis.x,
            yy: m.y_axis.y,
            zz: m.z_axis.z,
            xy: 0.5 * (m.x_axis.y + m.y_axis.x),
            xz: 0.5 * (m.x_axis.z + m.z_axis.x),
            yz: 0.5 * (m.y_axis.z + m.z_axis.y),
        }
    }

    /// The full matrix.
    #[inline]
    pub fn matrix(&self) -> Mat3 {
        Mat3::from_cols(
            Vec3::new(self.xx, self.xy, self.xz),
            Vec3::new(self.xy, self.yy, self.yz),
            Vec3::new(self.xz, self.yz, self.zz),
        )
    }

    /// Matrix times vector.
    #[inline]
    pub fn times(&self, v: Vec3) -> Vec3 {
        Vec3::new(
            self.xx * v.x + self.xy * v.y + self.xz * v.z,
            self.xy * v.x + self.yy * v.y + self.yz * v.z,
            self.xz * v.x + self.yz * v.y + self.zz * v.z,
        )
    }

    /// `R self Rᵀ`: the same tensor seen from a frame turned by `rotation`.
    #[inline]
    #[must_use]
    pub fn rotated(&self, rotation: Quat) -> Self {
        let r = Mat3::from_quat(rotation);
        Self::from_matrix(&(r * self.matrix() * r.transpose()))
    }

    /// The inverse; of a singular matrix, not finite.
    #[must_use]
    pub fn inverse(&self) -> Self {
        Self::from_matrix(&self.matrix().inverse())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_times_itself_is_one() {
        let m = Symmetric3 {
            xx: 2.0,
            yy: 3.0,
            zz: 4.0,
            xy: 0.3,
            xz: -0.2,
            yz: 0.5,
        };
        let v = Vec3::new(0.1, -0.7, 2.0);
        assert!((m.inverse().times(m.times(v)) - v).length() < 1e-14);
    }

    #[test]
    fn a_rotated_tensor_keeps_its_trace_and_acts_in_the_turned_frame() {
        let m = Symmetric3::diagonal(Vec3::new(1.0, 2.0, 3.0));
        let q = crate::functions::rotation_about(Vec3::new(1.0, 1.0, 0.2).normalize(), 0.8);
        let turned = m.rotated(q);
        assert!((turned.xx + turned.yy + turned.zz - 6.0).abs() < 1e-14);
        let v = Vec3::new(0.4, 0.5, -0.6);
        let expected = q * m.times(q.conjugate() * v);
        assert!((turned.times(v) - expected).length() < 1e-14);
    }
}
