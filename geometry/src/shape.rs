//! The shapes a body may have, and boxes around them.

use std::sync::Arc;

use drystone_base::{Pose, Vec3};
use serde::{Deserialize, Serialize};

use crate::{Hull, MeshShape, ShapeError};

/// A solid, in its own frame.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A ball about the origin.
    Sphere {
        /// \[m\]
        radius: f64,
    },
    /// A box about the origin, along the axes.
    Box {
        /// Half of each edge \[m\].
        half: Vec3,
    },
    /// All points within `radius` of a segment along y, centred on the origin.
    Capsule {
        /// Half of the segment, without the caps \[m\].
        half_length: f64,
        /// \[m\]
        radius: f64,
    },
    /// Everything with y <= 0.
    HalfSpace,
    /// The convex hull of points.
    Hull(Arc<Hull>),
    /// A closed triangle mesh, concave or not.
    Mesh(Arc<MeshShape>),
    /// Several solids that move as one. Nested compounds are not allowed.
    Compound(Arc<Vec<(Pose, Shape)>>),
}

impl Shape {
    /// A ball of `radius` \[m\].
    pub fn sphere(radius: f64) -> Result<Self, ShapeError> {
        length("sphere", "radius", radius)?;
        Ok(Self::Sphere { radius })
    }

    /// A box with these half edges \[m\].
    pub fn cuboid(half: Vec3) -> Result<Self, ShapeError> {
        length("box", "half edge along x", half.x)?;
        length("box", "half edge along y", half.y)?;
        length("box", "half edge along z", half.z)?;
        slender("box", half.max_element() / half.min_element())?;
        Ok(Self::Box { half })
    }

    /// A capsule along y: a segment of twice `half_length`, `radius` thick \[m\].
    pub fn capsule(half_length: f64, radius: f64) -> Result<Self, ShapeError> {
        length("capsule", "half length", half_length)?;
        length("capsule", "radius", radius)?;
        slender("capsule", half_length / radius)?;
        Ok(Self::Capsule {
            half_length,
            radius,
        })
    }

    /// The convex hull of `points` \[m\].
    pub fn hull(points: &[Vec3]) -> Result<Self, ShapeError> {
        Ok(Self::Hull(Arc::new(Hull::new(points)?)))
    }

    /// Several bounded solids as one.
    pub fn compound(parts: Vec<(Pose, Self)>) -> Result<Self, ShapeError> {
        if parts.is_empty() {
            return Err(ShapeError::NoParts);
        }
        for (part, (pose, shape)) in parts.iter().enumerate() {
            if matches!(shape, Self::HalfSpace | Self::Compound(_)) {
                let found = shape.name();
                return Err(ShapeError::Part { part, found });
            }
            let (position, length) = (pose.position, pose.rotation.length());
            let near = position.is_finite() && position.abs().max_element() <= ShapeError::LARGEST;
            let unit = (length - 1.0).abs() <= 1e-6;
            if !(near && unit) {
                return Err(ShapeError::PartPose {
                    part,
                    position,
                    length,
                });
            }
        }
        Ok(Self::Compound(Arc::new(parts)))
    }

