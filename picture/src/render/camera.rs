//! Where the picture is taken from.

use drystone_base::{Vec3, functions};

use super::primitive::Rays;

/// An eye in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Position of the eye \[m\].
    pub eye: Vec3,
    /// Point in the middle of the picture \[m\].
    pub target: Vec3,
    /// Direction that points up in the picture; any length.
    pub up: Vec3,
    /// Angle between the top and the bottom of the picture, 1 to 150 \[degrees\].
    pub vertical_field_degrees: f64,
}

impl Camera {
    /// Direction from a scene to an eye in front, to the right and slightly above it.
    pub const THREE_QUARTER: Vec3 = Vec3::new(0.55, 0.38, 1.0);

    /// Share of the picture, in each direction, that is left free about what is framed.
    const MARGIN: f64 = 0.10;

    /// The camera that looks from `direction` (from the scene to the eye, any length) and
    /// just holds the box from `low` to `high` \[m\] in a picture of width over height `aspect`.
    pub fn framing(low: Vec3, high: Vec3, direction: Vec3, aspect: f64) -> Self {
        let (low, high) = Self::sound_bounds(low, high);
        let aspect = if aspect.is_finite() {
            aspect.clamp(0.05, 20.0)
        } else {
            1.0
        };
        let direction = direction
            .try_normalize()
            .unwrap_or_else(|| Self::THREE_QUARTER.normalize());
        let mut camera = Self {
            eye: Vec3::ZERO,
            target: -direction,
            up: Vec3::Y,
            vertical_field_degrees: 32.0,
        };
        let (right, up, forward) = camera.axes();
        let tan_y = camera.half_field_tangent() * (1.0 - Self::MARGIN);
        let tan_x = tan_y * aspect;

        // The eye e sees a corner c between left and right edge if |(c - e)·r| <= tan (c - e)·f:
        // two bounds on e·r that are linear in e·f, for each direction of the picture.
        let mut edges = [
            [f64::NEG_INFINITY, f64::INFINITY],
            [f64::NEG_INFINITY, f64::INFINITY],
        ];
        let corners: [Vec3; 8] = std::array::from_fn(|i| {
            Vec3::new(
                if i & 1 == 0 { low.x } else { high.x },
                if i & 2 == 0 { low.y } else { high.y },
                if i & 4 == 0 { low.z } else { high.z },
            )
        });
        for corner in corners {
            let depth = corner.dot(forward);
            for (edge, axis, tan) in [(0, right, tan_x), (1, up, tan_y)] {
                let side = corner.dot(axis);
                edges[edge][0] = edges[edge][0].max(side - tan * depth);
                edges[edge][1] = edges[edge][1].min(side + tan * depth);
            }
        }
        let [[x0, x1], [y0, y1]] = edges;
        let depth = ((x1 - x0) / (2.0 * tan_x)).min((y1 - y0) / (2.0 * tan_y));
        camera.eye = right * (0.5 * (x0 + x1)) + up * (0.5 * (y0 + y1)) + forward * depth;
        let middle = 0.5 * (low + high);
        // where there is room to spare, as much on either side: halve until the slopes to the
        // outermost corners are opposite
        for axis in [right, up] {
            let seen = corners.map(|c| {
                let way = c - camera.eye;
                (way.dot(axis), way.dot(forward).max(f64::MIN_POSITIVE))
            });
            let outermost = |shift: f64| {
                let slopes = seen.map(|(side, depth)| (side - shift) / depth);
                let least = slopes.into_iter().fold(f64::INFINITY, f64::min);
                let most = slopes.into_iter().fold(f64::NEG_INFINITY, f64::max);
                (least, most)
            };
            let (mut from, mut to) = seen
                .iter()
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), (side, _)| {
                    (a.min(*side), b.max(*side))
                });
            for _ in 0..50 {
                let shift = 0.5 * (from + to);
                let (least, most) = outermost(shift);
                if least + most > 0.0 {
                    from = shift;
                } else {
                    to = shift;
                }
            }
            camera.eye += axis * (0.5 * (from + to));
        }
        camera.target = camera.eye + forward * (middle - camera.eye).dot(forward);
        camera
    }

    /// Bounds that are finite, in order and not empty.
    fn sound_bounds(low: Vec3, high: Vec3) -> (Vec3, Vec3) {
        let far = 1e12;
        if !(low.is_finite() && high.is_finite()) || low.abs().max(high.abs()).max_element() > far {
            return (Vec3::splat(-0.5), Vec3::splat(0.5));
        }
        let (low, high) = (low.min(high), low.max(high));
        let size = (high - low).max_element();
        // a point is framed as a box of one metre
        let least = if size > 0.0 { 0.02 * size } else { 1.0 };
        let widen = (Vec3::splat(least) - (high - low)).max(Vec3::ZERO) * 0.5;
        (low - widen, high + widen)
    }

    /// Right, up and forward of the picture: unit vectors, whatever the fields hold.
    fn axes(&self) -> (Vec3, Vec3, Vec3) {
        let forward = (self.target - self.eye).try_normalize().unwrap_or(-Vec3::Z);
        let right = [self.up, Vec3::Y, Vec3::Z]
            .into_iter()
            .find_map(|up| {
                let up = up.try_normalize()?;
                let right = forward.cross(up);
                (right.length() > 1e-6).then(|| right.normalize())
            })
            .unwrap_or(Vec3::X);
        (right, right.cross(forward), forward)
    }

    /// Tangent of half the vertical field \[1\].
    fn half_field_tangent(&self) -> f64 {
        let degrees = if self.vertical_field_degrees.is_finite() {
            self.vertical_field_degrees.clamp(1.0, 150.0)
        } else {
            40.0
        };
        functions::tan(degrees.to_radians() * 0.5)
    }

    /// Where `point` \[m\] is in a picture of `width` x `height`: column and row in pixels
    /// from the top left corner, and depth in front of the eye \[m\]. None behind the eye.
    pub fn project(&self, point: Vec3, width: u32, height: u32) -> Option<(f64, f64, f64)> {
        self.view(width, height).project(point)
    }

    /// The camera made ready for a picture of `width` x `height` pixels.
    pub(super) fn view(&self, width: u32, height: u32) -> View {
        let (right, up, forward) = self.axes();
        let (width, height) = (f64::from(width.max(1)), f64::from(height.max(1)));
        let tangent = self.half_field_tangent();
        let eye = if self.eye.is_finite() {
            self.eye
        } else {
            Vec3::ZERO
        };
        let distance = (self.target - eye).length();
        View {
            eye,
            right,
            up,
            forward,
            pixel: 2.0 * tangent / height,
            width,
            height,
            distance: if distance.is_finite() && distance > 0.0 {
                distance
            } else {
                1.0
            },
        }
    }
}

