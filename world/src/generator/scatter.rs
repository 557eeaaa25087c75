//! Patterns of separate things, regular or at random. The seed alone decides.

use std::collections::HashMap;

use drystone_base::functions::rotation_about;
use drystone_base::random::Random;
use drystone_base::{Pose, Quat, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Checks, Piece, at};
use crate::{SceneError, Shape};

type Pieces = Result<Vec<Piece>, SceneError>;

/// One after the other along a straight line from the origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Line {
    /// Number of bodies.
    pub count: u32,
    /// Shapes, which the bodies have in turn.
    pub shapes: Vec<Shape>,
    /// Step from one centre to the next \[m\].
    pub step: [f64; 3],
    /// Each is moved at random by up to this much either way \[m\].
    pub jitter: [f64; 3],
    /// Each is scaled by a random factor between these two, a box along each axis \[1\].
    pub vary: [f64; 2],
    /// Each is turned about y at random by up to this much either way \[degrees\].
    pub yaw_degrees: f64,
    /// Whether each is turned at random, in all directions alike.
    pub tumble: bool,
}

impl Default for Line {
    fn default() -> Self {
        Self {
            count: 10,
            shapes: vec![Shape::ball(0.5)],
            step: [1.0, 0.0, 0.0],
            jitter: [0.0; 3],
            vary: [1.0; 2],
            yaw_degrees: 0.0,
            tumble: false,
        }
    }
}

/// A lattice, centred on the origin along x and z, that begins at the origin along y.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Grid {
    /// How many along x, y and z.
    pub counts: [u32; 3],
    /// Shapes, which the bodies have in turn.
    pub shapes: Vec<Shape>,
    /// Distance between neighbouring centres along x, y and z \[m\].
    pub spacing: [f64; 3],
    /// Each is moved at random by up to this much either way \[m\].
    pub jitter: [f64; 3],
    /// Each is scaled by a random factor between these two, a box along each axis \[1\].
    pub vary: [f64; 2],
    /// Each is turned about y at random by up to this much either way \[degrees\].
    pub yaw_degrees: f64,
    /// Whether each is turned at random, in all directions alike.
    pub tumble: bool,
}

impl Default for Grid {
    fn default() -> Self {
        Self {
            counts: [5; 3],
            shapes: vec![Shape::ball(0.5)],
            spacing: [1.0; 3],
            jitter: [0.0; 3],
            vary: [1.0; 2],
            yaw_degrees: 0.0,
            tumble: false,
        }
    }
}

/// A bed of nails: slim pyramids on a square lattice about the origin, standing on y = 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Nails {
    /// How many along x and z.
    pub counts: [u32; 2],
    /// Side of the square that each stands on \[m\].
    pub width: f64,
    /// \[m\]
    pub height: f64,
    /// Distance between neighbouring tips \[m\].
    pub pitch: f64,
    /// Each is moved sideways at random by up to this much either way, so that nothing lies exactly in
    /// line \[m\].
    pub jitter: f64,
}

impl Default for Nails {
    fn default() -> Self {
        Self {
            counts: [6; 2],
            width: 0.2,
            height: 1.5,
            pitch: 1.0,
            jitter: 1e-3,
        }
    }
}

/// A lattice inside a round column about y, filled from the origin upwards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Column {
    /// Number of bodies.
    pub count: u32,
    /// Shapes, which the bodies have in turn.
    pub shapes: Vec<Shape>,
    /// Distance from the axis to the farthest lattice point \[m\].
    pub radius: f64,
    /// Distance between neighbouring centres along x and z \[m\].
    pub pitch: f64,
    /// Distance between layers \[m\].
    pub rise: f64,
    /// Each is moved at random by up to this much either way \[m\].
    pub jitter: [f64; 3],
    /// Each is scaled by a random factor between these two, a box along each axis \[1\].
    pub vary: [f64; 2],
    /// Each is turned about y at random by up to this much either way \[degrees\].
    pub yaw_degrees: f64,
    /// Whether each is turned at random, in all directions alike.
    pub tumble: bool,
}

impl Default for Column {
    fn default() -> Self {
        Self {
            count: 100,
            shapes: vec![Shape::ball(0.4)],
            radius: 4.0,
            pitch: 1.0,
            rise: 1.0,
            jitter: [0.0; 3],
            vary: [1.0; 2],
            yaw_degrees: 0.0,
            tumble: false,
        }
    }
}

/// Anywhere inside a box; a place where two would come too near is drawn again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Fill {
    /// Number of bodies.
    pub count: u32,
    /// Shapes, which the bodies have in turn.
    pub shapes: Vec<Shape>,
    /// Smallest corner for the centres \[m\].
    pub low: [f64; 3],
    /// Largest corner for the centres \[m\].
    pub high: [f64; 3],
    /// Each is scaled by a random factor between these two, a box along each axis \[1\].
    pub vary: [f64; 2],
    /// Each is turned about y at random by up to this much either way \[degrees\].
    pub yaw_degrees: f64,
    /// Whether each is turned at random, in all directions alike.
    pub tumble: bool,
    /// Whether bodies may overlap at the start.
    pub overlapping: bool,
}

