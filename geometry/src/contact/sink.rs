//! Takes manifolds from the pair functions and writes them in the caller's order.

use drystone_base::Vec3;

use super::{ContactBuffer, ContactPoint, Manifold};

/// Spreads two numbers over one, so that different pairs hardly ever agree.
#[inline]
pub(crate) fn mix(seed: u32, value: u32) -> u32 {
    let x = (seed.rotate_left(5) ^ value).wrapping_mul(0x9E37_79B1);
    x ^ (x >> 15)
}

/// Receives the points that the pair functions find.
pub(crate) struct Sink<'a> {
    out: &'a mut ContactBuffer,
    /// Whether the caller's `a` is the pair function's `b`.
    flipped: bool,
    /// Parts of compounds that are being collided; mixed into the features.
    part: u32,
}

impl<'a> Sink<'a> {
    pub(crate) fn new(out: &'a mut ContactBuffer) -> Self {
        Self {
            out,
            flipped: false,
            part: 0,
        }
    }

    /// Exchanges the roles of `a` and `b`.
    pub(crate) fn flip(&mut self) {
        self.flipped = !self.flipped;
    }

    /// Looks at one part of a compound on each side from now on; returns what it was before.
    pub(crate) fn enter(&mut self, part: u32) -> u32 {
        let before = self.part;
        self.part = mix(before, part + 1);
        before
    }

    /// Returns to the part before [`Self::enter`].
    pub(crate) fn leave(&mut self, before: u32) {
        self.part = before;
    }

    /// Starts a manifold whose normal points from the pair function's `a` to its `b`.
    #[inline]
    pub(crate) fn manifold(&mut self, normal: Vec3) -> Writer<'_> {
        let first = self.out.points.len() as u32;
        Writer {
            normal,
            first,
            flipped: self.flipped,
            part: self.part,
            out: self.out,
        }
    }

    /// Numbers of points and manifolds so far.
    pub(crate) fn mark(&self) -> (usize, usize) {
        (self.out.points.len(), self.out.manifolds.len())
    }

    /// Smallest distance of the points written since `mark`; infinite if there are none \[m\].
    pub(crate) fn nearest_since(&self, mark: (usize, usize)) -> f64 {
        let points = self.out.points[mark.0..].iter();
        points.fold(f64::INFINITY, |least, p| least.min(p.distance))
    }

    /// Removes what was written since `mark`.
    pub(crate) fn forget(&mut self, mark: (usize, usize)) {
        self.out.points.truncate(mark.0);
        self.out.manifolds.truncate(mark.1);
    }

    /// A manifold of one point.
    #[inline]
    pub(crate) fn single(&mut self, normal: Vec3, on_a: Vec3, on_b: Vec3, feature: u32) {
        let mut writer = self.manifold(normal);
        writer.point(on_a, on_b, feature);
        writer.finish();
    }
}

/// One manifold being written.
pub(crate) struct Writer<'a> {
    out: &'a mut ContactBuffer,
    normal: Vec3,
    first: u32,
    flipped: bool,
    part: u32,
}

impl Writer<'_> {
    #[inline]
    pub(crate) fn point(&mut self, on_a: Vec3, on_b: Vec3, feature: u32) {
        let distance = self.normal.dot(on_b - on_a);
        let (on_a, on_b) = if self.flipped {
            (on_b, on_a)
        } else {
            (on_a, on_b)
        };
        self.out.points.push(ContactPoint {
            on_a,
            on_b,
            distance,
            feature: feature ^ self.part,
        });
    }

    /// Closes the manifold; one without points leaves no trace.
    #[inline]
    pub(crate) fn finish(self) {
        let count = self.out.points.len() as u32 - self.first;
        if count > 0 {
            self.out.manifolds.push(Manifold {
                normal: if self.flipped {
                    -self.normal
                } else {
                    self.normal
                },
                first: self.first,
                count,
            });
        }
    }
}
