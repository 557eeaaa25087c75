//! Words that bodies, strands and cloth share: motion given in advance, fields, materials, numbers that vary along a strand
//! and in time.

mod field;
mod material;
mod motion;
mod ramp;

pub use field::{
    Acceleration, Attractor, Fault, Field, NamedField, Turbulence, Vortex, Wake, Wind,
};
pub use material::{Material, MaterialPair, Materials};
pub use motion::{Easing, Interpolation, Key, MotionPath, Moving, PathError};
pub use ramp::{Profile, Ramp};
