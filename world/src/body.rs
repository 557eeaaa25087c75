//! A body as a scene describes it, and the words to build one in Rust.

use drystone_base::Pose;
use drystone_common::{self as common, Easing, Interpolation, MotionPath, PathError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::defaults::{is_default, is_one, one};
use crate::error::ensure;
use crate::shape::{FARTHEST, pose_of, validate_pose};
use crate::{SceneError, Shape, Subject, Turn, UserData};

/// One body. Everything but its shape may be left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Unique in the scene; without one the body is called after its shape and number.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The solid that it fills.
    pub shape: Shape,
    /// Where the shape's frame is at the start \[m\].
    #[serde(default, skip_serializing_if = "is_default")]
    pub position: [f64; 3],
    /// How it is turned at the start, as a unit quaternion (x, y, z, w). Not together with `turn`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<[f64; 4]>,
    /// How it is turned at the start, as an axis and an angle. Not together with `rotation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    /// Velocity of the centre of mass when the body enters \[m/s\].
    #[serde(default, skip_serializing_if = "is_default")]
    pub velocity: [f64; 3],
    /// Angular velocity when the body enters, world axes \[rad/s\].
    #[serde(default, skip_serializing_if = "is_default")]
    pub angular_velocity: [f64; 3],
    /// Mass per volume \[kg/m³\]; 1000 if neither it nor `mass` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Total mass \[kg\]. Not together with `density`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// What moves it: `"dynamic"`, `"fixed"` or `{ path = [...] }`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub motion: Motion,
    /// Whether a path is joined so that velocity and acceleration are continuous, as living things
    /// move; otherwise it runs straight from key to key.
    #[serde(default, skip_serializing_if = "is_default")]
    pub smooth: bool,
    /// Name of its material; `default` needs no entry.
    #[serde(
        default = "default_material",
        skip_serializing_if = "is_default_material"
    )]
    pub material: String,
    /// Factor on gravity, 0 to float \[1\].
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub gravity_scale: f64,
    /// Fraction of the velocity lost per second, small \[1/s\].
    #[serde(default, skip_serializing_if = "is_default")]
    pub linear_damping: f64,
    /// Fraction of the spin lost per second, small \[1/s\].
    #[serde(default, skip_serializing_if = "is_default")]
    pub angular_damping: f64,
    /// Time at which it appears; until then nothing collides with it or sees it \[s\].
    #[serde(default, skip_serializing_if = "is_default")]
    pub enters_at: f64,
    /// Whether strands pass through it: for what they grow out of.
    #[serde(default, skip_serializing_if = "is_default")]
    pub passable: bool,
    /// Whether it is there but not shown, in pictures, files and viewer: glass, or a stand-in that only pushes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hidden: bool,
    /// Red, green and blue from 0 to 1; chosen by name if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colour: Option<[f64; 3]>,
    /// What a program or a file keeps with it; decides nothing.
    #[serde(default, skip_serializing_if = "UserData::is_empty")]
    pub user: UserData,
}

/// What moves a body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Motion {
    /// Forces and contacts.
    #[default]
    Dynamic,
    /// Nothing.
    Fixed,
    /// Keys in order of time: linear in position, the shortest turn in rotation, at rest
    /// before the first key and after the last. Contacts push others, never it.
    Path(Vec<Key>),
}

/// One key of a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// \[s\]
    pub time: f64,
    /// Where the shape's frame is at that time \[m\].
    pub position: [f64; 3],
    /// How it is turned, as a unit quaternion (x, y, z, w). Not together with `turn`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<[f64; 4]>,
    /// How it is turned, as an axis and an angle. Not together with `rotation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    /// Whether the motion comes to `rest` there; otherwise it goes `through`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub easing: Easing,
}

impl Key {
    /// A key at `position` at `time`, not turned.
    pub const fn new(time: f64, position: [f64; 3]) -> Self {
        Self {
            time,
            position,
            rotation: None,
            turn: None,
            easing: Easing::Through,
        }
    }

    /// Turned by `degrees` about `axis`.
    #[must_use]
    pub const fn turned(self, axis: [f64; 3], degrees: f64) -> Self {
        Self {
            turn: Some(Turn::new(axis, degrees)),
            rotation: None,
            ..self
        }
    }

    /// Coming to rest there.
    #[must_use]
    pub const fn at_rest(self) -> Self {
        Self {
            easing: Easing::Rest,
            ..self
        }
    }

    /// Where the shape's frame is at that time.
    pub fn pose(&self) -> Pose {
        pose_of(self.position, self.rotation, self.turn)
    }
}

/// The motion through `keys`.
pub(crate) fn motion_path(keys: &[Key], join: Interpolation) -> Result<MotionPath, PathError> {
    let key = |key: &Key| common::Key {
        time: key.time,
        pose: key.pose(),
        easing: key.easing,
    };
    MotionPath::new(&keys.iter().map(key).collect::<Vec<_>>(), join)
}

pub(crate) fn default_material() -> String {
    DEFAULT_MATERIAL.into()
}

pub(crate) fn is_default_material(name: &String) -> bool {
    name == DEFAULT_MATERIAL
}

/// The material of whatever names none.
pub const DEFAULT_MATERIAL: &str = "default";

/// Density of whatever names none \[kg/m³\].
pub const DEFAULT_DENSITY: f64 = 1000.0;

