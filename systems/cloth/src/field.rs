//! Fields that act on sheets: moving air, which acts through drag, and accelerations.

use drystone_base::Vec3;

/// A field of moving air or of force. Must be a pure function of its arguments.
pub trait Field: Send + Sync {
    /// Velocity of the air at `x` and time `t` [m/s].
    fn air(&self, x: Vec3, t: f64) -> Vec3 {
        let _ = (x, t);
        Vec3::ZERO
    }

    /// Acceleration of what is at `x` with velocity `v` at time `t` [m/s²].
    fn acceleration(&self, x: Vec3, v: Vec3, t: f64) -> Vec3 {
        let _ = (x, v, t);
        Vec3::ZERO
    }
}

/// Air that moves everywhere alike [m/s].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wind(pub Vec3);

impl Field for Wind {
    fn air(&self, _: Vec3, _: f64) -> Vec3 {
        self.0
    }
}
