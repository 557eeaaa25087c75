//! The recursive residual of the paper, in link frames: the reference for the implicit step, and
//! inverse dynamics (Hadap 2006, Alg. 1).
//!
//! Spherical joints: `ŝ_j = [1₃; 0₃]` is constant in the child's frame. Read with today's notation:
//! the cross product with a force is `×*`, and forces go to the parent by `Xᵀ`.

use drystone_base::{Quat, Vec3};

use crate::chain::{BASE, Chain};
use crate::properties::Properties;
use crate::spatial::{Force, Motion};

/// Rates of a strand for which a residual is asked.
#[derive(Clone, Copy, Debug)]
pub struct Rates<'a> {
    /// Rotation of each link in its parent's frame, `q`.
    pub rotation: &'a [Quat],
    /// Relative angular velocity in the link's frame, `w` \[rad/s\].
    pub rate: &'a [Vec3],
    /// `ẇ` \[rad/s²\]
    pub acceleration: &'a [Vec3],
}

/// Torques that the joints must exert for these rates \[N m\], in the links' frames: `SᵀF_j`.
///
/// `base_velocity` and `base_acceleration` are `v̂₀`, `â₀` in base coordinates (after time scale
/// and local dynamics); `external` gives the force on each link, about its origin and in its frame.
/// Gravity belongs to `external`, so that no scaling of the base's motion touches it.
pub fn inverse_dynamics(
    chain: &Chain,
    properties: &Properties,
    rates: Rates<'_>,
    base_velocity: Motion,
    base_acceleration: Motion,
    external: &[Force],
) -> Vec<Vec3> {
    let n = chain.len();
    let (mut v, mut a) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for j in 0..n {
        let (vi, ai): (Motion, Motion) = match chain.parent[j] {
            BASE => (base_velocity, base_acceleration),
            i => (v[i], a[i]),
        };
        let (r, q) = (chain.joint[j], rates.rotation[j]);
        let s_rate = Motion::new(rates.rate[j], Vec3::ZERO);
        let s_acceleration = Motion::new(rates.acceleration[j], Vec3::ZERO);
        let vj = vi.seen_from(r, q).plus(&s_rate);
        let aj = ai
            .seen_from(r, q)
            .plus(&s_acceleration)
            .plus(&vj.cross(&s_rate));
        v.push(vj);
        a.push(aj);
    }
    let mut residual = vec![Force::ZERO; n];
    let mut torque = vec![Vec3::ZERO; n];
    for i in (0..n).rev() {
        let inertia = properties.links[i].inertia();
        let own = inertia
            .times(&a[i])
            .plus(&v[i].cross_force(&inertia.times(&v[i])));
        let minus = Force {
            moment: -external[i].moment,
            force: -external[i].force,
        };
        residual[i] = residual[i].plus(&own).plus(&minus);
        torque[i] = residual[i].moment;
        if chain.parent[i] != BASE {
            let carried = residual[i].carried_back(chain.joint[i], rates.rotation[i]);
            let parent = chain.parent[i];
            residual[parent] = residual[parent].plus(&carried);
        }
    }
    torque
}

/// Residual of every joint, `rs_j = SᵀF_j − Q_j` \[N m\]: what [`inverse_dynamics`] asks for, less
/// the joint's torque.
pub fn residual(
    chain: &Chain,
    properties: &Properties,
    rates: Rates<'_>,
    base_velocity: Motion,
    base_acceleration: Motion,
    external: &[Force],
    joint_torque: &[Vec3],
) -> Vec<Vec3> {
    let mut rs = inverse_dynamics(
        chain,
        properties,
        rates,
        base_velocity,
        base_acceleration,
        external,
    );
    for (rs, q) in rs.iter_mut().zip(joint_torque) {
        *rs -= *q;
    }
    rs
}

#[cfg(test)]
mod tests;
