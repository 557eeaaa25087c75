//! Exact questions to a closed surface: closest point, inside or outside, where a ray hits.
//!
//! A tree of boxes over the triangles finds the closest one; the sign follows from the
//! angle-weighted normal of the corner, edge or face that holds the closest point
//! (Baerentzen 2005), or, where that is undecided, from the winding number.

use drystone_base::{Vec3, functions};

use super::TriMesh;

/// Triangles in a leaf of the tree.
const LEAF: usize = 4;
/// Deeper than a median-split tree over 2³² triangles can be.
const STACK: usize = 64;

/// Part of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Inside the triangle.
    Face,
    /// The edge from corner k to corner k + 1.
    Edge(u8),
    /// Corner k.
    Corner(u8),
}

/// The point of a surface closest to some other point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoint {
    /// Point on the surface \[m\].
    pub point: Vec3,
    /// Signed distance, negative inside \[m\].
    pub distance: f64,
    /// Unit vector along which `distance` grows: away from `point` outside, towards it inside.
    pub normal: Vec3,
    /// Number of a triangle that holds the point.
    pub triangle: u32,
    /// Feature of that triangle.
    pub feature: Feature,
}

/// A node of the tree: a box over a run of `order`. Its first child follows it directly.
#[derive(Clone, Copy, Debug)]
struct Node {
    low: Vec3,
    high: Vec3,
    first: u32,
    count: u32,
    /// The second child; 0 for a leaf.
    second: u32,
}

/// A mesh with its tree and its normals.
#[derive(Clone, Debug)]
pub struct Surface {
    mesh: TriMesh,
    nodes: Vec<Node>,
    /// Triangles with an area, by leaf.
    order: Vec<u32>,
    /// Unit; zero for a triangle without area.
    face_normals: Vec<Vec3>,
    /// Normals of edges 0, 1, 2 of each triangle, not normalised.
    edge_normals: Vec<[Vec3; 3]>,
    /// Weighted by angle, not unit.
    vertex_normals: Vec<Vec3>,
    /// Edges by number, three for each triangle.
    edge_of: Vec<[u32; 3]>,
    /// Number of triangles with an area at each edge and vertex.
    edge_valence: Vec<u8>,
    vertex_valence: Vec<u32>,
    has_slivers: bool,
}

