//! One thing of a running world: to look at, and to act on.

mod body;
mod cloth;
mod strand;

pub use body::{BodyMut, BodyRef};
pub use cloth::{ClothMut, ClothRef};
pub use strand::{StrandMut, StrandRef};

use drystone_base::Vec3;

use crate::{BodyId, ClothId, StrandId, Thing, World};

/// A point at which a thing touches another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// Who is touched.
    pub other: Thing,
    /// \[m\]
    pub point: Vec3,
    /// Unit vector away from the other.
    pub normal: Vec3,
    /// Signed distance, negative inside \[m\].
    pub distance: f64,
    /// What the other exerts \[N\].
    pub force: Vec3,
}

impl World {
    /// A body to look at.
    pub fn body(&self, id: BodyId) -> Option<BodyRef<'_>> {
        Some(BodyRef::new(self, id, self.body_row(id)?))
    }

    /// A body to act on.
    pub fn body_mut(&mut self, id: BodyId) -> Option<BodyMut<'_>> {
        let row = self.body_row(id)?;
        Some(BodyMut::new(self, id, row))
    }

    /// A strand to look at.
    pub fn strand(&self, id: StrandId) -> Option<StrandRef<'_>> {
        let row = self.roster.strands.row(id)?;
        Some(StrandRef::new(
            self,
            id,
            row,
            &self.strands.as_ref()?.system,
        ))
    }

    /// A strand to act on.
    pub fn strand_mut(&mut self, id: StrandId) -> Option<StrandMut<'_>> {
        let row = self.roster.strands.row(id)?;
        self.strands
            .is_some()
            .then(|| StrandMut::new(self, id, row))
    }

    /// A cloth to look at.
    pub fn cloth(&self, id: ClothId) -> Option<ClothRef<'_>> {
        let row = self.roster.cloths.row(id)?;
        Some(ClothRef::new(self, id, row, &self.cloths.as_ref()?.system))
    }

    /// A cloth to act on.
    pub fn cloth_mut(&mut self, id: ClothId) -> Option<ClothMut<'_>> {
        let row = self.roster.cloths.row(id)?;
        self.cloths.is_some().then(|| ClothMut::new(self, id, row))
    }
}
