//! What stays fixed while a simulation runs: shapes, masses, materials, scripts.

use drystone_base::{Pose, Quat, Symmetric3, Vec3};
use drystone_geometry::Shape;
use serde::{Deserialize, Serialize};

use crate::Error;

/// How heavy a body is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weight {
    /// Mass per volume [kg/m³]; mass, centre and inertia follow from the shape.
    Density(f64),
    /// Total mass [kg]; centre and inertia follow from the shape.
    Mass(f64),
}

/// What moves a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// Forces and contacts.
    Dynamic,
    /// Nothing.
    Fixed,
    /// A path in time; contacts push others, never it.
    Scripted(Path),
}

/// One key of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// [s]
    pub time: f64,
    /// Pose of the shape's frame at that time.
    pub pose: Pose,
}

/// A motion given by keys: linear in position, the shortest turn in rotation, at rest
/// before the first key and after the last.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Path {
    /// In order of time, at least one.
    pub keys: Vec<Key>,
}

/// How a surface rubs and bounces.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Coulomb's coefficient [1].
    pub friction: f64,
    /// Newton's coefficient, 0 (stays) to 1 (bounces back) [1].
    pub restitution: f64,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            friction: 0.5,
            restitution: 0.0,
        }
    }
}

/// What holds between two given materials, whatever they are with others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaterialPair {
    /// Index of one material.
    pub a: usize,
    /// Index of the other.
    pub b: usize,
    /// What holds between them.
    pub contact: Material,
}

/// Every material of a model and what holds between each two.
#[derive(Clone, Debug, PartialEq)]
pub struct Materials {
    list: Vec<Material>,
    pairs: Vec<MaterialPair>,
    /// `list.len()` squared entries, filled from the two above.
    table: Vec<Material>,
}

impl Default for Materials {
    fn default() -> Self {
        Self::new(vec![Material::default()], Vec::new())
    }
}

impl Materials {
    /// Materials by index, and the pairs in which the general rule does not hold: friction is
    /// the geometric mean of the two, restitution the larger.
    pub fn new(list: Vec<Material>, pairs: Vec<MaterialPair>) -> Self {
        let n = list.len();
        let mut table = Vec::with_capacity(n * n);
        for a in &list {
            for b in &list {
                table.push(Material {
                    friction: (a.friction * b.friction).sqrt(),
                    restitution: a.restitution.max(b.restitution),
                });
            }
        }
        for pair in &pairs {
            if pair.a < n && pair.b < n {
                table[pair.a * n + pair.b] = pair.contact;
                table[pair.b * n + pair.a] = pair.contact;
            }
        }
        Self { list, pairs, table }
    }

    /// How many materials there are.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The exceptions to the general rule.
    pub fn pairs(&self) -> &[MaterialPair] {
        &self.pairs
    }

    /// What holds between materials `a` and `b`.
    #[inline]
    pub fn between(&self, a: usize, b: usize) -> Material {
        self.table[a * self.list.len() + b]
    }
}

/// A body as a user describes it; [`Model::add`] turns it into a row of the model.
#[derive(Clone, Debug)]
pub struct Body {
    /// Unique in the model; what errors and frames call it.
    pub name: String,
    /// Its solid.
    pub shape: Shape,
    /// Where the shape's frame is at the start.
    pub pose: Pose,
    /// How heavy.
    pub weight: Weight,
    /// What moves it.
    pub motion: Motion,
    /// Velocity of the centre of mass at the start [m/s].
    pub linear_velocity: Vec3,
    /// At the start, world axes [rad/s].
    pub angular_velocity: Vec3,
    /// Index into the model's materials.
    pub material: usize,
    /// Factor on gravity [1].
    pub gravity_scale: f64,
    /// Fraction of the velocity lost per second, small [1/s].
    pub linear_damping: f64,
    /// The same for the spin [1/s].
    pub angular_damping: f64,
    /// When the body appears; before, it does not exist for anyone [s].
    pub enters_at: f64,
}

impl Body {
    /// A dynamic body of density 1000 at the origin, at rest, there from the start.
    pub fn new(name: impl Into<String>, shape: Shape) -> Self {
        Self {
            name: name.into(),
            shape,
            pose: Pose::IDENTITY,
            weight: Weight::Density(1000.0),
            motion: Motion::Dynamic,
            linear_velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            material: 0,
            gravity_scale: 1.0,
            linear_damping: 0.0,
            angular_damping: 0.0,
            enters_at: 0.0,
        }
    }
}

/// Every body's fixed data, one array per quantity, all of one length. The body frame has its
/// origin in the centre of mass and the axes of the shape's frame.
#[derive(Clone, Debug)]
pub struct Model {
    /// Unique names.
    pub name: Vec<String>,
    /// Solids.
    pub shape: Vec<Shape>,
    /// The shape's frame in the body frame (a shift by minus the centre of mass).
    pub shape_offset: Vec<Vec3>,
    /// [kg]; fixed and scripted bodies: as described, though no contact moves them.
    pub mass: Vec<f64>,
    /// [1/kg], zero for fixed and scripted bodies.
    pub inverse_mass: Vec<f64>,
    /// Body frame [kg m²].
    pub inertia_local: Vec<Symmetric3>,
    /// Body frame [1/(kg m²)], zero for fixed and scripted bodies.
    pub inverse_inertia_local: Vec<Symmetric3>,
    /// What moves each.
    pub motion: Vec<Motion>,
    /// Index into `materials`.
    pub material: Vec<usize>,
    /// Factor on gravity [1].
    pub gravity_scale: Vec<f64>,
    /// [1/s]
    pub linear_damping: Vec<f64>,
    /// [1/s]
    pub angular_damping: Vec<f64>,
    /// [s]
    pub enters_at: Vec<f64>,
    /// Of the body frame, at the start.
    pub start_position: Vec<Vec3>,
    /// Of the body frame, at the start.
    pub start_rotation: Vec<Quat>,
    /// [m/s]
    pub start_linear_velocity: Vec<Vec3>,
    /// [rad/s]
    pub start_angular_velocity: Vec<Vec3>,
    /// What holds between surfaces.
    pub materials: Materials,
    /// [m/s²]
    pub gravity: Vec3,
}
