//! Patterns of unbranched strands.

use std::f64::consts::TAU;

use drystone_base::functions::{cos, exp, rotation_about, sin};
use drystone_base::random::Random;
use drystone_base::{Vec3, tangents};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Checks, Sprout};
use crate::SceneError;
use crate::defaults::is_default;
use crate::strand::{Fibre, Profile};

/// The part of a unit interval that spreads points most evenly, one by one.
const GOLDEN: f64 = 0.618_033_988_749_894_8;

/// A curl: the strand winds about the line along which it grows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Curl {
    /// Radius of the winding \[m\].
    pub radius: f64,
    /// Along the line, for one turn \[m\].
    pub pitch: f64,
}

/// Side by side along x, the middle at the origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Row {
    /// How many strands.
    pub count: u32,
    /// Distance from one to the next \[m\].
    pub spacing: f64,
    /// Segments of each strand.
    pub segments: u32,
    /// Length of the line along which each grows \[m\].
    pub length: f64,
    /// Direction in which they grow.
    pub direction: [f64; 3],
    /// Straight if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curl: Option<Curl>,
}

impl Default for Row {
    fn default() -> Self {
        Self {
            count: 9,
            spacing: 0.01,
            segments: 15,
            length: 0.15,
            direction: [0.0, -1.0, 0.0],
            curl: None,
        }
    }
}

/// On a rectangle of the plane y = 0, the middle at the origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GroomPatch {
    /// Along x and z.
    pub counts: [u32; 2],
    /// Along x and z \[m\].
    pub spacing: [f64; 2],
    /// Each root is moved at random by up to this part of the spacing \[1\].
    #[serde(skip_serializing_if = "is_default")]
    pub jitter: f64,
    /// Segments of each strand.
    pub segments: u32,
    /// Length of the line along which each grows \[m\].
    pub length: f64,
    /// Each is shorter or longer at random by up to this part \[1\].
    #[serde(skip_serializing_if = "is_default")]
    pub vary: f64,
    /// Direction in which they grow.
    pub direction: [f64; 3],
    /// Each leans away from that at random by up to this much \[degrees\].
    #[serde(skip_serializing_if = "is_default")]
    pub lean_degrees: f64,
    /// Straight if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curl: Option<Curl>,
}

impl Default for GroomPatch {
    fn default() -> Self {
        Self {
            counts: [10, 10],
            spacing: [0.01, 0.01],
            jitter: 0.0,
            segments: 10,
            length: 0.05,
            vary: 0.0,
            direction: [0.0, 1.0, 0.0],
            lean_degrees: 0.0,
            curl: None,
        }
    }
}

/// On the upper part of a ball about the origin, combed down over it and then straight down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Scalp {
    /// How many strands.
    pub count: u32,
    /// Radius of the ball \[m\].
    pub radius: f64,
    /// Height above the ball's surface at which they are combed \[m\].
    pub lift: f64,
    /// Length from root to tip \[m\].
    pub length: f64,
    /// Each is shorter or longer at random by up to this part \[1\].
    #[serde(skip_serializing_if = "is_default")]
    pub vary: f64,
    /// Least number of segments of a strand.
    pub segments: u32,
    /// Most segments beyond that; strands have 0, 1, ... of them in turn.
    #[serde(skip_serializing_if = "is_default")]
    pub more_segments: u32,
    /// Roots lie between these heights above the ball's equator \[degrees\].
    pub height_degrees: [f64; 2],
    /// Roots lie between these directions: 0 is along x, 90 against z \[degrees\].
    pub around_degrees: [f64; 2],
}

impl Default for Scalp {
    fn default() -> Self {
        Self {
            count: 190,
            radius: 0.1,
            lift: 0.003,
            length: 0.3,
            vary: 0.0,
            segments: 20,
            more_segments: 5,
            height_degrees: [20.0, 75.0],
            around_degrees: [-10.0, 190.0],
        }
    }
}

/// Locks wound about each other as in a plait, hanging from the origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Braid {
    /// How many locks.
    pub locks: u32,
    /// Segments of each lock.
    pub segments: u32,
    /// Of the whole braid \[m\].
    pub length: f64,
    /// Of the whole braid \[m\].
    pub width: f64,
    /// Length in which a lock comes back to its side \[m\].
    pub pitch: f64,
}

impl Default for Braid {
    fn default() -> Self {
        Self {
            locks: 3,
            segments: 40,
            length: 0.3,
            width: 0.03,
            pitch: 0.06,
        }
    }
}

/// Cords along x that hang down, each with a lantern at its end; the middle is at the origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Lanterns {
    /// Number of cords.
    pub count: u32,
    /// Distance from one to the next \[m\].
    pub spacing: f64,
    /// Segments of each cord.
    pub segments: u32,
    /// Length of each cord \[m\].
    pub cord: f64,
    /// Of each lantern \[m\].
    pub radius: f64,
    /// Of each lantern \[m\].
    pub height: f64,
    /// Mass of each lantern \[kg\].
    pub mass: f64,
}

