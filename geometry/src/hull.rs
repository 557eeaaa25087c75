//! Convex hulls of points.

use std::collections::BTreeMap;

use drystone_base::{Symmetric3, Vec3};
use parry3d_f64::transformation::try_convex_hull;

use crate::{Aabb, MassProperties, ShapeError};

/// A convex solid with flat faces. Made from points through parry's quickhull; triangles that
/// lie in one plane are one face.
#[derive(Clone, Debug)]
pub struct Hull {
    points: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    faces: Vec<HullFace>,
    corners: Vec<u32>,
    edges: Vec<HullEdge>,
    bounds: Aabb,
    width: f64,
    unit_mass: MassProperties,
}

/// A face: its plane is `normal · p = offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HullFace {
    /// Outward unit normal.
    pub normal: Vec3,
    /// \[m\]
    pub offset: f64,
    /// \[m²\]
    pub area: f64,
    first: u32,
    count: u32,
}

/// An edge with the outward normals to its two sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HullEdge {
    pub(crate) ends: [u32; 2],
    pub(crate) normals: [Vec3; 2],
}

/// Triangles whose corners stay this close to a plane, in units of the size, are one face.
const FLAT: f64 = 1e-9;

impl Hull {
    /// The hull of `points`, in the frame in which they are given \[m\].
    pub fn new(points: &[Vec3]) -> Result<Self, ShapeError> {
        let (unique, evened) = checked(points)?;
        let no_hull = |reason: String| ShapeError::NoHull {
            points: points.len(),
            reason,
        };
        let (corners, triangles) =
            try_convex_hull(&evened).map_err(|error| no_hull(error.to_string()))?;
        let key = |p: &Vec3| p.to_array().map(f64::to_bits);
        let back: BTreeMap<_, _> = evened.iter().map(key).zip(&unique).collect();
        let points: Option<Vec<Vec3>> = corners
            .iter()
            .map(|p| back.get(&key(p)).map(|&&q| q))
            .collect();
        let points = points.ok_or_else(|| no_hull("a corner is no point".to_owned()))?;
        let unit_mass = mass_of(&points, &triangles);
        if !(unit_mass.mass > 0.0 && unit_mass.mass.is_finite()) {
            return Err(no_hull(format!("its volume is {} m³", unit_mass.mass)));
        }

        let (faces, corners, edges) = flat_faces(&points, &triangles)
            .ok_or_else(|| no_hull("its surface is not closed".to_owned()))?;
        let across = |face: &HullFace| {
            let along = points.iter().map(|p| face.normal.dot(*p));
            face.offset - along.fold(f64::INFINITY, f64::min)
        };
        Ok(Self {
            bounds: Aabb::of_points(points.iter().copied()),
            width: faces.iter().map(across).fold(f64::INFINITY, f64::min),
            points,
            triangles,
            faces,
            corners,
            edges,
            unit_mass,
        })
    }

    /// Its corners \[m\].
    pub fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// Its surface, counter-clockwise from outside, as indices into [`Self::points`].
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Its flat faces.
    pub fn faces(&self) -> &[HullFace] {
        &self.faces
    }

    /// The corners of one face in turn, as indices into [`Self::points`].
    pub fn ring(&self, face: &HullFace) -> &[u32] {
        &self.corners[face.first as usize..(face.first + face.count) as usize]
    }

    /// The box around it, in its own frame.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// Smallest extent across a face, along that face's normal \[m\].
    pub fn width(&self) -> f64 {
        self.width
    }

    /// \[m³\]
    pub fn volume(&self) -> f64 {
        self.unit_mass.mass
    }

    /// Mass properties at `density` \[kg/m³\].
    pub fn mass_properties(&self, density: f64) -> MassProperties {
        self.unit_mass.scaled_to(self.unit_mass.mass * density)
    }

    pub(crate) fn edges(&self) -> &[HullEdge] {
        &self.edges
    }

    /// The corner farthest along `direction`.
    pub(crate) fn support(&self, direction: Vec3) -> Vec3 {
        let (mut best, mut height) = (self.points[0], f64::NEG_INFINITY);
        for p in &self.points {
            let h = p.dot(direction);
            if h > height {
                (best, height) = (*p, h);
            }
        }
        best
    }
}

