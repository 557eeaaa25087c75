//! Signed distance maps: the distance to a surface on a regular grid, interpolated between.

use drystone_base::Vec3;
use rayon::prelude::*;

use super::Surface;

/// Cells between the surface's bounding box and the border of the grid.
const PADDING: usize = 2;
/// Most nodes of a grid: 64 MB. Grids that would be finer are made coarser.
const MOST_NODES: usize = 1 << 24;
/// Most cells along one axis.
const FINEST: usize = 1024;

/// Distances at the nodes of a regular grid around a surface, negative inside \[m\].
///
/// Nodes hold the exact distance (rounded to `f32`). Interpolation errs by at most
/// `error_bound` anywhere, and by nothing along flat faces away from edges.
#[derive(Clone, Debug, PartialEq)]
pub struct SignedDistanceGrid {
    low: Vec3,
    high: Vec3,
    cell: f64,
    inverse_cell: f64,
    nodes: [usize; 3],
    distances: Vec<f32>,
}

impl SignedDistanceGrid {
    /// A grid with `resolution` cells along the longest side of the surface's bounding box
    /// (4 to 1024), or fewer where that would take more than 64 MB.
    pub fn new(surface: &Surface, resolution: usize) -> Self {
        let bounds = surface.mesh().bounds();
        let longest = (bounds.high - bounds.low).max_element();
        Self::with_cell(surface, longest / resolution.clamp(4, FINEST) as f64)
    }

    /// A grid of cells with the given edge \[m\], or larger where the grid would be too fine.
    pub fn with_cell(surface: &Surface, cell: f64) -> Self {
        let bounds = surface.mesh().bounds();
        let size = bounds.high - bounds.low;
        let longest = size.max_element();
        let mut cell = if cell.is_finite() { cell } else { longest };
        cell = cell.clamp(longest / FINEST as f64, longest / 4.0);
        let count = |cell: f64| {
            (size / cell)
                .ceil()
                .to_array()
                .map(|n| n as usize + 2 * PADDING + 1)
        };
        let mut nodes = count(cell);
        while nodes.iter().product::<usize>() > MOST_NODES {
            cell *= 1.1;
            nodes = count(cell);
        }
        // what rounding up left over goes to both sides alike
        let span = Vec3::from_array(nodes.map(|n| (n - 1) as f64)) * cell;
        let low = 0.5 * (bounds.low + bounds.high) - 0.5 * span;

        // one layer of constant z at a time; each depends on nothing but the surface
        let mut distances = vec![0.0_f32; nodes.iter().product()];
        distances
            .par_chunks_mut(nodes[0] * nodes[1])
            .enumerate()
            .for_each(|(z, layer)| {
                for (y, row) in layer.chunks_mut(nodes[0]).enumerate() {
                    let mut last = f64::INFINITY;
                    for (x, distance) in row.iter_mut().enumerate() {
                        let p = low + Vec3::new(x as f64, y as f64, z as f64) * cell;
                        // one step along x changes the distance by at most one cell
                        let reach = last + cell * (1.0 + 1e-9);
                        let exact = surface
                            .closest_point_within(p, reach)
                            .map_or_else(|| surface.closest_point(p).distance, |c| c.distance);
                        last = exact.abs();
                        *distance = exact as f32;
                    }
                }
            });
        Self {
            low,
            high: low + span,
            cell,
            inverse_cell: cell.recip(),
            nodes,
            distances,
        }
    }

    /// Edge of a cell \[m\].
    pub fn cell(&self) -> f64 {
        self.cell
    }

    /// Nodes along each axis.
    pub fn nodes(&self) -> [usize; 3] {
        self.nodes
    }

    /// Smallest corner of the grid \[m\].
    pub fn low(&self) -> Vec3 {
        self.low
    }

    /// Largest corner of the grid \[m\].
    pub fn high(&self) -> Vec3 {
        self.high
    }

    /// No interpolated distance is further than this from the true one \[m\].
    ///
    /// A distance changes by at most the way walked, so the weighted mean over a cell's
    /// corners is off by at most half the cell's diagonal.
    pub fn error_bound(&self) -> f64 {
        0.5 * 3.0_f64.sqrt() * self.cell
    }

