//! Closed triangle meshes as solids: a signed distance grid and a tree of surface samples
//! (Erleben 2007, §6, used the pair for its cows), with exact queries behind them.

mod animal;
pub mod build;
pub(crate) mod contact;
mod edges;
mod grid;
mod reduce;
mod samples;
mod surface;
#[cfg(test)]
mod tests;
mod triangles;

use std::sync::Arc;

use drystone_base::{Pose, Vec3};

pub use grid::SignedDistanceGrid;
pub use samples::{Sample, SphereTree};
pub use surface::{ClosestPoint, Feature, Surface};
pub use triangles::{MeshError, TriMesh};

use crate::{Aabb, Hull, MassProperties, Shape};

/// A mesh made ready to collide: triangles in a tree, distance grid, surface samples.
#[derive(Clone, Debug)]
pub struct MeshShape {
    surface: Surface,
    grid: SignedDistanceGrid,
    tree: SphereTree,
    /// Corners of the convex hull: all that bounds need.
    outline: Vec<Vec3>,
    /// The solid as a hull, if it is convex.
    convex: Option<Box<Shape>>,
}

/// Most corners of a convex mesh that collides as a hull.
const MOST_CORNERS: usize = 64;
/// Volume that a convex mesh may lack of its hull, over that of the hull.
const HOLLOW: f64 = 1e-9;

impl MeshShape {
    /// Cells along the longest side, where nothing else is asked for.
    pub const RESOLUTION: usize = 64;

    /// Prepares `mesh` with `resolution` grid cells along the longest side of its bounding box
    /// (4 to 1024) and surface samples two cells apart or closer.
    pub fn new(mesh: TriMesh, resolution: usize) -> Self {
        let (outline, convex) = match Hull::new(mesh.vertices()) {
            Ok(hull) => {
                let full = hull.volume() - mesh.volume() < HOLLOW * hull.volume();
                let outline = hull.points().to_vec();
                let convex = full && outline.len() <= MOST_CORNERS;
                let convex = convex.then(|| Box::new(Shape::Hull(Arc::new(hull))));
                (outline, convex)
            }
            Err(_) => (mesh.vertices().to_vec(), None),
        };
        let surface = Surface::new(mesh);
        let grid = SignedDistanceGrid::new(&surface, resolution);
        let tree = SphereTree::new(&surface, 2.0 * grid.cell());
        Self {
            surface,
            grid,
            tree,
            outline,
            convex,
        }
    }

    /// The same solid as a hull, if it is convex and has few corners: faces and edges then meet exactly,
    /// where samples would miss an edge between them.
    pub(crate) fn convex(&self) -> Option<&Shape> {
        self.convex.as_deref()
    }

    /// The triangles.
    pub fn mesh(&self) -> &TriMesh {
        self.surface.mesh()
    }

    /// The triangles with their tree: exact queries.
    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    /// The distance grid.
    pub fn grid(&self) -> &SignedDistanceGrid {
        &self.grid
    }

    /// The surface samples.
    pub fn tree(&self) -> &SphereTree {
        &self.tree
    }

    /// Corners of the convex hull \[m\].
    pub fn outline(&self) -> &[Vec3] {
        &self.outline
    }

    /// The smallest box along the world's axes around the mesh.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let turn = pose.matrix();
        Aabb::of_points(self.outline.iter().map(|&v| turn * v + pose.position))
    }

    /// Radius of a ball about the local point `centre` that holds the mesh \[m\].
    pub fn bounding_radius(&self, centre: Vec3) -> f64 {
        let gaps = self.outline.iter().map(|&v| (v - centre).length());
        gaps.fold(0.0, f64::max)
    }

    /// Mass, centre and inertia at `density` \[kg/m³\].
    pub fn mass_properties(&self, density: f64) -> MassProperties {
        self.mesh().mass_properties(density)
    }

    /// First hit of the ray from `origin` along `direction` (any length) within `reach` \[m\], in
    /// the mesh's frame: distance and unit normal of the triangle hit.
    pub fn ray_cast(&self, origin: Vec3, direction: Vec3, reach: f64) -> Option<(f64, Vec3)> {
        self.surface.ray_cast(origin, direction, reach)
    }

    /// The exact closest point of the surface to `p`, in the mesh's frame.
    pub fn closest_point(&self, p: Vec3) -> ClosestPoint {
        self.surface.closest_point(p)
    }
}
