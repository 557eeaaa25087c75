//! One strand.

use drystone_base::{Pose, Quat, Vec3};
use drystone_strand::System;

use super::ContactPoint;
use crate::{Strand, StrandId, World};

/// A strand to look at; see [`World::strand`].
#[derive(Clone, Copy)]
pub struct StrandRef<'w> {
    pub(super) world: &'w World,
    pub(super) id: StrandId,
    pub(super) row: usize,
    pub(super) system: &'w System,
}

/// A strand to act on; see [`World::strand_mut`]. What it does takes effect in the next step.
pub struct StrandMut<'w> {
    pub(super) world: &'w mut World,
    pub(super) id: StrandId,
    pub(super) row: usize,
}

impl<'w> StrandRef<'w> {
    /// Its name in the scene.
    pub fn name(&self) -> &'w str {
        &self.description().name
    }

    /// Its description in the scene.
    pub fn description(&self) -> &'w Strand {
        &self.world.scene().strands[self.row]
    }

    /// Points of every curve, root to tip; a strand without branches has one curve \[m\].
    pub fn curves(&self) -> Vec<Vec<Vec3>> {
        self.system.points(self.row)
    }

    /// Points of its first curve, root to tip \[m\].
    pub fn points(&self) -> Vec<Vec3> {
        self.curves().swap_remove(0)
    }

    /// Material frames of the segments of its first curve: y along the segment, to the tip.
    pub fn frames(&self) -> Vec<Quat> {
        self.system.frames(self.row).swap_remove(0)
    }

    /// Pose of the frame from which it grows.
    pub fn root(&self) -> Pose {
        self.system.base(self.row)
    }

    /// \[kg\]
    pub fn mass(&self) -> f64 {
        let links = &self.system.properties(self.row).links;
        links.iter().map(|link| link.mass).sum()
    }

    /// Where it touched bodies in the last step.
    pub fn contacts(&self) -> Vec<ContactPoint> {
        let contacts = self.system.state.strands[self.row].contacts.iter();
        let point = |c: &drystone_strand::ContactForce| {
            Some(ContactPoint {
                other: self.world.body_thing(c.obstacle)?,
                point: c.place,
                normal: c.normal,
                distance: c.gap,
                force: c.force,
            })
        };
        contacts.filter_map(point).collect()
    }
}

impl StrandMut<'_> {
    /// Pulls with `force` \[N\] at the middle of segment `segment` of its first curve during the next step; false if
    /// there is no such segment. Forces add up.
    pub fn pull(&mut self, segment: usize, force: Vec3) -> bool {
        let Some(system) = self.world.strands_mut() else {
            return false;
        };
        let link = system.model.chains[self.row].link(0, segment);
        let strand = &mut system.state.strands[self.row];
        match link.and_then(|link| strand.force.get_mut(link)) {
            Some(sum) => {
                *sum += force;
                true
            }
            None => false,
        }
    }

    /// Gives `impulse` \[N s\] to the middle of segment `segment` of its first curve, spread over the next step of the scene's
    /// length; false if there is no such segment.
    pub fn apply_impulse(&mut self, segment: usize, impulse: Vec3) -> bool {
        let dt = self.world.step_length();
        self.pull(segment, impulse / dt)
    }

    /// Leads the frame that it grows from to `pose` during the next step of the scene's length; false for a strand on a
    /// body, which goes where that goes.
    pub fn move_root(&mut self, pose: Pose) -> bool {
        let end = self.world.time() + self.world.step_length();
        let on_body = matches!(
            self.world.scene().strands[self.row].base,
            crate::Base::On(_)
        );
        match self.world.strands_mut() {
            Some(system) if !on_body => {
                system.drive_base(self.row, end, pose);
                true
            }
            _ => false,
        }
    }
}
