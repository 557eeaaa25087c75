//! Surfaces of shapes: polygons where a format can take them, smooth triangles where it cannot.

use drystone_base::functions::{cos, sin};
use drystone_base::{Pose, Vec3};
use drystone_geometry::Hull;
use drystone_world::Shape;

/// Flat faces between points, counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Polygons {
    /// \[m\]
    pub(crate) points: Vec<Vec3>,
    /// Corners of each face.
    pub(crate) counts: Vec<u32>,
    /// The corners of all faces in turn.
    pub(crate) indices: Vec<u32>,
}

impl Polygons {
    fn faces(&self) -> impl Iterator<Item = &[u32]> {
        let mut rest = self.indices.as_slice();
        self.counts.iter().map(move |&count| {
            let (face, after) = rest.split_at(count as usize);
            rest = after;
            face
        })
    }
}

/// The polygons of a shape with flat faces; a half-space is a square that reaches `floor` \[m\].
/// Nothing for round shapes and compounds.
pub(crate) fn polygons(shape: &Shape, floor: f64) -> Option<Polygons> {
    match shape {
        Shape::Box { size } => {
            let half = Vec3::from(*size) * 0.5;
            let corner = |i: usize| {
                let side = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
                half * Vec3::new(side(0), side(1), side(2))
            };
            const FACES: [[u32; 4]; 6] = [
                [0, 4, 6, 2],
                [1, 3, 7, 5],
                [0, 1, 5, 4],
                [2, 6, 7, 3],
                [0, 2, 3, 1],
                [4, 5, 7, 6],
            ];
            Some(Polygons {
                points: (0..8).map(corner).collect(),
                counts: vec![4; 6],
                indices: FACES.concat(),
            })
        }
        Shape::HalfSpace => {
            let corner = |x: f64, z: f64| Vec3::new(x * floor, 0.0, z * floor);
            Some(Polygons {
                points: vec![
                    corner(-1.0, -1.0),
                    corner(-1.0, 1.0),
                    corner(1.0, 1.0),
                    corner(1.0, -1.0),
                ],
                counts: vec![4],
                indices: vec![0, 1, 2, 3],
            })
        }
        Shape::Hull { points } => {
            let points: Vec<Vec3> = points.iter().map(|&p| Vec3::from(p)).collect();
            let hull = Hull::new(&points).ok()?;
            let rings = || hull.faces().iter().map(|face| hull.ring(face));
            Some(Polygons {
                points: hull.points().to_vec(),
                counts: rings().map(|ring| ring.len() as u32).collect(),
                indices: rings().flatten().copied().collect(),
            })
        }
        Shape::Mesh(mesh) => {
            let (points, triangles) = mesh.resolved()?;
            Some(Polygons {
                points,
                counts: vec![3; triangles.len()],
                indices: triangles.concat(),
            })
        }
        Shape::Sphere { .. } | Shape::Capsule { .. } | Shape::Compound { .. } => None,
    }
}

/// Triangles with a normal at each corner.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Surface {
    /// \[m\]
    pub(crate) positions: Vec<Vec3>,
    /// Unit normals.
    pub(crate) normals: Vec<Vec3>,
    /// Counter-clockwise seen from outside.
    pub(crate) triangles: Vec<[u32; 3]>,
}

/// The surface of any shape, the parts of a compound together.
pub(crate) fn surface(shape: &Shape, floor: f64) -> Surface {
    match shape {
        Shape::Sphere { radius } => round(0.0, *radius),
        Shape::Capsule { length, radius } => round(*length, *radius),
        Shape::Compound { parts } => {
            let mut whole = Surface::default();
            for part in parts {
                whole.append(&surface(&part.shape, floor), &part.pose());
            }
            whole
        }
        flat => polygons(flat, floor)
            .map(|p| shaded(&p))
            .unwrap_or_default(),
    }
}

impl Surface {
    fn append(&mut self, part: &Self, pose: &Pose) {
        let first = self.positions.len() as u32;
        self.positions
            .extend(part.positions.iter().map(|&p| pose.point(p)));
        self.normals
            .extend(part.normals.iter().map(|&n| pose.direction(n)));
        self.triangles
            .extend(part.triangles.iter().map(|t| t.map(|i| i + first)));
    }
}

/// Segments around, and from pole to pole.
const AROUND: u32 = 24;
const RINGS: u32 = 12;

