//! Items made ready for drawing: solids that a ray can be tested against.
//!
//! Everything is drawn by testing rays inside the rectangle that a solid covers, from the
//! eye and from the lights alike. Clipping against the eye's plane, the usual source of
//! special cases, does not arise: what straddles it is tested in the whole picture.

use drystone_base::{Mat3, Vec3};

use super::camera::View;
use super::item::{Item, Surface};
use super::strand::Segment;

/// A bundle of rays over a plane: at (x, y) origin and direction are
/// `v[0] + x v[1] + y v[2]`. Perspective: one origin; light: one direction.
#[derive(Clone, Copy)]
pub(super) struct Rays {
    pub(super) origin: [Vec3; 3],
    pub(super) direction: [Vec3; 3],
}

impl Rays {
    /// Origin and direction of the ray at (x, y).
    #[inline]
    pub(super) fn at(&self, x: f64, y: f64) -> (Vec3, Vec3) {
        (
            self.origin[0] + self.origin[1] * x + self.origin[2] * y,
            self.direction[0] + self.direction[1] * x + self.direction[2] * y,
        )
    }

    /// The rays in the frame with these `axes` (columns) about `centre`.
    fn local(&self, axes: &Mat3, centre: Vec3) -> Self {
        let turn = axes.transpose();
        let [o, ox, oy] = self.origin;
        Self {
            origin: [turn * (o - centre), turn * ox, turn * oy],
            direction: self.direction.map(|d| turn * d),
        }
    }
}

/// A solid in the world.
pub(super) enum Solid {
    Ball {
        centre: Vec3,
        radius: f64,
    },
    Brick {
        centre: Vec3,
        axes: Mat3,
        half: Vec3,
    },
    Capsule {
        centre: Vec3,
        axes: Mat3,
        half_length: f64,
        radius: f64,
    },
    Plane {
        centre: Vec3,
        axes: Mat3,
    },
    Triangle {
        corner: Vec3,
        edges: [Vec3; 2],
        /// Normals at `corner` and at the end of each edge; all equal if the mesh is shaded flat.
        normals: [Vec3; 3],
    },
    Segment(Segment),
}

/// A solid, with the item that it belongs to.
pub(super) struct Primitive {
    pub(super) solid: Solid,
    /// Index of its item.
    pub(super) item: u32,
    /// Whether it is larger than what the camera looks at: the floor, a backdrop.
    pub(super) huge: bool,
    /// Whether it is part of what the camera looks at, which shadow maps cover.
    pub(super) in_focus: bool,
}

/// A range of columns and rows of pixels, ends excluded.
#[derive(Clone, Copy)]
pub(super) struct Rectangle {
    pub(super) x0: u32,
    pub(super) y0: u32,
    pub(super) x1: u32,
    pub(super) y1: u32,
}

impl Rectangle {
    /// The intersection of both, if there is one.
    pub(super) fn common(self, other: Self) -> Option<Self> {
        let both = Self {
            x0: self.x0.max(other.x0),
            y0: self.y0.max(other.y0),
            x1: self.x1.min(other.x1),
            y1: self.y1.min(other.y1),
        };
        (both.x0 < both.x1 && both.y0 < both.y1).then_some(both)
    }

    /// The pixels touched by the box from `low` to `high`, inside `width` x `height`.
    pub(super) fn around(low: [f64; 2], high: [f64; 2], width: u32, height: u32) -> Option<Self> {
        let down = |v: f64, end: u32| (v.floor() - 1.0).clamp(0.0, f64::from(end)) as u32;
        let up = |v: f64, end: u32| (v.ceil() + 1.0).clamp(0.0, f64::from(end)) as u32;
        let rectangle = Self {
            x0: down(low[0], width),
            y0: down(low[1], height),
            x1: up(high[0], width),
            y1: up(high[1], height),
        };
        rectangle.common(rectangle)
    }
}

