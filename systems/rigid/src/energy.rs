//! Measured quantities: energies, momenta, depth, forces, and how well a state's impulses solve
//! its contact problem. What tests, reports and viewers ask.
//!
//! Bodies that have not entered or were quarantined count nowhere; fixed and scripted ones have no
//! energy or momentum of their own.

use drystone_base::Vec3;
use drystone_complementarity::{FactoredOperator, Law, Problem};

use crate::dynamics::{Assembly, Treatment, everything};
use crate::{Contacts, Model, State};

/// Bodies with a mass that moves.
fn dynamic<'a>(state: &'a State, model: &'a Model) -> impl Iterator<Item = usize> + 'a {
    (0..model.len()).filter(|&i| model.is_dynamic(i) && state.present[i])
}

/// `Σ ½ m v² + ½ ω·Iω` \[J\].
pub fn kinetic_energy(state: &State, model: &Model) -> f64 {
    dynamic(state, model)
        .map(|i| {
            let omega = state.angular_velocity[i];
            let spin = omega.dot(state.inertia(model, i).times(omega));
            0.5 * (model.mass[i] * state.linear_velocity[i].length_squared() + spin)
        })
        .sum()
}

/// `½ m v² + ½ ω·Iω` of body `i` \[J\].
pub fn kinetic_energy_of(state: &State, model: &Model, i: usize) -> f64 {
    let spin = state.rotation[i].conjugate() * state.angular_velocity[i];
    let turning = spin.dot(model.inertia_local[i].times(spin));
    0.5 * (model.mass[i] * state.linear_velocity[i].length_squared() + turning)
}

/// `−Σ m s g·x` with each body's gravity scale `s`, zero at the origin \[J\].
pub fn potential_energy(state: &State, model: &Model) -> f64 {
    dynamic(state, model)
        .map(|i| -model.mass[i] * model.gravity_scale[i] * model.gravity.dot(state.position[i]))
        .sum()
}

/// `Σ m v` \[kg m/s\].
pub fn linear_momentum(state: &State, model: &Model) -> Vec3 {
    dynamic(state, model)
        .map(|i| state.linear_velocity[i] * model.mass[i])
        .sum()
}

/// `Σ (x − about) × m v + Iω` \[kg m²/s\].
pub fn angular_momentum(state: &State, model: &Model, about: Vec3) -> Vec3 {
    dynamic(state, model)
        .map(|i| {
            let orbit = (state.position[i] - about).cross(state.linear_velocity[i] * model.mass[i]);
            orbit + state.inertia(model, i).times(state.angular_velocity[i])
        })
        .sum()
}

/// Depth of the deepest contact at the last measurement, zero if none is inside \[m\].
pub fn deepest_penetration(contacts: &Contacts) -> f64 {
    contacts.deepest()
}

/// Force and torque of contacts on a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactForce {
    /// Sum of all contact forces \[N\].
    pub force: Vec3,
    /// Their torque about the centre of mass \[N m\].
    pub torque: Vec3,
}

/// Net contact force and torque on every body, fixed ones included, from the impulses kept in
/// the contacts and the time `span` they stand for (`Options::impulse_span`) \[s\].
pub fn contact_forces(state: &State, span: f64) -> Vec<ContactForce> {
    let mut forces = vec![ContactForce::default(); state.position.len()];
    for patch in &state.contacts.patches {
        for point in state.contacts.points_of(patch) {
            for (i, impulse) in [
                (patch.a as usize, -point.impulse),
                (patch.b as usize, point.impulse),
            ] {
                forces[i].force += impulse / span;
                forces[i].torque += (point.position - state.position[i]).cross(impulse) / span;
            }
        }
    }
    forces
}

/// The contact problem that a step of `h` seconds would meet in this state, with nothing
/// fixated, and the impulses kept in the contacts as its candidate solution. Contacts are those
/// of the last query; open ones may close within the step.
pub fn contact_problem(state: &State, model: &Model, h: f64) -> (Problem, Vec<[f64; 3]>) {
    let treatment = Treatment::of_hard_contacts(h);
    let mut assembly = Assembly::default();
    assembly.pose(state, model, &everything(state, model), &treatment, h);
    let impulses = assembly.problem.contacts.iter().zip(&assembly.points);
    let impulses = impulses
        .map(|(c, &p)| c.to_rows(state.contacts.points[p as usize].impulse))
        .collect();
    (assembly.problem, impulses)
}

/// Merit of the state's impulses in its [`contact_problem`] (Erleben 2007, eq. 37-38).
pub fn contact_merit(state: &State, model: &Model, h: f64) -> f64 {
    let (problem, impulses) = contact_problem(state, model, h);
    Law::Pyramid.merit(&FactoredOperator::new(&problem), &impulses)
}

/// Scale-free residual of the state's impulses in its [`contact_problem`], with the friction
/// cone \[1\].
pub fn contact_residual(state: &State, model: &Model, h: f64) -> f64 {
    let (problem, impulses) = contact_problem(state, model, h);
    Law::Cone.residual(&FactoredOperator::new(&problem), &impulses)
}
