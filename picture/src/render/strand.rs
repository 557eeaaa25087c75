//! Strands to pixels: each segment of a curve is drawn as a ribbon that faces whoever looks,
//! shaded as if it were round.
//!
//! A hair is thinner than a pixel. Drawn as it is, most samples would miss it and the rest
//! would be dots. So a ribbon is never narrower than a pixel needs, and what it is too wide
//! is taken back by leaving out samples: the same coverage without the dots.

use drystone_base::{Mat3, Vec3};

use super::primitive::{Rays, Rectangle};

/// Half the width of the thinnest ribbon, seen from the eye \[pixels\].
const THIN: f64 = 0.45;
/// Least half width of a ribbon in a shadow map \[texels\].
const THIN_SHADOW: f64 = 0.55;
/// Least share of samples that a thin ribbon keeps, so that the finest hair is still seen \[1\].
const FAINTEST: f64 = 0.7;

/// A piece of a strand: round, straight, tapered.
pub(super) struct Segment {
    /// \[m\]
    pub(super) ends: [Vec3; 2],
    /// Radii at the ends \[m\].
    pub(super) radii: [f64; 2],
    /// Number of the strand; strands that are thinner than a sample leave out different samples.
    pub(super) number: u32,
}

/// A segment as a bundle of rays sees it.
struct Ribbon {
    start: [f64; 2],
    along: [f64; 2],
    /// 1 / length² of `along`; 0 if it is seen end on.
    inverse_square: f64,
    /// Half the width at the ends as drawn, and as it is \[pixels\].
    drawn: [f64; 2],
    real: [f64; 2],
    /// Depth at the ends for parallel rays, 1 / depth in perspective.
    depth: [f64; 2],
    perspective: bool,
}

impl Segment {
    /// The corners of the box about it along `axes`.
    pub(super) fn hull(&self, axes: &[Vec3; 3]) -> [Vec3; 8] {
        let spans = axes.map(|axis| {
            let [a, b] = self.ends.map(|end| end.dot(axis));
            let [r, s] = self.radii;
            [(a - r).min(b - s), (a + r).max(b + s)]
        });
        std::array::from_fn(|i| {
            let pick = |k: usize| axes[k] * spans[k][i >> k & 1];
            pick(0) + pick(1) + pick(2)
        })
    }

    fn ribbon(&self, rays: &Rays) -> Option<Ribbon> {
        let perspective = rays.origin[1] == Vec3::ZERO && rays.origin[2] == Vec3::ZERO;
        let [across, down] = match perspective {
            true => [rays.direction[1], rays.direction[2]],
            false => [rays.origin[1], rays.origin[2]],
        };
        let pixel = across.length();
        let frame = Mat3::from_cols(rays.direction[0], across, down).inverse();
        let [a, b] = self.ends.map(|end| frame * (end - rays.origin[0]));
        let (places, depth, scale) = if perspective {
            // a piece that reaches behind the eye is left out
            if !(a.x > 0.0 && b.x > 0.0) {
                return None;
            }
            let inverse = [1.0 / a.x, 1.0 / b.x];
            let places = [[a.y / a.x, a.z / a.x], [b.y / b.x, b.z / b.x]];
            (places, inverse, inverse.map(|i| i / pixel))
        } else {
            ([[a.y, a.z], [b.y, b.z]], [a.x, b.x], [1.0 / pixel; 2])
        };
        let thin = if perspective { THIN } else { THIN_SHADOW };
        let real = [self.radii[0] * scale[0], self.radii[1] * scale[1]];
        let along = [places[1][0] - places[0][0], places[1][1] - places[0][1]];
        let square = along[0] * along[0] + along[1] * along[1];
        square.is_finite().then(|| Ribbon {
            start: places[0],
            along,
            inverse_square: if square > 1e-12 { 1.0 / square } else { 0.0 },
            drawn: real.map(|w| w.max(thin)),
            real,
            depth,
            perspective,
        })
    }

