//! The strands of a world: how they go along with its bodies, and what they do to them.
//!
//! Strands advance inside every step of the rigid bodies, after these, in so many steps of their own
//! that a frame has at least [`StrandOptions::steps_per_frame`](crate::StrandOptions) of them; each
//! strand halves those where its error asks for it. Every body is an obstacle along its motion: a
//! smooth path as it is, everything else in a straight line from the start to the end of the rigid
//! step. A body that forces move is not followed but takes part (`coupling`).

use std::collections::BTreeMap;
use std::sync::Arc;

use drystone_base::random::Random;
use drystone_base::{Pose, Quat, Stopwatch, Vec3};
use drystone_common::MotionPath;
use drystone_geometry::closest_point;
use drystone_rigid as rigid;
use drystone_strand::{self as strand, Report, System, energy};
use serde::{Deserialize, Serialize};

use crate::coupling::{ContactImpulse, motion};
use crate::strand::build::{Attacher, Attachment, BodyMotion, Built, build, link_of};
use crate::tie::Tie;
use crate::touch::Touchable;
use crate::{Anchor, Base, Body, FrameStrand, Material, Scene, SceneError, Strand};

/// All that moves about the strands of a world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StrandSnapshot {
    /// Joints, rates and what the next step needs of the last ones.
    pub state: strand::State,
    /// Paths that became known step by step: of references and of anchors.
    pub paths: [Vec<MotionPath>; 2],
    /// What contacts with other bodies gave each rigid body of the strand system over the last step.
    pub impulses: Vec<ContactImpulse>,
    /// Impulse and moment that each tie to cloth is to expect in the next step \[N s\], \[N m s\].
    #[serde(default)]
    pub tie_loads: Vec<[Vec3; 2]>,
    /// The same for each segment that may touch cloth.
    #[serde(default)]
    pub segment_loads: Vec<[Vec3; 2]>,
    /// Numbers of those of them that cloth may meet in this step.
    #[serde(default)]
    pub near: Vec<usize>,
}

/// Position of the obstacles of absent bodies, out of reach of everything \[m\].
pub(crate) const AWAY: Vec3 = Vec3::new(0.0, -1e7, 0.0);

/// Appearance of a curve, which is the same in all frames.
#[derive(Clone)]
struct Appearance {
    name: Arc<str>,
    /// Radius at every point \[m\].
    radii: Arc<[f64]>,
    colour: Option<[f64; 3]>,
}

/// The strands of a world, coupled to its bodies.
pub(crate) struct Strands {
    pub(crate) system: System,
    pub(crate) body_motions: Vec<BodyMotion>,
    bases: Vec<Attachment>,
    references: Vec<Attachment>,
    anchors: Vec<Attachment>,
    /// Steps of the strands in one of the bodies.
    pub(crate) substeps: u32,
    /// Appearance of every curve, by strand.
    appearances: Vec<Vec<Appearance>>,
    pub(crate) rest_shapes: Vec<strand::RestShape>,
    /// By body: its index among the bodies of the strand system, for those that forces move.
    pub(crate) links: Vec<Option<usize>>,
    /// Impulses of contacts with other bodies on each of those over the last step.
    pub(crate) impulses: Vec<ContactImpulse>,
    /// Motion of those bodies before their last step; written by `begin_step`.
    pub(crate) begun: Vec<strand::BodyMotion>,
    /// Vertices of cloth that go with strands, and the impulse that is foretold to each for its next step \[N s\].
    pub(crate) ties: Vec<Tie>,
    pub(crate) tie_loads: Vec<[Vec3; 2]>,
    /// Segments that may touch cloth, in order; written by `list_touchable`.
    pub(crate) touchable: Vec<Touchable>,
    /// By their number: impulse and moment that is foretold to each for its next step \[N s\], \[N m s\].
    pub(crate) segment_loads: Vec<[Vec3; 2]>,
    /// Their motion before their last step; written by `begin_touching`.
    pub(crate) begun_segments: Vec<strand::BodyMotion>,
    /// Numbers of those that cloth may meet in this step, rising.
    pub(crate) near: Vec<usize>,
    /// Bodies that strands pass through.
    pub(crate) passable: Vec<bool>,
    /// Pose of the shape of each body now.
    pub(crate) poses: Vec<Pose>,
    /// Whether the bodies have taken a step that the strands have not.
    pub(crate) behind: bool,
    /// Since the world was made.
    pub(crate) total: Report,
    /// Report of the last step.
    pub(crate) last: Report,
}

