//! How much light reaches a point: depth maps drawn from the sun and from the sky.

use drystone_base::{Vec3, functions, tangents};
use rayon::prelude::*;

use super::Settings;
use super::camera::View;
use super::primitive::{Prepared, Primitive, Rays, Rectangle};
use super::sky::Sky;

/// Texels along the side of the sun's map, if it is square.
const SUN_SIDE: f64 = 2048.0;
/// Rows of a map that are drawn as one piece of work.
const BAND: u32 = 256;
/// An angle whose multiples spread evenly over the circle \[rad\].
pub(super) const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;

/// Depth to which light along one direction reaches.
pub(super) struct DepthMap {
    pub(super) right: Vec3,
    pub(super) up: Vec3,
    /// Rows that take a point to column, row \[texels\] and depth \[m\]: `row[0..3]·p + row[3]`,
    /// for points relative to the scene's middle.
    pub(super) rows: [[f32; 4]; 3],
    /// Size of a texel \[m\].
    pub(super) texel: f64,
    width: u32,
    height: u32,
    /// Distance of what is hit first from the plane through `corner` \[m\].
    depth: Vec<f32>,
}

impl DepthMap {
    /// The map of light that comes from `source` (unit vector) and meets what is in focus.
    pub(super) fn new(
        primitives: &[Primitive],
        middle: Vec3,
        source: Vec3,
        side: f64,
        huge_too: bool,
    ) -> Option<Self> {
        let forward = -source;
        let (right, up) = tangents(forward);
        let axes = [right, up, forward];

        // the rectangle that holds everything in focus
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let hull = |p: &Primitive| {
            let (points, count) = p.solid.hull(&axes)?;
            let mut around = (Vec3::INFINITY, Vec3::NEG_INFINITY);
            for p in &points[..count] {
                let p = Vec3::new(p.dot(right), p.dot(up), p.dot(forward));
                around = (around.0.min(p), around.1.max(p));
            }
            Some(around)
        };
        let hulls: Vec<_> = primitives.iter().map(hull).collect();
        for (primitive, around) in primitives.iter().zip(&hulls) {
            if let (true, Some((l, h))) = (primitive.in_focus, around) {
                (low, high) = (low.min(*l), high.max(*h));
            }
        }
        // size of the map, and the rows that take a point to it
        let size = high - low;
        if !size.is_finite() {
            return None;
        }
        let texel = ((size.x * size.y).sqrt() / side).max(size.x.max(size.y) / (4.0 * side));
        let cells = |length: f64| (length / texel).ceil() as u32 + 2;
        let (width, height) = (cells(size.x), cells(size.y));
        let start = low - Vec3::new(texel, texel, 0.0);
        let corner = right * start.x + up * start.y + forward * start.z;
        let row = |axis: Vec3, scale: f64| {
            let (a, shift) = (axis * scale, (middle - corner).dot(axis) * scale);
            [a.x as f32, a.y as f32, a.z as f32, shift as f32]
        };
        let mut map = Self {
            right,
            up,
            rows: [
                row(right, 1.0 / texel),
                row(up, 1.0 / texel),
                row(forward, 1.0),
            ],
            texel,
            width,
            height,
            depth: vec![f32::INFINITY; width as usize * height as usize],
        };

        // rays start well before the map's own plane: others may be in the light's way
        let back = 100.0 * size.length();
        let rays = Rays {
            origin: [corner - forward * back, right * texel, up * texel],
            direction: [forward, Vec3::ZERO, Vec3::ZERO],
        };
        let areas: Vec<_> = primitives
            .iter()
            .zip(&hulls)
            .filter(|(p, _)| huge_too || !p.huge)
            .filter_map(|(p, around)| {
                let (l, h) = (*around)?;
                let (l, h) = ((l - start) / texel, (h - start) / texel);
                Some((p, Rectangle::around([l.x, l.y], [h.x, h.y], width, height)?))
            })
            .collect();
        let row = width as usize;
        map.depth
            .par_chunks_mut(row * BAND as usize)
            .enumerate()
            .for_each(|(band, depth)| {
                let y0 = band as u32 * BAND;
                let rows = Rectangle {
                    x0: 0,
                    y0,
                    x1: width,
                    y1: (y0 + BAND).min(height),
                };
                for (primitive, area) in &areas {
                    let Some(area) = area.common(rows) else {
                        continue;
                    };
                    primitive.solid.scan(&rays, area, &[], |_, x, y, t, _| {
                        let cell = &mut depth[(y - y0) as usize * row + x as usize];
                        *cell = cell.min((t - back) as f32);
                    });
                }
            });
        Some(map)
    }

    /// Column, row \[texels\] and depth \[m\] of a point relative to the scene's middle.
    #[inline]
    fn place(&self, p: [f32; 3]) -> [f32; 3] {
        self.rows
            .map(|r| r[0] * p[0] + r[1] * p[1] + r[2] * p[2] + r[3])
    }

