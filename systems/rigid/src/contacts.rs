//! Who touches whom. Contacts live on from step to step: while two bodies hardly move against
//! each other their manifold is kept and only measured again.

use drystone_base::functions::{exp, ln};
use drystone_base::{Mat3, Pose, Vec3};
use drystone_geometry::{Aabb, ContactBuffer, Shape, collide};
use serde::{Deserialize, Serialize};

use crate::system::Workspace;
use crate::{Material, Model, Options, State, Tuning};

/// Two bodies near each other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// The body with the smaller index.
    pub a: u32,
    /// The other body.
    pub b: u32,
    /// Index of the first patch.
    pub first: u32,
    /// Number of patches.
    pub count: u32,
    /// Pose of `b` seen from `a` when the patches were found, where these may last.
    pub found_at: Pose,
}

/// At most four points of a pair that share a normal.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Patch {
    /// The pair's bodies again.
    pub a: u32,
    /// The pair's bodies again.
    pub b: u32,
    /// Unit normal from `a` to `b`, in the frame of `a`.
    pub normal_local: Vec3,
    /// Normal in the world, measured at the start of the step.
    pub normal: Vec3,
    /// Coulomb's coefficient of this step, static or dynamic \[1\].
    pub friction: f64,
    /// Newton's coefficient \[1\].
    pub restitution: f64,
    /// Length of the smaller of the two that moves: what its gaps and depths are measured by \[m\].
    pub length: f64,
    /// Smallest distance of its points at the start of the step \[m\].
    pub distance: f64,
    /// Index of the first point.
    pub first: u32,
    /// Number of points (1 to 4).
    pub count: u32,
}

/// One point of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Point on the surface of `a`, in its body frame \[m\].
    pub anchor_a: Vec3,
    /// Point on the surface of `b`, in its body frame \[m\].
    pub anchor_b: Vec3,
    /// Midway between the two, world, at the start of the step \[m\].
    pub position: Vec3,
    /// Signed distance along the normal at the start of the step \[m\].
    pub distance: f64,
    /// Features that made the point.
    pub feature: u32,
    /// Impulse that `b` received from `a` here in the last (sub)step, world \[N s\].
    pub impulse: Vec3,
    /// Whether the point was not there in the step before.
    pub fresh: bool,
}

/// All contacts of a state, ordered by pair.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Contacts {
    /// Ordered by (`a`, `b`).
    pub pairs: Vec<Pair>,
    /// Patches of all pairs.
    pub patches: Vec<Patch>,
    /// Points of all patches.
    pub points: Vec<Point>,
}

/// Finds or measures again every contact within the envelope, grown by what the pair may
/// travel in `dt` so that fast bodies are seen in time. Impulses of the last step are carried
/// over by feature.
pub(crate) fn detect(
    state: &mut State,
    model: &Model,
    options: &Options,
    workspace: &mut Workspace,
    dt: f64,
) {
    let start = (workspace.clock.0)();
    near_pairs(state, model, &options.tuning, workspace, dt);
    if !nothing_moved(state, model, &options.tuning, workspace) {
        renew(state, model, options, workspace, dt);
    }
    state.contacts.measure(&state.position, &workspace.axes);
    workspace.overlaps.take_in(&state.contacts, model);
    choose_friction(state, model, &options.tuning, dt);
    workspace.collision_seconds += (workspace.clock.0)() - start;
}

/// Gives every patch the friction of the step to come: of what slides if one of its points moves along the surface faster
/// than a calm contact, else of what rests. Patches keep theirs where no two materials tell these apart.
fn choose_friction(state: &mut State, model: &Model, tuning: &Tuning, dt: f64) {
    if !model.materials.have_static_friction() {
        return;
    }
    let gravity = model.gravity.length();
    let mut contacts = std::mem::take(&mut state.contacts);
    for patch in &mut contacts.patches {
        let (a, b) = (patch.a as usize, patch.b as usize);
        let material = model
            .materials
            .between(model.material[a], model.material[b]);
        let slow = tuning.calm_speed(patch.length, gravity, dt);
        let points = &contacts.points[patch.first as usize..][..patch.count as usize];
        let slides = points.iter().any(|point| {
            let at = |i: usize| state.velocity_at(i, point.position - state.position[i]);
            let apart = at(b) - at(a);
            (apart - patch.normal * apart.dot(patch.normal)).length() > slow
        });
        patch.friction = if slides {
            material.friction
        } else {
            material.at_rest()
        };
    }
    state.contacts = contacts;
}