impl Strands {
    /// The strands of an expanded `scene`, or none.
    pub(crate) fn new(scene: &Scene, rigid: &rigid::System) -> Result<Option<Self>, SceneError> {
        match scene.strands.is_empty() {
            true => Ok(None),
            false => Self::of(scene, rigid).map(Some),
        }
    }

    /// The strands of an expanded `scene`, be there any or not.
    fn of(scene: &Scene, rigid: &rigid::System) -> Result<Self, SceneError> {
        let Built {
            model,
            body_motions,
            bases,
            references,
            anchors,
            links,
            ties,
            grooms,
        } = build(scene, &scene.strands, &scene.bodies, Some(&rigid.model))?;
        let mut system = System::new(model, scene.solver.strand.clone())?;
        let rest_shapes = grooms
            .iter()
            .map(|&(i, repair)| system.adapt_rest_shape(i, repair))
            .collect();
        for (i, strand) in scene.strands.iter().enumerate() {
            if strand.kick > 0.0 {
                kick(&mut system, i, strand.kick, scene.seed.into());
            }
        }
        let appearances = scene.strands.iter().zip(&system.model.chains);
        let appearances = appearances
            .map(|(strand, chain)| appearances_of(strand, chain))
            .collect();
        let mut strands = Self {
            substeps: scene.strand_steps(),
            impulses: vec![ContactImpulse::default(); system.model.bodies.len()],
            links,
            begun: Vec::new(),
            tie_loads: vec![[Vec3::ZERO; 2]; ties.len()],
            ties,
            touchable: Vec::new(),
            segment_loads: Vec::new(),
            begun_segments: Vec::new(),
            near: Vec::new(),
            passable: scene.bodies.iter().map(|body| body.passable).collect(),
            poses: poses(rigid),
            system,
            body_motions,
            bases,
            references,
            anchors,
            appearances,
            rest_shapes,
            behind: false,
            total: Report::default(),
            last: Report::default(),
        };
        strands.set_out(rigid);
        strands.place_obstacles(&rigid.state);
        if !scene.cloths.is_empty() {
            strands.list_touchable(&scene.strands, 0);
        }
        Ok(strands)
    }

    /// No strands, with the bodies of an expanded `scene` as obstacles where these are now.
    pub(crate) fn none_yet(scene: &Scene, rigid: &rigid::System) -> Result<Self, SceneError> {
        let mut strands = Self::of(scene, rigid)?;
        strands.system.state.time = rigid.state.time;
        strands
            .system
            .state
            .obstacle_pose
            .clone_from(&strands.poses);
        strands.place_obstacles(&rigid.state);
        Ok(strands)
    }

    /// Strands on a body that moves at the start move with it.
    fn set_out(&mut self, rigid: &rigid::System) {
        let (state, system) = (&rigid.state, &mut self.system);
        for (i, link) in self.links.iter().enumerate() {
            if let Some(k) = link {
                system.start_body(*k, &motion(state, i));
            }
        }
        for tie in &self.ties {
            let motion = strand::BodyMotion {
                pose: Pose::at(tie.place),
                linear_velocity: tie.velocity,
                angular_velocity: Vec3::ZERO,
            };
            system.start_body(tie.link, &motion);
        }
        for k in 0..self.bases.len() {
            self.start_on(k, rigid);
        }
    }