    /// As `Solid::scan`; walks along the ribbon row by row, so that the cost is that of the
    /// pixels it covers.
    pub(super) fn scan(
        &self,
        rays: &Rays,
        area: Rectangle,
        offsets: &[[f64; 2]],
        mut found: impl FnMut(usize, u32, u32, f64, u8),
    ) {
        let Some(ribbon) = self.ribbon(rays) else {
            return;
        };
        let widest = ribbon.drawn[0].max(ribbon.drawn[1]);
        let end = ribbon.start[1] + ribbon.along[1];
        let first = (ribbon.start[1].min(end) - widest).floor();
        let last = (ribbon.start[1].max(end) + widest).ceil();
        let clip = |v: f64| v.clamp(f64::from(area.y0), f64::from(area.y1)) as u32;
        for y in clip(first)..clip(last) {
            let (from, to) = ribbon.columns(f64::from(y), widest);
            let clip = |v: f64| v.clamp(f64::from(area.x0), f64::from(area.x1)) as u32;
            for x in clip(from.floor())..clip(to.ceil()) {
                if !ribbon.perspective {
                    let noise = scramble(x, y, self.number);
                    let hit = ribbon.hit(f64::from(x) + 0.5, f64::from(y) + 0.5, &self.radii);
                    if let Some((depth, cover)) = hit
                        && cover * 65536.0 > f64::from(noise & 0xFFFF)
                    {
                        found(0, x, y, depth, 0);
                    }
                    continue;
                }
                let count = offsets.len();
                let shift = self.number as usize % count.max(1);
                for (k, [u, v]) in offsets.iter().enumerate() {
                    let hit = ribbon.hit(f64::from(x) + u, f64::from(y) + v, &self.radii);
                    let Some((depth, cover)) = hit else {
                        continue;
                    };
                    // 11 has no divisor in common with any square up to 8 x 8
                    let turn = (11 * k + shift) % count;
                    if turn as f64 + 0.5 < cover.max(FAINTEST) * count as f64 {
                        found(k, x, y, depth, 0);
                    }
                }
            }
        }
    }

    /// Along the segment, out of it where `point` is seen, and the place on its surface there: a
    /// ribbon is only about as deep as the tube. `pixel` is the size of a pixel there \[m\].
    pub(super) fn frame(&self, point: Vec3, toward_eye: Vec3, pixel: f64) -> (Vec3, Vec3, Vec3) {
        let [a, b] = self.ends;
        let along = (b - a).normalize_or(Vec3::Y);
        let flat = (toward_eye - along * along.dot(toward_eye)).normalize_or(toward_eye);
        let side = along.cross(flat);
        let length = (b - a).length();
        let share = ((point - a).dot(along) / length.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        let radius = self.radii[0] + (self.radii[1] - self.radii[0]) * share;
        let off = ((point - a).dot(side) / radius.max(THIN * pixel)).clamp(-1.0, 1.0);
        let normal = (side * off + flat * (1.0 - off * off).sqrt()).normalize_or(flat);
        (along, normal, a + (b - a) * share + normal * radius)
    }
}

impl Ribbon {
    /// Depth at (x, y) and the share of samples that the ribbon covers there; `None` beside it.
    #[inline(always)]
    fn hit(&self, x: f64, y: f64, radii: &[f64; 2]) -> Option<(f64, f64)> {
        let (dx, dy) = (x - self.start[0], y - self.start[1]);
        let share = (dx * self.along[0] + dy * self.along[1]) * self.inverse_square;
        let share = share.clamp(0.0, 1.0);
        let (ex, ey) = (dx - share * self.along[0], dy - share * self.along[1]);
        let lerp = |v: &[f64; 2]| v[0] + (v[1] - v[0]) * share;
        let width = lerp(&self.drawn);
        let off = (ex * ex + ey * ey) / (width * width);
        if off > 1.0 {
            return None;
        }
        let depth = lerp(&self.depth);
        let depth = if self.perspective { 1.0 / depth } else { depth };
        let bulge = lerp(radii) * (1.0 - off).sqrt();
        Some((depth - bulge, lerp(&self.real) / width)).filter(|(depth, _)| *depth > 0.0)
    }

    /// First and last column that the ribbon may touch in the row from `y` to `y + 1`.
    fn columns(&self, y: f64, widest: f64) -> (f64, f64) {
        let rise = self.along[1];
        let (mut from, mut to) = (0.0, 1.0);
        if rise.abs() > 1e-9 {
            let place = |y: f64| ((y - self.start[1]) / rise).clamp(0.0, 1.0);
            let (a, b) = (place(y - widest), place(y + 1.0 + widest));
            (from, to) = (a.min(b), a.max(b));
        }
        let column = |share: f64| self.start[0] + share * self.along[0];
        let (a, b) = (column(from), column(to));
        (a.min(b) - widest, a.max(b) + widest)
    }
}

/// Bits that differ from pixel to pixel and from strand to strand.
#[inline]
fn scramble(x: u32, y: u32, number: u32) -> u32 {
    let mut bits = x.wrapping_mul(0x9E37_79B1)
        ^ y.wrapping_mul(0x85EB_CA77)
        ^ number.wrapping_mul(0xC2B2_AE3D);
    bits = (bits ^ (bits >> 15)).wrapping_mul(0x2C1B_3C6D);
    bits = (bits ^ (bits >> 12)).wrapping_mul(0x297A_2D39);
    bits ^ (bits >> 15)
}
