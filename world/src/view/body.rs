//! One body.

use drystone_base::{Pose, Vec3};

use super::ContactPoint;
use crate::{Body, BodyId, SceneError, Thing, World};

/// A body to look at; see [`World::body`].
#[derive(Clone, Copy)]
pub struct BodyRef<'w> {
    pub(super) world: &'w World,
    pub(super) id: BodyId,
    pub(super) row: usize,
}

/// A body to act on; see [`World::body_mut`]. What it does takes effect in the next step.
pub struct BodyMut<'w> {
    pub(super) world: &'w mut World,
    pub(super) id: BodyId,
    pub(super) row: usize,
}

impl<'w> BodyRef<'w> {
    /// Its name in the scene.
    pub fn name(&self) -> &'w str {
        &self.world.roster.names[self.row]
    }

    /// Its description in the scene.
    pub fn description(&self) -> &'w Body {
        &self.world.bodies()[self.row]
    }

    /// Its place in frames and in the arrays of the rigid system.
    pub fn row(&self) -> usize {
        self.row
    }

    /// Pose of the shape's frame.
    pub fn pose(&self) -> Pose {
        self.world.pose(self.row)
    }

    /// Centre of mass \[m\].
    pub fn centre(&self) -> Vec3 {
        self.world.rigid.state.position[self.row]
    }

    /// Velocity of the centre of mass \[m/s\].
    pub fn velocity(&self) -> Vec3 {
        self.world.rigid.state.linear_velocity[self.row]
    }

    /// Angular velocity, world axes \[rad/s\].
    pub fn angular_velocity(&self) -> Vec3 {
        self.world.rigid.state.angular_velocity[self.row]
    }

    /// \[kg\]
    pub fn mass(&self) -> f64 {
        self.world.rigid.model.mass[self.row]
    }

    /// Whether forces and contacts move it.
    pub fn is_dynamic(&self) -> bool {
        self.world.rigid.model.is_dynamic(self.row)
    }

    /// Whether it has entered and collides.
    pub fn is_present(&self) -> bool {
        self.world.rigid.state.present[self.row]
    }

    /// Whether it sleeps: stays where it is until something wakes it.
    pub fn is_asleep(&self) -> bool {
        self.world.rigid.state.asleep[self.row]
    }

    /// Where it touched bodies and strands in the last step. Expensive: looks at every contact of the world.
    pub fn contacts(&self) -> Vec<ContactPoint> {
        let bodies = self.world.bodies().len();
        let all = self.world.contacts().into_iter();
        let own = all.chain(self.world.contacts_of_strands());
        own.filter_map(|contact| {
            // what `b` receives from `a`, along the normal from `a` to `b`
            let (other, sign) = match self.row {
                row if row == contact.b => (self.world.body_thing(contact.a)?, 1.0),
                row if row != contact.a => return None,
                _ if contact.b < bodies => (self.world.body_thing(contact.b)?, -1.0),
                _ => (self.world.curve_thing(contact.b - bodies)?, -1.0),
            };
            Some(ContactPoint {
                other,
                point: contact.point,
                normal: contact.normal * sign,
                distance: contact.distance,
                force: contact.force * sign,
            })
        })
        .collect()
    }
}

impl World {
    /// The strand that curve `number` of a frame belongs to.
    fn curve_thing(&self, number: usize) -> Option<Thing> {
        let mut left = number;
        for (row, chain) in self.strands()?.model.chains.iter().enumerate() {
            let curves = chain.parameters.len();
            if left < curves {
                return self.roster.strands.id(row).map(Thing::Strand);
            }
            left -= curves;
        }
        None
    }
}

impl BodyMut<'_> {
    /// A view of the same body that only reads.
    pub fn view(&self) -> BodyRef<'_> {
        BodyRef {
            world: self.world,
            id: self.id,
            row: self.row,
        }
    }

    /// Pushes with `force` \[N\] at the world point `at` during the next step, and wakes it. Forces add up.
    pub fn apply_force(&mut self, force: Vec3, at: Vec3) {
        self.world.rigid.state.apply_force(self.row, force, at);
    }

    /// Turns with `torque` \[N m\], world axes, during the next step, and wakes it. Torques add up.
    pub fn apply_torque(&mut self, torque: Vec3) {
        self.world.rigid.state.torque[self.row] += torque;
        self.wake();
    }

    /// Gives it the impulse `impulse` \[N s\] at the world point `at` at once, and wakes it.
    pub fn apply_impulse(&mut self, impulse: Vec3, at: Vec3) {
        let rigid = &mut self.world.rigid;
        let model = &rigid.model;
        rigid.state.apply_impulse(model, self.row, impulse, at);
    }

    /// Puts the shape's frame somewhere else, without a motion that would push; wakes it. Cloth in the way is an error.
    /// A body on a path goes on along that.
    pub fn set_pose(&mut self, pose: Pose) -> Result<(), SceneError> {
        let (world, row) = (&mut *self.world, self.row);
        let pose = Pose::new(pose.position, pose.rotation.normalize());
        if let Some(cloths) = &mut world.cloths {
            let body = &world.roster.scene.bodies[row];
            let material = world.roster.material(body);
            cloths.place_body(row, body, material, &world.rigid.model, pose)?;
        }
        let rigid = &mut world.rigid;
        let centre = pose.point(-rigid.model.shape_offset[row]);
        rigid.state.position[row] = centre;
        rigid.state.rotation[row] = pose.rotation;
        if let Some(strands) = &mut world.strands {
            strands.place_body(row, pose);
        }
        self.wake();
        Ok(())
    }

    /// Sets the velocity of the centre of mass \[m/s\], and wakes it.
    pub fn set_velocity(&mut self, velocity: Vec3) {
        self.world.rigid.state.linear_velocity[self.row] = velocity;
        self.wake();
    }

    /// Sets the spin, world axes \[rad/s\], and wakes it.
    pub fn set_angular_velocity(&mut self, spin: Vec3) {
        self.world.rigid.state.angular_velocity[self.row] = spin;
        self.wake();
    }

    /// Wakes it; what it touches wakes with it in the next step.
    pub fn wake(&mut self) {
        self.world.rigid.state.wake(self.row);
    }
}
