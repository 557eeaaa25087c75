//! Fields that act on bodies, strands and cloth: moving air, which acts through the drag of what it blows at, and
//! accelerations.

use std::fmt;
use std::sync::Arc;

use drystone_base::functions::{cos, exp};
use drystone_base::random::Random;
use drystone_base::{Mat3, Vec3};

use crate::{MotionPath, Ramp};

/// A quantity of a field that is out of range: which, the value found, and what would do.
pub type Fault = (&'static str, String, &'static str);

/// A field of moving air or of acceleration. Must be a pure function of its arguments.
pub trait Field: Send + Sync {
    /// Velocity of the air at `x` and time `t` \[m/s\].
    fn air(&self, x: Vec3, t: f64) -> Vec3 {
        let _ = (x, t);
        Vec3::ZERO
    }

    /// Acceleration of what is at `x` with velocity `v` at time `t` \[m/s²\].
    fn acceleration(&self, x: Vec3, v: Vec3, t: f64) -> Vec3 {
        let _ = (x, v, t);
        Vec3::ZERO
    }

    /// A number of it that is out of range, if there is one.
    fn fault(&self) -> Option<Fault> {
        None
    }
}

/// A field with its name and how it enters a step.
#[derive(Clone)]
pub struct NamedField {
    /// Unique in the model.
    pub name: String,
    /// The field itself.
    pub field: Arc<dyn Field>,
    /// Factor over time \[1\].
    pub strength: Ramp,
    /// Whether it is part of the implicit step of strands; otherwise it is sampled once a step.
    pub implicit: bool,
}

impl NamedField {
    /// `field` at full strength, sampled once a step.
    pub fn new(name: impl Into<String>, field: impl Field + 'static) -> Self {
        Self {
            name: name.into(),
            field: Arc::new(field),
            strength: 1.0.into(),
            implicit: false,
        }
    }

    /// Mean acceleration over the next `h` seconds of what is at `x` with velocity `v` and feels nothing else \[m/s²\].
    ///
    /// Linearly implicit in the velocity, so that no drag turns a motion round:
    /// `a = (1 − h ∂a/∂v)⁻¹ a(x, v, t)`, the derivative by differences.
    pub fn mean_acceleration(&self, x: Vec3, v: Vec3, t: f64, h: f64) -> Vec3 {
        let a = self.acceleration(x, v, t);
        let dv = 1e-4 * (1.0 + v.length());
        let column = |axis: Vec3| {
            let ends = [v + axis * dv, v - axis * dv].map(|v| self.acceleration(x, v, t));
            (ends[0] - ends[1]) * (0.5 / dv)
        };
        let slope = Mat3::from_cols(column(Vec3::X), column(Vec3::Y), column(Vec3::Z));
        if slope == Mat3::ZERO {
            return a;
        }
        let mean = (Mat3::IDENTITY - slope * h).inverse() * a;
        if mean.is_finite() { mean } else { a }
    }
}

impl fmt::Debug for NamedField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamedField")
            .field("name", &self.name)
            .field("strength", &self.strength)
            .field("implicit", &self.implicit)
            .finish_non_exhaustive()
    }
}

impl Field for NamedField {
    fn air(&self, x: Vec3, t: f64) -> Vec3 {
        self.field.air(x, t) * self.strength.at(t)
    }

    fn acceleration(&self, x: Vec3, v: Vec3, t: f64) -> Vec3 {
        self.field.acceleration(x, v, t) * self.strength.at(t)
    }

    fn fault(&self) -> Option<Fault> {
        let ramp = self.strength.fault();
        let strength = ramp.map(|(found, wanted)| ("strength", found, wanted));
        strength.or_else(|| self.field.fault())
    }
}

fn positive(what: &'static str, x: f64) -> Option<Fault> {
    let wrong = !(x > 0.0 && x.is_finite());
    wrong.then(|| (what, format!("{x}"), "more than zero"))
}

fn number(what: &'static str, x: f64) -> Option<Fault> {
    (!x.is_finite()).then(|| (what, format!("{x}"), "a finite number"))
}

fn finite(what: &'static str, v: Vec3) -> Option<Fault> {
    (!v.is_finite()).then(|| (what, v.to_string(), "finite numbers"))
}