    /// By how much an interpolated `distance` may exceed the true one \[m\].
    ///
    /// Away from the surface that is far less than the error bound: at a distance of δ or more,
    /// `d(x) - |x|²/2δ` is concave, so that interpolation adds at most `3 cell²/8δ`.
    #[inline]
    pub fn excess(&self, distance: f64) -> f64 {
        // the least distance in a cell that holds a point with this value
        let least = distance - 3.0 * self.error_bound();
        self.error_bound()
            .min(0.375 * self.cell * self.cell / least.max(1e-3 * self.cell))
    }

    /// Whether `p` lies in the grid.
    #[inline]
    pub fn contains(&self, p: Vec3) -> bool {
        p.cmpge(self.low).all() && p.cmple(self.high).all()
    }

    /// The cell of `p`, clamped into the grid: its eight corners and where `p` is between them.
    #[inline]
    fn corners(&self, p: Vec3) -> ([f64; 8], Vec3) {
        let scaled = (p - self.low) * self.inverse_cell;
        let mut base = [0usize; 3];
        let mut weight = [0.0; 3];
        for k in 0..3 {
            // `as` sends NaN and what is below zero to 0
            base[k] = (scaled[k] as usize).min(self.nodes[k] - 2);
            weight[k] = (scaled[k] - base[k] as f64).clamp(0.0, 1.0);
        }
        let (row, layer) = (self.nodes[0], self.nodes[0] * self.nodes[1]);
        let first = base[0] + base[1] * row + base[2] * layer;
        let at = |offset: usize| f64::from(self.distances[first + offset]);
        let corners = [
            at(0),
            at(1),
            at(row),
            at(row + 1),
            at(layer),
            at(layer + 1),
            at(layer + row),
            at(layer + row + 1),
        ];
        (corners, Vec3::from_array(weight))
    }

    /// Signed distance of `p` from the surface \[m\]: interpolated inside the grid; outside,
    /// at most the true distance (and never less than the way to the grid).
    ///
    /// Outside, with q the closest point of the grid: `d(p)² >= |p - q|² + d(q)²`, because
    /// the surface lies behind q as seen from p.
    #[inline]
    pub fn distance(&self, p: Vec3) -> f64 {
        let inside = self.interpolated(p);
        let gap = (p - p.clamp(self.low, self.high)).length();
        if gap == 0.0 {
            return inside;
        }
        // the interpolated distance at the border may be a little long; taken off gradually
        let safe = (inside - gap.min(0.5 * self.error_bound())).max(0.0);
        (gap * gap + safe * safe).sqrt()
    }

    /// The surface is at most this far from `p` \[m\]: not farther than by way of the closest point of
    /// the grid.
    #[inline]
    pub fn at_most(&self, p: Vec3) -> f64 {
        let gap = (p - p.clamp(self.low, self.high)).length();
        // a share of the bound for the rounding of what is kept
        gap + self.interpolated(p).abs() + 1.001 * self.error_bound()
    }

    #[inline]
    fn interpolated(&self, p: Vec3) -> f64 {
        let (c, w) = self.corners(p);
        let mix = |a: f64, b: f64, t: f64| a + (b - a) * t;
        let near = mix(mix(c[0], c[1], w.x), mix(c[2], c[3], w.x), w.y);
        let far = mix(mix(c[4], c[5], w.x), mix(c[6], c[7], w.x), w.y);
        mix(near, far, w.z)
    }

