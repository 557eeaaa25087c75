//! External fields: the motion of the air, which acts through drag, and accelerations.

use std::fmt;
use std::sync::Arc;

use drystone_base::Vec3;
use drystone_base::functions::{cos, exp};
use drystone_base::random::Random;

use crate::MotionPath;

/// Acceleration [m/s²] at a place [m] for a velocity [m/s] and time [s].
pub type Acceleration = Arc<dyn Fn(Vec3, Vec3, f64) -> Vec3 + Send + Sync>;
/// Velocity of the air [m/s] at a place [m] and time [s].
pub type Air = Arc<dyn Fn(Vec3, f64) -> Vec3 + Send + Sync>;

/// A field of force or of moving air.
#[derive(Clone)]
pub enum Field {
    /// Air moves everywhere alike [m/s].
    Wind(Vec3),
    /// Air moves in seeded, divergence-free eddies.
    Turbulence(Turbulence),
    /// Air circles about an axis.
    Vortex {
        /// A point of the axis [m].
        centre: Vec3,
        /// Direction of the axis; the air turns about it by the right hand.
        axis: Vec3,
        /// Circulation, `2π r u` far out [m²/s].
        circulation: f64,
        /// Radius of the slow core [m].
        core: f64,
    },
    /// Air is dragged along by something that moves: full speed inside, fading outside.
    Wake {
        /// What moves.
        path: MotionPath,
        /// Its size [m].
        radius: f64,
        /// How fast the trace fades [s].
        fading: f64,
    },
    /// Pulls to a point (pushes, if the strength is negative).
    Attractor {
        /// [m]
        centre: Vec3,
        /// Acceleration at the distance `range`, where it is strongest [m/s²].
        strength: f64,
        /// [m]
        range: f64,
    },
    /// Any acceleration.
    Acceleration(Acceleration),
    /// Any motion of the air.
    Air(Air),
}

impl fmt::Debug for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Wind(_) => "Wind",
            Self::Turbulence(_) => "Turbulence",
            Self::Vortex { .. } => "Vortex",
            Self::Wake { .. } => "Wake",
            Self::Attractor { .. } => "Attractor",
            Self::Acceleration(_) => "Acceleration",
            Self::Air(_) => "Air",
        })
    }
}

impl Field {
    /// Velocity of the air at `x` [m/s].
    pub fn air(&self, x: Vec3, t: f64) -> Vec3 {
        match self {
            Self::Wind(velocity) => *velocity,
            Self::Turbulence(turbulence) => turbulence.air(x, t),
            Self::Vortex {
                centre,
                axis,
                circulation,
                core,
            } => {
                let axis = axis.normalize_or_zero();
                let out = (x - *centre) - axis * axis.dot(x - *centre);
                let r2 = out.length_squared();
                let (u, c2) = (axis.cross(out), core * core);
                // (1 − e^{−r²/c²}) / (2π r²), finite on the axis
                let k = if r2 < 1e-6 * c2 {
                    1.0 / c2
                } else {
                    (1.0 - exp(-r2 / c2)) / r2
                };
                u * (circulation * k / std::f64::consts::TAU)
            }
            Self::Wake {
                path,
                radius,
                fading,
            } => {
                // the strongest of the traces left over the last fading times
                let mut air = Vec3::ZERO;
                for k in 0..8 {
                    let age = f64::from(k) / 8.0 * 2.0 * fading;
                    let moving = path.at(t - age);
                    let distance = (x - moving.pose.position).length() / radius;
                    let here = exp(-distance * distance - age / fading);
                    if here * moving.velocity.length() > air.length() {
                        air = moving.velocity * here;
                    }
                }
                air
            }
            Self::Air(air) => air(x, t),
            Self::Attractor { .. } | Self::Acceleration(_) => Vec3::ZERO,
        }
    }

    /// Acceleration of what is at `x` with velocity `v` [m/s²].
    pub fn acceleration(&self, x: Vec3, v: Vec3, t: f64) -> Vec3 {
        match self {
            Self::Attractor {
                centre,
                strength,
                range,
            } => {
                // 2 a u / (1 + u²), u = distance / range: strongest at the range
                let to = (*centre - x) / *range;
                to * (2.0 * strength / (1.0 + to.length_squared()))
            }
            Self::Acceleration(acceleration) => acceleration(x, v, t),
            _ => Vec3::ZERO,
        }
    }

    /// What is wrong with it, found and wanted.
    pub(crate) fn fault(&self) -> Option<(&'static str, String, &'static str)> {
        let positive = |what, x: f64| {
            let wrong = !(x > 0.0 && x.is_finite());
            wrong.then(|| (what, format!("{x}"), "more than zero"))
        };
        let finite =
            |what, v: Vec3| (!v.is_finite()).then(|| (what, v.to_string(), "finite numbers"));
        match self {
            Self::Wind(velocity) => finite("the velocity", *velocity),
            Self::Turbulence(t) => (!(t.speed.is_finite()))
                .then(|| ("the speed", format!("{}", t.speed), "a finite number"))
                .or_else(|| positive("the size", t.size))
                .or_else(|| positive("the duration", t.duration)),
            Self::Vortex {
                centre,
                axis,
                circulation,
                core,
            } => finite("the centre", *centre)
                .or_else(|| finite("the axis", *axis))
                .or_else(|| positive("the length of the axis", axis.length()))
                .or_else(|| finite("the circulation", Vec3::splat(*circulation)))
                .or_else(|| positive("the core", *core)),
            Self::Wake { radius, fading, .. } => {
                positive("the radius", *radius).or_else(|| positive("the fading time", *fading))
            }
            Self::Attractor {
                centre,
                strength,
                range,
            } => finite("the centre", *centre)
                .or_else(|| finite("the strength", Vec3::splat(*strength)))
                .or_else(|| positive("the range", *range)),
            Self::Acceleration(_) | Self::Air(_) => None,
        }
    }
}

/// Eddies as a sum of shear waves: each blows across its own direction, so that no point is a
/// source of air.
#[derive(Clone, Debug, PartialEq)]
pub struct Turbulence {
    /// Root mean square speed [m/s].
    pub speed: f64,
    /// Size of the largest eddies [m].
    pub size: f64,
    /// Time in which an eddy of that size changes [s].
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

    /// Velocity of the air [m/s].
    pub fn air(&self, x: Vec3, t: f64) -> Vec3 {
        let mut air = Vec3::ZERO;
        for wave in &self.waves {
            air += wave.amplitude * cos(wave.number.dot(x) + wave.frequency * t + wave.phase);
        }
        air
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
        let vortex = Field::Vortex {
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
        let field = Field::Attractor {
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
