//! What everything else stands on: vectors, poses, deterministic functions, random
//! numbers and SIMD lanes. Knows nothing of shapes, contacts or simulated time.

pub mod functions;
pub mod lanes;
mod pose;
pub mod random;
pub mod rotation;
mod stopwatch;
mod symmetric;

pub use pose::{Pose, integrate_rotation, near_unit};
pub use stopwatch::Stopwatch;
pub use symmetric::Symmetric3;

/// A vector in three dimensions, `f64`.
pub type Vec3 = glam::DVec3;
/// A unit quaternion (x, y, z, w), `f64`.
pub type Quat = glam::DQuat;
/// A 3x3 matrix by columns, `f64`.
pub type Mat3 = glam::DMat3;

/// Two unit vectors `t1`, `t2` that make (`n`, `t1`, `t2`) a right-handed frame.
///
/// The choice depends on `n` alone, so that friction kept from one step fits the next.
#[inline]
pub fn tangents(n: Vec3) -> (Vec3, Vec3) {
    // start from the axis least aligned with n; z is preferred, so that walls and floors
    // of the y-up world get axis-aligned tangents
    let (x, y, z) = (n.x.abs(), n.y.abs(), n.z.abs());
    let axis = if z <= x && z <= y {
        Vec3::Z
    } else if x <= y {
        Vec3::X
    } else {
        Vec3::Y
    };
    let t1 = axis.cross(n).normalize();
    (t1, n.cross(t1))
}
