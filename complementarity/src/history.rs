//! What an iterative solver did, iteration by iteration, and how long it took without being
//! looked at.

use drystone_base::Stopwatch;
use serde::{Deserialize, Serialize};

/// State of a solver after an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Iterations done; 0 is the first guess.
    pub iteration: u32,
    /// Rows of `A λ + b` computed so far by the method itself. A row that is updated counts once,
    /// and so does a row that is only evaluated because the method needs it.
    pub row_updates: u64,
    /// Time the method has taken, without the time it took to find what stands below \[s\].
    pub seconds: f64,
    /// Scale-free residual of the law that the solver solves \[1\].
    pub residual: f64,
    /// The merit function, if it was asked for; see [`crate::Law::merit`].
    pub merit: Option<f64>,
}

/// A clock that can be stopped while a residual is evaluated for the history.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    before: f64,
    running: Option<Stopwatch>,
}

impl Clock {
    pub(crate) fn start(&mut self) {
        self.running = Some(Stopwatch::start());
    }

    pub(crate) fn stop(&mut self) {
        self.before = self.seconds();
        self.running = None;
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.before + self.running.map_or(0.0, |since| since.seconds())
    }
}

/// First entry of a history at or below `tolerance`, if it got there.
pub fn first_below(history: &[Entry], tolerance: f64) -> Option<&Entry> {
    history.iter().find(|entry| entry.residual <= tolerance)
}
