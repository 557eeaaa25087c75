//! Posable dynamics: a spring and a damper pull the tip of every segment to where an animated pose
//! has it (Hadap 2006, §6.5).

use drystone_base::Vec3;
use schemars::JsonSchema;

use crate::Error;

/// One key of an animated pose.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PoseKey {
    /// \[s\]
    pub time: f64,
    /// Tip of every link in the frame of the base, by index of the link \[m\].
    #[schemars(with = "Vec<[f64; 3]>")]
    pub tips: Vec<Vec3>,
}

/// An animated pose: cubic between keys with continuous velocity, held before and after.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PoseTrack {
    /// In order of time, at least one.
    pub keys: Vec<PoseKey>,
}

impl PoseTrack {
    /// Always the same pose, by the tips of the links.
    pub fn fixed(tips: &[Vec3]) -> Self {
        let tips = tips.to_vec();
        Self {
            keys: vec![PoseKey { time: 0.0, tips }],
        }
    }

    /// Where link `j`'s tip is wanted at `time` and how fast that place moves, in the base frame.
    pub fn tip(&self, j: usize, time: f64) -> (Vec3, Vec3) {
        let after = self.keys.partition_point(|key| key.time <= time);
        let key = |k: usize| (self.keys[k].time, self.keys[k].tips[j]);
        if after == 0 || after == self.keys.len() {
            return (key(after.saturating_sub(1)).1, Vec3::ZERO);
        }
        let ((t0, x0), (t1, x1)) = (key(after - 1), key(after));
        let slope = (x1 - x0) / (t1 - t0);
        // velocity at a key: from its two neighbours; at the ends of the track, rest
        let velocity = |k: usize| {
            if k == 0 || k + 1 == self.keys.len() {
                return Vec3::ZERO;
            }
            let ((ta, xa), (tb, xb)) = (key(k - 1), key(k + 1));
            (xb - xa) / (tb - ta)
        };
        let (v0, v1, u, span) = (
            velocity(after - 1),
            velocity(after),
            (time - t0) / (t1 - t0),
            t1 - t0,
        );
        let (b, c) = (slope * 3.0 - v0 * 2.0 - v1, v0 + v1 - slope * 2.0);
        let x = x0 + (v0 + (b + c * u) * u) * (u * span);
        (x, v0 + (b * 2.0 + c * (3.0 * u)) * u)
    }

    pub(crate) fn check(&self, strand: &str, links: usize) -> Result<(), Error> {
        let fault = |what: &str, found: String, wanted| {
            Err(Error::Strand {
                strand: strand.into(),
                what: what.into(),
                found,
                wanted,
            })
        };
        if self.keys.is_empty() {
            return fault("the number of pose keys", "0".into(), "at least 1");
        }
        for (k, key) in self.keys.iter().enumerate() {
            if key.tips.len() != links {
                let found = format!("{} in key {k}", key.tips.len());
                return fault("the number of posed tips", found, "one per segment");
            }
            if !(key.time.is_finite() && key.tips.iter().all(|tip| tip.is_finite())) {
                return fault(
                    "a pose key",
                    format!("not finite (key {k})"),
                    "finite numbers",
                );
            }
            if k > 0 && key.time <= self.keys[k - 1].time {
                let found = format!("{} s after {} s", key.time, self.keys[k - 1].time);
                return fault("the time of a pose key", found, "rising times");
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pose_track_is_continuous_and_its_velocity_is_its_slope() {
        let key = |time: f64, x: f64| PoseKey {
            time,
            tips: vec![Vec3::new(x, 0.0, 0.0)],
        };
        let keys = vec![key(0.0, 0.0), key(0.5, 1.0), key(0.7, 1.5), key(1.5, -1.0)];
        let track = PoseTrack { keys };
        for k in 0..150 {
            let (t, h) = (k as f64 * 0.01 + 0.003, 1e-6);
            let (x, v) = track.tip(0, t);
            let (before, after) = (track.tip(0, t - h).0, track.tip(0, t + h).0);
            assert!((x - before).length() < 1e-5);
            let error = (v - (after - before) / (2.0 * h)).length();
            assert!(error < 1e-7, "at {t}: {error:.1e} m/s"); // measured: 5e-10
        }
        assert_eq!(track.tip(0, 0.5).0.x, 1.0);
    }
}
