//! How deep bodies are in each other, measured afresh from their poses alone.

use drystone_geometry::{BroadPhase, ContactBuffer, collide};
use drystone_rigid::System;
use serde::{Deserialize, Serialize};

/// How deep bodies are in each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Penetration {
    /// Depth of the deepest pair, zero if none overlaps \[m\].
    pub deepest: f64,
    /// Average over the pairs that overlap \[m\].
    pub mean: f64,
    /// How many pairs overlap.
    pub pairs: usize,
    /// The deepest pair, by index.
    pub worst: Option<(usize, usize)>,
}

impl Penetration {
    /// Measures every pair of `system` anew, whatever its contacts say. Dear: not for every step.
    pub fn of(system: &System) -> Self {
        let (state, model) = (&system.state, &system.model);
        let boxes: Vec<_> = (0..model.len())
            .map(|i| model.shape[i].aabb(&state.shape_pose(model, i)))
            .collect();
        let may_pair =
            |a: u32, b: u32| model.is_dynamic(a as usize) || model.is_dynamic(b as usize);
        let mut broad = BroadPhase::new();
        let mut found = Self::default();
        let mut buffer = ContactBuffer::default();
        let mut sum = 0.0;
        for &(a, b) in broad.update(&boxes, Some(&state.present), may_pair, 0.0) {
            let (a, b) = (a as usize, b as usize);
            buffer.clear();
            collide(
                &model.shape[a],
                &state.shape_pose(model, a),
                &model.shape[b],
                &state.shape_pose(model, b),
                0.0,
                &mut buffer,
            );
            let depth = buffer
                .points
                .iter()
                .fold(0.0, |depth, point| f64::max(depth, -point.distance));
            if depth > 0.0 {
                found.pairs += 1;
                sum += depth;
            }
            if depth > found.deepest {
                found.deepest = depth;
                found.worst = Some((a, b));
            }
        }
        if found.pairs > 0 {
            found.mean = sum / found.pairs as f64;
        }
        found
    }
}
