//! Findings of a run as they come: one warning for each, and not too many.

use drystone_world::World;

use crate::progress::Progress;
use crate::say;

/// Warnings shown one by one; more are counted at the end.
const MOST: usize = 10;

/// Shows the findings of a world as they come.
#[derive(Default)]
pub(crate) struct Warnings {
    seen: usize,
    pinches: usize,
}

impl Warnings {
    /// Warns of what a scene asks for and does not get.
    pub(crate) fn of_start(world: &World) {
        let dampers = world.cloths().map(|cloths| cloths.clamped_dampers());
        for clamped in dampers.iter().flatten() {
            say::stderr_line(format_args!("warning: {clamped}"));
        }
    }

    /// Warns of what is new since the last call.
    pub(crate) fn show_new(&mut self, world: &World, progress: &Progress) {
        let findings = world.findings();
        for (k, finding) in findings.iter().enumerate().skip(self.seen) {
            match k {
                k if k < MOST => progress.stderr_line(format_args!("warning: {finding}")),
                MOST => progress.stderr_line("warning: more findings; the report lists them all"),
                _ => {}
            }
        }
        self.seen = findings.len();
        let pinches = world.cloths().map_or(&[][..], |cloths| cloths.pinches());
        for pinch in pinches.iter().skip(self.pinches) {
            let [carrier, other] = &pinch.between;
            progress.stderr_line(format_args!(
                "warning: `{}` is pinched between `{carrier}` and `{other}` at {:.3} s; solver.cloth.pinching allows it",
                pinch.sheet, pinch.time
            ));
        }
        self.pinches = pinches.len();
    }
}
