//! The same questions asked of many bodies at once.

use drystone_base::{Pose, Vec3};

use super::{ClosestPoint, RayHit, closest_point, ray_cast};
use crate::{Aabb, Shape, broad::Tree};

/// A tree over the boxes of many bodies as they stand; built once, asked many times.
///
/// It holds boxes only; shapes and poses come from the caller by index, so that nothing has
/// to be copied. Where two answers are equally good the smaller index wins.
#[derive(Clone, Debug, Default)]
pub struct SceneQuery {
    tree: Tree,
    boxes: Vec<Aabb>,
}

impl SceneQuery {
    /// Over bodies with these boxes; a box that is not finite is left out.
    pub fn new(boxes: impl IntoIterator<Item = Aabb>) -> Self {
        let sound = |b: Aabb| if b.is_sound() { b } else { Aabb::EMPTY };
        let boxes: Vec<Aabb> = boxes.into_iter().map(sound).collect();
        let mut tree = Tree::default();
        tree.build(&boxes);
        Self { tree, boxes }
    }

    /// The first body hit by the ray from `origin` along `direction` (any length), at most
    /// `max` away \[m\]; `body` gives shape and pose of an index.
    pub fn ray_cast<'a>(
        &self,
        origin: Vec3,
        direction: Vec3,
        max: f64,
        body: impl Fn(u32) -> (&'a Shape, Pose),
    ) -> Option<(u32, RayHit)> {
        let direction = direction.try_normalize()?;
        if !origin.is_finite() || max.is_nan() {
            return None;
        }
        let inverse = direction.recip();
        let best: std::cell::Cell<Option<(u32, RayHit)>> = std::cell::Cell::new(None);
        let limit = || best.get().map_or(max, |(_, hit)| hit.distance);
        self.tree.walk(
            |bounds| entry(bounds, origin, inverse).filter(|&t| t <= limit()),
            |n| {
                if entry(&self.boxes[n as usize], origin, inverse).is_none_or(|t| t > limit()) {
                    return;
                }
                let (shape, pose) = body(n);
                let hit = ray_cast(shape, &pose, origin, direction, limit());
                if let Some(hit) = hit {
                    let better = best.get().is_none_or(|(other, old)| {
                        hit.distance < old.distance || (hit.distance == old.distance && n < other)
                    });
                    if better {
                        best.set(Some((n, hit)));
                    }
                }
            },
        );
        best.get()
    }

    /// The body nearest to `point` within `reach` \[m\]; inside several, the one in which it
    /// lies deepest.
    pub fn closest_point<'a>(
        &self,
        point: Vec3,
        reach: f64,
        body: impl Fn(u32) -> (&'a Shape, Pose),
    ) -> Option<(u32, ClosestPoint)> {
        if !point.is_finite() || reach.is_nan() {
            return None;
        }
        let best: std::cell::Cell<Option<(u32, ClosestPoint)>> = std::cell::Cell::new(None);
        let limit = || best.get().map_or(reach, |(_, near)| near.distance);
        let gap = |bounds: &Aabb| (point - point.clamp(bounds.low, bounds.high)).length();
        // a box around the point may hold a body in which it lies deeper
        let within = |gap: f64| gap <= limit().max(0.0);
        let sound = |bounds: &Aabb| bounds.low.x <= bounds.high.x;
        self.tree.walk(
            |bounds| {
                sound(bounds)
                    .then(|| gap(bounds))
                    .filter(|&gap| within(gap))
            },
            |n| {
                let bounds = &self.boxes[n as usize];
                if !sound(bounds) || !within(gap(bounds)) {
                    return;
                }
                let (shape, pose) = body(n);
                let near = closest_point(shape, &pose, point);
                let better = best.get().is_none_or(|(other, old)| {
                    near.distance < old.distance || (near.distance == old.distance && n < other)
                });
                if near.distance <= reach && better {
                    best.set(Some((n, near)));
                }
            },
        );
        best.get()
    }

    /// Bodies whose boxes overlap `bounds`, sorted.
    pub fn in_box(&self, bounds: &Aabb) -> Vec<u32> {
        let mut found = Vec::new();
        self.tree.walk(
            |node| node.overlaps(bounds).then_some(0.0),
            |n| {
                if self.boxes[n as usize].overlaps(bounds) {
                    found.push(n);
                }
            },
        );
        found.sort_unstable();
        found
    }
}

/// Distance at which a ray enters a box, if it does; `inverse` is one over its direction.
fn entry(bounds: &Aabb, origin: Vec3, inverse: Vec3) -> Option<f64> {
    let (mut enter, mut leave) = (0.0, f64::INFINITY);
    for axis in 0..3 {
        // along a face: within the slab or not
        if !inverse[axis].is_finite() {
            if origin[axis] < bounds.low[axis] || origin[axis] > bounds.high[axis] {
                return None;
            }
            continue;
        }
        let near = (bounds.low[axis] - origin[axis]) * inverse[axis];
        let far = (bounds.high[axis] - origin[axis]) * inverse[axis];
        enter = f64::max(enter, near.min(far));
        leave = f64::min(leave, near.max(far));
    }
    // rounding must not lose a touch
    (enter <= leave * (1.0 + 1e-12) + 1e-12).then_some(enter)
}
