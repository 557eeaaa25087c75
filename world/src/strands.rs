//! The strands of a world: how they go along with its bodies, and what they do to them.
//!
//! Strands advance inside every step of the rigid bodies, after these, in so many steps of their own
//! that a frame has at least [`StrandOptions::steps_per_frame`](crate::StrandOptions) of them; each
//! strand halves those where its error asks for it. Every body is an obstacle along its motion: a
//! smooth path as it is, everything else in a straight line from the start to the end of the rigid
//! step. What strands exert on a body acts on it evenly over its next step.

use std::sync::Arc;

use drystone_base::random::Random;
use drystone_base::{Pose, Quat, Vec3};
use drystone_geometry::closest_point;
use drystone_rigid as rigid;
use drystone_strand::{self as strand, MotionPath, Report, System, energy};
use serde::{Deserialize, Serialize};

use crate::exchange::Exchange;
use crate::strand::build::{Built, Course, Ride, build};
use crate::{Body, FrameStrand, Material, Scene, SceneError, Strand};

/// All that moves about the strands of a world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StrandSnapshot {
    /// Joints, rates and what the next step needs of the last ones.
    pub state: strand::State,
    /// Paths that became known step by step: of references and of anchors.
    pub paths: [Vec<MotionPath>; 2],
    /// Force and torque that the next rigid step applies to each body [N], [N m].
    pub loads: Vec<[Vec3; 2]>,
}

/// Where a body is put that is not there: too far for anything to meet it [m].
const AWAY: Vec3 = Vec3::new(0.0, -1e7, 0.0);

/// What of a curve stays the same in all frames.
struct Look {
    name: Arc<str>,
    /// At every point [m].
    radii: Arc<[f64]>,
    colour: Option<[f64; 3]>,
}

/// The strands of a world, coupled to its bodies.
pub(crate) struct Strands {
    pub(crate) system: System,
    courses: Vec<Course>,
    bases: Vec<Ride>,
    references: Vec<Ride>,
    anchors: Vec<Ride>,
    /// Steps of the strands in one of the bodies.
    pub(crate) substeps: u32,
    /// Of every curve, by strand.
    looks: Vec<Vec<Look>>,
    pub(crate) rest_shapes: Vec<strand::RestShape>,
    loads: Vec<[Vec3; 2]>,
    /// How much of a new load on each body counts at once [1].
    eagerness: Vec<f64>,
    /// Bodies that strands pass through.
    passable: Vec<bool>,
    /// Where the shape of each body is now.
    poses: Vec<Pose>,
    /// Since the world was made.
    pub(crate) total: Report,
    /// Of the last step.
    pub(crate) last: Report,
}

impl Strands {
    /// The strands of an expanded `scene`, or none.
    pub(crate) fn new(scene: &Scene, rigid: &rigid::System) -> Result<Option<Self>, SceneError> {
        if scene.strands.is_empty() {
            return Ok(None);
        }
        let Built {
            model,
            courses,
            bases,
            references,
            anchors,
            grooms,
        } = build(scene, &scene.strands, &scene.bodies, &rigid.model.shape)?;
        let mut system = System::new(model, scene.strand_solver.clone())?;
        let rest_shapes = grooms
            .iter()
            .map(|&(i, repair)| system.adapt_rest_shape(i, repair))
            .collect();
        for (i, strand) in scene.strands.iter().enumerate() {
            if strand.kick > 0.0 {
                kick(&mut system, i, strand.kick, scene.seed.into());
            }
        }
        let looks = scene.strands.iter().zip(&system.model.chains);
        let looks = looks
            .map(|(strand, chain)| looks_of(strand, chain))
            .collect();
        let count = scene.bodies.len();
        let steps = scene.steps_per_frame();
        let mut strands = Self {
            substeps: scene.strand_solver.steps_per_frame.div_ceil(steps),
            eagerness: vec![1.0; count],
            loads: vec![[Vec3::ZERO; 2]; count],
            passable: scene.bodies.iter().map(|body| body.passable).collect(),
            poses: poses(rigid),
            system,
            courses,
            bases,
            references,
            anchors,
            looks,
            rest_shapes,
            total: Report::default(),
            last: Report::default(),
        };
        strands.weigh(&rigid.model);
        strands.set_out(rigid);
        strands.place_obstacles(&rigid.state);
        Ok(Some(strands))
    }

