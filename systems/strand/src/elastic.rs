//! The stiffness of a joint: torque, energy and the 3x3 Jacobian of a deviation from rest
//! (Hadap 2006, eq. 18, made conservative).

use drystone_base::functions::{ln, rotation_vector};
use drystone_base::{Mat3, Quat, Vec3};

/// Stiffnesses of one joint \[N m\], per radian of small deviation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointStiffness {
    /// Stiffness of bending about the x axis, half-way between the frames that the joint connects.
    pub bend_x: f64,
    /// Stiffness of bending about the z axis there.
    pub bend_z: f64,
    /// Stiffness of twisting about y.
    pub twist: f64,
}

/// A law of elasticity for joints. `deviation` is `q₀⁻¹ q`, the turn of the child's frame away
/// from rest; torques and turns `φ` of it (`q ∘ exp φ`) are in the child's frame.
///
/// A law must be a gradient, `torque = −∂energy/∂φ`, or energy may rise.
pub trait Law: Send + Sync {
    /// Energy stored \[J\].
    fn energy(&self, stiffness: &JointStiffness, deviation: Quat) -> f64;

    /// Torque on the child \[N m\].
    fn torque(&self, stiffness: &JointStiffness, deviation: Quat) -> Vec3;

    /// Torque, and `−∂torque/∂φ` \[N m\]; unless said otherwise, by central differences.
    fn torque_and_stiffness(&self, stiffness: &JointStiffness, deviation: Quat) -> (Vec3, Mat3) {
        let h = 1e-6;
        let slope = |axis: Vec3| {
            let turn = rotation_vector(axis * h);
            let there = self.torque(stiffness, deviation * turn);
            let back = self.torque(stiffness, deviation * turn.conjugate());
            (back - there) / (2.0 * h)
        };
        let jacobian = Mat3::from_cols(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z));
        (self.torque(stiffness, deviation), jacobian)
    }
}

/// The law of the paper: torque grows as `tan(θ/2)`, so that no finite load bends a joint by π.
///
/// `V = k(ψ) g(θ_b) + K_t g(θ_t)`, `g(θ) = −4 ln cos(θ/2)`   (Hadap 2006, eq. 18)
///
/// Half a twist `θ_t` about y, a bend `θ_b` about an axis in the xz plane at azimuth `ψ`, and the other
/// half of the twist; `k(ψ) = K_x cos²ψ + K_z sin²ψ`. The bend's axis times `sin(θ_b/2)` is the x and z of
/// the quaternion.
/// Ours: the torque is the gradient of this energy, which adds two cross terms; it is doubled, so
/// that `K` is the stiffness at small angles; bend and twist are of the turn away from rest. With the azimuth
/// before all of the twist a strip would be right to the first order of its segments only, and another one
/// from its other end: at 50 segments it fell sideways 3 % too late.
#[derive(Clone, Copy, Debug, Default)]
pub struct TangentLaw;

impl Law for TangentLaw {
    fn energy(&self, stiffness: &JointStiffness, d: Quat) -> f64 {
        let n2 = (d.w * d.w + d.y * d.y).max(SMALLEST);
        let whole = d.length_squared().max(SMALLEST);
        let sum = (d.x * d.x + d.z * d.z) / whole;
        let bend = (stiffness.bend_x * d.x * d.x + stiffness.bend_z * d.z * d.z) / whole;
        let twist = -2.0 * ln((d.w * d.w / n2).max(SMALLEST));
        bend * log_over_square(sum) + stiffness.twist * twist
    }

    fn torque(&self, stiffness: &JointStiffness, d: Quat) -> Vec3 {
        if stiffness.bend_x == stiffness.bend_z {
            let q = isotropic(stiffness, [d.x, d.y, d.z, d.w]);
            return Vec3::from_array(q);
        }
        Vec3::from_array(anisotropic(stiffness, [d.x, d.y, d.z, d.w]))
    }

