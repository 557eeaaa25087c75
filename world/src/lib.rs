//! Scene in, Frame out: validates, builds the systems, advances, snapshots.
//!
//! [`Scene`] is plain data that round-trips through a file.

mod animal;
mod body;
mod defaults;
mod error;
mod generator;
mod scene;
mod shape;
mod truth;

pub use animal::animal;
pub use body::{Body, DEFAULT_DENSITY, DEFAULT_MATERIAL, Key, Motion};
pub use error::{SceneError, nearest};
pub use generator::{
    Arch, CardHouse, Column, Dominoes, Fill, Generator, Grid, House, Line, Pattern, Pyramid, Ring,
    Stack, Wall,
};
pub use scene::{Camera, Contact, LONGEST, MOST_BODIES, Material, Scene};
pub use shape::{Builtin, Mesh, Part, Shape, Turn};
pub use truth::{Truth, fits};
