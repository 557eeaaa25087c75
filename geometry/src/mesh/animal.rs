//! A leggy concave animal: an implicit body of rounded limbs, made into triangles.

use drystone_base::Vec3;

use super::TriMesh;

/// Edge of a cell while making triangles \[m\].
const CELL: f64 = 0.0255;

/// A limb: all points within a radius, which changes from end to end, of a segment.
struct Limb {
    from: [f64; 3],
    to: [f64; 3],
    radii: [f64; 2],
    /// Radius of the blend between it and the rest \[m\].
    blend: f64,
    /// Whether its mirror image across z = 0 is there too.
    pair: bool,
}

const fn limb(from: [f64; 3], to: [f64; 3], radii: [f64; 2], blend: f64, pair: bool) -> Limb {
    Limb {
        from,
        to,
        radii,
        blend,
        pair,
    }
}

/// Limbs of an animal that stands on y = 0 and looks along x.
const LIMBS: [Limb; 16] = [
    // trunk: rump to shoulder, belly, withers
    limb(
        [-0.24, 0.365, 0.0],
        [0.13, 0.36, 0.0],
        [0.115, 0.12],
        0.05,
        false,
    ),
    limb(
        [-0.14, 0.335, 0.035],
        [0.06, 0.33, 0.035],
        [0.112, 0.117],
        0.06,
        true,
    ),
    limb(
        [0.08, 0.43, 0.0],
        [0.17, 0.43, 0.0],
        [0.055, 0.05],
        0.06,
        false,
    ),
    // neck and head
    limb(
        [0.15, 0.39, 0.0],
        [0.315, 0.495, 0.0],
        [0.09, 0.058],
        0.05,
        false,
    ),
    limb(
        [0.325, 0.51, 0.0],
        [0.455, 0.425, 0.0],
        [0.062, 0.043],
        0.03,
        false,
    ),
    // ears and horns
    limb(
        [0.295, 0.525, 0.04],
        [0.27, 0.53, 0.1],
        [0.024, 0.021],
        0.015,
        true,
    ),
    limb(
        [0.335, 0.545, 0.03],
        [0.345, 0.575, 0.075],
        [0.024, 0.022],
        0.015,
        true,
    ),
    limb(
        [0.345, 0.575, 0.075],
        [0.37, 0.62, 0.085],
        [0.022, 0.019],
        0.01,
        true,
    ),
    // hind legs: thigh, shank, cannon
    limb(
        [-0.245, 0.34, 0.075],
        [-0.225, 0.23, 0.085],
        [0.075, 0.05],
        0.05,
        true,
    ),
    limb(
        [-0.225, 0.23, 0.085],
        [-0.265, 0.14, 0.085],
        [0.048, 0.033],
        0.03,
        true,
    ),
    limb(
        [-0.265, 0.14, 0.085],
        [-0.245, 0.015, 0.085],
        [0.033, 0.037],
        0.02,
        true,
    ),
    // fore legs: shoulder, cannon
    limb(
        [0.14, 0.33, 0.075],
        [0.135, 0.16, 0.08],
        [0.065, 0.034],
        0.05,
        true,
    ),
    limb(
        [0.135, 0.16, 0.08],
        [0.14, 0.015, 0.08],
        [0.033, 0.037],
        0.02,
        true,
    ),
    // udder
    limb(
        [-0.15, 0.225, 0.0],
        [-0.11, 0.225, 0.0],
        [0.045, 0.04],
        0.03,
        false,
    ),
    // tail
    limb(
        [-0.33, 0.42, 0.0],
        [-0.4, 0.37, 0.0],
        [0.024, 0.021],
        0.02,
        false,
    ),
    limb(
        [-0.4, 0.37, 0.0],
        [-0.42, 0.21, 0.0],
        [0.021, 0.028],
        0.015,
        false,
    ),
];

