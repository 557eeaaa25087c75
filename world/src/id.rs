//! Names for things that come and go: an index, and a generation that tells who has it.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use crate::{Body, Cloth, Strand};

/// Names a `T` of a scene and of the worlds made from it, for as long as it is there. An id outlives its thing
/// harmlessly: nothing that comes later answers to it.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Id<T> {
    index: u32,
    generation: u32,
    #[serde(skip)]
    of: PhantomData<fn() -> T>,
}

/// Names a body.
pub type BodyId = Id<Body>;
/// Names a strand.
pub type StrandId = Id<Strand>;
/// Names a cloth.
pub type ClothId = Id<Cloth>;

/// What a program or a file keeps with a thing: whatever JSON can say, by name. Decides nothing.
pub type UserData = BTreeMap<String, serde_json::Value>;

/// Anything that has an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Thing {
    /// A body.
    Body(BodyId),
    /// A strand.
    Strand(StrandId),
    /// A cloth.
    Cloth(ClothId),
}

impl From<BodyId> for Thing {
    fn from(id: BodyId) -> Self {
        Self::Body(id)
    }
}

impl From<StrandId> for Thing {
    fn from(id: StrandId) -> Self {
        Self::Strand(id)
    }
}

impl From<ClothId> for Thing {
    fn from(id: ClothId) -> Self {
        Self::Cloth(id)
    }
}

impl<T> Id<T> {
    /// The thing that is the `index`-th of its kind in a scene.
    pub(crate) fn first(index: usize) -> Self {
        Self::new(index, 0)
    }

    fn new(index: usize, generation: u32) -> Self {
        Self {
            index: index as u32,
            generation,
            of: PhantomData,
        }
    }
}

impl<T> Clone for Id<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Id<T> {}

impl<T> PartialEq for Id<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T> Eq for Id<T> {}

impl<T> PartialOrd for Id<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Id<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.index, self.generation).cmp(&(other.index, other.generation))
    }
}

impl<T> Hash for Id<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.index, self.generation).hash(state);
    }
}

impl<T> fmt::Debug for Id<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}.{}", self.index, self.generation)
    }
}

/// Relates the ids of a kind of thing to rows of its arrays.
pub(crate) struct Pool<T> {
    /// By index of an id: the generation of the id that has the index, and its row unless it was removed.
    slots: Vec<(u32, Option<u32>)>,
    /// By row: the index of the id.
    rows: Vec<u32>,
    /// Indices that nothing has.
    free: Vec<u32>,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for Pool<T> {
    fn clone(&self) -> Self {
        Self {
            slots: self.slots.clone(),
            rows: self.rows.clone(),
            free: self.free.clone(),
            of: PhantomData,
        }
    }
}

impl<T> Pool<T> {
    /// The things of a scene, in its order.
    pub(crate) fn new(count: usize) -> Self {
        Self {
            slots: (0..count as u32).map(|row| (0, Some(row))).collect(),
            rows: (0..count as u32).collect(),
            free: Vec::new(),
            of: PhantomData,
        }
    }

    /// A thing in a new last row. No two calls get the same `generation`.
    pub(crate) fn insert(&mut self, generation: u32) -> Id<T> {
        let slot = (generation, Some(self.rows.len() as u32));
        let index = match self.free.pop() {
            Some(index) => {
                self.slots[index as usize] = slot;
                index as usize
            }
            None => {
                self.slots.push(slot);
                self.slots.len() - 1
            }
        };
        self.rows.push(index as u32);
        Id::new(index, generation)
    }

    /// Takes a thing out; those in later rows move up by one.
    pub(crate) fn remove(&mut self, id: Id<T>) -> Option<usize> {
        let row = self.row(id)?;
        self.slots[id.index as usize].1 = None;
        self.free.push(id.index);
        self.rows.remove(row);
        for (row, slot) in self.rows.iter().enumerate().skip(row) {
            self.slots[*slot as usize].1 = Some(row as u32);
        }
        Some(row)
    }

    /// The row of a thing that is there.
    pub(crate) fn row(&self, id: Id<T>) -> Option<usize> {
        let (generation, row) = self.slots.get(id.index as usize)?;
        row.filter(|_| *generation == id.generation)
            .map(|row| row as usize)
    }

    /// The id of what has `row`.
    pub(crate) fn id(&self, row: usize) -> Option<Id<T>> {
        let index = *self.rows.get(row)? as usize;
        Some(Id::new(index, self.slots[index].0))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_id_finds_its_thing_as_rows_move_and_nothing_once_it_is_gone() {
        let mut pool = Pool::<Body>::new(3);
        let [a, b, c] = [0, 1, 2].map(Id::first);
        let d = pool.insert(1);
        assert_eq!(pool.remove(b), Some(1));
        assert_eq!([a, c, d].map(|id| pool.row(id)), [0, 1, 2].map(Some));
        assert_eq!((pool.row(b), pool.remove(b)), (None, None));
        // the place is taken again, the id is not
        let e = pool.insert(2);
        assert_eq!((pool.row(e), pool.row(b)), (Some(3), None));
        for (row, id) in [a, c, d, e].into_iter().enumerate() {
            assert_eq!(pool.id(row), Some(id));
        }
        assert_eq!(pool.id(4), None);
    }
}
