//! What cloth has to know of a body that gives way: how light it is, and what holds it.

use drystone_base::Vec3;
use drystone_cloth::Hold;
use drystone_rigid as rigid;

/// A contact whose friction is below this part of its limit sticks \[1\].
const STICKS: f64 = 0.95;
/// A contact is closed if its gap is below this part of the length of the smaller body \[1\].
const CLOSED: f64 = 1e-3;

/// Largest effective inverse mass of body `i` at points of its shape, given in the frame of that \[1/kg\].
pub(crate) fn lightness(model: &rigid::Model, i: usize, points: &[Vec3]) -> Vec<f64> {
    if !model.is_dynamic(i) {
        return Vec::new();
    }
    let (offset, inverse) = (model.shape_offset[i], &model.inverse_inertia_local[i]);
    let at = |p: &Vec3| {
        let r = *p + offset;
        // no more than the trace of [r]ᵀ I⁻¹ [r]
        let turning: f64 = [Vec3::X, Vec3::Y, Vec3::Z]
            .map(|e| r.cross(e))
            .map(|c| c.dot(inverse.times(c)))
            .iter()
            .sum();
        model.inverse_mass[i] + turning
    };
    points.iter().map(at).collect()
}

/// Contacts other than with cloth that hold body `i`: those that were closed when the last step of `dt` began and
/// pushed in it; with the impulse \[N s\] and the moment about the centre \[N m s\] that they exerted.
pub(crate) fn holds(system: &rigid::System, i: usize, dt: f64) -> (Vec<Hold>, [Vec3; 2]) {
    let (state, contacts) = (&system.state, &system.state.contacts);
    let share = dt / system.options().impulse_span(dt);
    let (mut holds, mut support) = (Vec::new(), [Vec3::ZERO; 2]);
    for patch in &contacts.patches {
        let sign = match i {
            i if i == patch.b as usize => 1.0,
            i if i == patch.a as usize => -1.0,
            _ => continue,
        };
        for point in contacts.points_of(patch) {
            let push = patch.normal.dot(point.impulse);
            if push <= 0.0 || point.distance > CLOSED * patch.length {
                continue;
            }
            let arm = point.position - state.position[i];
            let impulse = point.impulse * (sign * share);
            support[0] += impulse;
            support[1] += arm.cross(impulse);
            let slide = point.impulse - patch.normal * push;
            holds.push(Hold {
                arm,
                push: patch.normal * sign,
                sticks: slide.length() < STICKS * patch.friction * push,
            });
        }
    }
    (holds, support)
}
