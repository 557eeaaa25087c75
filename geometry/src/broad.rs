//! Who is near whom: pairs of bodies whose boxes overlap.
//!
//! A body keeps a fat box, its tight box grown by a margin, until the tight one leaves it.
//! The pairs are those whose fat boxes overlap, so they change only when a body leaves its
//! box; only such bodies are searched for again. The answer is a function of the fat boxes
//! (and of the filter) alone: the tree below serves speed, and whoever keeps the fat boxes
//! can resume bit for bit.

mod tree;

pub(crate) use tree::Tree;

use crate::Aabb;

/// Finds pairs of overlapping boxes, step after step.
#[derive(Clone, Debug, Default)]
pub struct BroadPhase {
    fat: Vec<Aabb>,
    tree: Tree,
    pairs: Vec<(u32, u32)>,
    /// Whether tree and pairs fit the fat boxes.
    known: bool,
    // working memory of one update
    moved: Vec<u32>,
    has_moved: Vec<bool>,
    found: Vec<u64>,
    merged: Vec<(u32, u32)>,
}

impl BroadPhase {
    /// No bodies yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Resumes from what [`Self::fat_boxes`] gave.
    pub fn from_fat_boxes(fat: Vec<Aabb>) -> Self {
        Self {
            fat,
            ..Self::default()
        }
    }

    /// The box of each body inside which it may move unnoticed; [`Aabb::EMPTY`] of one that is
    /// not active. Together with the filter this is the whole state.
    pub fn fat_boxes(&self) -> &[Aabb] {
        &self.fat
    }

    /// The pairs of the last update, sorted, the smaller index first; none before the first update.
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// Asks `may_pair` anew for every pair in the next update; to be called when its answers
    /// have changed.
    pub fn forget_pairs(&mut self) {
        self.known = false;
    }

    /// The pairs (a < b), sorted, whose fat boxes overlap and for which `may_pair(a, b)` holds.
    ///
    /// `boxes` are the tight boxes with whatever envelope the contacts need; `margin` \[m\] is
    /// how far a body may then move before it is searched for again. Bodies that are not
    /// `active`, or whose box is not finite, have no pairs. `may_pair` is asked when two
    /// boxes begin to overlap; its answer must not change before [`Self::forget_pairs`].
    pub fn update(
        &mut self,
        boxes: &[Aabb],
        active: Option<&[bool]>,
        may_pair: impl Fn(u32, u32) -> bool,
        margin: f64,
    ) -> &[(u32, u32)] {
        if boxes.len() != self.fat.len() {
            self.fat.resize(boxes.len(), Aabb::EMPTY);
            self.known = false;
        }

        // who left its box, came or went?
        self.moved.clear();
        for (n, tight) in boxes.iter().enumerate() {
            let present = active.is_none_or(|a| a.get(n).copied().unwrap_or(true));
            let fat = &mut self.fat[n];
            if present && fat.contains(tight) {
                continue;
            }
            let new = if present && tight.is_sound() {
                tight.grown(margin)
            } else {
                Aabb::EMPTY
            };
            if *fat != new {
                *fat = new;
                self.moved.push(n as u32);
            }
        }
        if self.known && self.moved.is_empty() {
            return &self.pairs;
        }

        if !self.known {
            self.tree.build(&self.fat);
            self.has_moved.clear();
            self.has_moved.resize(self.fat.len(), false);
            self.known = true;
            self.search_all(&may_pair);
        } else {
            self.tree.refit(&self.fat, &self.moved);
            if self.moved.len() * 2 > self.fat.len() {
                self.search_all(&may_pair);
            } else {
                self.search_moved(&may_pair);
            }
        }
        &self.pairs
    }

    /// Finds all pairs anew.
    fn search_all(&mut self, may_pair: &impl Fn(u32, u32) -> bool) {
        self.found.clear();
        let (found, fat) = (&mut self.found, &self.fat);
        for k in 0..self.tree.bodies().len() {
            let n = self.tree.bodies()[k];
            self.tree
                .overlaps_from(k + 1, &fat[n as usize], fat, |other| {
                    let pair = (n.min(other), n.max(other));
                    if may_pair(pair.0, pair.1) {
                        found.push(packed(pair.0, pair.1));
                    }
                });
        }
        self.found.sort_unstable();
        self.pairs.clear();
        self.pairs
            .extend(self.found.iter().map(|&key| unpacked(key)));
    }

    /// Replaces the pairs of those that moved.
    fn search_moved(&mut self, may_pair: &impl Fn(u32, u32) -> bool) {
        for &n in &self.moved {
            self.has_moved[n as usize] = true;
        }
        self.found.clear();
        let (found, fat, has_moved) = (&mut self.found, &self.fat, &self.has_moved);
        for &n in &self.moved {
            self.tree.overlaps(&fat[n as usize], fat, |other| {
                // of two that moved, the one with the smaller index reports the pair
                let mine = n < other || !has_moved[other as usize];
                let pair = (n.min(other), n.max(other));
                if mine && n != other && may_pair(pair.0, pair.1) {
                    found.push(packed(pair.0, pair.1));
                }
            });
        }
        self.found.sort_unstable();

        // old pairs of bodies that stayed, merged with the new ones
        self.merged.clear();
        let mut new = self.found.iter().map(|&key| unpacked(key)).peekable();
        for &pair in &self.pairs {
            if self.has_moved[pair.0 as usize] || self.has_moved[pair.1 as usize] {
                continue;
            }
            while let Some(next) = new.next_if(|next| *next < pair) {
                self.merged.push(next);
            }
            self.merged.push(pair);
        }
        self.merged.extend(new);
        std::mem::swap(&mut self.pairs, &mut self.merged);
        self.has_moved.fill(false);
    }
}

/// A pair as one number: sorts the same, and quicker.
fn packed(a: u32, b: u32) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

fn unpacked(key: u64) -> (u32, u32) {
    ((key >> 32) as u32, key as u32)
}
