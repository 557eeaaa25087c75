//! How far a run has come: a bar on a terminal, a line now and then elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use drystone_world::{ClothMoment, Report, World};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::say;

/// Between two lines where there is no terminal.
const QUIET: Duration = Duration::from_secs(20);
/// Between two looks of the bar.
const LIVELY: Duration = Duration::from_millis(100);

/// Shows how far a run has come.
pub(crate) struct Progress {
    name: String,
    /// None where nobody watches.
    bar: Option<ProgressBar>,
    started: Instant,
    shown: Instant,
    start: f64,
    end: f64,
    /// Steps and their wall time since it was last shown \[s\].
    steps: u32,
    seconds: f64,
}

impl Progress {
    /// The progress of a run of the scene `name` from `start` to `end` \[s\].
    pub(crate) fn new(name: &str, start: f64, end: f64) -> Self {
        let now = Instant::now();
        let bar = std::io::stderr().is_terminal().then(|| {
            let target = ProgressDrawTarget::stderr_with_hz(10);
            let bar = ProgressBar::with_draw_target(Some(1_000_000), target);
            let template = "{prefix} {bar:20} {percent:>3} %  {wide_msg}";
            bar.set_style(
                ProgressStyle::with_template(template)
                    .unwrap_or_else(|_| ProgressStyle::default_bar())
                    .progress_chars("=> "),
            );
            bar.with_prefix(name.to_owned())
        });
        Self {
            name: name.into(),
            bar,
            started: now,
            shown: now,
            start,
            end,
            steps: 0,
            seconds: 0.0,
        }
    }

    /// Hears of a step.
    pub(crate) fn step(&mut self, world: &World, report: &Report) {
        self.steps += 1;
        self.seconds += report.seconds.total();
        let interval = if self.bar.is_some() { LIVELY } else { QUIET };
        if self.shown.elapsed() < interval {
            return;
        }
        let done = (world.time() - self.start) / (self.end - self.start).max(f64::MIN_POSITIVE);
        let done = done.clamp(0.0, 1.0);
        let passed = self.started.elapsed().as_secs_f64();
        let left = passed * (1.0 - done) / done.max(1e-9);
        let text = format!(
            "{:.2} of {} s, {} left, {}, {} a step",
            world.time(),
            self.end,
            say::seconds(left),
            self.doing(world, report, passed),
            say::seconds(self.seconds / f64::from(self.steps)),
        );
        match &self.bar {
            Some(bar) => {
                bar.set_message(text);
                bar.set_position((done * 1e6) as u64);
            }
            None => say::stderr_line(format_args!("{}: {:.0} %, {text}", self.name, 100.0 * done)),
        }
        (self.steps, self.seconds, self.shown) = (0, 0.0, Instant::now());
    }

    /// Hears of how far cloth has come within a step.
    pub(crate) fn inside(&mut self, moment: &ClothMoment) {
        let interval = if self.bar.is_some() { LIVELY } else { QUIET };
        if self.shown.elapsed() < interval {
            return;
        }
        let text = format!(
            "{:.6} of {} s, within a step, {:.1} million events, layer {}",
            moment.time,
            self.end,
            1e-6 * moment.events as f64,
            moment.deepest,
        );
        match &self.bar {
            Some(bar) => bar.set_message(text),
            None => say::stderr_line(format_args!("{}: {text}", self.name)),
        }
        self.shown = Instant::now();
    }

    /// What the step has to do, after so many seconds: contacts, or the events of cloth.
    fn doing(&self, world: &World, report: &Report, passed: f64) -> String {
        let Some(cloth) = world.cloth_total() else {
            return say::count(report.rigid.contacts as u64, "contact");
        };
        match &cloth.stalled {
            Some(_) => "stalled".into(),
            None => format!(
                "{:.2} million events/s, layer {}",
                1e-6 * cloth.events as f64 / passed.max(1e-9),
                cloth.deepest_layer
            ),
        }
    }

    /// A line on standard error, above the bar.
    pub(crate) fn stderr_line(&self, text: impl std::fmt::Display) {
        match &self.bar {
            Some(bar) => bar.suspend(|| say::stderr_line(text)),
            None => say::stderr_line(text),
        }
    }

    /// Removes the bar.
    pub(crate) fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