/// Gathers triangles that lie in one plane; `None` if the surface is not closed.
fn flat_faces(
    points: &[Vec3],
    triangles: &[[u32; 3]],
) -> Option<(Vec<HullFace>, Vec<u32>, Vec<HullEdge>)> {
    let size = Aabb::of_points(points.iter().copied())
        .extent()
        .max_element();
    let area = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| points[i as usize]);
        (b - a).cross(c - a)
    };
    // which triangle has this directed edge
    let mut owner: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    for (n, t) in triangles.iter().enumerate() {
        for k in 0..3 {
            if owner.insert((t[k], t[(k + 1) % 3]), n).is_some() {
                return None;
            }
        }
    }
    // the largest triangle has the steadiest plane: grow faces from there
    let mut order: Vec<usize> = (0..triangles.len()).collect();
    let squared: Vec<f64> = triangles.iter().map(|t| area(t).length_squared()).collect();
    order.sort_by(|&i, &j| squared[j].total_cmp(&squared[i]).then(i.cmp(&j)));
    let mut group = vec![usize::MAX; triangles.len()];
    let (mut normals, mut areas) = (Vec::new(), Vec::new());
    for seed in order {
        if group[seed] != usize::MAX {
            continue;
        }
        let mut normal = area(&triangles[seed]).try_normalize()?;
        let origin = points[triangles[seed][0] as usize];
        let number = normals.len();
        let mut sum = Vec3::ZERO;
        let mut open = vec![seed];
        group[seed] = number;
        while let Some(n) = open.pop() {
            sum += area(&triangles[n]);
            for k in 0..3 {
                let (from, to) = (triangles[n][k], triangles[n][(k + 1) % 3]);
                let next = *owner.get(&(to, from))?;
                let flat = triangles[next].iter().all(|&i| {
                    let height = (points[i as usize] - origin).dot(normal);
                    height.abs() < FLAT * size
                });
                if group[next] == usize::MAX && flat {
                    group[next] = number;
                    open.push(next);
                }
            }
        }
        normal = sum.try_normalize().unwrap_or(normal);
        normals.push(normal);
        areas.push(0.5 * sum.length());
    }
    // borders between groups: chained they are rings, in pairs they are edges
    let mut borders: Vec<BTreeMap<u32, u32>> = vec![BTreeMap::new(); normals.len()];
    let mut edges = Vec::new();
    for (&(from, to), &n) in &owner {
        let (own, other) = (group[n], group[*owner.get(&(to, from))?]);
        if own != other {
            borders[own].insert(from, to);
            if from < to {
                edges.push(HullEdge {
                    ends: [from, to],
                    normals: [normals[own], normals[other]],
                });
            }
        }
    }
    // faces with their rings of corners
    let (mut faces, mut corners) = (Vec::new(), Vec::new());
    for ((normal, area), border) in normals.into_iter().zip(areas).zip(&borders) {
        let first = corners.len() as u32;
        let start = *border.keys().next()?;
        let mut here = start;
        for _ in 0..border.len() {
            corners.push(here);
            here = *border.get(&here)?;
        }
        let reach = |m: f64, p: &Vec3| m.max(normal.dot(*p));
        faces.push(HullFace {
            normal,
            offset: points.iter().fold(f64::NEG_INFINITY, reach),
            area,
            first,
            count: border.len() as u32,
        });
    }
    Some((faces, corners, edges))
}