impl Surface {
    /// Builds the tree and the normals.
    pub fn new(mesh: TriMesh) -> Self {
        let triangles = mesh.triangles().len();
        let bounds = mesh.bounds();
        let size = (bounds.high - bounds.low).length();

        // normals of faces, and of vertices as sums weighted by angle
        let mut face_normals = Vec::with_capacity(triangles);
        let mut vertex_normals = vec![Vec3::ZERO; mesh.vertices().len()];
        let mut vertex_valence = vec![0u32; mesh.vertices().len()];
        let mut order = Vec::with_capacity(triangles);
        for t in 0..triangles {
            let corners = mesh.corners(t);
            let [a, b, c] = corners;
            let cross = (b - a).cross(c - a);
            if cross.length() <= 1e-14 * size * size {
                face_normals.push(Vec3::ZERO);
                continue;
            }
            let normal = cross.normalize();
            face_normals.push(normal);
            order.push(t as u32);
            for k in 0..3 {
                let u = (corners[(k + 1) % 3] - corners[k]).normalize_or_zero();
                let v = (corners[(k + 2) % 3] - corners[k]).normalize_or_zero();
                let vertex = mesh.triangles()[t][k] as usize;
                vertex_normals[vertex] += normal * functions::acos(u.dot(v));
                vertex_valence[vertex] += 1;
            }
        }
        let has_slivers = order.len() < triangles;

        // pair up the two sides of each edge
        let mut sides: Vec<(u32, u32, u32, u8)> = Vec::with_capacity(3 * triangles);
        for (t, corners) in mesh.triangles().iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                sides.push((a.min(b), a.max(b), t as u32, k as u8));
            }
        }
        sides.sort_unstable();
        let mut edge_normals = vec![[Vec3::ZERO; 3]; triangles];
        let mut edge_of = vec![[0u32; 3]; triangles];
        let mut edge_valence = Vec::with_capacity(sides.len() / 2);
        for run in sides.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
            let normal: Vec3 = run.iter().map(|s| face_normals[s.2 as usize]).sum();
            for s in run {
                edge_normals[s.2 as usize][s.3 as usize] = normal;
                edge_of[s.2 as usize][s.3 as usize] = edge_valence.len() as u32;
            }
            let solid = run
                .iter()
                .filter(|s| face_normals[s.2 as usize] != Vec3::ZERO);
            edge_valence.push(solid.count() as u8);
        }

        // hierarchy of bounding boxes
        let mut nodes = Vec::with_capacity(2 * order.len() / LEAF + 2);
        split(&mesh, &mut order, 0, &mut nodes);
        Self {
            mesh,
            nodes,
            order,
            face_normals,
            edge_normals,
            vertex_normals,
            edge_of,
            edge_valence,
            vertex_valence,
            has_slivers,
        }
    }

    /// The triangles.
    pub fn mesh(&self) -> &TriMesh {
        &self.mesh
    }

    /// Unit normal of triangle `t`; zero if it has no area.
    pub fn face_normal(&self, t: usize) -> Vec3 {
        self.face_normals[t]
    }

    /// Angle-weighted normal of vertex `v`, not of unit length.
    pub fn vertex_normal(&self, v: usize) -> Vec3 {
        self.vertex_normals[v]
    }

    /// Sum of the two face normals at edge `k` of triangle `t`, not of unit length.
    pub fn edge_normal(&self, t: usize, k: usize) -> Vec3 {
        self.edge_normals[t][k]
    }

    /// Number of edge `k` of triangle `t`: both neighbours say the same.
    pub fn edge(&self, t: usize, k: usize) -> u32 {
        self.edge_of[t][k]
    }

    /// The closest point of the surface to `p`.
    pub fn closest_point(&self, p: Vec3) -> ClosestPoint {
        self.closest_point_within(p, f64::INFINITY)
            .expect("an unlimited search of a mesh with area finds a point")
    }

    /// The closest point of the surface to `p`, if it is at most `reach` away \[m\].
    pub fn closest_point_within(&self, p: Vec3, reach: f64) -> Option<ClosestPoint> {
        if !p.is_finite() {
            // bounded nonsense: any point will do, infinitely far
            let point = self.mesh.vertices()[0];
            return (reach == f64::INFINITY).then_some(ClosestPoint {
                point,
                distance: f64::INFINITY,
                normal: Vec3::Y,
                triangle: self.order[0],
                feature: Feature::Corner(0),
            });
        }
        let mut best_squared = reach * reach;
        let mut best: Option<(Vec3, u32, Feature)> = None;
        let mut stack = [(0u32, 0.0_f64); STACK];
        stack[0] = (0, distance_squared_to_box(p, &self.nodes[0]));
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let (index, bound) = stack[depth];
            // equal bounds are still looked at, so that the lowest triangle wins ties
            if bound > best_squared {
                continue;
            }
            let node = &self.nodes[index as usize];
            if node.second == 0 {
                let run = node.first as usize..(node.first + node.count) as usize;
                for &t in &self.order[run] {
                    let (point, feature) = closest_on_triangle(p, self.mesh.corners(t as usize));
                    let squared = (p - point).length_squared();
                    let first = best.is_none_or(|(_, other, _)| t < other);
                    if squared < best_squared || (squared == best_squared && first) {
                        best_squared = squared;
                        best = Some((point, t, feature));
                    }
                }
                continue;
            }
            // the nearer child last, so that it is visited first
            let (one, two) = (index + 1, node.second);
            let d_one = distance_squared_to_box(p, &self.nodes[one as usize]);
            let d_two = distance_squared_to_box(p, &self.nodes[two as usize]);
            let (near, far) = if d_one <= d_two {
                ((one, d_one), (two, d_two))
            } else {
                ((two, d_two), (one, d_one))
            };
            stack[depth] = far;
            stack[depth + 1] = near;
            depth += 2;
        }
        best.map(|(point, triangle, feature)| self.signed(p, point, triangle, feature))
    }

    /// Decides on which side of the surface `p` lies, given its closest point.
    fn signed(&self, p: Vec3, point: Vec3, triangle: u32, feature: Feature) -> ClosestPoint {
        let t = triangle as usize;
        let outward = match feature {
            Feature::Face => self.face_normals[t],
            Feature::Edge(k) => self.edge_normals[t][k as usize],
            Feature::Corner(k) => {
                self.vertex_normals[self.mesh.triangles()[t][k as usize] as usize]
            }
        };
        let away = p - point;
        let length = away.length();
        let slope = away.dot(outward);
        let undecided = slope.abs() <= 1e-6 * length * outward.length();
        let inside = if length == 0.0 {
            false
        } else if self.has_slivers || undecided {
            self.winding_number(p) > 0.5
        } else {
            slope < 0.0
        };
        let direction = if inside { -away } else { away };
        // on the surface itself the direction is lost to rounding; the normal is not
        let size = p.abs().max_element().max(point.abs().max_element());
        let normal = if length > 1e-12 * size {
            direction / length
        } else {
            outward.try_normalize().unwrap_or(self.face_normals[t])
        };
        ClosestPoint {
            point,
            distance: if inside { -length } else { length },
            normal,
            triangle,
            feature,
        }
    }

    /// How often the surface winds around `p`: 1 inside, 0 outside.
    ///
    /// `Σ atan2(a·(b×c), |a||b||c| + (a·b)|c| + (b·c)|a| + (c·a)|b|) / 2π`   (Van Oosterom 1983, eq. 8)
    ///
    /// `a`, `b`, `c` run from `p` to the corners of a triangle.
    pub fn winding_number(&self, p: Vec3) -> f64 {
        let mut sum = 0.0;
        for &t in &self.order {
            let [a, b, c] = self.mesh.corners(t as usize).map(|v| v - p);
            let (la, lb, lc) = (a.length(), b.length(), c.length());
            let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
            sum += functions::atan2(a.dot(b.cross(c)), below);
        }
        sum / (2.0 * std::f64::consts::PI)
    }

    /// First hit of the ray from `origin` along `direction` (any length) within `reach`:
    /// its distance \[m\] and the unit normal of the triangle hit.
    pub fn ray_cast(&self, origin: Vec3, direction: Vec3, reach: f64) -> Option<(f64, Vec3)> {
        let direction = direction.try_normalize()?;
        if !origin.is_finite() || reach.is_nan() || reach < 0.0 {
            return None;
        }
        let inverse = direction.recip();
        let mut limit = reach;
        let mut best: Option<u32> = None;
        let mut stack = [0u32; STACK];
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let index = stack[depth];
            let node = &self.nodes[index as usize];
            if !ray_meets_box(origin, inverse, limit, node) {
                continue;
            }
            if node.second != 0 {
                stack[depth] = node.second;
                stack[depth + 1] = index + 1;
                depth += 2;
                continue;
            }
            let run = node.first as usize..(node.first + node.count) as usize;
            for &t in &self.order[run] {
                if let Some(distance) =
                    ray_meets_triangle(origin, direction, self.mesh.corners(t as usize))
                    && (distance < limit
                        || (distance == limit && best.is_none_or(|other| t < other)))
                {
                    limit = distance;
                    best = Some(t);
                }
            }
        }
        best.map(|t| (limit, self.face_normals[t as usize]))
    }

    /// All places within `reach` of `p` where the distance from `p` has a local minimum
    /// over the surface: what a ball about `p` touches. `found` gets point and triangle.
    pub fn local_minima(&self, p: Vec3, reach: f64, found: &mut Vec<(Vec3, u32)>) {
        // edges and corners count only if all their triangles end there: otherwise the
        // distance still falls across them (this is what keeps inner edges silent)
        let start = found.len();
        let mut partial: Vec<(bool, u32, Vec3, u32)> = Vec::new();
        let mut stack = [0u32; STACK];
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let index = stack[depth];
            let node = &self.nodes[index as usize];
            if distance_squared_to_box(p, node) > reach * reach {
                continue;
            }
            if node.second != 0 {
                stack[depth] = node.second;
                stack[depth + 1] = index + 1;
                depth += 2;
                continue;
            }
            let run = node.first as usize..(node.first + node.count) as usize;
            for &t in &self.order[run] {
                let (point, feature) = closest_on_triangle(p, self.mesh.corners(t as usize));
                if (p - point).length_squared() > reach * reach {
                    continue;
                }
                match feature {
                    Feature::Face => found.push((point, t)),
                    Feature::Edge(k) => {
                        partial.push((false, self.edge_of[t as usize][k as usize], point, t));
                    }
                    Feature::Corner(k) => {
                        let v = self.mesh.triangles()[t as usize][k as usize];
                        partial.push((true, v, point, t));
                    }
                }
            }
        }
        // an edge or corner that every triangle around it reports is a minimum
        partial.sort_unstable_by_key(|&(corner, number, _, t)| (corner, number, t));
        for run in partial.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
            let (corner, number, point, t) = run[0];
            let valence = if corner {
                self.vertex_valence[number as usize] as usize
            } else {
                usize::from(self.edge_valence[number as usize])
            };
            if run.len() == valence {
                found.push((point, t));
            }
        }
        found[start..].sort_unstable_by_key(|&(_, t)| t);
    }
}

