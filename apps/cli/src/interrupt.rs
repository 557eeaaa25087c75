//! Ctrl-C: the first asks the run to stop (within a step, if that has much cloth in it), the second stops everything.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::INTERRUPTED;
use crate::say;

static ASKED: AtomicBool = AtomicBool::new(false);

/// Begins to catch Ctrl-C. Where that is impossible, Ctrl-C ends the program as usual.
pub(crate) fn listen() {
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::SeqCst) {
            #[allow(clippy::exit)] // a handler cannot return to main
            std::process::exit(i32::from(INTERRUPTED));
        }
        say::stderr_line("\nfinishing the files; once more to abort");
    });
}

/// Whether the run should stop.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
