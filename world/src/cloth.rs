//! Cloth as a scene file describes it: a surface, what it is made of, and what holds it.

use drystone_base::Pose;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::body::validate_keys;
use crate::defaults::is_default;
use crate::error::ensure;
use crate::shape::{pose_of, validate_pose};
use crate::{Key, SceneError, Subject, Turn, UserData};

pub(crate) mod build;
pub(crate) mod hold;
mod material;
pub(crate) mod obstacle;
mod surface;

pub use drystone_cloth::{Certificate, Options as ClothOptions, Stall, Stretch};
pub use material::ClothMaterial;
pub use surface::Surface;

impl SceneError {
    /// The triangles of cloth whose start is not allowed, as the text of an OBJ file, if that is the error.
    pub fn patch(&self) -> Option<String> {
        match self {
            Self::Cloth(drystone_cloth::Error::Start { patches, .. }) => {
                Some(drystone_cloth::patches_as_obj(patches))
            }
            _ => None,
        }
    }
}

/// Something that deforms and through which nothing passes. Only the surface is needed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cloth {
    /// Unique in the scene; called `cloth-0`, `cloth-1`, ... if left out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Its shape at the start and at rest.
    pub surface: Surface,
    /// Where the surface's frame is at the start \[m\].
    #[serde(default, skip_serializing_if = "is_default")]
    pub position: [f64; 3],
    /// How it is turned, as a unit quaternion (x, y, z, w). Not together with `turn`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<[f64; 4]>,
    /// How it is turned, as an axis and an angle. Not together with `rotation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    /// Velocity of every vertex at the start \[m/s\].
    #[serde(default, skip_serializing_if = "is_default")]
    pub velocity: [f64; 3],
    /// What it is made of.
    #[serde(default, skip_serializing_if = "is_default")]
    pub material: ClothMaterial,
    /// Distance at which it begins to push at itself and at bodies; at other cloth the mean of both. That of
    /// `solver.cloth` if left out \[m\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thickness: Option<f64>,
    /// Vertices that move as prescribed.
    #[serde(default, rename = "pin", skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<Pin>,
    /// Forces on some of its vertices.
    #[serde(default, rename = "load", skip_serializing_if = "Vec::is_empty")]
    pub loads: Vec<Load>,
    /// Red, green and blue from 0 to 1; chosen by name if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colour: Option<[f64; 3]>,
    /// What a program or a file keeps with it; decides nothing.
    #[serde(default, skip_serializing_if = "UserData::is_empty")]
    pub user: UserData,
}

/// Vertices of a cloth, by where they are in its surface.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Part {
    /// Every vertex.
    #[default]
    All,
    /// Vertices by number.
    Vertices(Vec<u32>),
    /// The first row of a sheet (least z), or the beginning of a ribbon.
    First,
    /// The last row of a sheet (largest z), or the end of a ribbon.
    Last,
    /// The first column of a sheet (least x) or of a ribbon.
    Left,
    /// The last column of a sheet (largest x) or of a ribbon.
    Right,
    /// The four corners of a sheet or of a ribbon.
    Corners,
    /// Those in a box, measured in the surface's own frame \[m\].
    Within {
        /// Least coordinates.
        low: [f64; 3],
        /// Largest coordinates.
        high: [f64; 3],
    },
}

/// Vertices that move as prescribed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Pin {
    /// Which vertices.
    #[serde(skip_serializing_if = "is_default")]
    pub part: Part,
    /// The body that they go with, or the strand: then each goes with the segment that is nearest at the start, and both
    /// pull on each other. A body, where both have the name. Not together with `path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// Keys of a handle that they are fixed to from its first key on; they stay where they are if
    /// there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<Key>,
    /// Whether the path has continuous velocity and acceleration; otherwise it runs straight from key to key.
    #[serde(skip_serializing_if = "is_default")]
    pub smooth: bool,
    /// When they are let go; never if left out \[s\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
}

/// A constant force on some vertices, raised slowly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// Which vertices it acts on.
    #[serde(default, skip_serializing_if = "is_default")]
    pub part: Part,
    /// Force on each of them \[N\].
    pub force: [f64; 3],
    /// Time in which it rises from nothing \[s\].
    #[serde(default, skip_serializing_if = "is_default")]
    pub ramp: f64,
    /// When it begins to rise \[s\].
    #[serde(default, skip_serializing_if = "is_default")]
    pub from: f64,
    /// When it ends; never if left out \[s\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
}

impl Load {
    /// `force` on each vertex of `part` \[N\].
    pub fn new(part: Part, force: [f64; 3]) -> Self {
        Self {
            part,
            force,
            ramp: 0.0,
            from: 0.0,
            until: None,
        }
    }