    /// Lets the strand of attachment `k`, which starts now, move with the body that it follows.
    fn start_on(&mut self, k: usize, rigid: &rigid::System) {
        let (state, system, attachment) = (&rigid.state, &mut self.system, &self.bases[k]);
        let (b, chain, t) = (
            attachment.body,
            &mut system.model.chains[attachment.of],
            state.time,
        );
        let (v, w) = (state.linear_velocity[b], state.angular_velocity[b]);
        let driven = matches!(self.body_motions[b], BodyMotion::Driven);
        if !driven || (v == Vec3::ZERO && w == Vec3::ZERO) {
            return;
        }
        // for a moment the base is on a path through now, from which the strand starts
        let (centre, now) = (state.position[b], self.poses[b]);
        let key = |k: i32| {
            let time = 1e-3 * f64::from(k);
            let turn = drystone_base::functions::rotation_vector(w * time);
            let place = centre + v * time + turn * (now.position - centre);
            let pose = Pose::new(place, turn * now.rotation);
            strand::Key::new(t + time, pose)
        };
        let keys: Vec<strand::Key> = (-3..=3).map(key).collect();
        if let Ok(path) = MotionPath::smooth(&keys) {
            let still = std::mem::replace(&mut chain.base.path, path);
            system.state.strands[attachment.of].restart(chain, t);
            chain.base.path = still;
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

    /// Follows the bodies, which have just taken a step.
    pub(crate) fn follow(&mut self, rigid: &rigid::System) {
        let (start, end) = (self.system.state.time, rigid.state.time);
        let before = std::mem::replace(&mut self.poses, poses(rigid));
        let (watch, mut report) = (Stopwatch::start(), Report::default());
        for k in 1..=self.substeps {
            let u = f64::from(k) / f64::from(self.substeps);
            let time = if k == self.substeps {
                end
            } else {
                start + (end - start) * u
            };
            self.drive(&rigid.state, &before, u, time);
            report.add(&self.system.advance(time - self.system.state.time));
            self.system.state.time = time;
        }
        report.seconds = watch.seconds();
        self.total.add(&report);
        self.last = report;
    }

    /// Sends obstacles, bases, references and anchors to where the bodies are at `time`, the part `u`
    /// of the rigid step that led from `before` to the present.
    pub(crate) fn drive(&mut self, state: &rigid::State, before: &[Pose], u: f64, time: f64) {
        let Self {
            system,
            body_motions,
            poses,
            passable,
            ..
        } = self;
        let at = |body: usize| match &body_motions[body] {
            BodyMotion::Still(pose) => *pose,
            BodyMotion::Smooth(path) => path.pose(time),
            BodyMotion::Driven if u == 1.0 => poses[body],
            BodyMotion::Driven => between(&before[body], &poses[body], u),
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
                if let BodyMotion::Driven = body_motions[k] {
                    system.state.obstacle_target[k] = Some(at(k));
                }
            }
        }
        let driven =
            |attachment: &&Attachment| matches!(body_motions[attachment.body], BodyMotion::Driven);
        for attachment in self.bases.iter().filter(driven) {
            system.drive_base(attachment.of, time, at(attachment.body));
        }
        for attachment in self.references.iter().filter(driven) {
            let base = &mut system.model.chains[attachment.of].base;
            let pose = at(attachment.body);
            base.reference = base.reference.take().map(|path| path.driven_to(time, pose));
        }
        for attachment in &self.anchors {
            let pose = at(attachment.body).then(&attachment.local);
            if let Some(path) = anchor(&mut system.model.constraints[attachment.of]) {
                *path = path.driven_to(time, pose);
            }
        }
    }

    /// Every curve as it is now.
    pub(crate) fn frame(&self) -> Vec<FrameStrand> {
        let mut list = Vec::new();
        for (i, appearances) in self.appearances.iter().enumerate() {
            let (points, frames) = (self.system.points(i), self.system.frames(i));
            for ((points, orientations), appearance) in
                points.into_iter().zip(frames).zip(appearances)
            {
                list.push(FrameStrand {
                    name: appearance.name.clone(),
                    points,
                    orientations,
                    radii: appearance.radii.clone(),
                    colour: appearance.colour,
                });
            }
        }
        list
    }

    /// Deepest penetration of any strand into a body, or into another strand where they touch \[m\]. Expensive: tests every
    /// segment.
    pub(crate) fn deepest(&self) -> f64 {
        let state = &self.system.state;
        let touching = state.strands.iter().flat_map(|s| &s.strand_contacts);
        let mut deepest = touching.fold(0.0f64, |most, contact| most.max(-contact.gap));
        let solids = self.system.model.obstacles.iter().zip(&state.obstacle_pose);
        let solids: Vec<_> = solids.filter(|(_, pose)| pose.position != AWAY).collect();
        if solids.is_empty() {
            return deepest;
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

    /// Points of strands that touch a body or a strand.
    pub(crate) fn contacts(&self) -> usize {
        let strands = self.system.state.strands.iter();
        strands
            .map(|strand| strand.contacts.len() + strand.strand_contacts.len())
            .sum()
    }

    /// Mass of all strands \[kg\].
    pub(crate) fn mass(&self) -> f64 {
        let of = |i| self.system.properties(i).links.iter().map(|link| link.mass);
        let strands: f64 = (0..self.system.model.len()).flat_map(of).sum();
        strands + self.tied().map(|(mass, _)| mass).sum::<f64>()
    }

    /// Whether vertices of cloth go with strands.
    pub(crate) fn is_tied(&self) -> bool {
        !self.ties.is_empty()
    }

    /// Mass and motion of every vertex of cloth that goes with strands.
    pub(crate) fn tied(&self) -> impl Iterator<Item = (f64, strand::BodyMotion)> + '_ {
        let system = &self.system;
        let bodies = self.ties.iter();
        bodies.map(|tie| {
            (
                system.model.bodies[tie.link].body.mass,
                system.body(tie.link),
            )
        })
    }

    /// Of strands, and of the vertices of cloth that go with them \[J\].
    pub(crate) fn kinetic_energy(&self) -> f64 {
        let tied = self.tied();
        let tied = tied.map(|(mass, own)| 0.5 * mass * own.linear_velocity.length_squared());
        energy::kinetic_energy(&self.system) + tied.sum::<f64>()
    }

    /// Likewise \[kg m/s\].
    pub(crate) fn momentum(&self) -> Vec3 {
        let tied = self.tied().map(|(mass, own)| own.linear_velocity * mass);
        energy::linear_momentum(&self.system) + tied.sum::<Vec3>()
    }

    /// Likewise, about the origin \[kg m²/s\].
    pub(crate) fn angular_momentum(&self) -> Vec3 {
        let tied = self.tied();
        let tied = tied.map(|(mass, own)| own.pose.position.cross(own.linear_velocity * mass));
        energy::angular_momentum(&self.system, Vec3::ZERO) + tied.sum::<Vec3>()
    }

    /// Potential energy of weight and of bent, twisted and stretched joints \[J\].
    pub(crate) fn potential_energy(&self) -> f64 {
        let gravity = self.system.model.gravity;
        let tied = self.tied();
        let tied = tied.map(|(mass, own)| -mass * gravity.dot(own.pose.position));
        energy::potential_energy(&self.system)
            + energy::elastic_energy(&self.system)
            + tied.sum::<f64>()
    }

    pub(crate) fn snapshot(&self) -> StrandSnapshot {
        let chain = |attachment: &Attachment| &self.system.model.chains[attachment.of].base;
        let references = self
            .references
            .iter()
            .filter_map(|r| chain(r).reference.clone());
        let held = |attachment: &Attachment| {
            anchor(&mut self.system.model.constraints[attachment.of].clone()).cloned()
        };
        StrandSnapshot {
            state: self.system.state.clone(),
            paths: [
                references.collect(),
                self.anchors.iter().filter_map(held).collect(),
            ],
            impulses: self.impulses.clone(),
            tie_loads: self.tie_loads.clone(),
            segment_loads: self.segment_loads.clone(),
            near: self.near.clone(),
        }
    }

    /// Goes on from `snapshot`; [`Self::settle_in`] is to follow once the bodies are restored.
    pub(crate) fn restore(&mut self, snapshot: &StrandSnapshot) -> Result<(), SceneError> {
        let counts = [&self.references, &self.anchors].map(Vec::len);
        let found = snapshot.paths.each_ref().map(Vec::len);
        if found != counts || snapshot.impulses.len() != self.impulses.len() {
            let wanted = "a state as `snapshot` makes it";
            return Err(SceneError::value("snapshot", "strands", "damaged", wanted));
        }
        self.system.restore(snapshot.state.clone())?;
        let [references, anchors] = &snapshot.paths;
        for (attachment, path) in self.references.iter().zip(references) {
            self.system.model.chains[attachment.of].base.reference = Some(path.clone());
        }
        for (attachment, path) in self.anchors.iter().zip(anchors) {
            if let Some(slot) = anchor(&mut self.system.model.constraints[attachment.of]) {
                *slot = path.clone();
            }
        }
        self.impulses.clone_from(&snapshot.impulses);
        self.tie_loads.clone_from(&snapshot.tie_loads);
        self.tie_loads.resize(self.ties.len(), [Vec3::ZERO; 2]);
        self.segment_loads.clone_from(&snapshot.segment_loads);
        self.segment_loads
            .resize(self.touchable.len(), [Vec3::ZERO; 2]);
        self.near.clone_from(&snapshot.near);
        self.near.retain(|k| *k < self.touchable.len());
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
        self.poses.push(rigid.state.shape_pose(&rigid.model, last));
        self.system.model.add_obstacle(strand::Obstacle {
            name: body.name.clone(),
            shape: rigid.model.shape[last].clone(),
            path: MotionPath::fixed(pose),
            static_friction: material.at_rest(),
            dynamic_friction: material.friction,
            restitution: material.restitution,
            against: self.system.model.against(&body.material),
        })?;
        self.system.state.obstacle_pose.push(Pose::at(AWAY));
        self.system.state.obstacle_target.push(None);
        self.body_motions.push(BodyMotion::Driven);
        self.passable.push(body.passable);
        let link = link_of(&rigid.model, last, body.passable, &mut self.system.model)?;
        if let Some(k) = link {
            self.system.grow_bodies();
            self.system.start_body(k, &motion(&rigid.state, last));
            self.impulses.push(ContactImpulse::default());
        }
        self.links.push(link);
        Ok(())
    }

    /// Puts the obstacle of body `b` where that has been put, without a motion that would push.
    pub(crate) fn place_body(&mut self, b: usize, pose: Pose) {
        self.poses[b] = pose;
        if let BodyMotion::Still(place) = &mut self.body_motions[b] {
            *place = pose;
            self.system.model.obstacles[b].path = MotionPath::fixed(pose);
        }
        if self.system.state.obstacle_pose[b].position != AWAY {
            self.system.state.obstacle_pose[b] = pose;
        }
    }

    /// Adds a strand that starts now, among bodies by name.
    pub(crate) fn add(
        &mut self,
        strand: &Strand,
        seed: u64,
        index: &BTreeMap<Arc<str>, usize>,
        rigid: &rigid::System,
    ) -> Result<(), SceneError> {
        let (i, holds) = (self.system.model.len(), self.system.model.constraints.len());
        // what carries it, where that is now
        if let Base::On(name) = &strand.base
            && let Some(&body) = index.get(name.as_str())
            && let Some(link) = self.links[body]
        {
            let now = motion(&rigid.state, body);
            if self.system.body(link) != now {
                self.system.set_body(link, &now);
            }
        }
        let tied = strand.holds.iter().filter_map(|hold| match &hold.to {
            Anchor::Tie { strand, .. } => self.system.model.find(strand),
            _ => None,
        });
        let attacher = Attacher {
            links: tied.map(|k| (k, self.system.links(k))).collect(),
            poses: &self.poses,
            index,
            rigid: Some(&rigid.model),
            time: rigid.state.time,
        };

        // the same way as at the start, into the model there is
        let mut built = Built {
            model: std::mem::take(&mut self.system.model),
            body_motions: std::mem::take(&mut self.body_motions),
            links: std::mem::take(&mut self.links),
            bases: Vec::new(),
            references: Vec::new(),
            anchors: Vec::new(),
            ties: Vec::new(),
            grooms: Vec::new(),
        };
        let mut made = attacher.add(strand, &mut built);
        for (k, hold) in strand.holds.iter().enumerate() {
            made = made.and_then(|()| attacher.hold(strand, i, k, hold, &mut built));
        }
        if made.is_ok() {
            attacher.embed(i, &mut built);
        }
        self.system.model = built.model;
        (self.body_motions, self.links) = (built.body_motions, built.links);
        if made.is_err() {
            self.system.model.truncate(i, holds);
            return made;
        }

        self.system.grow();
        let first = self.bases.len();
        self.bases.extend(built.bases);
        self.references.extend(built.references);
        self.anchors.extend(built.anchors);
        for k in first..self.bases.len() {
            self.start_on(k, rigid);
        }
        for (i, repair) in built.grooms {
            let shape = self.system.adapt_rest_shape(i, repair);
            self.rest_shapes.push(shape);
        }
        if strand.kick > 0.0 {
            kick(&mut self.system, i, strand.kick, seed);
        }
        let chain = &self.system.model.chains[i];
        self.appearances.push(appearances_of(strand, chain));
        Ok(())
    }

    /// Takes strand `i` out, with what holds it and what ties others to it.
    pub(crate) fn remove(&mut self, i: usize) -> Result<(), SceneError> {
        let places = self.system.remove(i)?;
        self.appearances.remove(i);
        for attachments in [&mut self.bases, &mut self.references] {
            attachments.retain(|attachment| attachment.of != i);
            for attachment in attachments {
                attachment.of -= usize::from(attachment.of > i);
            }
        }
        self.anchors
            .retain_mut(|attachment| match places[attachment.of] {
                Some(now) => {
                    attachment.of = now;
                    true
                }
                None => false,
            });
        Ok(())
    }

    /// Vertices of cloth `row`, which is gone, stay on their strands as masses.
    pub(crate) fn forget_cloth(&mut self, row: usize) {
        for tie in &mut self.ties {
            if tie.sheet == row {
                tie.sheet = usize::MAX;
            } else if tie.sheet != usize::MAX {
                tie.sheet -= usize::from(tie.sheet > row);
            }
        }
    }

    /// The same strands in the state of their description; a snapshot brings them to theirs.
    pub(crate) fn as_described(&self) -> Result<Self, SceneError> {
        let (model, options) = (self.system.described_model(), self.system.options());
        Ok(Self {
            system: System::new(model, options.clone())?,
            body_motions: self.body_motions.clone(),
            bases: self.bases.clone(),
            references: self.references.clone(),
            anchors: self.anchors.clone(),
            substeps: self.substeps,
            appearances: self.appearances.clone(),
            rest_shapes: self.rest_shapes.clone(),
            links: self.links.clone(),
            impulses: self.impulses.clone(),
            begun: Vec::new(),
            ties: self.ties.clone(),
            tie_loads: self.tie_loads.clone(),
            touchable: self.touchable.clone(),
            segment_loads: self.segment_loads.clone(),
            begun_segments: Vec::new(),
            near: self.near.clone(),
            passable: self.passable.clone(),
            poses: self.poses.clone(),
            behind: false,
            total: self.total.clone(),
            last: Report::default(),
        })
    }
}

/// Turns every joint of strand `i` at random by up to `angle` about each axis \[rad\].
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
    match &mut constraint.kind {
        strand::ConstraintKind::Point { to, .. } | strand::ConstraintKind::Pose { to, .. } => {
            match to {
                strand::Anchor::World(path) => Some(path),
                _ => None,
            }
        }
        strand::ConstraintKind::Joint { .. } => None,
    }
}

/// Pose of the shape of every body.
pub(crate) fn poses(rigid: &rigid::System) -> Vec<Pose> {
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

/// Appearance of the curves of a strand.
fn appearances_of(strand: &Strand, chain: &strand::Chain) -> Vec<Appearance> {
    let curves = chain.parameters.iter().enumerate();
    let appearance = |(c, parameters): (usize, &strand::Parameters)| {
        let name: Arc<str> = match c {
            0 => strand.name.as_str().into(),
            c => format!("{}/{c}", strand.name).into(),
        };
        let links = (0..chain.len()).filter(|&j| chain.source[j].0 == c);
        let mut links: Vec<usize> = links.collect();
        links.sort_by_key(|&j| chain.source[j].1);
        let joints = links.iter().map(|&j| chain.at_joint[j]).chain([1.0]);
        let radii: Vec<f64> = joints.map(|s| parameters.radius.at(s, 0.0)).collect();
        Appearance {
            name,
            radii: radii.into(),
            colour: strand.colour,
        }
    };
    curves.map(appearance).collect()
}