    /// How eagerly each body takes the loads on its strands' bases: so that a strand heavier than its
    /// body, whose answer comes a step late, is not answered with ever larger steps. A load that
    /// lasts is taken in full.
    fn weigh(&mut self, model: &rigid::Model) {
        for ride in &self.bases {
            if !model.is_dynamic(ride.body) {
                continue;
            }
            let (i, b) = (ride.of, ride.body);
            let mass: f64 = self.system.properties(i).links.iter().map(|l| l.mass).sum();
            let chain = &self.system.model.chains[i];
            let inertia = &model.inertia_local[b];
            let least = inertia.xx.min(inertia.yy).min(inertia.zz);
            // how light the body is where the strand begins, and against being turned by it
            let root = chain.joint.first().copied().unwrap_or(Vec3::ZERO);
            let lever = (root + model.shape_offset[b]).length_squared();
            let free = chain.cell.first().is_some_and(|cell| cell.is_infinite());
            let arm = if free {
                0.0
            } else {
                chain.reach * chain.reach / 3.0
            };
            let ratio = mass * (1.0 / model.mass[b] + (lever + arm) / least);
            self.eagerness[b] = 1.0 / (1.0 / self.eagerness[b] + ratio);
        }
    }

    /// Strands on a body that moves at the start move with it.
    fn set_out(&mut self, rigid: &rigid::System) {
        let (state, system) = (&rigid.state, &mut self.system);
        for ride in &self.bases {
            let (b, chain) = (ride.body, &mut system.model.chains[ride.of]);
            let (v, w) = (state.linear_velocity[b], state.angular_velocity[b]);
            let driven = matches!(self.courses[b], Course::Driven(_));
            if !driven || (v == Vec3::ZERO && w == Vec3::ZERO) {
                continue;
            }
            // for a moment the base is on a path through now, from which the strand starts
            let (centre, now) = (state.position[b], self.poses[b]);
            let key = |k: i32| {
                let time = 1e-3 * f64::from(k);
                let turn = drystone_base::functions::rotation_vector(w * time);
                let place = centre + v * time + turn * (now.position - centre);
                let pose = Pose::new(place, turn * now.rotation);
                strand::Key { time, pose }
            };
            let keys: Vec<strand::Key> = (-3..=3).map(key).collect();
            if let Ok(path) = MotionPath::through(&keys) {
                let still = std::mem::replace(&mut chain.base.path, path);
                system.state.strands[ride.of].restart(chain, 0.0);
                chain.base.path = still;
            }
        }
    }

    /// Obstacles where the bodies are, out of the way where these are not there.
    fn place_obstacles(&mut self, state: &rigid::State) {
        for (k, pose) in self.system.state.obstacle_pose.iter_mut().enumerate() {
            if !state.present[k] || self.passable[k] {
                *pose = Pose::at(AWAY);
            }
        }
    }

    /// What the strands exert on the bodies goes into the forces of their next step.
    pub(crate) fn push_bodies(&self, rigid: &mut rigid::System) {
        for (i, [force, torque]) in self.loads.iter().enumerate() {
            if *force != Vec3::ZERO || *torque != Vec3::ZERO {
                rigid.state.force[i] += *force;
                rigid.state.torque[i] += *torque;
            }
        }
    }

    /// Force [N] and torque [N m] that the strands exert on body `i` over its next step.
    pub(crate) fn load(&self, i: usize) -> [Vec3; 2] {
        self.loads[i]
    }

