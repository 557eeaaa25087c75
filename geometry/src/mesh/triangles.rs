//! Closed triangle meshes: reading them in, and what they weigh.

use std::collections::HashMap;

use drystone_base::{Mat3, Symmetric3, Vec3};

use crate::{Aabb, MassProperties};

/// Vertices closer than this part of the mesh's size are the same vertex \[1\].
const WELD: f64 = 1e-9;
/// Less volume than this part of the bounding box's diagonal cubed is no solid \[1\].
const LEAST_VOLUME: f64 = 1e-12;

/// Why triangles do not bound a solid. Numbers are those of the input.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// There is nothing, or nothing with an area.
    #[error(
        "mesh of {vertices} vertices and {triangles} triangles has no area; a solid needs at least 4 triangles"
    )]
    Empty {
        /// Number that was given.
        vertices: usize,
        /// Number that was given.
        triangles: usize,
    },
    /// A coordinate is NaN or infinite, or absurdly large.
    #[error("vertex {vertex} is at {position}; coordinates must be finite and below 1e50 m")]
    NotFinite {
        /// Number of the vertex.
        vertex: usize,
        /// Position that was given \[m\].
        position: Vec3,
    },
    /// A triangle names a vertex that is not there.
    #[error(
        "triangle {triangle} names vertex {index}; the mesh has {vertices} vertices, counted from 0"
    )]
    IndexOutOfRange {
        /// Number of the triangle.
        triangle: usize,
        /// The vertex it names.
        index: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// An edge with a single triangle: there is a hole.
    #[error("edge from vertex {} at {from} to vertex {} at {to} has one triangle ({open} such edges); every edge of a closed mesh has two", .edge[0], .edge[1])]
    Open {
        /// Vertices of the first open edge.
        edge: [u32; 2],
        /// Start of the edge \[m\].
        from: Vec3,
        /// End of the edge \[m\].
        to: Vec3,
        /// Number of open edges.
        open: usize,
    },
    /// An edge where more than two triangles meet.
    #[error("edge from vertex {} at {from} to vertex {} at {to} has {triangles} triangles; every edge of a closed mesh has two", .edge[0], .edge[1])]
    Crowded {
        /// Vertices of the edge.
        edge: [u32; 2],
        /// Start of the edge \[m\].
        from: Vec3,
        /// End of the edge \[m\].
        to: Vec3,
        /// Number of triangles that share it.
        triangles: usize,
    },
    /// Two neighbours are wound in opposite senses.
    #[error("triangles {} and {} run along edge {}-{} in the same direction; neighbours must be wound alike", .triangles[0], .triangles[1], .edge[0], .edge[1])]
    Inconsistent {
        /// Vertices of the edge.
        edge: [u32; 2],
        /// Numbers of the triangles.
        triangles: [usize; 2],
    },
    /// The surface encloses nothing.
    #[error("mesh encloses {volume} m³ in a box of diagonal {size} m; a solid needs a volume")]
    NoVolume {
        /// Signed volume \[m³\].
        volume: f64,
        /// Diagonal of the bounding box \[m\].
        size: f64,
    },
}

