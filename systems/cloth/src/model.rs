//! What there is: sheets, particles, obstacles, pins, loads, as plain data.

use std::sync::Arc;

use drystone_base::{Pose, Vec3};
use drystone_common::{Materials, MotionPath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Error, Field};

/// What resists stretching.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Stretch {
    /// A spring along every edge, `V = k/2 (|e| - L)²`; k \[N/m\].
    Spring(f64),
    /// The membrane of Discrete Shells, `V = k L (1 - |e|/L)²`; k \[N\] (Grinspun 2003, §3).
    Shell(f64),
    /// St. Venant-Kirchhoff triangles.
    Triangle {
        /// Young's modulus times thickness \[N/m\].
        young: f64,
        /// Poisson's ratio, from -0.9 to 0.9 in the plane \[1\].
        poisson: f64,
    },
}

/// What a sheet is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Material {
    /// Mass of an area \[kg/m²\].
    pub density: f64,
    /// Mass of every vertex besides; for particles and chains \[kg\].
    pub vertex_mass: f64,
    /// What resists stretching.
    pub stretch: Stretch,
    /// Dashpot along every edge \[N s/m\].
    pub stretch_damping: f64,
    /// Bending stiffness, `V = k 3|e|²/A (θ - θ₀)²` at every inner edge \[N m\] (Grinspun 2003, eq. 1).
    pub bending: f64,
    /// Damping of every inner edge's angle \[N m s\].
    pub bending_damping: f64,
    /// Coulomb's coefficient; of a pair, the geometric mean \[1\].
    pub friction: f64,
    /// Coefficient of restitution, speed out over speed in; of a pair, the larger \[1\].
    pub restitution: f64,
    /// Drag of an area in moving air \[kg/(m² s)\].
    pub drag: f64,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            density: 0.1,
            vertex_mass: 0.0,
            stretch: Stretch::Spring(750.0),
            stretch_damping: 0.1,
            bending: 0.01,
            bending_damping: 0.0,
            friction: 0.0,
            restitution: 0.0,
            drag: 0.0,
        }
    }
}

/// Positions of all points of a thing at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointsKey {
    /// Time since the start \[s\].
    pub time: f64,
    /// Position of each point \[m\].
    pub points: Vec<Vec3>,
}

/// How prescribed points move: straight from key to key, each at constant velocity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Motion {
    /// They do not move.
    #[default]
    Fixed,
    /// As a rigid body whose first pose is that of the start; turns and curves are cut into straight pieces.
    Path(MotionPath),
    /// Every point by itself. A key at time 0 is where they start and may be left out.
    Points(Vec<PointsKey>),
    /// Follows [`System::drive_obstacle`](crate::System::drive_obstacle) or
    /// [`System::drive_pin`](crate::System::drive_pin) from this pose.
    Driven(Pose),
}

/// Vertices of a sheet that move as prescribed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pin {
    /// Numbers of vertices of the sheet.
    pub vertices: Vec<u32>,
    /// How they move.
    #[serde(default)]
    pub motion: Motion,
    /// When they are let go; never, if none \[s\].
    #[serde(default)]
    pub until: Option<f64>,
}

/// A constant force on some vertices of a sheet, raised slowly.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// Numbers of vertices of the sheet.
    pub vertices: Vec<u32>,
    /// Force on each of them \[N\].
    pub force: Vec3,
    /// Time in which it rises from nothing \[s\].
    #[serde(default)]
    pub ramp: f64,
    /// When it begins to rise \[s\].
    #[serde(default)]
    pub from: f64,
    /// When it ends; never if left out \[s\].
    #[serde(default)]
    pub until: Option<f64>,
}

impl Load {
    /// The part of the force that acts at `t`, from 0 to 1.
    pub(crate) fn part(&self, t: f64) -> f64 {
        let since = t - self.from;
        if since < 0.0 || self.until.is_some_and(|until| t >= until) {
            0.0
        } else if since < self.ramp {
            since / self.ramp
        } else {
            1.0
        }
    }
}

