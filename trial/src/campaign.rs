//! Many trials on several threads. Each runs on one thread by itself, so that results depend on
//! nothing but the seed.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use drystone_world::Scene;

use crate::{Breach, Limits, Outcome, Subject, Trial, judge, shrink};

/// Which trials to run, and how.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// What the scenes are about.
    pub subject: Subject,
    /// Number of trials.
    pub count: usize,
    /// Seed of the first; the others follow it.
    pub seed: u64,
    /// Only scenes of this kind, where one is named: seeds of other kinds are passed over.
    pub kind: Option<String>,
    /// Number of trials that run at the same time.
    pub threads: usize,
    /// Limits of each trial; `threads` applies to every eighth seed.
    pub limits: Limits,
    /// Whether scenes that break a law are made smaller.
    pub shrink: bool,
}

/// A law that a trial broke, and the smallest scene found that breaks it.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The breach in the scene as it was made.
    pub breach: Breach,
    /// The smaller scene.
    pub smaller: Trial,
    /// The breach in the smaller scene.
    pub smaller_breach: Breach,
}

/// One trial done.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The trial.
    pub trial: Trial,
    /// Its outcome.
    pub outcome: Outcome,
    /// A finding for each law broken.
    pub findings: Vec<Finding>,
}

impl Campaign {
    /// `count` trials of `subject` from seed `seed` on, on all processors, without shrinking.
    pub fn new(subject: Subject, count: usize, seed: u64) -> Self {
        Self {
            subject,
            count,
            seed,
            kind: None,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            limits: Limits {
                threads: true,
                ..Limits::default()
            },
            shrink: false,
        }
    }

    /// The seeds to run.
    pub fn seeds(&self) -> Vec<u64> {
        // a kind that no seed draws would be looked for without end
        let most = 1000 * self.count.max(1);
        let wanted = |seed: &u64| {
            let kind = self.kind.as_deref();
            kind.is_none_or(|kind| self.subject.kind_of(*seed) == kind)
        };
        let seeds = (0..most as u64).map(|i| self.seed.wrapping_add(i));
        seeds.filter(wanted).take(self.count).collect()
    }

    /// Runs all trials. `prepare` may change a scene before it is run; `listen` hears of every trial as it
    /// ends, in any order, and stops the campaign by returning false.
    pub fn run(
        &self,
        prepare: &(dyn Fn(&mut Scene) + Sync),
        listen: &mut dyn FnMut(&Tried) -> bool,
    ) {
        let seeds = self.seeds();
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (send, receive) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..self.threads.clamp(1, seeds.len().max(1)) {
                let (send, seeds, next, stop) = (send.clone(), &seeds, &next, &stop);
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        let Some(&seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed)) else {
                            break;
                        };
                        if send.send(alone(|| self.try_one(seed, prepare))).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(send);
            for tried in receive {
                if !listen(&tried) {
                    stop.store(true, Ordering::Relaxed);
                }
            }
        });
    }

    fn try_one(&self, seed: u64, prepare: &(dyn Fn(&mut Scene) + Sync)) -> Tried {
        let mut trial = Trial::make(self.subject, seed);
        prepare(&mut trial.scene);
        let limits = Limits {
            threads: self.limits.threads && seed.is_multiple_of(8),
            ..self.limits
        };
        let outcome = judge(&trial, &limits);
        let finding = |breach: &Breach| {
            let (smaller, smaller_breach) = if self.shrink {
                shrink(&trial, breach, &limits)
            } else {
                (trial.clone(), breach.clone())
            };
            Finding {
                breach: breach.clone(),
                smaller,
                smaller_breach,
            }
        };
        let findings = outcome.breaches.iter().map(finding).collect();
        Tried {
            findings,
            trial,
            outcome,
        }
    }
}

/// Does `work` in a pool of one thread, so that no other trial is taken up in between.
fn alone<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}
