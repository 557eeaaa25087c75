//! All runs of a server: pages that ask for the same thing watch the same run.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::command;
use crate::run::{Identity, Run};
use crate::source::Source;

/// Most runs at a time.
const MOST_RUNS: usize = 6;

#[derive(Debug, Default)]
pub(crate) struct Registry {
    pub(crate) folder: Option<PathBuf>,
    runs: Mutex<Vec<Arc<Run>>>,
    clients: AtomicU64,
}

impl Registry {
    pub(crate) fn new(folder: Option<PathBuf>) -> Self {
        Self {
            folder,
            ..Self::default()
        }
    }

    /// A number for a page that has come.
    pub(crate) fn next_client(&self) -> u64 {
        self.clients.fetch_add(1, Ordering::Relaxed)
    }

    /// Number of runs.
    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    /// The run of that identity, if there is one.
    pub(crate) fn running(&self, identity: &Identity) -> Option<Arc<Run>> {
        let runs = self.lock();
        let found = runs.iter().find(|run| run.identity() == *identity);
        found.cloned()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Run>>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The run of that identity, started if there is none. `goto` a time \[s\] counts for a new run
    /// and for one that nobody else watches.
    pub(crate) fn find(
        &self,
        identity: Identity,
        goto: Option<f64>,
        playing: bool,
    ) -> Result<Arc<Run>, String> {
        let compare = identity.compare.as_deref().unwrap_or_default();
        command::assignments(&identity.sets)?;
        command::assignments(compare)?;
        if goto.is_some_and(|time| !(0.0..=1e6).contains(&time)) {
            return Err("the time is out of range; wanted 0 to 1e6 s".into());
        }
        let Some(source) = Source::find(&identity.scene, self.folder.as_deref()) else {
            return Err(format!("there is no scene `{}` here", identity.scene));
        };
        let mut runs = self.lock();
        runs.retain(|run| !run.ended());
        if let Some(run) = runs.iter().find(|run| run.identity() == identity) {
            if let Some(time) = goto.filter(|_| run.watchers() == 0) {
                run.send(u64::MAX, command::Command::Goto { time });
            } else if !playing && !run.begun() {
                run.send(u64::MAX, command::Command::Pause {});
            }
            return Ok(run.clone());
        }
        if runs.len() >= MOST_RUNS {
            let idle = runs
                .iter()
                .enumerate()
                .filter(|(_, run)| run.watchers() == 0);
            let Some((oldest, _)) = idle.max_by_key(|(_, run)| run.unwatched()) else {
                return Err(format!(
                    "{MOST_RUNS} runs are being watched, the most allowed; close a page"
                ));
            };
            runs.remove(oldest);
        }
        let run = Run::start(source, identity, goto, playing && goto.is_none());
        let run = Arc::new(run.map_err(|error| error.to_string())?);
        runs.push(run.clone());
        Ok(run)
    }
}
