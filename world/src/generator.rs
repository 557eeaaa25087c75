//! Bodies by the dozen: a pattern, and what its bodies have in common.

mod cards;
mod masonry;
mod scatter;

use drystone_base::Pose;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use cards::{CardHouse, Dominoes};
pub use masonry::{Arch, House, Pyramid, Ring, Stack, Wall};
pub use scatter::{Column, Fill, Grid, Line, Nails};

use crate::body::{default_material, is_default_material};
use crate::defaults::{is_default, is_one, one};
use crate::error::ensure;
use crate::shape::{pose_of, validate_pose};
use crate::{Body, Motion, SceneError, Shape, Subject, Turn, UserData};

/// Many bodies in one entry. Only the pattern is needed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Generator {
    /// Begins the name of each body, as in `tower/3/17`; called after the pattern if left out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// What is built.
    pub pattern: Pattern,
    /// Where the pattern's origin is \[m\].
    #[serde(default, skip_serializing_if = "is_default")]
    pub position: [f64; 3],
    /// How the whole is turned, as a unit quaternion (x, y, z, w). Not together with `turn`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<[f64; 4]>,
    /// How the whole is turned, as an axis and an angle. Not together with `rotation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    /// Velocity of each body when it enters \[m/s\].
    #[serde(default, skip_serializing_if = "is_default")]
    pub velocity: [f64; 3],
    /// Angular velocity of each body when it enters, world axes \[rad/s\].
    #[serde(default, skip_serializing_if = "is_default")]
    pub angular_velocity: [f64; 3],
    /// Mass per volume \[kg/m³\]; 1000 if neither it nor `mass` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Mass of each body \[kg\]. Not together with `density`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// What moves them: `"dynamic"` or `"fixed"`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub motion: Motion,
    /// Name of their material.
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
    /// When they appear \[s\].
    #[serde(default, skip_serializing_if = "is_default")]
    pub enters_at: f64,
    /// Red, green and blue from 0 to 1; chosen by name if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colour: Option<[f64; 3]>,
    /// What a program or a file keeps with each; decides nothing.
    #[serde(default, skip_serializing_if = "UserData::is_empty")]
    pub user: UserData,
    /// Where the random numbers of this generator start, beside the seed of the scene.
    #[serde(default, skip_serializing_if = "is_default")]
    pub seed: u32,
}

/// What is built.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Pattern {
    /// A stack: one on top of the other.
    Stack(Stack),
    /// Rows of bricks.
    Wall(Wall),
    /// Layers of bricks on a circle.
    Ring(Ring),
    /// Squares (or rows) of blocks, each smaller by one than the one below.
    Pyramid(Pyramid),
    /// Wedge-shaped stones on a circle, held by their own weight.
    Arch(Arch),
    /// Four walls with interlocking corners, and two gables.
    House(House),
    /// Leaning pairs of cards, level on level.
    CardHouse(CardHouse),
    /// Upright tiles along a line, a circle or a spiral.
    Dominoes(Dominoes),
    /// One after the other along a straight line.
    Line(Line),
    /// On a box-shaped lattice.
    Grid(Grid),
    /// A bed of nails.
    Nails(Nails),
    /// On a lattice inside a round column, from the bottom up.
    Column(Column),
    /// Anywhere inside a box, without overlap.
    Fill(Fill),
}

/// One body of a pattern, in the pattern's frame.
pub(crate) struct Piece {
    /// The part of the body's name that follows the generator's.
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) pose: Pose,
}

impl Piece {
    pub(crate) fn new(name: impl ToString, shape: Shape, pose: Pose) -> Self {
        Self {
            name: name.to_string(),
            shape,
            pose,
        }
    }
}

/// Checks of the numbers of a pattern, as errors that name its generator or groom.
pub(crate) struct Checks<'a> {
    pub(crate) place: &'a Subject,
    pattern: &'static str,
}

