//! Meshes made by code: ball, box, ring, L, and an animal.

use std::collections::HashMap;

use drystone_base::{Vec3, functions};

use super::{TriMesh, animal};

/// Sizes that make no solid are replaced by the smallest that does.
fn positive(x: f64) -> f64 {
    if x.is_finite() && x > 1e-9 { x } else { 1e-9 }
}

fn solid(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> TriMesh {
    TriMesh::closed(vertices, triangles).expect("builders make closed meshes")
}

/// Thinnest box, as a part of its longest edge: the corners of thinner ones would be welded \[1\].
const THINNEST: f64 = 1e-5;

/// A box about the origin with the given half edges \[m\]; one that is thinner than 1e-5 of its longest edge is made as
/// thick as that.
pub fn cuboid(half: Vec3) -> TriMesh {
    let half = Vec3::from_array(half.to_array().map(positive));
    let (corners, triangles) = box_surface(half.max(Vec3::splat(THINNEST * half.max_element())));
    solid(corners, triangles)
}

/// Corners and triangles of a box about the origin with the given half edges, however thin \[m\].
pub fn box_surface(half: Vec3) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    // bit k of the number says on which side of axis k the corner lies
    let corner = |i: u32| {
        let side = |k: u32| f64::from((i >> k & 1) * 2) - 1.0;
        Vec3::new(side(0), side(1), side(2)) * half
    };
    let quads = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ];
    let triangles = quads
        .iter()
        .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
    ((0..8).map(corner).collect(), triangles.collect())
}

/// A ball of the given radius \[m\]: an icosahedron, each triangle cut in four `subdivisions`
/// times (at most 7), vertices on the sphere.
pub fn icosphere(radius: f64, subdivisions: u32) -> TriMesh {
    let long = 0.5 * (1.0 + 5.0_f64.sqrt());
    let mut vertices = Vec::new();
    for (x, y) in [(-1.0, long), (1.0, long), (-1.0, -long), (1.0, -long)] {
        for point in [
            Vec3::new(x, y, 0.0),
            Vec3::new(0.0, x, y),
            Vec3::new(y, 0.0, x),
        ] {
            vertices.push(point.normalize());
        }
    }
    // faces of the convex hull: triples of mutual neighbours, seen from outside
    let near = |a: usize, b: usize| (vertices[a] - vertices[b]).length() < 1.1;
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if near(a, b) && near(b, c) && near(c, a) {
                    let out = vertices[a].dot(vertices[b].cross(vertices[c])) > 0.0;
                    let [b, c] = if out { [b, c] } else { [c, b] };
                    triangles.push([a as u32, b as u32, c as u32]);
                }
            }
        }
    }
    for _ in 0..subdivisions.min(7) {
        let mut middles: HashMap<(u32, u32), u32> = HashMap::new();
        let mut middle = |a: u32, b: u32| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                let point = vertices[a as usize] + vertices[b as usize];
                vertices.push(point.normalize());
                vertices.len() as u32 - 1
            })
        };
        let mut finer = Vec::with_capacity(4 * triangles.len());
        for &[a, b, c] in &triangles {
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            finer.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
        triangles = finer;
    }
    let radius = positive(radius);
    solid(vertices.iter().map(|&v| v * radius).collect(), triangles)
}

/// A ring about the y axis: a circle of radius `tube` swept along one of radius `ring` \[m\],
/// with `around` and `across` pieces (3 to 4096). `tube` must be the smaller and is made so.
pub fn torus(ring: f64, tube: f64, around: u32, across: u32) -> TriMesh {
    let ring = positive(ring);
    let tube = positive(tube).min(0.99 * ring);
    let (around, across) = (around.clamp(3, 4096), across.clamp(3, 4096));
    let turn = |i: u32, n: u32| 2.0 * std::f64::consts::PI * f64::from(i) / f64::from(n);
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..around {
        for j in 0..across {
            let (u, v) = (turn(i, around), turn(j, across));
            let r = ring + tube * functions::cos(v);
            vertices.push(Vec3::new(
                r * functions::cos(u),
                tube * functions::sin(v),
                -r * functions::sin(u),
            ));
            let at = |i: u32, j: u32| i % around * across + j % across;
            let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    solid(vertices, triangles)
}

/// An L in the xy plane: a square of edge `size` without the upper right part, arms of
/// width `arm`, extruded along z by `depth` \[m\]. The full square is centred on the origin.
pub fn l_shape(size: f64, arm: f64, depth: f64) -> TriMesh {
    let (size, depth) = (positive(size), positive(depth));
    let arm = positive(arm).min(0.9 * size);
    let outline = [
        (0.0, 0.0),
        (size, 0.0),
        (size, arm),
        (arm, arm),
        (arm, size),
        (0.0, size),
    ];
    let shift = Vec3::new(size, size, depth) * 0.5;
    let mut vertices = Vec::new();
    for z in [0.0, depth] {
        vertices.extend(outline.map(|(x, y)| Vec3::new(x, y, z) - shift));
    }
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    // the two ends, fanned from the inner corner, which sees everything
    for [a, b] in [[4, 5], [5, 0], [0, 1], [1, 2]] {
        triangles.extend([[3, b, a], [9, a + 6, b + 6]]);
    }
    for i in 0..6 {
        let next = (i + 1) % 6;
        triangles.extend([[i, next, next + 6], [i, next + 6, i + 6]]);
    }
    solid(vertices, triangles)
}

/// A grazing animal, 1.0 m long (x, head forwards), 0.60 m high (y) and 0.32 m wide (z), its
/// bounding box centred on the origin: body, neck, head, horns, ears, legs with flat soles, tail.
pub fn animal() -> TriMesh {
    animal::mesh()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_builder_encloses_its_volume() {
        let pi = std::f64::consts::PI;
        for (name, mesh, volume, tolerance) in [
            ("box", cuboid(Vec3::new(1.0, 2.0, 3.0)), 48.0, 1e-12),
            ("L", l_shape(1.0, 0.4, 0.5), 0.32, 1e-14),
            ("ball", icosphere(1.0, 4), 4.0 / 3.0 * pi, 0.02),
            ("ring", torus(0.5, 0.2, 128, 64), pi * pi * 0.04, 1.2e-3),
        ] {
            let error = (mesh.volume() - volume).abs();
            assert!(error < tolerance, "{name}: {error:.1e}");
        }
    }

    #[test]
    fn absurd_sizes_still_make_a_solid() {
        for x in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(cuboid(Vec3::splat(x)).volume() > 0.0);
            assert!(icosphere(x, 1).volume() > 0.0);
            assert!(torus(x, x, 0, 5000).volume() > 0.0);
            assert!(l_shape(x, 1.0, x).volume() > 0.0);
        }
        // a sheet of a floor, of which the corners would be welded
        assert!(cuboid(Vec3::new(5000.0, 5e-6, 5000.0)).volume() > 0.0);
        assert!(cuboid(Vec3::new(1e-30, 1e20, 1.0)).volume() > 0.0);
    }
}
