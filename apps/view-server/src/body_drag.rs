//! Dragging a body: a damped spring from a point of the body to the pointer.

use drystone_base::{Mat3, Pose, Vec3};
use drystone_rigid::System;

/// Angular frequency of the spring \[1/s\].
const FREQUENCY: f64 = 14.0;
/// Damping ratio of the spring \[1\]: critical, so that the body does not overshoot.
const DAMPING: f64 = 1.0;
/// Largest force of the spring for each kilogram of the body \[m/s²\].
const STRONGEST: f64 = 400.0;
/// Rate at which the body's spin is damped \[1/s\].
const SPIN_DAMPING: f64 = 4.0;

/// Spring between a body and the pointer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyDrag {
    /// Row of the body.
    body: usize,
    /// Attachment of the spring in the body's frame \[m\].
    local: Vec3,
    /// Position of the pointer \[m\].
    pub(crate) target: Vec3,
}

impl BodyDrag {
    /// Takes hold of body `body` at `point` of the world; nothing if it is not there or does not
    /// move.
    pub(crate) fn grab(system: &System, body: usize, point: Vec3) -> Option<Self> {
        let there = body < system.model.len()
            && system.state.present[body]
            && system.model.is_dynamic(body);
        there.then(|| Self {
            body,
            local: pose(system, body).local_point(point),
            target: point,
        })
    }

    /// Pulls during the next step of `dt` seconds.
    ///
    /// The spring carries the body's weight, and pulls with the impulse of an implicit spring with
    /// stiffness m ω² and damping 2 ζ m ω at the held point, so it is stable for any step and any
    /// mass: `p = −(K + γ)⁻¹ (v + β)` with `γ = 1 / (h (c + h k))`, `β = γ h k (x − target)`, K the
    /// inverse mass at the point.
    pub(crate) fn pull(&self, system: &mut System, dt: f64) {
        let i = self.body;
        if i >= system.model.len() || !system.state.present[i] {
            return;
        }
        let at = pose(system, i).point(self.local);
        let (state, model) = (&mut system.state, &system.model);
        let (r, mass) = (at - state.position[i], model.mass[i]);
        let cross = Mat3::from_cols(
            Vec3::new(0.0, r.z, -r.y),
            Vec3::new(-r.z, 0.0, r.x),
            Vec3::new(r.y, -r.x, 0.0),
        );
        let spin = state.inverse_inertia(model, i).matrix();
        let inverse_mass =
            Mat3::from_diagonal(Vec3::splat(model.inverse_mass[i])) - cross * spin * cross;
        let (k, c) = (
            mass * FREQUENCY * FREQUENCY,
            2.0 * DAMPING * mass * FREQUENCY,
        );
        let gamma = 1.0 / (dt * (c + dt * k));
        let weight = model.gravity * model.gravity_scale[i];
        let error = state.velocity_at(i, r) + (at - self.target) * (gamma * dt * k);
        let soft = inverse_mass + Mat3::from_diagonal(Vec3::splat(gamma));
        let force = -(soft.inverse() * error) / dt - weight * mass;
        let force = force.clamp_length_max(STRONGEST * mass);
        if force.is_finite() {
            state.apply_force(i, force, at);
            let torque = state.inertia(model, i).times(state.angular_velocity[i]) * -SPIN_DAMPING;
            state.torque[i] += torque;
        }
    }
}

fn pose(system: &System, i: usize) -> Pose {
    system.state.pose(i)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use drystone_world::{Body, Scene, World};

    #[test]
    fn a_drag_lifts_a_gram_and_a_kilotonne_alike_without_swinging() {
        for mass in [1e-3, 1.0, 1e6] {
            let mut scene = Scene::new();
            scene.ground();
            scene.add(Body::cube(1.0).named("box").at(0.0, 0.5, 0.0).mass(mass));
            let mut world = World::new(&scene).unwrap();
            let start = Vec3::new(0.4, 1.0, 0.4);
            let mut drag = BodyDrag::grab(world.system(), 1, start).unwrap();
            drag.target = start + Vec3::Y * 2.0;
            let mut highest = 0.0f64;
            for _ in 0..600 {
                drag.pull(world.system_mut(), 0.01);
                world.step();
                let held = world.system().state.pose(1).point(drag.local);
                highest = highest.max(held.y);
            }
            let held = world.system().state.pose(1).point(drag.local);
            let off = (held - drag.target).length();
            assert!(off < 0.02, "{mass} kg: {off} m off"); // measured: 4.2e-3, still swinging
            assert!(highest < 3.15, "{mass} kg: swung to {highest} m"); // measured: 3.086
        }
    }

    #[test]
    fn what_is_fixed_or_not_there_cannot_be_held() {
        let mut scene = Scene::new();
        scene.ground();
        scene.add(Body::cube(1.0).named("late").enters_at(1.0));
        let world = World::new(&scene).unwrap();
        for body in [0, 1, 2, usize::MAX] {
            assert!(BodyDrag::grab(world.system(), body, Vec3::ZERO).is_none());
        }
    }
}
