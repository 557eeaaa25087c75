//! `correction()` of Erleben 2007, eq. 46: push penetrating bodies apart, touching positions only.

use drystone_base::integrate_rotation;
use drystone_complementarity::{Sweeping, pgs};

use crate::dynamics::{Assembly, Part};
use crate::{Model, State};

/// One step of a first-order world in which depth is the only force (Erleben 2007, eq. 46):
///
/// `λ = ncp(A, d)`, `s ← s + S M⁻¹ Jᵀ λ`
///
/// with `d = min(distance, 0)`, negative inside, where the paper prints a depth. Open contacts
/// within `reach` [m] stay as rows with `d = 0`: they do not come nearer. No friction, and
/// velocities stay as they are.
pub(crate) fn correction(
    state: &mut State,
    model: &Model,
    part: &Part,
    sweeps: u32,
    reach: f64,
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
    let solved = pgs::solve(
        &assembly.problem,
        &mut assembly.impulses,
        Sweeping::normals(sweeps),
    );
    for (k, &i) in part.moving.iter().enumerate() {
        let (i, step) = (i as usize, solved.delta_v[k]);
        state.position[i] += step.linear;
        assembly.shifts.push((i as u32, step.linear));
        state.rotation[i] = integrate_rotation(state.rotation[i], step.angular, 1.0);
    }
}
