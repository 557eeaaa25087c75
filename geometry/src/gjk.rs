//! Closest points of two convex shapes by parry's GJK.
//!
//! Its tolerances are absolute: an area below 1.5e-7 m² counts as none, so that rods and plates of millimetres
//! have no faces there, and gaps between them count as overlap. Here both shapes are first brought to
//! about unit size, by a power of two so that nothing is rounded.

use drystone_base::{Pose, Vec3};
use parry3d_f64::{
    math::Pose3,
    query::gjk::{self, CsoPoint, GJKResult, VoronoiSimplex},
    shape::SupportMap,
};

/// Result of GJK, in the frame of the first shape.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Closest {
    /// Farther apart than was asked for.
    Beyond,
    /// Apart, or touching.
    Points {
        on_a: Vec3,
        on_b: Vec3,
        /// Unit vector from the first shape to the second.
        normal: Vec3,
        /// Along the normal \[m\].
        distance: f64,
    },
    /// They overlap.
    Overlap,
}

/// A shape seen through a magnifying glass.
struct Magnified<'a, S> {
    shape: &'a S,
    by: f64,
}

impl<S: SupportMap> SupportMap for Magnified<'_, S> {
    fn local_support_point(&self, direction: Vec3) -> Vec3 {
        self.shape.local_support_point(direction) * self.by
    }
}

/// Closest points of `a` and `b` if they are at most `reach` apart \[m\]; `size` is that of the smaller one \[m\].
pub(crate) fn closest_points(
    a: &impl SupportMap,
    b: &impl SupportMap,
    b_in_a: &Pose,
    size: f64,
    reach: f64,
) -> Closest {
    let by = power_of_two_near(1.0 / size);
    let (a, b) = (Magnified { shape: a, by }, Magnified { shape: b, by });
    let pose = Pose3::from_parts(b_in_a.position * by, b_in_a.rotation);
    let toward = b_in_a.position.try_normalize().unwrap_or(Vec3::X);
    let mut simplex = VoronoiSimplex::new();
    simplex.reset(CsoPoint::from_shapes(&pose, &a, &b, toward));
    match gjk::closest_points(&pose, &a, &b, reach * by, true, &mut simplex) {
        GJKResult::ClosestPoints(on_a, on_b, normal) => Closest::Points {
            on_a: on_a / by,
            on_b: on_b / by,
            normal,
            distance: normal.dot(on_b - on_a) / by,
        },
        GJKResult::NoIntersection(_) => Closest::Beyond,
        GJKResult::Intersection | GJKResult::Proximity(_) => Closest::Overlap,
    }
}

/// The largest power of two that is not above `x`; 1 where there is none that can be written.
fn power_of_two_near(x: f64) -> f64 {
    // of a normal number, the exponent alone
    let power = f64::from_bits(x.to_bits() & 0x7ff0_0000_0000_0000);
    if x.is_normal() && x > 0.0 { power } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_are_not_above_and_within_a_factor_of_two() {
        for x in [1.0, 0.9, 1.1, 3e-7, 2.5e9, 0.5, 8.0] {
            let power = power_of_two_near(x);
            assert!(power <= x && x < 2.0 * power, "{x}: {power}");
            assert_eq!(power.to_bits() & 0x000f_ffff_ffff_ffff, 0, "{x}: {power}");
        }
        for x in [0.0, f64::INFINITY, f64::NAN, 1e-320, -2.0] {
            assert_eq!(power_of_two_near(x), 1.0, "{x}");
        }
    }
}