impl Default for Fill {
    fn default() -> Self {
        Self {
            count: 100,
            shapes: vec![Shape::ball(0.2)],
            low: [-5.0, 1.0, -5.0],
            high: [5.0, 11.0, 5.0],
            vary: [1.0; 2],
            yaw_degrees: 0.0,
            tumble: false,
            overlapping: false,
        }
    }
}

/// Draws the shape, shift and turn of one piece after the other.
struct Draw<'a> {
    random: Random,
    shapes: &'a [Shape],
    jitter: Vec3,
    vary: [f64; 2],
    yaw: f64,
    tumble: bool,
}

impl<'a> Draw<'a> {
    fn new(
        checks: &Checks<'_>,
        seed: u64,
        shapes: &'a [Shape],
        jitter: [f64; 3],
        vary: [f64; 2],
        yaw_degrees: f64,
        tumble: bool,
    ) -> Result<Self, SceneError> {
        checks.shapes(shapes)?;
        checks.finite("jitter", &jitter)?;
        checks.finite("yaw_degrees", &[yaw_degrees])?;
        let factors = vary[0] > 0.0 && vary[0] <= vary[1] && vary[1] <= 1e6;
        checks.holds(
            factors,
            "vary",
            crate::error::show(&vary),
            "two factors above zero, the smaller first",
        )?;
        Ok(Self {
            random: Random::new(seed),
            shapes,
            jitter: Vec3::from(jitter),
            vary,
            yaw: yaw_degrees.to_radians(),
            tumble,
        })
    }

    /// The `i`-th shape.
    fn shape(&mut self, i: usize) -> Shape {
        let shape = &self.shapes[i % self.shapes.len()];
        let [low, high] = self.vary;
        if low == 1.0 && high == 1.0 {
            return shape.clone();
        }
        let mut factor = || self.random.range(low, high);
        let factors = match shape {
            Shape::Box { .. } => Vec3::new(factor(), factor(), factor()),
            _ => Vec3::splat(factor()),
        };
        shape.scaled(factors)
    }

    fn shift(&mut self) -> Vec3 {
        if self.jitter == Vec3::ZERO {
            return Vec3::ZERO;
        }
        let mut unit = || self.random.range(-1.0, 1.0);
        Vec3::new(unit(), unit(), unit()) * self.jitter
    }

    fn rotation(&mut self) -> Quat {
        if self.tumble {
            self.random.rotation()
        } else if self.yaw != 0.0 {
            rotation_about(Vec3::Y, self.yaw * self.random.range(-1.0, 1.0))
        } else {
            Quat::IDENTITY
        }
    }

    /// The `i`-th piece, near `place`.
    fn piece(&mut self, i: usize, name: String, place: Pose) -> Piece {
        let shape = self.shape(i);
        let position = place.position + self.shift();
        Piece::new(name, shape, Pose::new(position, self.rotation()))
    }
}

impl Line {
    pub(super) fn pieces(&self, checks: &Checks<'_>, seed: u64) -> Pieces {
        checks.count("count", self.count)?;
        checks.finite("step", &self.step)?;
        let mut draw = Draw::new(
            checks,
            seed,
            &self.shapes,
            self.jitter,
            self.vary,
            self.yaw_degrees,
            self.tumble,
        )?;
        let step = Vec3::from(self.step);
        Ok((0..self.count as usize)
            .map(|i| draw.piece(i, i.to_string(), Pose::at(step * i as f64)))
            .collect())
    }
}

impl Grid {
    pub(super) fn pieces(&self, checks: &Checks<'_>, seed: u64) -> Pieces {
        let [nx, ny, nz] = self.counts;
        self.counts
            .iter()
            .try_for_each(|&n| checks.count("counts", n))?;
        checks.size("spacing", self.spacing)?;
        let mut draw = Draw::new(
            checks,
            seed,
            &self.shapes,
            self.jitter,
            self.vary,
            self.yaw_degrees,
            self.tumble,
        )?;
        let [sx, sy, sz] = self.spacing;
        let centred = |i: u32, n: u32| f64::from(i) - 0.5 * f64::from(n - 1);
        let mut pieces = Vec::new();
        for y in 0..ny {
            for z in 0..nz {
                for x in 0..nx {
                    let place = at(sx * centred(x, nx), sy * f64::from(y), sz * centred(z, nz));
                    pieces.push(draw.piece(pieces.len(), format!("{y}/{}", z * nx + x), place));
                }
            }
        }
        Ok(pieces)
    }
}