    /// Follows the bodies, which have just taken a step of `dt`.
    pub(crate) fn follow(&mut self, rigid: &rigid::System, dt: f64, exchange: &mut Exchange) {
        let (start, end) = (self.system.state.time, rigid.state.time);
        let before = std::mem::replace(&mut self.poses, poses(rigid));
        let mut report = Report::default();
        let mut impulses = vec![[Vec3::ZERO; 2]; self.loads.len()];
        for k in 1..=self.substeps {
            let u = f64::from(k) / f64::from(self.substeps);
            let time = if k == self.substeps {
                end
            } else {
                start + (end - start) * u
            };
            self.drive(&rigid.state, &before, u, time);
            report.add(&self.system.step(time - self.system.state.time));
            self.system.state.time = time;
            self.gather(rigid, &mut impulses);
        }
        for (i, &impulse) in impulses.iter().enumerate() {
            exchange.give(i, impulse, dt);
        }
        self.tighten(rigid, dt, &mut impulses);
        self.answer(rigid, dt, &impulses);
        self.total.add(&report);
        self.last = report;
    }

    /// Sends obstacles, bases, references and anchors to where the bodies are at `time`, the part `u`
    /// of the rigid step that led from `before` to the present.
    fn drive(&mut self, state: &rigid::State, before: &[Pose], u: f64, time: f64) {
        let Self {
            system,
            courses,
            poses,
            passable,
            ..
        } = self;
        let at = |body: usize| match &courses[body] {
            Course::Still(pose) => *pose,
            Course::Smooth(path) => path.pose(time),
            Course::Driven(_) if u == 1.0 => poses[body],
            Course::Driven(_) => between(&before[body], &poses[body], u),
        };
        for k in 0..system.model.obstacles.len() {
            let away = system.state.obstacle_pose[k].position == AWAY;
            if !state.present[k] || passable[k] {
                system.state.obstacle_pose[k] = Pose::at(AWAY);
                system.state.obstacle_target[k] = Some(Pose::at(AWAY));
            } else {
                if away {
                    system.state.obstacle_pose[k] = before[k];
                }
                if let Course::Driven(_) = courses[k] {
                    system.state.obstacle_target[k] = Some(at(k));
                }
            }
        }
        let driven = |ride: &&Ride| matches!(courses[ride.body], Course::Driven(_));
        for ride in self.bases.iter().filter(driven) {
            system.drive_base(ride.of, time, at(ride.body));
        }
        for ride in self.references.iter().filter(driven) {
            let base = &mut system.model.chains[ride.of].base;
            let pose = at(ride.body);
            let key = strand::Key { time, pose };
            base.reference = base.reference.take().map(|path| path.driven_to(key));
        }
        for ride in &self.anchors {
            let pose = at(ride.body).then(&ride.local);
            if let Some(path) = anchor(&mut system.model.constraints[ride.of]) {
                *path = path.driven_to(strand::Key { time, pose });
            }
        }
    }

    /// Adds up what the last step of the strands exerted on the bodies.
    fn gather(&self, rigid: &rigid::System, impulses: &mut [[Vec3; 2]]) {
        let (model, state) = (&rigid.model, &rigid.state);
        for ride in self.bases.iter().filter(|r| model.is_dynamic(r.body)) {
            let base = self.system.base(ride.of).position;
            let [push, turn] = self.system.state.strands[ride.of].base_impulse;
            let lever = base - state.position[ride.body];
            impulses[ride.body][0] -= push;
            impulses[ride.body][1] -= turn + lever.cross(push);
        }
        // contacts, impacts, and holds that are anchored on a body
        let strands = self.system.state.strands.iter();
        for reaction in strands.flat_map(|strand| &strand.reactions) {
            let body = match reaction.source {
                strand::Source::Obstacle(i) => Some(i),
                // what a taut strand pulls is found when it is tightened: until then its base holds it
                strand::Source::Constraint(c) => {
                    let ride = self.anchors.iter().find(|ride| ride.of == c);
                    ride.and_then(|ride| match self.taut(ride) {
                        None => Some(ride.body),
                        Some(_) => self.carrier(c),
                    })
                }
            };
            let Some(i) = body.filter(|&i| i < model.len() && model.is_dynamic(i)) else {
                continue;
            };
            let about = state.position[i].cross(reaction.impulse);
            impulses[i][0] -= reaction.impulse;
            impulses[i][1] -= reaction.angular_impulse - about;
        }
    }

