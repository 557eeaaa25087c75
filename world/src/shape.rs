//! Shapes as a scene file describes them.

use std::sync::Arc;

use drystone_base::{Pose, Quat, Vec3, functions::rotation_about};
use drystone_geometry::{MeshShape, TriMesh};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::SceneError;
use crate::Subject;
use crate::defaults::{is_default, is_one, one};
use crate::error::{ensure, show};

/// The solid of a body, in its own frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Shape {
    /// A box about the origin, along the axes.
    Box {
        /// Full extents along x, y and z \[m\].
        size: [f64; 3],
    },
    /// A ball about the origin.
    Sphere {
        /// \[m\]
        radius: f64,
    },
    /// All points within `radius` of a segment along y, centred on the origin.
    Capsule {
        /// Length of the segment, without the round caps \[m\].
        length: f64,
        /// \[m\]
        radius: f64,
    },
    /// Everything below the plane y = 0 of its frame, without end. Only for fixed bodies.
    HalfSpace,
    /// The smallest convex solid around some points.
    Hull {
        /// Points of the hull: at least four, not all in one plane \[m\].
        points: Vec<[f64; 3]>,
    },
    /// Several solids that move as one; a part is not itself a compound.
    Compound {
        /// Its solids, at least one.
        parts: Vec<Part>,
    },
    /// A closed triangle mesh.
    Mesh(Mesh),
}

/// One solid of a compound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Its solid.
    pub shape: Shape,
    /// Its position in the frame of the compound \[m\].
    #[serde(default, skip_serializing_if = "is_default")]
    pub position: [f64; 3],
    /// How it is turned, as a unit quaternion (x, y, z, w). Not together with `turn`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<[f64; 4]>,
    /// How it is turned, as an axis and an angle. Not together with `rotation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
}

/// A closed triangle mesh: exactly one of `file`, `builtin`, or `vertices` and `triangles`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mesh {
    /// An OBJ file, relative to the scene file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// A mesh that Drystone makes itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub builtin: Option<Builtin>,
    /// Corners \[m\].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vertices: Vec<[f64; 3]>,
    /// Three corners each, counter-clockwise seen from outside.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub triangles: Vec<[u32; 3]>,
    /// Factor on all coordinates \[1\].
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub scale: f64,
    /// Cells of the signed distance grid along the longest side \[1\].
    #[serde(default = "Mesh::default_resolution")]
    pub resolution: u32,
}

/// Meshes that Drystone makes itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Builtin {
    /// A four-legged animal, 1.0 m long (x), 0.6 m high (y) and 0.32 m wide (z), its bounding box
    /// centred on the origin.
    Animal,
}

/// A rotation given by an axis and an angle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// Any length but zero \[1\].
    #[serde(default = "Turn::up")]
    pub axis: [f64; 3],
    /// Counter-clockwise seen from the tip of the axis \[degrees\].
    pub degrees: f64,
}

impl Turn {
    fn up() -> [f64; 3] {
        [0.0, 1.0, 0.0]
    }

    /// A turn of `degrees` about `axis`.
    pub const fn new(axis: [f64; 3], degrees: f64) -> Self {
        Self { axis, degrees }
    }

    /// The rotation as a unit quaternion; the identity for an axis without direction.
    pub fn quaternion(&self) -> Quat {
        let axis = Vec3::from(self.axis).normalize_or_zero();
        rotation_about(axis, self.degrees.to_radians()).normalize()
    }
}

impl Mesh {
    fn default_resolution() -> u32 {
        MeshShape::RESOLUTION as u32
    }

