//! Cloth in which nothing passes through anything: asynchronous contact mechanics (Harmon 2012).
//!
//! [`Model`] is what there is, as plain data; [`System`] builds it, refuses what cannot be
//! simulated, and advances it. Time is an integer, every force has a clock of its own, contact is
//! an endless family of nested penalty layers, and certificates say which of them need not tick.

mod balls;
mod body;
mod body_ticks;
mod broad;
mod brute_force;
mod clock;
mod clock_levels;
mod distance_tests;
mod elastic;
mod elastic_simd;
mod elastic_ticks;
mod energy;
mod error;
mod event_loop;
mod fitting;
mod friction_spring;
mod half_space;
mod heap;
mod island;
mod kdop;
mod layer_ticks;
mod model;
mod mover;
mod options;
mod pair;
mod pairs;
mod penalty_layers;
mod penalty_schedule;
mod pinch;
mod prescribed_surfaces;
mod query;
mod report;
mod scripted;
mod slabs;
mod sleep;
mod stall_watch;
mod start;
mod state;
mod system;
mod topology;
mod validate;
mod vertex;
mod watch;

pub use body::{Answer, FreeMotion, LinkedBodies};
pub use clock::{TICK, Tick, seconds, ticks};
pub use clock_levels::ClampedDamper;
pub use drystone_common::{Field, Key, MotionPath, Wind};
pub use energy::{Account, Energy};
pub use error::Error;
pub use island::BodyContact;
pub use model::{Contact, Load, Material, Model, Motion, Obstacle, Pin, PointsKey, Sheet, Stretch};
pub use mover::MoverState;
pub use options::{BroadPhase, Certificate, Gravity, Options};
pub use pair::Kind;
pub use pinch::Pinch;
pub use query::may_meet;
pub use report::{Moment, Report, Tally};
pub use scripted::Meeting;
pub use start::{Patch, patches_as_obj};
pub use state::{Feature, Stall, State};
pub use system::{Kept, Place, Start, System};
pub use vertex::Vertex;
pub use watch::{GAIN_SHARE, Surplus};
