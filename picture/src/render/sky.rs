//! Light of the whole sky: depth maps from dozens of directions.

use drystone_base::{Vec3, functions};
use rayon::prelude::*;

use super::Settings;
use super::light::{DepthMap, GOLDEN_ANGLE, floor};
use super::primitive::Primitive;

/// Texels along the side of a map, if it is square.
const SIDE: f64 = 320.0;
/// Width over which edges in the maps are blurred \[texels\].
const BLUR: f32 = 3.0;
/// Distance by which a point is moved off its surface, so that it does not shadow itself \[texels\].
const LIFT: f32 = 2.0;
/// Solids drawn into all maps together; with more, fewer directions are used.
const MOST_SOLIDS: usize = 8_000_000;
/// Directions worked on at a time.
const LANES: usize = 8;

/// Numbers of several directions, one lane each.
type Lanes = [f32; LANES];

/// Eight directions of the sky. Lanes without a direction have a strength of zero.
#[derive(Default)]
struct Block {
    strength: Lanes,
    colour: [Lanes; 3],
    /// Towards the sky, and the axes of the map.
    direction: [Lanes; 3],
    right: [Lanes; 3],
    up: [Lanes; 3],
    /// Place of the scene's middle in the map: column, row \[texels\], depth \[m\].
    start: [Lanes; 3],
    /// Size of a texel \[m\], and its inverse.
    texel: Lanes,
    scale: Lanes,
    /// A place in the unit square for each direction, evenly spread.
    spread: [Lanes; 2],
    maps: [Option<DepthMap>; LANES],
}

/// The sky.
pub(super) struct Sky {
    blocks: Vec<Block>,
    count: u32,
}

impl Sky {
    /// Directions evenly spread over the upper half sphere along a spiral, with their maps.
    pub(super) fn new(primitives: &[Primitive], middle: Vec3, settings: &Settings) -> Self {
        let most = (MOST_SOLIDS / primitives.len().max(1)).max(12) as u32;
        let count = settings.sky_directions.min(most);
        let patch = |i: u32| {
            let up = (f64::from(i) + 0.5) / f64::from(count);
            let (side, angle) = ((1.0 - up * up).sqrt(), GOLDEN_ANGLE * f64::from(i));
            let direction = Vec3::new(
                side * functions::cos(angle),
                up,
                side * functions::sin(angle),
            );
            (
                direction,
                DepthMap::new(primitives, middle, direction, SIDE, false),
            )
        };
        let patches: Vec<_> = (0..count).into_par_iter().map(patch).collect();
        let mut blocks: Vec<Block> = Vec::new();
        for (i, (direction, map)) in patches.into_iter().enumerate() {
            let lane = i % LANES;
            if lane == 0 {
                blocks.push(Block::default());
            }
            let Some(block) = blocks.last_mut() else {
                continue;
            };
            block.strength[lane] = 1.0;
            let share = (direction.y as f32).sqrt();
            for k in 0..3 {
                block.colour[k][lane] =
                    settings.horizon[k] * (1.0 - share) + settings.zenith[k] * share;
                block.direction[k][lane] = direction[k] as f32;
            }
            // an even sequence in the unit square
            let place = |step: f64| (step * (i as f64 + 1.0)).fract() as f32;
            block.spread[0][lane] = place(0.754_877_666_246_693);
            block.spread[1][lane] = place(0.569_840_290_998_053);
            if let Some(map) = &map {
                for k in 0..3 {
                    block.right[k][lane] = map.right[k] as f32;
                    block.up[k][lane] = map.up[k] as f32;
                    block.start[k][lane] = map.rows[k][3];
                }
                block.texel[lane] = map.texel as f32;
                block.scale[lane] = (1.0 / map.texel) as f32;
            }
            block.maps[lane] = map;
        }
        Self { blocks, count }
    }

    /// Light of the sky on a surface with this unit `normal`, linear RGB, and how much of
    /// what the surface faces is open, in \[0, 1\]. `point` is relative to the scene's middle.
    ///
    /// One texel of each map is asked, beside the right one by up to half of `BLUR`, as
    /// `jitter` (two numbers in [0, 1) that vary from pixel to pixel) says: edges of the
    /// single shadows dissolve.
    pub(super) fn light(&self, point: Vec3, normal: Vec3, jitter: [f32; 2]) -> ([f32; 3], f32) {
        if self.count == 0 {
            let share = 0.5 + 0.5 * normal.y as f32;
            return ([0.6 * share, 0.7 * share, 0.85 * share], 1.0);
        }
        let (p, n) = (point.as_vec3().to_array(), normal.as_vec3().to_array());
        let (mut light, mut open, mut all) = ([0.0; 3], 0.0, 1e-6);
        for block in &self.blocks {
            // where the point is in each map
            let (mut x, mut y, mut own, mut weight) =
                ([0.0; LANES], [0.0; LANES], [0.0; LANES], [0.0; LANES]);
            for l in 0..LANES {
                let dot =
                    |a: &[Lanes; 3], b: [f32; 3]| a[0][l] * b[0] + a[1][l] * b[1] + a[2][l] * b[2];
                let (right, up) = (dot(&block.right, n), dot(&block.up, n));
                let facing = dot(&block.direction, n);
                let aside = |k: usize| {
                    let v = block.spread[k][l] + jitter[k];
                    BLUR * (if v >= 1.0 { v - 1.0 } else { v } - 0.5)
                };
                let (dx, dy) = (aside(0), aside(1));
                x[l] =
                    dot(&block.right, p) * block.scale[l] + block.start[0][l] + LIFT * right + dx;
                y[l] = dot(&block.up, p) * block.scale[l] + block.start[1][l] + LIFT * up + dy;
                // depth of the surface itself, at the texel that is asked
                let slope = (right * dx + up * dy) / facing.max(0.3) - LIFT * facing - 0.5;
                own[l] = block.start[2][l] - dot(&block.direction, p) + block.texel[l] * slope;
                weight[l] = block.strength[l] * (facing + 0.25).max(0.0);
            }
            // which of them the sky's light reaches
            let mut seen = [0.0; LANES];
            for l in 0..LANES {
                if weight[l] > 0.0 {
                    let first = block.maps[l]
                        .as_ref()
                        .map_or(f32::INFINITY, |map| map.depth(floor(x[l]), floor(y[l])));
                    seen[l] = if first < own[l] { 0.0 } else { 1.0 };
                }
            }
            for l in 0..LANES {
                open += seen[l] * weight[l];
                all += weight[l];
                let strength = seen[l] * (weight[l] - 0.25).max(0.0);
                for k in 0..3 {
                    light[k] += strength * block.colour[k][l];
                }
            }
        }
        // uniform patches of the half sphere, each 2π/N; a Lambert surface reflects 1/π
        let scale = 2.0 / self.count as f32;
        (light.map(|v| v * scale), open / all)
    }
}
