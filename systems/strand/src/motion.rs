//! Prescribed motion of a base: keys of position and rotation, joined so that velocity and
//! acceleration are continuous and accurate (Hadap 2006, §6.3).
//!
//! Between two keys the position is a quintic in time, and the rotation is `R₀ exp(r(t))` with
//! a quintic `r`. Velocity and acceleration at the keys come from five neighbouring keys.
//! Ours: the piecewise cubic of the paper marches from key to key, and an error grows by 2 + √3
//! at each; the quintic is local.

use drystone_base::functions::rotation_vector;
use drystone_base::{Pose, Vec3};

use crate::Error;
use crate::rotation::{body_jacobian, body_jacobian_rate, log};
use crate::spatial::Motion;

/// One key of a motion path.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Key {
    /// [s]
    pub time: f64,
    /// Where the base is then.
    pub pose: Pose,
}

/// Where a base is and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moving {
    /// Base frame to world.
    pub pose: Pose,
    /// Of the origin, world axes [m/s].
    pub velocity: Vec3,
    /// Of the origin, world axes [m/s²].
    pub acceleration: Vec3,
    /// Base axes [rad/s].
    pub angular_velocity: Vec3,
    /// Base axes [rad/s²].
    pub angular_acceleration: Vec3,
}

impl Moving {
    /// At rest in `pose`.
    pub fn still(pose: Pose) -> Self {
        Self {
            pose,
            velocity: Vec3::ZERO,
            acceleration: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            angular_acceleration: Vec3::ZERO,
        }
    }

    /// Spatial velocity `v̂₀` in base coordinates.
    pub fn spatial_velocity(&self) -> Motion {
        Motion::new(
            self.angular_velocity,
            self.pose.local_direction(self.velocity),
        )
    }

    /// Spatial acceleration `â₀` in base coordinates: the linear part is `Rᵀp̈ − ω × v`, not `Rᵀp̈`.
    pub fn spatial_acceleration(&self) -> Motion {
        let v = self.spatial_velocity();
        let linear = self.pose.local_direction(self.acceleration) - v.angular.cross(v.linear);
        Motion::new(self.angular_acceleration, linear)
    }
}

/// A motion through keys, twice continuously differentiable between the first and the last key,
/// and at rest before and after.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct MotionPath {
    keys: Vec<Key>,
    knots: Vec<Knot>,
}

/// First and second derivatives at a key.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Knot {
    velocity: Vec3,
    acceleration: Vec3,
    angular_velocity: Vec3,
    angular_acceleration: Vec3,
}

impl MotionPath {
    /// Always in `pose`.
    pub fn fixed(pose: Pose) -> Self {
        let keys = vec![Key { time: 0.0, pose }];
        let knots = knots(&keys);
        Self { keys, knots }
    }

    /// Through `keys`, in order of time. A turn between neighbours takes the shorter way.
    pub fn through(keys: &[Key]) -> Result<Self, Error> {
        let fault = |what: String, found: String, wanted| {
            Err(Error::Path {
                what,
                found,
                wanted,
            })
        };
        if keys.is_empty() {
            return fault("the number of keys".into(), "0".into(), "at least 1");
        }
        for (k, key) in keys.iter().enumerate() {
            let Key { time, pose } = key;
            if !(time.is_finite() && pose.position.is_finite()) {
                let found = format!("{} at {time} s", pose.position);
                return fault(format!("key {k}"), found, "finite numbers");
            }
            let length = pose.rotation.length();
            if !(length.is_finite() && (length - 1.0).abs() < 1e-3) {
                let (what, found) = (
                    format!("the rotation of key {k}"),
                    pose.rotation.to_string(),
                );
                return fault(what, found, "a unit quaternion");
            }
            if k > 0 && *time <= keys[k - 1].time {
                let found = format!("{time} s after {} s", keys[k - 1].time);
                return fault(format!("the time of key {k}"), found, "rising times");
            }
        }
        let mut keys = keys.to_vec();
        for key in &mut keys {
            // what is normal already stays as it is, so that a path made of its own keys is the same
            if (key.pose.rotation.length_squared() - 1.0).abs() > 1e-14 {
                key.pose.rotation = key.pose.rotation.normalize();
            }
        }
        let knots = knots(&keys);
        Ok(Self { keys, knots })
    }

