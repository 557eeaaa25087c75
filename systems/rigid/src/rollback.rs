//! A part of a step that ended with bodies deep inside each other is undone and taken again in shorter parts.
//!
//! Contacts are found once a part, and their normals stay as they are while it lasts. What travels a large share of its
//! thickness meanwhile may come round a corner, or be carried where no contact was looked for. Nothing tells that
//! beforehand but a bound on all ways that anything could take, which splits many steps that need it not; afterwards
//! it is seen by measuring the few pairs that did move far.

use drystone_base::{Pose, Quat, Vec3};
use drystone_geometry::{Aabb, ContactBuffer, collide};

use crate::contacts::Contacts;
use crate::system::Workspace;
use crate::watch::Watch;
use crate::{Model, Pair, State, Tuning};

/// State that a part of a step may change, before that part.
#[derive(Default)]
pub(crate) struct Before {
    position: Vec<Vec3>,
    rotation: Vec<Quat>,
    linear_velocity: Vec<Vec3>,
    angular_velocity: Vec<Vec3>,
    quiet: Vec<f64>,
    asleep: Vec<bool>,
    contacts: Contacts,
    shift: Vec<Vec3>,
    driven: Vec<f64>,
}

impl Before {
    /// Takes down how things are.
    pub(crate) fn keep(&mut self, state: &State, watch: &Watch) {
        self.position.clone_from(&state.position);
        self.rotation.clone_from(&state.rotation);
        self.linear_velocity.clone_from(&state.linear_velocity);
        self.angular_velocity.clone_from(&state.angular_velocity);
        self.quiet.clone_from(&state.quiet);
        self.asleep.clone_from(&state.asleep);
        self.contacts.copy_from(&state.contacts);
        self.shift.clone_from(&watch.shift);
        self.driven.clone_from(&watch.driven);
    }

    /// Makes things as they were.
    pub(crate) fn restore(&self, state: &mut State, watch: &mut Watch) {
        state.position.clone_from(&self.position);
        state.rotation.clone_from(&self.rotation);
        state.linear_velocity.clone_from(&self.linear_velocity);
        state.angular_velocity.clone_from(&self.angular_velocity);
        state.quiet.clone_from(&self.quiet);
        state.asleep.clone_from(&self.asleep);
        state.contacts.copy_from(&self.contacts);
        watch.shift.clone_from(&self.shift);
        watch.driven.clone_from(&self.driven);
    }

    /// Bound on how far the points of body `i` have moved since \[m\].
    fn moved(&self, state: &State, i: usize, turning: &[f64]) -> f64 {
        let way = state.position[i].distance(self.position[i]);
        let turn = self.turn(state, i);
        // what does not turn may be without end
        if turn > 0.0 {
            way + turn * turning[i]
        } else {
            way
        }
    }

    /// Angle by which body `i` has turned since \[rad\].
    fn turn(&self, state: &State, i: usize) -> f64 {
        // |p - q| of two unit quaternions is half the angle between them, near enough
        let (p, q) = (self.rotation[i], state.rotation[i]);
        2.0 * (p - q).length().min((p + q).length())
    }

    /// Whether two bodies that moved far against each other since are now deep inside each other, and deeper than they were.
    pub(crate) fn ended_deep(
        &self,
        state: &State,
        model: &Model,
        tuning: &Tuning,
        workspace: &mut Workspace,
        dt: f64,
    ) -> bool {
        let Workspace {
            boxes,
            struck,
            turning,
            moved,
            buffer,
            ..
        } = workspace;
        moved.clear();
        moved.extend((0..model.len()).map(|i| self.moved(state, i, turning)));
        // what left the box that its neighbours were looked for in may have met others
        let strays = |i: usize| {
            moved[i] > 0.0
                && state.present[i]
                && self.swerve(state, i, turning, dt) > struck[i]
                && {
                    let now = model.shape[i].aabb(&state.shape_pose(model, i));
                    !boxes[i].contains(&now)
                }
        };
        if (0..model.len())
            .any(|i| strays(i) && self.met_others(state, model, tuning, i, (moved, buffer)))
        {
            return true;
        }
        // what moved far may be deeper than its contacts said
        let pairs = state.contacts.pairs.iter();
        let mut far = pairs.filter(|pair| {
            let (a, b) = (pair.a as usize, pair.b as usize);
            let least = tuning.far * model.thickness[a].min(model.thickness[b]);
            moved[a] + moved[b] > least && self.moved_apart(state, a, b, moved) > least
        });
        far.any(|pair| {
            let (a, b) = (pair.a as usize, pair.b as usize);
            let deep = tuning.sunk * model.thickness[a].min(model.thickness[b]);
            let depth = depth(state, model, a, b, buffer);
            depth > deep && depth > self.contacts.depth(pair) + 0.5 * deep
        })
    }