    /// A mesh of given corners \[m\] and triangles (counter-clockwise seen from outside).
    pub fn new(vertices: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> Self {
        Self {
            file: None,
            builtin: None,
            vertices,
            triangles,
            scale: 1.0,
            resolution: Self::default_resolution(),
        }
    }

    /// A mesh to be read from an OBJ file.
    pub fn from_file(file: impl Into<String>) -> Self {
        Self {
            file: Some(file.into()),
            ..Self::new(Vec::new(), Vec::new())
        }
    }

    /// A mesh that Drystone makes itself.
    pub fn builtin(which: Builtin) -> Self {
        Self {
            builtin: Some(which),
            ..Self::new(Vec::new(), Vec::new())
        }
    }

    /// Corners with `scale` applied, and triangles; nothing while `file` is not read.
    pub fn resolved(&self) -> Option<(Vec<Vec3>, Vec<[u32; 3]>)> {
        let (vertices, triangles) = match (&self.file, self.builtin) {
            (Some(_), _) => return None,
            (None, Some(Builtin::Animal)) => {
                let mesh = drystone_geometry::mesh::build::animal();
                (mesh.vertices().to_vec(), mesh.triangles().to_vec())
            }
            (None, None) => {
                let vertices = self.vertices.iter().map(|&v| Vec3::from(v));
                (vertices.collect(), self.triangles.clone())
            }
        };
        let vertices = vertices.into_iter().map(|v| v * self.scale);
        Some((vertices.collect(), triangles))
    }

    /// Ready to collide, or why it cannot be.
    pub(crate) fn solid(&self) -> Result<drystone_geometry::Shape, String> {
        let (vertices, triangles) = self.resolved().ok_or("its file is not read")?;
        let mesh = TriMesh::closed(vertices, triangles).map_err(|error| error.to_string())?;
        let ready = MeshShape::new(mesh, self.resolution as usize);
        Ok(drystone_geometry::Shape::Mesh(Arc::new(ready)))
    }

    fn validate(&self, place: &Subject) -> Result<(), SceneError> {
        // exactly one source, read by now
        let inline = !(self.vertices.is_empty() && self.triangles.is_empty());
        let sources = usize::from(self.file.is_some())
            + usize::from(self.builtin.is_some())
            + usize::from(inline);
        ensure(
            sources == 1,
            place,
            "shape.mesh",
            format!("given in {sources} ways"),
            "exactly one of `file`, `builtin`, or `vertices` with `triangles`",
        )?;
        if let Some(file) = &self.file {
            return Err(SceneError::value(
                place,
                "shape.mesh.file",
                format!("`{file}`, not read"),
                "its vertices and triangles (scene files read it on loading)",
            ));
        }
        // scale and resolution
        let field = |name: &str| format!("shape.mesh.{name}");
        ensure(
            self.scale > 0.0 && self.scale.is_finite(),
            place,
            &field("scale"),
            self.scale,
            "more than zero, finite",
        )?;
        place.within(
            &field("resolution"),
            self.resolution.into(),
            4.0..=400.0,
            "cells",
        )?;
        // vertices and triangles that stand in the scene
        if inline {
            ensure(
                self.vertices.len() >= 4 && self.triangles.len() >= 4,
                place,
                "shape.mesh",
                format!(
                    "{} vertices and {} triangles",
                    self.vertices.len(),
                    self.triangles.len()
                ),
                "at least 4 of each, a closed surface",
            )?;
            for (i, v) in self.vertices.iter().enumerate() {
                ensure(
                    v.iter().all(|x| x.is_finite()),
                    place,
                    &field(&format!("vertices[{i}]")),
                    show(v),
                    "finite numbers",
                )?;
            }
            let n = self.vertices.len();
            for (i, t) in self.triangles.iter().enumerate() {
                ensure(
                    t.iter().all(|&k| (k as usize) < n)
                        && t[0] != t[1]
                        && t[1] != t[2]
                        && t[2] != t[0],
                    place,
                    &field(&format!("triangles[{i}]")),
                    format!("{t:?}"),
                    &format!("three different corners from 0 to {}", n - 1),
                )?;
            }
        }
        Ok(())
    }
}

impl Part {
    /// A part at a place, not turned.
    pub fn new(shape: Shape, position: [f64; 3]) -> Self {
        Self {
            shape,
            position,
            rotation: None,
            turn: None,
        }
    }

    /// Turned by `degrees` about `axis`.
    #[must_use]
    pub fn turned(self, axis: [f64; 3], degrees: f64) -> Self {
        Self {
            turn: Some(Turn::new(axis, degrees)),
            rotation: None,
            ..self
        }
    }

