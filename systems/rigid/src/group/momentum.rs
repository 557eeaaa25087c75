//! Angular momentum and energy of islands that hang on nothing.
//!
//! Within a step, anchors and inertia stay as they were at its start while bodies go on by
//! substeps, and the correction moves bodies too; each costs a little angular momentum. An island
//! gets back what it has lost as one spin of the whole: that changes no velocity between its bodies,
//! so that its contacts stay solved. Where that spin adds energy, or the step has (bounces of bodies that turn are
//! answered with an inertia that is a little old), the motion of the bodies against the whole is slowed by as
//! much, which changes neither momentum.

use drystone_base::{Mat3, Symmetric3, Vec3};

use super::Member;
use crate::{Model, NONE};

/// Momenta that the free islands of a group must have at the end of the step.
#[derive(Default)]
pub(super) struct Momentum {
    islands: Vec<Free>,
    /// Whether any island is free.
    any: bool,
}

#[derive(Clone, Copy, Default)]
struct Free {
    /// Whether it touches something that does not move, or is damped.
    held: bool,
    mass: f64,
    /// Centre of mass at the start of the step \[m\], and its velocity \[m/s\].
    about: Vec3,
    drift: Vec3,
    /// Acceleration of all of its bodies; whether theirs differ, or one has a torque \[m/s²\].
    fall: Option<Vec3>,
    forced: bool,
    /// Kinetic energy at the start of the step, seen from the centre of mass \[J\].
    start: f64,
    /// Angular momentum about it that is to be there, at last what is missing \[kg m²/s\].
    wanted: Vec3,
    /// Centre of mass and inertia at the end of the step \[m\], \[kg m²\].
    centre: Vec3,
    inertia: Symmetric3,
    /// Spin that makes up for the missing angular momentum \[rad/s\].
    spin: Vec3,
    /// Momentum \[kg m/s\], and angular momentum about `centre` after that spin \[kg m²/s\]; seen by one that goes at
    /// `drift`, as are the energies.
    linear_momentum: Vec3,
    angular_momentum: Vec3,
    /// Kinetic energy that it may have, and that after that spin \[J\].
    had: f64,
    has: f64,
}

impl Momentum {
    /// Looks at the members, each with its island; `held` tells which islands touch what is fixed.
    pub(super) fn begin(&mut self, held: &[bool], members: &[Member], model: &Model) {
        let start = |&held| Free {
            held,
            ..Free::default()
        };
        self.islands.clear();
        self.islands.extend(held.iter().map(start));
        for member in members {
            if let Some(island) = self.islands.get_mut(member.island as usize) {
                island.held |= !member.moves || member.is_damped();
            }
        }
        self.any = self.islands.iter().any(|island| !island.held);
        if !self.any {
            return;
        }
        self.each(members, |island, member| {
            let mass = model.mass[member.body as usize];
            island.mass += mass;
            island.about += member.position * mass;
            island.drift += member.linear_velocity * mass;
            let fall = *island.fall.get_or_insert(member.linear_acceleration);
            island.forced |= fall != member.linear_acceleration || member.torque != Vec3::ZERO;
        });
        for island in self.islands.iter_mut().filter(|island| !island.held) {
            island.about /= island.mass;
            island.drift /= island.mass;
        }
        self.each(members, |island, member| {
            island.wanted += member.angular_momentum(model, island.about);
            let v = member.linear_velocity - island.drift;
            island.start += member.kinetic_energy(model, v, member.angular_velocity);
        });
    }

    /// Adds the impulses of gravity and external forces within `h` seconds.
    pub(super) fn push(&mut self, members: &[Member], model: &Model, h: f64) {
        if self.any {
            self.each(members, |island, member| {
                let mass = model.mass[member.body as usize];
                let arm = member.position - island.about;
                let torque = arm.cross(member.linear_acceleration * mass)
                    + member.inertia(model).times(member.angular_acceleration);
                island.wanted += torque * h;
            });
        }
    }