/// A camera with its axes and its size in pixels worked out.
pub(super) struct View {
    /// Position of the eye \[m\].
    pub(super) eye: Vec3,
    pub(super) right: Vec3,
    pub(super) up: Vec3,
    pub(super) forward: Vec3,
    /// Size of a pixel at depth one \[1\].
    pub(super) pixel: f64,
    /// Size in pixels.
    pub(super) width: f64,
    /// Size in pixels.
    pub(super) height: f64,
    /// Distance from the eye to the target: the scale of the scene \[m\].
    pub(super) distance: f64,
}

impl View {
    /// Rays through the picture: `at(column, row)`; their parameter is the depth \[m\].
    pub(super) fn rays(&self) -> Rays {
        let corner = self.forward - self.right * (0.5 * self.width * self.pixel)
            + self.up * (0.5 * self.height * self.pixel);
        Rays {
            origin: [self.eye, Vec3::ZERO, Vec3::ZERO],
            direction: [corner, self.right * self.pixel, -self.up * self.pixel],
        }
    }

    /// Column, row in pixels and depth \[m\] of a point in front of the eye.
    pub(super) fn project(&self, point: Vec3) -> Option<(f64, f64, f64)> {
        let from_eye = point - self.eye;
        let depth = from_eye.dot(self.forward);
        if depth.is_nan() || depth <= 1e-9 * self.distance {
            return None;
        }
        let scale = 1.0 / (depth * self.pixel);
        let column = 0.5 * self.width + from_eye.dot(self.right) * scale;
        let row = 0.5 * self.height - from_eye.dot(self.up) * scale;
        Some((column, row, depth))
    }
}
