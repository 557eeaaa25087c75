//! Scene in, Frame out: validates, builds the systems, advances, snapshots.
//!
//! [`Scene`] is plain data that round-trips through a file. [`World::new`] brings it to life;
//! [`World::step`] moves it on, [`World::frame`] shows it, [`World::snapshot`] keeps it. A
//! [`Recorder`] puts a run into numbers, [`check`] holds it to its truths.

mod advance;
mod beside;
mod body;
mod build;
mod builder;
mod camera;
mod cloth;
mod cloths;
mod coupling;
mod defaults;
mod diagnosis;
mod error;
mod event;
mod exchange;
mod field;
mod finding;
mod fingerprint;
mod frame;
mod generator;
mod groom;
mod id;
mod measure;
mod metrics;
mod penetration;
mod perturb;
mod preset;
mod query;
mod report;
mod roster;
mod scene;
mod shape;
mod snapshot;
mod solver;
mod strand;
mod strands;
mod subject;
mod tie;
mod touch;
mod trees;
pub mod truth;
mod view;
mod world;

pub use body::{Body, DEFAULT_DENSITY, DEFAULT_MATERIAL, Key, Motion};
pub use camera::{Camera, CameraKey};
pub use cloth::{
    Certificate, Cloth, ClothMaterial, ClothOptions, Load, Part as ClothPart, Pin, Stall, Stretch,
    Surface,
};
pub use cloths::{ClothSnapshot, ClothTotal};
pub use coupling::ContactImpulse;
pub use drystone_cloth::{GAIN_SHARE as CLOTH_GAIN_SHARE, Moment as ClothMoment};
pub use drystone_common::Material;
pub use drystone_rigid::{ContactProblem, Options, Stepper};
pub use drystone_strand::{Continuum, Options as StrandOptions, Report as StrandReport, RestShape};
pub use error::{SceneError, nearest};
pub use event::Event;
pub use field::{Field, FieldKind};
pub use finding::{Finding, FindingKind, RunVerdict};
pub use frame::{Frame, FrameBody, FrameCloth, FrameContact, FrameStrand};
pub use generator::{
    Arch, CardHouse, Column, Dominoes, Fill, Generator, Grid, House, Line, Nails, Pattern, Pyramid,
    Ring, Stack, Wall,
};
pub use groom::{Braid, Curl, Groom, GroomPatch, GroomPattern, Lanterns, Row, Scalp, Tree};
pub use id::{BodyId, ClothId, Id, StrandId, Thing, UserData};
pub use metrics::{
    ClothRecord, ClothRun, ContactCounts, EnergyRun, FrameRecord, Recorder, RunReport, Spread,
    StepSeconds, StrandRecord, StrandRun,
};
pub use penetration::Penetration;
pub use query::{Hit, Near, Query};
pub use report::{CouplingGain, CouplingReport, Report, Seconds};
pub use roster::Object;
pub use scene::{Contact, LONGEST, MOST_BODIES, MOST_SEGMENTS, Scene};
pub use shape::{Builtin, Mesh, Part, Shape, Turn};
pub use snapshot::{Snapshot, Unfinished};
pub use solver::{ClothSolver, OLD_WORDS, Solvers, today};
pub use strand::{
    Anchor, Base, Branch, Fibre, FileCurve, Held, Hold, JointKey, PoseKey, Profile, Ramp, Strand,
    UpAxis,
};
pub use strands::StrandSnapshot;
pub use subject::Subject;
pub use truth::judge::{Judge, Progress, Verdict, check, check_world};
pub use truth::{Truth, fits};
pub use view::{BodyMut, BodyRef, ClothMut, ClothRef, ContactPoint, StrandMut, StrandRef};
pub use world::World;
