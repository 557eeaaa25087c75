//! Files in, files out: scenes (TOML, JSON) and meshes (OBJ) in; USD, glTF, CSV and checkpoints
//! out; contact problems both ways. Knows nothing of command lines: whatever goes wrong is a [`FileError`] that says where.

mod aside;
pub mod checkpoint;
pub mod csv;
mod error;
pub mod gltf;
mod locate;
mod looks;
pub mod obj;
pub mod problem;
mod recording;
mod schema;
mod sink;
mod surface;
pub mod toml;
pub mod usd;

pub use checkpoint::Checkpoint;
pub use error::{FileError, Place};
pub use problem::{read_problem, write_problem};
pub use schema::scene_schema;
pub use sink::{EXTENSIONS, Sink, Written, open_sink};
pub use toml::{explain, parse_scene, read_scene, write_scene};
