//! The motion of a run, kept compactly until a format wants it whole.

use drystone_base::{Quat, Vec3};
use drystone_world::{Body, Frame, Scene};

/// One body over all frames.
#[derive(Clone, Debug, Default)]
pub(crate) struct Track {
    /// Positions of the shape's frame \[m\].
    pub(crate) position: Vec<Vec3>,
    /// Unit quaternions (x, y, z, w) with signs such that neighbours are on the same hemisphere.
    pub(crate) rotation: Vec<[f64; 4]>,
    /// Whether the body is there.
    pub(crate) visible: Vec<bool>,
}

/// All bodies over all frames.
#[derive(Clone, Debug)]
pub(crate) struct Tracks {
    /// Bodies of the scene, generators expanded.
    pub(crate) bodies: Vec<Body>,
    /// Times of the frames, increasing \[s\].
    pub(crate) times: Vec<f64>,
    /// One track for each body.
    pub(crate) motion: Vec<Track>,
}

impl Track {
    fn push(&mut self, position: Vec3, rotation: Quat, visible: bool) {
        let finite = position.is_finite() && rotation.is_finite() && rotation.length() > 0.5;
        let (position, rotation) = if finite {
            (position, rotation.normalize())
        } else {
            let before = self.position.last().zip(self.rotation.last());
            before.map_or((Vec3::ZERO, Quat::IDENTITY), |(p, q)| {
                (*p, Quat::from_array(*q))
            })
        };
        let mut rotation = rotation.to_array();
        if let Some(before) = self.rotation.last() {
            let dot: f64 = before.iter().zip(&rotation).map(|(a, b)| a * b).sum();
            if dot < 0.0 {
                rotation = rotation.map(|x| -x);
            }
        }
        self.position.push(position);
        self.rotation.push(rotation);
        self.visible.push(visible && finite);
    }

    /// Whether it neither moves nor turns.
    pub(crate) fn is_still(&self) -> bool {
        self.position.windows(2).all(|p| p[0] == p[1])
            && self.rotation.windows(2).all(|q| q[0] == q[1])
    }

    /// Whether it is there all the time.
    pub(crate) fn is_always_visible(&self) -> bool {
        self.visible.iter().all(|&v| v)
    }
}

impl Tracks {
    /// Empty tracks of the bodies of `scene`.
    pub(crate) fn new(scene: &Scene) -> Result<Self, String> {
        let bodies = scene.expand().map_err(|e| e.to_string())?;
        Ok(Self {
            times: Vec::new(),
            motion: vec![Track::default(); bodies.len()],
            bodies,
        })
    }

    /// Adds a frame; one at the time of the frame before is left out. Says in words why not.
    pub(crate) fn push(&mut self, frame: &Frame) -> Result<(), String> {
        if frame.bodies.len() != self.bodies.len() {
            let (found, wanted) = (frame.bodies.len(), self.bodies.len());
            return Err(format!(
                "the frame has {found} bodies; wanted {wanted} as in the scene"
            ));
        }
        let last = self.times.last().copied().unwrap_or(f64::NEG_INFINITY);
        if frame.time == last {
            return Ok(());
        }
        if !frame.time.is_finite() || frame.time < last {
            return Err(format!(
                "a frame at {} s follows one at {last} s",
                frame.time
            ));
        }
        self.times.push(frame.time);
        for (track, body) in self.motion.iter_mut().zip(&frame.bodies) {
            track.push(body.pose.position, body.pose.rotation, body.visible);
        }
        Ok(())
    }
}
