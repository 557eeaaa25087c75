//! Finds bodies that stay inside each other: a load that was not carried, or scripts that leave no room.
//!
//! An impact may leave a body inside another for a few steps, and a scene may start so; both are undone by the
//! position correction. So depth counts where it lasts and does not fall, or passes the middle of the thinner body.

use crate::{Contacts, Model, Patch};

/// Depth that may last, over the thickness of the thinner of the two bodies \[1\].
pub const LASTING_DEPTH: f64 = 0.05;
/// Depth from which one of the two may come out on the far side, over the same \[1\].
pub const PASSING_DEPTH: f64 = 0.5;
/// Steps within which a depth has to fall.
const PATIENCE: u32 = 25;
/// Share of a depth that may be left after these steps \[1\].
const LEFT: f64 = 0.8;

/// Two bodies that stay inside each other, or are about to pass through each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// The body that this is told of.
    pub body: usize,
    /// What it is inside of.
    pub other: usize,
    /// How deep \[m\].
    pub depth: f64,
    /// Depth that would have been allowed \[m\].
    pub allowed: f64,
    /// Steps for which the body has been too deep in something; 0 if it is about to pass through.
    pub steps: u32,
}

/// How deep a body has been inside others. Results do not depend on it.
#[derive(Clone, Copy)]
struct Course {
    /// Depth in the last step, over the thickness of the thinner body \[1\]; endless before the first.
    last: f64,
    /// The same when it was first too deep, or when that was last told or found to fall.
    start: f64,
    /// Steps since then; 0 while it is not too deep.
    steps: u32,
}

impl Course {
    const UNKNOWN: Self = Self {
        last: f64::INFINITY,
        start: 0.0,
        steps: 0,
    };
}

/// The deepest contact of a body in a step.
#[derive(Clone, Copy, Default)]
struct Deepest {
    /// Over the thickness of the thinner body \[1\].
    share: f64,
    depth: f64,
    other: u32,
}

/// Memory of the search.
#[derive(Default)]
pub(crate) struct Overlaps {
    /// Step that comes next; another one means that the state was replaced.
    next: u64,
    course: Vec<Course>,
    /// Of the parts of this step so far; written by `take_in`.
    deepest: Vec<Deepest>,
}

impl Overlaps {
    /// Takes in the contacts at the start of a part of a step: a step may be split because bodies are deep inside each
    /// other, and part them before its last part.
    pub(crate) fn take_in(&mut self, contacts: &Contacts, model: &Model) {
        self.deepest.resize(model.len(), Deepest::default());
        for patch in &contacts.patches {
            if patch.distance >= 0.0 {
                continue;
            }
            let share = -patch.distance / thinner(model, patch);
            for (i, other) in [(patch.a, patch.b), (patch.b, patch.a)] {
                let deepest = &mut self.deepest[i as usize];
                if model.is_dynamic(i as usize) && share > deepest.share {
                    let depth = -patch.distance;
                    *deepest = Deepest {
                        share,
                        depth,
                        other,
                    };
                }
            }
        }
    }

    /// What lasts or passes, by the contacts taken in since the last call, in step number `step`.
    pub(crate) fn find(&mut self, model: &Model, step: u64) -> Vec<Overlap> {
        if step != self.next {
            self.course.clear();
        }
        self.next = step + 1;
        self.course.resize(model.len(), Course::UNKNOWN);
        self.deepest.resize(model.len(), Deepest::default());
        let mut found = Vec::new();
        for (i, (course, deepest)) in self.course.iter_mut().zip(&self.deepest).enumerate() {
            let Some(steps) = course.goes_on(deepest.share) else {
                continue;
            };
            let share = if steps == 0 {
                PASSING_DEPTH
            } else {
                LASTING_DEPTH
            };
            found.push(Overlap {
                body: i,
                other: deepest.other as usize,
                depth: deepest.depth,
                allowed: deepest.depth * (share / deepest.share),
                steps,
            });
        }
        self.deepest.clear();
        found
    }
}

impl Course {
    /// Takes in the depth of a step, and says if that is one too many: for how many steps it has lasted, 0 if it has
    /// just passed the middle.
    fn goes_on(&mut self, share: f64) -> Option<u32> {
        let passes = self.last < PASSING_DEPTH && share >= PASSING_DEPTH;
        self.last = share;
        if share <= LASTING_DEPTH {
            self.steps = 0;
        } else if self.steps == 0 {
            (self.start, self.steps) = (share, 1);
        } else {
            self.steps += 1;
        }
        if passes {
            return Some(0);
        }
        if self.steps <= PATIENCE {
            return None;
        }
        let (lasts, steps) = (share > LEFT * self.start, self.steps - 1);
        (self.start, self.steps) = (share, 1);
        lasts.then_some(steps)
    }
}

/// Thickness of the thinner of the two bodies \[m\].
fn thinner(model: &Model, patch: &Patch) -> f64 {
    let [a, b] = [patch.a, patch.b].map(|i| model.thickness[i as usize]);
    a.min(b)
}
