//! The colour of what is seen.

use drystone_base::{Vec3, functions};

use super::Settings;
use super::camera::View;
use super::light::Lighting;
use super::primitive::{Prepared, Rays, Solid};

/// A surface in a pixel.
pub(super) struct Visible {
    /// Index of the primitive.
    pub(super) primitive: u32,
    /// Face of a brick, as `Solid::scan` counts them.
    pub(super) face: u8,
    /// Position in the picture, in pixels.
    pub(super) column: f64,
    /// Position in the picture, in pixels.
    pub(super) row: f64,
    /// \[m\]
    pub(super) depth: f64,
}

/// Inputs of shading.
pub(super) struct Shader<'a> {
    prepared: &'a Prepared<'a>,
    lighting: &'a Lighting,
    settings: &'a Settings,
    rays: Rays,
    distance: f64,
    pixel: f64,
    /// Distance between grid lines of the ground \[m\].
    grid: f64,
}

impl<'a> Shader<'a> {
    pub(super) fn new(
        prepared: &'a Prepared<'a>,
        lighting: &'a Lighting,
        view: &View,
        settings: &'a Settings,
    ) -> Self {
        // the largest of 1, 2, 5, 10, ... that is below a fifth of the distance
        let mut grid = 1e-9;
        'decades: loop {
            for step in [2.0, 2.5, 2.0] {
                if grid * step > 0.2 * view.distance || grid > 1e15 {
                    break 'decades;
                }
                grid *= step;
            }
        }
        Self {
            prepared,
            lighting,
            settings,
            rays: view.rays(),
            distance: view.distance,
            pixel: view.pixel,
            grid,
        }
    }

    /// The sky where nothing is in front of it, linear RGB as shown.
    pub(super) fn background(&self, column: f64, row: f64) -> [f32; 3] {
        let (_, d) = self.rays.at(column, row);
        let up = (d.y / d.length()) as f32;
        if up >= 0.0 {
            let share = 1.0 - power((1.0 - up).max(0.0), 3);
            mix(self.settings.horizon, self.settings.zenith, share)
        } else {
            // below the horizon of a world without ground: haze, a little darker
            let share = (-up * 2.0).min(1.0);
            mix(
                self.settings.horizon,
                self.settings.horizon.map(|v| 0.72 * v),
                share,
            )
        }
    }

    /// The colour of a surface, linear RGB as shown.
    pub(super) fn surface(&self, seen: &Visible) -> [f32; 3] {
        // where on which surface
        let primitive = &self.prepared.primitives[seen.primitive as usize];
        let item = &self.prepared.items[primitive.item as usize];
        let (origin, direction) = self.rays.at(seen.column, seen.row);
        let mut point = origin + direction * seen.depth;
        let toward_eye = -direction.normalize();

        // colour, gloss and normals by kind of solid
        let mut albedo = item.colour.map(|v| {
            if v.is_finite() {
                v.clamp(0.0, 1.0)
            } else {
                0.5
            }
        });
        let mut gloss = 0.05;
        let mut fibre = None;
        let (flat, normal) = match &primitive.solid {
            Solid::Ball { centre, .. } => {
                gloss = 0.16;
                let n = (point - *centre).normalize_or(toward_eye);
                (n, n)
            }
            Solid::Capsule {
                centre,
                axes,
                half_length,
                ..
            } => {
                gloss = 0.16;
                let along = axes.y_axis.dot(point - *centre);
                let foot = *centre + axes.y_axis * along.clamp(-half_length, *half_length);
                let n = (point - foot).normalize_or(toward_eye);
                (n, n)
            }
            Solid::Plane { centre, axes } => {
                let n = axes.y_axis;
                let line = self.grid_lines(seen, point - *centre, n, [axes.x_axis, axes.z_axis]);
                albedo = albedo.map(|v| v * (1.0 - 0.30 * line));
                gloss = 0.0;
                (n, n)
            }
            Solid::Brick { centre, axes, half } => {
                let axis = usize::from(seen.face % 3);
                let sign = if seen.face < 3 { 1.0 } else { -1.0 };
                let n = axes.col(axis) * sign;
                if primitive.huge {
                    let sides = [axes.col((axis + 1) % 3), axes.col((axis + 2) % 3)];
                    let line = self.grid_lines(seen, point - *centre, n, sides);
                    albedo = albedo.map(|v| v * (1.0 - 0.30 * line));
                    gloss = 0.0;
                    (n, n)
                } else {
                    let local = axes.transpose() * (point - *centre);
                    let footprint = self.pixel * seen.depth / n.dot(toward_eye).max(0.2);
                    let (bend, dark) = bevel(local, *half, axis, footprint);
                    albedo = albedo.map(|v| v * dark);
                    (n, (n + *axes * bend).normalize())
                }
            }
            Solid::Triangle {
                corner,
                edges,
                normals,
            } => {
                gloss = 0.10;
                let flat = edges[0].cross(edges[1]).normalize_or(toward_eye);
                let smooth = interpolate(point - *corner, edges, normals).normalize_or(flat);
                // both sides are drawn: turn the normals towards the eye
                let turn = if flat.dot(toward_eye) < 0.0 {
                    -1.0
                } else {
                    1.0
                };
                let agree = if smooth.dot(flat) < 0.0 { -turn } else { turn };
                (flat * turn, smooth * agree)
            }
            Solid::Segment(segment) => {
                let (along, n, place) = segment.frame(point, toward_eye, self.pixel * seen.depth);
                point = place;
                let radius = 0.5 * (segment.radii[0] + segment.radii[1]);
                fibre = Some((along, thinness(radius / (self.pixel * seen.depth))));
                gloss = 0.16;
                (n, n)
            }
        };

        // light from the sun, from the sky, and from the ground below
        let sun_direction = self.settings.light.direction;
        let mut facing = normal.dot(sun_direction).max(0.0) as f32;
        let mut glint = {
            let half_way = (sun_direction + toward_eye).normalize_or(normal);
            power(normal.dot(half_way).max(0.0) as f32, 5)
        };
        if let Some((along, thin)) = fibre {
            // what all sides of a hair that are seen at once receive and throw back
            let (diffuse, bright) = kajiya(along, sun_direction, toward_eye);
            facing += (diffuse - facing) * thin;
            glint += (bright - glint) * thin;
            gloss *= 1.0 + 2.0 * thin;
        }
        let sun = if facing > 0.0 {
            self.lighting.sun(point, normal, flat)
        } else {
            0.0
        };
        let spread = jitter(seen.column as u32, seen.row as u32);
        let (sky, open) = self
            .lighting
            .sky
            .light(point - self.lighting.middle, normal, spread);
        let from_below = (0.5 - 0.5 * normal.y) as f32 * (0.12 + 0.88 * open * open);
        // light that comes straight is a little weaker in corners, too: it draws them
        let corner = 0.78 + 0.22 * open;
        let glint = glint * gloss * sun * facing.sqrt();
        let mut light = [0.0; 3];
        for k in 0..3 {
            let sunlight = self.settings.light.colour[k];
            let below = [0.50, 0.44, 0.37][k];
            let falling = sunlight * sun * facing * corner
                + 0.80 * sky[k]
                + 0.55 * below * from_below
                + 0.015;
            light[k] = tone(self.settings.exposure * (albedo[k] * falling + sunlight * glint));
        }

        // haze
        let far = (seen.depth * direction.length() / self.distance - 1.2).max(0.0) / 5.0;
        let haze = 1.0 - functions::exp(-far * far) as f32;
        mix(light, self.settings.horizon, haze)
    }

    /// Share of a pixel's footprint on a plane that is covered by grid lines.
    fn grid_lines(&self, seen: &Visible, from_centre: Vec3, normal: Vec3, sides: [Vec3; 2]) -> f32 {
        let (_, d) = self.rays.at(seen.column, seen.row);
        let across = |step: Vec3| (step - d * (step.dot(normal) / d.dot(normal))) * seen.depth;
        let (dx, dy) = (
            across(self.rays.direction[1]),
            across(self.rays.direction[2]),
        );
        let line = |side: Vec3, spacing: f64, width: f64| {
            let footprint = dx.dot(side).abs() + dy.dot(side).abs();
            let place = from_centre.dot(side) / spacing;
            let away = (place - (place + 0.5).floor()).abs() * spacing;
            let soft = footprint.max(0.5 * width);
            let cover =
                ((0.5 * (width + soft) - away) / soft).clamp(0.0, 1.0) * (width / soft).min(1.0);
            // lines closer than the pixels: their mean
            let blur = (footprint / spacing * 2.0 - 0.5).clamp(0.0, 1.0);
            cover * (1.0 - blur) + blur * width / spacing
        };
        let lines = |spacing: f64, width: f64| {
            let (a, b) = (
                line(sides[0], spacing, width),
                line(sides[1], spacing, width),
            );
            a + b - a * b
        };
        let fine = 0.35 * lines(self.grid, 0.012 * self.grid);
        let coarse = lines(5.0 * self.grid, 0.018 * self.grid);
        fine.max(coarse) as f32
    }
}

