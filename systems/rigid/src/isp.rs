//! Impulse-based shock propagation (Guendelman 2003): collisions, forces, contacts, shock, move.
//!
//! Contacts are looked for where bodies would be at the end of the step, and answered one by one
//! with impulses. No position is ever corrected. As in Erleben 2007, §5.2, contacts are found
//! once per pass instead of after each impulse, and the contact graph is the breadth-first one
//! of the other steppers instead of one trial motion for each body.

use drystone_base::{Mat3, Quat, Symmetric3, Vec3};

use crate::contacts::detect;
use crate::dynamics::{Part, advance, everything, free_velocity};
use crate::shock::{contact_graph, shock_propagation, stack_layers};
use crate::sleep::fall_asleep;
use crate::system::{Report, Workspace};
use crate::{Model, Options, State};

/// One step of `dt` seconds, in the order of Guendelman 2003.
pub(crate) fn step(
    state: &mut State,
    model: &Model,
    options: &Options,
    workspace: &mut Workspace,
    dt: f64,
) -> Report {
    let mut mobile = vec![false; model.len()];
    state
        .contacts
        .points
        .iter_mut()
        .for_each(|point| point.impulse = Vec3::ZERO);

    // collisions: would-be penetrations after forces, answered on the velocity before them
    for _ in 0..options.isp.collision_passes {
        let before = (
            state.linear_velocity.clone(),
            state.angular_velocity.clone(),
        );
        apply_forces(state, model, dt);
        let held = predict(state, model, options, workspace, dt);
        (state.linear_velocity, state.angular_velocity) = before;
        let whole = everything(state, model);
        collide(state, model, &held, &whole, &mut mobile, None);
        held.restore(state);
    }
    let mut report = Report::of(state, &workspace.graph);

    // forces
    apply_forces(state, model, dt);

    // contacts: slow the approach down gently, to a tenth less of it in each pass
    let passes = options.isp.contact_passes;
    for pass in 0..passes {
        let keep = f64::from(passes - 1 - pass) / f64::from(passes);
        let held = predict(state, model, options, workspace, dt);
        let whole = everything(state, model);
        collide(state, model, &held, &whole, &mut mobile, Some(-keep));
        held.restore(state);
    }

    // shock: bottom-up, the layers below with infinite mass, several rounds a layer
    let held = predict(state, model, options, workspace, dt);
    contact_graph(
        state,
        model,
        options,
        &mut workspace.graph,
        options.tuning.envelope,
    );
    let layers = stack_layers(state, model, &workspace.graph, true);
    shock_propagation(&layers, |layer| {
        for _ in 0..options.isp.shock_rounds {
            collide(state, model, &held, layer, &mut mobile, Some(0.0));
        }
    });
    held.restore(state);

    advance(state, model, &everything(state, model), dt);
    if options.sleeping {
        fall_asleep(state, model, &workspace.graph, dt);
    }
    report.islands = workspace.graph.islands as usize;
    report.sweeps = (options.isp.collision_passes + passes + 1) as usize;
    report
}

fn apply_forces(state: &mut State, model: &Model, dt: f64) {
    for &i in &everything(state, model).moving {
        let free = free_velocity(state, model, i as usize, dt);
        state.linear_velocity[i as usize] = free.linear;
        state.angular_velocity[i as usize] = free.angular;
    }
}

/// Poses to come back to. The velocities belong to them, and so does the inertia that answers an
/// impulse: with that of the predicted pose a rod would gain momentum that nobody gave it.
struct Held {
    position: Vec<Vec3>,
    rotation: Vec<Quat>,
}

impl Held {
    fn inverse_inertia(&self, model: &Model, i: usize) -> Symmetric3 {
        model.inverse_inertia_local[i].rotated(self.rotation[i])
    }

    fn restore(self, state: &mut State) {
        state.position = self.position;
        state.rotation = self.rotation;
    }
}

/// Moves all to the end of the step, looks for contacts there, and hands back the poses before.
fn predict(
    state: &mut State,
    model: &Model,
    options: &Options,
    workspace: &mut Workspace,
    dt: f64,
) -> Held {
    let held = Held {
        position: state.position.clone(),
        rotation: state.rotation.clone(),
    };
    let moving = (0..model.len() as u32)
        .filter(|&i| state.present[i as usize])
        .collect();
    let all = Part {
        moving,
        patches: Vec::new(),
    };
    let spin = state.angular_velocity.clone();
    advance(state, model, &all, dt);
    state.angular_velocity = spin;
    detect(state, model, options, workspace, 0.0);
    state
        .contacts
        .points
        .iter_mut()
        .for_each(|point| point.impulse = Vec3::ZERO);
    held
}

/// Answers every penetrating contact of `part`, the deepest point of a patch first, with
/// `restitution` or the material's own. `mobile` is scratch memory, all false.
fn collide(
    state: &mut State,
    model: &Model,
    held: &Held,
    part: &Part,
    mobile: &mut [bool],
    restitution: Option<f64>,
) {
    part.moving.iter().for_each(|&i| mobile[i as usize] = true);
    for &k in &part.patches {
        let patch = state.contacts.patches[k as usize];
        let (a, b) = (patch.a as usize, patch.b as usize);
        let mut order: Vec<usize> =
            (patch.first as usize..(patch.first + patch.count) as usize).collect();
        let depth = |p: &usize| state.contacts.points[*p].distance;
        order.retain(|p| depth(p) < 0.0);
        order.sort_by(|p, q| depth(p).total_cmp(&depth(q)));
        for p in order {
            let at = state.contacts.points[p].position;
            let (r_a, r_b) = (at - state.position[a], at - state.position[b]);
            let u = state.velocity_at(b, r_b) - state.velocity_at(a, r_a);
            if patch.normal.dot(u) >= 0.0 {
                continue;
            }
            let mut k = Mat3::ZERO;
            for (i, r) in [(a, r_a), (b, r_b)] {
                if mobile[i] {
                    k += mobility(model.inverse_mass[i], held.inverse_inertia(model, i), r);
                }
            }
            let e = restitution.unwrap_or(patch.restitution);
            let j = impulse(k, patch.normal, u, e, patch.friction);
            for (i, r, j) in [(a, r_a, -j), (b, r_b, j)] {
                if mobile[i] {
                    state.linear_velocity[i] += j * model.inverse_mass[i];
                    let spin = held.inverse_inertia(model, i).times(r.cross(j));
                    state.angular_velocity[i] += spin;
                }
            }
            state.contacts.points[p].impulse += j;
        }
    }
    part.moving.iter().for_each(|&i| mobile[i as usize] = false);
}

