//! Patterns of blocks that stand on each other. Their origin is in the middle of the base.

use std::f64::consts::PI;

use drystone_base::functions::{cos, rotation_about, sin, tan};
use drystone_base::{Pose, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Checks, Piece, at};
use crate::{SceneError, Shape};

type Pieces = Result<Vec<Piece>, SceneError>;

/// One on top of the other, from the origin upwards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Stack {
    /// Number of bodies.
    pub count: u32,
    /// Each of them.
    pub shape: Shape,
    /// Distance from one centre to the next \[m\]; the height of the shape if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
    /// Angle by which every other one is turned about y \[degrees\].
    pub turn_degrees: f64,
    /// Shift of each against the one below, along x and z \[m\].
    pub shift: [f64; 2],
}

impl Default for Stack {
    fn default() -> Self {
        Self {
            count: 10,
            shape: Shape::cube(1.0),
            spacing: None,
            turn_degrees: 0.0,
            shift: [0.0; 2],
        }
    }
}

impl Stack {
    pub(super) fn pieces(&self, checks: &Checks<'_>) -> Pieces {
        checks.count("count", self.count)?;
        checks.shapes(std::slice::from_ref(&self.shape))?;
        let (below, above) = self.shape.below_and_above();
        let spacing = self.spacing.unwrap_or(below + above);
        checks.length("spacing", spacing)?;
        checks.finite("shift", &self.shift)?;
        checks.finite("turn_degrees", &[self.turn_degrees])?;
        let turned = rotation_about(Vec3::Y, self.turn_degrees.to_radians());
        Ok((0..self.count)
            .map(|i| {
                let k = f64::from(i);
                let mut pose = at(k * self.shift[0], below + k * spacing, k * self.shift[1]);
                if i % 2 == 1 && self.turn_degrees != 0.0 {
                    pose.rotation = turned;
                }
                Piece::new(i, self.shape.clone(), pose)
            })
            .collect())
    }
}

/// Rows of bricks along x. Bricks are called by row and column, `wall/3/0` from the left.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Wall {
    /// Number of rows, one upon the other.
    pub rows: u32,
    /// Whole bricks in a row.
    pub columns: u32,
    /// Length, height and depth of a brick \[m\].
    pub size: [f64; 3],
    /// Closes each row with half a brick, at the right end in even rows, at the left in odd ones.
    pub half_bricks: bool,
    /// How far odd rows are shifted along x, without half bricks \[m\]; half a brick if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shift: Option<f64>,
    /// Gap between the bricks of a row \[m\].
    pub gap: f64,
}

impl Default for Wall {
    fn default() -> Self {
        Self {
            rows: 10,
            columns: 19,
            size: [1.0, 0.5, 0.5],
            half_bricks: true,
            shift: None,
            gap: 0.0,
        }
    }
}

impl Wall {
    pub(super) fn count(&self) -> u64 {
        let row = u64::from(self.columns) + u64::from(self.half_bricks);
        u64::from(self.rows).saturating_mul(row)
    }

    pub(super) fn pieces(&self, checks: &Checks<'_>) -> Pieces {
        checks.count("rows", self.rows)?;
        checks.count("columns", self.columns)?;
        checks.size("size", self.size)?;
        let [length, height, depth] = self.size;
        let shift = self.shift.unwrap_or(0.5 * length);
        checks.finite("shift", &[shift])?;
        checks.finite("gap", &[self.gap])?;
        checks.holds(
            self.gap >= 0.0,
            "gap",
            format!("{} m", self.gap),
            "zero or more",
        )?;
        let columns = self.columns as usize;
        let whole_row = self.columns as f64 * length
            + f64::from(self.half_bricks) * 0.5 * length
            + self.gap * (columns + usize::from(self.half_bricks) - 1) as f64;

        let mut pieces = Vec::with_capacity(self.count() as usize);
        for row in 0..self.rows {
            let odd = row % 2 == 1;
            let y = height * (f64::from(row) + 0.5);
            // lengths from left to right
            let mut lengths = vec![length; columns];
            if self.half_bricks {
                lengths.insert(if odd { 0 } else { columns }, 0.5 * length);
            }
            let mut left = -0.5 * whole_row;
            if odd && !self.half_bricks {
                left += shift;
            }
            for (column, &l) in lengths.iter().enumerate() {
                let pose = at(left + 0.5 * l, y, 0.0);
                pieces.push(Piece::new(
                    format!("{row}/{column}"),
                    Shape::block(l, height, depth),
                    pose,
                ));
                left += l + self.gap;
            }
        }
        Ok(pieces)
    }
}

/// Layers of bricks on a circle about y. Bricks are called by layer and number, `tower/3/17`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Ring {
    /// Number of bricks on the circle.
    pub bricks: u32,
    /// Number of rows, one upon the other.
    pub layers: u32,
    /// Radial, upright and tangential extent of a brick \[m\].
    pub size: [f64; 3],
    /// From the axis to a brick's centre \[m\]; if left out, neighbours' inner edges meet when the
    /// bricks are drawn inwards by `clearance`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// Added to the radius at which inner edges meet \[m\].
    pub clearance: f64,
    /// Whether odd layers are turned by half a brick.
    pub staggered: bool,
}

