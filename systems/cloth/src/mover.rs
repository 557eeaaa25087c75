//! What moves as prescribed: straight from key to key, a change of velocity being an event.

use drystone_base::rotation::log;
use drystone_base::{Pose, Vec3};
use drystone_common::MotionPath;
use serde::{Deserialize, Serialize};

use crate::clock::{Tick, seconds, ticks};
use crate::vertex::Vertex;
use crate::{Model, Motion};

/// Largest turn between two keys, beyond which more keys are put in \[rad\].
const TURN: f64 = 0.05;
/// Straight pieces of a curve between two of its keys, at least.
const PIECES: u64 = 16;

/// Vertices that move together.
#[derive(Clone, Debug)]
pub(crate) struct Mover {
    pub(crate) vertices: Vec<u32>,
    /// Positions at the start \[m\].
    start: Vec<Vec3>,
    path: Path,
    /// Time at which they are let go.
    pub(crate) until: Option<Tick>,
}

#[derive(Clone, Debug)]
enum Path {
    Fixed,
    Poses(Pose, Vec<(Tick, Pose)>),
    Points(Vec<(Tick, Vec<Vec3>)>),
    Driven(Pose),
}

/// State of a mover.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MoverState {
    /// Keys passed.
    key: usize,
    /// Keys of the next advance of a driven one.
    pending: Vec<(Tick, Pose)>,
    /// Pose of a driven one after those.
    pose: Option<Pose>,
    /// Whether it was let go.
    free: bool,
    /// Time of its next event.
    pub(crate) due: Option<Tick>,
}

impl MoverState {
    /// From `now` on its keys are those of a body that gives way.
    pub(crate) fn let_give_way(&mut self, now: Option<Tick>) {
        self.pending.clear();
        self.key = 0;
        self.due = now;
    }

    /// Whether it has not been let go.
    pub(crate) fn holds(&self) -> bool {
        !self.free
    }
}

/// All movers of a model: obstacles first, then the pins sheet by sheet.
pub(crate) fn movers(model: &Model) -> Vec<Mover> {
    let mut first: u32 = model.sheets.iter().map(|s| s.points.len() as u32).sum();
    let mut movers = Vec::new();
    for obstacle in &model.obstacles {
        let count = obstacle.points.len() as u32;
        movers.push(Mover {
            vertices: (first..first + count).collect(),
            start: obstacle.points.clone(),
            path: Path::new(&obstacle.motion),
            until: None,
        });
        first += count;
    }
    let mut first = 0;
    for sheet in &model.sheets {
        for pin in &sheet.pins {
            movers.push(Mover {
                vertices: pin.vertices.iter().map(|i| first + i).collect(),
                start: pin
                    .vertices
                    .iter()
                    .map(|i| sheet.points[*i as usize])
                    .collect(),
                path: Path::new(&pin.motion),
                until: pin.until.map(ticks),
            });
        }
        first += sheet.points.len() as u32;
    }
    movers
}

impl Path {
    fn new(motion: &Motion) -> Self {
        match motion {
            Motion::Fixed => Self::Fixed,
            Motion::Driven(pose) => Self::Driven(*pose),
            Motion::Points(keys) => Self::Points(
                keys.iter()
                    .map(|k| (ticks(k.time), k.points.clone()))
                    .collect(),
            ),
            Motion::Path(path) => Self::Poses(path.keys()[0].pose, straight_pieces(path)),
        }
    }
}

/// Keys of `path`, with more between them, so that each piece is nearly straight.
fn straight_pieces(path: &MotionPath) -> Vec<(Tick, Pose)> {
    let keys = path.keys();
    let mut pieces = vec![(ticks(keys[0].time), keys[0].pose)];
    for (i, pair) in keys.windows(2).enumerate() {
        let [(t0, from), (t1, to)] = [&pair[0], &pair[1]].map(|key| (ticks(key.time), key.pose));
        if path.is_straight(i) {
            small_turns(t0, from, t1, to, &mut pieces);
            continue;
        }
        let count = turns(&from, &to).max(PIECES);
        for k in 1..count {
            let t = t0 + (t1 - t0) * k / count;
            pieces.push((t, path.pose(seconds(t))));
        }
        pieces.push((t1, to));
    }
    pieces
}

/// Number of parts of a turn that are no larger than `TURN` each.
fn turns(from: &Pose, to: &Pose) -> u64 {
    let angle = log(to.rotation * from.rotation.conjugate()).length();
    (angle / TURN).ceil().max(1.0) as u64
}

/// Keys from one pose to another, none turning by more than `TURN` from the one before.
fn small_turns(t0: Tick, from: Pose, t1: Tick, to: Pose, path: &mut Vec<(Tick, Pose)>) {
    let count = turns(&from, &to);
    for k in 1..count {
        let part = k as f64 / count as f64;
        let t = t0 + ((t1.saturating_sub(t0)) as f64 * part) as Tick;
        path.push((t, from.towards(&to, part)));
    }
    path.push((t1, to));
}

