//! How far the laboratory has come: a bar with the time left on a terminal, nothing elsewhere.

use std::io::IsTerminal;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::say;

/// Counts tasks of about the same length.
pub(crate) struct Tasks {
    bar: Option<ProgressBar>,
    started: Instant,
    total: u64,
    done: u64,
}

impl Tasks {
    /// A progress line for `total` trials.
    pub(crate) fn new(total: usize) -> Self {
        let total = total as u64;
        let bar = std::io::stderr().is_terminal().then(|| {
            let target = ProgressDrawTarget::stderr_with_hz(10);
            let bar = ProgressBar::with_draw_target(Some(total), target);
            let style = ProgressStyle::with_template("{bar:20} {pos}/{len}  {wide_msg}");
            bar.set_style(
                style
                    .unwrap_or_else(|_| ProgressStyle::default_bar())
                    .progress_chars("=> "),
            );
            bar
        });
        Self {
            bar,
            started: Instant::now(),
            total,
            done: 0,
        }
    }

    /// The next one begins.
    pub(crate) fn begin(&self, what: &str) {
        let Some(bar) = &self.bar else { return };
        let each = self.started.elapsed().as_secs_f64() / self.done.max(1) as f64;
        bar.set_message(match self.done {
            0 => what.to_owned(),
            _ => {
                let left = say::seconds(each * (self.total - self.done.min(self.total)) as f64);
                format!("{what}, {left} left")
            }
        });
        bar.tick();
    }

    /// Removes the progress line.
    pub(crate) fn end(&mut self) {
        self.done += 1;
        if let Some(bar) = &self.bar {
            bar.set_position(self.done);
        }
    }

    /// A line on standard output, above the bar.
    pub(crate) fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| say::line(text)),
            None => say::line(text),
        }
    }

    /// Takes the bar away; how long it all took \[s\].
    pub(crate) fn finish(self) -> f64 {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.started.elapsed().as_secs_f64()
    }
}
