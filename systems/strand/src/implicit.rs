//! The equations of one implicit step at pose level.
//!
//! BDF acts on the centre `x` of every link and on the columns of its rotation matrix:
//! `V = s X − …`, `A = s V − …`, both linear in the pose, so that no Coriolis term appears. A link
//! then requires the force `m A_x − …` at its centre and the moment `Σ_k J_k R e_k × A_{R,k}`; a
//! joint transmits what all links further out require. World axes throughout: `θ_j = θ_i + ψ_j`
//! for small turns, and forces go to the parent by a lever arm alone.

use drystone_base::{Mat3, Quat, Vec3};

use crate::chain::{BASE, Chain, FREE};
use crate::elastic::{JointStiffness, Law};
use crate::factor::Matrix6;
use crate::kinematics::Link;
use crate::penalty::Penalty;
use drystone_base::rotation::{log, outer};

/// Coefficients of the backward difference formula for a step `h` after a step `h_before`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bdf {
    /// Step \[s\].
    pub h: f64,
    /// `ẏ = s y − a y₀ + b y₋₁` \[1/s\].
    pub s: f64,
    pub a: f64,
    pub b: f64,
}

impl Bdf {
    /// First order: for a start, and after impacts.
    pub(crate) fn first(h: f64) -> Self {
        let s = 1.0 / h;
        Self { h, s, a: s, b: 0.0 }
    }

    /// Second order, `ρ = h / h_before`.
    pub(crate) fn second(h: f64, h_before: f64) -> Self {
        let rho = h / h_before;
        Self {
            h,
            s: (1.0 + 2.0 * rho) / ((1.0 + rho) * h),
            a: (1.0 + rho) / h,
            b: rho * rho / ((1.0 + rho) * h),
        }
    }

    /// No inertia, no rates: equilibrium.
    pub(crate) fn none() -> Self {
        Self {
            h: f64::INFINITY,
            s: 0.0,
            a: 0.0,
            b: 0.0,
        }
    }
}

/// Constants of one link during one implicit step; written by `gather_forces`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkStep {
    pub mass: f64,
    /// Half the segment.
    pub half: f64,
    pub second_moments: Vec3,
    /// `A_x = s² x − centre_history`
    pub centre_history: Vec3,
    /// `V_x = s x − velocity_history`
    pub velocity_history: Vec3,
    /// History term of the links' axes: `A_R = s² R − axes_history`.
    pub axes_history: Mat3,
    /// Constant force at the centre, drag's `D u` included.
    pub applied_force: Vec3,
    /// Constant torque \[N m\].
    pub torque: Vec3,
    /// Drag `D = drag (1 − less y yᵀ)` with the segment's direction at the start of the solve.
    pub drag: f64,
    pub drag_less: f64,
    pub drag_axis: Vec3,
    /// Spring and damper at the tip: force `tip_stiffness · tip − tip_pull`.
    pub tip_stiffness: f64,
    pub tip_pull: Vec3,
    /// Joint: rotation at the start of the step, rest rotation reversed, `w = s φ − rate_history`.
    pub start: Quat,
    pub rest_inverse: Quat,
    pub rate_history: Vec3,
    pub stiffness: JointStiffness,
    pub damping: Vec3,
    /// Stretch: stiffness, damping, and `ė = s e − stretch_history`.
    pub stretch: Option<(f64, f64)>,
    pub stretch_history: f64,
}

/// A force that depends on where a link is and how it moves, at the present iterate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldForce {
    pub force: Vec3,
    /// `∂force/∂x + s ∂force/∂v`
    pub slope: Mat3,
}

impl FieldForce {
    /// No force.
    pub(crate) const ZERO: Self = Self {
        force: Vec3::ZERO,
        slope: Mat3::ZERO,
    };
}

