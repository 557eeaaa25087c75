//! Words that bodies, strands and cloth share: motion given in advance.

mod motion;

pub use motion::{Easing, Interpolation, Key, MotionPath, Moving, PathError};
