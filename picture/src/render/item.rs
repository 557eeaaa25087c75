//! What is to be drawn.

use std::sync::Arc;

use drystone_base::{Pose, Vec3};

/// The outside of a body, in its own frame.
#[derive(Clone, Debug)]
pub enum Surface {
    /// A ball about the origin.
    Sphere {
        /// \[m\]
        radius: f64,
    },
    /// A box about the origin, along the axes.
    Box {
        /// Half of each edge \[m\].
        half: Vec3,
    },
    /// All points within `radius` of a segment along y, centred on the origin.
    Capsule {
        /// Half of the segment, without the caps \[m\].
        half_length: f64,
        /// \[m\]
        radius: f64,
    },
    /// The endless plane y = 0 with soft grid lines; fades into the haze.
    Ground,
    /// A mesh; both sides of a triangle are drawn.
    Triangles(Arc<Triangles>),
    /// A strand: hair, rope or twig.
    Curve(Arc<Curve>),
}

/// A tapered round strand through points. Pieces at a point that is not finite, or whose radius
/// is not positive, are left out.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    /// Points from root to tip \[m\].
    pub points: Vec<Vec3>,
    /// Radius at each point \[m\].
    pub radii: Vec<f64>,
}

/// A triangle mesh.
#[derive(Clone, Debug, Default)]
pub struct Triangles {
    /// Corners \[m\].
    pub vertices: Vec<Vec3>,
    /// A normal for each vertex, any length: smooth shading. Empty: flat shading.
    pub normals: Vec<Vec3>,
    /// Three vertices each; a triangle with an index out of range is left out.
    pub triangles: Vec<[u32; 3]>,
}

impl Triangles {
    /// The same mesh with smooth normals: at each vertex the sum of its triangles'
    /// normals, weighted by area. Shared vertices make smooth surfaces, split ones creases.
    #[must_use]
    pub fn smooth(mut self) -> Self {
        self.normals = vec![Vec3::ZERO; self.vertices.len()];
        for t in &self.triangles {
            let [Some(a), Some(b), Some(c)] = t.map(|i| self.vertices.get(i as usize).copied())
            else {
                continue;
            };
            let normal = (b - a).cross(c - a);
            for &i in t {
                self.normals[i as usize] += normal;
            }
        }
        self
    }
}

/// A body as the picture sees it.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its surface.
    pub surface: Surface,
    /// Its pose.
    pub pose: Pose,
    /// Colour under white light, linear RGB in \[0, 1\]; see [`super::srgb`].
    pub colour: [f32; 3],
}

impl Item {
    /// Smallest and largest corner of the world-aligned box about it \[m\]; none for the
    /// ground, and for what is not finite or has no size.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        let axes = self.pose.matrix();
        let reach = match &self.surface {
            Surface::Ground => return None,
            Surface::Sphere { radius } => Vec3::splat(*radius),
            Surface::Box { half } => {
                axes.x_axis.abs() * half.x + axes.y_axis.abs() * half.y + axes.z_axis.abs() * half.z
            }
            Surface::Capsule {
                half_length,
                radius,
            } => axes.y_axis.abs() * *half_length + Vec3::splat(*radius),
            Surface::Triangles(mesh) => {
                let mut corners = mesh.vertices.iter().map(|&v| self.pose.point(v));
                let first = corners.next()?;
                let (low, high) = corners.fold((first, first), |(l, h), v| (l.min(v), h.max(v)));
                return (low.is_finite() && high.is_finite()).then_some((low, high));
            }
            Surface::Curve(curve) => {
                let finite = |(p, r): &(&Vec3, &f64)| p.is_finite() && r.is_finite();
                let boxes = curve.points.iter().zip(&curve.radii).filter(finite);
                return boxes
                    .map(|(&p, &r)| (self.pose.point(p), Vec3::splat(r)))
                    .map(|(p, r)| (p - r, p + r))
                    .reduce(|(low, high), (l, h)| (low.min(l), high.max(h)));
            }
        };
        let (low, high) = (self.pose.position - reach, self.pose.position + reach);
        (low.is_finite() && high.is_finite() && reach.min_element() > 0.0).then_some((low, high))
    }
}

/// Smallest and largest corner of the world-aligned box about all `items` that have one \[m\].
pub fn bounds<'a>(items: impl IntoIterator<Item = &'a Item>) -> Option<(Vec3, Vec3)> {
    items
        .into_iter()
        .filter_map(Item::bounds)
        .reduce(|(low, high), (l, h)| (low.min(l), high.max(h)))
}