    /// Where the strand of an anchor begins, where the anchor is, and how far that is beyond the strand's
    /// reach, if it is [m].
    fn taut(&self, ride: &Ride) -> Option<(Vec3, Vec3, f64)> {
        let system = &self.system;
        let constraint = &system.model.constraints[ride.of];
        let at = match &constraint.hold {
            strand::Hold::Point { at, .. } => *at,
            strand::Hold::Pose { at, .. } => at.position,
            strand::Hold::Joint { .. } => return None,
        };
        let chain = &system.model.chains[constraint.strand];
        let on = system.state.constraint_on.get(ride.of) == Some(&true);
        if chain.extensible || !on || constraint.active.at(system.state.time) <= 0.0 {
            return None;
        }
        let (root, reach) = chain.reach_of(constraint.hold.link(), at);
        let root = system.base(constraint.strand).point(root);
        let anchor = self.poses[ride.body].point(ride.local.position);
        let beyond = (anchor - root).length() - 0.999 * reach;
        (beyond > 0.0).then_some((root, anchor, beyond))
    }

    /// The body that carries the strand of a constraint, if one does.
    fn carrier(&self, constraint: usize) -> Option<usize> {
        let strand = self.system.model.constraints[constraint].strand;
        let base = self.bases.iter().find(|base| base.of == strand);
        base.map(|base| base.body)
    }

    /// A strand that does not stretch lets a body on which it is anchored go no farther than it reaches:
    /// what stops it there, and brings it back by a fifth of the way, it feels; what carries the strand
    /// feels the opposite.
    fn tighten(&self, rigid: &rigid::System, dt: f64, impulses: &mut [[Vec3; 2]]) {
        let (model, state) = (&rigid.model, &rigid.state);
        for ride in &self.anchors {
            let Some((root, anchor, beyond)) = self.taut(ride) else {
                continue;
            };
            let along = (anchor - root).normalize_or_zero();
            let mut ends = vec![(ride.body, anchor, 1.0)];
            ends.extend(self.carrier(ride.of).map(|body| (body, root, -1.0)));
            // how fast they part, and how heavy both are against that
            let (mut speed, mut light) = (0.0, 0.0);
            for &(i, place, sign) in &ends {
                let lever = place - state.position[i];
                let velocity = state.linear_velocity[i] + state.angular_velocity[i].cross(lever);
                speed += sign * along.dot(velocity);
                if model.is_dynamic(i) {
                    let inertia = &model.inertia_local[i];
                    let least = inertia.xx.min(inertia.yy).min(inertia.zz);
                    light += 1.0 / model.mass[i] + along.cross(lever).length_squared() / least;
                }
            }
            let wanted = speed + 0.2 * beyond / dt;
            if light > 0.0 && wanted > 0.0 {
                for &(i, place, sign) in &ends {
                    let push = along * (-sign * wanted / light);
                    impulses[i][0] += push;
                    impulses[i][1] += (place - state.position[i]).cross(push);
                }
            }
        }
    }

    /// Turns impulses into the loads of the next rigid step.
    fn answer(&mut self, rigid: &rigid::System, dt: f64, impulses: &[[Vec3; 2]]) {
        let (model, state) = (&rigid.model, &rigid.state);
        for (i, load) in self.loads.iter_mut().enumerate() {
            if !model.is_dynamic(i) || !state.present[i] {
                continue;
            }
            for part in 0..2 {
                let new = impulses[i][part] / dt;
                let next = load[part] + (new - load[part]) * self.eagerness[i];
                load[part] = if next.is_finite() { next } else { Vec3::ZERO };
            }
        }
    }

