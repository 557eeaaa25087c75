//! Rigid bodies that carry strands, hold them or are touched by them: links with six degrees of freedom.
//!
//! A body is a tree of one link that hangs from nothing ([`FREE`]). Strands rooted on it hang from that
//! link, so that their elimination goes one joint further, to the body. Constraints and contacts between
//! strand and body are rows between two links. The owner of the body gives all other forces on it.

use drystone_base::{Mat3, Pose, Quat, Symmetric3, Vec3};
use drystone_geometry::Aabb;

use crate::chain::{Chain, FREE};
use crate::elastic::JointStiffness;
use crate::properties::{LinkProperties, Properties};
use crate::state::{History, StrandState};
use crate::{Base, Error, Model, Parameters, System};

/// A rigid body that takes part in the motion of strands.
#[derive(Clone, Debug)]
pub struct RigidBody {
    /// For errors.
    pub name: String,
    /// \[kg\]
    pub mass: f64,
    /// About the centre of mass, in the body's frame, which has its origin there \[kg m²\].
    pub inertia: Symmetric3,
    /// Factor on gravity \[1\].
    pub gravity: f64,
    /// Index of the obstacle that is its surface, and where the obstacle's frame is in the body's.
    pub surface: Option<(usize, Pose)>,
}

/// A body as the step has it: principal axes, and a tree of one link.
#[derive(Clone, Debug)]
pub struct BodyModel {
    /// Description of the body.
    pub body: RigidBody,
    /// Frame of the link (the principal axes) in the body's frame.
    pub(crate) principal: Quat,
    pub(crate) chain: Chain,
    pub(crate) properties: Properties,
}

impl BodyModel {
    /// A pose in the body's frame, in that of its link.
    pub(crate) fn in_link(&self, at: &Pose) -> Pose {
        let back = self.principal.conjugate();
        Pose::new(back * at.position, back * at.rotation)
    }
}

/// Pose and velocity of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyMotion {
    /// Pose of the body's frame, whose origin is the centre of mass.
    pub pose: Pose,
    /// Velocity of the centre of mass \[m/s\].
    pub linear_velocity: Vec3,
    /// Angular velocity, world axes \[rad/s\].
    pub angular_velocity: Vec3,
}

impl BodyMotion {
    /// Spin of a frame fixed at `at` in the body's, and velocity of its origin, world axes.
    pub(crate) fn velocity_at(&self, at: &Pose) -> (Vec3, Vec3) {
        let lever = self.pose.direction(at.position);
        let velocity = self.linear_velocity + self.angular_velocity.cross(lever);
        (self.angular_velocity, velocity)
    }
}

impl Model {
    /// Adds a body; its index is returned. Strands may then be based on it ([`Base::body`]) and held to it
    /// ([`Anchor::Body`](crate::Anchor)).
    pub fn add_body(&mut self, body: RigidBody) -> Result<usize, Error> {
        let fault = |what: &str, found: String, wanted| {
            Err(Error::Obstacle {
                obstacle: body.name.clone(),
                what: what.into(),
                found,
                wanted,
            })
        };
        // mass and principal axes
        if !(body.mass > 0.0 && body.mass.is_finite()) {
            return fault("the mass", body.mass.to_string(), "more than zero");
        }
        let (moments, axes) = principal_axes(&body.inertia);
        if !(moments.min_element() > 0.0 && moments.is_finite()) {
            return fault("the inertia", moments.to_string(), "positive definite");
        }
        let principal = Quat::from_mat3(&axes).normalize();
        // a link of no length with the body's second moments, J_k = ½ tr I − I_k
        let half = 0.5 * moments.element_sum();
        let links = vec![LinkProperties {
            mass: body.mass,
            half: 0.0,
            radius: 0.0,
            second_moments: Vec3::splat(half) - moments,
            stiffness: JointStiffness {
                bend_x: 0.0,
                bend_z: 0.0,
                twist: 0.0,
            },
            damping: Vec3::ZERO,
            stretch: None,
            drag: 0.0,
            drag_ratio: 1.0,
            gravity: body.gravity,
            friction_weight: 1.0,
            restitution_weight: 1.0,
            material: None,
            pose_strength: 0.0,
            pose_damping: 0.0,
        }];
        // a tree of that link alone, free of any base
        let chain = Chain {
            name: body.name.clone(),
            parent: vec![FREE],
            joint: vec![Vec3::ZERO],
            length: vec![0.0],
            cell: vec![f64::INFINITY],
            at_joint: vec![0.0],
            at_middle: vec![0.0],
            source: vec![(0, 0)],
            start_rotation: vec![Quat::IDENTITY],
            rest_rotation: vec![Quat::IDENTITY],
            reach: 0.0,
            parameters: vec![Parameters::default()],
            base: Base::default(),
            pose: None,
            field_weights: Vec::new(),
            stiffening: 1.0,
            extensible: false,
            collide: false,
            embedded: Vec::new(),
        };
        self.bodies.push(BodyModel {
            principal,
            chain,
            properties: Properties {
                links,
                // fields of strands act on strands
                field_weights: vec![0.0; self.fields.len()],
            },
            body,
        });
        Ok(self.bodies.len() - 1)
    }
}