impl Default for Ring {
    fn default() -> Self {
        Self {
            bricks: 16,
            layers: 20,
            size: [0.5, 0.5, 1.0],
            radius: None,
            clearance: 0.02,
            staggered: true,
        }
    }
}

impl Ring {
    /// Distance from the axis to the centre of a brick \[m\].
    pub fn radius(&self) -> f64 {
        self.radius.unwrap_or_else(|| {
            let inner = 0.5 * self.size[2] / tan(PI / f64::from(self.bricks));
            0.5 * self.size[0] + inner + self.clearance
        })
    }

    pub(super) fn pieces(&self, checks: &Checks<'_>) -> Pieces {
        checks.holds(self.bricks >= 3, "bricks", self.bricks, "at least 3")?;
        checks.count("layers", self.layers)?;
        checks.size("size", self.size)?;
        checks.finite("clearance", &[self.clearance])?;
        let radius = self.radius();
        checks.length("radius", radius)?;
        let [x, y, z] = self.size;
        let step = 2.0 * PI / f64::from(self.bricks);
        let mut pieces = Vec::with_capacity((self.bricks * self.layers) as usize);
        for layer in 0..self.layers {
            let offset = if self.staggered && layer % 2 == 1 {
                0.5
            } else {
                0.0
            };
            let height = y * (f64::from(layer) + 0.5);
            for brick in 0..self.bricks {
                let angle = step * (f64::from(brick) + offset);
                let place = Vec3::new(radius * cos(angle), height, -radius * sin(angle));
                let pose = Pose::new(place, rotation_about(Vec3::Y, angle));
                pieces.push(Piece::new(
                    format!("{layer}/{brick}"),
                    Shape::block(x, y, z),
                    pose,
                ));
            }
        }
        Ok(pieces)
    }
}

/// Squares (or rows) of blocks, each smaller by one than the one below. Blocks are called by
/// level and number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Pyramid {
    /// Blocks along the lowest edge, which is also the number of levels.
    pub base: u32,
    /// Extents of a block \[m\].
    pub size: [f64; 3],
    /// Between neighbours of a level \[m\].
    pub gap: f64,
    /// One block deep: a triangle instead of a pyramid.
    pub flat: bool,
}

impl Default for Pyramid {
    fn default() -> Self {
        Self {
            base: 15,
            size: [1.0; 3],
            gap: 0.0,
            flat: false,
        }
    }
}

impl Pyramid {
    pub(super) fn count(&self) -> u64 {
        let n = u128::from(self.base);
        let count = if self.flat {
            n * (n + 1) / 2
        } else {
            n * (n + 1) * (2 * n + 1) / 6
        };
        u64::try_from(count).unwrap_or(u64::MAX)
    }

    pub(super) fn pieces(&self, checks: &Checks<'_>) -> Pieces {
        checks.count("base", self.base)?;
        checks.size("size", self.size)?;
        checks.finite("gap", &[self.gap])?;
        checks.holds(
            self.gap >= 0.0,
            "gap",
            format!("{} m", self.gap),
            "zero or more",
        )?;
        let [x, y, z] = self.size;
        let mut pieces = Vec::with_capacity(self.count() as usize);
        for level in 0..self.base {
            let wide = self.base - level;
            let deep = if self.flat { 1 } else { wide };
            let centred = |i: u32, n: u32| f64::from(i) - 0.5 * f64::from(n - 1);
            for k in 0..deep {
                for i in 0..wide {
                    let pose = at(
                        centred(i, wide) * (x + self.gap),
                        y * (f64::from(level) + 0.5),
                        centred(k, deep) * (z + self.gap),
                    );
                    pieces.push(Piece::new(
                        format!("{level}/{}", k * wide + i),
                        Shape::block(x, y, z),
                        pose,
                    ));
                }
            }
        }
        Ok(pieces)
    }
}

/// Wedge-shaped stones on a circle in the plane z = 0, from right to left; the origin is the
/// circle's centre.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Arch {
    /// Number of stones.
    pub voussoirs: u32,
    /// Distance from the centre of the circle to the middle of the stones \[m\].
    pub mean_radius: f64,
    /// Size of the stones along the radius \[m\].
    pub thickness: f64,
    /// Size along z \[m\].
    pub depth: f64,
    /// Part of the circle that is built, symmetric about the top \[degrees\].
    pub opening_degrees: f64,
}

impl Default for Arch {
    fn default() -> Self {
        Self {
            voussoirs: 17,
            mean_radius: 5.0,
            thickness: 0.75,
            depth: 1.0,
            opening_degrees: 180.0,
        }
    }
}

