//! Fields of moving air and of acceleration, as a scene describes them. They act on bodies, strands and cloth.

use drystone_base::Vec3;
use drystone_common::{self as common, Acceleration, Interpolation, NamedField};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

use crate::Ramp;
use crate::defaults::is_default;
use crate::{Key, Scene, SceneError, Subject};

/// A field, which acts on bodies, strands and cloth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// Unique in the scene; called after its kind and number if left out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The kind of field, and its numbers.
    pub kind: FieldKind,
    /// Factor over time, for gusts \[1\].
    #[serde(default = "whole", skip_serializing_if = "is_whole")]
    pub strength: Ramp,
    /// Whether it enters the implicit step of strands, rather than being sampled once a step.
    #[serde(default, skip_serializing_if = "is_default")]
    pub implicit: bool,
}

fn whole() -> Ramp {
    1.0.into()
}

fn is_whole(ramp: &Ramp) -> bool {
    ramp.is(1.0)
}

/// What a field does. Moving air acts through the drag of what it blows at: of bodies their `linear_damping`, of
/// strands and cloth their `drag`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum FieldKind {
    /// Air moves everywhere alike.
    Wind {
        /// \[m/s\]
        velocity: [f64; 3],
    },
    /// Air moves in eddies, of which none is a source.
    Turbulence {
        /// Root mean square \[m/s\].
        speed: f64,
        /// Size of the largest eddies \[m\].
        size: f64,
        /// Time in which an eddy of that size changes \[s\].
        #[serde(default = "one_second")]
        duration: f64,
        /// Where its random numbers start, beside the seed of the scene.
        #[serde(default, skip_serializing_if = "is_default")]
        seed: u32,
    },
    /// Air circles about an axis.
    Vortex {
        /// A point of the axis \[m\].
        centre: [f64; 3],
        /// Its direction; the air turns about it by the right-hand rule.
        #[serde(default = "upwards")]
        axis: [f64; 3],
        /// `2π r u` far out \[m²/s\].
        circulation: f64,
        /// Radius of the slow core \[m\].
        core: f64,
    },
    /// Air is dragged along by something that moves.
    Wake {
        /// Motion of the obstacle whose wake it is.
        path: Vec<Key>,
        /// Radius of the wake \[m\].
        radius: f64,
        /// Time in which the wake fades \[s\].
        fading: f64,
    },
    /// Pulls to a point, or pushes from it if the strength is negative.
    Attractor {
        /// \[m\]
        centre: [f64; 3],
        /// Acceleration at the distance `range`, where it is strongest \[m/s²\].
        strength: f64,
        /// \[m\]
        range: f64,
    },
    /// The same acceleration everywhere.
    Push {
        /// \[m/s²\]
        acceleration: [f64; 3],
    },
    /// Slows down whatever moves, whatever its shape.
    Drag {
        /// Part of the velocity lost in a second \[1/s\].
        rate: f64,
    },
}

fn one_second() -> f64 {
    1.0
}

fn upwards() -> [f64; 3] {
    [0.0, 1.0, 0.0]
}

impl Field {
    /// A field called `name`, at full strength always.
    pub fn new(name: impl Into<String>, kind: FieldKind) -> Self {
        Self {
            name: name.into(),
            kind,
            strength: whole(),
            implicit: false,
        }
    }

    /// Multiplies the field by a factor that is linear between pairs of time and value.
    #[must_use]
    pub fn strength(mut self, keys: &[[f64; 2]]) -> Self {
        self.strength = Ramp::through(keys);
        self
    }

    /// As the systems want it; the scene's seed decides about eddies. Called `name` where it has none.
    fn built(&self, name: impl Fn() -> String, seed: u32) -> Result<NamedField, SceneError> {
        let name = match self.name.is_empty() {
            true => name(),
            false => self.name.clone(),
        };
        let place = Subject::named("field", &name);
        // the kind of field
        let field: Arc<dyn common::Field> = match &self.kind {
            FieldKind::Wind { velocity } => Arc::new(common::Wind(Vec3::from(*velocity))),
            FieldKind::Turbulence {
                speed,
                size,
                duration,
                seed: own,
            } => {
                let seed = u64::from(seed) << 32 | u64::from(*own);
                Arc::new(common::Turbulence::new(seed, *speed, *size, *duration))
            }
            FieldKind::Vortex {
                centre,
                axis,
                circulation,
                core,
            } => Arc::new(common::Vortex {
                centre: Vec3::from(*centre),
                axis: Vec3::from(*axis),
                circulation: *circulation,
                core: *core,
            }),
            FieldKind::Wake {
                path,
                radius,
                fading,
            } => {
                crate::body::validate_keys(&place, "kind.wake.path", path)?;
                Arc::new(common::Wake {
                    path: crate::body::motion_path(path, Interpolation::Smooth)?,
                    radius: *radius,
                    fading: *fading,
                })
            }
            FieldKind::Attractor {
                centre,
                strength,
                range,
            } => Arc::new(common::Attractor {
                centre: Vec3::from(*centre),
                strength: *strength,
                range: *range,
            }),
            FieldKind::Push { acceleration } => {
                let a = Vec3::from(*acceleration);
                place.finite("kind.push.acceleration", acceleration, 1e6, "m/s²")?;
                Arc::new(Acceleration(move |_, _, _| a))
            }
            FieldKind::Drag { rate } => {
                let rate = *rate;
                place.within("kind.drag.rate", rate, 0.0..=1e4, "1/s")?;
                Arc::new(Acceleration(move |_, v: Vec3, _| v * -rate))
            }
        };
        // its numbers
        let field = NamedField {
            name,
            field,
            strength: self.strength.clone(),
            implicit: self.implicit,
        };
        match common::Field::fault(&field) {
            Some((what, found, wanted)) => Err(SceneError::value(place, what, found, wanted)),
            None => Ok(field),
        }
    }
}

impl Scene {
    /// Its fields, built for the systems.
    pub(crate) fn built_fields(&self) -> Result<Vec<NamedField>, SceneError> {
        let built = |(i, field): (usize, &Field)| {
            field.built(|| format!("{}-{i}", field.kind.kind()), self.seed)
        };
        self.fields.iter().enumerate().map(built).collect()
    }
}

impl FieldKind {
    /// In one word, as in a scene file.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Wind { .. } => "wind",
            Self::Turbulence { .. } => "turbulence",
            Self::Vortex { .. } => "vortex",
            Self::Wake { .. } => "wake",
            Self::Attractor { .. } => "attractor",
            Self::Push { .. } => "push",
            Self::Drag { .. } => "drag",
        }
    }
}
