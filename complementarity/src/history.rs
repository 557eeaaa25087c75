//! What an iterative solver did, iteration by iteration, and how long it took without being
//! looked at.

use serde::{Deserialize, Serialize};

/// Where a solver stood after an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Iterations done; 0 is the first guess.
    pub iteration: u32,
    /// Rows of `A λ + b` computed so far by the method itself. A row that is updated counts once,
    /// and so does a row that is only evaluated because the method needs it.
    pub row_updates: u64,
    /// Time the method has taken, without the time it took to find what stands below [s].
    pub seconds: f64,
    /// Scale-free residual of the law that the solver solves [1].
    pub residual: f64,
    /// The merit function, if it was asked for; see [`crate::Law::merit`].
    pub merit: Option<f64>,
}

/// A clock that can be stopped while somebody looks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    before: f64,
    running: Option<Moment>,
}

impl Clock {
    pub(crate) fn start(&mut self) {
        self.running = Some(Moment::now());
    }

    pub(crate) fn stop(&mut self) {
        self.before = self.seconds();
        self.running = None;
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.before + self.running.map_or(0.0, |since| since.elapsed())
    }
}

/// A moment; all moments are the same where there is no clock (in a browser's bare sandbox).
#[derive(Clone, Copy, Debug)]
struct Moment {
    #[cfg(not(target_arch = "wasm32"))]
    instant: std::time::Instant,
}

impl Moment {
    fn now() -> Self {
        Self {
            #[cfg(not(target_arch = "wasm32"))]
            instant: std::time::Instant::now(),
        }
    }

    fn elapsed(self) -> f64 {
        #[cfg(not(target_arch = "wasm32"))]
        return self.instant.elapsed().as_secs_f64();
        #[cfg(target_arch = "wasm32")]
        0.0
    }
}

/// First entry of a history at or below `tolerance`, if it got there.
pub fn first_below(history: &[Entry], tolerance: f64) -> Option<&Entry> {
    history.iter().find(|entry| entry.residual <= tolerance)
}
