//! Free rotation: how a body turns when no torque acts.
//!
//! Euler's equations in the body frame, `I ṁ = I m × m`, keep the angular momentum in the world and
//! the kinetic energy. An explicit rule keeps at most one of the two and lets slender bodies gain
//! energy without bound (Erleben 2007, eq. 18, does). The implicit midpoint rule with Cayley's map
//! keeps both.

use drystone_base::functions::rotation_vector;
use drystone_base::{Mat3, Quat, Symmetric3, Vec3, near_unit};

/// Largest turn of one application of the midpoint rule \[rad\]. Cayley's map turns by
/// `2 atan(θ/2)`: its phase is short by θ²/12, 0.3 % here.
const TURN: f64 = 0.2;
/// Most applications in one call; what spins faster takes larger turns.
const PARTS: f64 = 64.0;
/// Most iterations of Newton's method, and the relative error of the momentum at which it ends.
const ITERATIONS: u32 = 12;
const SOLVED: f64 = 1e-14;
/// Share of the largest inertia up to which three principal inertias count as equal.
const ISOTROPIC: f64 = 1e-12;

/// Rotation and spin after turning freely for `h` seconds. `inertia` and its `inverse` are in the
/// body frame \[kg m²\], `spin` in the world \[rad/s\].
///
/// Where the turn is less than `least` \[rad\], the spin is left as it is.
#[inline]
pub(crate) fn turn_freely(
    rotation: Quat,
    spin: Vec3,
    inertia: &Symmetric3,
    inverse: &Symmetric3,
    h: f64,
    least: f64,
) -> (Quat, Vec3) {
    if spin.length_squared() * h * h < least * least || is_isotropic(inertia) {
        let turn = rotation_vector(spin * h);
        return (near_unit(turn * rotation), spin);
    }
    turn_by_parts(rotation, spin, inertia, inverse, h)
}

/// The midpoint rule, in as many parts as the turn asks for.
#[inline(never)]
fn turn_by_parts(
    rotation: Quat,
    spin: Vec3,
    inertia: &Symmetric3,
    inverse: &Symmetric3,
    h: f64,
) -> (Quat, Vec3) {
    let angle = spin.length() * h;
    let momentum = rotation * inertia.times(rotation.conjugate() * spin);
    let parts = (angle / TURN).ceil().clamp(1.0, PARTS);
    let (mut q, part) = (rotation, h / parts);
    for _ in 0..parts as u32 {
        q = turn_once(q, momentum, inertia, inverse, part);
    }
    let end = q * inverse.times(q.conjugate() * momentum);
    // a turn too fast for the rule may end in another energy: never in more
    let energy = |w: Vec3| w.dot(momentum);
    let (before, after) = (energy(spin), energy(end));
    if after > before {
        (q, end * (before / after).sqrt())
    } else {
        (q, end)
    }
}

/// One application of the implicit midpoint rule. With the mid spin `m` in the body frame,
///
/// `I m − l + h/2 m × I m = 0`,   `q ← q cay(h m)`
///
/// where `l` is the angular momentum in the body frame at the start. Then the momentum at the end
/// is `cay(h m)ᵀ l`, so that both its length and `l·I⁻¹ l` are kept.
fn turn_once(
    rotation: Quat,
    momentum: Vec3,
    inertia: &Symmetric3,
    inverse: &Symmetric3,
    h: f64,
) -> Quat {
    let l = rotation.conjugate() * momentum;
    let half = 0.5 * h;
    let matrix = inertia.matrix();
    let small = SOLVED * l.length();
    let mut m = inverse.times(l);
    for _ in 0..ITERATIONS {
        let im = inertia.times(m);
        let residual = im - l + half * m.cross(im);
        if residual.length() <= small {
            break;
        }
        let slope = matrix + half * (cross(m) * matrix - cross(im));
        let step = slope.inverse() * residual;
        if !step.is_finite() {
            break;
        }
        m -= step;
    }
    let turn = half * m;
    let cayley = Quat::from_xyzw(turn.x, turn.y, turn.z, 1.0).normalize();
    near_unit(rotation * cayley)
}

/// The matrix of `v ×`.
fn cross(v: Vec3) -> Mat3 {
    Mat3::from_cols(
        Vec3::new(0.0, v.z, -v.y),
        Vec3::new(-v.z, 0.0, v.x),
        Vec3::new(v.y, -v.x, 0.0),
    )
}

/// Whether the inertia is the same about every axis: the spin of a free body is then constant.
pub(crate) fn is_isotropic(inertia: &Symmetric3) -> bool {
    let most = inertia.xx.max(inertia.yy).max(inertia.zz);
    let least = inertia.xx.min(inertia.yy).min(inertia.zz);
    let off = inertia.xy.abs() + inertia.xz.abs() + inertia.yz.abs();
    most - least + off <= ISOTROPIC * most
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rod, a plate and a brick with skew axes: principal inertias about turned axes.
    fn bodies() -> Vec<Symmetric3> {
        let axes = rotation_vector(Vec3::new(0.3, -0.7, 0.2));
        [[0.003, 0.8, 0.8], [0.5, 0.5, 0.999], [0.2, 0.5, 0.6]]
            .map(|[x, y, z]| Symmetric3::diagonal(Vec3::new(x, y, z)).rotated(axes))
            .to_vec()
    }

    #[test]
    fn any_body_at_any_spin_keeps_momentum_and_energy() {
        for inertia in bodies() {
            let inverse = inertia.inverse();
            for speed in [0.01, 1.0, 30.0, 300.0, 3000.0] {
                let (mut q, mut w) = (
                    rotation_vector(Vec3::new(1.0, 2.0, 0.5)),
                    Vec3::new(speed, 0.5 * speed, -0.7 * speed),
                );
                let world = |q: Quat, w: Vec3| inertia.rotated(q).times(w);
                let (l, e) = (world(q, w), w.dot(world(q, w)));
                for _ in 0..2000 {
                    (q, w) = turn_freely(q, w, &inertia, &inverse, 0.0025, 0.0);
                }
                let momentum = (world(q, w) - l).length() / l.length();
                let energy = w.dot(world(q, w)) / e - 1.0;
                assert!(momentum < 1e-9, "momentum off by {momentum:.1e} at {speed}"); // measured: 4e-12
                assert!(
                    energy.abs() < 1e-9,
                    "energy off by {energy:.1e} at {speed} rad/s"
                ); // measured: 4e-12
            }
        }
    }

    #[test]
    fn half_the_step_leaves_a_quarter_of_the_error() {
        let inertia = bodies()[2];
        let inverse = inertia.inverse();
        let turned = |steps: u32| {
            let (mut q, mut w) = (Quat::IDENTITY, Vec3::new(3.0, 2.0, 1.0));
            for _ in 0..steps {
                (q, w) = turn_freely(q, w, &inertia, &inverse, 1.0 / f64::from(steps), 0.0);
            }
            q
        };
        let exact = turned(6400);
        let error = |steps| (turned(steps) - exact).length();
        let ratio = error(50) / error(100);
        assert!((ratio - 4.0).abs() < 0.2, "error falls by {ratio:.2}"); // measured: 4.00
    }
}
