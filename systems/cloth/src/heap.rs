//! A queue of numbered things by time, in which a time can be changed.

use serde::{Deserialize, Serialize};

use crate::clock::Tick;

const NOWHERE: u32 = u32::MAX;

/// A binary heap that knows where everything stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Heap {
    order: Vec<(Tick, u32)>,
    place: Vec<u32>,
}

impl Heap {
    pub(crate) fn is_sound(&self, items: usize) -> bool {
        let place = |k: usize, item: u32| self.place.get(item as usize) == Some(&(k as u32));
        let listed = self.order.iter().enumerate();
        listed
            .into_iter()
            .all(|(k, (_, item))| (*item as usize) < items && place(k, *item))
            && self.place.iter().filter(|at| **at != NOWHERE).count() == self.order.len()
    }

    /// The earliest entry.
    pub(crate) fn first(&self) -> Option<(Tick, u32)> {
        self.order.first().copied()
    }

    /// Puts `item` at `time`, wherever it was.
    pub(crate) fn set(&mut self, item: u32, time: Tick) {
        if self.place.len() <= item as usize {
            self.place.resize(item as usize + 1, NOWHERE);
        }
        let mut at = self.place[item as usize] as usize;
        if at == NOWHERE as usize {
            at = self.order.len();
            self.order.push((time, item));
        } else {
            self.order[at].0 = time;
        }
        let at = self.rise(at);
        self.sink(at);
    }

    /// Takes `item` out, if it is there.
    pub(crate) fn remove(&mut self, item: u32) {
        let Some(at) = self
            .place
            .get(item as usize)
            .copied()
            .filter(|at| *at != NOWHERE)
        else {
            return;
        };
        self.place[item as usize] = NOWHERE;
        let last = self.order.len() - 1;
        self.order.swap_remove(at as usize);
        if (at as usize) < last {
            let at = self.rise(at as usize);
            self.sink(at);
        }
    }

    fn rise(&mut self, mut at: usize) -> usize {
        let own = self.order[at];
        while at > 0 {
            let above = (at - 1) / 2;
            if self.order[above] <= own {
                break;
            }
            self.put(at, self.order[above]);
            at = above;
        }
        self.put(at, own);
        at
    }

    fn sink(&mut self, mut at: usize) {
        let own = self.order[at];
        loop {
            let mut below = 2 * at + 1;
            if below >= self.order.len() {
                break;
            }
            if below + 1 < self.order.len() && self.order[below + 1] < self.order[below] {
                below += 1;
            }
            if own <= self.order[below] {
                break;
            }
            self.put(at, self.order[below]);
            at = below;
        }
        self.put(at, own);
    }

    fn put(&mut self, at: usize, entry: (Tick, u32)) {
        self.order[at] = entry;
        self.place[entry.1 as usize] = at as u32;
    }
}

#[cfg(test)]
mod tests {
    use drystone_base::random::Random;

    use super::*;

    #[test]
    fn the_earliest_is_always_first() {
        let mut random = Random::new(4);
        let (mut heap, mut truth) = (Heap::default(), std::collections::BTreeMap::new());
        for _ in 0..20_000 {
            let item = random.below(200) as u32;
            if random.unit() < 0.3 {
                heap.remove(item);
                truth.remove(&item);
            } else {
                let time = random.below(1000) as u64;
                heap.set(item, time);
                truth.insert(item, time);
            }
            let first = truth.iter().map(|(item, time)| (*time, *item)).min();
            assert_eq!(heap.first(), first);
        }
    }
}
