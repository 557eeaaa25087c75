//! Fields of moving air and of acceleration, as forces on bodies.

use drystone_base::Vec3;
use drystone_common::Field;

use crate::{Model, State};

/// Adds to the forces on every body what the fields of `model` exert over the next step of `dt` seconds, and
/// wakes those on which they act.
///
/// Air acts through the linear damping, which brings a body to rest in the air around it: `m d (u − v)`, of which
/// the steppers themselves take `−m d v`.
pub(crate) fn apply(state: &mut State, model: &Model, dt: f64) {
    for i in 0..model.len() {
        if model.fields.is_empty() || !(model.is_dynamic(i) && state.present[i]) {
            continue;
        }
        let (x, v, t) = (state.position[i], state.linear_velocity[i], state.time);
        let mut acceleration = Vec3::ZERO;
        for field in &model.fields {
            acceleration += field.mean_acceleration(x, v, t, dt);
            acceleration += field.air(x, t) * model.linear_damping[i];
        }
        if acceleration != Vec3::ZERO {
            state.force[i] += acceleration * model.mass[i];
            state.wake(i);
        }
    }
}