    /// The same with one more key, and without those that no longer matter: for a motion that becomes
    /// known step by step. A key that is not later than the last, or not finite, is left out.
    #[must_use]
    pub fn driven_to(&self, key: Key) -> Self {
        const KEPT: usize = 6;
        let first = (self.keys.len() + 1).saturating_sub(KEPT);
        let mut keys = self.keys[first..].to_vec();
        keys.push(key);
        Self::through(&keys).unwrap_or_else(|_| self.clone())
    }

    /// The keys it goes through.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// Whether nothing moves, ever.
    pub fn is_fixed(&self) -> bool {
        self.keys.iter().all(|key| key.pose == self.keys[0].pose)
    }

    /// Pose at `time` [s].
    pub fn pose(&self, time: f64) -> Pose {
        self.at(time).pose
    }

    /// Pose, velocity and acceleration at `time` [s].
    pub fn at(&self, time: f64) -> Moving {
        let after = self.keys.partition_point(|key| key.time <= time);
        if after == 0 {
            return Moving::still(self.keys[0].pose);
        }
        let (k0, i) = (&self.keys[after - 1], after - 1);
        // exactly on the last key the path still moves
        if after == self.keys.len() && (time > k0.time || after == 1) {
            return Moving::still(k0.pose);
        }
        if after == self.keys.len() || time == k0.time {
            let knot = &self.knots[i];
            return Moving {
                pose: k0.pose,
                velocity: knot.velocity,
                acceleration: knot.acceleration,
                angular_velocity: knot.angular_velocity,
                angular_acceleration: knot.angular_acceleration,
            };
        }
        let (k1, t) = (&self.keys[after], time - k0.time);
        let (n0, n1) = (&self.knots[i], &self.knots[after]);
        let span = k1.time - k0.time;
        let [x, v, a] = quintic(
            [Vec3::ZERO, n0.velocity, n0.acceleration],
            [
                k1.pose.position - k0.pose.position,
                n1.velocity,
                n1.acceleration,
            ],
            span,
            t,
        );
        // the end conditions of r(t): ω = A ṙ and ω̇ = A r̈ + Ȧ ṙ
        let turn = log(k0.pose.rotation.conjugate() * k1.pose.rotation);
        let back = body_jacobian(turn).inverse();
        let rate = back * n1.angular_velocity;
        let curve = back * (n1.angular_acceleration - body_jacobian_rate(turn, rate) * rate);
        let [r, r1, r2] = quintic(
            [Vec3::ZERO, n0.angular_velocity, n0.angular_acceleration],
            [turn, rate, curve],
            span,
            t,
        );
        let jacobian = body_jacobian(r);
        let rotation = (k0.pose.rotation * rotation_vector(r)).normalize();
        Moving {
            pose: Pose::new(k0.pose.position + x, rotation),
            velocity: v,
            acceleration: a,
            angular_velocity: jacobian * r1,
            angular_acceleration: jacobian * r2 + body_jacobian_rate(r, r1) * r1,
        }
    }
}

/// Value, first and second derivative at `t` of the quintic that has the values and derivatives
/// `y0` at 0 and `y1` at `span`.
fn quintic(y0: [Vec3; 3], y1: [Vec3; 3], span: f64, t: f64) -> [Vec3; 3] {
    let u = t / span;
    let (v0, a0) = (y0[1] * span, y0[2] * (span * span));
    let (v1, a1) = (y1[1] * span, y1[2] * (span * span));
    let d = y1[0] - y0[0];
    // y = c0 + c1 u + c2 u² + u³ (c3 + c4 u + c5 u²)
    let (p, v, a) = (d - v0 - a0 * 0.5, v1 - v0 - a0, a1 - a0);
    let c3 = p * 10.0 - v * 4.0 + a * 0.5;
    let c4 = p * -15.0 + v * 7.0 - a;
    let c5 = p * 6.0 - v * 3.0 + a * 0.5;
    let (u2, u3) = (u * u, u * u * u);
    [
        y0[0] + v0 * u + a0 * (0.5 * u2) + (c3 + c4 * u + c5 * u2) * u3,
        (v0 + a0 * u + (c3 * 3.0 + c4 * (4.0 * u) + c5 * (5.0 * u2)) * u2) / span,
        (a0 + (c3 * 6.0 + c4 * (12.0 * u) + c5 * (20.0 * u2)) * u) / (span * span),
    ]
}

