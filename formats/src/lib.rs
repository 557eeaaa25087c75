//! Files in, files out: scenes (TOML, JSON), meshes (OBJ) and curves (`.hair`, USD) in; USD, glTF,
//! OBJ, `.hair` and CSV out; recordings, checkpoints and contact problems both ways. Knows nothing of
//! command lines: whatever goes wrong is a [`FileError`] that says where.

mod appearance;
mod atomic_file;
pub mod checkpoint;
pub mod csv;
mod curves;
mod deformable;
mod error;
pub mod gltf;
pub mod hair;
mod locate;
pub mod obj;
pub mod problem;
pub mod recording;
mod schema;
pub mod set;
mod sink;
mod surface;
pub mod toml;
mod tracks;
pub mod usd;

pub use checkpoint::Checkpoint;
pub use curves::{CURVE_EXTENSIONS, Curve, read_curves, resolve_curves};
pub use error::{FileError, Place};
pub use problem::{read_problem, write_problem};
pub use recording::Recording;
pub use schema::scene_schema;
pub use sink::{EXTENSIONS, Sink, Written, open_sink};
pub use toml::{explain, parse_scene, read_scene, write_scene};