/// Forces of constraints and contacts on one link, constant while a Newton step is tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Load {
    /// Whether any acts: otherwise all but `rotation` is zero.
    pub acts: bool,
    /// Their sum.
    pub force: Vec3,
    /// `Σ f ξᵀ` with the points `ξ` in the link's frame.
    pub points: Mat3,
    /// Torque on the link, and its rotation and origin when that was found.
    pub torque: Vec3,
    pub rotation: Quat,
    pub origin: Vec3,
    /// Torque of the joint that the link hangs by, in the link's frame.
    pub joint: Vec3,
    /// How the torque grows with a turn from `rotation`, world axes \[N m\]: contacts move along a
    /// segment that turns.
    pub rolling: Mat3,
    /// Derivative of the required wrench as contacts move over a curved surface, if any does.
    pub stiffness: Option<Matrix6>,
}

impl Load {
    /// No forces.
    pub(crate) const ZERO: Self = Self {
        acts: false,
        force: Vec3::ZERO,
        points: Mat3::ZERO,
        torque: Vec3::ZERO,
        rotation: Quat::IDENTITY,
        origin: Vec3::ZERO,
        joint: Vec3::ZERO,
        rolling: Mat3::ZERO,
        stiffness: None,
    };

    /// `Σ f lᵀ` with the levers `l` from the link's origin, world axes.
    #[inline]
    pub(crate) fn levers(&self, axes: &Mat3) -> Mat3 {
        self.points * axes.transpose()
    }
}

/// The equations of one implicit step.
pub(crate) struct Problem<'a> {
    pub chain: &'a Chain,
    pub law: &'a dyn Law,
    pub bdf: Bdf,
    pub link_steps: &'a [LinkStep],
    /// Penalties of constraints.
    pub penalties: &'a [Penalty],
}

impl LinkStep {
    /// `D v`
    #[inline]
    pub(crate) fn drag_times(&self, v: Vec3) -> Vec3 {
        let axis = self.drag_axis;
        (v - axis * (self.drag_less * axis.dot(v))) * self.drag
    }

    /// Force required at the centre: inertia and drag, less the applied force.
    #[inline]
    pub(crate) fn force(&self, s: f64, x: Vec3) -> Vec3 {
        let inertia = (x * (s * s) - self.centre_history) * self.mass;
        if self.drag == 0.0 {
            return inertia - self.applied_force;
        }
        inertia + self.drag_times(x * s - self.velocity_history) - self.applied_force
    }

    /// Moment required about the centre, `Σ J_k u_k × (s² u_k − h_k)`: the first product is zero.
    #[inline]
    pub(crate) fn moment(&self, axes: &Mat3) -> Vec3 {
        let (j, h) = (self.second_moments, &self.axes_history);
        h.x_axis.cross(axes.x_axis) * j.x
            + h.y_axis.cross(axes.y_axis) * j.y
            + h.z_axis.cross(axes.z_axis) * j.z
            - self.torque
    }

    /// Derivative of the moment by a rotation: `−Σ J_k [h_k][u_k]`.
    #[inline]
    pub(crate) fn moment_slope(&self, axes: &Mat3) -> Mat3 {
        let (j, h) = (self.second_moments, &self.axes_history);
        let (a, b, c) = (h.x_axis * -j.x, h.y_axis * -j.y, h.z_axis * -j.z);
        let (u, v, w) = (axes.x_axis, axes.y_axis, axes.z_axis);
        let mut m = outer(u, a) + outer(v, b) + outer(w, c);
        let d = u.dot(a) + v.dot(b) + w.dot(c);
        m.x_axis.x -= d;
        m.y_axis.y -= d;
        m.z_axis.z -= d;
        m
    }

    /// Turn of the joint since the start of the step, and its rate `w`, in the link's frame.
    #[inline(always)]
    pub(crate) fn turn_and_rate(&self, s: f64, rotation: Quat) -> (Vec3, Vec3) {
        let turn = log(self.start.conjugate() * rotation);
        (turn, turn * s - self.rate_history)
    }
}