    /// Its pose in the frame of the compound.
    pub fn pose(&self) -> Pose {
        pose_of(self.position, self.rotation, self.turn)
    }
}

/// A pose from the three fields that describe one in a file.
pub(crate) fn pose_of(position: [f64; 3], rotation: Option<[f64; 4]>, turn: Option<Turn>) -> Pose {
    let rotation = match (rotation, turn) {
        (Some(q), _) => {
            let q = Quat::from_array(q);
            if q.length() > 1e-3 && q.is_finite() {
                q.normalize()
            } else {
                Quat::IDENTITY
            }
        }
        (None, Some(turn)) => turn.quaternion(),
        (None, None) => Quat::IDENTITY,
    };
    Pose::new(Vec3::from(position), rotation)
}

/// Checks the three fields that describe a pose in a file.
pub(crate) fn validate_pose(
    place: &Subject,
    position: [f64; 3],
    rotation: Option<[f64; 4]>,
    turn: Option<Turn>,
) -> Result<(), SceneError> {
    let within = position.iter().all(|x| x.abs() <= FARTHEST);
    ensure(
        within,
        place,
        "position",
        show(&position),
        "finite numbers, at most 1e6 m from the origin",
    )?;
    if rotation.is_some() && turn.is_some() {
        return Err(SceneError::value(
            place,
            "turn",
            "given beside `rotation`",
            "only one of the two",
        ));
    }
    if let Some(q) = rotation {
        let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        let unit = (length - 1.0).abs() < 1e-3;
        ensure(
            unit,
            place,
            "rotation",
            show(&q),
            "a unit quaternion [x, y, z, w]",
        )?;
    }
    if let Some(turn) = turn {
        let axis = Vec3::from(turn.axis);
        let direction = axis.is_finite() && axis.length() > 1e-12;
        ensure(
            direction,
            place,
            "turn.axis",
            show(&turn.axis),
            "a direction of finite length",
        )?;
        let angle = turn.degrees.abs() <= 1e6;
        ensure(angle, place, "turn.degrees", turn.degrees, "a finite angle")?;
    }
    Ok(())
}

/// Farther away than this, f64 positions lose the micrometres that contacts need \[m\].
pub(crate) const FARTHEST: f64 = 1e6;

impl Shape {
    /// A box of the given full extents \[m\].
    pub const fn block(x: f64, y: f64, z: f64) -> Self {
        Self::Box { size: [x, y, z] }
    }

    /// A cube \[m\].
    pub const fn cube(edge: f64) -> Self {
        Self::block(edge, edge, edge)
    }

    /// A ball \[m\].
    pub const fn ball(radius: f64) -> Self {
        Self::Sphere { radius }
    }