impl Arch {
    pub(super) fn pieces(&self, checks: &Checks<'_>) -> Pieces {
        // parameters
        checks.count("voussoirs", self.voussoirs)?;
        checks.length("mean_radius", self.mean_radius)?;
        checks.length("thickness", self.thickness)?;
        checks.length("depth", self.depth)?;
        checks.holds(
            self.thickness < 2.0 * self.mean_radius,
            "thickness",
            format!("{} m", self.thickness),
            "less than twice the mean radius",
        )?;
        let opening = self.opening_degrees;
        checks.holds(
            opening > 0.0 && opening <= 360.0,
            "opening_degrees",
            opening,
            "more than 0, at most 360",
        )?;
        let pitch = opening.to_radians() / f64::from(self.voussoirs);
        checks.holds(
            pitch < 2.0,
            "voussoirs",
            self.voussoirs,
            "more stones for such an opening",
        )?;
        let first = 0.5 * (PI - opening.to_radians());

        // every stone is the same: corners relative to the middle, x outwards, y along the arch
        let (c, s) = (cos(0.5 * pitch), sin(0.5 * pitch));
        let mut points = Vec::with_capacity(8);
        for radius in [
            self.mean_radius - 0.5 * self.thickness,
            self.mean_radius + 0.5 * self.thickness,
        ] {
            for along in [-s, s] {
                for z in [-0.5 * self.depth, 0.5 * self.depth] {
                    points.push([radius * c - self.mean_radius, radius * along, z]);
                }
            }
        }
        let stone = Shape::Hull { points };
        // stones side by side along the arch
        Ok((0..self.voussoirs)
            .map(|i| {
                let angle = first + pitch * (f64::from(i) + 0.5);
                let place = Vec3::new(
                    self.mean_radius * cos(angle),
                    self.mean_radius * sin(angle),
                    0.0,
                );
                Piece::new(
                    i,
                    stone.clone(),
                    Pose::new(place, rotation_about(Vec3::Z, angle)),
                )
            })
            .collect())
    }
}

/// Four walls with interlocking corners and two gables. Bricks are called by wall, row and
/// number, as in `house/front/3/0` and `house/left-gable/1/2`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct House {
    /// Bricks in a row of the front and the back, along x.
    pub length: u32,
    /// Bricks in a row of the sides, along z.
    pub width: u32,
    /// Height of the walls in rows of bricks.
    pub rows: u32,
    /// Length, height and depth of a brick \[m\]; a brick twice as long as deep makes a half bond.
    pub size: [f64; 3],
    /// Whether the sides carry triangles of bricks.
    pub gables: bool,
}

impl Default for House {
    fn default() -> Self {
        Self {
            length: 8,
            width: 5,
            rows: 10,
            size: [2.0, 1.0, 1.0],
            gables: true,
        }
    }
}

impl House {
    pub(super) fn count(&self) -> u64 {
        let (length, width, rows) = (
            u128::from(self.length),
            u128::from(self.width),
            u128::from(self.rows),
        );
        let gables = if self.gables { width * (width + 1) } else { 0 };
        u64::try_from(2 * (length + width) * rows + gables).unwrap_or(u64::MAX)
    }

    pub(super) fn pieces(&self, checks: &Checks<'_>) -> Pieces {
        checks.count("length", self.length)?;
        checks.count("width", self.width)?;
        checks.count("rows", self.rows)?;
        checks.size("size", self.size)?;
        let [l, h, d] = self.size;
        let (long, wide) = (f64::from(self.length) * l, f64::from(self.width) * l);
        // outer walls of the plan: each row is a pinwheel, every other one mirrored
        let (x0, z0) = (-0.5 * (long + d), -0.5 * (wide + d));
        let mut pieces = Vec::with_capacity(self.count() as usize);
        for row in 0..self.rows {
            let (near, far) = if row % 2 == 0 { (0.0, d) } else { (d, 0.0) };
            let y = h * (f64::from(row) + 0.5);
            for (wall, start, z) in [
                ("front", near, z0 + 0.5 * d),
                ("back", far, z0 + wide + 0.5 * d),
            ] {
                for i in 0..self.length {
                    let x = x0 + start + l * (f64::from(i) + 0.5);
                    pieces.push(Piece::new(
                        format!("{wall}/{row}/{i}"),
                        Shape::block(l, h, d),
                        at(x, y, z),
                    ));
                }
            }
            for (wall, start, x) in [
                ("right", near, x0 + long + 0.5 * d),
                ("left", far, x0 + 0.5 * d),
            ] {
                for i in 0..self.width {
                    let z = z0 + start + l * (f64::from(i) + 0.5);
                    pieces.push(Piece::new(
                        format!("{wall}/{row}/{i}"),
                        Shape::block(d, h, l),
                        at(x, y, z),
                    ));
                }
            }
        }
        if !self.gables {
            return Ok(pieces);
        }
        // gables: each level one brick shorter
        for (gable, x) in [
            ("right-gable", x0 + long + 0.5 * d),
            ("left-gable", x0 + 0.5 * d),
        ] {
            for level in 0..self.width {
                let y = h * (f64::from(self.rows + level) + 0.5);
                let across = self.width - level;
                for i in 0..across {
                    let z = l * (f64::from(i) - 0.5 * f64::from(across - 1));
                    pieces.push(Piece::new(
                        format!("{gable}/{level}/{i}"),
                        Shape::block(d, h, l),
                        at(x, y, z),
                    ));
                }
            }
        }
        Ok(pieces)
    }
}
