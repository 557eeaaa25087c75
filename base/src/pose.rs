//! Where a thing is and how it is turned.

use serde::{Deserialize, Serialize};

use crate::functions::rotation_vector;
use crate::rotation::log;
use crate::{Mat3, Quat, Vec3};

/// A rigid motion: first turn by `rotation`, then move by `position`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// Image of the origin \[m\].
    pub position: Vec3,
    /// Rotation of the axes.
    pub rotation: Quat,
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Pose {
    /// Stays where it is.
    pub const IDENTITY: Self = Self {
        position: Vec3::ZERO,
        rotation: Quat::IDENTITY,
    };

    /// Turned by `rotation`, moved to `position`.
    pub const fn new(position: Vec3, rotation: Quat) -> Self {
        Self { position, rotation }
    }

    /// Moved to `position`, not turned.
    pub const fn at(position: Vec3) -> Self {
        Self::new(position, Quat::IDENTITY)
    }

    /// A point given in this frame, in the world.
    #[inline]
    pub fn point(&self, local: Vec3) -> Vec3 {
        self.position + self.rotation * local
    }

    /// A direction given in this frame, in the world.
    #[inline]
    pub fn direction(&self, local: Vec3) -> Vec3 {
        self.rotation * local
    }

    /// A world point, in this frame.
    #[inline]
    pub fn local_point(&self, world: Vec3) -> Vec3 {
        self.rotation.conjugate() * (world - self.position)
    }

    /// A world direction, in this frame.
    #[inline]
    pub fn local_direction(&self, world: Vec3) -> Vec3 {
        self.rotation.conjugate() * world
    }

    /// First `inner`, then `self`: the pose of a part in the frame of what carries `self`.
    #[inline]
    #[must_use]
    pub fn then(&self, inner: &Self) -> Self {
        Self::new(self.point(inner.position), self.rotation * inner.rotation)
    }

    /// The motion that undoes this one.
    #[inline]
    #[must_use]
    pub fn inverse(&self) -> Self {
        let back = self.rotation.conjugate();
        Self::new(back * -self.position, back)
    }

    /// The part `u` of the way to `to`: straight, turning at a constant rate the shorter way.
    #[must_use]
    pub fn towards(&self, to: &Self, u: f64) -> Self {
        let turn = log(to.rotation * self.rotation.conjugate());
        Self::new(
            self.position.lerp(to.position, u),
            rotation_vector(turn * u) * self.rotation,
        )
    }

    /// The rotation as a matrix (columns are the turned axes).
    #[inline]
    pub fn matrix(&self) -> Mat3 {
        Mat3::from_quat(self.rotation)
    }
}

/// `rotation` after turning at the world rate `omega` \[rad/s\] for `h` seconds, first order:
/// `q + h/2 ω q`, normalised (Erleben 2007, eq. 24-26).
#[inline]
pub fn integrate_rotation(rotation: Quat, omega: Vec3, h: f64) -> Quat {
    let w = omega * (0.5 * h);
    let spin = Quat::from_xyzw(w.x, w.y, w.z, 0.0) * rotation;
    near_unit(rotation + spin)
}

/// `q` over its length. Near one, the inverse length is its series, exact to the last digit:
/// neither root nor quotient.
#[inline]
pub fn near_unit(q: Quat) -> Quat {
    let off = q.length_squared() - 1.0;
    if off.abs() < 1e-5 {
        q * (1.0 - off * (0.5 - off * (0.375 - 0.3125 * off)))
    } else {
        q.normalize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::rotation_about;

    #[test]
    fn inverse_undoes_a_pose() {
        let pose = Pose::new(
            Vec3::new(1.0, -2.0, 0.5),
            rotation_about(Vec3::new(1.0, 2.0, -1.0).normalize(), 1.1),
        );
        let there_and_back = pose.inverse().then(&pose);
        assert!(there_and_back.position.length() < 1e-15);
        assert!(there_and_back.rotation.dot(Quat::IDENTITY).abs() > 1.0 - 1e-15);
        let p = Vec3::new(0.3, 0.4, 0.5);
        assert!((pose.local_point(pose.point(p)) - p).length() < 1e-15);
    }

    #[test]
    fn small_turns_add_up_to_the_finite_rotation() {
        let omega = Vec3::new(0.2, -0.7, 0.4);
        let mut q = Quat::IDENTITY;
        for _ in 0..10_000 {
            q = integrate_rotation(q, omega, 1e-4);
        }
        let exact = crate::functions::rotation_vector(omega);
        let error = (q * exact.conjugate()).xyz().length();
        assert!(error < 1e-8, "turned {error:.1e} rad too far"); // measured: 2e-10
    }
}