/// Pose of `b` seen from `a`.
fn seen_from(state: &State, a: usize, b: usize) -> Pose {
    let back = state.rotation[a].conjugate();
    Pose::new(
        back * (state.position[b] - state.position[a]),
        back * state.rotation[b],
    )
}

/// Whether the pairs are those of the last step and hardly moved: nothing to look for then.
fn nothing_moved(state: &mut State, model: &Model, tuning: &Tuning, workspace: &Workspace) -> bool {
    let pairs = &state.contacts.pairs;
    let same = pairs.len() == workspace.near.len()
        && pairs.iter().zip(&workspace.near).all(|(pair, near)| {
            let (a, b) = (pair.a as usize, pair.b as usize);
            (pair.a, pair.b) == *near
                && workspace.recyclable[a]
                && workspace.recyclable[b]
                && !workspace.may_be_struck(a, b)
                && travelled(&pair.found_at, &seen_from(state, a, b), workspace.radius[b])
                    < tuning.recycle * length_of(model, a, b)
        });
    if same {
        for point in &mut state.contacts.points {
            point.fresh = false;
        }
    }
    same
}

/// Goes through the pairs: those that hardly moved keep their patches, the others are done again.
fn renew(state: &mut State, model: &Model, options: &Options, workspace: &mut Workspace, dt: f64) {
    let old = std::mem::take(&mut state.contacts);
    let mut new = std::mem::take(&mut workspace.contacts);
    new.clear();

    // walk the sorted old pairs beside the sorted new ones
    let mut cursor = 0;
    for k in 0..workspace.near.len() {
        let (a, b) = workspace.near[k];
        while cursor < old.pairs.len() && (old.pairs[cursor].a, old.pairs[cursor].b) < (a, b) {
            cursor += 1;
        }
        let before = old
            .pairs
            .get(cursor)
            .filter(|pair| (pair.a, pair.b) == (a, b));
        let (ia, ib) = (a as usize, b as usize);
        let recyclable = workspace.recyclable[ia] && workspace.recyclable[ib];
        let found_at = if recyclable {
            seen_from(state, ia, ib)
        } else {
            Pose::IDENTITY // nobody will ask
        };
        let length = length_of(model, ia, ib);
        let recycle = options.tuning.recycle * length;
        let lasting = recyclable && !workspace.may_be_struck(ia, ib);
        if let Some(pair) = before
            && lasting
            && travelled(&pair.found_at, &found_at, workspace.radius[ib]) < recycle
        {
            new.keep(pair, &old);
            continue;
        }
        let struck = workspace.struck[ia].max(workspace.struck[ib]);
        let closing = closing_speed(state, ia, ib, &workspace.radius) * dt + struck;
        let fall = (workspace.fall[ib] - workspace.fall[ia]).length();
        let reach = options.tuning.envelope * length + recycle + closing + fall;
        workspace.buffer.manifolds.clear();
        workspace.buffer.points.clear();
        collide(
            &model.shape[ia],
            &state.shape_pose(model, ia),
            &model.shape[ib],
            &state.shape_pose(model, ib),
            reach,
            &mut workspace.buffer,
        );
        let material = model
            .materials
            .between(model.material[ia], model.material[ib]);
        let (pose_a, pose_b) = (state.pose(ia), state.pose(ib));
        new.push_pair(
            (a, b),
            &pose_a,
            &pose_b,
            found_at,
            material,
            length,
            &workspace.buffer,
        );
        if let Some(pair) = before {
            new.inherit(&old.points[old.point_range(pair)]);
        }
    }
    state.contacts = new;
    workspace.contacts = old;
}

/// What the gaps and depths of two bodies are measured by: the length of the smaller one that
/// moves \[m\].
#[inline]
pub(crate) fn length_of(model: &Model, a: usize, b: usize) -> f64 {
    model.length[a].min(model.length[b])
}

/// Bound on the distance that a point of `b` has moved against `a` since `found_at` \[m\].
fn travelled(found_at: &Pose, now: &Pose, radius: f64) -> f64 {
    // |p - q| of two unit quaternions is half the angle between them, near enough
    let (p, q) = (found_at.rotation, now.rotation);
    let turn = (p - q).length().min((p + q).length());
    found_at.position.distance(now.position) + 2.0 * turn * radius
}

/// Largest speed at which points of the two bodies can near each other \[m/s\].
pub(crate) fn closing_speed(state: &State, a: usize, b: usize, radius: &[f64]) -> f64 {
    let straight = (state.linear_velocity[a] - state.linear_velocity[b]).length();
    straight + spin_speed(state, a, radius) + spin_speed(state, b, radius)
}