impl Mover {
    /// Whether the next event, if it is at `t`, lets its vertices go.
    pub(crate) fn lets_go(&self, t: Tick) -> bool {
        self.until.is_some_and(|until| until <= t)
    }

    pub(crate) fn is_fixed(&self) -> bool {
        matches!(self.path, Path::Fixed) && self.until.is_none()
    }

    /// Whether `drive` has an effect.
    pub(crate) fn is_driven(&self) -> bool {
        matches!(self.path, Path::Driven(_))
    }

    /// Where a driven one is when its keys are passed.
    pub(crate) fn pose(&self, state: &MoverState) -> Option<Pose> {
        match self.path {
            Path::Driven(first) => Some(state.pose.unwrap_or(first)),
            _ => None,
        }
    }

    /// State before the first event.
    pub(crate) fn begin(&self) -> MoverState {
        let moves = !self.is_fixed() && !self.is_driven();
        MoverState {
            due: moves.then_some(0).or(self.until),
            ..MoverState::default()
        }
    }

    /// Time and positions of key `k`, counted over what is pending too.
    fn key(&self, state: &MoverState, k: usize) -> Option<(Tick, Vec<Vec3>)> {
        let carried = |first: &Pose, pose: &Pose| {
            let change = pose.then(&first.inverse());
            self.start.iter().map(|x| change.point(*x)).collect()
        };
        match &self.path {
            Path::Fixed => None,
            Path::Poses(first, keys) => keys.get(k).map(|(t, pose)| (*t, carried(first, pose))),
            Path::Points(keys) => keys.get(k).cloned(),
            Path::Driven(first) => state
                .pending
                .get(k)
                .map(|(t, pose)| (*t, carried(first, pose))),
        }
    }

    /// Sets a driven mover on its way to `pose`, to be reached at `end`.
    pub(crate) fn drive(&self, state: &mut MoverState, now: Tick, end: Tick, pose: Pose) {
        if let Path::Driven(first) = self.path {
            let from = state.pose.unwrap_or(first);
            state.pending.clear();
            small_turns(now, from, end, pose, &mut state.pending);
            state.key = 0;
            state.pose = Some(pose);
            if !state.free {
                state.due = Some(now);
            }
        }
    }

    /// Sends the vertices of a driven one straight to where `next` has them, or lets them stand. Calls `changed`
    /// with each vertex.
    pub(crate) fn aim(
        &self,
        state: &mut MoverState,
        t: Tick,
        next: Option<(Tick, Pose)>,
        vertices: &mut [Vertex],
        mut changed: impl FnMut(u32),
    ) {
        let Path::Driven(first) = &self.path else {
            return;
        };
        if !state.holds() {
            return;
        }
        let change = next.map(|(time, pose)| (seconds(time - t), pose.then(&first.inverse())));
        for (i, start) in self.vertices.iter().zip(&self.start) {
            let vertex = &mut vertices[*i as usize];
            vertex.move_to(t, Vec3::ZERO);
            vertex.velocity = match &change {
                Some((h, change)) => (change.point(*start) - vertex.position) / *h,
                None => Vec3::ZERO,
            };
            changed(*i);
        }
        // pins that ride along are aimed with their body, and only let go by themselves
        state.due = match self.until {
            Some(until) => Some(until),
            None => next.map(|(time, _)| time),
        };
        if let Some((_, pose)) = next {
            state.pose = Some(pose);
        }
    }

    /// The event at `t`: new velocities, or freedom. Calls `changed` with each vertex.
    pub(crate) fn change(
        &self,
        state: &mut MoverState,
        t: Tick,
        vertices: &mut [Vertex],
        inverse_mass: &[f64],
        gravity: Vec3,
        mut changed: impl FnMut(u32),
    ) {
        if self.lets_go(t) {
            for i in &self.vertices {
                let vertex = &mut vertices[*i as usize];
                vertex.move_to(t, gravity);
                vertex.inverse_mass = inverse_mass[*i as usize];
                changed(*i);
            }
            *state = MoverState {
                free: true,
                ..MoverState::default()
            };
            return;
        }
        // the next key that lies ahead
        let mut next = None;
        while let Some((time, target)) = self.key(state, state.key) {
            if time > t {
                next = Some((time, target));
                break;
            }
            state.key += 1;
        }
        for (k, i) in self.vertices.iter().enumerate() {
            let vertex = &mut vertices[*i as usize];
            let velocity = match &next {
                // from where it is, not from where it should be: the path has no jump
                Some((time, target)) => (target[k] - vertex.at(t, gravity)) / seconds(time - t),
                None => Vec3::ZERO,
            };
            if velocity != vertex.velocity {
                vertex.move_to(t, gravity);
                vertex.velocity = velocity;
                changed(*i);
            }
        }
        state.due = match (next.map(|(time, _)| time), self.until) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }
}