/// The points without repetitions, and the same evened out to equal extents in all
/// directions: the hull is the same, but quickhull loses points of thin ones. Or why they
/// make no solid.
fn checked(points: &[Vec3]) -> Result<(Vec<Vec3>, Vec<Vec3>), ShapeError> {
    for (index, p) in points.iter().enumerate() {
        if !(p.is_finite() && p.abs().max_element() <= ShapeError::LARGEST) {
            return Err(ShapeError::Point { index, found: *p });
        }
    }
    let mut unique = points.to_vec();
    let key = |p: &Vec3| [p.x, p.y, p.z];
    unique.sort_by(|p, q| {
        key(p)
            .partial_cmp(&key(q))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    unique.dedup();
    if unique.len() < 4 {
        return Err(ShapeError::TooFewPoints {
            found: unique.len(),
        });
    }
    // farthest point, then farthest from the line, then farthest from the plane
    let farthest = |measure: &dyn Fn(Vec3) -> f64| {
        let zero = (unique[0], 0.0);
        unique.iter().fold(zero, |best, &p| {
            let m = measure(p);
            if m > best.1 { (p, m) } else { best }
        })
    };
    let origin = unique[0];
    let (far, length) = farthest(&|p| (p - origin).length());
    let line = (far - origin) / length;
    let (aside, width) = farthest(&|p| (p - origin).reject_from_normalized(line).length());
    let up = line.cross(aside - origin).try_normalize();
    let thickness = up.map_or(0.0, |up| farthest(&|p| (p - origin).dot(up).abs()).1);
    let wanted = (length / ShapeError::SLENDEREST).max(ShapeError::SMALLEST);
    let found = thickness.min(width);
    let (Some(up), true) = (up, found >= wanted) else {
        return Err(ShapeError::Flat { found, wanted });
    };
    let across = up.cross(line);
    let even = |p: &Vec3| {
        let q = *p - origin;
        Vec3::new(
            q.dot(line) / length,
            q.dot(across) / width,
            q.dot(up) / thickness,
        )
    };
    let evened = unique.iter().map(even).collect();
    Ok((unique, evened))
}

/// Mass properties at density 1 of the solid inside a closed surface: the sum over the
/// tetrahedra from a point inside to each triangle.
fn mass_of(points: &[Vec3], triangles: &[[u32; 3]]) -> MassProperties {
    let origin = points.iter().sum::<Vec3>() / points.len() as f64;
    let (mut volume, mut first) = (0.0, Vec3::ZERO);
    // second moments: xx yy zz xy xz yz
    let mut s = Symmetric3::ZERO;
    for t in triangles {
        let [a, b, c] = t.map(|i| points[i as usize] - origin);
        let six = a.dot(b.cross(c));
        let sum = a + b + c;
        volume += six / 6.0;
        first += sum * (six / 24.0);
        // ∫ x y over a tetrahedron with a corner at the origin is 6V/120 (Σx Σy + Σ x y)
        let w = six / 120.0;
        s.xx += w * (sum.x * sum.x + a.x * a.x + b.x * b.x + c.x * c.x);
        s.yy += w * (sum.y * sum.y + a.y * a.y + b.y * b.y + c.y * c.y);
        s.zz += w * (sum.z * sum.z + a.z * a.z + b.z * b.z + c.z * c.z);
        s.xy += w * (sum.x * sum.y + a.x * a.y + b.x * b.y + c.x * c.y);
        s.xz += w * (sum.x * sum.z + a.x * a.z + b.x * b.z + c.x * c.z);
        s.yz += w * (sum.y * sum.z + a.y * a.z + b.y * b.z + c.y * c.z);
    }
    let r = first / volume;
    // moments about the centre, then I = tr(S) 1 - S
    let (xx, yy, zz) = (
        s.xx - volume * r.x * r.x,
        s.yy - volume * r.y * r.y,
        s.zz - volume * r.z * r.z,
    );
    MassProperties {
        mass: volume,
        centre: origin + r,
        inertia: Symmetric3 {
            xx: yy + zz,
            yy: xx + zz,
            zz: xx + yy,
            xy: volume * r.x * r.y - s.xy,
            xz: volume * r.x * r.z - s.xz,
            yz: volume * r.y * r.z - s.yz,
        },
    }
}

/// The point of a triangle nearest to `p`.
///
/// First the corners, then the edges, then the inside, by the regions in which `p` projects.
pub(crate) fn closest_on_triangle(p: Vec3, [a, b, c]: [Vec3; 3]) -> Vec3 {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * (d1 / (d1 - d3));
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let sum = va + vb + vc;
    a + ab * (vb / sum) + ac * (vc / sum)
}