/// Bound on the approach speed along the `normal`, which points from `a` to `b` \[m/s\].
pub(crate) fn approach(state: &State, a: usize, b: usize, normal: Vec3, radius: &[f64]) -> f64 {
    let straight = normal.dot(state.linear_velocity[a] - state.linear_velocity[b]);
    straight.max(0.0) + spin_speed(state, a, radius) + spin_speed(state, b, radius)
}

/// Largest speed that its spin gives to a point of body `i` \[m/s\].
pub(crate) fn spin_speed(state: &State, i: usize, radius: &[f64]) -> f64 {
    // what does not turn may be without end
    match state.angular_velocity[i].length() {
        0.0 => 0.0,
        spin => spin * radius[i],
    }
}

/// Fills `workspace.near` with the sorted pairs whose boxes, grown by the envelope and the
/// motion of the step, overlap.
fn near_pairs(state: &State, model: &Model, tuning: &Tuning, workspace: &mut Workspace, dt: f64) {
    workspace.prepare(model);
    let margin = tuning.margin * workspace.typical_length;
    // half of what any question about two bodies begins at
    let least = 0.5 * tuning.turn.min(tuning.far).min(tuning.struck) * workspace.thinnest;
    let Workspace {
        boxes,
        axes,
        radius,
        broad,
        near,
        fall,
        struck,
        speed,
        brisk,
        ..
    } = workspace;
    boxes.clear();
    axes.clear();
    fall.clear();
    speed.clear();
    brisk.clear();
    for i in 0..model.len() {
        axes.push(Mat3::from_quat(state.rotation[i]));
        let tight = model.shape[i].aabb(&state.shape_pose(model, i));
        let envelope = if model.is_dynamic(i) {
            (tuning.envelope + tuning.recycle) * model.length[i]
        } else {
            0.0
        };
        let spin = spin_speed(state, i, radius);
        speed.push(state.linear_velocity[i].length() + spin);
        brisk.push(speed[i] * dt > least);
        let grow = envelope + spin * dt;
        let travel = state.linear_velocity[i] * dt;
        // what falls beside others does not near them: it is the ground that comes up
        let moves = model.is_dynamic(i) && !state.asleep[i];
        let push = if moves {
            state.acceleration(model, i)
        } else {
            Vec3::ZERO
        };
        fall.push((push - model.gravity) * dt * dt);
        boxes.push(Aabb {
            low: tight.low + travel.min(Vec3::ZERO) + fall[i].min(Vec3::ZERO) - Vec3::splat(grow),
            high: tight.high + travel.max(Vec3::ZERO) + fall[i].max(Vec3::ZERO) + Vec3::splat(grow),
        });
    }
    let may_pair = |a: u32, b: u32| model.is_dynamic(a as usize) || model.is_dynamic(b as usize);
    let mut look = |boxes: &[Aabb], near: &mut Vec<(u32, u32)>| {
        let wide = broad.update(boxes, Some(&state.present), may_pair, margin);
        near.clear();
        near.extend(
            wide.iter()
                .filter(|&&(a, b)| boxes[a as usize].overlaps(&boxes[b as usize])),
        );
    };
    look(boxes, near);
    let lengths = (&**radius, &**speed, &**brisk);
    if find_struck(struck, near, lengths, axes, state, model, tuning, dt) {
        for (own, &way) in brisk.iter_mut().zip(struck.iter()) {
            *own |= way > 0.0;
        }
        for (place, &way) in boxes.iter_mut().zip(struck.iter()) {
            place.low -= Vec3::splat(way);
            place.high += Vec3::splat(way);
        }
        look(boxes, near);
    }
}

