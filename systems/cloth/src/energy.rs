//! Energies and momenta: what tests and viewers ask.

use drystone_base::Vec3;
use serde::{Deserialize, Serialize};

use crate::net::Net;
use crate::state::State;

/// Energies at one time [J].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// Of motion.
    pub kinetic: f64,
    /// Of edge springs and triangles.
    pub stretching: f64,
    /// Of hinges.
    pub bending: f64,
    /// Of penalty layers.
    pub contact: f64,
    /// In gravity, from the height 0.
    pub gravity: f64,
}

impl Energy {
    /// All of them [J].
    pub fn total(&self) -> f64 {
        self.kinetic + self.stretching + self.bending + self.contact + self.gravity
    }
}

/// Energies of everything free at the present time.
pub(crate) fn energy(net: &Net, state: &State) -> Energy {
    let mut energy = Energy::default();
    let t = state.time;
    let x: Vec<Vec3> = state
        .vertices
        .iter()
        .map(|v| v.at(t, net.gravity))
        .collect();
    for (i, v) in state.vertices.iter().enumerate() {
        if v.inverse_mass > 0.0 {
            let mass = 1.0 / v.inverse_mass;
            energy.kinetic += 0.5 * mass * v.velocity_at(t, net.gravity).length_squared();
            energy.gravity -= mass * net.true_gravity.dot(x[i]);
        }
    }
    for beat in &net.beats {
        for spring in &beat.springs {
            energy.stretching += spring.energy(spring.ends.map(|i| x[i as usize]));
        }
        for triangle in &beat.triangles {
            energy.stretching += triangle.energy(triangle.corners.map(|i| x[i as usize]));
        }
        for hinge in &beat.hinges {
            energy.bending += hinge.energy(hinge.corners.map(|i| x[i as usize]));
        }
    }
    for p in state.pairs.all() {
        let pair = &state.pairs.pool[p as usize];
        if pair.layers > 0 {
            let found = pair.kind.closest(pair.corners.map(|i| x[i as usize]));
            energy.contact += net.layers.energy(found.distance_squared.sqrt());
        }
    }
    energy
}

/// Momentum of everything free [kg m/s], and its moment about the origin [kg m²/s].
pub(crate) fn momentum(net: &Net, state: &State) -> (Vec3, Vec3) {
    let (mut linear, mut angular) = (Vec3::ZERO, Vec3::ZERO);
    for v in &state.vertices {
        if v.inverse_mass > 0.0 {
            let p = v.velocity_at(state.time, net.gravity) / v.inverse_mass;
            linear += p;
            angular += v.at(state.time, net.gravity).cross(p);
        }
    }
    (linear, angular)
}