    /// Every curve as it is now.
    pub(crate) fn frame(&self) -> Vec<FrameStrand> {
        let mut list = Vec::new();
        for (i, looks) in self.looks.iter().enumerate() {
            let (points, frames) = (self.system.points(i), self.system.frames(i));
            for ((points, orientations), look) in points.into_iter().zip(frames).zip(looks) {
                list.push(FrameStrand {
                    name: look.name.clone(),
                    points,
                    orientations,
                    radii: look.radii.clone(),
                    colour: look.colour,
                });
            }
        }
        list
    }

    /// How deep the surface of a strand is in a body, at most, anywhere along it [m].
    pub(crate) fn deepest(&self) -> f64 {
        let mut deepest = 0.0f64;
        let state = &self.system.state;
        let solids = self.system.model.obstacles.iter().zip(&state.obstacle_pose);
        let solids: Vec<_> = solids.filter(|(_, pose)| pose.position != AWAY).collect();
        if solids.is_empty() {
            return 0.0;
        }
        for i in 0..self.system.model.len() {
            let links = self.system.links(i);
            for (link, own) in links.iter().zip(&self.system.properties(i).links) {
                for (obstacle, pose) in &solids {
                    let off =
                        |p: Vec3| closest_point(&obstacle.shape, pose, p).distance - own.radius;
                    // nearer than half a segment at its middle, or not at all
                    let middle = off(link.centre);
                    if middle > own.half {
                        continue;
                    }
                    let part = |u: f64| off(link.pivot + (link.tip - link.pivot) * u);
                    let least = [0.25, 0.75, 1.0]
                        .map(part)
                        .into_iter()
                        .fold(middle, f64::min);
                    deepest = deepest.max(-least);
                }
            }
        }
        deepest
    }

    /// Points of strands that touch a body.
    pub(crate) fn contacts(&self) -> usize {
        let strands = self.system.state.strands.iter();
        strands.map(|strand| strand.contacts.len()).sum()
    }

    /// Of all strands [kg].
    pub(crate) fn mass(&self) -> f64 {
        let of = |i| self.system.properties(i).links.iter().map(|link| link.mass);
        (0..self.system.model.len()).flat_map(of).sum()
    }

    pub(crate) fn kinetic_energy(&self) -> f64 {
        energy::kinetic_energy(&self.system)
    }

    /// Of weight, and of bent, twisted and stretched joints [J].
    pub(crate) fn potential_energy(&self) -> f64 {
        energy::potential_energy(&self.system) + energy::elastic_energy(&self.system)
    }

    pub(crate) fn snapshot(&self) -> StrandSnapshot {
        let chain = |ride: &Ride| &self.system.model.chains[ride.of].base;
        let references = self
            .references
            .iter()
            .filter_map(|r| chain(r).reference.clone());
        let held =
            |ride: &Ride| anchor(&mut self.system.model.constraints[ride.of].clone()).cloned();
        StrandSnapshot {
            state: self.system.state.clone(),
            paths: [
                references.collect(),
                self.anchors.iter().filter_map(held).collect(),
            ],
            loads: self.loads.clone(),
        }
    }

    /// Goes on from `snapshot`; [`Self::settle_in`] is to follow once the bodies are restored.
    pub(crate) fn restore(&mut self, snapshot: &StrandSnapshot) -> Result<(), SceneError> {
        let counts = [&self.references, &self.anchors].map(Vec::len);
        let found = snapshot.paths.each_ref().map(Vec::len);
        if found != counts || snapshot.loads.len() != self.loads.len() {
            let wanted = "a state as `snapshot` makes it";
            return Err(SceneError::value("snapshot", "strands", "damaged", wanted));
        }
        self.system.restore(snapshot.state.clone())?;
        let [references, anchors] = &snapshot.paths;
        for (ride, path) in self.references.iter().zip(references) {
            self.system.model.chains[ride.of].base.reference = Some(path.clone());
        }
        for (ride, path) in self.anchors.iter().zip(anchors) {
            if let Some(slot) = anchor(&mut self.system.model.constraints[ride.of]) {
                *slot = path.clone();
            }
        }
        self.loads.clone_from(&snapshot.loads);
        Ok(())
    }