    fn torque_and_stiffness(&self, stiffness: &JointStiffness, d: Quat) -> (Vec3, Mat3) {
        // the turn d ∘ exp φ changes the parts of d by ½ d ∘ (φ, 0)
        let (x, y, z, w) = (0.5 * d.x, 0.5 * d.y, 0.5 * d.z, 0.5 * d.w);
        let parts = [
            Dual(d.x, Vec3::new(w, -z, y)),
            Dual(d.y, Vec3::new(z, w, -x)),
            Dual(d.z, Vec3::new(-y, x, w)),
            Dual(d.w, Vec3::new(-x, -y, -z)),
        ];
        let q = if stiffness.bend_x == stiffness.bend_z {
            isotropic(stiffness, parts)
        } else {
            anisotropic(stiffness, parts)
        };
        let torque = Vec3::new(q[0].0, q[1].0, q[2].0);
        (
            torque,
            Mat3::from_cols(-q[0].1, -q[1].1, -q[2].1).transpose(),
        )
    }
}

/// Keeps logarithms and quotients finite where a joint is bent or twisted by π.
const SMALLEST: f64 = 1e-24;

/// `−2 ln(1 − u) / u`: energy of a bend over the square of its sine.
fn log_over_square(u: f64) -> f64 {
    if u < 1e-4 {
        return 2.0 + u * (1.0 + u * (2.0 / 3.0 + 0.5 * u));
    }
    -2.0 * ln((1.0 - u).max(SMALLEST)) / u
}

/// `Q = −2k B − 2K_t τ (y + y×B)`, `B = b tan(θ_b/2)`, `τ = tan(θ_t/2)`: rational in `d`.
fn isotropic<T: Number>(k: &JointStiffness, [x, y, z, w]: [T; 4]) -> [T; 3] {
    let n2 = (w * w + y * y).plus(SMALLEST);
    let bx = (w * x - y * z) / n2;
    let bz = (w * z + y * x) / n2;
    let twist = (y * w / (w * w).plus(SMALLEST)).scaled(-2.0 * k.twist);
    [
        bx.scaled(-2.0 * k.bend_x) + twist * bz,
        twist,
        bz.scaled(-2.0 * k.bend_x) - twist * bx,
    ]
}

/// The same with a stiffness that depends on the azimuth, and the torque that turns the bend
/// towards the softer direction.
fn anisotropic<T: Number>(k: &JointStiffness, [x, y, z, w]: [T; 4]) -> [T; 3] {
    let n2 = (w * w + y * y).plus(SMALLEST);
    let (bx, bz) = ((w * x - y * z) / n2, (w * z + y * x) / n2);
    let twist = (y * w / (w * w).plus(SMALLEST)).scaled(-2.0 * k.twist);
    let sine2 = x * x + z * z;
    if sine2.value() < SMALLEST {
        // straight: the energy is a quadratic form in the bend
        let (tx, tz) = (x.scaled(-2.0 * k.bend_x), z.scaled(-2.0 * k.bend_z));
        return [
            w * tx - y * tz + twist * bz,
            twist,
            y * tx + w * tz - twist * bx,
        ];
    }
    let stiffness = (x * x / sine2).scaled(k.bend_x) + (z * z / sine2).scaled(k.bend_z);
    // slope of the energy over the azimuth, half of it over the sine's square
    let across = (x * z * sine2.log_over_square() / sine2).scaled(k.bend_z - k.bend_x);
    let (bend, turned) = (stiffness.scaled(-2.0), across * n2 + twist);
    [
        bend * bx + turned * bz,
        twist - across * sine2,
        bend * bz - turned * bx,
    ]
}

/// A number type of the law, so that one formula gives torque and Jacobian.
trait Number:
    Copy
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
    + std::ops::Div<Output = Self>
{
    fn value(self) -> f64;
    fn scaled(self, factor: f64) -> Self;
    fn plus(self, term: f64) -> Self;
    fn log_over_square(self) -> Self;
}

impl Number for f64 {
    fn value(self) -> f64 {
        self
    }
    fn scaled(self, factor: f64) -> Self {
        self * factor
    }
    fn plus(self, term: f64) -> Self {
        self + term
    }
    fn log_over_square(self) -> Self {
        log_over_square(self)
    }
}