/// Something that deforms: a surface, chains of segments, or particles.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sheet {
    /// For reports.
    pub name: String,
    /// Positions of the vertices at the start \[m\].
    pub points: Vec<Vec3>,
    /// Positions at rest, where they differ from those at the start \[m\].
    pub rest: Option<Vec<Vec3>>,
    /// Velocities at the start; all zero if empty \[m/s\].
    pub velocities: Vec<Vec3>,
    /// Triangles.
    pub faces: Vec<[u32; 3]>,
    /// Segments that are not sides of triangles.
    pub segments: Vec<[u32; 2]>,
    /// What it is made of.
    pub material: Material,
    /// Of its surface, among the model's materials: instead of the friction and restitution of `material`, against
    /// whatever has one too.
    pub contact_material: Option<usize>,
    /// Thickness of its outermost layer; that of the model's [`Contact`] if none. Between two sheets it is the mean
    /// of both, between a sheet and an obstacle that of the sheet, or the obstacle's radius \[m\].
    pub thickness: Option<f64>,
    /// Vertices that move as prescribed.
    pub pins: Vec<Pin>,
    /// Pins that are fastened to an obstacle, which they may touch or cross: number of the pin and of the obstacle.
    pub fastened: Vec<[u32; 2]>,
    /// Forces on vertices.
    pub loads: Vec<Load>,
}

impl Sheet {
    /// Mass of every vertex: a third of each triangle about it, and its own \[kg\].
    pub fn vertex_masses(&self) -> Vec<f64> {
        let rest = self.rest.as_ref().unwrap_or(&self.points);
        let mut mass = vec![self.material.vertex_mass; self.points.len()];
        for face in &self.faces {
            let x = face.map(|i| rest[i as usize]);
            let third = (x[1] - x[0]).cross(x[2] - x[0]).length() / 6.0;
            for i in face {
                mass[*i as usize] += self.material.density * third;
            }
        }
        mass
    }

    /// Chains of segments in order, then each vertex that belongs to neither segment nor triangle.
    pub fn chains(&self) -> Vec<Vec<u32>> {
        let mut used = vec![false; self.points.len()];
        for &v in self.faces.iter().flatten() {
            used[v as usize] = true;
        }
        let mut chains: Vec<Vec<u32>> = Vec::new();
        for &[a, b] in &self.segments {
            (used[a as usize], used[b as usize]) = (true, true);
            match chains.last_mut() {
                Some(chain) if chain.last() == Some(&a) => chain.push(b),
                _ => chains.push(vec![a, b]),
            }
        }
        let alone = (0..self.points.len() as u32).filter(|&v| !used[v as usize]);
        chains.extend(alone.map(|v| vec![v]));
        chains
    }
}

/// Something that moves as prescribed and pushes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Obstacle {
    /// For reports.
    pub name: String,
    /// Positions of the vertices at the start \[m\].
    pub points: Vec<Vec3>,
    /// Triangles.
    pub faces: Vec<[u32; 3]>,
    /// Segments that are not sides of triangles.
    pub segments: Vec<[u32; 2]>,
    /// Half-spaces, each by three points of its plane: solid below, on the side from which they turn clockwise. These
    /// points are points of nothing else. Results are best where they are as far apart as cloth goes.
    pub planes: Vec<[u32; 3]>,
    /// How it moves.
    pub motion: Motion,
    /// Coulomb's coefficient \[1\].
    pub friction: f64,
    /// Coefficient of restitution \[1\].
    pub restitution: f64,
    /// Of its surface, among the model's materials: instead of the two above, against whatever has one too.
    pub contact_material: Option<usize>,
    /// Largest effective inverse mass at each of its points \[1/kg\], if it may give way
    /// ([`System::free_obstacles`](crate::System::free_obstacles)); empty if it is always prescribed.
    pub inverse_mass: Vec<f64>,
    /// Distance from its points and segments at which their outermost layer acts, where that is more than the
    /// thickness of the sheet: the radius of a rope \[m\].
    pub radius: f64,
}

/// The penalty layers (Harmon 2012, §3).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Contact {
    /// Distance at which the outermost layer acts, η(1), of sheets that have none of their own \[m\].
    pub thickness: f64,
    /// Stiffness of the outermost layer, r(1) \[N/m\].
    pub stiffness: f64,
}

impl Default for Contact {
    fn default() -> Self {
        Self {
            thickness: 0.1,
            stiffness: 1000.0,
        }
    }
}

/// Everything that is simulated together.
#[derive(Clone, Default)]
pub struct Model {
    /// The things that deform.
    pub sheets: Vec<Sheet>,
    /// The things that do not deform.
    pub obstacles: Vec<Obstacle>,
    /// The penalty layers.
    pub contact: Contact,
    /// Materials of surfaces, and what holds between each two.
    pub materials: Materials,
    /// Acceleration of everything free \[m/s²\].
    pub gravity: Vec3,
    /// Moving air and other fields.
    pub fields: Vec<Arc<dyn Field>>,
    /// Points and segments of the plane z = 0: contact of points with points and segments only.
    pub plane: bool,
}

