//! What began and ended in a step.

use serde::{Deserialize, Serialize};

use crate::cloths::{Cloths, Touched};
use crate::{Thing, World};

/// Something that began or ended in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Event {
    /// Two things touch that did not before the step.
    ContactBegan {
        /// Bodies come first, then strands, then cloth; two of a kind are in the order of their ids.
        a: Thing,
        /// The other one.
        b: Thing,
    },
    /// Two things no longer touch, or one of them is gone.
    ContactEnded {
        /// As in [`Self::ContactBegan`].
        a: Thing,
        /// The other one.
        b: Thing,
    },
}

impl World {
    /// What began and ended in the last step: what began first, each in the order of ids. Bodies touch
    /// where a contact point pushes or has no gap; strands touch bodies where they have a contact; cloth touches a body
    /// or another cloth where a penalty layer is active between them, which is within its thickness. A step that is
    /// [unfinished](Self::is_mid_step) has none yet.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Compares who touches with who did before the step.
    pub(crate) fn find_events(&mut self) {
        let mut now = std::mem::take(&mut self.touched_before);
        self.list_touching(&mut now);
        let before = std::mem::replace(&mut self.touched, now);
        self.events.clear();
        let began = without(&self.touched, &before).map(|(a, b)| Event::ContactBegan { a, b });
        self.events.extend(began);
        let ended = without(&before, &self.touched).map(|(a, b)| Event::ContactEnded { a, b });
        self.events.extend(ended);
        self.touched_before = before;
    }

    /// Starts anew from who touches now, after the state was replaced.
    pub(crate) fn forget_events(&mut self) {
        self.events.clear();
        let mut touched = std::mem::take(&mut self.touched);
        self.list_touching(&mut touched);
        self.touched = touched;
    }

    /// Every two things that touch, in order, into `list`.
    fn list_touching(&self, list: &mut Vec<(Thing, Thing)>) {
        list.clear();
        let contacts = &self.rigid.state.contacts;
        for patch in &contacts.patches {
            let mut points = contacts.points_of(patch).iter();
            let touches =
                points.any(|p| p.distance <= 0.0 || p.impulse != drystone_base::Vec3::ZERO);
            let pair = (
                self.body_thing(patch.a as usize),
                self.body_thing(patch.b as usize),
            );
            if let (true, (Some(a), Some(b))) = (touches, pair) {
                list.push((a.min(b), a.max(b)));
            }
        }
        for (i, strand) in self
            .strands
            .iter()
            .flat_map(|s| s.system.state.strands.iter().enumerate())
        {
            let Some(id) = self.roster.strands.id(i) else {
                continue;
            };
            let bodies = strand.contacts.iter().map(|c| self.body_thing(c.obstacle));
            list.extend(bodies.flatten().map(|body| (body, Thing::Strand(id))));
            let others = strand.strand_contacts.iter();
            let others = others.filter_map(|c| self.roster.strands.id(c.other_strand));
            let others = others.filter(|other| *other != id).map(Thing::Strand);
            list.extend(others.map(|other| {
                let own = Thing::Strand(id);
                (own.min(other), own.max(other))
            }));
        }
        let cloths = self.cloths.iter().flat_map(Cloths::touching);
        list.extend(cloths.filter_map(|(sheet, other)| {
            let cloth = |row| self.roster.cloths.id(row).map(Thing::Cloth);
            let other = match other {
                Touched::Body(row) => self.body_thing(row)?,
                Touched::Strand(row) => Thing::Strand(self.roster.strands.id(row)?),
                Touched::Cloth(row) => cloth(row)?,
            };
            let sheet = cloth(sheet)?;
            Some((sheet.min(other), sheet.max(other)))
        }));
        list.sort_unstable();
        list.dedup();
    }

    pub(crate) fn body_thing(&self, row: usize) -> Option<Thing> {
        self.roster.bodies.id(row).map(Thing::Body)
    }
}

/// What is in `all` and not in `those`; both are in order.
fn without<'a>(
    all: &'a [(Thing, Thing)],
    those: &'a [(Thing, Thing)],
) -> impl Iterator<Item = (Thing, Thing)> + 'a {
    let mut those = those.iter().peekable();
    all.iter().copied().filter(move |pair| {
        while those.next_if(|other| *other < pair).is_some() {}
        those.peek() != Some(&pair)
    })
}