impl Nails {
    pub(super) fn pieces(&self, checks: &Checks<'_>, seed: u64) -> Pieces {
        checks.length("width", self.width)?;
        checks.length("height", self.height)?;
        checks.length("pitch", self.pitch)?;
        checks.holds(
            self.width + 2.0 * self.jitter.abs() <= self.pitch,
            "pitch",
            format!("{} m", self.pitch),
            "at least the width and twice the jitter",
        )?;
        let (half, [x, z]) = (0.5 * self.width, self.counts);
        let points = vec![
            [-half, 0.0, -half],
            [half, 0.0, -half],
            [half, 0.0, half],
            [-half, 0.0, half],
            [0.0, self.height, 0.0],
        ];
        let grid = Grid {
            counts: [x, 1, z],
            shapes: vec![Shape::Hull { points }],
            spacing: [self.pitch; 3],
            jitter: [self.jitter, 0.0, self.jitter],
            ..Grid::default()
        };
        grid.pieces(checks, seed)
    }
}

impl Column {
    pub(super) fn pieces(&self, checks: &Checks<'_>, seed: u64) -> Pieces {
        checks.count("count", self.count)?;
        checks.length("radius", self.radius)?;
        checks.length("pitch", self.pitch)?;
        checks.length("rise", self.rise)?;
        checks.holds(
            self.radius / self.pitch <= 1000.0,
            "pitch",
            format!("{} m", self.pitch),
            "at least a thousandth of the radius",
        )?;
        let mut draw = Draw::new(
            checks,
            seed,
            &self.shapes,
            self.jitter,
            self.vary,
            self.yaw_degrees,
            self.tumble,
        )?;
        let most = (self.radius / self.pitch).floor() as i32;
        let mut layer = Vec::new();
        for k in -most..=most {
            for i in -most..=most {
                let (x, z) = (f64::from(i) * self.pitch, f64::from(k) * self.pitch);
                if x * x + z * z <= self.radius * self.radius {
                    layer.push((x, z));
                }
            }
        }
        Ok((0..self.count as usize)
            .map(|i| {
                let (level, point) = (i / layer.len(), i % layer.len());
                let (x, z) = layer[point];
                draw.piece(
                    i,
                    format!("{level}/{point}"),
                    at(x, self.rise * level as f64, z),
                )
            })
            .collect())
    }
}

/// Most places that are drawn for a body before the box counts as full.
const TRIES: usize = 2000;

impl Fill {
    pub(super) fn pieces(&self, checks: &Checks<'_>, seed: u64) -> Pieces {
        // parameters
        checks.count("count", self.count)?;
        checks.finite("low", &self.low)?;
        checks.finite("high", &self.high)?;
        let ordered = self.low.iter().zip(&self.high).all(|(l, h)| l <= h);
        checks.holds(
            ordered,
            "high",
            crate::error::show(&self.high),
            "nowhere less than `low`",
        )?;
        let mut draw = Draw::new(
            checks,
            seed,
            &self.shapes,
            [0.0; 3],
            self.vary,
            self.yaw_degrees,
            self.tumble,
        )?;
        let mut pieces: Vec<Piece> = Vec::new();

        // spheres around what is placed, in cells as wide as the widest pair
        let widest = self.shapes.iter().map(Shape::reach).fold(0.0, f64::max) * self.vary[1];
        let edge = 2.0 * widest;
        let cell = |p: Vec3| (p / edge).floor().to_array().map(|x| x as i64);
        let mut cells: HashMap<[i64; 3], Vec<(Vec3, f64)>> = HashMap::new();
        for i in 0..self.count as usize {
            let shape = draw.shape(i);
            let rotation = draw.rotation();
            let reach = shape.reach();
            let mut tries = 0;
            let place = loop {
                let r = &mut draw.random;
                let [x, y, z] = [0, 1, 2].map(|k| r.range(self.low[k], self.high[k]));
                let p = Vec3::new(x, y, z);
                let taken = |(q, r): &(Vec3, f64)| (*q - p).length() < r + reach;
                let near =
                    |key: &[i64; 3]| cells.get(key).is_some_and(|list| list.iter().any(taken));
                if self.overlapping || !neighbours(cell(p)).iter().any(near) {
                    break p;
                }
                tries += 1;
                checks.holds(
                    tries < TRIES,
                    "count",
                    format!("{} but the box is full after {i}", self.count),
                    "fewer bodies, smaller ones, a larger box, or `overlapping = true`",
                )?;
            };
            cells.entry(cell(place)).or_default().push((place, reach));
            pieces.push(Piece::new(i, shape, Pose::new(place, rotation)));
        }
        Ok(pieces)
    }
}

/// A cell of the placing grid and the 26 around it.
fn neighbours([x, y, z]: [i64; 3]) -> [[i64; 3]; 27] {
    std::array::from_fn(|i| {
        let i = i as i64;
        [x + i % 3 - 1, y + i / 3 % 3 - 1, z + i / 9 - 1]
    })
}
