//! Branched strands: trees.

use std::f64::consts::TAU;

use drystone_base::functions::rotation_about;
use drystone_base::random::Random;
use drystone_base::{Vec3, tangents};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Checks, Sprout};
use crate::SceneError;
use crate::defaults::is_default;
use crate::strand::Fibre;

/// Trees on a rectangle of the plane y = 0, the middle at the origin. The fibre's radius is that of
/// the foot of the trunk; trunk, branches and twigs become thinner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Tree {
    /// Along x and z.
    pub counts: [u32; 2],
    /// Along x and z \[m\].
    pub spacing: [f64; 2],
    /// Each is moved at random by up to this part of the spacing \[1\].
    #[serde(skip_serializing_if = "is_default")]
    pub jitter: f64,
    /// Height of the trunk \[m\].
    pub height: f64,
    /// Each is lower or higher at random by up to this part \[1\].
    #[serde(skip_serializing_if = "is_default")]
    pub vary: f64,
    /// Fewest and most segments of a tree, drawn at random.
    pub segments: [u32; 2],
    /// Angle between a branch and what it grows from \[degrees\].
    pub fork_degrees: f64,
}

impl Default for Tree {
    fn default() -> Self {
        Self {
            counts: [1, 1],
            spacing: [3.0, 3.0],
            jitter: 0.3,
            height: 3.0,
            vary: 0.2,
            segments: [50, 100],
            fork_degrees: 50.0,
        }
    }
}

/// Angle from one branch to the next around a trunk: that of leaves \[rad\].
const PHYLLOTAXIS: f64 = 2.399_963_229_728_653;

impl Tree {
    pub(super) fn sprouts(
        &self,
        checks: &Checks<'_>,
        random: &mut Random,
        fibre: &Fibre,
    ) -> Result<Vec<Sprout>, SceneError> {
        checks.count("counts", self.counts[0])?;
        checks.count("counts", self.counts[1])?;
        checks.within("spacing", self.spacing[0], 0.0, 1e6)?;
        checks.within("spacing", self.spacing[1], 0.0, 1e6)?;
        checks.within("jitter", self.jitter, 0.0, 1e3)?;
        checks.length("height", self.height)?;
        checks.within("vary", self.vary, 0.0, 0.95)?;
        checks.within("segments", f64::from(self.segments[0]), 1.0, 1e5)?;
        let most = f64::from(self.segments[1]);
        checks.within("segments", most, f64::from(self.segments[0]), 1e5)?;
        checks.within("fork_degrees", self.fork_degrees, 0.0, 180.0)?;
        let middle = self.counts.map(|n| 0.5 * f64::from(n - 1));
        let mut sprouts = Vec::new();
        for row in 0..self.counts[1] {
            for column in 0..self.counts[0] {
                let mut off = || self.jitter * random.range(-1.0, 1.0);
                let (dx, dz) = (off(), off());
                let x = self.spacing[0] * (f64::from(column) - middle[0] + dx);
                let z = self.spacing[1] * (f64::from(row) - middle[1] + dz);
                sprouts.push(self.tree(Vec3::new(x, 0.0, z), random, fibre));
            }
        }
        Ok(sprouts)
    }

    fn tree(&self, foot: Vec3, random: &mut Random, fibre: &Fibre) -> Sprout {
        // size of this tree
        let [fewest, most] = self.segments;
        let total = fewest + random.below((most - fewest) as usize + 1) as u32;
        let height = self.height * (1.0 + self.vary * random.range(-1.0, 1.0));

        // a sixth of all segments is trunk, half of the rest branches, the other half twigs
        let trunk_count = (total / 6).clamp(1, 12);
        let trunk = grown(foot, Vec3::Y, height, trunk_count, 0.1, random);
        let (mut left, mut branches) = (total - trunk_count, Vec::new());
        // branches along the upper two thirds of the trunk
        let mut around = TAU * random.unit();
        let wanted = left / 2;
        let mut k = 0;
        while left > 0 && total - trunk_count - left < wanted.max(1) {
            let count = left.min(4);
            let least = trunk_count.div_ceil(3).min(trunk_count);
            let point = (least + k % (trunk_count - least + 1)) as usize;
            let along = (trunk[point] - trunk[point - 1]).normalize_or(Vec3::Y);
            around += PHYLLOTAXIS;
            let up = f64::from(point as u32) / f64::from(trunk_count);
            let length = height * (0.55 - 0.3 * up) * random.range(0.8, 1.2);
            let way = self.forked(along, around);
            let points = grown(trunk[point], way, length, count, 0.15, random);
            let thick = 0.55 - 0.2 * up;
            branches.push((0, point, points, fibre.clone().tapered(thick, 0.4 * thick)));
            left -= count;
            k += 1;
        }
        // twigs along the branches
        let limbs = branches.len();
        let mut k = 0;
        while left > 0 && limbs > 0 {
            let count = left.min(3);
            let curve = k % limbs;
            let (_, _, from, _) = &branches[curve];
            let point = (1 + (k / limbs) % (from.len() - 1)).min(from.len() - 1);
            let along = (from[point] - from[point - 1]).normalize_or(Vec3::Y);
            around += PHYLLOTAXIS;
            let (length, way) = (
                height * 0.18 * random.range(0.7, 1.3),
                self.forked(along, around),
            );
            let points = grown(from[point], way, length, count, 0.2, random);
            let twig = fibre.clone().tapered(0.2, 0.1);
            branches.push((curve + 1, point, points, twig));
            left -= count;
            k += 1;
        }
        Sprout {
            fibre: Some(fibre.clone().tapered(1.0, 0.35)),
            branches,
            ..Sprout::of(trunk)
        }
    }

    /// `along`, leaning away by the angle of a fork towards `around`.
    fn forked(&self, along: Vec3, around: f64) -> Vec3 {
        let (across, _) = tangents(along);
        let about = rotation_about(along, around) * across;
        rotation_about(about, self.fork_degrees.to_radians()) * along
    }
}

/// `count` equal segments from `from` towards `way`, each turned at random by up to `wander` \[rad\].
fn grown(
    from: Vec3,
    way: Vec3,
    length: f64,
    count: u32,
    wander: f64,
    random: &mut Random,
) -> Vec<Vec3> {
    let (mut points, mut way) = (vec![from], way);
    for _ in 0..count {
        let (a, b) = tangents(way);
        let turn = (a * random.range(-1.0, 1.0) + b * random.range(-1.0, 1.0)) * wander;
        way = (way + turn).normalize_or(Vec3::Y);
        let last = points[points.len() - 1];
        points.push(last + way * (length / f64::from(count)));
    }
    points
}
