//! One view of boxes and hulls: corners, faces, edges.

use drystone_base::Vec3;
use parry3d_f64::shape::SupportMap;

use crate::{Hull, hull::closest_on_triangle};

/// A solid with flat faces, in its own frame.
#[derive(Clone, Copy)]
pub(crate) enum Convex<'a> {
    Box(Vec3),
    Hull(&'a Hull),
}

impl Convex<'_> {
    /// Half of its smallest extent: the measure of tolerances.
    pub(crate) fn size(&self) -> f64 {
        match self {
            Self::Box(half) => half.min_element(),
            Self::Hull(hull) => 0.5 * hull.bounds().extent().min_element(),
        }
    }

    /// A ball that holds it: centre and radius.
    pub(crate) fn ball(&self) -> (Vec3, f64) {
        match self {
            Self::Box(half) => (Vec3::ZERO, half.length()),
            Self::Hull(hull) => (
                hull.bounds().centre(),
                0.5 * hull.bounds().extent().length(),
            ),
        }
    }

    pub(crate) fn support(&self, direction: Vec3) -> Vec3 {
        match self {
            Self::Box(half) => {
                let side = |d: f64, h: f64| if d < 0.0 { -h } else { h };
                Vec3::new(
                    side(direction.x, half.x),
                    side(direction.y, half.y),
                    side(direction.z, half.z),
                )
            }
            Self::Hull(hull) => hull.support(direction),
        }
    }

    pub(crate) fn face_count(&self) -> usize {
        match self {
            Self::Box(_) => 6,
            Self::Hull(hull) => hull.faces().len(),
        }
    }

    /// Outward normal and offset of the plane.
    pub(crate) fn plane(&self, face: usize) -> (Vec3, f64) {
        match self {
            Self::Box(half) => {
                let mut normal = Vec3::ZERO;
                normal[face / 2] = side_of(face);
                (normal, half[face / 2])
            }
            Self::Hull(hull) => (hull.faces()[face].normal, hull.faces()[face].offset),
        }
    }

    /// \[m²\]
    pub(crate) fn face_area(&self, face: usize) -> f64 {
        match self {
            Self::Box(half) => 4.0 * half[(face / 2 + 1) % 3] * half[(face / 2 + 2) % 3],
            Self::Hull(hull) => hull.faces()[face].area,
        }
    }

    /// Corners of a face, counter-clockwise from outside.
    pub(crate) fn ring(&self, face: usize, out: &mut Ring) {
        out.count = 0;
        match self {
            Self::Box(half) => {
                let (axis, side) = (face / 2, side_of(face));
                let (k1, k2) = ((axis + 1) % 3, (axis + 2) % 3);
                for (s, t) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                    let mut corner = Vec3::ZERO;
                    corner[axis] = side * half[axis];
                    // the other side turns round
                    corner[k1] = side * s * half[k1];
                    corner[k2] = t * half[k2];
                    out.push(corner);
                }
            }
            Self::Hull(hull) => {
                let ring = hull.ring(&hull.faces()[face]);
                // a ring too long for the buffer is thinned out evenly
                let stride = ring.len().div_ceil(MAX_RING);
                for &corner in ring.iter().step_by(stride) {
                    out.push(hull.points()[corner as usize]);
                }
            }
        }
    }

    /// The face whose normal is most along `direction`, and how much.
    pub(crate) fn face_toward(&self, direction: Vec3) -> (usize, f64) {
        let mut best = (0, f64::NEG_INFINITY);
        for face in 0..self.face_count() {
            let along = self.plane(face).0.dot(direction);
            if along > best.1 + 1e-9 {
                best = (face, along);
            }
        }
        best
    }

    /// Where no corner of `face` lies farthest along `direction` (within `tolerance`): of the faces that have
    /// such a corner the one that looks most that way. Of a box, `face` has it.
    pub(crate) fn face_below(&self, face: usize, direction: Vec3, tolerance: f64) -> Option<usize> {
        let Self::Hull(hull) = self else {
            return None;
        };
        let top = direction.dot(hull.support(direction)) - tolerance;
        let holds = |face: usize| {
            let mut corners = hull.ring(&hull.faces()[face]).iter();
            corners.any(|&i| direction.dot(hull.points()[i as usize]) >= top)
        };
        if holds(face) {
            return None;
        }
        let mut best = (None, f64::NEG_INFINITY);
        for other in (0..hull.faces().len()).filter(|&other| holds(other)) {
            let along = hull.faces()[other].normal.dot(direction);
            if along > best.1 + 1e-9 {
                best = (Some(other), along);
            }
        }
        best.0
    }

    /// Corners of a hull; a box, whose opposite faces are parallel, needs only those of its faces.
    pub(crate) fn corners(&self) -> &[Vec3] {
        match self {
            Self::Box(_) => &[],
            Self::Hull(hull) => hull.points(),
        }
    }

    pub(crate) fn edge_count(&self) -> usize {
        match self {
            Self::Box(_) => 12,
            Self::Hull(hull) => hull.edges().len(),
        }
    }

    /// Both ends of an edge.
    pub(crate) fn edge(&self, edge: usize) -> [Vec3; 2] {
        match self {
            Self::Box(half) => {
                let (axis, k1, k2) = box_edge(edge);
                let mut low = Vec3::ZERO;
                low[axis] = -half[axis];
                low[k1] = side_of(edge) * half[k1];
                low[k2] = side_of(edge >> 1) * half[k2];
                let mut high = low;
                high[axis] = half[axis];
                [low, high]
            }
            Self::Hull(hull) => hull.edges()[edge].ends.map(|i| hull.points()[i as usize]),
        }
    }

    /// Normals of the two faces that meet in an edge.
    pub(crate) fn edge_normals(&self, edge: usize) -> [Vec3; 2] {
        match self {
            Self::Box(_) => {
                let (_, k1, k2) = box_edge(edge);
                let (mut n1, mut n2) = (Vec3::ZERO, Vec3::ZERO);
                n1[k1] = side_of(edge);
                n2[k2] = side_of(edge >> 1);
                [n1, n2]
            }
            Self::Hull(hull) => hull.edges()[edge].normals,
        }
    }

    /// The point of the surface nearest to `p`, the outward normal there, and the signed distance.
    pub(crate) fn closest(&self, p: Vec3) -> (Vec3, Vec3, f64) {
        match self {
            Self::Box(half) => super::closest_on_box(*half, p),
            Self::Hull(hull) => closest_on_hull(hull, p),
        }
    }
}

