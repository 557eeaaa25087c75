//! Energies and momenta, for tests and viewers. Velocities are those of the scaled world (eq. 19).

use drystone_base::Vec3;

use crate::System;
use crate::kinematics::place;
use crate::state::{State, StrandState};
use drystone_base::rotation::nudge;

/// Kinetic energy of all strands \[J\].
pub fn kinetic_energy(system: &System) -> f64 {
    sum(system, &system.state, kinetic)
}

/// Kinetic energy of strand `i` \[J\]: `½ m|v|² + ½ Σ J_k |Ṙ e_k|²` for every segment.
pub fn kinetic_energy_of(system: &System, i: usize) -> f64 {
    kinetic(system, i, &system.state.strands[i])
}

/// Potential energy of the weight of all strands, zero at the origin \[J\].
pub fn potential_energy(system: &System) -> f64 {
    sum(system, &system.state, weight)
}

/// Elastic energy of bent, twisted and stretched joints of all strands \[J\].
pub fn elastic_energy(system: &System) -> f64 {
    sum(system, &system.state, elastic)
}

/// Kinetic, weight and elastic, all strands \[J\].
pub fn total_energy(system: &System) -> f64 {
    kinetic_energy(system) + potential_energy(system) + elastic_energy(system)
}

/// Energy that the two-step method stores: the mean of [`total_energy`] at the present state and at the state
/// extrapolated by one step, `½ (E(y_n) + E(2 y_n − y_{n−1}))` \[J\].
///
/// With equal steps and linear forces BDF2 lowers it in every step by `½ E(y_{n+1} − 2 y_n + y_{n−1})`. Of
/// `E(y_n)` itself one step may take more, and the next return a part.
pub fn stored_energy(system: &System) -> f64 {
    let mut ahead = system.state.clone();
    for strand in &mut ahead.strands {
        for (j, past) in strand.history.iter_mut().enumerate() {
            strand.rotation[j] = nudge(strand.rotation[j], past.turn);
            if let Some(e) = strand.stretch.get_mut(j) {
                *e = *e * 2.0 - past.stretch_before;
            }
            past.velocity[0] = past.velocity[0] * 2.0 - past.velocity[1];
            past.axes_rate[0] = past.axes_rate[0] * 2.0 - past.axes_rate[1];
        }
    }
    let parts: [Part; 3] = [kinetic, weight, elastic];
    let then: f64 = parts.map(|part| sum(system, &ahead, part)).iter().sum();
    0.5 * (total_energy(system) + then)
}

/// A part of the energy of one strand, were it in the given state.
type Part = fn(&System, usize, &StrandState) -> f64;

fn sum(system: &System, state: &State, part: Part) -> f64 {
    let strands = state.strands.iter().enumerate();
    strands.map(|(i, strand)| part(system, i, strand)).sum()
}

fn kinetic(system: &System, i: usize, strand: &StrandState) -> f64 {
    let pairs = strand.history.iter().zip(&system.properties(i).links);
    let segment = pairs.map(|(past, own)| {
        let (v, r, j) = (past.velocity[0], &past.axes_rate[0], own.second_moments);
        let turning = j.x * r.x_axis.length_squared()
            + j.y * r.y_axis.length_squared()
            + j.z * r.z_axis.length_squared();
        0.5 * (own.mass * v.length_squared() + turning)
    });
    segment.sum()
}

fn weight(system: &System, i: usize, strand: &StrandState) -> f64 {
    let (chain, mut links) = (&system.model.chains[i], Vec::new());
    let base = system.base(i);
    place(chain, &strand.rotation, &strand.stretch, &base, &mut links);
    let pairs = links.iter().zip(&system.properties(i).links);
    let segment =
        pairs.map(|(link, own)| -own.mass * own.gravity * system.model.gravity.dot(link.centre));
    segment.sum()
}

fn elastic(system: &System, i: usize, strand: &StrandState) -> f64 {
    let chain = &system.model.chains[i];
    let joint = |j: usize| {
        let own = &system.properties(i).links[j];
        let deviation = chain.rest_rotation[j].conjugate() * strand.rotation[j];
        let stretch = strand.stretch.get(j).copied().unwrap_or(0.0);
        let (k, _) = own.stretch.unwrap_or((0.0, 0.0));
        system.model.law.energy(&own.stiffness, deviation) + 0.5 * k * stretch * stretch
    };
    (0..chain.len()).map(joint).sum()
}

/// Sum over all segments \[kg m/s\].
pub fn linear_momentum(system: &System) -> Vec3 {
    let of = |i: usize| {
        let pairs = system.state.strands[i]
            .history
            .iter()
            .zip(&system.properties(i).links);
        pairs
            .map(|(past, own)| past.velocity[0] * own.mass)
            .sum::<Vec3>()
    };
    (0..system.model.len()).map(of).sum()
}

/// Sum over all segments, about `point` \[kg m²/s\].
pub fn angular_momentum(system: &System, point: Vec3) -> Vec3 {
    let of = |i: usize| {
        let pairs = system.state.strands[i]
            .history
            .iter()
            .zip(&system.properties(i).links);
        let segment = pairs.map(|(past, own)| {
            let (u, r, j) = (&past.axes[0], &past.axes_rate[0], own.second_moments);
            (past.centre[0] - point).cross(past.velocity[0]) * own.mass
                + u.x_axis.cross(r.x_axis) * j.x
                + u.y_axis.cross(r.y_axis) * j.y
                + u.z_axis.cross(r.z_axis) * j.z
        });
        segment.sum::<Vec3>()
    };
    (0..system.model.len()).map(of).sum()
}
