//! Two primitives that may come close, in one cache line.

use drystone_base::Vec3;
use drystone_geometry::proximity::{
    Closest, edge_edge, vertex_edge, vertex_face, vertex_plane, vertex_vertex,
};
use serde::{Deserialize, Serialize};

use crate::clock::Tick;

/// What a pair is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    /// A point and a triangle.
    VertexFace,
    /// Two edges.
    EdgeEdge,
    /// A point and an edge: in the plane, or a particle and a bare edge.
    VertexEdge,
    /// Two particles.
    VertexVertex,
    /// A point and a half-space, given by three points of its plane.
    VertexPlane,
}

impl Kind {
    /// Closest points of the corners; unused corners repeat the last and weigh nothing.
    #[inline]
    pub(crate) fn closest(self, x: [Vec3; 4]) -> Closest {
        match self {
            Self::VertexFace => vertex_face(x[0], x[1], x[2], x[3]),
            Self::EdgeEdge => edge_edge(x[0], x[1], x[2], x[3]),
            Self::VertexEdge => vertex_edge(x[0], x[1], x[2]),
            Self::VertexVertex => vertex_vertex(x[0], x[1]),
            Self::VertexPlane => vertex_plane(x[0], x[1], x[2], x[3]),
        }
    }

    /// How many of the corners belong to the first primitive.
    #[inline]
    pub(crate) const fn split(self) -> usize {
        if matches!(self, Self::EdgeEdge) { 2 } else { 1 }
    }
}

/// Two primitives and what is known of them: what a renewed ball looks at, in one cache line. Half a line was
/// tried, with times and directions of fewer bits: it is unpacked as slowly as it is fetched.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[repr(align(64))]
pub(crate) struct Pair {
    pub(crate) corners: [u32; 4],
    /// A separating direction, not longer than 1. In double precision: over a face a million times as
    /// wide as a layer is thick, single precision would leave no room.
    pub(crate) direction: [f64; 3],
    /// Until when the next layer is certainly not needed.
    pub(crate) expires: Tick,
    /// Time at which the pair is tested.
    pub(crate) filed: Tick,
    /// Layers 1 to this are active.
    pub(crate) layers: u32,
    pub(crate) kind: Kind,
    /// Which of its vertices' balls it relies on.
    pub(crate) size_class: u8,
    /// Whether this is a pair, and not a place for one.
    pub(crate) there: bool,
    /// Whether both sides are prescribed, see `scripted.rs`.
    pub(crate) scripted: Scripted,
}

/// State of a pair whose sides are both prescribed, which nothing can push apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub(crate) enum Scripted {
    /// At least one side is not prescribed.
    No,
    /// The sides have not met yet.
    Apart,
    /// The sides have met, and that was reported.
    Met,
    /// A corner is pinched by the other side, see `pinch.rs`: it is not watched for a while.
    Pinched,
}

impl Scripted {
    /// Whether nothing is asked of the pair.
    #[inline]
    pub(crate) fn is_unwatched(self) -> bool {
        matches!(self, Self::Met | Self::Pinched)
    }
}

/// Factor that takes off what rounding might add to the length of a direction \[1\].
const NOT_LONGER: f64 = 1.0 - 4.0 * f64::EPSILON;

impl Pair {
    /// The direction, as a vector.
    #[inline]
    pub(crate) fn direction(&self) -> Vec3 {
        Vec3::from_array(self.direction)
    }

    /// Keeps a unit direction.
    #[inline]
    pub(crate) fn set_direction(&mut self, n: Vec3) {
        self.direction = (n * NOT_LONGER).to_array();
    }
}
