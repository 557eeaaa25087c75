//! Motion given in advance: poses at keys, and how they are joined.
//!
//! A linear path runs straight from key to key and turns the shorter way. A smooth one has continuous
//! velocity and acceleration: between two keys the position is a quintic in time, and the rotation is
//! `R₀ exp(r(t))` with a quintic `r` (Hadap 2006, §6.3). Velocity and acceleration at the keys come from five
//! neighbouring keys; where a quintic would then leave the range of its two keys although the keys around them
//! rise or fall throughout, they are made smaller until it does not.
//! Ours: the piecewise cubic of the paper marches from key to key, and an error grows by 2 + √3
//! at each; the quintic is local.

mod spline;

use drystone_base::functions::rotation_vector;
use drystone_base::rotation::{body_jacobian, body_jacobian_rate, log};
use drystone_base::{Pose, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use spline::{knots, quintic};

/// How a motion passes a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Easing {
    /// Without slowing down.
    #[default]
    Through,
    /// It comes to rest there and sets out again, without a jerk. Two equal keys at rest are a hold.
    Rest,
}

/// How keys are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Interpolation {
    /// Straight from key to key at constant velocity.
    Linear,
    /// Continuous velocity and acceleration.
    Smooth,
}

/// One key of a motion path.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Key {
    /// \[s\]
    pub time: f64,
    /// Pose of the moving frame at that time.
    pub pose: Pose,
    /// How the motion passes the key.
    pub easing: Easing,
}

impl Key {
    /// A key at `time` \[s\] that the motion passes through.
    pub const fn new(time: f64, pose: Pose) -> Self {
        let easing = Easing::Through;
        Self { time, pose, easing }
    }
}

/// Pose, velocity and acceleration on a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moving {
    /// Pose of its frame in the world.
    pub pose: Pose,
    /// Velocity of the origin, world axes \[m/s\].
    pub velocity: Vec3,
    /// Acceleration of the origin, world axes \[m/s²\].
    pub acceleration: Vec3,
    /// Axes of the frame \[rad/s\].
    pub angular_velocity: Vec3,
    /// Axes of the frame \[rad/s²\].
    pub angular_acceleration: Vec3,
}

impl Moving {
    /// At rest in `pose`.
    pub const fn still(pose: Pose) -> Self {
        Self {
            pose,
            velocity: Vec3::ZERO,
            acceleration: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            angular_acceleration: Vec3::ZERO,
        }
    }
}

/// Keys that make no path.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("motion path: {what} is {found}; wanted {wanted}")]
pub struct PathError {
    /// The quantity, and the key that it belongs to.
    pub what: String,
    /// The value found.
    pub found: String,
    /// The values that are allowed.
    pub wanted: &'static str,
}

/// A motion through keys, at rest before the first and after the last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Given", into = "Given")]
pub struct MotionPath {
    keys: Vec<Key>,
    interpolation: Interpolation,
    /// Motion at every key of a smooth path; none of a linear one.
    knots: Vec<Moving>,
}

/// A path as it is stored.
#[derive(Serialize, Deserialize)]
struct Given {
    interpolation: Interpolation,
    keys: Vec<Key>,
}

impl TryFrom<Given> for MotionPath {
    type Error = PathError;

    fn try_from(given: Given) -> Result<Self, PathError> {
        Self::new(&given.keys, given.interpolation)
    }
}

impl From<MotionPath> for Given {
    fn from(path: MotionPath) -> Self {
        Self {
            interpolation: path.interpolation,
            keys: path.keys,
        }
    }
}

impl MotionPath {
    /// Always in `pose`.
    pub fn fixed(pose: Pose) -> Self {
        Self {
            keys: vec![Key::new(0.0, pose)],
            interpolation: Interpolation::Smooth,
            knots: vec![Moving::still(pose)],
        }
    }

    /// The path that is linear between keys.
    pub fn linear(keys: &[Key]) -> Result<Self, PathError> {
        Self::new(keys, Interpolation::Linear)
    }