/// Derivatives at every key from up to five keys around it.
fn knots(keys: &[Key]) -> Vec<Knot> {
    (0..keys.len()).map(|i| knot(keys, i)).collect()
}

fn knot(keys: &[Key], i: usize) -> Knot {
    let here = &keys[i];
    // rotations must stay well inside one chart around this key
    let fits = |first: usize, last: usize| {
        let mut turned: f64 = 0.0;
        for k in first..last {
            turned += log(keys[k].pose.rotation.conjugate() * keys[k + 1].pose.rotation).length();
        }
        turned < 2.0
    };
    let mut width = 5.min(keys.len());
    let window = |width: usize| {
        let first = i.saturating_sub(width / 2).min(keys.len() - width);
        (first, first + width - 1)
    };
    while width > 3 && !fits(window(width).0, window(width).1) {
        width -= 1;
    }
    let (first, last) = window(width);
    let nodes: Vec<f64> = (first..=last).map(|k| keys[k].time - here.time).collect();
    let weights = derivative_weights(&nodes);
    let mut knot = Knot {
        velocity: Vec3::ZERO,
        acceleration: Vec3::ZERO,
        angular_velocity: Vec3::ZERO,
        angular_acceleration: Vec3::ZERO,
    };
    for (k, weight) in (first..=last).zip(&weights) {
        let step = keys[k].pose.position - here.pose.position;
        let turn = log(here.pose.rotation.conjugate() * keys[k].pose.rotation);
        knot.velocity += step * weight[0];
        knot.acceleration += step * weight[1];
        knot.angular_velocity += turn * weight[0];
        knot.angular_acceleration += turn * weight[1];
    }
    knot
}