/// How far each body may travel within the step because one of its neighbours strikes it \[m\], into
/// `struck`; returns whether any may. What stands beside the ground and is struck from above must have
/// the contact with the ground in the same step.
///
/// A blow at the speed `c` between masses `m` and `M` gives `m` at most `2 c M / (m + M)`. So fast may also be
/// the far end of a body that meets the ground with the other end first. Where a contact of the two is known
/// from the step before, `c` is along its normal.
fn find_struck(
    struck: &mut Vec<f64>,
    near: &[(u32, u32)],
    (radius, speed, brisk): (&[f64], &[f64], &[bool]),
    axes: &[Mat3],
    state: &State,
    model: &Model,
    tuning: &Tuning,
    dt: f64,
) -> bool {
    struck.clear();
    // a force pushes as a blow does
    struck.extend((0..model.len()).map(|i| {
        let way = state.force[i].length() * model.inverse_mass[i] * dt * dt;
        if way > tuning.struck * model.thickness[i] {
            way
        } else {
            0.0
        }
    }));
    let mut any = struck.iter().any(|&way| way > 0.0);
    let contacts = &state.contacts;
    let mut cursor = 0;
    for &(a, b) in near {
        let (ia, ib) = (a as usize, b as usize);
        if !brisk[ia] && !brisk[ib] {
            continue;
        }
        // less than that is a matter of the next step
        let least = tuning.struck * length_of(model, ia, ib);
        if (speed[ia] + speed[ib]) * dt <= least {
            continue;
        }
        while (contacts.pairs.get(cursor)).is_some_and(|pair| (pair.a, pair.b) < (a, b)) {
            cursor += 1;
        }
        let known = contacts.pairs.get(cursor);
        let known = known.filter(|pair| pair.count > 0 && (pair.a, pair.b) == (a, b));
        let (a, b) = (ia, ib);
        let (ma, mb) = (model.inverse_mass[a], model.inverse_mass[b]);
        let mut way = closing_speed(state, a, b, radius) * dt;
        if way > least
            && let Some(pair) = known
        {
            // what slides along the other does not strike it
            let found = pair.first as usize..(pair.first + pair.count) as usize;
            let speeds = contacts.patches[found].iter().map(|patch| {
                let normal = axes[a] * patch.normal_local;
                approach(state, a, b, normal, radius)
            });
            way = speeds.fold(0.0, f64::max) * dt;
        }
        if way > least {
            for (i, own, other) in [(a, ma, mb), (b, mb, ma)] {
                let carried = if other > 0.0 {
                    2.0 * own / (ma + mb)
                } else {
                    // the ground carries nothing on, but what strikes it tips over, unless it is a ball
                    f64::from(u8::from(own > 0.0 && !is_ball(&model.shape[i])))
                };
                struck[i] = struck[i].max(carried * way);
                any |= carried > 0.0;
            }
        }
    }
    any
}

fn is_ball(shape: &Shape) -> bool {
    matches!(shape, Shape::Sphere { .. })
}

/// Whether a manifold of this shape stays good under tiny motion. Round shapes roll off their
/// anchors, and are cheap to do again.
fn is_recyclable(shape: &Shape) -> bool {
    !matches!(shape, Shape::Sphere { .. } | Shape::Capsule { .. })
}

impl Workspace {
    /// Whether one of the two may be struck by a neighbour within the step: contacts that were found for
    /// less reach do not last then.
    fn may_be_struck(&self, a: usize, b: usize) -> bool {
        self.struck[a].max(self.struck[b]) > 0.0
    }

    /// Caches quantities of the model that detection needs in every step.
    fn prepare(&mut self, model: &Model) {
        if self.radius.len() == model.len() {
            return;
        }
        // the geometric mean, so that neither dust nor a mountain decides alone
        let moving = model.length.iter().filter(|t| t.is_finite());
        let (sum, count) = moving.fold((0.0, 0.0), |(sum, count), &t| (sum + ln(t), count + 1.0));
        self.typical_length = exp(sum / f64::max(count, 1.0));
        self.thinnest = model
            .thickness
            .iter()
            .fold(f64::INFINITY, |t, &own| t.min(own));
        for i in self.radius.len()..model.len() {
            // turning moves the core of what is round, and not its surface
            let (shape, offset) = (&model.shape[i], model.shape_offset[i]);
            let round = model.rounding[i].unwrap_or(0.0);
            let radius = shape.bounding_radius(-offset) - round;
            let radius = if model.is_dynamic(i) {
                radius
            } else {
                radius.min(1e3)
            };
            self.radius.push(radius);
            // a point x that is farthest along d comes nearer by |ω × x · d| ≤ |ω| |x × d|, and x · d is at least
            // the radius of the ball about the centre that fits into the shape
            let inner = match shape {
                Shape::Box { half } if offset == Vec3::ZERO => half.min_element(),
                _ => 0.0,
            };
            self.turning
                .push((radius * radius - inner * inner).max(0.0).sqrt());
            self.recyclable.push(is_recyclable(&model.shape[i]));
        }
    }
}

impl Contacts {
    /// Forgets everything but keeps the memory.
    pub fn clear(&mut self) {
        self.pairs.clear();
        self.patches.clear();
        self.points.clear();
    }