    /// Spins each free island as a whole so that it has what it is to have.
    pub(super) fn restore(&mut self, members: &mut [Member], model: &Model) {
        if !self.any {
            return;
        }
        self.each(members, |island, member| {
            island.centre += member.position * (model.mass[member.body as usize] / island.mass);
        });
        self.each(members, |island, member| {
            let arm = member.position - island.centre;
            let outer = Mat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
            let orbit = Mat3::from_diagonal(Vec3::splat(arm.length_squared())) - outer;
            let mass = model.mass[member.body as usize];
            let inertia = island.inertia.matrix() + member.inertia(model).matrix() + orbit * mass;
            island.inertia = Symmetric3::from_matrix(&inertia);
            island.wanted -= member.angular_momentum(model, island.about);
        });
        for island in self.islands.iter_mut().filter(|island| !island.held) {
            let spin = island.inertia.inverse().times(island.wanted);
            // what has no inertia to speak of cannot be helped so
            island.spin = if spin.is_finite() { spin } else { Vec3::ZERO };
        }
        for member in members.iter_mut().filter(|member| member.island != NONE) {
            let island = &self.islands[member.island as usize];
            if !island.held {
                member.linear_velocity += island.spin.cross(member.position - island.centre);
                member.angular_velocity += island.spin;
            }
        }
        self.slow_down(members, model);
    }

    /// Slows the motion of bodies against the whole where the spin of the whole or the step has added energy.
    fn slow_down(&mut self, members: &mut [Member], model: &Model) {
        self.each(members, |island, member| {
            let mass = model.mass[member.body as usize];
            let arm = member.position - island.centre;
            let v = member.linear_velocity - island.drift;
            let w = member.angular_velocity;
            let before = v - island.spin.cross(arm);
            island.has += member.kinetic_energy(model, v, w);
            island.had += member.kinetic_energy(model, before, w - island.spin);
            island.linear_momentum += mass * v;
            island.angular_momentum += arm.cross(mass * v) + member.inertia(model).times(w);
        });
        for island in self.islands.iter_mut().filter(|island| !island.held) {
            // what acts on all alike moves the whole, and nothing against it
            if !island.forced {
                let whole = 0.5 * island.linear_momentum.length_squared() / island.mass;
                island.had = island.had.min(island.start + whole);
            }
        }
        for member in members.iter_mut().filter(|member| member.island != NONE) {
            let island = &self.islands[member.island as usize];
            if island.held || island.has <= island.had {
                continue;
            }
            // the motion of the whole as one body has the rest of the energy
            let velocity = island.linear_momentum / island.mass;
            let spin = island.inertia.inverse().times(island.angular_momentum);
            let whole =
                0.5 * (velocity.dot(island.linear_momentum) + spin.dot(island.angular_momentum));
            let share = ((island.had - whole) / (island.has - whole))
                .clamp(0.0, 1.0)
                .sqrt();
            if share.is_finite() {
                let v = island.drift + velocity + spin.cross(member.position - island.centre);
                member.linear_velocity = v + share * (member.linear_velocity - v);
                member.angular_velocity = spin + share * (member.angular_velocity - spin);
            }
        }
    }

    fn each(&mut self, members: &[Member], mut act: impl FnMut(&mut Free, &Member)) {
        for member in members.iter().filter(|member| member.island != NONE) {
            let island = &mut self.islands[member.island as usize];
            if !island.held {
                act(island, member);
            }
        }
    }
}

impl Member {
    fn inertia(&self, model: &Model) -> Symmetric3 {
        model.inertia_local[self.body as usize].rotated(self.rotation)
    }

    /// Kinetic energy at the velocity `v` and the spin `w` \[J\].
    fn kinetic_energy(&self, model: &Model, v: Vec3, w: Vec3) -> f64 {
        let mass = model.mass[self.body as usize];
        0.5 * (mass * v.length_squared() + w.dot(self.inertia(model).times(w)))
    }

    fn angular_momentum(&self, model: &Model, about: Vec3) -> Vec3 {
        let mass = model.mass[self.body as usize];
        let orbit = (self.position - about).cross(self.linear_velocity * mass);
        orbit + self.inertia(model).times(self.angular_velocity)
    }
}