    /// Whether body `i` is deep inside one that it had no contacts with, or may have gone through one.
    fn met_others(
        &self,
        state: &State,
        model: &Model,
        tuning: &Tuning,
        i: usize,
        (moved, buffer): (&[f64], &mut ContactBuffer),
    ) -> bool {
        let pairs = &state.contacts.pairs;
        (0..model.len()).any(|j| {
            let (a, b) = (i.min(j), i.max(j));
            let known = |pair: &Pair| (pair.a as usize, pair.b as usize).cmp(&(a, b));
            let meets = j != i && state.present[j] && (model.is_dynamic(i) || model.is_dynamic(j));
            meets && pairs.binary_search_by(known).is_err() && {
                let thickness = model.thickness[a].min(model.thickness[b]);
                // what goes so far may be on the other side by now
                let through = || {
                    self.moved_apart(state, a, b, moved) > thickness
                        && self
                            .swept(state, model, a)
                            .overlaps(&self.swept(state, model, b))
                };
                depth(state, model, a, b, buffer) > tuning.sunk * thickness || through()
            }
        })
    }

    /// Box about body `i` where it was and where it is.
    fn swept(&self, state: &State, model: &Model, i: usize) -> Aabb {
        let now = state.shape_pose(model, i);
        let was = Pose::new(self.position[i], self.rotation[i]);
        let was = Pose::new(was.point(model.shape_offset[i]), was.rotation);
        let shape = &model.shape[i];
        shape.aabb(&now).union(&shape.aabb(&was))
    }

    /// Bound on how far the points of body `i` are from where its velocities would have taken them in `dt` \[m\].
    fn swerve(&self, state: &State, i: usize, turning: &[f64], dt: f64) -> f64 {
        let way = self.position[i] + self.linear_velocity[i] * dt;
        let turn = self.turn(state, i) - self.angular_velocity[i].length() * dt;
        let aside = state.position[i].distance(way);
        if turn > 0.0 {
            aside + turn * turning[i]
        } else {
            aside
        }
    }

    /// Bound on how far the points of two bodies have moved against each other since \[m\].
    fn moved_apart(&self, state: &State, a: usize, b: usize, moved: &[f64]) -> f64 {
        let way = |i: usize| state.position[i] - self.position[i];
        let turned = [a, b].map(|i| moved[i] - way(i).length());
        way(b).distance(way(a)) + turned[0] + turned[1]
    }
}

/// Depth of the overlap of the two bodies now \[m\].
fn depth(state: &State, model: &Model, a: usize, b: usize, buffer: &mut ContactBuffer) -> f64 {
    let [pose_a, pose_b] = [a, b].map(|i| state.shape_pose(model, i));
    let [box_a, box_b] = [(a, &pose_a), (b, &pose_b)].map(|(i, pose)| model.shape[i].aabb(pose));
    if !box_a.overlaps(&box_b) {
        return 0.0;
    }
    buffer.clear();
    collide(
        &model.shape[a],
        &pose_a,
        &model.shape[b],
        &pose_b,
        0.0,
        buffer,
    );
    let points = buffer.points.iter();
    points.fold(0.0, |depth, point| f64::max(depth, -point.distance))
}