    /// Begins at `from` and reaches its full force after `ramp` \[s\].
    #[must_use]
    pub fn raised(mut self, from: f64, ramp: f64) -> Self {
        (self.from, self.ramp) = (from, ramp);
        self
    }

    /// Ends at `time` \[s\].
    #[must_use]
    pub fn until(mut self, time: f64) -> Self {
        self.until = Some(time);
        self
    }
}

impl Pin {
    /// `part` stays where it is.
    pub fn fixed(part: Part) -> Self {
        Self {
            part,
            ..Self::default()
        }
    }

    /// `part` goes with the body or the strand called `name`.
    pub fn on(part: Part, name: impl Into<String>) -> Self {
        Self {
            on: Some(name.into()),
            ..Self::fixed(part)
        }
    }

    /// `part` moves along `path`.
    pub fn along(part: Part, path: Vec<Key>) -> Self {
        Self {
            path,
            ..Self::fixed(part)
        }
    }

    /// Let go at `time` \[s\].
    #[must_use]
    pub fn until(mut self, time: f64) -> Self {
        self.until = Some(time);
        self
    }
}

/// Whether a thickness, if given, can be simulated.
pub(crate) fn validate_thickness(
    place: &Subject,
    field: &str,
    thickness: Option<f64>,
) -> Result<(), SceneError> {
    let thickness = thickness.unwrap_or(1.0);
    let fine = thickness > 0.0 && thickness.is_finite();
    let wanted = "more than 0 m; left out, it follows from the mesh";
    ensure(fine, place, field, format!("{thickness} m"), wanted)
}

impl Cloth {
    /// `surface` at the origin, of the default material.
    pub fn new(name: impl Into<String>, surface: Surface) -> Self {
        Self {
            name: name.into(),
            surface,
            position: [0.0; 3],
            rotation: None,
            turn: None,
            velocity: [0.0; 3],
            material: ClothMaterial::default(),
            thickness: None,
            pins: Vec::new(),
            loads: Vec::new(),
            colour: None,
            user: UserData::new(),
        }
    }

    /// Made of `material`.
    #[must_use]
    pub fn of(mut self, material: ClothMaterial) -> Self {
        self.material = material;
        self
    }

    /// Begins to push at this distance \[m\].
    #[must_use]
    pub fn thick(mut self, thickness: f64) -> Self {
        self.thickness = Some(thickness);
        self
    }

    /// Starts with this velocity \[m/s\].
    #[must_use]
    pub fn velocity(mut self, x: f64, y: f64, z: f64) -> Self {
        self.velocity = [x, y, z];
        self
    }

    /// Held by `pin`.
    #[must_use]
    pub fn pin(mut self, pin: Pin) -> Self {
        self.pins.push(pin);
        self
    }

    /// Pulled by `force` at each vertex of `part`, raised within `ramp` \[N\], \[s\].
    #[must_use]
    pub fn pull(mut self, part: Part, force: [f64; 3], ramp: f64) -> Self {
        self.loads.push(Load::new(part, force).raised(0.0, ramp));
        self
    }

    /// Pose of the surface's frame at the start.
    pub fn pose(&self) -> Pose {
        pose_of(self.position, self.rotation, self.turn)
    }

    /// The cloth as errors name it.
    pub(crate) fn place(&self) -> Subject {
        Subject::named("cloth", &self.name)
    }

    /// Says what is wrong with it by itself.
    pub(crate) fn validate(&self) -> Result<(), SceneError> {
        let place = self.place();
        validate_pose(&place, self.position, self.rotation, self.turn)?;
        place.finite("velocity", &self.velocity, 1e9, "")?;
        self.surface.validate(&place)?;
        validate_thickness(&place, "thickness", self.thickness)?;
        for (i, pin) in self.pins.iter().enumerate() {
            let field = format!("pin.{i}");
            let both = pin.on.is_some() && !pin.path.is_empty();
            ensure(!both, &place, &field, "`on` and `path`", "one of them")?;
            if !pin.path.is_empty() {
                validate_keys(&place, &format!("{field}.path"), &pin.path)?;
            }
            let until = pin.until.unwrap_or(0.0);
            let fine = until >= 0.0 && until.is_finite();
            ensure(
                fine,
                &place,
                &field,
                format!("let go at {until} s"),
                "0 s or later",
            )?;
        }
        for (i, load) in self.loads.iter().enumerate() {
            place.finite(&format!("load.{i}.force"), &load.force, 1e9, "")?;
            let until = load.until.unwrap_or(0.0);
            for (field, time) in [("ramp", load.ramp), ("from", load.from), ("until", until)] {
                let (fine, wanted) = (time >= 0.0 && time.is_finite(), "0 s or more");
                ensure(fine, &place, &format!("load.{i}.{field}"), time, wanted)?;
            }
        }
        place.colour(self.colour)
    }
}