    /// In one word, as in a scene file.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Box { .. } => "box",
            Self::Sphere { .. } => "sphere",
            Self::Capsule { .. } => "capsule",
            Self::HalfSpace => "half-space",
            Self::Hull { .. } => "hull",
            Self::Compound { .. } => "compound",
            Self::Mesh(_) => "mesh",
        }
    }

    /// Smallest and largest corner of the box around it, in its own frame \[m\]; nothing for a
    /// half-space or a mesh that is not read.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        let around = |points: &mut dyn Iterator<Item = Vec3>| {
            points.fold(None, |bounds: Option<(Vec3, Vec3)>, p| {
                Some(bounds.map_or((p, p), |(low, high)| (low.min(p), high.max(p))))
            })
        };
        match self {
            Self::Box { size } => Some((Vec3::from(*size) * -0.5, Vec3::from(*size) * 0.5)),
            Self::Sphere { radius } => Some((Vec3::splat(-radius), Vec3::splat(*radius))),
            Self::Capsule { length, radius } => {
                let half = Vec3::new(*radius, 0.5 * length + radius, *radius);
                Some((-half, half))
            }
            Self::HalfSpace => None,
            Self::Hull { points } => around(&mut points.iter().map(|&p| Vec3::from(p))),
            Self::Compound { parts } => {
                let mut whole: Option<(Vec3, Vec3)> = None;
                for part in parts {
                    let (low, high) = part.shape.bounds_in(&part.pose())?;
                    whole = Some(whole.map_or((low, high), |(l, h)| (l.min(low), h.max(high))));
                }
                whole
            }
            Self::Mesh(mesh) => around(&mut mesh.resolved()?.0.into_iter()),
        }
    }

    /// Smallest and largest corner of its bounding box at `pose` \[m\].
    pub fn bounds_in(&self, pose: &Pose) -> Option<(Vec3, Vec3)> {
        if let Self::Sphere { radius } = self {
            return Some((pose.position - *radius, pose.position + *radius));
        }
        let (low, high) = self.bounds()?;
        let (centre, half) = ((low + high) * 0.5, (high - low) * 0.5);
        let turned = pose.matrix();
        let extent = turned.x_axis.abs() * half.x
            + turned.y_axis.abs() * half.y
            + turned.z_axis.abs() * half.z;
        let centre = pose.point(centre);
        Some((centre - extent, centre + extent))
    }

    /// Radius about the origin of its frame that holds all of it \[m\].
    pub fn reach(&self) -> f64 {
        match self {
            Self::Sphere { radius } => *radius,
            Self::Capsule { length, radius } => 0.5 * length + radius,
            _ => self.bounds().map_or(f64::INFINITY, |(low, high)| {
                low.abs().max(high.abs()).length()
            }),
        }
    }

    /// Its extent below and above the origin of its frame, both positive \[m\].
    pub(crate) fn below_and_above(&self) -> (f64, f64) {
        self.bounds()
            .map_or((0.0, 0.0), |(low, high)| (-low.y, high.y))
    }

    /// The shape scaled by `factor`, which may differ between axes for a box only.
    pub(crate) fn scaled(&self, factor: Vec3) -> Self {
        let times = |v: &[f64; 3]| (Vec3::from(*v) * factor.x).to_array();
        match self {
            Self::Box { size } => Self::Box {
                size: (Vec3::from(*size) * factor).to_array(),
            },
            Self::Sphere { radius } => Self::Sphere {
                radius: radius * factor.x,
            },
            Self::Capsule { length, radius } => Self::Capsule {
                length: length * factor.x,
                radius: radius * factor.x,
            },
            Self::HalfSpace => Self::HalfSpace,
            Self::Hull { points } => Self::Hull {
                points: points.iter().map(times).collect(),
            },
            Self::Compound { parts } => Self::Compound {
                parts: parts
                    .iter()
                    .map(|part| Part {
                        shape: part.shape.scaled(Vec3::splat(factor.x)),
                        position: times(&part.position),
                        ..part.clone()
                    })
                    .collect(),
            },
            Self::Mesh(mesh) => Self::Mesh(Mesh {
                scale: mesh.scale * factor.x,
                ..mesh.clone()
            }),
        }
    }

    /// Says what is wrong with it, naming `place`.
    pub(crate) fn validate(&self, place: &Subject) -> Result<(), SceneError> {
        // each kind of shape
        match self {
            Self::Box { size } => {
                for (axis, x) in ["x", "y", "z"].iter().zip(size) {
                    place.length(&format!("shape.box.size.{axis}"), *x)?;
                }
                Ok(())
            }
            Self::Sphere { radius } => place.length("shape.sphere.radius", *radius),
            Self::Capsule { length: l, radius } => {
                place.length("shape.capsule.length", *l)?;
                place.length("shape.capsule.radius", *radius)
            }
            Self::HalfSpace => Ok(()),
            Self::Hull { points } => {
                for (i, p) in points.iter().enumerate() {
                    let fine = p.iter().all(|x| x.abs() <= FARTHEST);
                    let field = format!("shape.hull.points[{i}]");
                    ensure(
                        fine,
                        place,
                        &field,
                        show(p),
                        "finite numbers of at most 1e6 m",
                    )?;
                }
                ensure(
                    solid(points),
                    place,
                    "shape.hull.points",
                    format!("{} points without volume", points.len()),
                    "at least four points, not all in one plane",
                )
            }
            Self::Compound { parts } => {
                let field = "shape.compound.parts";
                ensure(
                    !parts.is_empty(),
                    place,
                    field,
                    "empty",
                    "at least one part",
                )?;
                for (i, part) in parts.iter().enumerate() {
                    let place = place.part("part", i);
                    validate_pose(&place, part.position, part.rotation, part.turn)?;
                    let simple = !matches!(part.shape, Self::Compound { .. } | Self::HalfSpace);
                    ensure(
                        simple,
                        &place,
                        "shape",
                        part.shape.kind(),
                        "a bounded solid that is no compound",
                    )?;
                    part.shape.validate(&place)?;
                }
                Ok(())
            }
            Self::Mesh(mesh) => mesh.validate(place),
        }
    }
}

/// Whether the hull of `points` has a volume.
fn solid(points: &[[f64; 3]]) -> bool {
    let points: Vec<Vec3> = points.iter().map(|&p| Vec3::from(p)).collect();
    let Some(&origin) = points.first() else {
        return false;
    };
    // the farthest point, the farthest from that line, the farthest from that plane
    let farthest = |measure: &dyn Fn(Vec3) -> f64| {
        points
            .iter()
            .map(|&p| p - origin)
            .max_by(|a, b| measure(*a).total_cmp(&measure(*b)))
            .unwrap_or(Vec3::ZERO)
    };
    let u = farthest(&|p| p.length());
    let v = farthest(&|p| p.cross(u).length());
    let n = u.cross(v);
    let w = farthest(&|p| p.dot(n).abs());
    let (edge, volume) = (u.length(), w.dot(n).abs());
    edge > 0.0 && volume > 1e-9 * edge * edge * edge
}