impl Solid {
    /// Points whose hull holds the solid, seen along `axes`; none if it is endless.
    pub(super) fn hull(&self, axes: &[Vec3; 3]) -> Option<([Vec3; 8], usize)> {
        let about = |centre: Vec3, reach: [Vec3; 3]| {
            let mut points = [centre; 8];
            for (i, point) in points.iter_mut().enumerate() {
                for (k, r) in reach.iter().enumerate() {
                    *point += if i >> k & 1 == 0 { *r } else { -*r };
                }
            }
            Some((points, 8))
        };
        match self {
            Self::Plane { .. } => None,
            Self::Ball { centre, radius } => about(*centre, axes.map(|a| a * *radius)),
            Self::Brick {
                centre,
                axes: own,
                half,
            } => about(
                *centre,
                [
                    own.x_axis * half.x,
                    own.y_axis * half.y,
                    own.z_axis * half.z,
                ],
            ),
            Self::Capsule {
                centre,
                axes: own,
                half_length,
                radius,
            } => {
                let reach = |a: Vec3| a * (own.y_axis.dot(a).abs() * half_length + radius);
                about(*centre, axes.map(reach))
            }
            Self::Triangle { corner, edges, .. } => {
                let mut points = [*corner; 8];
                points[1] += edges[0];
                points[2] += edges[1];
                Some((points, 3))
            }
            Self::Segment(segment) => Some((segment.hull(axes), 8)),
        }
    }

    /// Calls `found(k, x, y, depth, face)` for each ray that hits: those of the pixels (x, y)
    /// of `area`, at each of the `offsets[k]` inside them, or in their middle if the rays are
    /// parallel. Faces count 0..6 on a brick, else 0.
    pub(super) fn scan(
        &self,
        rays: &Rays,
        area: Rectangle,
        offsets: &[[f64; 2]],
        found: impl FnMut(usize, u32, u32, f64, u8),
    ) {
        match self {
            Self::Ball { centre, radius } => {
                let mut from_centre = *rays;
                from_centre.origin[0] -= *centre;
                let hit = |o, d| Some((hit_ball(o, d, *radius)?, 0));
                scan(&from_centre, area, offsets, hit, found);
            }
            Self::Brick { centre, axes, half } => {
                let hit = |o, d| hit_box(o, d, *half);
                scan(&rays.local(axes, *centre), area, offsets, hit, found);
            }
            Self::Capsule {
                centre,
                axes,
                half_length,
                radius,
            } => {
                let hit = |o, d| Some((hit_capsule(o, d, *half_length, *radius)?, 0));
                scan(&rays.local(axes, *centre), area, offsets, hit, found);
            }
            Self::Plane { centre, axes } => {
                let hit = |o: Vec3, d: Vec3| (o.y > 0.0 && d.y < 0.0).then(|| (-o.y / d.y, 0));
                scan(&rays.local(axes, *centre), area, offsets, hit, found);
            }
            Self::Triangle { corner, edges, .. } => {
                let mut from_corner = *rays;
                from_corner.origin[0] -= *corner;
                let hit = |o, d| Some((hit_triangle(o, d, edges[0], edges[1])?, 0));
                scan(&from_corner, area, offsets, hit, found);
            }
            Self::Segment(segment) => segment.scan(rays, area, offsets, found),
        }
    }
}

/// Tests all rays of an area and calls `found` for each hit.
#[inline(always)]
fn scan(
    rays: &Rays,
    area: Rectangle,
    offsets: &[[f64; 2]],
    hit: impl Fn(Vec3, Vec3) -> Option<(f64, u8)>,
    mut found: impl FnMut(usize, u32, u32, f64, u8),
) {
    // with one origin, or one direction, the compiler moves what depends on it out of the loops
    let [o, ox, oy] = rays.origin;
    let [d, dx, dy] = rays.direction;
    if ox == Vec3::ZERO && oy == Vec3::ZERO {
        for y in area.y0..area.y1 {
            for x in area.x0..area.x1 {
                let corner = d + dx * f64::from(x) + dy * f64::from(y);
                for (k, [u, v]) in offsets.iter().enumerate() {
                    if let Some((depth, face)) = hit(o, corner + dx * *u + dy * *v) {
                        found(k, x, y, depth, face);
                    }
                }
            }
        }
    } else {
        for y in area.y0..area.y1 {
            let row = o + oy * (f64::from(y) + 0.5) + ox * 0.5;
            for x in area.x0..area.x1 {
                if let Some((depth, face)) = hit(row + ox * f64::from(x), d) {
                    found(0, x, y, depth, face);
                }
            }
        }
    }
}