    /// Becomes the same as `other`, in the memory that is there.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.pairs.clone_from(&other.pairs);
        self.patches.clone_from(&other.patches);
        self.points.clone_from(&other.points);
    }

    /// Depth of the deepest point of `pair` at the last measurement, zero if none is inside \[m\].
    pub(crate) fn depth(&self, pair: &Pair) -> f64 {
        let found = pair.first as usize..(pair.first + pair.count) as usize;
        let patches = self.patches[found].iter();
        patches.fold(0.0, |depth, patch| f64::max(depth, -patch.distance))
    }

    /// Points of `pair`.
    fn point_range(&self, pair: &Pair) -> std::ops::Range<usize> {
        if pair.count == 0 {
            return 0..0;
        }
        let first = &self.patches[pair.first as usize];
        let last = &self.patches[(pair.first + pair.count - 1) as usize];
        first.first as usize..(last.first + last.count) as usize
    }

    /// Copies `pair` with its patches and points from `old`.
    fn keep(&mut self, pair: &Pair, old: &Self) {
        let points = old.point_range(pair);
        let shift = self.points.len() as u32;
        let base = points.start as u32;
        let patches = pair.first as usize..(pair.first + pair.count) as usize;
        self.pairs.push(Pair {
            first: self.patches.len() as u32,
            ..*pair
        });
        for patch in &old.patches[patches] {
            self.patches.push(Patch {
                first: patch.first - base + shift,
                ..*patch
            });
        }
        self.points.extend_from_slice(&old.points[points]);
        for point in &mut self.points[shift as usize..] {
            point.fresh = false;
        }
    }

    /// Adds a pair with what the narrow phase found; manifolds of more than four points become
    /// two patches, each with every other point so that both span the face.
    fn push_pair(
        &mut self,
        (a, b): (u32, u32),
        pose_a: &Pose,
        pose_b: &Pose,
        found_at: Pose,
        material: Material,
        length: f64,
        buffer: &ContactBuffer,
    ) {
        let first = self.patches.len() as u32;
        for manifold in &buffer.manifolds {
            let points =
                &buffer.points[manifold.first as usize..(manifold.first + manifold.count) as usize];
            let parts = points.len().div_ceil(4);
            for part in 0..parts {
                let start = self.points.len() as u32;
                for point in points.iter().skip(part).step_by(parts) {
                    self.points.push(Point {
                        anchor_a: pose_a.local_point(point.on_a),
                        anchor_b: pose_b.local_point(point.on_b),
                        position: 0.5 * (point.on_a + point.on_b),
                        distance: point.distance,
                        feature: point.feature,
                        impulse: Vec3::ZERO,
                        fresh: true,
                    });
                }
                self.patches.push(Patch {
                    a,
                    b,
                    normal_local: pose_a.local_direction(manifold.normal),
                    normal: manifold.normal,
                    friction: material.at_rest(),
                    restitution: material.restitution,
                    length,
                    distance: f64::INFINITY,
                    first: start,
                    count: self.points.len() as u32 - start,
                });
            }
        }
        self.pairs.push(Pair {
            a,
            b,
            first,
            count: self.patches.len() as u32 - first,
            found_at,
        });
    }

    /// Gives the points of the newest pair the impulses of the same features in `before`.
    fn inherit(&mut self, before: &[Point]) {
        let Some(pair) = self.pairs.last() else {
            return;
        };
        let range = self.point_range(pair);
        for point in &mut self.points[range] {
            if let Some(old) = before.iter().find(|old| old.feature == point.feature) {
                point.impulse = old.impulse;
                point.fresh = false;
            }
        }
    }

    /// Measures normals, positions and distances at the present poses; `axes` are the bodies'
    /// rotations as matrices.
    pub(crate) fn measure(&mut self, position: &[Vec3], axes: &[Mat3]) {
        for patch in &mut self.patches {
            let (a, b) = (patch.a as usize, patch.b as usize);
            patch.normal = axes[a] * patch.normal_local;
            patch.distance = f64::INFINITY;
            let range = patch.first as usize..(patch.first + patch.count) as usize;
            for point in &mut self.points[range] {
                let on_a = position[a] + axes[a] * point.anchor_a;
                let on_b = position[b] + axes[b] * point.anchor_b;
                point.distance = patch.normal.dot(on_b - on_a);
                point.position = 0.5 * (on_a + on_b);
                patch.distance = patch.distance.min(point.distance);
            }
        }
    }

    /// The points of `patch`.
    #[inline]
    pub fn points_of(&self, patch: &Patch) -> &[Point] {
        &self.points[patch.first as usize..(patch.first + patch.count) as usize]
    }

    /// Depth of the deepest point at the last measurement, zero if none is inside \[m\].
    pub fn deepest(&self) -> f64 {
        self.points
            .iter()
            .fold(0.0, |deepest, point| f64::max(deepest, -point.distance))
    }
}