/// Air that moves everywhere alike \[m/s\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wind(pub Vec3);

impl Field for Wind {
    fn air(&self, _: Vec3, _: f64) -> Vec3 {
        self.0
    }

    fn fault(&self) -> Option<Fault> {
        finite("the velocity", self.0)
    }
}

/// Air that circles about an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vortex {
    /// A point of the axis \[m\].
    pub centre: Vec3,
    /// Direction of the axis; the air turns about it by the right hand.
    pub axis: Vec3,
    /// Circulation, `2π r u` far out \[m²/s\].
    pub circulation: f64,
    /// Radius of the slow core \[m\].
    pub core: f64,
}

impl Field for Vortex {
    fn air(&self, x: Vec3, _: f64) -> Vec3 {
        let axis = self.axis.normalize_or_zero();
        let out = (x - self.centre) - axis * axis.dot(x - self.centre);
        let (r2, c2) = (out.length_squared(), self.core * self.core);
        // (1 − e^{−r²/c²}) / (2π r²), finite on the axis
        let k = if r2 < 1e-6 * c2 {
            1.0 / c2
        } else {
            (1.0 - exp(-r2 / c2)) / r2
        };
        axis.cross(out) * (self.circulation * k / std::f64::consts::TAU)
    }

    fn fault(&self) -> Option<Fault> {
        finite("the centre", self.centre)
            .or_else(|| finite("the axis", self.axis))
            .or_else(|| positive("the length of the axis", self.axis.length()))
            .or_else(|| number("the circulation", self.circulation))
            .or_else(|| positive("the core", self.core))
    }
}

/// Air that is dragged along by something that moves: full speed inside, fading outside.
#[derive(Clone, Debug, PartialEq)]
pub struct Wake {
    /// Motion of the obstacle whose wake it is.
    pub path: MotionPath,
    /// Radius of the wake \[m\].
    pub radius: f64,
    /// Time in which the wake fades \[s\].
    pub fading: f64,
}

impl Field for Wake {
    fn air(&self, x: Vec3, t: f64) -> Vec3 {
        // the strongest of the traces left over the last fading times
        let mut air = Vec3::ZERO;
        for k in 0..8 {
            let age = f64::from(k) / 8.0 * 2.0 * self.fading;
            let moving = self.path.at(t - age);
            let distance = (x - moving.pose.position).length() / self.radius;
            let here = exp(-distance * distance - age / self.fading);
            if here * moving.velocity.length() > air.length() {
                air = moving.velocity * here;
            }
        }
        air
    }

    fn fault(&self) -> Option<Fault> {
        positive("the radius", self.radius).or_else(|| positive("the fading time", self.fading))
    }
}

/// Pulls to a point (pushes, if the strength is negative).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attractor {
    /// \[m\]
    pub centre: Vec3,
    /// Acceleration at the distance `range`, where it is strongest \[m/s²\].
    pub strength: f64,
    /// \[m\]
    pub range: f64,
}

impl Field for Attractor {
    fn acceleration(&self, x: Vec3, _: Vec3, _: f64) -> Vec3 {
        // 2 a u / (1 + u²), u = distance / range: strongest at the range
        let to = (self.centre - x) / self.range;
        to * (2.0 * self.strength / (1.0 + to.length_squared()))
    }

    fn fault(&self) -> Option<Fault> {
        finite("the centre", self.centre)
            .or_else(|| number("the strength", self.strength))
            .or_else(|| positive("the range", self.range))
    }
}

/// Any acceleration \[m/s²\] of a place \[m\], a velocity \[m/s\] and the time \[s\].
pub struct Acceleration<F>(pub F);

impl<F: Fn(Vec3, Vec3, f64) -> Vec3 + Send + Sync> Field for Acceleration<F> {
    fn acceleration(&self, x: Vec3, v: Vec3, t: f64) -> Vec3 {
        self.0(x, v, t)
    }
}

