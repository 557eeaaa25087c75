//! Energies and momenta: what tests and viewers ask.

use drystone_base::Vec3;
use serde::{Deserialize, Serialize};

use crate::clock::{period, seconds};
use crate::state::State;
use crate::topology::Topology;
use crate::vertex::Vertex;

/// Energies at one time \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Energy of edge springs and triangles.
    pub stretching: f64,
    /// Energy of hinges.
    pub bending: f64,
    /// Energy of penalty layers.
    pub contact: f64,
    /// Energy in gravity, from the height 0.
    pub gravity: f64,
}

impl Energy {
    /// Energy without that of penalty layers \[J\].
    pub fn without_contact(&self) -> f64 {
        self.kinetic + self.stretching + self.bending + self.gravity
    }

    /// Sum of all of them \[J\].
    pub fn total(&self) -> f64 {
        self.kinetic + self.stretching + self.bending + self.contact + self.gravity
    }
}

/// What was put in and taken out since the start \[J\].
///
/// Energy here leaves out that of penalty layers: with a restitution below 1 contact never gives all of it back. What
/// contact holds at present counts as taken. Each kick is booked by itself: where layers hold what elastic forces press,
/// contact takes at every tick what those have given just before, so `contact` is more than what was lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Account {
    /// Energy at the start, as leapfrog keeps it.
    pub start: f64,
    /// Held at the start by layers of pairs that began too close; contact may give it.
    pub layers: f64,
    /// Work of what moves as prescribed: obstacles, pins and hands.
    pub movers: f64,
    /// Work of loads, moving air and other fields.
    pub loads: f64,
    /// Taken by dashpots.
    pub damping: f64,
    /// Taken by contact, of which restitution may give back a part.
    pub contact: f64,
    /// The most energy of motion, elasticity and layers that there was at the end of an advance; written by
    /// `watch.rs`.
    pub peak: f64,
}

impl Account {
    /// The most energy that there may be: the first, and all work done since.
    pub fn most(&self) -> f64 {
        self.start + self.layers + self.movers + self.loads
    }
}

/// Energies of everything free at the present time.
pub(crate) fn energy(topology: &Topology, state: &State) -> Energy {
    sum(
        &energy_of_sheets(topology, state),
        contact_energy(topology, state),
    )
}

/// Sum over all sheets and their layers.
pub(crate) fn sum(sheets: &[Energy], contact: f64) -> Energy {
    let mut all = Energy {
        contact,
        ..Energy::default()
    };
    for sheet in sheets {
        all.kinetic += sheet.kinetic;
        all.stretching += sheet.stretching;
        all.bending += sheet.bending;
        all.gravity += sheet.gravity;
    }
    all
}

/// Energies of each sheet at the present time, without layers.
///
/// A kick stands for a force that acts all through its period, from half of it before to half of it after. Velocities
/// are taken with the part of it that belongs to the time before now: without that energy would swing by
/// the first power of the periods, and not by the second.
pub(crate) fn energy_of_sheets(topology: &Topology, state: &State) -> Vec<Energy> {
    let mut sheets = vec![Energy::default(); topology.sheets];
    let sheet = |i: u32| topology.object[i as usize] as usize;
    let t = state.time;
    let place = |v: &Vertex| v.at(t, topology.gravity);
    let x: Vec<Vec3> = state.vertices.iter().map(place).collect();
    let mut momentum = vec![Vec3::ZERO; x.len()];
    for (level, clock_level) in topology.clock_levels.iter().enumerate() {
        let ahead = seconds(t & ((1 << level) - 1)) - 0.5 * period(level as u8);
        for spring in &clock_level.springs {
            let [a, b] = spring.ends.map(|i| i as usize);
            sheets[sheet(spring.ends[0])].stretching += spring.energy([x[a], x[b]]);
            let kick = spring.force([x[a], x[b]]) * ahead;
            momentum[a] += kick;
            momentum[b] -= kick;
        }
        for triangle in &clock_level.triangles {
            let corners = triangle.corners.map(|i| x[i as usize]);
            sheets[sheet(triangle.corners[0])].stretching += triangle.energy(corners);
            for (i, force) in triangle.corners.iter().zip(triangle.force(corners)) {
                momentum[*i as usize] += force * ahead;
            }
        }
        for hinge in &clock_level.hinges {
            let corners = hinge.corners.map(|i| x[i as usize]);
            sheets[sheet(hinge.corners[0])].bending += hinge.energy(corners);
            for (i, force) in hinge.corners.iter().zip(hinge.force(corners)) {
                momentum[*i as usize] += force * ahead;
            }
        }
        for i in clock_level.gravity_vertices.iter().map(|i| *i as usize) {
            if state.vertices[i].inverse_mass > 0.0 {
                momentum[i] += topology.true_gravity * (ahead / state.vertices[i].inverse_mass);
            }
        }
    }
    for (i, v) in state.vertices.iter().enumerate() {
        if state.sleep.holds(i) {
            let weight = topology.true_gravity / topology.inverse_mass[i];
            sheets[sheet(i as u32)].gravity -= weight.dot(x[i]);
        } else if v.inverse_mass > 0.0 {
            let mass = 1.0 / v.inverse_mass;
            let velocity = v.velocity_at(t, topology.gravity) + momentum[i] * v.inverse_mass;
            let own = &mut sheets[sheet(i as u32)];
            own.kinetic += 0.5 * mass * velocity.length_squared();
            own.gravity -= mass * topology.true_gravity.dot(x[i]);
        }
    }
    sheets
}

/// Energy of all penalty layers \[J\].
pub(crate) fn contact_energy(topology: &Topology, state: &State) -> f64 {
    let at = |i: u32| state.vertices[i as usize].at(state.time, topology.gravity);
    let mut sum = 0.0;
    for p in state.pairs.all() {
        let pair = &state.pairs.pool[p as usize];
        if pair.layers > 0 {
            let found = pair.kind.closest(pair.corners.map(at));
            let outermost = topology.thickness_of(&pair.corners);
            sum += topology
                .layers
                .energy(outermost, found.distance_squared.sqrt());
        }
    }
    sum
}

/// Momentum of everything free \[kg m/s\], and its moment about the origin \[kg m²/s\].
pub(crate) fn momentum(topology: &Topology, state: &State) -> (Vec3, Vec3) {
    let (mut linear, mut angular) = (Vec3::ZERO, Vec3::ZERO);
    for v in &state.vertices {
        if v.inverse_mass > 0.0 {
            let p = v.velocity_at(state.time, topology.gravity) / v.inverse_mass;
            linear += p;
            angular += v.at(state.time, topology.gravity).cross(p);
        }
    }
    (linear, angular)
}
