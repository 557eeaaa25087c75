//! One cloth.

use drystone_base::{Pose, Vec3};
use drystone_cloth::System;

use crate::{Cloth, ClothId, World};

/// A cloth to look at; see [`World::cloth`].
#[derive(Clone, Copy)]
pub struct ClothRef<'w> {
    pub(super) world: &'w World,
    pub(super) id: ClothId,
    pub(super) row: usize,
    pub(super) system: &'w System,
}

/// A cloth to act on; see [`World::cloth_mut`].
pub struct ClothMut<'w> {
    pub(super) world: &'w mut World,
    pub(super) id: ClothId,
    pub(super) row: usize,
}

impl<'w> ClothRef<'w> {
    /// Its name in the scene.
    pub fn name(&self) -> &'w str {
        &self.description().name
    }

    /// Its description in the scene.
    pub fn description(&self) -> &'w Cloth {
        &self.world.scene().cloths[self.row]
    }

    /// Positions of its vertices \[m\].
    pub fn points(&self) -> Vec<Vec3> {
        self.system.points(self.row)
    }

    /// Velocities of its vertices \[m/s\].
    pub fn velocities(&self) -> Vec<Vec3> {
        self.system.velocities(self.row)
    }

    /// Mass of vertex `vertex` \[kg\]; none if there is no such vertex.
    pub fn vertex_mass(&self, vertex: usize) -> Option<f64> {
        self.system.vertex_mass(self.row, vertex)
    }

    /// Corners of its triangles by vertex.
    pub fn triangles(&self) -> &'w [[u32; 3]] {
        &self.system.model().sheets[self.row].faces
    }

    /// Vertices of each of its pins, in the order of the description.
    pub fn pins(&self) -> impl Iterator<Item = &'w [u32]> + use<'w> {
        let pins = self.system.model().sheets[self.row].pins.iter();
        let pins = pins.take(self.description().pins.len());
        pins.map(|pin| pin.vertices.as_slice())
    }
}

impl ClothMut<'_> {
    fn system(&mut self) -> Option<&mut System> {
        self.world.cloths_mut()
    }

    /// Leads pin `pin` by `shift` \[m\] from where it started, during the next step of the scene's length; false if
    /// there is no such pin, or if a body or a path leads it.
    pub fn move_pin(&mut self, pin: usize, shift: Vec3) -> bool {
        let (row, step) = (self.row, self.world.step_length());
        let described = self.world.scene().cloths[row].pins.get(pin);
        let free = described.is_some_and(|pin| pin.on.is_none() && pin.path.is_empty());
        match self.system() {
            Some(system) if free => {
                system.drive_pin(row, pin, Pose::at(shift), step);
                true
            }
            _ => false,
        }
    }

    /// Leads vertex `vertex` with `velocity` \[m/s\] from now on, whatever pushes it, until [`Self::release`]; false if
    /// there is no such vertex, or if a pin has it.
    pub fn hold(&mut self, vertex: usize, velocity: Vec3) -> bool {
        let row = self.row;
        self.system()
            .is_some_and(|system| system.hold(row, vertex, velocity))
    }

    /// Lets vertex `vertex` go again, with the velocity that it has.
    pub fn release(&mut self, vertex: usize) {
        let row = self.row;
        if let Some(system) = self.system() {
            system.let_go(row, vertex);
        }
    }

    /// Gives vertex `vertex` the velocity `velocity` \[m/s\] at once; false if there is no such vertex, or if a pin has
    /// it.
    pub fn set_velocity(&mut self, vertex: usize, velocity: Vec3) -> bool {
        let held = self.hold(vertex, velocity);
        self.release(vertex);
        held
    }

    /// Gives `impulse` \[N s\] to vertex `vertex` at once; false if there is no such vertex, or if a pin has it.
    pub fn apply_impulse(&mut self, vertex: usize, impulse: Vec3) -> bool {
        let row = self.row;
        let Some(system) = self.system() else {
            return false;
        };
        let velocity = system.velocities(row).get(vertex).copied();
        let mass = system.vertex_mass(row, vertex);
        match (mass, velocity) {
            (Some(mass), Some(velocity)) if mass > 0.0 => {
                self.set_velocity(vertex, velocity + impulse / mass)
            }
            _ => false,
        }
    }
}