/// Roughly the distance from the animal's skin, negative inside \[m\].
fn field(p: Vec3) -> f64 {
    let mut d = f64::INFINITY;
    for part in &LIMBS {
        let q = if part.pair { p.with_z(p.z.abs()) } else { p };
        let (a, b) = (Vec3::from_array(part.from), Vec3::from_array(part.to));
        let along = ((q - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
        let radius = part.radii[0] + (part.radii[1] - part.radii[0]) * along;
        let distance = (q - a.lerp(b, along)).length() - radius;
        // smooth minimum: lower by up to a quarter of the blend where both are near
        let overlap = (part.blend - (d - distance).abs()).max(0.0) / part.blend;
        let dent = if d.is_finite() {
            0.25 * overlap * overlap * part.blend
        } else {
            0.0
        };
        d = d.min(distance) - dent;
    }
    // flat soles
    d.max(-p.y)
}

/// The skin as a closed mesh, scaled to exactly 1.0 x 0.60 x 0.32 m about the origin.
pub(super) fn mesh() -> TriMesh {
    let (vertices, triangles) = skin();
    let standing = TriMesh::closed(vertices, triangles).expect("the skin of the field is closed");
    let bounds = standing.bounds();
    let middle = 0.5 * (bounds.low + bounds.high);
    let scale = Vec3::new(1.0, 0.6, 0.32) / (bounds.high - bounds.low);
    standing
        .transformed(|v| (v - middle) * scale)
        .expect("scaling keeps a mesh closed")
}

/// Dual polygons of the zero set: one vertex in each cell that the skin passes through, one
/// quadrilateral across each grid edge it cuts.
fn skin() -> (Vec<Vec3>, Vec<[u32; 3]>) {
    // the field at the points of a grid
    let low = Vec3::new(-0.52, -0.04, -0.2295);
    let [nx, ny, nz] = [43, 29, 19];
    let at = |x: usize, y: usize, z: usize| x + nx * (y + ny * z);
    let position =
        |x: usize, y: usize, z: usize| low + Vec3::new(x as f64, y as f64, z as f64) * CELL;
    let mut values = Vec::with_capacity(nx * ny * nz);
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                values.push(field(position(x, y, z)));
            }
        }
    }

    fill_checkered_squares(&mut values, [nx, ny, nz]);

    // vertices: the mean of the cut points on the cell's edges, then drawn onto the skin
    let mut vertices = Vec::new();
    let mut vertex_of = vec![u32::MAX; values.len()];
    for z in 0..nz - 1 {
        for y in 0..ny - 1 {
            for x in 0..nx - 1 {
                let (mut sum, mut cuts) = (Vec3::ZERO, 0.0);
                for corner in 0..8 {
                    for axis in 0..3 {
                        if corner >> axis & 1 == 1 {
                            continue;
                        }
                        let [p, q] = [corner, corner | 1 << axis]
                            .map(|c| [x + (c & 1), y + (c >> 1 & 1), z + (c >> 2)]);
                        let (f, g) = (values[at(p[0], p[1], p[2])], values[at(q[0], q[1], q[2])]);
                        if (f < 0.0) != (g < 0.0) {
                            let (a, b) = (position(p[0], p[1], p[2]), position(q[0], q[1], q[2]));
                            sum += a.lerp(b, f / (f - g));
                            cuts += 1.0;
                        }
                    }
                }
                if cuts > 0.0 {
                    vertex_of[at(x, y, z)] = vertices.len() as u32;
                    vertices.push(drawn_onto_skin(sum / cuts));
                }
            }
        }
    }

    // faces: around each cut edge, the four cells that share it
    let mut triangles = Vec::new();
    for z in 1..nz - 1 {
        for y in 1..ny - 1 {
            for x in 1..nx - 1 {
                let here = values[at(x, y, z)] < 0.0;
                for (axis, step) in [[1, 0, 0], [0, 1, 0], [0, 0, 1]].into_iter().enumerate() {
                    let there = values[at(x + step[0], y + step[1], z + step[2])] < 0.0;
                    if here == there {
                        continue;
                    }
                    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                    let cell = |du: usize, dv: usize| {
                        let mut c = [x, y, z];
                        c[u] -= du;
                        c[v] -= dv;
                        vertex_of[at(c[0], c[1], c[2])]
                    };
                    let mut quad = [cell(1, 1), cell(0, 1), cell(0, 0), cell(1, 0)];
                    if there {
                        quad.reverse();
                    }
                    let [a, b, c, d] = quad;
                    let span =
                        |i: u32, j: u32| (vertices[i as usize] - vertices[j as usize]).length();
                    if span(a, c) <= span(b, d) {
                        triangles.extend([[a, b, c], [a, c, d]]);
                    } else {
                        triangles.extend([[b, c, d], [b, d, a]]);
                    }
                }
            }
        }
    }
    (vertices, triangles)
}

/// Where a grid square has both diagonals of one sign each, two sheets would share an edge;
/// its outer corner nearest to the skin is moved inside until there is no such square.
fn fill_checkered_squares(values: &mut [f64], [nx, ny, nz]: [usize; 3]) {
    let steps = [1, nx, nx * ny];
    let mut changed = true;
    while changed {
        changed = false;
        for z in 0..nz - 1 {
            for y in 0..ny - 1 {
                for x in 0..nx - 1 {
                    let first = x + nx * (y + ny * z);
                    for axis in 0..3 {
                        let (u, v) = (steps[axis], steps[(axis + 1) % 3]);
                        let square = [first, first + u, first + u + v, first + v];
                        let inside = square.map(|i| values[i] < 0.0);
                        let [a, b, c, d] = inside;
                        if a == c && b == d && a != b {
                            let outer = if a {
                                [square[1], square[3]]
                            } else {
                                [square[0], square[2]]
                            };
                            let near = if values[outer[0]] <= values[outer[1]] {
                                0
                            } else {
                                1
                            };
                            values[outer[near]] = -0.05 * CELL;
                            changed = true;
                        }
                    }
                }
            }
        }
    }
}

/// A few Newton steps along the gradient, together never leaving the neighbourhood.
fn drawn_onto_skin(start: Vec3) -> Vec3 {
    const H: f64 = 1e-5;
    let mut p = start;
    for _ in 0..3 {
        let slope = |axis: Vec3| (field(p + axis * H) - field(p - axis * H)) / (2.0 * H);
        let gradient = Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z));
        let step = gradient * (field(p) / gradient.length_squared().max(0.1));
        p -= step.clamp_length_max(0.25 * CELL);
    }
    p
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_animal_is_one_closed_body_on_four_soles() {
        let animal = mesh();
        let count = animal.vertices().len();
        assert!((700..2500).contains(&count), "{count} vertices"); // measured: 2082
        let size = animal.bounds().high - animal.bounds().low;
        assert!(
            (size - Vec3::new(1.0, 0.6, 0.32)).length() < 1e-12,
            "{size}"
        );
        // a single surface without handles: V - E + F = 2
        let faces = animal.triangles().len();
        assert_eq!(count + faces - faces * 3 / 2, 2);
        // low points in all four quarters
        for (front, left) in [(true, true), (true, false), (false, true), (false, false)] {
            let sole = animal
                .vertices()
                .iter()
                .filter(|v| v.y < -0.3 + 1e-3 && (v.x > 0.0) == front && (v.z > 0.0) == left);
            assert!(sole.count() >= 3);
        }
    }
}
