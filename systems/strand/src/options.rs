//! Everything a user may set about the step.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::continuum::Continuum;
use crate::response::Method;

/// Each field has a default that needs no tuning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Steps in which a frame is taken, at least; errors may ask for more. 1 to 10000.
    pub steps_per_frame: u32,
    /// Correction of a joint below which a step counts as solved, up to 0.1 \[rad\].
    pub tolerance: f64,
    /// Most Newton iterations before a step is halved, 1 to 1000.
    pub iterations: u32,
    /// Error of a step that is allowed, as a part of the strand's reach; 0: no control \[1\].
    ///
    /// A hair released from the horizontal, at 4 steps a frame, is 7.5 mm off after half a second with
    /// 1e-2 (52 steps), 6.4 mm with 1e-3 (63) and 1.6 mm with 1e-4 (125); long hair on a shaken head
    /// takes 1.4 % more steps with 1e-3 than with 1e-2.
    pub error_tolerance: f64,
    /// Most times a step is halved, up to 16.
    pub halvings: u32,
    /// Times the first step of a start, which is of first order, is halved; once less where something
    /// touches, as it does after an impact.
    pub start_halvings: u32,
    /// Most sweeps over the contacts in a Newton iteration, 1 to 10000.
    pub sweeps: u32,
    /// Most contacts of a strand whose forces are found with a matrix; of more, by sweeps along the
    /// strand that give the same forces and cost the same per contact, however many there are.
    pub dense_contacts: u32,
    /// Whether strands are shared out to threads; results do not depend on it.
    pub parallel: bool,
    /// Interaction between strands as a continuum.
    pub continuum: Option<Continuum>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            steps_per_frame: 4,
            tolerance: 1e-6,
            iterations: 60,
            error_tolerance: 1e-3,
            halvings: 8,
            start_halvings: 2,
            sweeps: 100,
            dense_contacts: 16,
            parallel: true,
            continuum: None,
        }
    }
}

impl Options {
    pub(crate) fn method(&self) -> Method {
        Method {
            sweeps: self.sweeps,
            dense_contacts: self.dense_contacts,
        }
    }

    /// Refuses options that make no sense.
    pub fn validate(&self) -> Result<(), Error> {
        let fault = |option, found: String, wanted| {
            Err(Error::Option {
                option,
                found,
                wanted,
            })
        };
        if self.steps_per_frame == 0 || self.steps_per_frame > 10_000 {
            let found = self.steps_per_frame.to_string();
            return fault("steps_per_frame", found, "1 to 10000");
        }
        if !(self.tolerance > 0.0 && self.tolerance <= 0.1) {
            return fault(
                "tolerance",
                format!("{} rad", self.tolerance),
                "0 to 0.1 rad",
            );
        }
        if self.iterations == 0 || self.iterations > 1000 {
            return fault("iterations", self.iterations.to_string(), "1 to 1000");
        }
        if !(self.error_tolerance >= 0.0 && self.error_tolerance.is_finite()) {
            return fault(
                "error_tolerance",
                self.error_tolerance.to_string(),
                "zero or more",
            );
        }
        if self.halvings > 16 || self.start_halvings > self.halvings {
            let found = format!("{} (start_halvings {})", self.halvings, self.start_halvings);
            return fault(
                "halvings",
                found,
                "at most 16, and no less than start_halvings",
            );
        }
        if self.sweeps == 0 || self.sweeps > 10_000 {
            return fault("sweeps", self.sweeps.to_string(), "1 to 10000");
        }
        self.continuum.as_ref().map_or(Ok(()), Continuum::validate)
    }
}