impl Problem<'_> {
    /// Merit function of the line search: its gradient is the residual, but for the rotation of the damper's
    /// frame within a step \[J\].
    ///
    /// `Σ m|A_x|²/2s² + Σ J_k|A_{R,k}|²/2s² + V·DV/2s − f·x + V_el + w·Cw/2s`, and the penalties.
    pub(crate) fn merit(
        &self,
        rotation: &[Quat],
        stretch: &[f64],
        links: &[Link],
        sampled: &[FieldForce],
        loads: &[Load],
    ) -> f64 {
        let s = self.bdf.s;
        let mut sum = 0.0;
        // heights are counted from a place that stays where it is
        let place = match self.chain.parent.first() {
            Some(&FREE) if s > 0.0 => self.link_steps[0].centre_history / (s * s),
            _ => links[0].pivot,
        };
        for (j, step) in self.link_steps.iter().enumerate() {
            let link = &links[j];
            let from = match self.chain.parent[j] {
                BASE => link.pivot,
                _ => place,
            };
            // inertia of rotation, |A_R|² up to constants; applied forces and sampled fields
            let h = &step.axes_history;
            let j_k = step.second_moments;
            sum -= j_k.x * link.axes.x_axis.dot(h.x_axis)
                + j_k.y * link.axes.y_axis.dot(h.y_axis)
                + j_k.z * link.axes.z_axis.dot(h.z_axis);
            sum -= step.applied_force.dot(link.centre - from);
            if let Some(sampled) = sampled.get(j) {
                sum -= sampled.force.dot(link.centre - from);
            }
            // inertia of translation, drag, damping of the joint
            let damping = if s > 0.0 {
                let away = link.centre - step.centre_history / (s * s);
                sum += 0.5 * step.mass * s * s * away.length_squared();
                let v = link.centre * s - step.velocity_history;
                sum += 0.5 * v.dot(step.drag_times(v)) / s;
                let (_, w) = step.turn_and_rate(s, rotation[j]);
                0.5 * w.dot(step.damping * w) / s
            } else {
                sum += step.mass * step.centre_history.dot(from - link.centre);
                0.0
            };
            // multipliers of rows, as dead loads
            if let Some(load) = loads.get(j).filter(|load| load.acts) {
                let levers = load.levers(&link.axes);
                let turn = log(step.start.conjugate() * rotation[j]);
                sum -= load.force.dot(link.origin - from);
                sum -= levers.x_axis.x + levers.y_axis.y + levers.z_axis.z;
                // torques have no energy of their own: that of the turn so far, to first order
                let turned = load_turn(link, load);
                sum -= load.joint.dot(turn) + load.torque.dot(turned);
                sum += 0.5 * turned.dot(load.rolling * turned);
                // contacts on a surface that bends follow it: of a rope that slides over a post, dead forces would resist
                if let Some(stiffness) = &load.stiffness {
                    let shift = link.origin - load.origin;
                    sum += 0.5 * turned.dot(stiffness.tt * turned + stiffness.tp * shift);
                    sum += 0.5 * shift.dot(stiffness.pt * turned + stiffness.pp * shift);
                }
            }
            // elasticity of joint, pose spring and stretch
            let deviation = step.rest_inverse * rotation[j];
            sum += self.law.energy(&step.stiffness, deviation) + damping;
            if step.tip_stiffness > 0.0 {
                let away = link.tip - step.tip_pull / step.tip_stiffness;
                sum += 0.5 * step.tip_stiffness * away.length_squared();
            }
            if let (Some((k, c)), Some(&e)) = (step.stretch, stretch.get(j)) {
                sum += 0.5 * k * e * e;
                if s > 0.0 {
                    let rate = s * e - step.stretch_history;
                    sum += 0.5 * c * rate * rate / s;
                }
            }
        }
        for penalty in self.penalties {
            let j = penalty.link();
            sum += penalty.energy(&links[j], rotation[j]);
        }
        sum
    }
}

/// Rotation vector of the link since its torque was found, world axes.
fn load_turn(link: &Link, load: &Load) -> Vec3 {
    link.rotation * log(load.rotation.conjugate() * link.rotation)
}
