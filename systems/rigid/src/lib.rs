//! Rigid bodies that stack (Erleben 2007, and what it left open).
//!
//! [`Model`] is what stays fixed while running, [`State`] all that moves; [`System`] owns both
//! and advances them with the stepper chosen in [`Options`].

mod contacts;
mod correction;
mod direct;
mod dynamics;
pub mod energy;
mod error;
mod field;
mod graph;
mod group;
mod isp;
mod model;
mod options;
mod overlap;
mod pgs;
mod problem;
mod rollback;
mod shock;
mod sleep;
mod soft;
mod solver_choice;
mod state;
mod system;
mod tuning;
mod turn;
mod two_level;
mod vsp;
mod watch;

pub use drystone_complementarity::{Aggregates, ContactProblem, Ordering, Solver};
pub use solver_choice::SolverSettings;

pub use contacts::{Contacts, Pair, Patch, Point};
pub use drystone_common::{Key, Material, MaterialPair, Materials, MotionPath};
pub use error::Error;
pub use graph::{Graph, NONE};
pub use model::{Body, Model, Motion, Weight};
pub use options::{
    Impacts, IspOptions, Options, PgsOptions, Precision, SoftOptions, Stepper, TwoLevelOptions,
    VspOptions,
};
pub use overlap::{LASTING_DEPTH, Overlap, PASSING_DEPTH};
pub use state::State;
pub use system::{Report, System, Workspace};
pub use tuning::Tuning;
pub use watch::{EnergyAccount, EnergyGain, GAIN_MEMORY, GAIN_SHARE, TooFast};