/// State of a body's link in a given motion, without history.
pub(crate) fn start_body(model: &BodyModel, motion: &BodyMotion) -> StrandState {
    let rotation = (motion.pose.rotation * model.principal).normalize();
    let axes = Mat3::from_quat(rotation);
    let spin = motion.angular_velocity;
    let turned = |k| spin.cross(axes.col(k));
    let rate = axes.transpose() * spin;
    let centre = motion.pose.position;
    StrandState {
        rotation: vec![rotation],
        rate: vec![rate],
        base: Pose::at(centre),
        force: vec![Vec3::ZERO],
        torque: vec![Vec3::ZERO],
        history: vec![History {
            centre: [centre; 3],
            velocity: [motion.linear_velocity; 2],
            axes: [axes; 2],
            axes_rate: [Mat3::from_cols(turned(0), turned(1), turned(2)); 2],
            turn: Vec3::ZERO,
            rate_before: rate,
            stretch_before: 0.0,
        }],
        ..StrandState::default()
    }
}

/// Pose and velocity of a body; its angular velocity is angular momentum over inertia.
pub(crate) fn motion_of(model: &BodyModel, state: &StrandState) -> BodyMotion {
    let (Some(past), Some(own)) = (state.history.first(), model.properties.links.first()) else {
        return BodyMotion {
            pose: Pose::IDENTITY,
            linear_velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
        };
    };
    let (u, r, j) = (&past.axes[0], &past.axes_rate[0], own.second_moments);
    let momentum = u.x_axis.cross(r.x_axis) * j.x
        + u.y_axis.cross(r.y_axis) * j.y
        + u.z_axis.cross(r.z_axis) * j.z;
    let moments = Vec3::new(j.y + j.z, j.z + j.x, j.x + j.y);
    let rotation = state.rotation[0] * model.principal.conjugate();
    BodyMotion {
        pose: Pose::new(state.base.position, rotation.normalize()),
        linear_velocity: past.velocity[0],
        angular_velocity: *u * ((u.transpose() * momentum) / moments),
    }
}

impl System {
    /// Pose and velocity of body `k`.
    pub fn body(&self, k: usize) -> BodyMotion {
        motion_of(&self.model.bodies[k], &self.state.bodies[k])
    }

    /// Sets pose and velocity of body `k` and forgets its history. If the pose changes, strands based on the body
    /// move with it and keep their velocity relative to it; if only the velocity changes, they keep their own, and
    /// the next step reconciles both.
    pub fn set_body(&mut self, k: usize, motion: &BodyMotion) {
        if self.body(k).pose == motion.pose {
            self.state.bodies[k] = start_body(&self.model.bodies[k], motion);
            return;
        }
        self.start_body(k, motion);
    }

    /// Sets pose and velocity of body `k`, and carries strands based on it along.
    pub fn start_body(&mut self, k: usize, motion: &BodyMotion) {
        self.state.bodies[k] = start_body(&self.model.bodies[k], motion);
        for i in 0..self.model.len() {
            let mount = self.model.chains[i].base.body;
            if let Some((_, at)) = mount.filter(|(body, _)| *body == k) {
                let (chain, strand) = (&self.model.chains[i], &mut self.state.strands[i]);
                strand.restart_on(chain, motion.pose.then(&at), motion.velocity_at(&at));
            }
        }
    }

    /// Moves body `k` by `shift` and everything based on it along, without giving it a velocity.
    pub fn shift_body(&mut self, k: usize, shift: Vec3) {
        self.state.bodies[k].shift(shift);
        for (chain, strand) in self.model.chains.iter().zip(&mut self.state.strands) {
            if chain.base.body.is_some_and(|(body, _)| body == k) {
                strand.shift(shift);
            }
        }
    }

