//! The base with scaled motion: time scale and local dynamics (Hadap 2006, eq. 19).
//!
//! Both scale spatial vectors in base coordinates, where acceleration is the derivative of
//! velocity; so there is a frame that moves with exactly the scaled velocity. A strand is simulated
//! with that *scaled* base, and shown on the true one; gravity and fields are turned into the scaled
//! world, and so stay untouched.

use drystone_base::functions::rotation_vector;
use drystone_base::{Pose, Vec3};

use crate::Base;
use crate::constraint::StepConstraint;
use crate::spatial::Motion;
use crate::step::Step;

/// Pose of the scaled base, with the transform from the scaled world to the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BaseFrame {
    pub pose: Pose,
    pub to_world: Pose,
    /// Whether both worlds are one.
    pub plain: bool,
}

impl BaseFrame {
    /// The base in `pose`, in both worlds.
    pub(crate) fn plain(pose: Pose) -> Self {
        Self {
            pose,
            to_world: Pose::IDENTITY,
            plain: true,
        }
    }

    /// A direction of the true world, in the scaled one.
    #[inline]
    pub(crate) fn scaled(&self, direction: Vec3) -> Vec3 {
        if self.plain {
            direction
        } else {
            self.to_world.local_direction(direction)
        }
    }

    /// A place of the true world, in the scaled one.
    #[inline]
    pub(crate) fn scaled_point(&self, place: Vec3) -> Vec3 {
        if self.plain {
            place
        } else {
            self.to_world.local_point(place)
        }
    }

    /// A place of the scaled world, in the true one.
    #[inline]
    pub(crate) fn world(&self, place: Vec3) -> Vec3 {
        if self.plain {
            place
        } else {
            self.to_world.point(place)
        }
    }

    /// A direction of the scaled world, in the true one.
    #[inline]
    pub(crate) fn world_direction(&self, direction: Vec3) -> Vec3 {
        if self.plain {
            direction
        } else {
            self.to_world.direction(direction)
        }
    }
}

impl Base {
    /// Whether the base moves as given: neither time scale nor local dynamics.
    pub fn is_plain(&self) -> bool {
        let is = |ramp: &crate::Ramp, value| ramp.is_constant() && ramp.at(0.0) == value;
        let apart = self.reference.is_none() || is(&self.local_dynamics, 0.0);
        is(&self.time_scale, 1.0) && apart
    }

    /// Felt velocity and acceleration `v̂₀`, `â₀` in base coordinates.
    ///
    /// `v̂ = β (v̂₀ − γ X v̂_ref)`   (Hadap 2006, eq. 19)
    ///
    /// `X` takes the reference frame's velocity field to the base. Ours: the scaled acceleration is the
    /// derivative of that velocity, `Ẋ v̂_ref = −v̂_rel × X v̂_ref` and changes of `β` and `γ`
    /// included; as printed, a head turning on a body in uniform motion would feel a force.
    pub fn scaled_motion(&self, t: f64) -> (Motion, Motion) {
        let moving = self.path.at(t);
        let (mut v, mut a) = (
            Motion::velocity_of(&moving),
            Motion::acceleration_of(&moving),
        );
        if let Some(path) = &self.reference {
            let frame = path.at(t);
            let there = frame.pose.inverse().then(&moving.pose);
            let at_base = |m: Motion| m.seen_from(there.position, there.rotation);
            let field = at_base(Motion::velocity_of(&frame));
            let relative = v.plus(&field.times(-1.0));
            let change = at_base(Motion::acceleration_of(&frame)).plus(&field.cross(&relative));
            let (gamma, slope) = (self.local_dynamics.at(t), self.local_dynamics.slope(t));
            v = v.plus(&field.times(-gamma));
            a = a.plus(&change.times(-gamma)).plus(&field.times(-slope));
        }
        let (beta, slope) = (self.time_scale.at(t), self.time_scale.slope(t));
        (v.times(beta), a.times(beta).plus(&v.times(slope)))
    }

    /// The frame at `t + h` when the scaled base was at `before` at time `t`.
    pub(crate) fn frame(&self, before: &Pose, t: f64, h: f64) -> BaseFrame {
        if self.body.is_some() {
            // the body takes no part: the base stays
            return BaseFrame::plain(*before);
        }
        let truly = self.path.pose(t + h);
        if self.is_plain() {
            return BaseFrame::plain(truly);
        }
        let pose = self.carried(before, t, h);
        BaseFrame {
            pose,
            to_world: truly.then(&pose.inverse()),
            plain: false,
        }
    }

    /// `before`, moved with the scaled velocity from `t` to `t + h`: four Runge-Kutta steps.
    fn carried(&self, before: &Pose, t: f64, h: f64) -> Pose {
        const PARTS: u32 = 4;
        let step = h / f64::from(PARTS);
        let mut pose = *before;
        for part in 0..PARTS {
            let start = t + step * f64::from(part);
            let [v0, v1, v2] = [0.0, 0.5, 1.0].map(|u| self.scaled_motion(start + u * step).0);
            // position along the exact middle rotation; rotation by Simpson's rule with the
            // commutator of a changing axis
            let turn = (v0.angular + v1.angular * 4.0 + v2.angular) * (step / 6.0);
            let bent = v0.angular.cross(v2.angular) * (step * step / 12.0);
            let whole = rotation_vector(turn + bent);
            let half_turn = (v0.angular * 5.0 + v1.angular * 8.0 - v2.angular) * (step / 24.0);
            let half = rotation_vector(half_turn);
            let shift = v0.linear + half * v1.linear * 4.0 + whole * v2.linear;
            pose = Pose::new(
                pose.position + pose.rotation * shift * (step / 6.0),
                (pose.rotation * whole).normalize(),
            );
        }
        pose
    }
}

