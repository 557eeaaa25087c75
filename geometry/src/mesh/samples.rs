//! Points spread over a surface, in a tree of balls that lets whole regions be skipped.

use drystone_base::Vec3;

use super::Surface;

/// Samples in a leaf of the tree.
const LEAF: usize = 8;
/// Most samples taken from faces and edges; vertices are always taken.
const MOST_SAMPLES: f64 = 400_000.0;

/// A point of the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// \[m\]
    pub point: Vec3,
    /// Outward unit normal.
    pub normal: Vec3,
    /// How far the normals of the triangles that meet here lean from `normal`, at most: cosine \[1\].
    pub spread: f64,
}

/// A ball around a run of samples. The nodes stand in depth-first order, so that
/// "skip everything below" is a jump to `skip`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Node {
    centre: Vec3,
    radius: f64,
    first: u32,
    /// Zero for a node with children.
    count: u32,
    skip: u32,
}

/// Surface samples, ordered by the leaves of a tree of bounding balls.
#[derive(Clone, Debug, PartialEq)]
pub struct SphereTree {
    samples: Vec<Sample>,
    nodes: Vec<Node>,
    spacing: f64,
}

impl SphereTree {
    /// Vertices, then edges and faces longer than `spacing` subdivided until neighbouring
    /// samples are at most `spacing` apart \[m\]. Absurdly fine wishes are coarsened.
    pub fn new(surface: &Surface, spacing: f64) -> Self {
        let mesh = surface.mesh();
        let pieces_wanted = mesh.area() / (spacing * spacing);
        let spacing = if pieces_wanted.is_finite() && pieces_wanted <= MOST_SAMPLES {
            spacing
        } else {
            (mesh.area() / MOST_SAMPLES).sqrt()
        };
        let mut samples: Vec<Sample> = Vec::with_capacity(mesh.vertices().len());
        let mut add = |point: Vec3, normal: Vec3, around: &[Vec3]| {
            let normal = normal.normalize_or(Vec3::Y);
            let leans = around.iter().map(|n| n.dot(normal));
            samples.push(Sample {
                point,
                normal,
                spread: leans.fold(1.0, f64::min),
            });
        };
        // the least cosine between each vertex normal and the normals around it
        let mut spread = vec![1.0_f64; mesh.vertices().len()];
        for (t, corners) in mesh.triangles().iter().enumerate() {
            for &v in corners {
                let normal = surface.vertex_normal(v as usize).normalize_or(Vec3::Y);
                let lean = surface.face_normal(t).dot(normal);
                spread[v as usize] = spread[v as usize].min(lean);
            }
        }
        for (v, &point) in mesh.vertices().iter().enumerate() {
            add(point, surface.vertex_normal(v), &[]);
        }
        for (t, corners) in mesh.triangles().iter().enumerate() {
            let [a, b, c] = mesh.corners(t);
            let sides = [b - a, c - b, a - c].map(|s| s.length());
            let face = surface.face_normal(t);
            // each edge by the triangle that walks it upwards
            for k in 0..3 {
                if corners[k] < corners[(k + 1) % 3] {
                    let (from, to) = ([a, b, c][k], [b, c, a][k]);
                    let pieces = (sides[k] / spacing).ceil() as usize;
                    for i in 1..pieces {
                        let point = from.lerp(to, i as f64 / pieces as f64);
                        // the edge's normal halves the angle between its two faces
                        add(point, surface.edge_normal(t, k), &[face]);
                    }
                }
            }
            // the inner points of a triangular lattice; a needle is sampled by its edges alone
            let longest = sides.iter().fold(0.0_f64, |m, &s| m.max(s));
            let doubled = (b - a).cross(c - a).length();
            let pieces = (longest / spacing).ceil() as usize;
            if pieces < 3 || doubled / longest < 0.5 * spacing {
                continue;
            }
            for i in 1..pieces {
                for j in 1..pieces - i {
                    let (s, u) = (i as f64 / pieces as f64, j as f64 / pieces as f64);
                    add(a + (b - a) * s + (c - a) * u, face, &[]);
                }
            }
        }
        for (sample, &least) in samples.iter_mut().zip(&spread) {
            sample.spread = least;
        }

        let mut nodes = Vec::with_capacity(samples.len() / 2);
        split(&mut samples, 0, &mut nodes);
        Self {
            samples,
            nodes,
            spacing,
        }
    }

    /// All samples; their places are their feature numbers.
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// Wanted distance between neighbours \[m\].
    pub fn spacing(&self) -> f64 {
        self.spacing
    }