/// Rounded, slightly darker edges: how far the normal leans on a brick's face, and what
/// the colour is multiplied by.
fn bevel(local: Vec3, half: Vec3, axis: usize, footprint: f64) -> (Vec3, f32) {
    let round = 0.10 * half.min_element();
    let (mut bend, mut dark) = (Vec3::ZERO, 1.0f64);
    for k in (0..3).filter(|&k| k != axis) {
        let away = (half[k] - local[k].abs()).max(0.0);
        let lean = (1.0 - away / round).clamp(0.0, 1.0);
        bend[k] = 0.8 * lean * lean * local[k].signum();
        // the joint: never thinner than a pixel can show, fainter where bricks are small
        let joint = round.max(1.1 * footprint);
        let shown = (2.0 * half[k] / (6.0 * footprint)).min(1.0) * (round / joint).sqrt();
        let near = (1.0 - away / joint).clamp(0.0, 1.0);
        dark *= 1.0 - 0.65 * shown * near * near;
    }
    (bend, dark as f32)
}

/// How much a strand of so many pixels of radius is shaded as a line instead of as a tube:
/// 1 below half a pixel, 0 from two pixels on.
fn thinness(pixels: f64) -> f32 {
    ((2.0 - pixels) / 1.5).clamp(0.0, 1.0) as f32
}

