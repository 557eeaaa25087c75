//! Spatial vectors (Featherstone's algebra): motions and forces of six components, in the frame
//! of a link with its origin at the link's joint.

use drystone_base::{Quat, Vec3};
use drystone_common::Moving;

/// A motion vector `(ω; v)`: velocity or acceleration of a rigid frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// `ω`
    pub angular: Vec3,
    /// `v`, of the point at the origin.
    pub linear: Vec3,
}

/// A force vector `(n; f)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Force {
    /// `n`, about the origin \[N m\].
    pub moment: Vec3,
    /// `f` \[N\]
    pub force: Vec3,
}

impl Motion {
    /// Nothing moves.
    pub const ZERO: Self = Self::new(Vec3::ZERO, Vec3::ZERO);

    /// `(ω; v)`
    pub const fn new(angular: Vec3, linear: Vec3) -> Self {
        Self { angular, linear }
    }

    /// Spatial velocity `v̂₀` of a base, in base coordinates.
    pub fn velocity_of(base: &Moving) -> Self {
        Self::new(
            base.angular_velocity,
            base.pose.local_direction(base.velocity),
        )
    }

    /// Spatial acceleration `â₀` of a base, in base coordinates: the linear part is `Rᵀp̈ − ω × v`, not `Rᵀp̈`.
    pub fn acceleration_of(base: &Moving) -> Self {
        let v = Self::velocity_of(base);
        let linear = base.pose.local_direction(base.acceleration) - v.angular.cross(v.linear);
        Self::new(base.angular_acceleration, linear)
    }

    /// Sum.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self::new(self.angular + other.angular, self.linear + other.linear)
    }

    /// Times a number.
    #[must_use]
    pub fn times(&self, factor: f64) -> Self {
        Self::new(self.angular * factor, self.linear * factor)
    }

    /// `X (ω; v) = (Eω ; E(v − r×ω))`: the same motion in a frame at `r` whose axes are turned by
    /// `rotation`, `E = R(rotation)ᵀ`.
    #[must_use]
    pub fn seen_from(&self, r: Vec3, rotation: Quat) -> Self {
        let back = rotation.conjugate();
        Self::new(
            back * self.angular,
            back * (self.linear - r.cross(self.angular)),
        )
    }

    /// `(ω; v) × (a; b) = (ω×a ; ω×b + v×a)`
    #[must_use]
    pub fn cross(&self, other: &Self) -> Self {
        Self::new(
            self.angular.cross(other.angular),
            self.angular.cross(other.linear) + self.linear.cross(other.angular),
        )
    }

    /// `(ω; v) ×* (n; f) = (ω×n + v×f ; ω×f)`
    pub fn cross_force(&self, other: &Force) -> Force {
        Force {
            moment: self.angular.cross(other.moment) + self.linear.cross(other.force),
            force: self.angular.cross(other.force),
        }
    }
}

impl Force {
    /// No force.
    pub const ZERO: Self = Self {
        moment: Vec3::ZERO,
        force: Vec3::ZERO,
    };

    /// Sum.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            moment: self.moment + other.moment,
            force: self.force + other.force,
        }
    }

    /// `Xᵀ (n; f) = (Eᵀn + r×Eᵀf ; Eᵀf)`: back to the frame from which this one is at `r`,
    /// turned by `rotation`.
    #[must_use]
    pub fn carried_back(&self, r: Vec3, rotation: Quat) -> Self {
        let force = rotation * self.force;
        Self {
            moment: rotation * self.moment + r.cross(force),
            force,
        }
    }
}

/// Mass, centre and moments of a link, in its frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia {
    /// \[kg\]
    pub mass: f64,
    /// Centre of mass \[m\].
    pub centre: Vec3,
    /// Principal moments about the centre, in the link's axes \[kg m²\].
    pub moments: Vec3,
}

impl Inertia {
    /// `Î (ω; v)`
    pub fn times(&self, motion: &Motion) -> Force {
        let force = (motion.linear + motion.angular.cross(self.centre)) * self.mass;
        Force {
            moment: self.moments * motion.angular + self.centre.cross(force),
            force,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_base::functions::rotation_about;

    #[test]
    fn power_does_not_depend_on_the_frame() {
        let rotation = rotation_about(Vec3::new(1.0, 2.0, 2.0) / 3.0, 0.7);
        let r = Vec3::new(0.3, -0.2, 0.9);
        let motion = Motion::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(-1.0, 0.5, 2.0));
        let child = Force {
            moment: Vec3::new(0.2, 0.1, -0.4),
            force: Vec3::new(1.0, -3.0, 0.7),
        };
        let power = |m: Motion, f: Force| m.angular.dot(f.moment) + m.linear.dot(f.force);
        let there = power(motion.seen_from(r, rotation), child);
        let here = power(motion, child.carried_back(r, rotation));
        assert!((there - here).abs() < 1e-14, "{there} and {here}");
    }
}
