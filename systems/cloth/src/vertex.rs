//! A vertex with a time of its own.

use drystone_base::Vec3;
use serde::{Deserialize, Serialize};

use crate::clock::{TICK, Tick};

/// Where a vertex was when it was last kicked, and how it has gone on since. One cache line.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct Vertex {
    /// Position at `time` \[m\].
    pub position: Vec3,
    /// Velocity just after `time` \[m/s\].
    pub velocity: Vec3,
    /// Its own time.
    pub time: Tick,
    /// Nothing for what moves as prescribed \[1/kg\].
    pub inverse_mass: f64,
}

impl Vertex {
    /// Free vertices fall, prescribed ones do not.
    #[inline]
    pub(crate) fn falls(&self, gravity: Vec3) -> Vec3 {
        if self.inverse_mass > 0.0 {
            gravity
        } else {
            Vec3::ZERO
        }
    }

    /// Position at `t`, with nothing moved \[m\].
    #[inline]
    pub(crate) fn at(&self, t: Tick, gravity: Vec3) -> Vec3 {
        if t == self.time {
            return self.position;
        }
        let h = (t - self.time) as f64 * TICK;
        self.position + self.velocity * h + self.falls(gravity) * (0.5 * h * h)
    }

    /// Velocity at `t` \[m/s\].
    #[inline]
    pub(crate) fn velocity_at(&self, t: Tick, gravity: Vec3) -> Vec3 {
        self.velocity + self.falls(gravity) * ((t - self.time) as f64 * TICK)
    }

    /// Position and velocity `s` before `t`, had nothing kicked it since \[m\], \[m/s\].
    pub(crate) fn before(&self, t: Tick, s: f64, gravity: Vec3) -> (Vec3, Vec3) {
        let (x, v, g) = (
            self.at(t, gravity),
            self.velocity_at(t, gravity),
            self.falls(gravity),
        );
        (x - v * s + g * (0.5 * s * s), v - g * s)
    }

    /// Energy of motion and in gravity of a vertex of this inverse mass, as it is \[J\].
    pub(crate) fn own_energy(&self, inverse_mass: f64, gravity: Vec3) -> f64 {
        if inverse_mass > 0.0 {
            (0.5 * self.velocity.length_squared() - gravity.dot(self.position)) / inverse_mass
        } else {
            0.0
        }
    }

    /// Moves the vertex to `t`.
    #[inline]
    pub(crate) fn move_to(&mut self, t: Tick, gravity: Vec3) {
        if t != self.time {
            self.position = self.at(t, gravity);
            self.velocity = self.velocity_at(t, gravity);
            self.time = t;
        }
    }
}
