//! One body.

use drystone_base::{Pose, Vec3};

use super::ContactPoint;
use crate::{Body, BodyId, SceneError, Thing, World};

/// A body to look at; see [`World::body`].
#[derive(Clone, Copy)]
pub struct BodyRef<'w> {
    world: &'w World,
    id: BodyId,
    row: usize,
}

/// A body to act on; see [`World::body_mut`]. What it does takes effect in the next step.
pub struct BodyMut<'w> {
    world: &'w mut World,
    id: BodyId,
    row: usize,
}

impl<'w> BodyRef<'w> {
    pub(super) fn new(world: &'w World, id: BodyId, row: usize) -> Self {
        Self { world, id, row }
    }

    /// Its id.
    pub fn id(&self) -> BodyId {
        self.id
    }

    /// As the scene has it.
    pub fn name(&self) -> &'w str {
        &self.world.roster.names[self.row]
    }

    /// As it was described.
    pub fn description(&self) -> &'w Body {
        &self.world.bodies()[self.row]
    }

    /// Its place in frames and in the arrays of the rigid system.
    pub fn row(&self) -> usize {
        self.row
    }

    /// Of the shape's frame.
    pub fn pose(&self) -> Pose {
        self.world.pose(self.row)
    }

    /// Centre of mass \[m\].
    pub fn centre(&self) -> Vec3 {
        self.world.rigid.state.position[self.row]
    }

    /// Of the centre of mass \[m/s\].
    pub fn velocity(&self) -> Vec3 {
        self.world.rigid.state.linear_velocity[self.row]
    }

    /// World axes \[rad/s\].
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

    /// Whether it has entered.
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

    /// What the program keeps with it.
    pub fn user_data(&self) -> u128 {
        self.world.user_data(self.id)
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
    pub(super) fn new(world: &mut World, id: BodyId, row: usize) -> BodyMut<'_> {
        BodyMut { world, id, row }
    }

    /// To look at.
    pub fn view(&self) -> BodyRef<'_> {
        BodyRef::new(self.world, self.id, self.row)
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

    /// Keeps a number with it, for the program's own use.
    pub fn set_user_data(&mut self, data: u128) {
        self.world.set_user_data(self.id, data);
    }

    /// Takes it out; see [`World::remove`].
    pub fn remove(self) -> bool {
        self.world.remove(self.id)
    }
}