/// Distance at which a ray enters the ball of `radius` about the origin.
#[inline(always)]
fn hit_ball(o: Vec3, d: Vec3, radius: f64) -> Option<f64> {
    let (a, b) = (d.length_squared(), o.dot(d));
    // the distance of the line from the centre, without cancellation
    let foot = o - d * (b / a);
    let inside = radius * radius - foot.length_squared();
    if inside < 0.0 {
        return None;
    }
    let t = -b / a - (inside / a).sqrt();
    (t > 0.0).then_some(t)
}

/// Distance at which a ray enters the box of half edges `half`, and the face: the axis, plus 3 on the low side.
#[inline(always)]
fn hit_box(o: Vec3, d: Vec3, half: Vec3) -> Option<(f64, u8)> {
    let safe = |v: f64| 1.0 / if v == 0.0 { 1e-200 } else { v };
    let inverse = Vec3::new(safe(d.x), safe(d.y), safe(d.z));
    let middle = -o * inverse;
    let reach = half * inverse.abs();
    let (enter, leave) = (middle - reach, middle + reach);
    let near = enter.x.max(enter.y).max(enter.z);
    if near > leave.x.min(leave.y).min(leave.z) || near <= 0.0 {
        return None;
    }
    let (axis, side) = if near == enter.x {
        (0, d.x)
    } else if near == enter.y {
        (1, d.y)
    } else {
        (2, d.z)
    };
    Some((near, if side > 0.0 { axis + 3 } else { axis }))
}

/// Distance at which a ray enters the capsule along y.
#[inline(always)]
fn hit_capsule(o: Vec3, d: Vec3, half_length: f64, radius: f64) -> Option<f64> {
    let cap = |end: f64| hit_ball(o - Vec3::new(0.0, end, 0.0), d, radius);
    let a = d.x * d.x + d.z * d.z;
    if a <= 1e-24 * d.length_squared() {
        return cap(-half_length.copysign(d.y));
    }
    // the endless cylinder first; beyond its ends the cap on that side
    let b = o.x * d.x + o.z * d.z;
    let (fx, fz) = (o.x - d.x * b / a, o.z - d.z * b / a);
    let inside = radius * radius - fx * fx - fz * fz;
    if inside < 0.0 {
        return None;
    }
    let t = -b / a - (inside / a).sqrt();
    let y = o.y + t * d.y;
    if y.abs() > half_length {
        return cap(half_length.copysign(y));
    }
    (t > 0.0).then_some(t)
}

/// Distance at which a ray meets the triangle with one corner at the origin, from either side.
#[inline(always)]
fn hit_triangle(o: Vec3, d: Vec3, e0: Vec3, e1: Vec3) -> Option<f64> {
    let p = d.cross(e1);
    let inverse = 1.0 / e0.dot(p);
    let u = o.dot(p) * inverse;
    let q = o.cross(e0);
    let v = d.dot(q) * inverse;
    let t = e1.dot(q) * inverse;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t > 0.0).then_some(t)
}

/// The primitives of a picture, ready to be drawn.
pub(super) struct Prepared<'a> {
    pub(super) items: &'a [Item],
    pub(super) primitives: Vec<Primitive>,
}