    /// Through `keys` with continuous velocity and acceleration.
    pub fn smooth(keys: &[Key]) -> Result<Self, PathError> {
        Self::new(keys, Interpolation::Smooth)
    }

    /// Through `keys`, in order of time. A turn between neighbours takes the shorter way.
    pub fn new(keys: &[Key], interpolation: Interpolation) -> Result<Self, PathError> {
        let fault = |what: String, found: String, wanted| {
            Err(PathError {
                what,
                found,
                wanted,
            })
        };
        if keys.is_empty() {
            return fault("the number of keys".into(), "0".into(), "at least 1");
        }
        let mut keys = keys.to_vec();
        for k in 0..keys.len() {
            let Key { time, pose, .. } = keys[k];
            if !(time.is_finite() && pose.position.is_finite()) {
                let found = format!("{} at {time} s", pose.position);
                return fault(format!("key {k}"), found, "finite numbers");
            }
            let length = pose.rotation.length();
            if !(length.is_finite() && (length - 1.0).abs() < 1e-3) {
                let what = format!("the rotation of key {k}");
                return fault(what, pose.rotation.to_string(), "a unit quaternion");
            }
            if k > 0 && time <= keys[k - 1].time {
                let found = format!("{time} s after {} s", keys[k - 1].time);
                return fault(format!("the time of key {k}"), found, "rising times");
            }
            // what is normal already stays as it is, so that a path made of its own keys is the same
            if (pose.rotation.length_squared() - 1.0).abs() > 1e-14 {
                keys[k].pose.rotation = pose.rotation.normalize();
            }
        }
        let knots = match interpolation {
            Interpolation::Linear => Vec::new(),
            Interpolation::Smooth => knots(&keys),
        };
        Ok(Self {
            keys,
            interpolation,
            knots,
        })
    }

    /// The same with one more key, and without those that no longer matter: for a motion that becomes
    /// known step by step. A key that is not later than the last, or not finite, is left out.
    #[must_use]
    pub fn driven_to(&self, time: f64, pose: Pose) -> Self {
        const KEPT: usize = 6;
        let first = (self.keys.len() + 1).saturating_sub(KEPT);
        let mut keys = self.keys[first..].to_vec();
        keys.push(Key::new(time, pose));
        Self::new(&keys, self.interpolation).unwrap_or_else(|_| self.clone())
    }

    /// The keys it goes through.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// Whether nothing moves, ever.
    pub fn is_fixed(&self) -> bool {
        self.keys.iter().all(|key| key.pose == self.keys[0].pose)
    }

    /// Whether it runs from key `i` to the next in a straight line at constant velocity.
    pub fn is_straight(&self, i: usize) -> bool {
        let rests = |k: usize| self.keys.get(k).is_some_and(|k| k.easing == Easing::Rest);
        self.interpolation == Interpolation::Linear && !rests(i) && !rests(i + 1)
    }

    /// Pose at `time` \[s\].
    pub fn pose(&self, time: f64) -> Pose {
        self.at(time).pose
    }

    /// Pose, velocity and acceleration at `time` \[s\].
    pub fn at(&self, time: f64) -> Moving {
        let after = self.keys.partition_point(|key| key.time <= time);
        let Some(i) = after.checked_sub(1) else {
            return Moving::still(self.keys[0].pose);
        };
        let key = &self.keys[i];
        match self.interpolation {
            _ if after == self.keys.len() && time > key.time => Moving::still(key.pose),
            // exactly on the last key a smooth path still moves
            Interpolation::Smooth if time == key.time => self.knots[i],
            Interpolation::Smooth => self.on_curve(i, time - key.time),
            Interpolation::Linear if after == self.keys.len() => Moving::still(key.pose),
            Interpolation::Linear => self.on_line(i, time - key.time),
        }
    }