impl Body {
    /// A dynamic body at the origin, at rest.
    pub fn new(shape: Shape) -> Self {
        Self {
            name: String::new(),
            shape,
            position: [0.0; 3],
            rotation: None,
            turn: None,
            velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            density: None,
            mass: None,
            motion: Motion::Dynamic,
            smooth: false,
            material: default_material(),
            gravity_scale: 1.0,
            linear_damping: 0.0,
            angular_damping: 0.0,
            enters_at: 0.0,
            passable: false,
            hidden: false,
            colour: None,
            user: UserData::new(),
        }
    }

    /// A cube \[m\].
    pub fn cube(edge: f64) -> Self {
        Self::new(Shape::cube(edge))
    }

    /// A box of the given full extents \[m\].
    pub fn block(x: f64, y: f64, z: f64) -> Self {
        Self::new(Shape::block(x, y, z))
    }

    /// A ball \[m\].
    pub fn ball(radius: f64) -> Self {
        Self::new(Shape::ball(radius))
    }

    /// Called `name`.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Starts at `pose`.
    #[must_use]
    pub fn posed(mut self, pose: &Pose) -> Self {
        self.position = pose.position.to_array();
        self.rotation = Some(pose.rotation.to_array());
        self.turn = None;
        self
    }

    /// Starts spinning with (`x`, `y`, `z`), world axes \[rad/s\].
    #[must_use]
    pub fn spin(mut self, x: f64, y: f64, z: f64) -> Self {
        self.angular_velocity = [x, y, z];
        self
    }

    /// Moves along `keys`.
    #[must_use]
    pub fn along(mut self, keys: Vec<Key>) -> Self {
        self.motion = Motion::Path(keys);
        self
    }

    /// Moves along `keys` with continuous velocity and acceleration.
    #[must_use]
    pub fn along_smoothly(mut self, keys: Vec<Key>) -> Self {
        self.motion = Motion::Path(keys);
        self.smooth = true;
        self
    }

    /// How the keys of its path are joined.
    pub(crate) fn interpolation(&self) -> Interpolation {
        match self.smooth {
            true => Interpolation::Smooth,
            false => Interpolation::Linear,
        }
    }

    /// Strands pass through it.
    #[must_use]
    pub fn passable(mut self) -> Self {
        self.passable = true;
        self
    }

    /// It is there but not shown.
    #[must_use]
    pub fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }

    /// Floats: gravity does not act on it.
    #[must_use]
    pub fn weightless(mut self) -> Self {
        self.gravity_scale = 0.0;
        self
    }

    /// Where the shape's frame is at the start.
    pub fn pose(&self) -> Pose {
        match &self.motion {
            Motion::Path(keys) if !keys.is_empty() => keys[0].pose(),
            _ => pose_of(self.position, self.rotation, self.turn),
        }
    }

    /// Says what is wrong with it, naming it.
    pub(crate) fn validate(&self) -> Result<(), SceneError> {
        let place = &Subject::named("body", &self.name);
        self.shape.validate(place)?;
        validate_pose(place, self.position, self.rotation, self.turn)?;
        self.validate_common(place)?;
        let endless = matches!(self.shape, Shape::HalfSpace) && self.motion == Motion::Dynamic;
        ensure(
            !endless,
            place,
            "motion",
            "dynamic",
            "`fixed` for a half-space, which has no mass",
        )
    }

    /// Says what is wrong with it, apart from its shape and pose, naming `place`.
    pub(crate) fn validate_common(&self, place: &Subject) -> Result<(), SceneError> {
        // velocities
        for (field, v, limit) in [
            ("velocity", self.velocity, 1e5),
            ("angular_velocity", self.angular_velocity, 1e6),
        ] {
            place.finite(field, &v, limit, "")?;
        }
        // mass: one way or the other
        if self.density.is_some() && self.mass.is_some() {
            return Err(SceneError::value(
                place,
                "mass",
                "given beside `density`",
                "only one of the two",
            ));
        }
        for (field, value) in [("density", self.density), ("mass", self.mass)] {
            if let Some(x) = value {
                let fine = x > 0.0 && x <= 1e15;
                ensure(fine, place, field, x, "more than zero and at most 1e15")?;
            }
        }
        // gravity, damping, entry
        place.within("gravity_scale", self.gravity_scale, -1e6..=1e6, "")?;
        for (field, d) in [
            ("linear_damping", self.linear_damping),
            ("angular_damping", self.angular_damping),
        ] {
            place.within(field, d, 0.0..=1e6, "1/s")?;
        }
        ensure(
            self.enters_at.is_finite(),
            place,
            "enters_at",
            format!("{} s", self.enters_at),
            "a finite time",
        )?;
        // looks and motion
        place.colour(self.colour)?;
        match &self.motion {
            Motion::Path(keys) => validate_keys(place, "motion.path", keys),
            _ => Ok(()),
        }
    }
}

/// Says what is wrong with the keys of a path called `field`.
pub(crate) fn validate_keys(place: &Subject, field: &str, keys: &[Key]) -> Result<(), SceneError> {
    ensure(!keys.is_empty(), place, field, "empty", "at least one key")?;
    for (i, key) in keys.iter().enumerate() {
        let at = place.part("key", i);
        validate_pose(&at, key.position, key.rotation, key.turn)?;
        ensure(
            key.time.abs() <= FARTHEST,
            &at,
            "time",
            key.time,
            "a finite time",
        )?;
        let later = i == 0 || key.time > keys[i - 1].time;
        ensure(
            later,
            &at,
            "time",
            format!("{} s", key.time),
            "a time after the key before",
        )?;
    }
    Ok(())
}