    /// Derivative of the interpolated distance \[1\]: about unit length, pointing out of the
    /// nearest surface. Outside the grid, the unit vector away from the closest grid point
    /// and the surface.
    #[inline]
    pub fn gradient(&self, p: Vec3) -> Vec3 {
        let (c, w) = self.corners(p);
        let mix = |a: f64, b: f64, t: f64| a + (b - a) * t;
        let along = |d: [f64; 4], s: f64, t: f64| mix(mix(d[0], d[1], s), mix(d[2], d[3], s), t);
        let inside = Vec3::new(
            along(
                [c[1] - c[0], c[3] - c[2], c[5] - c[4], c[7] - c[6]],
                w.y,
                w.z,
            ),
            along(
                [c[2] - c[0], c[3] - c[1], c[6] - c[4], c[7] - c[5]],
                w.x,
                w.z,
            ),
            along(
                [c[4] - c[0], c[5] - c[1], c[6] - c[2], c[7] - c[3]],
                w.x,
                w.y,
            ),
        ) * self.inverse_cell;
        let out = p - p.clamp(self.low, self.high);
        if out == Vec3::ZERO || !out.is_finite() {
            return inside;
        }
        (inside * self.interpolated(p) + out).normalize_or(Vec3::Y)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::mesh::build;
    use drystone_base::random::Random;

    fn point(random: &mut Random, reach: f64) -> Vec3 {
        let mut axis = || random.range(-reach, reach);
        Vec3::new(axis(), axis(), axis())
    }

    #[test]
    fn the_grid_of_a_fine_icosphere_knows_the_distance_of_a_ball() {
        let surface = Surface::new(build::icosphere(1.0, 4));
        let grid = SignedDistanceGrid::new(&surface, 64);
        let mut random = Random::new(1);
        let (mut worst, mut slope) = (0.0_f64, 0.0_f64);
        for _ in 0..20_000 {
            let p = point(&mut random, 1.06);
            if p.length() < 0.2 {
                continue;
            }
            worst = worst.max((grid.distance(p) - (p.length() - 1.0)).abs());
            slope = slope.max((grid.gradient(p) - p.normalize()).length());
        }
        assert!(worst < 2.5e-3, "distance off by {worst:.1e}"); // measured: 2.1e-3
        assert!(slope < 0.12, "gradient off by {slope:.2}"); // measured: 0.09
    }

    #[test]
    fn the_surface_is_never_farther_than_the_grid_says_at_most() {
        let surface = Surface::new(build::animal());
        let grid = SignedDistanceGrid::new(&surface, 48);
        let mut random = Random::new(7);
        let mut tightest = f64::INFINITY;
        for _ in 0..2000 {
            let p = point(&mut random, 1.5);
            let exact = surface.closest_point(p);
            let most = grid.at_most(p);
            assert!(
                exact.distance.abs() <= most,
                "{p}: {}, at most {most}",
                exact.distance
            );
            tightest = tightest.min(most - exact.distance.abs());
            // a search that is limited to it finds the same
            let found = surface.closest_point_within(p, most).unwrap();
            assert_eq!((found.point, found.triangle), (exact.point, exact.triangle));
        }
        assert!(tightest < 3.0 * grid.error_bound());
    }

    #[test]
    fn interpolation_stays_within_its_bound_of_brute_force_on_a_concave_mesh() {
        let surface = Surface::new(build::animal());
        let grid = SignedDistanceGrid::new(&surface, 48);
        let mut random = Random::new(2);
        let (mut worst, mut near) = (0.0_f64, 0.0_f64);
        for _ in 0..400 {
            let p = point(&mut random, 1.0) * Vec3::new(0.55, 0.35, 0.2);
            let distance = (0..surface.mesh().triangles().len())
                .map(|t| {
                    let (q, _) =
                        crate::mesh::surface::closest_on_triangle(p, surface.mesh().corners(t));
                    (p - q).length()
                })
                .fold(f64::INFINITY, f64::min);
            let inside = surface.winding_number(p) > 0.5;
            let truth = if inside { -distance } else { distance };
            let exact = surface.closest_point(p).distance;
            assert!((exact - truth).abs() < 1e-12, "{p}: {exact} for {truth}");
            let error = (grid.distance(p) - truth).abs() / grid.cell();
            worst = worst.max(error);
            if truth.abs() < 0.01 {
                near = near.max(error);
            }
        }
        // far inside, where opposite sides are equally far, it is off most
        assert!(worst < 0.7, "off by {worst:.2} cells"); // measured: 0.57
        assert!(near < 0.2, "off by {near:.2} cells near the surface"); // measured: 0.09
    }

    #[test]
    fn the_sign_is_right_everywhere_on_a_concave_corner_and_a_ring() {
        let mut random = Random::new(3);
        for (mesh, inside) in [
            (
                build::l_shape(1.0, 0.4, 0.5),
                Box::new(|p: Vec3| {
                    let q = p + Vec3::new(0.5, 0.5, 0.25);
                    let unit = |x: f64| (0.0..1.0).contains(&x);
                    unit(q.x) && unit(q.y) && (0.0..0.5).contains(&q.z) && (q.x < 0.4 || q.y < 0.4)
                }) as Box<dyn Fn(Vec3) -> bool>,
            ),
            (
                build::torus(0.5, 0.2, 96, 48),
                Box::new(|p: Vec3| {
                    let ring = (p.x * p.x + p.z * p.z).sqrt() - 0.5;
                    ring * ring + p.y * p.y < 0.04
                }),
            ),
        ] {
            let surface = Surface::new(mesh);
            let grid = SignedDistanceGrid::new(&surface, 40);
            // on the exact surface queries: also beyond edges, corners and in symmetry planes
            for i in 0..20_000 {
                let mut p = point(&mut random, 0.8);
                if i % 3 == 0 {
                    p[i / 3 % 3] = 0.0;
                }
                let exact = surface.closest_point(p).distance;
                // the ring's facets lie up to 1 mm inside the true ring
                if exact.abs() > 1.1e-3 {
                    assert_eq!(exact < 0.0, inside(p), "{p}: {exact}");
                }
                if exact.abs() > grid.error_bound() && grid.contains(p) {
                    assert_eq!(grid.distance(p) < 0.0, inside(p), "{p}: {exact}");
                }
            }
        }
    }

    #[test]
    fn outside_the_grid_the_distance_is_a_lower_bound_that_meets_the_grid() {
        let surface = Surface::new(build::torus(0.5, 0.2, 48, 24));
        let grid = SignedDistanceGrid::new(&surface, 24);
        let mut random = Random::new(4);
        for _ in 0..5_000 {
            let p = point(&mut random, 3.0);
            let (bound, truth) = (grid.distance(p), surface.closest_point(p).distance);
            let gap = (p - p.clamp(grid.low(), grid.high())).length();
            if gap > 0.5 * grid.error_bound() {
                assert!(bound <= truth, "{p}: {bound} > {truth}");
                assert!(bound >= gap);
            }
        }
        let border = Vec3::new(grid.high().x, 0.1, 0.2);
        let jump = grid.distance(border + Vec3::X * 1e-9) - grid.distance(border);
        assert!(jump.abs() < 1e-8, "{jump:.1e}");
        assert!(grid.distance(Vec3::splat(1e300)) > 1e299);
    }

    #[test]
    fn the_gradient_is_the_derivative_of_the_distance() {
        let surface = Surface::new(build::l_shape(1.0, 0.4, 0.5));
        let grid = SignedDistanceGrid::new(&surface, 20);
        let mut random = Random::new(5);
        for _ in 0..2_000 {
            // inside one cell, where the interpolation is smooth
            let cell = (point(&mut random, 0.5) / grid.cell()).floor();
            let start = grid.low() % grid.cell();
            let p = start + (cell + point(&mut random, 0.45) + 0.5) * grid.cell();
            if !grid.contains(p) {
                continue;
            }
            for (k, axis) in Vec3::AXES.into_iter().enumerate() {
                let h = 1e-6 * axis;
                let slope = (grid.distance(p + h) - grid.distance(p - h)) / 2e-6;
                let error = (slope - grid.gradient(p)[k]).abs();
                assert!(error < 1e-8, "{p}: {error:.1e}"); // measured: 1.4e-10
            }
        }
    }

    #[test]
    fn the_same_grid_comes_from_any_number_of_threads() {
        let surface = Surface::new(build::animal());
        let build_with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| SignedDistanceGrid::new(&surface, 20))
        };
        assert_eq!(build_with(1), build_with(3));
    }
}