    /// Motion on a linear path, `t` seconds after key `i`.
    fn on_line(&self, i: usize, t: f64) -> Moving {
        let (k0, k1) = (&self.keys[i], &self.keys[i + 1]);
        let span = k1.time - k0.time;
        let [u, rate, curve] = if self.is_straight(i) {
            [t / span, 1.0 / span, 0.0]
        } else {
            // from rest to rest, or to the mean velocity
            let slope = |key: &Key| match key.easing {
                Easing::Through => 1.0 / span,
                Easing::Rest => 0.0,
            };
            quintic([0.0, slope(k0), 0.0], [1.0, slope(k1), 0.0], span, t)
        };
        let step = k1.pose.position - k0.pose.position;
        let turn = log(k0.pose.rotation.conjugate() * k1.pose.rotation);
        Moving {
            pose: k0.pose.towards(&k1.pose, u),
            velocity: step * rate,
            acceleration: step * curve,
            angular_velocity: turn * rate,
            angular_acceleration: turn * curve,
        }
    }

    /// Motion on a smooth path, `t` seconds after key `i`.
    fn on_curve(&self, i: usize, t: f64) -> Moving {
        let (k0, k1) = (&self.keys[i], &self.keys[i + 1]);
        let (n0, n1) = (&self.knots[i], &self.knots[i + 1]);
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::spline::knot;
    use super::*;
    use drystone_base::functions::{cos, rotation_about, sin};
    use drystone_base::random::Random;

    /// A head that is shaken: position and rotation with known derivatives.
    fn shaken(t: f64) -> Pose {
        let x = Vec3::new(0.15 * sin(12.0 * t), 0.02 * cos(7.0 * t), 0.3 * t * t);
        let q = rotation_about(Vec3::Y, 0.7 * sin(9.0 * t)) * rotation_about(Vec3::X, 0.3 * t);
        Pose::new(x, q)
    }

    fn path(rate: f64, count: usize) -> MotionPath {
        let keys: Vec<Key> = (0..count)
            .map(|k| k as f64 / rate)
            .map(|time| Key::new(time, shaken(time)))
            .collect();
        MotionPath::smooth(&keys).unwrap()
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
    fn keys_that_make_no_path_are_refused_by_name() {
        let key = |time, x| Key::new(time, Pose::at(Vec3::new(x, 0.0, 0.0)));
        let text = |keys: &[Key]| MotionPath::smooth(keys).unwrap_err().to_string();
        assert!(text(&[]).contains("at least 1"));
        assert!(text(&[key(0.0, f64::NAN)]).contains("key 0"));
        assert!(text(&[key(1.0, 0.0), key(1.0, 1.0)]).contains("1 s after 1 s"));
    }

    fn along_x(times: &[f64], places: &[f64]) -> Vec<Key> {
        let key = |(t, x): (&f64, &f64)| Key::new(*t, Pose::at(Vec3::X * *x));
        times.iter().zip(places).map(key).collect()
    }

    /// Lowest and highest x between two times.
    fn range(path: &MotionPath, from: f64, to: f64) -> (f64, f64) {
        let x = (0..=400).map(|k| {
            path.pose(from + (to - from) * f64::from(k) / 400.0)
                .position
                .x
        });
        x.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
            (low.min(x), high.max(x))
        })
    }

    #[test]
    fn a_smooth_path_between_rising_keys_never_leaves_their_range() {
        let mut random = Random::new(5);
        let mut overshot = 0;
        for _ in 0..2000 {
            // steps of very different size and length, some of none
            let (mut t, mut x) = (0.0, 0.0);
            let (mut times, mut places) = (vec![t], vec![x]);
            for _ in 0..8 {
                t += random.range(0.05, 1.0);
                x += random.range(-0.5, 1.0).max(0.0).powi(4);
                times.push(t);
                places.push(x);
            }
            let path = MotionPath::smooth(&along_x(&times, &places)).unwrap();
            for k in 0..8 {
                let (low, high) = range(&path, times[k], times[k + 1]);
                let off = (places[k] - low).max(high - places[k + 1]);
                assert!(off < 1e-12, "{off:.1e} m out of range between {places:?}"); // measured: 1.1e-14
            }
            // with the mechanism off: differences alone
            let free = (0..9).map(|i| knot(path.keys(), i)).collect();
            let free = MotionPath {
                knots: free,
                ..path
            };
            overshot += usize::from(range(&free, 0.0, t).1 > x + 1e-3);
        }
        assert!(
            overshot > 500,
            "only {overshot} of 2000 would have overshot"
        ); // measured: 1356
    }