/// Eddies as a sum of shear waves: each blows across its own direction, so that no point is a
/// source of air.
#[derive(Clone, Debug, PartialEq)]
pub struct Turbulence {
    /// Root mean square speed \[m/s\].
    pub speed: f64,
    /// Size of the largest eddies \[m\].
    pub size: f64,
    /// Time in which an eddy of that size changes \[s\].
    pub duration: f64,
    waves: Vec<Wave>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Wave {
    number: Vec3,
    frequency: f64,
    phase: f64,
    amplitude: Vec3,
}

impl Turbulence {
    /// Waves on three octaves; amplitudes fall as the cube root of the size, as in air. The same
    /// seed gives the same eddies.
    pub fn new(seed: u64, speed: f64, size: f64, duration: f64) -> Self {
        let mut random = Random::new(seed);
        let mut waves = Vec::new();
        let mut power = 0.0;
        for (octave, weight) in [
            (1.0, 1.0),
            (2.0, 0.793_700_525_984_1),
            (4.0, 0.629_960_524_947_4),
        ] {
            for _ in 0..8 {
                let direction = random.rotation() * Vec3::X;
                let across = (random.rotation() * Vec3::X)
                    .cross(direction)
                    .normalize_or_zero();
                let jitter = random.range(0.8, 1.2);
                waves.push(Wave {
                    number: direction * (std::f64::consts::TAU * octave * jitter / size),
                    frequency: random.range(-1.0, 1.0) * std::f64::consts::TAU * octave / duration,
                    phase: random.range(0.0, std::f64::consts::TAU),
                    amplitude: across * weight,
                });
                power += 0.5 * weight * weight;
            }
        }
        let scale = speed / f64::sqrt(power);
        for wave in &mut waves {
            wave.amplitude *= scale;
        }
        Self {
            speed,
            size,
            duration,
            waves,
        }
    }
}

impl Field for Turbulence {
    fn air(&self, x: Vec3, t: f64) -> Vec3 {
        let mut air = Vec3::ZERO;
        for wave in &self.waves {
            air += wave.amplitude * cos(wave.number.dot(x) + wave.frequency * t + wave.phase);
        }
        air
    }

    fn fault(&self) -> Option<Fault> {
        number("the speed", self.speed)
            .or_else(|| positive("the size", self.size))
            .or_else(|| positive("the duration", self.duration))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turbulence_has_no_sources_and_the_speed_asked_for() {
        let turbulence = Turbulence::new(7, 2.0, 0.5, 1.0);
        let mut random = Random::new(1);
        let (mut sum, mut worst, h) = (0.0, 0.0f64, 1e-5);
        for _ in 0..20_000 {
            let mut c = || random.range(-20.0, 20.0);
            let x = Vec3::new(c(), c(), c());
            sum += turbulence.air(x, 0.3).length_squared();
            let slope = |axis: Vec3| {
                (turbulence.air(x + axis * h, 0.3) - turbulence.air(x - axis * h, 0.3)).dot(axis)
                    / (2.0 * h)
            };
            worst = worst.max((slope(Vec3::X) + slope(Vec3::Y) + slope(Vec3::Z)).abs());
        }
        let speed = f64::sqrt(sum / 20_000.0);
        assert!((speed - 2.0).abs() < 0.05, "{speed} m/s"); // measured: 2.00
        assert!(worst < 1e-6, "divergence {worst:.1e} 1/s of 100"); // measured: 7e-7
    }

    #[test]
    fn a_vortex_has_its_circulation_far_out_and_a_slow_core() {
        let vortex = Vortex {
            centre: Vec3::ZERO,
            axis: Vec3::Y,
            circulation: 3.0,
            core: 0.1,
        };
        let u = vortex.air(Vec3::new(2.0, 5.0, 0.0), 0.0);
        assert!((u - Vec3::new(0.0, 0.0, -3.0 / (2.0 * std::f64::consts::TAU))).length() < 1e-15);
        assert!(vortex.air(Vec3::ZERO, 0.0).length() < 1e-15);
    }

    #[test]
    fn an_attractor_is_strongest_at_its_range() {
        let field = Attractor {
            centre: Vec3::ZERO,
            strength: 5.0,
            range: 2.0,
        };
        let pull = |x: f64| {
            -field
                .acceleration(Vec3::new(x, 0.0, 0.0), Vec3::ZERO, 0.0)
                .x
        };
        assert_eq!(pull(2.0), 5.0);
        assert!(pull(1.9) < 5.0 && pull(2.1) < 5.0 && pull(-2.0) == -5.0);
    }
}
