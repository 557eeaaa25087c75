//! One thing of a running world: to look at, and to act on.

mod body;
mod cloth;
mod strand;

pub use body::{BodyMut, BodyRef};
pub use cloth::{ClothMut, ClothRef};
pub use strand::{StrandMut, StrandRef};

use drystone_base::Vec3;

use crate::{BodyId, ClothId, StrandId, Thing, UserData, World};

/// What every view can do.
macro_rules! views {
    ($($view:ident, $handle:ident, $id:ident;)*) => {$(
        impl<'w> $view<'w> {
            /// Its id.
            pub fn id(&self) -> $id {
                self.id
            }

            /// What is kept with it.
            pub fn user_data(&self) -> &'w UserData {
                self.world.user_data(self.id)
            }
        }

        impl $handle<'_> {
            /// To change what is kept with it.
            pub fn user_data_mut(&mut self) -> &mut UserData {
                self.world.user_data_mut(self.id)
            }

            /// Takes it out; see [`World::remove`].
            pub fn remove(self) -> bool {
                self.world.remove(self.id)
            }
        }
    )*};
}

views! {
    BodyRef, BodyMut, BodyId;
    StrandRef, StrandMut, StrandId;
    ClothRef, ClothMut, ClothId;
}

/// A point at which a thing touches another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// The thing that is touched.
    pub other: Thing,
    /// \[m\]
    pub point: Vec3,
    /// Unit vector away from the other.
    pub normal: Vec3,
    /// Signed distance, negative inside \[m\].
    pub distance: f64,
    /// Force that the other exerts \[N\].
    pub force: Vec3,
}

impl World {
    /// A body to look at.
    pub fn body(&self, id: BodyId) -> Option<BodyRef<'_>> {
        let (world, row) = (self, self.body_row(id)?);
        Some(BodyRef { world, id, row })
    }

    /// A body to act on.
    pub fn body_mut(&mut self, id: BodyId) -> Option<BodyMut<'_>> {
        let (row, world) = (self.body_row(id)?, self);
        Some(BodyMut { world, id, row })
    }

    /// A strand to look at.
    pub fn strand(&self, id: StrandId) -> Option<StrandRef<'_>> {
        Some(StrandRef {
            world: self,
            id,
            row: self.roster.strands.row(id)?,
            system: self.strands()?,
        })
    }

    /// A strand to act on.
    pub fn strand_mut(&mut self, id: StrandId) -> Option<StrandMut<'_>> {
        let (row, world) = (self.roster.strands.row(id)?, self);
        Some(StrandMut { world, id, row })
    }

    /// A cloth to look at.
    pub fn cloth(&self, id: ClothId) -> Option<ClothRef<'_>> {
        Some(ClothRef {
            world: self,
            id,
            row: self.roster.cloths.row(id)?,
            system: self.cloths()?,
        })
    }

    /// A cloth to act on.
    pub fn cloth_mut(&mut self, id: ClothId) -> Option<ClothMut<'_>> {
        let (row, world) = (self.roster.cloths.row(id)?, self);
        Some(ClothMut { world, id, row })
    }
}
