//! Shapes, and who is near whom. Knows nothing of mass in motion, time steps or solvers.

pub mod box_tree;
pub mod broad;
pub mod contact;
pub mod crossing;
pub mod error;
mod gjk;
pub mod hull;
pub mod mass;
pub mod mesh;
pub mod proximity;
pub mod query;
pub mod shape;

pub use box_tree::BoxTree;
pub use broad::BroadPhase;
pub use contact::{ContactBuffer, ContactPoint, Manifold, collide};
pub use error::ShapeError;
pub use hull::{Hull, HullFace};
pub use mass::MassProperties;
pub use mesh::{MeshError, MeshShape, TriMesh};
pub use query::{ClosestPoint, RayHit, SceneQuery, closest_point, distance, overlap, ray_cast};
pub use shape::{Aabb, Shape};
