//! Bodies as cloth sees them: triangles and half-spaces that move with them.

use drystone_base::{Pose, Vec3};
use drystone_geometry::Hull;
use drystone_geometry::mesh::build;

use crate::Shape;

/// The surface of a solid as triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Triangles {
    pub points: Vec<Vec3>,
    pub faces: Vec<[u32; 3]>,
    /// Half-spaces, by three points each.
    pub planes: Vec<[u32; 3]>,
}

impl Triangles {
    fn add(&mut self, part: &Self, pose: &Pose) {
        let first = self.points.len() as u32;
        self.points
            .extend(part.points.iter().map(|&p| pose.point(p)));
        let moved = |face: &[u32; 3]| face.map(|v| v + first);
        self.faces.extend(part.faces.iter().map(moved));
        self.planes.extend(part.planes.iter().map(moved));
    }
}

/// Triangles of `shape`, in its frame. Round ones lie within, by no more than `sag` where that takes
/// at most 2562 vertices; a half-space is a plane without end, through points as far out as `floor` \[m\].
pub(crate) fn triangles(shape: &Shape, sag: f64, floor: f64) -> Triangles {
    let of = |mesh: &drystone_geometry::TriMesh| Triangles {
        points: mesh.vertices().to_vec(),
        faces: mesh.triangles().to_vec(),
        planes: Vec::new(),
    };
    match shape {
        Shape::Box { size } => {
            let (points, faces) = build::box_surface(Vec3::from(*size) * 0.5);
            Triangles {
                points,
                faces,
                planes: Vec::new(),
            }
        }
        Shape::Sphere { radius } => of(&build::icosphere(*radius, subdivisions(*radius, sag))),
        Shape::Capsule { length, radius } => {
            let mut ball = of(&build::icosphere(*radius, subdivisions(*radius, sag)));
            let half = Vec3::Y * (0.5 * length);
            for p in &mut ball.points {
                *p += if p.y > 0.0 { half } else { -half };
            }
            ball
        }
        Shape::HalfSpace => {
            // counterclockwise, seen from above
            let corner = |x: f64, z: f64| Vec3::new(x * floor, 0.0, z * floor);
            Triangles {
                points: vec![corner(1.0, 0.0), corner(-0.5, -0.87), corner(-0.5, 0.87)],
                faces: Vec::new(),
                planes: vec![[0, 1, 2]],
            }
        }
        Shape::Hull { points } => {
            let points: Vec<Vec3> = points.iter().map(|&p| Vec3::from(p)).collect();
            let hull = Hull::new(&points).ok();
            hull.map_or_else(Triangles::default, |hull| Triangles {
                points: hull.points().to_vec(),
                faces: hull.triangles().to_vec(),
                planes: Vec::new(),
            })
        }
        Shape::Compound { parts } => {
            let mut whole = Triangles::default();
            for part in parts {
                whole.add(&triangles(&part.shape, sag, floor), &part.pose());
            }
            whole
        }
        Shape::Mesh(mesh) => {
            let (points, faces) = mesh.resolved().unwrap_or_default();
            Triangles {
                points,
                faces,
                planes: Vec::new(),
            }
        }
    }
}

/// Subdivisions of an icosahedron after which its faces lie no deeper than `sag` in the ball.
fn subdivisions(radius: f64, sag: f64) -> u32 {
    // its faces lie 0.066 of the radius deep after the first cut, and a little more than a quarter of that
    // after each further one
    let deep = |k: u32| radius * 0.3 / f64::from(4u32.pow(k));
    (1..4).find(|&k| deep(k) <= sag).unwrap_or(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_of_a_ball_lie_no_deeper_than_asked() {
        for sag in [0.07, 0.02, 0.005, 0.0012] {
            let ball = triangles(&Shape::Sphere { radius: 1.0 }, sag, 1.0);
            let middle = |face: &[u32; 3]| {
                let corners = face.map(|v| ball.points[v as usize]);
                (corners[0] + corners[1] + corners[2]) / 3.0
            };
            let depths = ball.faces.iter().map(|face| 1.0 - middle(face).length());
            let deepest = depths.fold(0.0, f64::max);
            assert!(deepest <= sag, "{deepest} for {sag}");
        }
    }
}