    /// Kind of shape, in a word.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Sphere { .. } => "sphere",
            Self::Box { .. } => "box",
            Self::Capsule { .. } => "capsule",
            Self::HalfSpace => "half-space",
            Self::Hull(_) => "hull",
            Self::Mesh(_) => "mesh",
            Self::Compound(_) => "compound",
        }
    }

    /// The smallest box along the world's axes around the shape (of a half-space: cut off at
    /// [`Aabb::FAR`]).
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        match self {
            Self::Sphere { radius } => Aabb::about(pose.position, Vec3::splat(*radius)),
            Self::Box { half } => {
                let m = pose.matrix();
                let reach =
                    m.x_axis.abs() * half.x + m.y_axis.abs() * half.y + m.z_axis.abs() * half.z;
                Aabb::about(pose.position, reach)
            }
            Self::Capsule {
                half_length,
                radius,
            } => {
                let axis = pose.direction(Vec3::Y) * *half_length;
                Aabb::about(pose.position, axis.abs() + Vec3::splat(*radius))
            }
            Self::HalfSpace => half_space_box(pose),
            Self::Hull(hull) => Aabb::of_points(hull.points().iter().map(|p| pose.point(*p))),
            Self::Mesh(mesh) => mesh.aabb(pose),
            Self::Compound(parts) => parts.iter().fold(Aabb::EMPTY, |sum, (at, part)| {
                sum.union(&part.aabb(&pose.then(at)))
            }),
        }
    }

    /// How much space the shape fills; parts of a compound that overlap count twice; a
    /// half-space is infinite \[m³\].
    pub fn volume(&self) -> f64 {
        use std::f64::consts::PI;
        match self {
            Self::Sphere { radius } => 4.0 / 3.0 * PI * radius * radius * radius,
            Self::Box { half } => 8.0 * half.x * half.y * half.z,
            Self::Capsule {
                half_length,
                radius,
            } => PI * radius * radius * (2.0 * half_length + 4.0 / 3.0 * radius),
            Self::HalfSpace => f64::INFINITY,
            Self::Hull(hull) => hull.volume(),
            Self::Mesh(mesh) => mesh.mesh().volume(),
            Self::Compound(parts) => parts.iter().map(|(_, part)| part.volume()).sum(),
        }
    }

    /// Radius of a ball about the local point `centre` that holds the shape; a half-space is
    /// infinite \[m\].
    pub fn bounding_radius(&self, centre: Vec3) -> f64 {
        match self {
            Self::Sphere { radius } => centre.length() + radius,
            Self::Box { half } => (centre.abs() + *half).length(),
            Self::Capsule {
                half_length,
                radius,
            } => {
                let along = centre.y.abs() + half_length;
                (centre.x * centre.x + centre.z * centre.z + along * along).sqrt() + radius
            }
            Self::HalfSpace => f64::INFINITY,
            Self::Hull(hull) => hull
                .points()
                .iter()
                .fold(0.0, |largest: f64, p| largest.max((*p - centre).length())),
            Self::Mesh(mesh) => mesh.bounding_radius(centre),
            Self::Compound(parts) => parts.iter().fold(0.0, |largest: f64, (at, part)| {
                largest.max(part.bounding_radius(at.local_point(centre)))
            }),
        }
    }

    /// Largest `x · direction` of its points `x`, of a mesh that of the box around it; a half-space is
    /// infinite but along its normal \[m\].
    pub fn support(&self, direction: Vec3) -> f64 {
        match self {
            Self::Sphere { radius } => radius * direction.length(),
            Self::Box { half } => half.dot(direction.abs()),
            Self::Capsule {
                half_length,
                radius,
            } => half_length * direction.y.abs() + radius * direction.length(),
            Self::HalfSpace if direction.x == 0.0 && direction.z == 0.0 && direction.y >= 0.0 => {
                0.0
            }
            Self::HalfSpace => f64::INFINITY,
            Self::Hull(hull) => hull.support(direction).dot(direction),
            Self::Mesh(_) => {
                let around = self.aabb(&Pose::IDENTITY);
                let far = around.extent().dot(direction.abs());
                around.centre().dot(direction) + 0.5 * far
            }
            Self::Compound(parts) => {
                let far = parts.iter().map(|(at, part)| {
                    at.position.dot(direction) + part.support(at.local_direction(direction))
                });
                far.fold(f64::NEG_INFINITY, f64::max)
            }
        }
    }

    /// How thick the shape is: its smallest width, of a compound that of its thinnest part, of a
    /// mesh twice its volume over its surface; a half-space is infinite \[m\].
    pub fn thickness(&self) -> f64 {
        match self {
            Self::Sphere { radius } | Self::Capsule { radius, .. } => 2.0 * radius,
            Self::Box { half } => 2.0 * half.min_element(),
            Self::HalfSpace => f64::INFINITY,
            Self::Hull(hull) => hull.width(),
            Self::Mesh(mesh) => 2.0 * mesh.mesh().volume() / mesh.mesh().area(),
            Self::Compound(parts) => {
                let thickness = parts.iter().map(|(_, part)| part.thickness());
                thickness.fold(f64::INFINITY, f64::min)
            }
        }
    }

    /// Radius by which a core is rounded: that of a sphere (about a point) or a capsule (about a
    /// segment), zero for what has faces; none for a compound with round parts \[m\].
    ///
    /// A contact point on a round shape that turns lies on the core's point plus the radius along
    /// the normal, and does not turn with the body.
    pub fn rounding(&self) -> Option<f64> {
        match self {
            Self::Sphere { radius } | Self::Capsule { radius, .. } => Some(*radius),
            Self::Box { .. } | Self::HalfSpace | Self::Hull(_) | Self::Mesh(_) => Some(0.0),
            Self::Compound(parts) => {
                let sharp = |(_, part): &(Pose, Self)| part.rounding() == Some(0.0);
                parts.iter().all(sharp).then_some(0.0)
            }
        }
    }
}