impl<'a> Checks<'a> {
    pub(crate) fn new(place: &'a Subject, pattern: &'static str) -> Self {
        Self { place, pattern }
    }

    fn field(&self, field: &str) -> String {
        format!("pattern.{}.{field}", self.pattern)
    }

    pub(crate) fn count(&self, field: &str, n: u32) -> Result<(), SceneError> {
        self.within(field, n.into(), 1.0, 1e6)
    }

    pub(crate) fn within(
        &self,
        field: &str,
        x: f64,
        low: f64,
        high: f64,
    ) -> Result<(), SceneError> {
        self.place.within(&self.field(field), x, low..=high, "")
    }

    pub(crate) fn length(&self, field: &str, x: f64) -> Result<(), SceneError> {
        self.place.length(&self.field(field), x)
    }

    pub(crate) fn size(&self, field: &str, size: [f64; 3]) -> Result<(), SceneError> {
        size.iter().try_for_each(|&x| self.length(field, x))
    }

    pub(crate) fn finite(&self, field: &str, values: &[f64]) -> Result<(), SceneError> {
        self.place.finite(&self.field(field), values, 1e6, "")
    }

    pub(crate) fn holds(
        &self,
        holds: bool,
        field: &str,
        found: impl ToString,
        wanted: &str,
    ) -> Result<(), SceneError> {
        ensure(holds, self.place, &self.field(field), found, wanted)
    }

    pub(crate) fn shapes(&self, shapes: &[Shape]) -> Result<(), SceneError> {
        self.holds(!shapes.is_empty(), "shapes", "empty", "at least one shape")?;
        for shape in shapes {
            shape.validate(self.place)?;
            self.holds(
                !matches!(shape, Shape::HalfSpace),
                "shapes",
                "half-space",
                "a bounded solid",
            )?;
        }
        Ok(())
    }
}

impl Generator {
    /// A pattern of dynamic bodies at the origin, at rest.
    pub fn new(name: impl Into<String>, pattern: Pattern) -> Self {
        Self {
            name: name.into(),
            pattern,
            position: [0.0; 3],
            rotation: None,
            turn: None,
            velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            density: None,
            mass: None,
            motion: Motion::Dynamic,
            material: default_material(),
            gravity_scale: 1.0,
            linear_damping: 0.0,
            angular_damping: 0.0,
            enters_at: 0.0,
            colour: None,
            user: UserData::new(),
            seed: 0,
        }
    }

    /// The generator as errors name it.
    pub(crate) fn place(&self) -> Subject {
        let name = if self.name.is_empty() {
            self.pattern.kind()
        } else {
            &self.name
        };
        Subject::named("generator", name)
    }

    /// How many bodies it makes.
    pub fn count(&self) -> u64 {
        match &self.pattern {
            Pattern::Stack(p) => u64::from(p.count),
            Pattern::Wall(p) => p.count(),
            Pattern::Ring(p) => u64::from(p.bricks).saturating_mul(u64::from(p.layers)),
            Pattern::Pyramid(p) => p.count(),
            Pattern::Arch(p) => u64::from(p.voussoirs),
            Pattern::House(p) => p.count(),
            Pattern::CardHouse(p) => p.count(),
            Pattern::Dominoes(p) => u64::from(p.count),
            Pattern::Line(p) => u64::from(p.count),
            Pattern::Grid(p) => p
                .counts
                .iter()
                .fold(1, |n: u64, &k| n.saturating_mul(u64::from(k))),
            Pattern::Nails(p) => u64::from(p.counts[0]).saturating_mul(u64::from(p.counts[1])),
            Pattern::Column(p) => u64::from(p.count),
            Pattern::Fill(p) => u64::from(p.count),
        }
    }