impl<'a> Prepared<'a> {
    /// The solids of `items`; without those that are not finite or have no size.
    pub(super) fn new(items: &'a [Item], view: &View) -> Self {
        let mut primitives = Vec::with_capacity(items.len());
        for (i, item) in items.iter().enumerate() {
            add(&mut primitives, i as u32, item, view);
        }
        Self { items, primitives }
    }
}

fn add(primitives: &mut Vec<Primitive>, index: u32, item: &Item, view: &View) {
    // a plane has no bounds
    let (position, rotation) = (item.pose.position, item.pose.rotation);
    if !position.is_finite() || !rotation.is_finite() || rotation.length_squared() < 1e-12 {
        return;
    }
    let axes = Mat3::from_quat(rotation.normalize());
    let positive = |v: f64| v > 0.0 && v < 1e15;
    if matches!(item.surface, Surface::Ground) {
        primitives.push(Primitive {
            solid: Solid::Plane {
                centre: position,
                axes,
            },
            item: index,
            huge: true,
            in_focus: false,
        });
        return;
    }
    // what the shadow map is made for
    let Some((low, high)) = item.bounds() else {
        return;
    };
    let huge = 0.5 * (high - low).length() > view.distance;
    let middle = view.eye + view.forward * view.distance;
    let in_focus = !huge
        && (0.5 * (low + high) - middle).length() < 2.5 * view.distance
        && seen(low, high, view);
    let mut push = |solid| {
        primitives.push(Primitive {
            solid,
            item: index,
            huge,
            in_focus,
        });
    };
    // solids of the surface, in world space
    match &item.surface {
        Surface::Sphere { radius } if positive(*radius) => push(Solid::Ball {
            centre: position,
            radius: *radius,
        }),
        Surface::Box { half } if positive(half.min_element()) && positive(half.max_element()) => {
            push(Solid::Brick {
                centre: position,
                axes,
                half: *half,
            });
        }
        Surface::Capsule {
            half_length,
            radius,
        } if positive(*radius) && (0.0..1e15).contains(half_length) => push(Solid::Capsule {
            centre: position,
            axes,
            half_length: *half_length,
            radius: *radius,
        }),
        Surface::Triangles(mesh) => {
            let smooth = mesh.normals.len() == mesh.vertices.len();
            for triangle in &mesh.triangles {
                let indices = triangle.map(|k| k as usize);
                let [Some(a), Some(b), Some(c)] = indices.map(|k| mesh.vertices.get(k)) else {
                    continue;
                };
                let edges = [axes * (*b - *a), axes * (*c - *a)];
                let Some(flat) = edges[0].cross(edges[1]).try_normalize() else {
                    continue;
                };
                let normal = |k: usize| (axes * mesh.normals[k]).try_normalize().unwrap_or(flat);
                push(Solid::Triangle {
                    corner: position + axes * *a,
                    edges,
                    normals: if smooth {
                        indices.map(normal)
                    } else {
                        [flat; 3]
                    },
                });
            }
        }
        Surface::Curve(curve) => {
            for (points, radii) in curve.points.windows(2).zip(curve.radii.windows(2)) {
                let ends = [points[0], points[1]].map(|p| position + axes * p);
                let radii = [radii[0], radii[1]];
                if ends.iter().all(|e| e.is_finite()) && radii.iter().all(|&r| positive(r)) {
                    push(Solid::Segment(Segment {
                        ends,
                        radii,
                        number: index,
                    }));
                }
            }
        }
        _ => {}
    }
}

/// Whether some of the box may be in the picture.
fn seen(low: Vec3, high: Vec3, view: &View) -> bool {
    let (mut least, mut most) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for i in 0..8 {
        let pick = |k: usize| if i >> k & 1 == 0 { low[k] } else { high[k] };
        let Some((x, y, _)) = view.project(Vec3::new(pick(0), pick(1), pick(2))) else {
            continue;
        };
        least = [least[0].min(x), least[1].min(y)];
        most = [most[0].max(x), most[1].max(y)];
    }
    most[0] >= 0.0 && most[1] >= 0.0 && least[0] <= view.width && least[1] <= view.height
}