    /// Calls `visit` with every sample that lies in no skipped ball, in ascending order.
    ///
    /// `skip(centre, radius)` says whether nothing inside that ball is of interest.
    #[inline]
    pub fn visit(
        &self,
        mut skip: impl FnMut(Vec3, f64) -> bool,
        mut visit: impl FnMut(u32, &Sample),
    ) {
        let mut index = 0;
        while let Some(node) = self.nodes.get(index) {
            if skip(node.centre, node.radius) {
                index = node.skip as usize;
                continue;
            }
            for i in node.first..node.first + node.count {
                visit(i, &self.samples[i as usize]);
            }
            index += 1;
        }
    }
}

/// Adds the node over `samples` (whose first has the number `first`) and those below it.
fn split(samples: &mut [Sample], first: usize, nodes: &mut Vec<Node>) {
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for sample in samples.iter() {
        low = low.min(sample.point);
        high = high.max(sample.point);
    }
    let centre = 0.5 * (low + high);
    let radius = samples
        .iter()
        .fold(0.0_f64, |r, s| r.max((s.point - centre).length()));
    let index = nodes.len();
    let leaf = samples.len() <= LEAF;
    nodes.push(Node {
        centre,
        radius,
        first: first as u32,
        count: if leaf { samples.len() as u32 } else { 0 },
        skip: 0,
    });
    if !leaf {
        let axis = (high - low).max_position();
        let middle = samples.len() / 2;
        // ties by the other axes: equal points are interchangeable up to their normals,
        // and a stable sort keeps those in the order taken
        samples.sort_by(|x, y| {
            x.point[axis]
                .total_cmp(&y.point[axis])
                .then(x.point[(axis + 1) % 3].total_cmp(&y.point[(axis + 1) % 3]))
                .then(x.point[(axis + 2) % 3].total_cmp(&y.point[(axis + 2) % 3]))
        });
        let (left, right) = samples.split_at_mut(middle);
        split(left, first, nodes);
        split(right, first + middle, nodes);
    }
    nodes[index].skip = nodes.len() as u32;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::build;
    use drystone_base::random::Random;

    #[test]
    fn no_point_of_the_surface_is_further_than_the_spacing_from_a_sample() {
        let surface = Surface::new(build::l_shape(1.0, 0.4, 0.5));
        let tree = SphereTree::new(&surface, 0.06);
        let mut random = Random::new(1);
        let mut worst = 0.0_f64;
        for _ in 0..2_000 {
            let t = random.below(surface.mesh().triangles().len());
            let [a, b, c] = surface.mesh().corners(t);
            let (mut s, mut u) = (random.unit(), random.unit());
            if s + u > 1.0 {
                (s, u) = (1.0 - s, 1.0 - u);
            }
            let p = a + (b - a) * s + (c - a) * u;
            let gaps = tree.samples().iter().map(|x| (x.point - p).length());
            worst = worst.max(gaps.fold(f64::INFINITY, f64::min));
        }
        assert!(worst < 0.06, "{worst}"); // measured: 0.032
    }

    #[test]
    fn samples_lie_on_the_surface_with_normals_that_leave_it() {
        let surface = Surface::new(build::animal());
        let tree = SphereTree::new(&surface, 0.01);
        for sample in tree.samples() {
            assert!((sample.normal.length() - 1.0).abs() < 1e-12);
            let out = surface.closest_point(sample.point + sample.normal * 1e-6);
            assert!(out.distance > 0.0, "{sample:?}");
        }
    }

    #[test]
    fn skipping_balls_loses_no_sample_near_a_point() {
        let tree = SphereTree::new(&Surface::new(build::animal()), 0.03);
        let mut random = Random::new(2);
        for _ in 0..200 {
            let p = Vec3::new(random.range(-0.5, 0.5), random.range(-0.3, 0.3), 0.1);
            let reach = random.range(0.0, 0.2);
            let (mut found, mut balls) = (Vec::new(), 0);
            tree.visit(
                |centre, radius| {
                    balls += 1;
                    (centre - p).length() > radius + reach
                },
                |i, sample| {
                    if (sample.point - p).length() <= reach {
                        found.push(i);
                    }
                },
            );
            let wanted: Vec<u32> = (0..tree.samples().len() as u32)
                .filter(|&i| (tree.samples()[i as usize].point - p).length() <= reach)
                .collect();
            assert_eq!(found, wanted);
        }
    }
}