/// A ball, or a capsule whose halves are `length` apart along y.
fn round(length: f64, radius: f64) -> Surface {
    let mut made = Surface::default();
    let capsule = length > 0.0;
    // rings from the top down; a capsule has its equator twice
    let mut rings: Vec<(u32, f64)> = (1..RINGS).map(|i| (i, 0.0)).collect();
    if capsule {
        let shift = |i: u32| {
            if i <= RINGS / 2 {
                0.5 * length
            } else {
                -0.5 * length
            }
        };
        rings = (1..RINGS).map(|i| (i, shift(i))).collect();
        rings.insert((RINGS / 2) as usize, (RINGS / 2, -0.5 * length));
    }
    let mut put = |normal: Vec3, shift: f64| {
        made.positions.push(normal * radius + Vec3::Y * shift);
        made.normals.push(normal);
    };
    put(Vec3::Y, 0.5 * length);
    for &(i, shift) in &rings {
        let polar = std::f64::consts::PI * f64::from(i) / f64::from(RINGS);
        for k in 0..AROUND {
            let turn = std::f64::consts::TAU * f64::from(k) / f64::from(AROUND);
            let (s, c) = (sin(polar), cos(polar));
            put(
                Vec3::new(s * sin(turn), c, s * cos(turn)).normalize(),
                shift,
            );
        }
    }
    put(Vec3::NEG_Y, -0.5 * length);
    let (count, bottom) = (rings.len() as u32, made.positions.len() as u32 - 1);
    let at = |ring: u32, k: u32| 1 + ring * AROUND + k % AROUND;
    for k in 0..AROUND {
        made.triangles.push([0, at(0, k), at(0, k + 1)]);
        for ring in 0..count - 1 {
            let (a, b) = (at(ring, k), at(ring, k + 1));
            let (c, d) = (at(ring + 1, k), at(ring + 1, k + 1));
            made.triangles.extend([[a, c, d], [a, d, b]]);
        }
        made.triangles
            .push([at(count - 1, k), bottom, at(count - 1, k + 1)]);
    }
    made
}

/// Cosine of the angle between faces up to which they are shaded as one curved surface: about 40 degrees.
const CREASE: f64 = 0.766;

/// Triangles of polygons with their own corners; normals are smoothed, but not over creases.
fn shaded(flat: &Polygons) -> Surface {
    // twice the area times the normal, and who meets at a point
    let area = |face: &[u32]| {
        let p = |k: usize| flat.points[face[k] as usize];
        (1..face.len() - 1)
            .map(|k| (p(k) - p(0)).cross(p(k + 1) - p(0)))
            .sum::<Vec3>()
    };
    let areas: Vec<Vec3> = flat.faces().map(area).collect();
    let mut meeting: Vec<Vec<u32>> = vec![Vec::new(); flat.points.len()];
    for (f, face) in flat.faces().enumerate() {
        for &i in face {
            meeting[i as usize].push(f as u32);
        }
    }
    let mut made = Surface::default();
    for (f, face) in flat.faces().enumerate() {
        let own = areas[f].normalize_or_zero();
        if own == Vec3::ZERO {
            continue;
        }
        let first = made.positions.len() as u32;
        for &i in face {
            let near = meeting[i as usize].iter().map(|&g| areas[g as usize]);
            let smooth: Vec3 = near
                .filter(|a| a.normalize_or_zero().dot(own) > CREASE)
                .sum();
            made.positions.push(flat.points[i as usize]);
            made.normals.push(smooth.normalize_or(own));
        }
        made.triangles
            .extend((1..face.len() as u32 - 1).map(|k| [first, first + k, first + k + 1]));
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_world::{Builtin, Mesh, Part};

    fn volume(surface: &Surface) -> f64 {
        let corner = |t: &[u32; 3]| t.map(|i| surface.positions[i as usize]);
        let six = surface.triangles.iter().map(|t| {
            let [a, b, c] = corner(t);
            a.dot(b.cross(c))
        });
        six.sum::<f64>() / 6.0
    }

    #[test]
    fn surfaces_face_outwards_and_enclose_their_volume() {
        let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let block = Shape::block(1.0, 2.0, 3.0);
        let ball = std::f64::consts::PI * 4.0 / 3.0;
        let pill = ball / 8.0 + std::f64::consts::PI * 0.25 * 2.0;
        let parts = vec![
            Part::new(block.clone(), [0.0, 5.0, 0.0]).turned([1.0, 0.0, 0.0], 30.0),
            Part::new(block.clone(), [0.0; 3]),
        ];
        // (shape, volume, how much the flat facets may lack)
        let table = [
            (block, 6.0, 1e-12),
            (Shape::ball(1.0), ball, 0.04),
            (
                Shape::Capsule {
                    length: 2.0,
                    radius: 0.5,
                },
                pill,
                0.04,
            ),
            (Shape::Hull { points }, 1.0 / 6.0, 1e-12),
            (Shape::Compound { parts }, 12.0, 1e-12),
        ];
        for (shape, wanted, lack) in table {
            let made = surface(&shape, 10.0);
            let found = volume(&made) / wanted;
            // measured: 0.974 for the ball, 0.980 for the capsule, 1 within 1e-15 for the others
            assert!(
                found <= 1.0 + 1e-12 && found > 1.0 - lack,
                "{}: {found}",
                shape.kind()
            );
            for (t, n) in made
                .triangles
                .iter()
                .flat_map(|t| t.map(|i| (t, made.normals[i as usize])))
            {
                let [a, b, c] = t.map(|i| made.positions[i as usize]);
                assert!((n.length() - 1.0).abs() < 1e-12);
                assert!(
                    (b - a).cross(c - a).normalize().dot(n) > 0.7,
                    "{}",
                    shape.kind()
                );
            }
        }
        let animal = surface(&Shape::Mesh(Mesh::builtin(Builtin::Animal)), 1.0);
        assert!(volume(&animal) > 0.0 && animal.triangles.len() > 50);
    }
}