/// Adds the node over `order` (whose first element has the number `first`) and those below it.
fn split(mesh: &TriMesh, order: &mut [u32], first: usize, nodes: &mut Vec<Node>) {
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    let (mut from, mut to) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    let centre = |t: u32| mesh.corners(t as usize).iter().sum::<Vec3>();
    for &t in order.iter() {
        for corner in mesh.corners(t as usize) {
            low = low.min(corner);
            high = high.max(corner);
        }
        from = from.min(centre(t));
        to = to.max(centre(t));
    }
    let index = nodes.len();
    nodes.push(Node {
        low,
        high,
        first: first as u32,
        count: order.len() as u32,
        second: 0,
    });
    if order.len() <= LEAF {
        return;
    }
    let axis = (to - from).max_position();
    let middle = order.len() / 2;
    order.select_nth_unstable_by(middle, |&x, &y| {
        centre(x)[axis].total_cmp(&centre(y)[axis]).then(x.cmp(&y))
    });
    let (left, right) = order.split_at_mut(middle);
    split(mesh, left, first, nodes);
    nodes[index].second = nodes.len() as u32;
    split(mesh, right, first + middle, nodes);
}

#[inline]
fn distance_squared_to_box(p: Vec3, node: &Node) -> f64 {
    (p - p.clamp(node.low, node.high)).length_squared()
}

