//! Static friction: what a pair that touches remembers (Cundall 1979).
//!
//! Where two primitives hold each other, a spring along the surface joins the two points that met. It pulls with
//! `k |ξ|`, at most `μ F`; beyond that the points slip and the spring goes with them. While they slide, from the moment at
//! which more than `μ F` would be needed to hold them until less is, `μ` is that of what slides. So under a steady load the
//! slip has an end, and what was pushed aside a little goes back. Its stiffness is half of that of the layers which push, so
//! that it is as small as they are deep and their clock is short enough for it.

use drystone_base::Vec3;
use serde::{Deserialize, Serialize};

use crate::clock::Tick;

/// Factor by which the pressing layers may become softer than when the spring was set, before it becomes as soft as
/// they are \[1\].
const SOFTENS: f64 = 8.0;

/// The spring of one pair.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FrictionSpring {
    /// The points that it joins, by the weights of the corners.
    weights: [f64; 4],
    /// Vector between the points where the spring is slack \[m\].
    slack: Vec3,
    /// Stiffness of the spring \[N/m\].
    pub(crate) stiffness: f64,
    /// Time at which it last pulled.
    pub(crate) time: Tick,
    /// Whether its points slide; only kept where that takes another coefficient than rest.
    pub(crate) slides: bool,
}

impl FrictionSpring {
    /// A slack spring between the points that are closest now, `apart` from each other.
    pub(crate) fn new(weights: [f64; 4], apart: Vec3, stiffness: f64, time: Tick) -> Self {
        Self {
            weights,
            slack: apart,
            stiffness,
            time,
            slides: false,
        }
    }

    /// Slip of its points along the surface with unit normal `n`, with corners at `x` \[m\].
    #[inline]
    fn slip(&self, x: &[Vec3; 4], n: Vec3) -> Vec3 {
        let mut slip = -self.slack;
        for (x, w) in x.iter().zip(self.weights) {
            slip += *x * w;
        }
        slip - n * slip.dot(n)
    }

    /// Force of the spring on the first primitive, as it is, without slipping \[N\].
    #[inline]
    pub(crate) fn force(&self, x: &[Vec3; 4], n: Vec3) -> Vec3 {
        self.slip(x, n) * -self.stiffness
    }

    /// Force of the spring, at most `most`, on the first primitive of a pair of unit normal `n` whose corners are at `x`
    /// and whose closest points are `apart`; layers there are `stiffness` stiff \[N\].
    #[inline]
    pub(crate) fn pull(
        &mut self,
        x: &[Vec3; 4],
        (weights, apart, n): ([f64; 4], Vec3, Vec3),
        stiffness: f64,
        most: f64,
    ) -> Vec3 {
        let mut slip = self.slip(x, n);
        let mut moved = false;
        // a change of stiffness takes energy: it keeps the force of what gets stiffer, the slip of what gets softer
        if stiffness > self.stiffness {
            slip *= self.stiffness / stiffness;
            (self.stiffness, moved) = (stiffness, true);
        } else if stiffness * SOFTENS < self.stiffness {
            self.stiffness = stiffness;
        }
        let force = self.stiffness * slip.length();
        if force > most {
            slip *= most / force;
            moved = true;
        }
        if moved {
            (self.weights, self.slack) = (weights, apart - slip);
        }
        slip * -self.stiffness
    }

    pub(crate) fn is_sound(&self) -> bool {
        self.slack.is_finite()
            && self.weights.iter().all(|w| w.is_finite())
            && self.stiffness > 0.0
            && self.stiffness.is_finite()
    }
}