/// `K = 1/m + r×ᵀ I⁻¹ r×`: velocity that an impulse at `r` gives to the point at `r` \[1/kg\].
fn mobility(inverse_mass: f64, inverse_inertia: Symmetric3, r: Vec3) -> Mat3 {
    let cross = Mat3::from_cols(
        Vec3::new(0.0, r.z, -r.y),
        Vec3::new(-r.z, 0.0, r.x),
        Vec3::new(r.y, -r.x, 0.0),
    );
    Mat3::from_diagonal(Vec3::splat(inverse_mass))
        + cross.transpose() * inverse_inertia.matrix() * cross
}

/// The impulse on `b` that turns the approach `u_n` into `−e u_n` (Guendelman 2003, §7).
///
/// First tried sticking, `j = K⁻¹(−e u_n n − u)`; outside the friction cone, sliding on along
/// `T = u_t/|u_t|` with `j = j_n (n − μ T)`, `j_n = −(1 + e) u_n / n·K(n − μ T)`.
///
/// Ours: on a slender body, whose `K` couples the directions strongly, either may do work on the
/// pair (a heap of matches gained four times its energy). Such a contact acts without friction.
fn impulse(k: Mat3, n: Vec3, u: Vec3, e: f64, friction: f64) -> Vec3 {
    let u_n = n.dot(u);
    let plain = n.dot(k * n);
    if plain <= 0.0 {
        return Vec3::ZERO; // neither body moves
    }
    let smooth = n * (-(1.0 + e) * u_n / plain);
    let takes_energy = |j: Vec3| j.dot(u + 0.5 * (k * j)) <= 0.0;

    // sticking
    let stick = k.inverse() * (n * (-e * u_n) - u);
    let stick_n = n.dot(stick);
    if stick.is_finite() && (stick - n * stick_n).length() <= friction * stick_n {
        return if takes_energy(stick) { stick } else { smooth };
    }

    // sliding, unless friction alone would jam the contact (Painlevé)
    let u_t = u - n * u_n;
    let t = u_t.normalize_or_zero();
    let direction = n - t * friction;
    let along = n.dot(k * direction);
    let slide = direction * (-(1.0 + e) * u_n / along);
    if along > 1e-3 * plain && takes_energy(slide) {
        slide
    } else {
        smooth
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_base::functions::{cos, sin};

    const K: Mat3 = Mat3::from_cols(
        Vec3::new(1.0, 0.1, 0.0),
        Vec3::new(0.1, 2.0, 0.2),
        Vec3::new(0.0, 0.2, 1.5),
    );

    #[test]
    fn a_sticking_impulse_stops_sliding_and_reverses_the_approach() {
        let u = Vec3::new(0.1, -2.0, 0.05);
        let after = u + K * impulse(K, Vec3::Y, u, 0.5, 10.0);
        assert!((after - Vec3::Y).length() < 1e-14, "leaves with {after}");
    }

    #[test]
    fn a_sliding_impulse_lies_on_the_cone_and_against_the_motion() {
        let u = Vec3::new(3.0, -2.0, 0.0);
        let j = impulse(K, Vec3::Y, u, 0.5, 0.2);
        let after = u + K * j;
        assert!((after.y - 1.0).abs() < 1e-14, "leaves with {after}");
        assert!((j.x / j.y + 0.2).abs() < 1e-14 && j.z == 0.0);
    }

    #[test]
    fn no_impulse_does_work_even_where_the_directions_are_coupled() {
        // a rod that leans: pushed along the normal, its end also runs sideways
        let rod = Mat3::from_cols(
            Vec3::new(4.0, -3.0, 0.0),
            Vec3::new(-3.0, 3.0, 0.0),
            Vec3::new(0.0, 0.0, 1.0),
        );
        let mut plain = 0;
        for e in [0.0, 0.5, 1.0] {
            for friction in [0.2, 0.5, 1.0, 2.0] {
                for degrees in 0..360 {
                    let angle = f64::from(degrees).to_radians();
                    let (s, c) = (sin(angle), cos(angle));
                    let u = Vec3::new(3.0 * c, -1.0, s);
                    let j = impulse(rod, Vec3::Y, u, e, friction);
                    let work = j.dot(u + 0.5 * (rod * j));
                    assert!(work < 1e-14, "{work:.1e} J"); // measured: 0
                    plain += u32::from(j.x == 0.0 && j.z == 0.0);
                }
            }
        }
        assert!(plain > 0, "the guard was never asked");
    }

    #[test]
    fn negative_restitution_keeps_a_part_of_the_approach() {
        let u = Vec3::new(0.0, -2.0, 0.0);
        let after = u + K * impulse(K, Vec3::Y, u, -0.9, 1.0);
        assert!((after.y + 1.8).abs() < 1e-14, "goes on with {after}");
    }
}
