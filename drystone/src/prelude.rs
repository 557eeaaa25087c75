//! What most programs need: `use drystone::prelude::*;`.

pub use drystone_base::{Pose, Quat, Vec3};
pub use drystone_formats::{FileError, Sink, open_sink, read_scene};
pub use drystone_world::{
    Anchor, Base, Branch, Curl, Fibre, Field, FieldKind, Groom, GroomPattern, Hold, Profile, Ramp,
    Scalp, Strand, Tree,
};
pub use drystone_world::{
    Arch, Body, Camera, CardHouse, Column, Dominoes, Fill, Frame, Generator, Grid, House, Key,
    Line, Motion, Options, Part, Pattern, Pyramid, Recorder, Report, Ring, RunReport, Scene,
    SceneError, Shape, Snapshot, Stack, Stepper, Truth, Turn, Verdict, Wall, World, check, truth,
};
pub use drystone_world::{BodyId, ClothId, ContactPoint, Event, StrandId, Thing};
pub use drystone_world::{
    Cloth, ClothMaterial, ClothPart, ClothSolver, Load, Pin, Stall, Stretch, Surface,
};
