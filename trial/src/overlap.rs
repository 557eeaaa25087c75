//! Overlap of bodies, each pair measured against the thinner of the two.

use drystone_geometry::{Aabb, BroadPhase, ContactBuffer, collide};
use drystone_world::World;

use crate::shapes::thickness;

/// One overlapping pair.
pub(crate) struct Pair {
    pub(crate) a: usize,
    pub(crate) b: usize,
    /// Depth over the smallest dimension of the thinner body \[1\].
    pub(crate) share: f64,
}

/// Distance within which points are searched, over the smallest dimension of the thinner body. Samples of a mesh that
/// face away from the other solid count only where none faces it, and those that do may be just outside.
const NEAR: f64 = 0.02;

/// Measures overlaps, keeping its memory from one call to the next.
pub(crate) struct Overlaps {
    /// Smallest dimension of every body, endless for a half-space \[m\].
    pub(crate) thickness: Vec<f64>,
    boxes: Vec<Aabb>,
    broad: BroadPhase,
    buffer: ContactBuffer,
    pairs: Vec<Pair>,
}

impl Overlaps {
    pub(crate) fn new(world: &World) -> Self {
        Self {
            thickness: world.bodies().iter().map(|b| thickness(&b.shape)).collect(),
            boxes: Vec::new(),
            broad: BroadPhase::new(),
            buffer: ContactBuffer::default(),
            pairs: Vec::new(),
        }
    }

    /// Every pair that overlaps now, at least one of the two moving; measured from poses alone.
    pub(crate) fn measure(&mut self, world: &World) -> &[Pair] {
        let (state, model) = (&world.system().state, &world.system().model);
        self.boxes.clear();
        self.boxes
            .extend((0..model.len()).map(|i| model.shape[i].aabb(&state.shape_pose(model, i))));
        let may_pair =
            |a: u32, b: u32| model.is_dynamic(a as usize) || model.is_dynamic(b as usize);
        self.pairs.clear();
        let found = self
            .broad
            .update(&self.boxes, Some(&state.present), may_pair, 0.0);
        for &(a, b) in found {
            let (a, b) = (a as usize, b as usize);
            let thinner = self.thickness[a].min(self.thickness[b]);
            self.buffer.clear();
            collide(
                &model.shape[a],
                &state.shape_pose(model, a),
                &model.shape[b],
                &state.shape_pose(model, b),
                NEAR * thinner,
                &mut self.buffer,
            );
            let points = self.buffer.points.iter();
            let depth = points.fold(0.0, |depth, p| f64::max(depth, -p.distance));
            if depth > 0.0 {
                let share = depth / thinner;
                self.pairs.push(Pair { a, b, share });
            }
        }
        &self.pairs
    }
}
