//! Questions a user asks of a world: what does a ray hit, what is near, what overlaps.

use drystone_base::{Pose, Vec3};
use drystone_geometry::{Aabb, SceneQuery, overlap};

use crate::build::solid;
use crate::{BodyId, SceneError, Shape, World};

/// What a ray hit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The body.
    pub body: BodyId,
    /// Distance from the ray's origin \[m\].
    pub distance: f64,
    /// \[m\]
    pub point: Vec3,
    /// Outward unit normal of the surface.
    pub normal: Vec3,
}

/// What is near a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// The body.
    pub body: BodyId,
    /// Signed distance from its surface, negative inside \[m\].
    pub distance: f64,
    /// Nearest point of its surface \[m\].
    pub point: Vec3,
}

/// A world as it stands, ready for many questions.
pub struct Query<'a> {
    world: &'a World,
    tree: SceneQuery,
}

impl World {
    /// Gets ready for many questions about the present moment.
    pub fn query(&self) -> Query<'_> {
        let (state, model) = (&self.system().state, &self.system().model);
        let boxes = (0..model.len()).map(|i| {
            if state.present[i] {
                model.shape[i].aabb(&self.pose(i))
            } else {
                Aabb::EMPTY
            }
        });
        Query {
            world: self,
            tree: SceneQuery::new(boxes),
        }
    }

    /// The first body on the ray from `origin` along `direction` (any length).
    pub fn ray_cast(&self, origin: Vec3, direction: Vec3) -> Option<Hit> {
        self.query().ray_cast(origin, direction, f64::INFINITY)
    }

    /// The body nearest to `point`.
    pub fn closest_point(&self, point: Vec3) -> Option<Near> {
        self.query().closest_point(point, f64::INFINITY)
    }

    /// Every body that overlaps `shape` at `pose`.
    pub fn overlapping(&self, shape: &Shape, pose: &Pose) -> Result<Vec<BodyId>, SceneError> {
        self.query().overlapping(shape, pose)
    }
}

impl Query<'_> {
    fn id(&self, i: u32) -> Option<BodyId> {
        self.world.roster.bodies.id(i as usize)
    }

    fn body(&self, i: u32) -> (&drystone_geometry::Shape, Pose) {
        (
            &self.world.system().model.shape[i as usize],
            self.world.pose(i as usize),
        )
    }

    /// The first body on the ray from `origin` along `direction` (any length), at most `max`
    /// away \[m\].
    pub fn ray_cast(&self, origin: Vec3, direction: Vec3, max: f64) -> Option<Hit> {
        let (body, hit) = self
            .tree
            .ray_cast(origin, direction, max, |i| self.body(i))?;
        Some(Hit {
            body: self.id(body)?,
            distance: hit.distance,
            point: hit.point,
            normal: hit.normal,
        })
    }

    /// The body nearest to `point`, within `reach` \[m\].
    pub fn closest_point(&self, point: Vec3, reach: f64) -> Option<Near> {
        let (body, near) = self.tree.closest_point(point, reach, |i| self.body(i))?;
        Some(Near {
            body: self.id(body)?,
            distance: near.distance,
            point: near.point,
        })
    }

    /// Every body that overlaps `shape` at `pose`.
    pub fn overlapping(&self, shape: &Shape, pose: &Pose) -> Result<Vec<BodyId>, SceneError> {
        shape.validate(&"query".into())?;
        let asked = solid("query", shape)?;
        let candidates = self.tree.in_box(&asked.aabb(pose));
        let touches = |&i: &u32| {
            let (shape, at) = self.body(i);
            overlap(&asked, pose, shape, &at)
        };
        Ok(candidates
            .into_iter()
            .filter(touches)
            .filter_map(|i| self.id(i))
            .collect())
    }
}