/// Light that a thin fibre throws back evenly, and as a highlight \[1\].
///
/// `diffuse = sin(t, l)`, `highlight = (sin(t, l) sin(t, e) - (t·l) (t·e))^p`   (Kajiya 1989, §4)
///
/// `t` along the fibre, `l` towards the light, `e` towards the eye.
/// Ours: half of a fibre is turned away from the light, so the even part is halved.
fn kajiya(t: Vec3, l: Vec3, e: Vec3) -> (f32, f32) {
    let (tl, te) = (t.dot(l), t.dot(e));
    let sine = |c: f64| (1.0 - c * c).max(0.0).sqrt();
    let highlight = sine(tl) * sine(te) - tl * te;
    (0.6 * sine(tl) as f32, power(highlight.max(0.0) as f32, 5))
}

/// The normals of a triangle's corners, mixed for a point of its plane.
fn interpolate(point: Vec3, edges: &[Vec3; 2], normals: &[Vec3; 3]) -> Vec3 {
    let (a, b, c) = (
        edges[0].length_squared(),
        edges[0].dot(edges[1]),
        edges[1].length_squared(),
    );
    let (p, q) = (point.dot(edges[0]), point.dot(edges[1]));
    let area = a * c - b * b;
    let u = ((c * p - b * q) / area).clamp(0.0, 1.0);
    let v = ((a * q - b * p) / area).clamp(0.0, 1.0 - u);
    normals[0] * (1.0 - u - v) + normals[1] * u + normals[2] * v
}

fn mix(a: [f32; 3], b: [f32; 3], share: f32) -> [f32; 3] {
    [0, 1, 2].map(|k| a[k] * (1.0 - share) + b[k] * share)
}

/// `x` to the power 2^`doublings`.
fn power(x: f32, doublings: u32) -> f32 {
    (0..doublings).fold(x, |v, _| v * v)
}

/// Any light to [0, 1): a soft foot in the shadows, a long shoulder in the lights.
fn tone(x: f32) -> f32 {
    let x = x.max(0.0);
    x * (2.2 * x + 0.45) / (2.2 * x * x + 0.70 * x + 0.50)
}

/// Two numbers in [0, 1) that are as different as can be among the 16 pixels of a 4 x 4 square.
fn jitter(x: u32, y: u32) -> [f32; 2] {
    let (a, b) = (x ^ y, y);
    // bits of a and b interleaved and reversed: the classic order of halftone dots
    let order = (a & 1) << 3 | (b & 1) << 2 | (a & 2) | (b & 2) >> 1;
    let value = order as f32 / 16.0;
    let other = (order * 7 + 3) % 16;
    [value, other as f32 / 16.0]
}

/// Converts linear RGB to sRGB bytes, by a table.
pub(super) struct Encoder {
    /// Displayed value of (i / last)^2: even steps of the root are almost even steps of perceived brightness.
    table: Vec<f32>,
}

impl Encoder {
    const LAST: u32 = 2048;

    pub(super) fn new() -> Self {
        let shown = |i: u32| {
            let v = f64::from(i * i) / f64::from(Self::LAST * Self::LAST);
            let encoded = if v <= 0.003_130_8 {
                12.92 * v
            } else {
                1.055 * functions::pow(v, 1.0 / 2.4) - 0.055
            };
            (255.0 * encoded) as f32
        };
        Self {
            table: (0..=Self::LAST).map(shown).collect(),
        }
    }

    /// The bytes of pixel (x, y). Rounding is spread over neighbours, so that the sky has
    /// no bands.
    pub(super) fn bytes(&self, colour: [f32; 3], x: u32, y: u32) -> [u8; 3] {
        let mut noise = x.wrapping_mul(0x9E37_79B1) ^ y.wrapping_mul(0x85EB_CA77);
        noise = (noise ^ (noise >> 15)).wrapping_mul(0x2C1B_3C6D);
        noise ^= noise >> 13;
        let spread = (noise & 0xFFFF) as f32 / 65536.0;
        colour.map(|v| {
            // NaN becomes 0
            let v = if v > 0.0 { v.min(1.0) } else { 0.0 };
            let place = v.sqrt() * Self::LAST as f32;
            let i = (place as usize).min(Self::LAST as usize - 1);
            let (low, high) = (self.table[i], self.table[i + 1]);
            let shown = low + (high - low) * (place - i as f32);
            (shown + spread).min(255.0) as u8
        })
    }
}