impl Step<'_> {
    /// What the base exerts on member `k` at the end of a step, world axes: force \[N\], and torque about
    /// the base's origin \[N m\]. It is the wrench that all links require, less what pose springs,
    /// penalties and loads supply.
    pub(crate) fn base_load(&self, k: usize) -> [Vec3; 2] {
        let (work, range) = (&*self.work, self.input.members[k].range());
        let (iterate, frame) = (&work.iterate, &work.frames[k]);
        let origin = frame.pose.position;
        let (mut force, mut torque) = (Vec3::ZERO, Vec3::ZERO);
        for j in range.clone() {
            let (link, body) = (&iterate.links[j], &work.link_steps[j]);
            let sampled = iterate
                .sampled
                .get(j)
                .map_or(Vec3::ZERO, |sampled| sampled.force);
            let required = body.force(self.bdf.s, link.centre) - sampled;
            force += required;
            torque += body.moment(&link.axes) + (link.centre - origin).cross(required);
            if body.tip_stiffness > 0.0 {
                let required = link.tip * body.tip_stiffness - body.tip_pull;
                force += required;
                torque += (link.tip - origin).cross(required);
            }
            if let Some(load) = iterate.loads.get(j) {
                let m = load.levers(&link.axes);
                let twist = Vec3::new(
                    m.y_axis.z - m.z_axis.y,
                    m.z_axis.x - m.x_axis.z,
                    m.x_axis.y - m.y_axis.x,
                );
                force -= load.force;
                torque -= (link.origin - origin).cross(load.force) + twist + load.torque;
            }
        }
        for penalty in work.penalties.iter().filter(|s| range.contains(&s.link())) {
            let j = penalty.link();
            let required = penalty.required(&iterate.links[j], iterate.rotation[j]);
            match penalty.equation {
                StepConstraint::Place { a, .. } => {
                    force += required;
                    torque += (a.place(&iterate.links) - origin).cross(required);
                }
                StepConstraint::Turn { .. } => torque += required,
                StepConstraint::Joint { .. } => {}
            }
        }
        [frame.world_direction(force), frame.world_direction(torque)]
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Key, MotionPath};
    use drystone_base::functions::{rotation_about, sin};

    fn shaken() -> MotionPath {
        let keys: Vec<Key> = (0..25)
            .map(|k| f64::from(k) / 24.0)
            .map(|time| {
                let turn = rotation_about(Vec3::Y, 0.7 * sin(9.0 * time));
                let lean = rotation_about(Vec3::X, 0.4 * sin(5.0 * time));
                let place = Vec3::new(0.15 * sin(12.0 * time), time, 0.0);
                let pose = Pose::new(place, turn * lean);
                Key::new(time, pose)
            })
            .collect();
        MotionPath::smooth(&keys).unwrap()
    }

    #[test]
    fn a_base_with_unit_scale_is_the_true_one() {
        // integrated from its velocity although it need not be
        let base = Base::on(shaken());
        let mut pose = base.path.pose(0.0);
        for k in 0..96 {
            pose = base.carried(&pose, f64::from(k) / 96.0, 1.0 / 96.0);
        }
        let truly = base.path.pose(1.0);
        let far = (pose.position - truly.position).length();
        let turned =
            drystone_base::rotation::log(pose.rotation.conjugate() * truly.rotation).length();
        assert!(far < 1e-6 && turned < 1e-6, "{far:.1e} m, {turned:.1e} rad"); // measured: 6e-9, 7e-10
    }

    #[test]
    fn with_local_dynamics_on_its_own_frame_nothing_moves() {
        let mut base = Base::on(shaken());
        base.reference = Some(shaken());
        base.local_dynamics = 1.0.into();
        let (v, a) = base.scaled_motion(0.4);
        let left = v.angular.length() + v.linear.length() + a.angular.length() + a.linear.length();
        assert!(left < 1e-12, "{left:.1e}"); // measured: 3e-14
    }

    #[test]
    fn time_scale_scales_velocity_and_acceleration_alike() {
        let full = Base::on(shaken());
        let mut half = full.clone();
        half.time_scale = 0.5.into();
        let ((v, a), (hv, ha)) = (full.scaled_motion(0.3), half.scaled_motion(0.3));
        assert_eq!(v.times(0.5), hv);
        assert_eq!(a.times(0.5), ha);
    }

    #[test]
    fn a_turning_lever_has_its_spatial_acceleration() {
        // a base on a turntable: p = (cos Ωt, 0, −sin Ωt), turned with it. In base coordinates the
        // spatial velocity is constant, so the spatial acceleration is zero
        let rate = 3.0;
        let keys: Vec<Key> = (0..9)
            .map(|k| k as f64 * 0.01)
            .map(|time| {
                let rotation = rotation_about(Vec3::Y, rate * time);
                let pose = Pose::new(rotation * Vec3::X, rotation);
                Key::new(time, pose)
            })
            .collect();
        let moving = MotionPath::smooth(&keys).unwrap().at(0.04);
        let (v, a) = (
            Motion::velocity_of(&moving),
            Motion::acceleration_of(&moving),
        );
        assert!((v.linear - Vec3::new(0.0, 0.0, -3.0)).length() < 1e-6);
        let error = a.linear.length() + a.angular.length();
        assert!(error < 1e-4, "{error:.1e}"); // measured: 2e-7
    }
}
