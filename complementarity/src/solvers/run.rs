//! The frame around every solver: first guess, clock, history, best iterate, and when to stop.

use std::ops::ControlFlow;

use crate::history::{Clock, Entry};
use crate::operator::{Iterate, Operator};
use crate::ordering::{Grain, Ordering, Sequence};
use crate::solvers::{Context, Ended, Law, Outcome, Record, Settings, SolveError};

/// Iterations without a visibly better iterate after which a method has stalled.
const STALLED_AFTER: u32 = 3000;
/// Part of the best residual that counts as visibly better.
const VISIBLE: f64 = 0.99;
/// Residual beyond which a method has diverged.
const BEYOND: f64 = 1e12;
/// Iterations between residuals if nothing is recorded.
const RESIDUAL_INTERVAL: u32 = 4;

pub(crate) struct Run<'a, O> {
    pub(crate) law: Law,
    pub(crate) operator: &'a O,
    pub(crate) context: Context<'a>,
    pub(crate) settings: &'a Settings,
    pub(crate) ordering: Ordering,
    watch: &'a mut dyn FnMut(&Entry) -> ControlFlow<()>,
    first_guess: Vec<[f64; 3]>,
    clock: Clock,
    /// Residual norm at `λ = 0`.
    start: f64,
    iterations: u32,
    row_updates: u64,
    best: f64,
    best_impulses: Vec<[f64; 3]>,
    /// Iteration at which the best residual last improved visibly, and that residual.
    improved: (u32, f64),
    ended: Option<Ended>,
    history: Vec<Entry>,
}

impl<'a, O: Operator> Run<'a, O> {
    pub(crate) fn new(
        law: Law,
        operator: &'a O,
        context: Context<'a>,
        ordering: Ordering,
        settings: &'a Settings,
        impulses: &[[f64; 3]],
        watch: &'a mut dyn FnMut(&Entry) -> ControlFlow<()>,
    ) -> Self {
        let start = law.residual_norm(operator, &vec![[0.0; 3]; operator.contacts()]);
        let mut first_guess = impulses.to_vec();
        for (k, lambda) in first_guess.iter_mut().enumerate() {
            *lambda = law.project(operator.friction(k), *lambda);
        }
        Self {
            law,
            operator,
            context,
            settings,
            ordering,
            watch,
            best_impulses: first_guess.clone(),
            first_guess,
            clock: Clock::default(),
            start,
            iterations: 0,
            row_updates: 0,
            best: f64::INFINITY,
            improved: (0, f64::INFINITY),
            ended: None,
            history: Vec::new(),
        }
    }

    pub(crate) fn begin(&mut self) {
        self.clock.start();
    }

    /// Does what is not the method's own work, with the clock stopped.
    pub(crate) fn untimed<R>(&mut self, work: impl FnOnce() -> R) -> R {
        self.clock.stop();
        let result = work();
        self.clock.start();
        result
    }

    /// Impulses to begin with.
    pub(crate) fn first_guess(&self) -> &[[f64; 3]] {
        &self.first_guess
    }

    /// The iterate of the first guess.
    pub(crate) fn first_iterate(&self) -> Iterate {
        self.operator.iterate(self.first_guess.clone())
    }

    pub(crate) fn sequence(&self, grain: Grain) -> Result<Sequence, SolveError> {
        let (operator, places) = (self.operator, self.context.places);
        let seed = self.settings.seed;
        Ok(Sequence::new(self.ordering, grain, operator, places, seed)?)
    }

    /// Counts an iteration that updated `rows` rows.
    pub(crate) fn count(&mut self, rows: u64) {
        self.iterations += 1;
        self.row_updates += rows;
    }

    /// Number of rows of the problem.
    pub(crate) fn all_rows(&self) -> u64 {
        3 * self.operator.contacts() as u64
    }

    /// Whether to do another iteration. Judges the iterate with the clock stopped; to be asked
    /// before every iteration.
    pub(crate) fn goes_on(&mut self, impulses: &[[f64; 3]]) -> bool {
        if self.ended.is_some() {
            return false;
        }
        let seldom = self.settings.record == Record::Nothing;
        let due = !seldom
            || (self.settings.tolerance > 0.0 && self.iterations.is_multiple_of(RESIDUAL_INTERVAL));
        if due {
            self.clock.stop();
            self.observe(impulses);
            self.clock.start();
        }
        if self.ended.is_none() && self.iterations >= self.settings.most_iterations {
            self.end(Ended::Iterations, impulses);
        }
        if self
            .settings
            .most_seconds
            .is_some_and(|most| self.clock.seconds() >= most)
        {
            self.end(Ended::Seconds, impulses);
        }
        self.ended.is_none()
    }

    fn residual(&self, impulses: &[[f64; 3]]) -> f64 {
        self.relative(self.law.residual_norm(self.operator, impulses))
    }

    fn relative(&self, norm: f64) -> f64 {
        if self.start > 0.0 {
            norm / self.start
        } else {
            norm
        }
    }

    fn end(&mut self, ended: Ended, impulses: &[[f64; 3]]) {
        if self.ended.is_none() {
            self.clock.stop();
            let residual = self.residual(impulses);
            self.keep(residual, impulses);
            self.ended = Some(match residual <= self.settings.tolerance {
                true => Ended::Reached,
                false => ended,
            });
        }
    }

    fn keep(&mut self, residual: f64, impulses: &[[f64; 3]]) {
        if residual < self.best && impulses.iter().flatten().all(|x| x.is_finite()) {
            self.best = residual;
            self.best_impulses.copy_from_slice(impulses);
        }
    }

    fn observe(&mut self, impulses: &[[f64; 3]]) {
        let residual = self.residual(impulses);
        self.keep(residual, impulses);
        let entry = Entry {
            iteration: self.iterations,
            row_updates: self.row_updates,
            seconds: self.clock.seconds(),
            residual,
            merit: (self.settings.record == Record::Merit)
                .then(|| self.law.merit(self.operator, &self.feasible(impulses))),
        };
        if self.settings.record != Record::Nothing {
            self.history.push(entry);
        }
        if (self.watch)(&entry).is_break() {
            self.ended = Some(Ended::Watcher);
        }
        if self.best < VISIBLE * self.improved.1 {
            self.improved = (self.iterations, self.best);
        }
        if residual <= self.settings.tolerance {
            self.ended = Some(Ended::Reached);
        } else if !residual.is_finite() || residual > BEYOND {
            self.ended = Some(Ended::Diverged);
        } else if self.iterations - self.improved.0 >= STALLED_AFTER {
            self.ended = Some(Ended::Stalled);
        }
    }

    fn feasible(&self, impulses: &[[f64; 3]]) -> Vec<[f64; 3]> {
        let projected =
            |(k, lambda): (usize, &[f64; 3])| self.law.project(self.operator.friction(k), *lambda);
        impulses.iter().enumerate().map(projected).collect()
    }

    pub(crate) fn finish(mut self, impulses: &mut [[f64; 3]]) -> Outcome {
        self.clock.stop();
        impulses.copy_from_slice(&self.feasible(&self.best_impulses));
        let residual = self.residual(impulses);
        let ended = self.ended.unwrap_or(Ended::Iterations);
        Outcome {
            iterations: self.iterations,
            row_updates: self.row_updates,
            seconds: self.clock.seconds(),
            residual,
            merit: self.law.merit(self.operator, impulses),
            reached: ended == Ended::Reached,
            ended,
            history: self.history,
        }
    }
}