#[inline]
fn ray_meets_box(origin: Vec3, inverse: Vec3, limit: f64, node: &Node) -> bool {
    let (mut enter, mut leave) = (0.0_f64, limit);
    for k in 0..3 {
        let (one, two) = (
            (node.low[k] - origin[k]) * inverse[k],
            (node.high[k] - origin[k]) * inverse[k],
        );
        // 0 * infinity: the ray runs inside the face's plane, which does not cut it off
        if one.is_nan() || two.is_nan() {
            continue;
        }
        enter = enter.max(one.min(two));
        leave = leave.min(one.max(two));
    }
    enter <= leave * (1.0 + 1e-12)
}

/// Distance along the unit `direction`; edges belong to both of their triangles.
fn ray_meets_triangle(origin: Vec3, direction: Vec3, [a, b, c]: [Vec3; 3]) -> Option<f64> {
    let (u, v) = (b - a, c - a);
    let across = direction.cross(v);
    let determinant = u.dot(across);
    if determinant == 0.0 {
        return None;
    }
    let from = origin - a;
    let s = from.dot(across) / determinant;
    let around = from.cross(u);
    let t = direction.dot(around) / determinant;
    const SLACK: f64 = 1e-12;
    if s < -SLACK || t < -SLACK || s + t > 1.0 + SLACK {
        return None;
    }
    let distance = v.dot(around) / determinant;
    (distance >= 0.0).then_some(distance)
}

/// The closest point of a triangle and the part that holds it.
pub(super) fn closest_on_triangle(p: Vec3, [a, b, c]: [Vec3; 3]) -> (Vec3, Feature) {
    // regions of the corners
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (ab_ap, ac_ap) = (ab.dot(ap), ac.dot(ap));
    if ab_ap <= 0.0 && ac_ap <= 0.0 {
        return (a, Feature::Corner(0));
    }
    let bp = p - b;
    let (ab_bp, ac_bp) = (ab.dot(bp), ac.dot(bp));
    if ab_bp >= 0.0 && ac_bp <= ab_bp {
        return (b, Feature::Corner(1));
    }
    let cp = p - c;
    let (ab_cp, ac_cp) = (ab.dot(cp), ac.dot(cp));
    if ac_cp >= 0.0 && ab_cp <= ac_cp {
        return (c, Feature::Corner(2));
    }

    // regions of the edges, from the barycentric coordinates scaled by area
    let w_c = ab_ap * ac_bp - ab_bp * ac_ap;
    if w_c <= 0.0 && ab_ap >= 0.0 && ab_bp <= 0.0 {
        return (a + ab * (ab_ap / (ab_ap - ab_bp)), Feature::Edge(0));
    }
    let w_a = ab_bp * ac_cp - ab_cp * ac_bp;
    let (to_c, to_b) = (ac_bp - ab_bp, ab_cp - ac_cp);
    if w_a <= 0.0 && to_c >= 0.0 && to_b >= 0.0 {
        return (b + (c - b) * (to_c / (to_c + to_b)), Feature::Edge(1));
    }
    let w_b = ab_cp * ac_ap - ab_ap * ac_cp;
    if w_b <= 0.0 && ac_ap >= 0.0 && ac_cp <= 0.0 {
        return (a + ac * (ac_ap / (ac_ap - ac_cp)), Feature::Edge(2));
    }
    let scale = 1.0 / (w_a + w_b + w_c);
    (a + ab * (w_b * scale) + ac * (w_c * scale), Feature::Face)
}
