//! The sizes of the implicit steps within one step of the caller: halved where Newton does not converge or
//! the error is too large, doubled where it is small. And counts of what was done.

use drystone_base::Vec3;

use crate::implicit::Bdf;
use crate::newton::Solved;
use crate::state::StrandState;
use crate::step::Step;
use crate::{EnergyGain, Options};

/// Most iterations of a solve after one has failed at the smallest step.
const ITERATIONS_AFTER_FAILURE: u32 = 10;
/// Halvings beyond which steps grow again after a failure, whatever their error.
const HALVINGS_AFTER_FAILURE: u32 = 4;

/// Counts of the steps taken since they were last read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// Number of solves by number of iterations.
    pub iterations: Vec<u64>,
    pub steps: u64,
    pub halved: u64,
    pub failed: u64,
    pub error: f64,
    /// Strands with a step that was accepted unsolved, once for each step of the system.
    pub unsolved: Vec<usize>,
    /// Strands put back on their start because their motion was no longer finite.
    pub quarantined: Vec<usize>,
    /// Groups that gained energy, and the largest surplus as a part of what is allowed.
    pub gains: Vec<EnergyGain>,
    pub surplus: f64,
}

impl Tally {
    /// Takes the account of a group.
    pub(crate) fn tell_gain(&mut self, share: f64, gain: Option<EnergyGain>) {
        self.surplus = self.surplus.max(share);
        self.gains.extend(gain);
    }

    fn count(&mut self, iterations: u32) {
        let k = iterations as usize;
        if self.iterations.len() <= k {
            self.iterations.resize(k + 1, 0);
        }
        self.iterations[k] += 1;
    }
}

/// One implicit step: start \[s\], length \[s\], and which fractions of the whole step it runs between.
pub(crate) struct Part {
    pub start: f64,
    pub h: f64,
    pub fractions: (f64, f64),
}

/// Position within the caller's step, counted in its smallest parts so that it ends exactly.
pub(crate) struct StepControl<'a> {
    options: &'a Options,
    t: f64,
    dt: f64,
    parts: u64,
    done: u64,
    halvings: u32,
    /// Whether a step could not be solved at its smallest: the rest is tried with fewer iterations, and in
    /// larger parts.
    gave_up: bool,
    /// Whether the present step is taken again at first order because a body was struck in it.
    first_order: bool,
    /// Whether the present step, unsolved at its smallest, is taken again at first order and without friction.
    last_resort: bool,
    /// Whether a body is struck in the step just solved.
    struck: bool,
    /// Whether the step just accepted was not solved.
    unsolved: bool,
    /// Error of the step just solved, as a part of what is allowed.
    ratio: f64,
}

impl<'a> StepControl<'a> {
    /// At the start of a step of `dt`; what the members keep of the last one is cleared.
    pub(crate) fn begin(step: &mut Step<'a>, dt: f64) -> Self {
        let options = step.input.options;
        let mut halvings = 0;
        for (k, strand) in step.strands.iter_mut().enumerate() {
            // of a body it is what came from outside over its last step
            if k >= step.input.bodies {
                strand.base_impulse = [Vec3::ZERO; 2];
            }
            strand.reactions.clear();
            if strand.depth == 0 {
                strand.halvings = strand.halvings.max(start_halvings(options, strand));
            }
            halvings = halvings.max(strand.halvings);
        }
        Self {
            options,
            t: step.t,
            dt,
            parts: 1u64 << options.halvings,
            done: 0,
            halvings,
            gave_up: false,
            first_order: false,
            last_resort: false,
            struck: false,
            unsolved: false,
            ratio: 0.0,
        }
    }

    /// The implicit step to be tried next; none at the end.
    pub(crate) fn next_part(&self) -> Option<Part> {
        let (size, whole) = (self.parts >> self.halvings, self.parts as f64);
        let at = |done: u64| done as f64 / whole;
        (self.done < self.parts).then(|| Part {
            start: self.t + self.dt * at(self.done),
            h: self.dt * at(size),
            fractions: (at(self.done), at(self.done + size)),
        })
    }

