//! Energies and momenta: what tests and viewers ask. Velocities are those that the strand feels.

use drystone_base::Vec3;

use crate::System;

/// Of motion, all strands [J].
pub fn kinetic_energy(system: &System) -> f64 {
    (0..system.model.len())
        .map(|i| kinetic_energy_of(system, i))
        .sum()
}

/// Of motion, strand `i` [J]: `½ m|v|² + ½ Σ J_k |Ṙ e_k|²` for every segment.
pub fn kinetic_energy_of(system: &System, i: usize) -> f64 {
    let strand = &system.state.strands[i];
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

/// Of weight, all strands, zero at the origin [J].
pub fn potential_energy(system: &System) -> f64 {
    let of = |i| {
        let links = system.links(i);
        let pairs = links.iter().zip(&system.properties(i).links);
        let segment = pairs
            .map(|(link, own)| -own.mass * own.gravity * system.model.gravity.dot(link.centre));
        segment.sum::<f64>()
    };
    (0..system.model.len()).map(of).sum()
}

/// Of bent, twisted and stretched joints, all strands [J].
pub fn elastic_energy(system: &System) -> f64 {
    let of = |i: usize| {
        let (chain, strand) = (&system.model.chains[i], &system.state.strands[i]);
        let joint = |j: usize| {
            let own = &system.properties(i).links[j];
            let deviation = chain.rest_rotation[j].conjugate() * strand.rotation[j];
            let stretch = strand.stretch.get(j).copied().unwrap_or(0.0);
            let (k, _) = own.stretch.unwrap_or((0.0, 0.0));
            system.model.law.energy(&own.stiffness, deviation) + 0.5 * k * stretch * stretch
        };
        (0..chain.len()).map(joint).sum::<f64>()
    };
    (0..system.model.len()).map(of).sum()
}

/// Kinetic, weight and elastic, all strands [J].
pub fn total_energy(system: &System) -> f64 {
    kinetic_energy(system) + potential_energy(system) + elastic_energy(system)
}

/// Sum over all segments [kg m/s].
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

/// Sum over all segments, about `point` [kg m²/s].
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