    /// Its bodies, with names that begin with its own; it is the `index`-th of its scene.
    pub(crate) fn expand(&self, index: usize, seed: u64) -> Result<Vec<Body>, SceneError> {
        let place = self.place();
        self.validate(&place)?;
        // pieces of the pattern, about its own origin
        let checks = Checks::new(&place, self.pattern.kind());
        let seed = seed
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .wrapping_add(index as u64);
        let pieces = match &self.pattern {
            Pattern::Stack(p) => p.pieces(&checks),
            Pattern::Wall(p) => p.pieces(&checks),
            Pattern::Ring(p) => p.pieces(&checks),
            Pattern::Pyramid(p) => p.pieces(&checks),
            Pattern::Arch(p) => p.pieces(&checks),
            Pattern::House(p) => p.pieces(&checks),
            Pattern::CardHouse(p) => p.pieces(&checks),
            Pattern::Dominoes(p) => p.pieces(&checks),
            Pattern::Line(p) => p.pieces(&checks, seed),
            Pattern::Grid(p) => p.pieces(&checks, seed),
            Pattern::Nails(p) => p.pieces(&checks, seed),
            Pattern::Column(p) => p.pieces(&checks, seed),
            Pattern::Fill(p) => p.pieces(&checks, seed),
        }?;
        // placed, and named after the generator
        let base = match self.name.as_str() {
            "" if index == 0 => self.pattern.kind().to_owned(),
            "" => format!("{}-{index}", self.pattern.kind()),
            name => name.to_owned(),
        };
        let whole = pose_of(self.position, self.rotation, self.turn);
        let plain = self.rotation.is_none() && self.turn.is_none();
        let bodies = pieces.into_iter().map(|piece| {
            // an unturned pattern keeps its numbers as they are
            let pose = if plain {
                Pose::new(whole.position + piece.pose.position, piece.pose.rotation)
            } else {
                whole.then(&piece.pose)
            };
            self.body(Piece {
                name: format!("{base}/{}", piece.name),
                pose,
                ..piece
            })
        });
        Ok(bodies.collect())
    }

    /// `piece`, placed already, as a body.
    fn body(&self, piece: Piece) -> Body {
        let turned = piece.pose.rotation != drystone_base::Quat::IDENTITY;
        Body {
            name: piece.name,
            position: piece.pose.position.to_array(),
            rotation: turned.then(|| piece.pose.rotation.to_array()),
            velocity: self.velocity,
            angular_velocity: self.angular_velocity,
            density: self.density,
            mass: self.mass,
            motion: self.motion.clone(),
            material: self.material.clone(),
            gravity_scale: self.gravity_scale,
            linear_damping: self.linear_damping,
            angular_damping: self.angular_damping,
            enters_at: self.enters_at,
            colour: self.colour,
            user: self.user.clone(),
            ..Body::new(piece.shape)
        }
    }

    fn validate(&self, place: &Subject) -> Result<(), SceneError> {
        validate_pose(place, self.position, self.rotation, self.turn)?;
        let simple = !matches!(self.motion, Motion::Path(_));
        ensure(
            simple,
            place,
            "motion",
            "a path",
            "`dynamic` or `fixed`; a path belongs to one body",
        )?;
        let sample = Piece::new("", Shape::cube(1.0), Pose::IDENTITY);
        self.body(sample).validate_common(place)
    }
}

impl Pattern {
    /// In one word, as in a scene file.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Stack(_) => "stack",
            Self::Wall(_) => "wall",
            Self::Ring(_) => "ring",
            Self::Pyramid(_) => "pyramid",
            Self::Arch(_) => "arch",
            Self::House(_) => "house",
            Self::CardHouse(_) => "card-house",
            Self::Dominoes(_) => "dominoes",
            Self::Line(_) => "line",
            Self::Grid(_) => "grid",
            Self::Nails(_) => "nails",
            Self::Column(_) => "column",
            Self::Fill(_) => "fill",
        }
    }
}

/// A pose at (`x`, `y`, `z`), not turned.
pub(crate) fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::at(drystone_base::Vec3::new(x, y, z))
}
