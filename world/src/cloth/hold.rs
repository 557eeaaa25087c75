//! What cloth has to know of a body that gives way: how light it is, and what holds it.

use drystone_base::Vec3;
use drystone_cloth::BodyContact;
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

/// Contacts of bodies with each other and with what cloth does not move, over the step of `dt` that has just been
/// taken. Those hold that were closed when it began and pushed in it. `obstacle` says which obstacle a body is, if it
/// gives way.
pub(crate) fn contacts(
    system: &rigid::System,
    dt: f64,
    obstacle: impl Fn(usize) -> Option<usize>,
) -> Vec<BodyContact> {
    let contacts = &system.state.contacts;
    let share = dt / system.options().impulse_span(dt);
    let mut found = Vec::new();
    for patch in &contacts.patches {
        let obstacles = [patch.a, patch.b].map(|body| obstacle(body as usize));
        if obstacles == [None; 2] {
            continue;
        }
        for point in contacts.points_of(patch) {
            let push = patch.normal.dot(point.impulse);
            let slide = point.impulse - patch.normal * push;
            found.push(BodyContact {
                obstacles,
                point: point.position,
                normal: patch.normal,
                gap: point.distance,
                impulse: push.max(0.0) * share,
                holds: push > 0.0 && point.distance <= CLOSED * patch.length,
                sticks: slide.length() < STICKS * patch.friction * push,
            });
        }
    }
    found
}
