//! Prescribed against prescribed: what nothing can push apart is watched, and reported when it meets.
//!
//! Two pinned pieces, or a pinned piece and an obstacle, go where they are told. Pairs of them are listed and certified
//! like all others, but no layer acts between them: when their distance falls below a thousandth of the thickness
//! they have met, which is reported once for each two things. Lines that may give way are pushed by what is pinned. Obstacles among each other are no matter of cloth, and
//! what moves as one rigid body, such as a hem and the body that it is pinned to, cannot meet.

use serde::{Deserialize, Serialize};

use crate::clock::{Tick, seconds};
use crate::event_loop::Run;
use crate::pair::Scripted;
use crate::state::Feature;
use crate::topology::Topology;
use crate::{Model, Motion};

/// Distance at which prescribed things have met, as a part of the thickness \[1\].
pub(crate) const MEETING: f64 = 1e-3;

/// Two prescribed things that came together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Meeting {
    /// Feature of one of them at which they met.
    pub a: Feature,
    /// Feature of the other.
    pub b: Feature,
    /// When; 0 if they start like that \[s\].
    pub time: f64,
}

impl std::fmt::Display for Meeting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let x = self.a.points.first().copied().unwrap_or_default();
        write!(
            f,
            "{} meets {} at ({:.4}, {:.4}, {:.4}), t = {:.6} s, and both move as prescribed",
            self.a, self.b, x.x, x.y, x.z, self.time
        )
    }
}

impl Topology {
    /// Numbers the prescribed vertices by what they move with.
    pub(crate) fn group_prescribed(&mut self, model: &Model) {
        let mut group = vec![0; self.start.len()];
        for (k, mover) in self.movers.iter().enumerate() {
            for i in &mover.vertices {
                group[*i as usize] = k as u32;
            }
        }
        let mut single = self.movers.len() as u32;
        let mut first = 0;
        for sheet in &model.sheets {
            for (k, pin) in sheet.pins.iter().enumerate() {
                let on = sheet.fastened.iter().find(|[own, _]| *own as usize == k);
                for i in &pin.vertices {
                    let number = &mut group[first + *i as usize];
                    if let Some([_, obstacle]) = on {
                        *number = *obstacle;
                    } else if matches!(pin.motion, Motion::Points(_)) {
                        // points that move by themselves are not one rigid body
                        *number = single;
                        single += 1;
                    }
                }
            }
            first += sheet.points.len();
        }
        self.rigid_group = group;
    }

    /// Whether vertex `i` is of an obstacle, not of a sheet.
    pub(crate) fn is_of_obstacle(&self, i: u32) -> bool {
        i as usize >= self.first_of_obstacles
    }

    /// Whether all of these are prescribed for ever, and none is of a line that may give way.
    pub(crate) fn is_scripted(&self, corners: &[u32]) -> bool {
        let prescribed = |i: &u32| self.held[*i as usize] && !self.yields[*i as usize];
        corners.iter().all(prescribed)
    }

    /// Whether two primitives must not pass through each other: one of them can be pushed, or both are prescribed, not
    /// both of obstacles, and do not move as one.
    #[inline]
    pub(crate) fn concerns(&self, first: &[u32], second: &[u32]) -> bool {
        let both = || first.iter().chain(second);
        if both().any(|i| !self.held[*i as usize]) {
            return true;
        }
        let own = self.rigid_group[first[0] as usize];
        both().any(|i| !self.is_of_obstacle(*i))
            && both().any(|i| self.rigid_group[*i as usize] != own)
    }

    /// Distance at which prescribed things have met \[m\].
    pub(crate) fn meeting_distance(&self) -> f64 {
        MEETING * self.thickness
    }
}

impl Run<'_> {
    /// Whether a pair of prescribed things, `low` apart at least, has not met yet.
    pub(crate) fn is_apart(&mut self, p: u32, low: f64) -> bool {
        if self.state.pairs.pool[p as usize].scripted.is_unwatched() {
            return false;
        }
        if low <= self.topology.meeting_distance() {
            self.meet(p);
            return false;
        }
        true
    }

    /// Reports that a pair of prescribed things has met; it is not watched any more.
    pub(crate) fn meet(&mut self, p: u32) {
        let (t, topology) = (self.state.time, self.topology);
        let pair = &mut self.state.pairs.pool[p as usize];
        pair.scripted = Scripted::Met;
        pair.expires = Tick::MAX;
        let kind = pair.kind;
        let x = |i: u32| self.state.vertices[i as usize].at(t, topology.gravity);
        let key = self.state.pairs.records[p as usize].key;
        let (a, b) = ((key >> 30) as u32 & 0x3fff_ffff, key as u32 & 0x3fff_ffff);
        let meeting = Meeting {
            a: Feature::of(topology, kind, false, a, &x),
            b: Feature::of(topology, kind, true, b, &x),
            time: seconds(t),
        };
        let names = |m: &Meeting| {
            let (a, b) = (m.a.object.clone(), m.b.object.clone());
            if a < b { (a, b) } else { (b, a) }
        };
        let known = self.state.meetings.iter();
        if !known.map(names).any(|other| other == names(&meeting)) {
            self.state.meetings.push(meeting);
        }
    }
}