fn length(shape: &'static str, quantity: &'static str, found: f64) -> Result<(), ShapeError> {
    if (ShapeError::SMALLEST..=ShapeError::LARGEST).contains(&found) {
        return Ok(());
    }
    Err(ShapeError::Length {
        shape,
        quantity,
        found,
    })
}

fn slender(shape: &'static str, found: f64) -> Result<(), ShapeError> {
    let wanted = ShapeError::SLENDEREST;
    if found <= wanted {
        return Ok(());
    }
    Err(ShapeError::Slender {
        shape,
        found,
        wanted,
    })
}

/// A half-space is bounded on one side only, and only where its face lies along an axis.
fn half_space_box(pose: &Pose) -> Aabb {
    let mut all = Aabb::about(Vec3::ZERO, Vec3::splat(Aabb::FAR));
    let normal = pose.direction(Vec3::Y);
    for axis in 0..3 {
        if normal[axis] > 1.0 - 1e-15 {
            all.high[axis] = pose.position[axis];
        } else if normal[axis] < -1.0 + 1e-15 {
            all.low[axis] = pose.position[axis];
        }
    }
    all
}

/// A box along the world's axes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Aabb {
    /// Smallest corner \[m\].
    pub low: Vec3,
    /// Largest corner \[m\].
    pub high: Vec3,
}

impl Aabb {
    /// Distance at which unbounded shapes are cut off \[m\].
    pub const FAR: f64 = 1e9;

    /// Holds nothing; the start of a union.
    pub const EMPTY: Self = Self {
        low: Vec3::INFINITY,
        high: Vec3::NEG_INFINITY,
    };

    /// The box `reach` to each side of `centre`.
    #[inline]
    pub fn about(centre: Vec3, reach: Vec3) -> Self {
        Self {
            low: centre - reach,
            high: centre + reach,
        }
    }

    /// The smallest box around all `points`.
    pub fn of_points(points: impl IntoIterator<Item = Vec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |sum, p| Self {
            low: sum.low.min(p),
            high: sum.high.max(p),
        })
    }

    /// The smallest box around both.
    #[inline]
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// The box with `margin` added on every side \[m\].
    #[inline]
    #[must_use]
    pub fn grown(&self, margin: f64) -> Self {
        Self {
            low: self.low - margin,
            high: self.high + margin,
        }
    }

    /// Whether the two share a point (touching counts).
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        // no short circuit: six comparisons are cheaper than a branch that is hard to guess
        (self.low.x <= other.high.x)
            & (other.low.x <= self.high.x)
            & (self.low.y <= other.high.y)
            & (other.low.y <= self.high.y)
            & (self.low.z <= other.high.z)
            & (other.low.z <= self.high.z)
    }

    /// Whether `other` lies wholly inside.
    #[inline]
    pub fn contains(&self, other: &Self) -> bool {
        (self.low.x <= other.low.x)
            & (self.low.y <= other.low.y)
            & (self.low.z <= other.low.z)
            & (other.high.x <= self.high.x)
            & (other.high.y <= self.high.y)
            & (other.high.z <= self.high.z)
    }

    /// The middle \[m\].
    #[inline]
    pub fn centre(&self) -> Vec3 {
        0.5 * (self.low + self.high)
    }

    /// Length of each edge \[m\].
    #[inline]
    pub fn extent(&self) -> Vec3 {
        self.high - self.low
    }

    /// Whether every bound is a finite number and low does not exceed high.
    pub fn is_sound(&self) -> bool {
        self.low.is_finite() && self.high.is_finite() && self.low.cmple(self.high).all()
    }
}