    /// Depth of what is hit first \[m\]; infinite beyond the map.
    #[inline]
    pub(super) fn depth(&self, x: i32, y: i32) -> f32 {
        if x < 0 || y < 0 || x >= self.width as i32 || y >= self.height as i32 {
            return f32::INFINITY;
        }
        self.depth[y as usize * self.width as usize + x as usize]
    }

    /// Share of light that reaches `depth` at (x, y): of the four texels about it.
    #[inline]
    fn visible(&self, x: f32, y: f32, depth: f32) -> f32 {
        let (x, y) = (x - 0.5, y - 0.5);
        let (i, j) = (floor(x), floor(y));
        let (u, v) = (x - i as f32, y - j as f32);
        let lit = |i, j| if self.depth(i, j) < depth { 0.0 } else { 1.0 };
        let below = lit(i, j) * (1.0 - u) + lit(i + 1, j) * u;
        let above = lit(i, j + 1) * (1.0 - u) + lit(i + 1, j + 1) * u;
        below * (1.0 - v) + above * v
    }
}

/// The largest whole number up to `x`; the library's version is slow without SSE4.
#[inline]
pub(super) fn floor(x: f32) -> i32 {
    let cut = x as i32;
    cut - i32::from(x < cut as f32)
}

/// The lights of a scene.
pub(super) struct Lighting {
    /// The maps measure from here, so that single precision is enough \[m\].
    pub(super) middle: Vec3,
    sun: Option<DepthMap>,
    sun_direction: Vec3,
    /// Tangent of half the sun's diameter \[1\].
    softness: f32,
    pub(super) sky: Sky,
    /// Points of the unit disc, evenly spread.
    disc: Vec<[f32; 2]>,
}

impl Lighting {
    pub(super) fn new(prepared: &Prepared, view: &View, settings: &Settings) -> Self {
        let primitives = &prepared.primitives;
        let middle = view.eye + view.forward * view.distance;
        let sun_direction = settings.light.direction;
        let disc = |i: u32| {
            let (radius, angle) = (
                ((f64::from(i) + 0.5) / 32.0).sqrt(),
                GOLDEN_ANGLE * f64::from(i),
            );
            [functions::cos(angle), functions::sin(angle)].map(|v| (radius * v) as f32)
        };
        Self {
            middle,
            sun: DepthMap::new(primitives, middle, sun_direction, SUN_SIDE, true),
            sun_direction,
            softness: functions::tan(settings.light.diameter_degrees.to_radians() * 0.5) as f32,
            sky: Sky::new(primitives, middle, settings),
            disc: (0..32).map(disc).collect(),
        }
    }

    /// Share of the sun seen from `point` on a surface with this unit `normal` \[1\].
    ///
    /// What stands in the way far off blurs more: first the mean distance of what is in
    /// the way, then the share of the sun's image that it hides.
    /// `flat` is the normal of the face, without smoothing or bevels.
    pub(super) fn sun(&self, point: Vec3, normal: Vec3, flat: Vec3) -> f32 {
        let facing = flat.dot(self.sun_direction);
        let Some(map) = &self.sun else {
            return 1.0;
        };
        let texel = map.texel as f32;
        let from_middle = point - self.middle + (normal + flat) * (0.7 * map.texel);
        let [x, y, depth] = map.place(from_middle.as_vec3().to_array());
        if x < -40.0 || y < -40.0 || x > map.width as f32 + 40.0 || y > map.height as f32 + 40.0 {
            return 1.0;
        }
        // a face that is turned away but shaded as if it faced the sun: the edge of the
        // light on a coarse smooth mesh
        if facing <= 0.02 && normal == flat {
            return 0.0;
        }
        // the surface's own slope in the map, so that it does not shadow itself
        let steep = |axis: Vec3| (flat.dot(axis) / facing.max(0.15) * map.texel) as f32;
        let slope = [steep(map.right), steep(map.up)];
        let own = |dx: f32, dy: f32| depth + slope[0] * dx + slope[1] * dy - 0.6 * texel;

        let reach = (self.softness * map.height.max(map.width) as f32 * 0.3).clamp(2.0, 26.0);
        let (mut blocked, mut distance) = (0u32, 0.0);
        for [u, v] in &self.disc {
            let (dx, dy) = (u * reach, v * reach);
            let first = map.depth(floor(x + dx), floor(y + dy));
            if first < own(dx, dy) {
                blocked += 1;
                distance += depth - first;
            }
        }
        if blocked == 0 {
            return 1.0;
        }
        let blur = (self.softness * distance / (blocked as f32 * texel)).clamp(1.0, reach);
        let visible = |[u, v]: &[f32; 2]| {
            let (dx, dy) = (u * blur, v * blur);
            map.visible(x + dx, y + dy, own(dx, dy))
        };
        self.disc.iter().map(visible).sum::<f32>() / self.disc.len() as f32
    }
}