    /// Whether it has to be of first order.
    pub(crate) fn first_order(&self) -> bool {
        self.first_order || self.last_resort
    }

    /// Whether contacts of the present step push along their normals only.
    pub(crate) fn is_frictionless(&self) -> bool {
        self.last_resort
    }

    /// Whether the step that is accepted was not solved.
    pub(crate) fn is_unsolved(&self) -> bool {
        self.unsolved
    }

    /// Most Newton iterations of a solve.
    pub(crate) fn iteration_limit(&self) -> u32 {
        let most = self.options.iterations;
        if self.gave_up {
            most.min(ITERATIONS_AFTER_FAILURE)
        } else {
            most
        }
    }

    /// Whether a body was struck in the step that is accepted.
    pub(crate) fn struck(&self) -> bool {
        self.struck || self.first_order
    }

    /// Whether the step just solved becomes the state; otherwise it is to be tried again, smaller or at first
    /// order.
    pub(crate) fn accepts(&mut self, step: &mut Step<'_>, solved: Solved) -> bool {
        step.work.tally.count(solved.iterations);

        // after a blow on a body, differences over two steps would give a part of it back: such a step is
        // taken at first order, and so is the next
        self.struck = solved.converged && !self.first_order && step.strikes_body();
        if self.struck && step.bdf != Bdf::first(step.bdf.h) {
            self.first_order = true;
            return false;
        }

        // of an impact the error is the jump of its velocity, which no shorter step foresees
        let (error, ratio) = step.local_error();
        self.ratio = ratio;
        let rough = self.is_controlled()
            && ratio > 1.0
            && !step.strikes_obstacle()
            && !step.strikes_strand();
        // but not of one that ends with far more energy than there was: Newton has found another solution than the one that
        // the motion leads to, as of a stiff strand that snaps past an edge
        let gains = solved.converged && step.input.bodies == 0 && ratio > 1.0 && step.gains_much();
        let again = !solved.converged || gains || (rough && !self.first_order);
        let tally = &mut step.work.tally;
        if again && !self.gave_up && self.halvings < self.options.halvings {
            self.halvings += 1;
            tally.halved += 1;
            return false;
        }
        // friction that jams two links which could not slide anyway has no solution that Newton finds, or more than one:
        // without it, and at first order, a small step has one
        if !solved.converged && !self.last_resort {
            self.last_resort = true;
            return false;
        }
        self.unsolved = !solved.converged;
        self.gave_up |= !solved.converged;
        tally.failed += u64::from(!solved.converged);
        tally.steps += (step.input.members.len() - step.input.bodies) as u64;
        tally.error = tally.error.max(error);
        true
    }

    /// Moves on after an accepted step. The next is twice as long where that ends on a multiple of its length and the
    /// error, which grows eightfold, allows it.
    pub(crate) fn go_on(&mut self, step: &mut Step<'_>) {
        let size = self.parts >> self.halvings;
        self.done += size;
        (self.first_order, self.last_resort) = (false, false);
        let known = step.strands.iter().all(|strand| strand.depth > 2);
        let calm = known && self.ratio < 1.0 / 16.0 || !self.is_controlled();
        let calm = calm || (self.gave_up && self.halvings > HALVINGS_AFTER_FAILURE);
        if self.halvings > 0 && self.done.is_multiple_of(2 * size) && calm {
            self.halvings -= 1;
        }
        for strand in step.strands.iter_mut() {
            strand.halvings = self.halvings;
        }
    }

    fn is_controlled(&self) -> bool {
        self.options.error_tolerance > 0.0
    }
}

/// How often the first step of a start is halved: once less where something touches, as it does after
/// an impact.
fn start_halvings(options: &Options, strand: &StrandState) -> u32 {
    let touches = !strand.contacts.is_empty();
    options.start_halvings.saturating_sub(u32::from(touches))
}