impl Default for Lanterns {
    fn default() -> Self {
        Self {
            count: 5,
            spacing: 0.4,
            segments: 12,
            cord: 0.4,
            radius: 0.08,
            height: 0.2,
            mass: 0.15,
        }
    }
}

/// Points along `line` (a fraction of its length to a place), wound about it by `curl`.
fn wound(from: Vec3, direction: Vec3, length: f64, segments: u32, curl: Option<Curl>) -> Vec<Vec3> {
    let (across, beside) = tangents(direction);
    let place = |k: u32| {
        let s = length * (f64::from(k) / f64::from(segments));
        let wound = curl.map_or(Vec3::ZERO, |curl| {
            let angle = TAU * s / curl.pitch;
            // leaves the root without a jump
            let out = curl.radius * (1.0 - exp(-2.0 * s / curl.pitch));
            (across * cos(angle) + beside * sin(angle)) * out
        });
        from + direction * s + wound
    };
    (0..=segments).map(place).collect()
}

impl Checks<'_> {
    fn curl(&self, curl: Option<Curl>) -> Result<(), SceneError> {
        let Some(curl) = curl else { return Ok(()) };
        self.length("curl.radius", curl.radius)?;
        self.length("curl.pitch", curl.pitch)
    }

    fn direction(&self, direction: [f64; 3]) -> Result<Vec3, SceneError> {
        let unit = Vec3::from(direction).normalize_or_zero();
        let (found, fine) = (crate::error::show(&direction), unit.length() > 0.5);
        self.holds(fine, "direction", found, "finite and not zero")?;
        Ok(unit)
    }
}

impl Row {
    pub(super) fn sprouts(&self, checks: &Checks<'_>) -> Result<Vec<Sprout>, SceneError> {
        checks.count("count", self.count)?;
        checks.count("segments", self.segments)?;
        checks.length("length", self.length)?;
        checks.within("spacing", self.spacing, 0.0, 1e6)?;
        checks.curl(self.curl)?;
        let direction = checks.direction(self.direction)?;
        let middle = 0.5 * f64::from(self.count - 1);
        let strand = |k: u32| {
            let from = Vec3::X * (self.spacing * (f64::from(k) - middle));
            Sprout::of(wound(
                from,
                direction,
                self.length,
                self.segments,
                self.curl,
            ))
        };
        Ok((0..self.count).map(strand).collect())
    }
}

impl GroomPatch {
    pub(super) fn sprouts(
        &self,
        checks: &Checks<'_>,
        random: &mut Random,
    ) -> Result<Vec<Sprout>, SceneError> {
        checks.count("counts", self.counts[0])?;
        checks.count("counts", self.counts[1])?;
        checks.count("segments", self.segments)?;
        checks.length("length", self.length)?;
        checks.within("spacing", self.spacing[0], 0.0, 1e6)?;
        checks.within("spacing", self.spacing[1], 0.0, 1e6)?;
        checks.within("jitter", self.jitter, 0.0, 1e3)?;
        checks.within("vary", self.vary, 0.0, 0.95)?;
        checks.within("lean_degrees", self.lean_degrees, 0.0, 180.0)?;
        checks.curl(self.curl)?;
        let direction = checks.direction(self.direction)?;
        let (across, _) = tangents(direction);
        let mut sprouts = Vec::new();
        let middle = self.counts.map(|n| 0.5 * f64::from(n - 1));
        for row in 0..self.counts[1] {
            for column in 0..self.counts[0] {
                let mut off = || self.jitter * random.range(-1.0, 1.0);
                let (dx, dz) = (off(), off());
                let x = self.spacing[0] * (f64::from(column) - middle[0] + dx);
                let z = self.spacing[1] * (f64::from(row) - middle[1] + dz);
                let length = self.length * (1.0 + self.vary * random.range(-1.0, 1.0));
                let lean = self.lean_degrees.to_radians() * random.unit();
                let about = rotation_about(direction, TAU * random.unit()) * across;
                let towards = rotation_about(about, lean) * direction;
                let from = Vec3::new(x, 0.0, z);
                let points = wound(from, towards, length, self.segments, self.curl);
                sprouts.push(Sprout::of(points));
            }
        }
        Ok(sprouts)
    }
}