    /// Sets whether body `k` is solved with the strands in the next steps (initially not), and the force at its
    /// centre of mass \[N\] and torque \[N m\] on it besides gravity and strands, world axes.
    pub fn push_body(&mut self, k: usize, free: bool, force: Vec3, torque: Vec3) {
        self.state.body_free.resize(self.model.bodies.len(), false);
        self.state.body_free[k] = free;
        let body = &mut self.state.bodies[k];
        body.force[0] = force;
        body.torque[0] = torque;
    }

    /// Bounding box of all strands over the next `dt` seconds at their present velocity.
    pub fn bounds(&self, dt: f64) -> Aabb {
        let mut bounds = Aabb::EMPTY;
        for (strand, properties) in self.state.strands.iter().zip(&self.properties) {
            for (past, own) in strand.history.iter().zip(&properties.links) {
                let x = past.centre[0];
                let far = own.half + own.radius + 2.0 * past.velocity[0].length() * dt;
                bounds = bounds.union(&Aabb { low: x, high: x }.grown(far));
            }
        }
        bounds
    }

    /// Adds the state of bodies that were added to the model.
    pub fn grow_bodies(&mut self) {
        for body in self.model.bodies.iter().skip(self.state.bodies.len()) {
            let still = BodyMotion {
                pose: Pose::IDENTITY,
                linear_velocity: Vec3::ZERO,
                angular_velocity: Vec3::ZERO,
            };
            self.state.bodies.push(start_body(body, &still));
        }
        self.state.body_free.resize(self.model.bodies.len(), false);
    }

    /// Makes the next step of body `k` and its group one of first order. To be called after an impact, of which
    /// BDF2 would return a part.
    pub fn strike_body(&mut self, k: usize) {
        self.state.bodies[k].depth = 0;
    }

    /// How the velocity of body `k` answers an impulse over the last step, with the strands that hang from
    /// it: inverse mass \[1/kg\] and inverse inertia \[1/(kg m²)\], world axes, without the cross terms. None
    /// where it took no part.
    pub fn body_response(&self, k: usize) -> Option<[Mat3; 2]> {
        self.responses.get(k).copied().flatten()
    }
}

impl StrandState {
    /// Moves all of it, without giving it a velocity.
    fn shift(&mut self, shift: Vec3) {
        self.base.position += shift;
        for past in &mut self.history {
            for centre in &mut past.centre {
                *centre += shift;
            }
        }
    }
}

/// Principal moments and axes (columns, right-handed) of `inertia`, by Jacobi's rotations.
pub(crate) fn principal_axes(inertia: &Symmetric3) -> (Vec3, Mat3) {
    let mut a = inertia.matrix();
    let mut axes = Mat3::IDENTITY;
    for _ in 0..32 {
        let off = [(0, 1), (0, 2), (1, 2)].map(|(p, q)| (a.col(q)[p].abs(), p, q));
        let (most, p, q) = off
            .into_iter()
            .fold((0.0, 0, 1), |m, o| if o.0 > m.0 { o } else { m });
        let scale = a.x_axis.x.abs() + a.y_axis.y.abs() + a.z_axis.z.abs();
        if most <= 1e-15 * scale {
            break;
        }
        let apart = (a.col(q)[q] - a.col(p)[p]) / (2.0 * a.col(q)[p]);
        let t = apart.signum() / (apart.abs() + (1.0 + apart * apart).sqrt());
        let c = 1.0 / (1.0 + t * t).sqrt();
        let s = t * c;
        let mut turn = Mat3::IDENTITY;
        turn.col_mut(p)[p] = c;
        turn.col_mut(q)[q] = c;
        turn.col_mut(q)[p] = s;
        turn.col_mut(p)[q] = -s;
        a = turn.transpose() * a * turn;
        axes *= turn;
    }
    (Vec3::new(a.x_axis.x, a.y_axis.y, a.z_axis.z), axes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_base::functions::rotation_about;

    #[test]
    fn principal_axes_give_the_inertia_back() {
        let turn = rotation_about(Vec3::new(1.0, 2.0, -0.5).normalize(), 0.8);
        let own = Symmetric3::diagonal(Vec3::new(1.0, 3.0, 2.5));
        let seen = own.rotated(turn);
        let (moments, axes) = principal_axes(&seen);
        let back = axes * Mat3::from_diagonal(moments) * axes.transpose();
        let off = (back - seen.matrix()).to_cols_array();
        let worst = off.into_iter().fold(0.0f64, |m, e| m.max(e.abs()));
        assert!(worst < 1e-13, "{worst:.1e}"); // measured: 1e-15
        assert!((axes.determinant() - 1.0).abs() < 1e-13);
    }
}