/// Weights of the values at `nodes` in the first and second derivative at 0 of the polynomial
/// through all of them.
fn derivative_weights(nodes: &[f64]) -> Vec<[f64; 2]> {
    let n = nodes.len();
    let mut weights = Vec::with_capacity(n);
    for i in 0..n {
        // Lagrange's polynomial of node i as coefficients of 1, t, t²
        let mut c = [1.0, 0.0, 0.0];
        for (j, node) in nodes.iter().enumerate() {
            if j != i {
                let scale = 1.0 / (nodes[i] - node);
                c = [
                    -c[0] * node * scale,
                    (c[0] - c[1] * node) * scale,
                    (c[1] - c[2] * node) * scale,
                ];
            }
        }
        weights.push([c[1], 2.0 * c[2]]);
    }
    weights
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use drystone_base::functions::{cos, rotation_about, sin};

    /// A head that is shaken: position and rotation with known derivatives.
    fn shaken(t: f64) -> Pose {
        let x = Vec3::new(0.15 * sin(12.0 * t), 0.02 * cos(7.0 * t), 0.3 * t * t);
        let q = rotation_about(Vec3::Y, 0.7 * sin(9.0 * t)) * rotation_about(Vec3::X, 0.3 * t);
        Pose::new(x, q)
    }

    fn path(rate: f64, count: usize) -> MotionPath {
        let keys: Vec<Key> = (0..count)
            .map(|k| k as f64 / rate)
            .map(|time| Key {
                time,
                pose: shaken(time),
            })
            .collect();
        MotionPath::through(&keys).unwrap()
    }

    #[test]
    fn the_path_passes_through_its_keys() {
        let path = path(24.0, 20);
        for key in path.keys() {
            let pose = path.pose(key.time);
            assert!((pose.position - key.pose.position).length() < 1e-15);
            assert!(pose.rotation.dot(key.pose.rotation).abs() > 1.0 - 1e-15);
        }
    }

    #[test]
    fn velocity_and_acceleration_are_the_derivatives_of_the_pose() {
        let path = path(24.0, 20);
        let h = 1e-5;
        for k in 1..160 {
            let t = k as f64 * 0.0049;
            let (now, before, after) = (path.at(t), path.at(t - h), path.at(t + h));
            let v = (after.pose.position - before.pose.position) / (2.0 * h);
            assert!((now.velocity - v).length() < 1e-7);
            let a = (after.velocity - before.velocity) / (2.0 * h);
            let error = (now.acceleration - a).length();
            assert!(error < 1e-4, "at {t}: {error:.1e} m/s²"); // measured: 3e-7
            let w = log(before.pose.rotation.conjugate() * after.pose.rotation) / (2.0 * h);
            let error = (now.angular_velocity - w).length();
            assert!(error < 1e-6, "at {t}: {error:.1e} rad/s"); // measured: 1e-8
            let w1 = (after.angular_velocity - before.angular_velocity) / (2.0 * h);
            let error = (now.angular_acceleration - w1).length();
            assert!(error < 1e-3, "at {t}: {error:.1e} rad/s²"); // measured: 4e-7
        }
    }

    #[test]
    fn acceleration_is_continuous_across_keys() {
        let path = path(24.0, 20);
        for key in &path.keys()[1..19] {
            let (a, b) = (path.at(key.time - 1e-9), path.at(key.time + 1e-9));
            assert!((a.acceleration - b.acceleration).length() < 1e-4);
            assert!((a.angular_acceleration - b.angular_acceleration).length() < 1e-3);
        }
    }

    #[test]
    fn twice_the_keys_give_a_seventh_of_the_error_in_acceleration_or_less() {
        let error = |rate: f64| {
            let path = path(rate, rate as usize + 1);
            let mut worst = [0.0f64; 2];
            for k in 0..400 {
                let (t, h) = (0.2 + k as f64 * 0.0015, 1e-4);
                let a = (shaken(t + h).position - shaken(t).position * 2.0
                    + shaken(t - h).position)
                    / (h * h);
                let w =
                    log(shaken(t - h).rotation.conjugate() * shaken(t + h).rotation) / (2.0 * h);
                worst[0] = worst[0].max((path.at(t).acceleration - a).length());
                worst[1] = worst[1].max((path.at(t).angular_velocity - w).length());
            }
            worst
        };
        let (coarse, fine) = (error(24.0), error(48.0));
        // third order; measured: 0.49 and 0.064 m/s² of 22, 0.0041 and 0.00026 rad/s of 6.4
        assert!(
            coarse[0] < 0.6 && fine[0] < coarse[0] / 7.0,
            "{coarse:?} {fine:?}"
        );
        assert!(
            coarse[1] < 0.01 && fine[1] < coarse[1] / 8.0,
            "{coarse:?} {fine:?}"
        );
    }

    #[test]
    fn a_turning_lever_has_its_spatial_acceleration() {
        // a base on a turntable: p = (cos Ωt, 0, −sin Ωt), turned with it. In base coordinates the
        // spatial velocity is constant, so the spatial acceleration is zero
        let rate = 3.0;
        let keys: Vec<Key> = (0..9)
            .map(|k| k as f64 * 0.01)
            .map(|time| {
                let rotation = rotation_about(Vec3::Y, rate * time);
                let pose = Pose::new(rotation * Vec3::X, rotation);
                Key { time, pose }
            })
            .collect();
        let moving = MotionPath::through(&keys).unwrap().at(0.04);
        let (v, a) = (moving.spatial_velocity(), moving.spatial_acceleration());
        assert!((v.linear - Vec3::new(0.0, 0.0, -3.0)).length() < 1e-6);
        let error = a.linear.length() + a.angular.length();
        assert!(error < 1e-4, "{error:.1e}"); // measured: 2e-7
    }

    #[test]
    fn keys_that_make_no_path_are_refused_by_name() {
        let key = |time, x| Key {
            time,
            pose: Pose::at(Vec3::new(x, 0.0, 0.0)),
        };
        let text = |keys: &[Key]| MotionPath::through(keys).unwrap_err().to_string();
        assert!(text(&[]).contains("at least 1"));
        assert!(text(&[key(0.0, f64::NAN)]).contains("key 0"));
        assert!(text(&[key(1.0, 0.0), key(1.0, 1.0)]).contains("1 s after 1 s"));
    }
}
