//! Oriented strands: hair, braids, ears, ropes and branches (Hadap 2006).
//!
//! A strand is a tree of rigid segments with spherical joints, hanging from a base that moves as
//! prescribed. [`Model`] is what stays fixed while running, [`State`] all that moves; [`System`]
//! owns both and advances them; strands that nothing joins, each by itself.

mod active_set;
mod base;
mod body;
mod body_step;
mod chain;
mod chain_sweep;
mod collision;
mod condensed;
mod constraint;
mod constraint_step;
mod contact;
mod continuum;
mod elastic;
mod embedded;
pub mod energy;
mod error;
mod factor;
mod group;
mod implicit;
mod joins;
mod kinematics;
mod model;
mod near;
mod newton;
mod options;
mod penalty;
mod posable;
mod properties;
mod reaction;
pub mod recursion;
mod response;
mod rest;
mod segment;
mod settle;
mod spatial;
mod state;
mod step;
mod step_control;
mod strand_contact;
mod surroundings;
mod system;
mod watch;

pub use drystone_common::{Key, MotionPath, Moving, NamedField, Profile, Ramp};

pub use body::{BodyModel, BodyMotion, RigidBody};
pub use chain::{BASE, Chain, FREE};
pub use condensed::{BodyImpulse, Segment, SegmentImpulse, TreeMembers, TreeResponse};
pub use constraint::{Anchor, Constraint, ConstraintKind};
pub use contact::{ContactForce, Obstacle};
pub use continuum::{Continuum, Grid, Interaction, Parcel};
pub use elastic::{JointStiffness, Law, TangentLaw};
pub use error::Error;
pub use factor::Factor;
pub use kinematics::{Link, place};
pub use model::{Base, Branch, Curve, Model, Parameters, Strand};
pub use options::Options;
pub use posable::{PoseKey, PoseTrack};
pub use properties::{LinkProperties, Properties};
pub use reaction::{Reaction, Source};
pub use rest::{Repair, RestShape};
pub use spatial::{Force, Inertia, Motion};
pub use state::{Multipliers, Push, State, StrandState};
pub use strand_contact::StrandContact;
pub use system::{Report, System};
pub use watch::{Account, EnergyGain, GAIN_MEMORY, GAIN_SHARE};
