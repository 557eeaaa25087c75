//! `correction()` of Erleben 2007, eq. 46: push penetrating bodies apart, touching positions only.

use drystone_base::functions::rotation_vector;
use drystone_base::{integrate_rotation, near_unit};
use drystone_complementarity::{Sweeping, sweeping};

use crate::dynamics::{Assembly, Part};
use crate::{Model, State};

/// One step of a first-order world in which depth is the only force (Erleben 2007, eq. 46):
///
/// `λ = ncp(A, d)`, `s ← s + S M⁻¹ Jᵀ λ`
///
/// with `d = min(distance, 0)`, negative inside, where the paper prints a depth. Open contacts
/// within `reach` times their length stay as rows with `d = 0`: they do not come nearer. No friction, and
/// velocities stay as they are. With `carry_spin` a spin turns with its body: left as it is, it
/// would have another energy about the turned axes, 272 times as much at most for a rod of
/// 0.7 x 0.03 x 0.03 m.
pub(crate) fn correction(
    state: &mut State,
    model: &Model,
    part: &Part,
    sweeps: u32,
    reach: f64,
    carry_spin: bool,
    assembly: &mut Assembly,
) {
    assembly.gather(state, model, part, reach);
    if assembly.distance.iter().all(|d| *d >= 0.0) {
        return; // nothing penetrates
    }
    for (b, distance) in assembly.problem.b.iter_mut().zip(&assembly.distance) {
        b[0] = distance.min(0.0);
    }
    assembly.impulses.clear();
    assembly.impulses.resize(assembly.points.len(), [0.0; 3]);
    let solved = sweeping::pgs(
        &assembly.problem,
        &mut assembly.impulses,
        Sweeping::normals(sweeps),
    );
    for (k, &i) in part.moving.iter().enumerate() {
        let (i, step) = (i as usize, solved.delta_v[k]);
        state.position[i] += step.linear;
        assembly.shifts.push((i as u32, step.linear));
        if carry_spin {
            let turn = near_unit(rotation_vector(step.angular));
            state.rotation[i] = near_unit(turn * state.rotation[i]);
            state.angular_velocity[i] = turn * state.angular_velocity[i];
        } else {
            state.rotation[i] = integrate_rotation(state.rotation[i], step.angular, 1.0);
        }
    }
}