    #[test]
    fn a_turn_between_rising_keys_never_goes_too_far() {
        let axis = Vec3::new(1.0, 2.0, -1.0).normalize();
        let angles = [0.0, 0.0, 1.2, 1.2, 1.2];
        let keys: Vec<Key> = (0..5)
            .map(|k| {
                Key::new(
                    k as f64,
                    Pose::new(Vec3::ZERO, rotation_about(axis, angles[k])),
                )
            })
            .collect();
        let path = MotionPath::smooth(&keys).unwrap();
        for k in 0..=400 {
            let angle = log(path.pose(f64::from(k) * 0.01).rotation).dot(axis);
            assert!((-1e-9..=1.2 + 1e-9).contains(&angle), "{angle} rad");
        }
    }

    #[test]
    fn a_limited_path_is_still_continuous_in_acceleration() {
        let keys = along_x(&[0.0, 1.0, 2.0, 3.0, 4.0], &[0.0, 0.0, 1.0, 1.0, 1.0]);
        let path = MotionPath::smooth(&keys).unwrap();
        for time in [1.0, 2.0, 3.0] {
            let (a, b) = (path.at(time - 1e-9), path.at(time + 1e-9));
            assert!((a.velocity - b.velocity).length() < 1e-6);
            assert!((a.acceleration - b.acceleration).length() < 1e-6);
        }
    }

    #[test]
    fn at_a_key_at_rest_nothing_moves() {
        let mut keys = along_x(&[0.0, 1.0, 2.0, 3.0], &[0.0, 1.0, 1.0, 0.0]);
        keys[1].easing = Easing::Rest;
        keys[2].easing = Easing::Rest;
        for join in [Interpolation::Linear, Interpolation::Smooth] {
            let path = MotionPath::new(&keys, join).unwrap();
            for time in [1.0, 1.3, 2.0] {
                assert_eq!(
                    path.at(time),
                    Moving::still(keys[1].pose),
                    "{join:?} at {time}"
                );
            }
            let (before, after) = (path.at(1.0 - 1e-6), path.at(2.0 + 1e-6));
            assert!(before.velocity.length() < 1e-9 && after.velocity.length() < 1e-9);
            assert_eq!(range(&path, 0.0, 3.0), (0.0, 1.0));
        }
    }

    #[test]
    fn a_linear_path_keeps_its_velocity_between_keys() {
        let key =
            |time, x, angle| Key::new(time, Pose::new(Vec3::X * x, rotation_about(Vec3::Y, angle)));
        let path = MotionPath::linear(&[key(1.0, 0.0, 0.0), key(3.0, 4.0, 1.0)]).unwrap();
        let moving = path.at(1.5);
        assert!((moving.pose.position - Vec3::X).length() < 1e-15);
        assert!((log(moving.pose.rotation) - Vec3::Y * 0.25).length() < 1e-15);
        assert_eq!(moving.velocity, Vec3::X * 2.0);
        assert!((moving.angular_velocity - Vec3::Y * 0.5).length() < 1e-15);
        assert_eq!(path.at(3.0), Moving::still(path.keys()[1].pose));
    }

    #[test]
    fn a_path_is_read_as_it_is_written() {
        let path = path(24.0, 20);
        let text = serde_json::to_string(&path).unwrap();
        assert_eq!(serde_json::from_str::<MotionPath>(&text).unwrap(), path);
        assert!(
            serde_json::from_str::<MotionPath>(r#"{"interpolation":"linear","keys":[]}"#).is_err()
        );
    }
}
