//! Patterns of thin things that are about to fall. Their origin is in the middle of the base.

use std::f64::consts::PI;

use drystone_base::functions::{cos, rotation_about, sin};
use drystone_base::{Pose, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Checks, Piece, at};
use crate::{SceneError, Shape};

type Pieces = Result<Vec<Piece>, SceneError>;

/// Leaning pairs of cards, level on level, each level one pair shorter and carried by flat
/// cards. Called `cards/LEVEL/PAIR/left`, `.../right` and `.../flat`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CardHouse {
    /// How many levels, which is also the number of pairs in the lowest.
    pub levels: u32,
    /// Length of the leaning edge of a card, and distance from one pair to the next \[m\].
    pub length: f64,
    /// Size of a card along z \[m\].
    pub depth: f64,
    /// Thickness of a card \[m\].
    pub thickness: f64,
    /// Angle of the cards from the vertical \[degrees\].
    pub lean_degrees: f64,
}

impl Default for CardHouse {
    fn default() -> Self {
        Self {
            levels: 5,
            length: 2.0,
            depth: 1.0,
            thickness: 0.1,
            lean_degrees: 15.0,
        }
    }
}

impl CardHouse {
    pub(super) fn count(&self) -> u64 {
        // n(n+1)/2 pairs of two, and n(n-1)/2 flat ones
        let n = u128::from(self.levels);
        u64::try_from(n * (n + 1) + n * n.saturating_sub(1) / 2).unwrap_or(u64::MAX)
    }

    pub(super) fn pieces(&self, checks: &Checks<'_>) -> Pieces {
        // parameters
        checks.count("levels", self.levels)?;
        checks.length("length", self.length)?;
        checks.length("depth", self.depth)?;
        checks.length("thickness", self.thickness)?;
        let lean_degrees = self.lean_degrees;
        checks.holds(
            lean_degrees > 0.0 && lean_degrees <= 30.0,
            "lean_degrees",
            lean_degrees,
            "more than 0, at most 30",
        )?;
        let lean = lean_degrees.to_radians();
        let (c, s) = (cos(lean), sin(lean));
        // half the box around a leaning card
        let half_width = 0.5 * (self.length * s + self.thickness * c);
        let half_height = 0.5 * (self.length * c + self.thickness * s);
        let rise = 2.0 * half_height + self.thickness;
        let leaning = Shape::block(self.thickness, self.length, self.depth);
        let flat = Shape::block(self.length, self.thickness, self.depth);

        // pairs of leaning cards, and a flat one over each gap between pairs
        let mut pieces = Vec::with_capacity(self.count() as usize);
        for level in 0..self.levels {
            let pairs = self.levels - level;
            let base = rise * f64::from(level);
            for pair in 0..pairs {
                let x = self.length * (f64::from(pair) - 0.5 * f64::from(pairs - 1));
                for (side, sign) in [("left", -1.0), ("right", 1.0)] {
                    let place = Vec3::new(x + sign * half_width, base + half_height, 0.0);
                    let pose = Pose::new(place, rotation_about(Vec3::Z, sign * lean));
                    pieces.push(Piece::new(
                        format!("{level}/{pair}/{side}"),
                        leaning.clone(),
                        pose,
                    ));
                }
                if pair + 1 < pairs {
                    let pose = at(
                        x + 0.5 * self.length,
                        base + rise - 0.5 * self.thickness,
                        0.0,
                    );
                    pieces.push(Piece::new(
                        format!("{level}/{pair}/flat"),
                        flat.clone(),
                        pose,
                    ));
                }
            }
        }
        Ok(pieces)
    }
}

/// Upright tiles along x, on a circle about y, or on a spiral that grows outwards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Dominoes {
    /// Number of tiles.
    pub count: u32,
    /// Width, height and thickness (along the row) of a tile \[m\].
    pub size: [f64; 3],
    /// Radius of the circle, or of the spiral's inner end \[m\]; a straight line if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// From one tile to the next \[m\]; if left out, a circle is filled evenly, and a line or
    /// spiral has half a tile's height.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
    /// Growth of the radius with each turn; 0 makes a circle \[m\].
    pub growth: f64,
}

impl Default for Dominoes {
    fn default() -> Self {
        Self {
            count: 125,
            size: [0.8, 2.0, 0.2],
            radius: Some(8.0),
            spacing: None,
            growth: 0.0,
        }
    }
}

impl Dominoes {
    pub(super) fn pieces(&self, checks: &Checks<'_>) -> Pieces {
        checks.count("count", self.count)?;
        checks.size("size", self.size)?;
        checks.finite("growth", &[self.growth])?;
        checks.holds(
            self.growth >= 0.0,
            "growth",
            format!("{} m", self.growth),
            "zero or more",
        )?;
        if let Some(spacing) = self.spacing {
            checks.length("spacing", spacing)?;
        }
        let [x, y, z] = self.size;
        let tile = Shape::block(x, y, z);
        let Some(radius) = self.radius else {
            // a straight line along x, tiles facing along it
            let spacing = self.spacing.unwrap_or(0.5 * y);
            let facing = rotation_about(Vec3::Y, 0.5 * PI);
            let line = (0..self.count).map(|i| {
                let place = Vec3::new(spacing * f64::from(i), 0.5 * y, 0.0);
                Piece::new(i, tile.clone(), Pose::new(place, facing))
            });
            return Ok(line.collect());
        };
        checks.length("radius", radius)?;
        let round = self.growth == 0.0 && self.spacing.is_none();
        let spacing = self.spacing.unwrap_or(0.5 * y);
        let mut angle = 0.0;
        let mut pieces = Vec::with_capacity(self.count as usize);
        for i in 0..self.count {
            if round {
                angle = 2.0 * PI * f64::from(i) / f64::from(self.count);
            }
            let r = radius + self.growth * angle / (2.0 * PI);
            let place = Vec3::new(r * cos(angle), 0.5 * y, -r * sin(angle));
            pieces.push(Piece::new(
                i,
                tile.clone(),
                Pose::new(place, rotation_about(Vec3::Y, angle)),
            ));
            angle += spacing / r;
        }
        Ok(pieces)
    }
}