impl SupportMap for Convex<'_> {
    fn local_support_point(&self, direction: Vec3) -> Vec3 {
        self.support(direction)
    }
}

/// Sign of the side that the number of a face or edge stands for.
fn side_of(n: usize) -> f64 {
    if n & 1 == 0 { -1.0 } else { 1.0 }
}

fn box_edge(edge: usize) -> (usize, usize, usize) {
    let axis = edge / 4;
    (axis, (axis + 1) % 3, (axis + 2) % 3)
}

fn closest_on_hull(hull: &Hull, p: Vec3) -> (Vec3, Vec3, f64) {
    let (mut face, mut height) = (0, f64::NEG_INFINITY);
    for (n, f) in hull.faces().iter().enumerate() {
        let h = f.normal.dot(p) - f.offset;
        if h > height {
            (face, height) = (n, h);
        }
    }
    let normal = hull.faces()[face].normal;
    // inside, the nearest plane is the nearest surface; so it is so close that no direction is left
    if height <= 1e-12 * hull.bounds().extent().max_element() {
        return (p - normal * height, normal, height);
    }
    let mut best = (p, f64::INFINITY);
    for t in hull.triangles() {
        let corners = t.map(|i| hull.points()[i as usize]);
        let near = closest_on_triangle(p, corners);
        let squared = (p - near).length_squared();
        if squared < best.1 {
            best = (near, squared);
        }
    }
    let distance = best.1.sqrt();
    (best.0, (p - best.0) / distance, distance)
}

/// Most corners of a face that are clipped.
pub(crate) const MAX_RING: usize = 32;

/// Corners of one face.
pub(crate) struct Ring {
    corners: [Vec3; MAX_RING],
    count: usize,
}

impl Ring {
    pub(crate) const EMPTY: Self = Self {
        corners: [Vec3::ZERO; MAX_RING],
        count: 0,
    };

    fn push(&mut self, corner: Vec3) {
        if self.count < MAX_RING {
            self.corners[self.count] = corner;
            self.count += 1;
        }
    }

    pub(crate) fn corners(&self) -> &[Vec3] {
        &self.corners[..self.count]
    }
}