/// A closed, consistently oriented surface around a positive volume: normals point out.
#[derive(Clone, Debug, PartialEq)]
pub struct TriMesh {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl TriMesh {
    /// Welds equal vertices, drops triangles that vanish, and checks that what is left bounds a solid.
    ///
    /// A mesh that is inside-out as a whole is turned. Cavities are allowed (their normals
    /// point into them); parts that cross each other are not looked for.
    pub fn closed(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, MeshError> {
        // every coordinate is finite, every index in range
        let count = vertices.len();
        for (vertex, &position) in vertices.iter().enumerate() {
            if !position.is_finite() || position.abs().max_element() >= 1e50 {
                return Err(MeshError::NotFinite { vertex, position });
            }
        }
        for (triangle, corners) in triangles.iter().enumerate() {
            for &index in corners {
                if index as usize >= count {
                    return Err(MeshError::IndexOutOfRange {
                        triangle,
                        index,
                        vertices: count,
                    });
                }
            }
        }

        // weld, then keep what still has three corners, with its number in the input
        let empty = MeshError::Empty {
            vertices: count,
            triangles: triangles.len(),
        };
        let bounds = bounds_of(&vertices);
        let size = (bounds.high - bounds.low).length();
        if count < 4 || size == 0.0 {
            return Err(empty);
        }
        let same = welded(&vertices, WELD * size);
        let mut kept: Vec<(usize, [u32; 3])> = Vec::with_capacity(triangles.len());
        for (number, corners) in triangles.iter().enumerate() {
            let [a, b, c] = corners.map(|v| same[v as usize]);
            if a != b && b != c && c != a {
                kept.push((number, [a, b, c]));
            }
        }
        let has_area = |t: &[u32; 3]| doubled_area(&vertices, t).length() > 1e-14 * size * size;
        if kept.len() < 4 || !kept.iter().any(|(_, t)| has_area(t)) {
            return Err(empty);
        }
        check_edges(&vertices, &kept)?;

        // number the vertices in use, in their old order
        let mut renumbered = vec![u32::MAX; count];
        for (_, corners) in &kept {
            for &v in corners {
                renumbered[v as usize] = 0;
            }
        }
        let mut used = Vec::new();
        for (v, &position) in vertices.iter().enumerate() {
            if renumbered[v] == 0 {
                renumbered[v] = used.len() as u32;
                used.push(position);
            }
        }
        let mut mesh = Self {
            vertices: used,
            triangles: kept
                .iter()
                .map(|(_, t)| t.map(|v| renumbered[v as usize]))
                .collect(),
        };

        // orient outward
        let volume = mesh.volume();
        if volume.abs() <= LEAST_VOLUME * size * size * size {
            return Err(MeshError::NoVolume { volume, size });
        }
        if volume < 0.0 {
            for [_, b, c] in &mut mesh.triangles {
                std::mem::swap(b, c);
            }
        }
        Ok(mesh)
    }

    /// Corners \[m\].
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Counter-clockwise seen from outside.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The corners of triangle `t` \[m\].
    #[inline]
    pub fn corners(&self, t: usize) -> [Vec3; 3] {
        self.triangles[t].map(|v| self.vertices[v as usize])
    }

    /// The smallest box along the axes that holds all vertices.
    pub fn bounds(&self) -> Aabb {
        bounds_of(&self.vertices)
    }

    /// Enclosed volume \[m³\].
    pub fn volume(&self) -> f64 {
        self.moments().0
    }

    /// Area of the surface \[m²\].
    pub fn area(&self) -> f64 {
        let doubled = |t| doubled_area(&self.vertices, t).length();
        self.triangles.iter().map(doubled).sum::<f64>() * 0.5
    }

    /// Every vertex sent through `map`; fails if that flattens the solid.
    pub fn transformed(&self, map: impl Fn(Vec3) -> Vec3) -> Result<Self, MeshError> {
        let moved = self.vertices.iter().map(|&v| map(v)).collect();
        Self::closed(moved, self.triangles.clone())
    }

    /// Mass, centre and inertia of the solid at `density` \[kg/m³\], exact up to rounding.
    ///
    /// By the divergence theorem: the solid is the signed sum of the tetrahedra that its
    /// triangles span with one reference point.
    pub fn mass_properties(&self, density: f64) -> MassProperties {
        let (volume, centre, second) = self.moments();
        let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
        let inertia = (Mat3::from_diagonal(Vec3::splat(trace)) - second) * density;
        MassProperties {
            mass: density * volume,
            centre,
            inertia: Symmetric3::from_matrix(&inertia),
        }
    }

    /// Volume V, centre c, and `∫ (x - c)(x - c)ᵀ dV`.
    fn moments(&self) -> (f64, Vec3, Mat3) {
        // a reference inside the bounding box keeps cancellation small far from the origin
        let bounds = self.bounds();
        let reference = 0.5 * (bounds.low + bounds.high);
        let (mut volume, mut first, mut second) = (0.0, Vec3::ZERO, Mat3::ZERO);
        for t in 0..self.triangles.len() {
            let [a, b, c] = self.corners(t).map(|v| v - reference);
            // of a tetrahedron (0, a, b, c): ∫x = V (a+b+c)/4, ∫xxᵀ = V (ssᵀ + aaᵀ + bbᵀ + ccᵀ)/20
            let v = a.dot(b.cross(c)) / 6.0;
            let s = a + b + c;
            volume += v;
            first += s * (0.25 * v);
            second += (outer(s) + outer(a) + outer(b) + outer(c)) * (v / 20.0);
        }
        let centre = if volume == 0.0 {
            Vec3::ZERO
        } else {
            first / volume
        };
        (volume, reference + centre, second - outer(centre) * volume)
    }
}

fn outer(v: Vec3) -> Mat3 {
    Mat3::from_cols(v * v.x, v * v.y, v * v.z)
}

fn doubled_area(vertices: &[Vec3], triangle: &[u32; 3]) -> Vec3 {
    let [a, b, c] = triangle.map(|v| vertices[v as usize]);
    (b - a).cross(c - a)
}

fn bounds_of(points: &[Vec3]) -> Aabb {
    let start = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    let (low, high) = points
        .iter()
        .fold(start, |(low, high), &p| (low.min(p), high.max(p)));
    if points.is_empty() {
        return Aabb {
            low: Vec3::ZERO,
            high: Vec3::ZERO,
        };
    }
    Aabb { low, high }
}

/// For each vertex the first one within `reach` of it (itself if there is none).
fn welded(vertices: &[Vec3], reach: f64) -> Vec<u32> {
    let low = bounds_of(vertices).low;
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::with_capacity(vertices.len());
    let mut same: Vec<u32> = Vec::with_capacity(vertices.len());
    for (i, &p) in vertices.iter().enumerate() {
        let cell = ((p - low) / (2.0 * reach))
            .floor()
            .to_array()
            .map(|x| x as i64);
        let mut found = i as u32;
        for offset in 0..27 {
            let near = [
                cell[0] + offset % 3 - 1,
                cell[1] + offset / 3 % 3 - 1,
                cell[2] + offset / 9 - 1,
            ];
            for &other in cells.get(&near).map_or(&[][..], Vec::as_slice) {
                if other < found && (vertices[other as usize] - p).length() <= reach {
                    found = other;
                }
            }
        }
        if found == i as u32 {
            cells.entry(cell).or_default().push(found);
        }
        same.push(found);
    }
    same
}

/// Every edge must be walked once in each direction.
fn check_edges(vertices: &[Vec3], triangles: &[(usize, [u32; 3])]) -> Result<(), MeshError> {
    // (lower vertex, higher vertex, walked upwards, number of the triangle)
    let mut edges: Vec<(u32, u32, bool, usize)> = Vec::with_capacity(3 * triangles.len());
    for &(number, t) in triangles {
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            edges.push((a.min(b), a.max(b), a < b, number));
        }
    }
    edges.sort_unstable();
    let mut first_open = None;
    let mut open = 0;
    for run in edges.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
        let (low, high, upwards, number) = run[0];
        let edge = if upwards { [low, high] } else { [high, low] };
        let [from, to] = edge.map(|v| vertices[v as usize]);
        match run {
            [_] => {
                open += 1;
                first_open.get_or_insert((edge, from, to));
            }
            [x, y] if x.2 != y.2 => {}
            [_, other] => {
                return Err(MeshError::Inconsistent {
                    edge,
                    triangles: [number, other.3],
                });
            }
            _ => {
                return Err(MeshError::Crowded {
                    edge,
                    from,
                    to,
                    triangles: run.len(),
                });
            }
        }
    }
    match first_open {
        None => Ok(()),
        Some((edge, from, to)) => Err(MeshError::Open {
            edge,
            from,
            to,
            open,
        }),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::mesh::build;
    use drystone_base::{Quat, functions::rotation_about};

    fn difference(a: &MassProperties, b: &MassProperties) -> f64 {
        let inertia = (a.inertia.matrix() - b.inertia.matrix()).to_cols_array();
        let largest = inertia.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        largest + (a.mass - b.mass).abs() + (a.centre - b.centre).length()
    }

    fn box_properties(half: Vec3, density: f64, centre: Vec3, turn: Quat) -> MassProperties {
        let mass = 8.0 * half.x * half.y * half.z * density;
        let s = half * half;
        let axes = Vec3::new(s.y + s.z, s.x + s.z, s.x + s.y) * (mass / 3.0);
        MassProperties {
            mass,
            centre,
            inertia: Symmetric3::diagonal(axes).rotated(turn),
        }
    }

    #[test]
    fn a_box_weighs_what_the_closed_form_says() {
        let half = Vec3::new(0.5, 0.2, 0.9);
        let error = difference(
            &build::cuboid(half).mass_properties(700.0),
            &box_properties(half, 700.0, Vec3::ZERO, Quat::IDENTITY),
        );
        assert!(error < 1e-11, "{error:.1e}"); // measured: 1e-13
    }

    #[test]
    fn a_box_scaled_turned_and_moved_far_away_keeps_the_closed_form() {
        let half = Vec3::new(0.5, 0.2, 0.9);
        let turn = rotation_about(Vec3::new(1.0, -2.0, 0.5).normalize(), 0.9);
        let (scale, offset) = (Vec3::new(2.0, 0.7, 1.1), Vec3::new(30.0, -20.0, 7.0));
        let mesh = build::cuboid(half)
            .transformed(|v| turn * (v * scale) + offset)
            .unwrap();
        let error = difference(
            &mesh.mass_properties(3.0),
            &box_properties(half * scale, 3.0, offset, turn),
        );
        assert!(error < 1e-12, "{error:.1e}"); // measured: 3e-14
    }

    #[test]
    fn a_corner_tetrahedron_has_its_known_inertia() {
        // right-angled at the origin, legs a, b, c: V = abc/6, c = (a,b,c)/4,
        // Ixx about the origin = V (b² + c²)/10, product ∫xy = V ab/20
        let legs = Vec3::new(1.0, 2.0, 3.0);
        let mesh = TriMesh::closed(
            vec![
                Vec3::ZERO,
                Vec3::X * legs.x,
                Vec3::Y * legs.y,
                Vec3::Z * legs.z,
            ],
            vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        )
        .unwrap();
        let found = mesh.mass_properties(1.0);
        let c = legs * 0.25;
        let about_centre = |square: f64, centre: f64| square / 10.0 - centre;
        let (l2, c2) = (legs * legs, c * c);
        let expected = MassProperties {
            mass: 1.0,
            centre: c,
            inertia: Symmetric3 {
                xx: about_centre(l2.y + l2.z, c2.y + c2.z),
                yy: about_centre(l2.x + l2.z, c2.x + c2.z),
                zz: about_centre(l2.x + l2.y, c2.x + c2.y),
                xy: -(legs.x * legs.y / 20.0 - c.x * c.y),
                xz: -(legs.x * legs.z / 20.0 - c.x * c.z),
                yz: -(legs.y * legs.z / 20.0 - c.y * c.z),
            },
        };
        let error = difference(&found, &expected);
        assert!(error < 1e-14, "{error:.1e}"); // measured: 6e-17
    }

    #[test]
    fn finer_icospheres_tend_to_the_ball_at_second_order() {
        let ball = MassProperties {
            mass: 4.0 / 3.0 * std::f64::consts::PI,
            centre: Vec3::ZERO,
            inertia: Symmetric3::diagonal(Vec3::splat(8.0 / 15.0 * std::f64::consts::PI)),
        };
        let error = |n| difference(&build::icosphere(1.0, n).mass_properties(1.0), &ball);
        let (coarse, fine) = (error(3), error(4));
        let order = coarse / fine;
        assert!((3.8..4.2).contains(&order), "{coarse:.2e} -> {fine:.2e}"); // measured: 3.98
        assert!(fine < 0.02, "{fine:.2e}"); // measured: 1.5e-2
    }

    #[test]
    fn split_vertices_are_welded_and_an_inside_out_mesh_is_turned() {
        let whole = build::cuboid(Vec3::ONE);
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for t in 0..whole.triangles().len() {
            let n = vertices.len() as u32;
            // a billionth of the size off, and the other way round
            vertices.extend(whole.corners(t).map(|v| v * (1.0 + 1e-10 * t as f64)));
            triangles.push([n, n + 2, n + 1]);
        }
        let mesh = TriMesh::closed(vertices, triangles).unwrap();
        assert_eq!(mesh.vertices().len(), 8);
        assert!((mesh.volume() - 8.0).abs() < 1e-7);
    }

    #[test]
    fn what_is_no_solid_is_refused_by_name() {
        let good = build::cuboid(Vec3::ONE);
        let (v, t) = (good.vertices().to_vec(), good.triangles().to_vec());
        let refused = |v: &[Vec3], t: &[[u32; 3]]| {
            let error = TriMesh::closed(v.to_vec(), t.to_vec()).unwrap_err();
            (error.to_string(), error)
        };

        let (text, error) = refused(&v, &t[1..]);
        assert!(matches!(error, MeshError::Open { open: 3, .. }), "{text}");
        assert!(text.contains("3 such edges"), "{text}");

        let mut bad = t.clone();
        bad[0].swap(0, 1);
        assert!(matches!(
            refused(&v, &bad).1,
            MeshError::Inconsistent { .. }
        ));
        bad[0] = [0, 1, 99];
        assert!(matches!(
            refused(&v, &bad).1,
            MeshError::IndexOutOfRange { index: 99, .. }
        ));

        let mut crowded = t.clone();
        crowded.extend_from_slice(&t);
        assert!(matches!(
            refused(&v, &crowded).1,
            MeshError::Crowded { triangles: 4, .. }
        ));

        let mut nan = v.clone();
        nan[5].y = f64::NAN;
        assert!(matches!(
            refused(&nan, &t).1,
            MeshError::NotFinite { vertex: 5, .. }
        ));

        let flat: Vec<Vec3> = v.iter().map(|p| p.with_y(0.0)).collect();
        assert!(TriMesh::closed(flat, t.clone()).is_err());
        let point = vec![Vec3::ONE; 8];
        assert!(matches!(refused(&point, &t).1, MeshError::Empty { .. }));
        assert!(matches!(refused(&[], &[]).1, MeshError::Empty { .. }));
        let sheet = [[0, 1, 2], [0, 2, 1], [0, 1, 3], [0, 3, 1]];
        assert!(TriMesh::closed(v, sheet.to_vec()).is_err());
    }
}