impl Scalp {
    pub(super) fn sprouts(
        &self,
        checks: &Checks<'_>,
        random: &mut Random,
    ) -> Result<Vec<Sprout>, SceneError> {
        checks.count("count", self.count)?;
        checks.count("segments", self.segments)?;
        checks.within("more_segments", f64::from(self.more_segments), 0.0, 1e6)?;
        checks.length("radius", self.radius)?;
        checks.length("length", self.length)?;
        checks.within("lift", self.lift, 0.0, 1e6)?;
        checks.within("vary", self.vary, 0.0, 0.95)?;
        for angle in self.height_degrees {
            checks.within("height_degrees", angle, -90.0, 90.0)?;
        }
        for angle in self.around_degrees {
            checks.within("around_degrees", angle, -360.0, 360.0)?;
        }
        let lowest = -0.3_f64;
        let [low, high] = self.height_degrees.map(|a| sin(a.to_radians()));
        let [first, last] = self.around_degrees.map(f64::to_radians);
        let strand = |k: u32| {
            // roots evenly over the area
            let u = (f64::from(k) + 0.5) / f64::from(self.count);
            let v = (f64::from(k) * GOLDEN).fract();
            let height = (low + (high - low) * u).clamp(-1.0, 1.0);
            let start = drystone_base::functions::atan2(height, (1.0 - height * height).sqrt());
            let around = first + (last - first) * v;
            let length = self.length * (1.0 + self.vary * random.range(-1.0, 1.0));
            let segments = self.segments + k % (self.more_segments + 1);
            let place = |i: u32| {
                let s = length * (f64::from(i) / f64::from(segments));
                let out = self.radius * 1.005 + self.lift * (1.0 - exp(-s / (0.2 * self.radius)));
                let turned = start - s / (self.radius * 1.005 + self.lift);
                let angle = turned.max(lowest.min(start));
                let down =
                    (s - (start - lowest).max(0.0) * (self.radius * 1.005 + self.lift)).max(0.0);
                let ring = out * cos(angle);
                let y = out * sin(angle) - down;
                Vec3::new(ring * cos(around), y, -ring * sin(around))
            };
            Sprout::of((0..=segments).map(place).collect())
        };
        Ok((0..self.count).map(strand).collect())
    }
}

impl Braid {
    pub(super) fn sprouts(&self, checks: &Checks<'_>) -> Result<Vec<Sprout>, SceneError> {
        checks.count("locks", self.locks)?;
        checks.count("segments", self.segments)?;
        checks.length("length", self.length)?;
        checks.length("width", self.width)?;
        checks.length("pitch", self.pitch)?;
        // a plait: each lock swings to and fro once while it goes in and out twice
        let place = |lock: u32, k: u32| {
            let s = self.length * (f64::from(k) / f64::from(self.segments));
            let phase = TAU * (s / self.pitch + f64::from(lock) / f64::from(self.locks));
            let (x, z) = (0.5 * sin(phase), 0.2 * sin(2.0 * phase));
            Vec3::new(self.width * x, -s, self.width * z)
        };
        let strand = |lock| Sprout::of((0..=self.segments).map(|k| place(lock, k)).collect());
        Ok((0..self.locks).map(strand).collect())
    }
}

impl Lanterns {
    pub(super) fn sprouts(
        &self,
        checks: &Checks<'_>,
        fibre: &Fibre,
    ) -> Result<Vec<Sprout>, SceneError> {
        checks.count("count", self.count)?;
        checks.count("segments", self.segments)?;
        for (field, x) in [
            ("cord", self.cord),
            ("radius", self.radius),
            ("height", self.height),
        ] {
            checks.length(field, x)?;
        }
        checks.within("spacing", self.spacing, 0.0, 1e6)?;
        checks.within("mass", self.mass, 1e-12, 1e12)?;
        // the cord's own values up to the lantern, its own from there on
        let parameters = fibre.parameters(checks.place)?;
        let (whole, edge) = (self.cord + self.height, 1e-6);
        let joint = self.cord / whole;
        let step = |cord: f64, lantern: f64| {
            Profile::along([
                [0.0, cord],
                [joint, cord],
                [joint + edge, lantern],
                [1.0, lantern],
            ])
        };
        let mut own = fibre.clone();
        own.radius = step(parameters.radius.at(0.0, 0.0), self.radius);
        own.mass_per_length = Some(step(
            parameters.mass_per_length.at(0.0, 0.0),
            self.mass / self.height,
        ));
        own.density = None;
        own.young = None;
        own.bend_stiffness = Some(parameters.bend_stiffness.at(0.0, 0.0).into());
        own.twist_stiffness = Some(parameters.twist_stiffness.at(0.0, 0.0).into());
        let middle = 0.5 * f64::from(self.count - 1);
        let strand = |k: u32| {
            let from = Vec3::X * (self.spacing * (f64::from(k) - middle));
            let mut points = wound(from, Vec3::NEG_Y, self.cord, self.segments, None);
            points.push(from - Vec3::Y * whole);
            Sprout {
                fibre: Some(own.clone()),
                ..Sprout::of(points)
            }
        };
        Ok((0..self.count).map(strand).collect())
    }
}
