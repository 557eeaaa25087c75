//! All that moves. A `State` clones, serialises and compares whole, which makes snapshot,
//! resume and determinism one thing.

use drystone_base::rotation::log;
use drystone_base::{Pose, Quat, Symmetric3, Vec3};
use serde::{Deserialize, Serialize};

use crate::{Contacts, Model, Motion};

/// All that moves, one array per quantity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// \[s\]
    pub time: f64,
    /// Steps taken.
    pub step: u64,
    /// Centre of mass \[m\]; written by the moves and the correction of a stepper.
    pub position: Vec<Vec3>,
    /// Body frame to world; written with `position`.
    pub rotation: Vec<Quat>,
    /// Of the centre of mass \[m/s\]; written by forces and solvers.
    pub linear_velocity: Vec<Vec3>,
    /// World axes \[rad/s\]; written by forces and solvers.
    pub angular_velocity: Vec<Vec3>,
    /// External force for the next step, then cleared \[N\]; written by callers and fields.
    pub force: Vec<Vec3>,
    /// External torque for the next step, then cleared \[N m\]; written by callers.
    pub torque: Vec<Vec3>,
    /// Whether the body has entered; written by `admit` and `remove`.
    pub present: Vec<bool>,
    /// Whether the body was quarantined for good; written by `remove`.
    pub removed: Vec<bool>,
    /// Time for which the body has been quiet \[s\]; counts only while sleeping is on; written by `fall_asleep`.
    pub quiet: Vec<f64>,
    /// Whether the body sleeps; written by `fall_asleep`, `wake_up` and `wake`.
    pub asleep: Vec<bool>,
    /// Contacts with the impulses of the last step; written by `detect` and the steppers.
    pub contacts: Contacts,
}

impl State {
    /// The start of `model`.
    pub fn new(model: &Model) -> Self {
        let n = model.len();
        let mut state = Self {
            time: 0.0,
            step: 0,
            position: model.start_position.clone(),
            rotation: model.start_rotation.clone(),
            linear_velocity: model.start_linear_velocity.clone(),
            angular_velocity: model.start_angular_velocity.clone(),
            force: vec![Vec3::ZERO; n],
            torque: vec![Vec3::ZERO; n],
            present: vec![false; n],
            removed: vec![false; n],
            quiet: vec![0.0; n],
            asleep: vec![false; n],
            contacts: Contacts::default(),
        };
        state.admit(model);
        state
    }

    /// Lets in every body whose time has come.
    pub fn admit(&mut self, model: &Model) {
        self.admit_from(0, model);
    }

    fn admit_from(&mut self, first: usize, model: &Model) {
        for i in first..model.len() {
            let due = self.time + 1e-9 >= model.enters_at[i];
            self.present[i] = (self.present[i] || due) && !self.removed[i];
        }
    }

    /// Grows the state to the bodies that were added to `model`.
    pub fn extend(&mut self, model: &Model) {
        let (old, n) = (self.position.len(), model.len());
        self.position
            .extend_from_slice(&model.start_position[old..]);
        self.rotation
            .extend_from_slice(&model.start_rotation[old..]);
        self.linear_velocity
            .extend_from_slice(&model.start_linear_velocity[old..]);
        self.angular_velocity
            .extend_from_slice(&model.start_angular_velocity[old..]);
        self.force.resize(n, Vec3::ZERO);
        self.torque.resize(n, Vec3::ZERO);
        self.present.resize(n, false);
        self.removed.resize(n, false);
        self.quiet.resize(n, 0.0);
        self.asleep.resize(n, false);
        self.admit_from(old, model);
    }

    /// Moves scripted bodies to the present time and gives them the velocity that takes them
    /// along their path over the next `dt` seconds.
    pub fn follow_scripts(&mut self, model: &Model, dt: f64) {
        for i in 0..model.len() {
            let Motion::Scripted(path) = &model.motion[i] else {
                continue;
            };
            let (now, then) = (path.pose(self.time), path.pose(self.time + dt));
            let centre = -model.shape_offset[i];
            self.position[i] = now.point(centre);
            self.rotation[i] = now.rotation;
            self.linear_velocity[i] = (then.point(centre) - now.point(centre)) / dt;
            let turn = then.rotation * now.rotation.conjugate();
            self.angular_velocity[i] = log(turn) / dt;
        }
    }

    /// Pose of body `i`: origin in the centre of mass.
    #[inline]
    pub fn pose(&self, i: usize) -> Pose {
        Pose::new(self.position[i], self.rotation[i])
    }

    /// Pose of the shape of body `i`.
    #[inline]
    pub fn shape_pose(&self, model: &Model, i: usize) -> Pose {
        let pose = self.pose(i);
        let offset = model.shape_offset[i];
        if offset == Vec3::ZERO {
            return pose;
        }
        Pose::new(pose.point(offset), pose.rotation)
    }

    /// Velocity of the material point of body `i` at `r` from its centre \[m/s\].
    #[inline]
    pub fn velocity_at(&self, i: usize, r: Vec3) -> Vec3 {
        self.linear_velocity[i] + self.angular_velocity[i].cross(r)
    }

    /// Acceleration of body `i` by gravity and by the force on it, if nothing holds it \[m/s²\].
    #[inline]
    pub(crate) fn acceleration(&self, model: &Model, i: usize) -> Vec3 {
        model.gravity * model.gravity_scale[i] + self.force[i] * model.inverse_mass[i]
    }

    /// World inverse inertia of body `i` \[1/(kg m²)\].
    #[inline]
    pub fn inverse_inertia(&self, model: &Model, i: usize) -> Symmetric3 {
        model.inverse_inertia_local[i].rotated(self.rotation[i])
    }

    /// World inertia of body `i` \[kg m²\].
    #[inline]
    pub fn inertia(&self, model: &Model, i: usize) -> Symmetric3 {
        model.inertia_local[i].rotated(self.rotation[i])
    }

    /// Gives body `i` the impulse `p` \[N s\] at the world point `at`, and wakes it.
    pub fn apply_impulse(&mut self, model: &Model, i: usize, p: Vec3, at: Vec3) {
        self.linear_velocity[i] += p * model.inverse_mass[i];
        let twist = (at - self.position[i]).cross(p);
        let spin = self.inverse_inertia(model, i).times(twist);
        self.angular_velocity[i] += spin;
        self.wake(i);
    }

    /// Pushes body `i` with `force` \[N\] at the world point `at` during the next step, and wakes it.
    pub fn apply_force(&mut self, i: usize, force: Vec3, at: Vec3) {
        self.force[i] += force;
        self.torque[i] += (at - self.position[i]).cross(force);
        self.wake(i);
    }

    /// Takes body `i` out for good and wakes what touched it.
    pub fn remove(&mut self, i: usize) {
        self.removed[i] = true;
        self.present[i] = false;
        crate::sleep::wake_neighbours(self, i);
    }

    /// Wakes body `i`; its island wakes with it at the next step.
    pub fn wake(&mut self, i: usize) {
        self.asleep[i] = false;
        self.quiet[i] = 0.0;
    }
}