/// A number and its derivatives along three directions.
#[derive(Clone, Copy)]
struct Dual(f64, Vec3);

impl std::ops::Add for Dual {
    type Output = Self;
    #[inline]
    fn add(self, o: Self) -> Self {
        Self(self.0 + o.0, self.1 + o.1)
    }
}

impl std::ops::Sub for Dual {
    type Output = Self;
    #[inline]
    fn sub(self, o: Self) -> Self {
        Self(self.0 - o.0, self.1 - o.1)
    }
}

impl std::ops::Mul for Dual {
    type Output = Self;
    #[inline]
    fn mul(self, o: Self) -> Self {
        Self(self.0 * o.0, self.1 * o.0 + o.1 * self.0)
    }
}

impl std::ops::Div for Dual {
    type Output = Self;
    #[inline]
    fn div(self, o: Self) -> Self {
        let inverse = 1.0 / o.0;
        let quotient = self.0 * inverse;
        Self(quotient, (self.1 - o.1 * quotient) * inverse)
    }
}

impl Number for Dual {
    #[inline]
    fn value(self) -> f64 {
        self.0
    }
    #[inline]
    fn scaled(self, factor: f64) -> Self {
        Self(self.0 * factor, self.1 * factor)
    }
    #[inline]
    fn plus(self, term: f64) -> Self {
        Self(self.0 + term, self.1)
    }
    fn log_over_square(self) -> Self {
        let (u, value) = (self.0, log_over_square(self.0));
        let slope = if u < 1e-4 {
            1.0 + u * (4.0 / 3.0 + 1.5 * u)
        } else {
            (2.0 / (1.0 - u).max(SMALLEST) - value) / u
        };
        Self(value, self.1 * slope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_base::functions::{atan2, cos, sin, tan};
    use drystone_base::random::Random;

    const ISOTROPIC: JointStiffness = JointStiffness {
        bend_x: 1.0,
        bend_z: 1.0,
        twist: 0.8,
    };
    const ANISOTROPIC: JointStiffness = JointStiffness {
        bend_x: 1.0,
        bend_z: 2.5,
        twist: 0.8,
    };

    fn deviations() -> Vec<Quat> {
        let mut random = Random::new(5);
        let mut list = Vec::new();
        for size in [1e-6, 1e-3, 0.1, 0.6, 1.5] {
            for _ in 0..20 {
                let mut v = || random.range(-size, size);
                list.push(rotation_vector(Vec3::new(v(), v(), v())));
            }
        }
        list
    }

    #[test]
    fn pure_bend_and_pure_twist_give_the_tangent_of_half_the_angle() {
        for angle in [1e-9, 0.1, 1.0, 2.5] {
            let bent = rotation_vector(Vec3::new(0.0, 0.0, angle));
            let twisted = rotation_vector(Vec3::new(0.0, angle, 0.0));
            let q = TangentLaw.torque(&ANISOTROPIC, bent);
            let expected = Vec3::new(0.0, 0.0, -2.0 * 2.5 * tan(0.5 * angle));
            assert!(
                (q - expected).length() < 1e-13 * expected.length(),
                "{q} {expected}"
            );
            let q = TangentLaw.torque(&ANISOTROPIC, twisted);
            let expected = Vec3::new(0.0, -2.0 * 0.8 * tan(0.5 * angle), 0.0);
            assert!(
                (q - expected).length() < 1e-13 * expected.length(),
                "{q} {expected}"
            );
        }
    }

    #[test]
    fn torque_is_minus_the_slope_of_the_energy() {
        for stiffness in [ISOTROPIC, ANISOTROPIC] {
            let mut worst: f64 = 0.0;
            for d in deviations() {
                let slope = |axis: Vec3| {
                    let e = |h: f64| TangentLaw.energy(&stiffness, d * rotation_vector(axis * h));
                    let h = 1e-3;
                    (8.0 * (e(h) - e(-h)) - (e(2.0 * h) - e(-2.0 * h))) / (12.0 * h)
                };
                let expected = -Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z));
                worst = worst.max((TangentLaw.torque(&stiffness, d) - expected).length());
            }
            assert!(worst < 1e-9, "{worst:.1e} N m"); // measured: 3e-12
        }
    }

