//! Where pictures are taken from, and how that moves in a film.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Subject;
use crate::error::{SceneError, ensure};

/// Where a picture is taken from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Camera {
    /// Where the camera is \[m\].
    pub eye: [f64; 3],
    /// What it looks at \[m\].
    pub target: [f64; 3],
    /// Vertical angle of view \[degrees\].
    #[serde(default = "Camera::default_view")]
    pub view_degrees: f64,
    /// Keys of its motion: it starts and ends gently and passes the keys between without stopping.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<CameraKey>,
}

/// Where a camera is at a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CameraKey {
    /// After the start \[s\].
    pub time: f64,
    /// Where the camera is \[m\].
    pub eye: [f64; 3],
    /// What it looks at \[m\].
    pub target: [f64; 3],
    /// Vertical angle of view \[degrees\]; left out: that of the camera.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view_degrees: Option<f64>,
}

impl Camera {
    fn default_view() -> f64 {
        40.0
    }

    /// At `eye`, looking at `target` \[m\].
    pub fn new(eye: [f64; 3], target: [f64; 3]) -> Self {
        Self {
            eye,
            target,
            view_degrees: Self::default_view(),
            keys: Vec::new(),
        }
    }

    /// Moves on, to be at `eye` and look at `target` \[m\] after `time` \[s\].
    pub fn then(mut self, time: f64, eye: [f64; 3], target: [f64; 3]) -> Self {
        self.keys.push(CameraKey {
            time,
            eye,
            target,
            view_degrees: None,
        });
        self
    }

    /// Where it stands at `time` \[s\]: cubic between keys, with the slope of the keys around each
    /// and none at the first and the last.
    pub fn at(&self, time: f64) -> Self {
        let seven = |k: usize| -> [f64; 7] {
            let (eye, target, view) = match k.checked_sub(1).map(|k| &self.keys[k]) {
                None => (self.eye, self.target, None),
                Some(key) => (key.eye, key.target, key.view_degrees),
            };
            let view = view.unwrap_or(self.view_degrees);
            let [[a, b, c], [d, e, f]] = [eye, target];
            [a, b, c, d, e, f, view]
        };
        let when = |k: usize| k.checked_sub(1).map_or(0.0, |k| self.keys[k].time);
        let last = self.keys.len();
        let next = (1..=last).find(|&k| time < when(k));
        let now = match next {
            _ if time <= 0.0 => seven(0),
            None => seven(last),
            Some(next) => {
                let (from, to) = (next - 1, next);
                let slope = |k: usize, i: usize| match k {
                    0 => 0.0,
                    k if k == last => 0.0,
                    k => (seven(k + 1)[i] - seven(k - 1)[i]) / (when(k + 1) - when(k - 1)),
                };
                let length = when(to) - when(from);
                let s = (time - when(from)) / length;
                std::array::from_fn(|i| {
                    let (p, q) = (seven(from)[i], seven(to)[i]);
                    let (u, v) = (length * slope(from, i), length * slope(to, i));
                    let rise = s * s * (3.0 - 2.0 * s);
                    p + (q - p) * rise + s * (1.0 - s) * ((1.0 - s) * u - s * v)
                })
            }
        };
        let [a, b, c, d, e, f, view_degrees] = now;
        Self {
            eye: [a, b, c],
            target: [d, e, f],
            view_degrees,
            keys: Vec::new(),
        }
    }

    /// Says what no picture can be taken with.
    pub(crate) fn check(&self, place: &Subject) -> Result<(), SceneError> {
        let start = CameraKey {
            time: 0.0,
            eye: self.eye,
            target: self.target,
            view_degrees: Some(self.view_degrees),
        };
        let mut before = f64::NEG_INFINITY;
        for (k, key) in std::iter::once(&start).chain(&self.keys).enumerate() {
            let named = |field: &str| match k.checked_sub(1) {
                None => format!("camera.{field}"),
                Some(k) => format!("camera.keys[{k}].{field}"),
            };
            let finite = (key.eye.iter().chain(&key.target)).all(|x| x.is_finite());
            ensure(
                finite && key.eye != key.target,
                place,
                &named("eye"),
                format!("{:?}", key.eye),
                "a finite point other than the target",
            )?;
            let view = key.view_degrees.unwrap_or(self.view_degrees);
            place.within(&named("view_degrees"), view, 1.0..=170.0, "degrees")?;
            ensure(
                key.time > before && key.time.is_finite(),
                place,
                &named("time"),
                key.time,
                "later than the key before, and later than the start",
            )?;
            before = key.time;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_passes_through_its_keys_and_rests_at_both_ends() {
        let camera = Camera::new([0.0, 1.0, 5.0], [0.0; 3])
            .then(1.0, [2.0, 1.0, 5.0], [0.0; 3])
            .then(3.0, [2.0, 4.0, 5.0], [0.0, 2.0, 0.0]);
        assert_eq!(camera.at(-1.0).eye, camera.eye);
        assert_eq!(camera.at(0.0).eye, camera.eye);
        assert_eq!(camera.at(1.0).eye, [2.0, 1.0, 5.0]);
        assert_eq!(camera.at(9.0).target, [0.0, 2.0, 0.0]);
        // no jump in place or speed at the key between, no speed at the ends
        let speed = |t: f64| (camera.at(t + 1e-6).eye[0] - camera.at(t - 1e-6).eye[0]) / 2e-6;
        let apart = speed(1.0 - 2e-6) - speed(1.0 + 2e-6);
        assert!(apart.abs() < 1e-4, "{apart}"); // measured: 2e-5
        assert!(speed(0.0).abs() < 1e-4 && speed(3.0).abs() < 1e-4);
        assert!(speed(0.5) > 1.0);
        assert_eq!(camera.at(0.5).view_degrees, 40.0);
    }
}