    /// Takes note of where the bodies are, after these have been put somewhere else.
    pub(crate) fn settle_in(&mut self, rigid: &rigid::System) {
        self.poses = poses(rigid);
    }

    /// Makes a body that has just been added an obstacle.
    pub(crate) fn add_body(
        &mut self,
        body: &Body,
        material: &Material,
        rigid: &rigid::System,
    ) -> Result<(), SceneError> {
        let (pose, last) = (body.pose(), rigid.model.len() - 1);
        self.system.model.add_obstacle(strand::Obstacle {
            name: body.name.clone(),
            shape: rigid.model.shape[last].clone(),
            path: MotionPath::fixed(pose),
            static_friction: material.friction,
            dynamic_friction: material.friction,
            restitution: material.restitution,
        })?;
        self.system.state.obstacle_pose.push(Pose::at(AWAY));
        self.system.state.obstacle_target.push(None);
        self.courses.push(Course::Driven(pose));
        self.eagerness.push(1.0);
        self.passable.push(body.passable);
        self.loads.push([Vec3::ZERO; 2]);
        self.poses = poses(rigid);
        Ok(())
    }
}

/// Turns every joint of strand `i` at random by up to `angle` about each axis [rad].
fn kick(system: &mut System, i: usize, angle: f64, seed: u64) {
    let mut random =
        Random::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (0x6B1C << 16) ^ i as u64);
    let strand = &system.state.strands[i];
    let turned = strand.rotation.iter().map(|q| {
        let mut part = || random.range(-angle, angle);
        *q * drystone_base::functions::rotation_vector(Vec3::new(part(), part(), part()))
    });
    let (turned, still): (Vec<Quat>, Vec<Vec3>) = turned.map(|q| (q, Vec3::ZERO)).unzip();
    system.set_joints(i, &turned, &still);
}

/// The path that a constraint follows in the world, if it does.
fn anchor(constraint: &mut strand::Constraint) -> Option<&mut MotionPath> {
    match &mut constraint.hold {
        strand::Hold::Point { to, .. } | strand::Hold::Pose { to, .. } => match to {
            strand::Anchor::World(path) => Some(path),
            _ => None,
        },
        strand::Hold::Joint { .. } => None,
    }
}

/// Where the shape of every body is.
fn poses(rigid: &rigid::System) -> Vec<Pose> {
    let pose = |i| rigid.state.shape_pose(&rigid.model, i);
    (0..rigid.model.len()).map(pose).collect()
}

/// The part `u` of the way from `a` to `b`.
fn between(a: &Pose, b: &Pose, u: f64) -> Pose {
    let near = if a.rotation.dot(b.rotation) < 0.0 {
        -b.rotation
    } else {
        b.rotation
    };
    // angles within a step are small: the chord will do
    let turn = (a.rotation * (1.0 - u) + near * u).normalize();
    Pose::new(a.position + (b.position - a.position) * u, turn)
}

/// What of the curves of a strand stays the same in all frames.
fn looks_of(strand: &Strand, chain: &strand::Chain) -> Vec<Look> {
    let curves = chain.parameters.iter().enumerate();
    let look = |(c, parameters): (usize, &strand::Parameters)| {
        let name: Arc<str> = match c {
            0 => strand.name.as_str().into(),
            c => format!("{}/{c}", strand.name).into(),
        };
        let links = (0..chain.len()).filter(|&j| chain.source[j].0 == c);
        let mut links: Vec<usize> = links.collect();
        links.sort_by_key(|&j| chain.source[j].1);
        let joints = links.iter().map(|&j| chain.at_joint[j]).chain([1.0]);
        let radii: Vec<f64> = joints.map(|s| parameters.radius.at(s, 0.0)).collect();
        Look {
            name,
            radii: radii.into(),
            colour: strand.colour,
        }
    };
    curves.map(look).collect()
}