impl Model {
    /// Thickness of the outermost layer of each sheet \[m\].
    pub fn thicknesses(&self) -> impl Iterator<Item = f64> + '_ {
        let own = |sheet: &Sheet| sheet.thickness.unwrap_or(self.contact.thickness);
        self.sheets.iter().map(own)
    }

    /// Largest thickness of a sheet \[m\].
    pub(crate) fn thickest(&self) -> f64 {
        let largest = self.thicknesses().max_by(f64::total_cmp);
        largest.unwrap_or(self.contact.thickness)
    }

    /// Largest distance at which a pair may have layers \[m\].
    pub(crate) fn reach(&self) -> f64 {
        let radii = self.obstacles.iter().map(|obstacle| obstacle.radius);
        radii.fold(self.thickest(), f64::max)
    }

    /// Least thickness of a sheet \[m\].
    pub(crate) fn thinnest(&self) -> f64 {
        let least = self.thicknesses().min_by(f64::total_cmp);
        least.unwrap_or(self.contact.thickness)
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model")
            .field("sheets", &self.sheets.len())
            .field("obstacles", &self.obstacles.len())
            .field("contact", &self.contact)
            .field("gravity", &self.gravity)
            .field("fields", &self.fields.len())
            .field("plane", &self.plane)
            .finish()
    }
}

impl Sheet {
    /// A rectangle of `columns` x `rows` vertices, `spacing` apart, in the plane y = 0 with its
    /// centre at the origin; the diagonals of its squares alternate.
    pub fn grid(name: &str, columns: u32, rows: u32, spacing: f64) -> Self {
        let mut sheet = Self {
            name: name.into(),
            ..Self::default()
        };
        let middle = |n: u32| 0.5 * f64::from(n.saturating_sub(1));
        for j in 0..rows {
            for i in 0..columns {
                let (x, z) = (f64::from(i) - middle(columns), f64::from(j) - middle(rows));
                sheet.points.push(Vec3::new(x, 0.0, z) * spacing);
            }
        }
        for j in 1..rows {
            for i in 1..columns {
                let d = j * columns + i;
                let (a, b, c) = (d - columns - 1, d - columns, d - 1);
                if (i + j) % 2 == 0 {
                    sheet.faces.extend([[a, c, b], [b, c, d]]);
                } else {
                    sheet.faces.extend([[a, c, d], [a, d, b]]);
                }
            }
        }
        sheet
    }

    /// Moves every start point.
    pub fn moved(mut self, by: Vec3) -> Self {
        for p in &mut self.points {
            *p += by;
        }
        self
    }
}

impl Material {
    /// Whether everything lies in its range; `object` is how messages call it.
    pub fn validate(&self, object: &str) -> Result<(), Error> {
        let not_negative = |what: &str, x: f64| {
            if x >= 0.0 && x.is_finite() {
                Ok(())
            } else {
                Err(Error::quantity(
                    object,
                    what,
                    x,
                    "a finite number, not negative",
                ))
            }
        };
        not_negative("density", self.density)?;
        not_negative("vertex_mass", self.vertex_mass)?;
        not_negative("stretch_damping", self.stretch_damping)?;
        not_negative("bending", self.bending)?;
        not_negative("bending_damping", self.bending_damping)?;
        not_negative("friction", self.friction)?;
        not_negative("drag", self.drag)?;
        match self.stretch {
            Stretch::Spring(k) | Stretch::Shell(k) => not_negative("stretch", k)?,
            Stretch::Triangle { young, poisson } => {
                not_negative("stretch.young", young)?;
                if !(-0.9..=0.9).contains(&poisson) {
                    return Err(Error::quantity(
                        object,
                        "stretch.poisson",
                        poisson,
                        "-0.9 to 0.9",
                    ));
                }
            }
        }
        restitution(object, self.restitution)
    }
}

pub(crate) fn restitution(object: &str, e: f64) -> Result<(), Error> {
    if (0.0..=1.0).contains(&e) {
        Ok(())
    } else {
        Err(Error::quantity(object, "restitution", e, "0 to 1"))
    }
}