    #[test]
    fn the_jacobian_is_that_of_finite_differences() {
        struct Numeric;
        impl Law for Numeric {
            fn energy(&self, k: &JointStiffness, d: Quat) -> f64 {
                TangentLaw.energy(k, d)
            }
            fn torque(&self, k: &JointStiffness, d: Quat) -> Vec3 {
                TangentLaw.torque(k, d)
            }
        }
        for stiffness in [ISOTROPIC, ANISOTROPIC] {
            let mut worst: f64 = 0.0;
            for d in deviations() {
                let (_, exact) = TangentLaw.torque_and_stiffness(&stiffness, d);
                let (_, numeric) = Numeric.torque_and_stiffness(&stiffness, d);
                let error = exact - numeric;
                worst = worst
                    .max(error.x_axis.length() + error.y_axis.length() + error.z_axis.length());
            }
            assert!(worst < 1e-7, "{worst:.1e} N m"); // measured: 6e-9
        }
    }

    #[test]
    fn at_rest_the_jacobian_is_the_stiffness_itself() {
        let (torque, jacobian) = TangentLaw.torque_and_stiffness(&ANISOTROPIC, Quat::IDENTITY);
        assert_eq!(torque, Vec3::ZERO);
        assert_eq!(jacobian, Mat3::from_diagonal(Vec3::new(1.0, 0.8, 2.5)));
    }

    #[test]
    fn the_softer_direction_is_half_way_between_the_two_frames() {
        // twisted by a quarter turn, it is 45 degrees from either frame's
        let eighth = rotation_vector(Vec3::Y * std::f64::consts::FRAC_PI_4);
        let twisted = TangentLaw.energy(&ANISOTROPIC, eighth * eighth);
        for (axis, expected) in [(Vec3::X, 1.0), (Vec3::Z, 2.5)] {
            let d = eighth * rotation_vector(axis * 1e-5) * eighth;
            let bent = (TangentLaw.energy(&ANISOTROPIC, d) - twisted) / (0.5 * 1e-10);
            assert!((bent / expected - 1.0).abs() < 1e-3, "{bent} N m");
        }
        // and without twist the azimuth of the bend decides alone
        let mut least = f64::INFINITY;
        let mut azimuth = 0.0;
        for k in 0..360 {
            let angle = f64::from(k).to_radians();
            let axis = Vec3::new(cos(angle), 0.0, -sin(angle));
            let e = TangentLaw.energy(&ANISOTROPIC, rotation_vector(axis * 0.7));
            if e < least {
                (least, azimuth) = (e, atan2(-axis.z, axis.x));
            }
        }
        assert!(azimuth.abs() < 0.01, "softest at {azimuth} rad");
    }

    #[test]
    fn a_joint_seen_from_its_other_end_stores_the_same() {
        for stiffness in [ISOTROPIC, ANISOTROPIC] {
            for d in deviations() {
                let [here, there] = [d, d.conjugate()].map(|d| TangentLaw.energy(&stiffness, d));
                assert!((here - there).abs() <= 1e-14 * here, "{here} and {there} J");
            }
        }
    }

    #[test]
    fn a_joint_bent_or_twisted_by_half_a_turn_stays_finite() {
        for axis in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(0.6, 0.0, 0.8)] {
            let d = rotation_vector(axis * std::f64::consts::PI);
            for stiffness in [ISOTROPIC, ANISOTROPIC] {
                let (torque, jacobian) = TangentLaw.torque_and_stiffness(&stiffness, d);
                assert!(torque.is_finite() && jacobian.is_finite());
                assert!(TangentLaw.energy(&stiffness, d).is_finite());
            }
        }
    }
}
