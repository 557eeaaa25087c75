//! The cloth of a world: how it goes along with its bodies, and what it does to them.
//!
//! Cloth advances after every step of the rigid bodies, over the same time, event by event. Every body
//! is an obstacle of triangles that moves straight from where the step began to where it ended. One that
//! enters later is there from its first step on, at rest where that step ends; if cloth is in its way, that
//! is a stall. Bodies that forces move answer at once, together with those that they touch; what their contacts held
//! back is foretold to their next step, so that these are ready for it, and taken out of it again. At a stall the
//! whole world stands still where that step began, and reports it.

use std::sync::Arc;

use drystone_base::{Pose, Quat, Stopwatch, Vec3};
use drystone_cloth::{
    Answer, Feature, FreeMotion, Kept, LinkedBodies, Moment, Report, Stall, State, System, Tally,
};
use drystone_geometry::Aabb;
use drystone_rigid as rigid;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cloth::build::{Built, NOBODY, PendingObstacle, build, sheet};
use crate::cloth::hold::contacts;
use crate::exchange::{Exchange, turn};
use crate::strands::Strands;
use crate::tie::Tie;
use crate::touch::Line;
use crate::trees::{is_near, lately};
use crate::{Body, Cloth, FrameCloth, FrameStrand, Material, Scene, SceneError};

/// All that moves about the cloth of a world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClothSnapshot {
    /// Vertices, clocks, layers and the queue.
    pub state: State,
    /// Impulse and moment that each body is to expect in the next rigid step \[N s\], \[N m s\].
    pub loads: Vec<[Vec3; 2]>,
    /// Bodies that have entered since the start, and where.
    pub entered: Vec<(usize, Pose)>,
}

/// What cloth did since the world was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClothTotal {
    /// Events of all kinds.
    pub events: u64,
    /// Ticks of springs, hinges and triangles.
    pub elastic: u64,
    /// Ticks of penalty layers.
    pub penalties: u64,
    /// Certificates renewed.
    pub certificates: u64,
    /// The deepest layer activated.
    pub deepest_layer: u32,
    /// Wall time \[s\].
    pub seconds: f64,
    /// Why it stands still, in words, if it does.
    pub stalled: Option<String>,
}

impl ClothTotal {
    fn add(&mut self, report: &Report) {
        let events: &Tally = &report.events;
        self.events += events.events();
        self.elastic += events.elastic();
        self.penalties += events.penalties + events.null_penalties;
        self.certificates +=
            events.distance_tests + events.slabs + events.balls.iter().sum::<u64>();
        self.deepest_layer = self.deepest_layer.max(events.deepest);
        self.seconds += report.seconds;
        self.stalled = report.stall.as_ref().map(Stall::to_string);
    }
}

/// What of a cloth stays the same in all frames.
#[derive(Clone)]
struct Appearance {
    name: Arc<str>,
    triangles: Arc<[[u32; 3]]>,
    colour: Option<[f64; 3]>,
    /// Chains of vertices that are no sides of triangles; a particle is a chain of one.
    chains: Vec<Vec<u32>>,
    /// Half the thickness of the outermost layer, as which chains and particles are shown \[m\].
    radius: f64,
}

impl Appearance {
    fn of(cloth: &Cloth, sheet: &drystone_cloth::Sheet, thickness: f64) -> Self {
        Self {
            radius: 0.5 * thickness,
            name: cloth.name.as_str().into(),
            triangles: sheet.faces.as_slice().into(),
            colour: cloth.colour,
            chains: sheet.chains(),
        }
    }
}

/// What a cloth touches, by row.
pub(crate) enum Touched {
    Body(usize),
    Strand(usize),
    Cloth(usize),
}

/// The cloth of a world, coupled to its bodies.
#[derive(Clone)]
pub(crate) struct Cloths {
    pub(crate) system: System,
    /// Body of every obstacle, and whether it moves.
    obstacles: Vec<(usize, bool)>,
    attachments: Vec<(usize, usize, usize)>,
    /// Obstacle and pin of every tie, in the order of the strands'.
    tied: Vec<(usize, usize)>,
    /// Obstacle of every segment that may touch cloth, in the order of the strands'.
    pub(crate) lines: Vec<Line>,
    /// Bodies that are not there at the start, and those of them that have entered since.
    pending: Vec<PendingObstacle>,
    entered: Vec<(usize, Pose)>,
    /// Distance from the origin of the three points that stand for the plane of a half-space \[m\].
    floor: f64,
    appearances: Vec<Appearance>,
    /// Least thickness of a cloth, for bodies that enter \[m\].
    thickness: f64,
    loads: Vec<[Vec3; 2]>,
    /// By obstacle, whether it answers with a tree of strands in this step; written by `set_out`.
    linked: Vec<bool>,
    /// Number of the system's meetings that are among the findings already.
    pub(crate) told: usize,
    pub(crate) total: ClothTotal,
    pub(crate) last: Report,
}

impl Cloths {
    /// The cloth of an expanded `scene`, or none; it starts at `time` \[s\].
    pub(crate) fn new(
        scene: &Scene,
        rigid: &rigid::Model,
        time: f64,
        ties: &[Tie],
        strands: Option<&Strands>,
    ) -> Result<Option<Self>, SceneError> {
        if scene.cloths.is_empty() {
            return Ok(None);
        }
        // a cloth that comes later is tied to nothing
        let tied = match ties.is_empty() {
            true => &[][..],
            false => &scene.strands,
        };
        let segments = strands.map_or_else(Vec::new, |strands| strands.lines(scene, 0));
        let Built {
            model,
            obstacles,
            attachments,
            tied,
            pending,
            floor,
        } = build(scene, (&scene.bodies, tied), Some(rigid), (ties, &segments))?;
        let first = obstacles.len() - segments.len();
        let touchable = strands.map_or(&[][..], |strands| &strands.touchable);
        let lines = touchable.iter().zip(first..).map(|(t, obstacle)| Line {
            obstacle,
            strand: t.segment.strand,
        });
        let appearances = scene.cloths.iter().zip(&model.sheets);
        let appearances = appearances.zip(model.thicknesses());
        let appearances =
            appearances.map(|((cloth, sheet), thickness)| Appearance::of(cloth, sheet, thickness));
        let options = scene.solver.cloth.events.clone();
        Ok(Some(Self {
            appearances: appearances.collect(),
            thickness: model.thicknesses().fold(f64::INFINITY, f64::min),
            loads: vec![[Vec3::ZERO; 2]; scene.bodies.len()],
            linked: Vec::new(),
            system: match time > 0.0 {
                true => System::new_at(model, options, time)?,
                false => System::new(model, options)?,
            },
            obstacles,
            attachments,
            tied,
            lines: lines.collect(),
            pending,
            entered: Vec::new(),
            floor,
            told: 0,
            total: ClothTotal::default(),
            last: Report::default(),
        }))
    }

    /// What cloth is foretold to press goes into the forces of the bodies' next step.
    pub(crate) fn push_bodies(&self, rigid: &mut rigid::System, dt: f64) {
        for i in 0..self.loads.len() {
            let [force, torque] = self.load(i, dt);
            if force != Vec3::ZERO || torque != Vec3::ZERO {
                rigid.state.force[i] += force;
                rigid.state.torque[i] += torque;
            }
        }
    }

    /// Force \[N\] and torque \[N m\] that are foretold for body `i` over its next step of `dt`.
    pub(crate) fn load(&self, i: usize, dt: f64) -> [Vec3; 2] {
        self.loads[i].map(|impulse| impulse / dt)
    }

    /// Whether body `i` answers with a tree of strands in this step: it then has nothing of what was foretold to it.
    pub(crate) fn is_linked(&self, i: usize) -> bool {
        let mut linked = self.obstacles.iter().zip(&self.linked);
        linked.any(|(&(body, _), linked)| body == i && *linked)
    }

    /// Sets out to follow the bodies, which have just taken a step of `dt`. Those that are free give way: they take
    /// part in the events from where they began the step, and end where cloth and their own motion led them; those in
    /// trees of strands with what these leave them.
    pub(crate) fn set_out(
        &mut self,
        rigid: &rigid::System,
        dt: f64,
        exchange: &Exchange,
        strands: Option<&mut Strands>,
    ) {
        self.let_in(rigid);
        let (state, model) = (&rigid.state, &rigid.model);
        let pose = |body: usize| -> Pose { state.shape_pose(model, body) };
        for &(sheet, pin, body) in &self.attachments {
            self.system.drive_pin(sheet, pin, pose(body), dt);
        }
        let (mut driven, mut free) = (Vec::new(), Vec::new());
        for (k, &(body, moves)) in self.obstacles.iter().enumerate() {
            if !moves || !state.present[body] {
                continue;
            }
            let motion = match model.is_dynamic(body) {
                true => free_motion(rigid, body, dt, exchange),
                false => None,
            };
            match motion {
                Some(mut motion) => {
                    let pins = self.attachments.iter().filter(|pin| pin.2 == body);
                    motion.attached_pins = pins.map(|pin| (pin.0, pin.1)).collect();
                    motion.foretold = self.loads[body];
                    free.push((k, motion));
                }
                None => driven.push(k),
            }
        }
        let mut obstacle = vec![None; model.len()];
        for (k, _) in &free {
            obstacle[self.obstacles[*k].0] = Some(*k);
        }
        if let Some(strands) = &strands {
            free.extend(self.tied_motions(strands, dt));
            free.extend(self.touching_motions(strands, dt));
        }
        let contacts = contacts(rigid, dt, |body| obstacle[body]);
        let links = strands.map_or_else(Vec::new, |strands| {
            self.linked(rigid, strands, |body| obstacle[body], dt)
        });
        // what is held goes straight, what nothing holds falls on a parabola
        let mut held = vec![false; self.obstacles.len()];
        self.linked = held.clone();
        for k in links.iter().flat_map(|link| &link.obstacles) {
            (held[*k], self.linked[*k]) = (true, true);
        }
        for contact in contacts.iter().filter(|contact| contact.holds) {
            for k in contact.obstacles.into_iter().flatten() {
                held[k] = true;
            }
        }
        for (k, motion) in &mut free {
            let body = self.obstacles[*k].0;
            if !held[*k] && body != NOBODY && !state.asleep[body] {
                motion.acceleration = model.gravity * model.gravity_scale[body];
                motion.velocity -= motion.acceleration * (0.5 * dt);
            }
        }
        driven.extend(
            self.system
                .free_linked_obstacles(&free, &contacts, &links, dt),
        );
        for k in driven
            .into_iter()
            .filter(|k| self.obstacles[*k].0 != NOBODY)
        {
            self.system.drive_obstacle(k, pose(self.obstacles[k].0), dt);
        }
    }

    /// How bodies in trees of strands answer cloth that is near them or pinned to them; `obstacle` says which
    /// obstacle a body is that gives way.
    fn linked(
        &self,
        rigid: &rigid::System,
        strands: &mut Strands,
        obstacle: impl Fn(usize) -> Option<usize>,
        dt: f64,
    ) -> Vec<LinkedBodies> {
        let mut bodies = vec![None; strands.system.model.bodies.len()];
        for (body, link) in strands.links.iter().enumerate() {
            if let Some(link) = link {
                bodies[*link] = Some(body);
            }
        }
        let pinned = |body: usize| self.attachments.iter().any(|pin| pin.2 == body);
        let tie = self.obstacles_of_ties(strands);
        let bounds = std::cell::OnceCell::new();
        let near = |link: usize| {
            let bounds = bounds.get_or_init(|| self.bounds(rigid.state.time));
            let body = bodies[link];
            tie[link].is_some()
                || body.is_some_and(|body| {
                    pinned(body) || is_near(rigid, body, &strands.begun[link], bounds)
                })
        };
        let obstacle = |link: usize| tie[link].or_else(|| obstacle(bodies[link]?));
        let trees = strands.trees(obstacle, near, &self.lines);
        let linked = trees.iter().filter_map(|tree| strands.linked(tree, dt));
        linked.collect()
    }

    /// By body of the strand system, the obstacle of the tie that it is.
    fn obstacles_of_ties(&self, strands: &Strands) -> Vec<Option<usize>> {
        let mut obstacles = vec![None; strands.system.model.bodies.len()];
        for (tie, (k, _)) in strands.ties.iter().zip(&self.tied) {
            obstacles[tie.link] = Some(*k);
        }
        obstacles
    }

    /// Obstacles of ties, and how the step of the strands has moved them.
    fn tied_motions(&self, strands: &Strands, dt: f64) -> Vec<(usize, FreeMotion)> {
        let ties = strands.ties.iter().zip(&strands.tie_loads).zip(&self.tied);
        let motion = |((tie, load), (k, pin)): ((&Tie, &[Vec3; 2]), &(usize, usize))| {
            let own = &strands.system.model.bodies[tie.link].body;
            let (before, now) = (&strands.begun[tie.link], strands.system.body(tie.link));
            let turned = turn(now.pose.rotation * before.pose.rotation.conjugate());
            let motion = FreeMotion {
                pose: before.pose,
                centre: before.pose.position,
                velocity: (now.pose.position - before.pose.position) / dt,
                acceleration: Vec3::ZERO,
                spin: turned / dt,
                mass: own.mass,
                inertia: own.inertia.rotated(before.pose.rotation).matrix(),
                end_twist: [now.linear_velocity, now.angular_velocity],
                foretold: *load,
                attached_pins: vec![(tie.sheet, *pin)],
            };
            (*k, motion)
        };
        ties.map(motion).collect()
    }

    /// Box about all cloth until `time`, if it goes on as it goes.
    fn bounds(&self, time: f64) -> Aabb {
        let (mut bounds, ahead) = (Aabb::EMPTY, time - self.system.time());
        for sheet in 0..self.system.model().sheets.len() {
            let (points, speeds) = (self.system.points(sheet), self.system.velocities(sheet));
            for (point, velocity) in points.into_iter().zip(speeds) {
                let far = self.thickness + velocity.length() * ahead;
                let about = Aabb {
                    low: point,
                    high: point,
                };
                bounds = bounds.union(&about.grown(far));
            }
        }
        bounds
    }

    /// Follows the bodies to where they are, unless `go_on` says no on the way; then false, and the next call takes it
    /// up again.
    pub(crate) fn follow(
        &mut self,
        rigid: &rigid::System,
        go_on: &mut dyn FnMut(&Moment) -> bool,
    ) -> bool {
        // whole ticks add up to the time of the bodies
        let left = rigid.state.time - self.system.time();
        let watch = Stopwatch::start();
        self.last = self.system.advance_while(left, go_on);
        self.last.seconds = watch.seconds();
        self.total.add(&self.last);
        !self.last.interrupted
    }

    /// By body, how far it had moved \[m\] and turned \[rad\] under what was foretold, and has not any more.
    pub(crate) fn withdrawn(&self) -> Vec<[Vec3; 2]> {
        let mut back = vec![[Vec3::ZERO; 2]; self.loads.len()];
        for (k, &(body, _)) in self.obstacles.iter().enumerate() {
            if let Some(answer) = self.system.answer_of(k).filter(|_| body != NOBODY) {
                back[body] = answer.withdrawn;
            }
        }
        back
    }

    /// By body, one of those that touch it, the same for all of them.
    pub(crate) fn groups(&self) -> Vec<usize> {
        let mut groups: Vec<usize> = (0..self.loads.len()).collect();
        let mut first = Vec::new();
        for (k, &(body, _)) in self.obstacles.iter().enumerate() {
            if let Some(island) = self.system.island_of(k).filter(|_| body != NOBODY) {
                first.resize(first.len().max(island + 1), usize::MAX);
                if first[island] == usize::MAX {
                    first[island] = body;
                }
                groups[body] = first[island];
            }
        }
        groups
    }

    /// Every cloth, by row, that touches something else, and what.
    pub(crate) fn touching(&self) -> impl Iterator<Item = (usize, Touched)> {
        let line = |k: usize| self.lines.binary_search_by(|line| line.obstacle.cmp(&k));
        let obstacle = move |k: usize| match line(k) {
            Ok(number) => Touched::Strand(self.lines[number].strand),
            Err(_) => Touched::Body(self.obstacles[k].0),
        };
        let sheets = self.system.model().sheets.len();
        let pairs = self.system.touching().into_iter();
        pairs.map(move |[sheet, other]| match other.checked_sub(sheets) {
            Some(k) => (sheet, obstacle(k)),
            None => (sheet, Touched::Cloth(other)),
        })
    }

    /// Puts the bodies where they have given way to, and keeps what their contacts have held back. Trees of strands take
    /// their part.
    pub(crate) fn gather(
        &mut self,
        rigid: &mut rigid::System,
        strands: Option<&mut Strands>,
        dt: f64,
    ) {
        if let Some(strands) = strands {
            self.hand_on(rigid, strands, dt);
            self.foretell_segments(strands, dt);
        }
        for (k, &(body, moves)) in self.obstacles.iter().enumerate() {
            if moves {
                let answer = self.system.answer_of(k);
                let load = match answer.filter(|answer| answer.shared.is_some()) {
                    Some(answer) => lately(self.loads[body], answer.received),
                    None => give_way(rigid, body, answer),
                };
                self.loads[body] = load;
                // what was exerted on a prescribed body moves nothing
                self.system.take_reaction(k, Vec3::ZERO);
            }
        }
    }

    /// Hands on to trees of strands what their bodies have received; these go where the trees have them.
    fn hand_on(&self, rigid: &mut rigid::System, strands: &mut Strands, dt: f64) {
        let mut obstacle = vec![None; rigid.model.len()];
        for (k, &(body, _)) in self.obstacles.iter().enumerate() {
            if body != NOBODY {
                obstacle[body] = Some(k);
            }
        }
        let tie = self.obstacles_of_ties(strands);
        let mut bodies = vec![None; strands.system.model.bodies.len()];
        for (body, link) in strands.links.iter().enumerate() {
            if let Some(link) = link {
                bodies[*link] = Some(body);
            }
        }
        let shared = |k: usize| self.system.answer_of(k).filter(|a| a.shared.is_some());
        let obstacle =
            |link: usize| tie[link].or_else(|| bodies[link].and_then(|body| obstacle[body]));
        let concerned = |link: usize| obstacle(link).and_then(shared).is_some();
        for tree in strands.trees(obstacle, concerned, &self.lines) {
            if strands.hand_on(&tree, shared, dt) {
                for link in &tree.members.bodies {
                    let now = strands.system.body(*link);
                    if let Some(body) = bodies[*link] {
                        let state = &mut rigid.state;
                        state.position[body] = now.pose.position;
                        state.rotation[body] = now.pose.rotation;
                        state.linear_velocity[body] = now.linear_velocity;
                        state.angular_velocity[body] = now.angular_velocity;
                        state.wake(body);
                    }
                }
            }
        }
        for (load, (k, _)) in strands.tie_loads.iter_mut().zip(&self.tied) {
            let received = self.system.answer_of(*k).map(|answer| answer.received);
            *load = lately(*load, received.unwrap_or_default());
        }
    }

    /// Bodies that have just entered become obstacles; where that cannot be the cloth stalls.
    pub(crate) fn let_in(&mut self, rigid: &rigid::System) {
        if self.entered.len() == self.pending.len() || self.system.stall().is_some() {
            return;
        }
        let is_in = |body: usize| self.entered.iter().any(|&(other, _)| other == body);
        let enters =
            |pending: &&PendingObstacle| rigid.state.present[pending.body] && !is_in(pending.body);
        for pending in self
            .pending
            .iter()
            .filter(enters)
            .cloned()
            .collect::<Vec<_>>()
        {
            let pose = rigid.state.shape_pose(&rigid.model, pending.body);
            match self.system.add_obstacle(pending.at(pose)) {
                Ok(()) => {
                    self.obstacles.push((pending.body, pending.moves()));
                    self.entered.push((pending.body, pose));
                }
                Err(error) => {
                    let stall = in_the_way(&pending, error, self.system.time());
                    return self.system.stop(stall);
                }
            }
        }
    }

    /// Every surface as it is now.
    pub(crate) fn frame(&self) -> Vec<FrameCloth> {
        let appearances = self.appearances.iter().enumerate();
        let shown = appearances.filter(|(_, appearance)| !appearance.triangles.is_empty());
        let cloth = |(i, appearance): (usize, &Appearance)| FrameCloth {
            name: appearance.name.clone(),
            points: self.system.points(i),
            triangles: appearance.triangles.clone(),
            colour: appearance.colour,
        };
        shown.map(cloth).collect()
    }

    /// Chains and particles as they are now, as thick as the layers about them.
    pub(crate) fn curves(&self) -> Vec<FrameStrand> {
        let mut curves = Vec::new();
        for (i, appearance) in self.appearances.iter().enumerate() {
            if appearance.chains.is_empty() {
                continue;
            }
            let points = self.system.points(i);
            for (k, chain) in appearance.chains.iter().enumerate() {
                let mut line: Vec<Vec3> = chain.iter().map(|&v| points[v as usize]).collect();
                if let [point] = line[..] {
                    // a particle is a short rod, so that it has an orientation
                    let bit = Vec3::Y * (0.01 * appearance.radius);
                    line = vec![point - bit, point + bit];
                }
                let turn = |p: &[Vec3]| {
                    let along = (p[1] - p[0]).normalize_or(Vec3::Y);
                    Quat::from_rotation_arc(Vec3::Y, along)
                };
                curves.push(FrameStrand {
                    name: format!("{}/{k}", appearance.name).into(),
                    orientations: line.windows(2).map(turn).collect(),
                    radii: vec![appearance.radius; line.len()].into(),
                    points: line,
                    colour: appearance.colour,
                });
            }
        }
        curves
    }

    /// Potential energy of weight, elasticity and penalty layers \[J\].
    pub(crate) fn potential_energy(&self) -> f64 {
        let energy = self.system.energy();
        energy.total() - energy.kinetic
    }

    pub(crate) fn snapshot(&self) -> ClothSnapshot {
        ClothSnapshot {
            state: self.system.state().clone(),
            loads: self.loads.clone(),
            entered: self.entered.clone(),
        }
    }

    pub(crate) fn restore(&mut self, snapshot: &ClothSnapshot) -> Result<(), SceneError> {
        let damaged = || {
            let wanted = "a state as `snapshot` makes it";
            SceneError::value("snapshot", "cloth", "damaged", wanted)
        };
        if snapshot.loads.len() != self.loads.len() {
            return Err(damaged());
        }
        if snapshot.entered == self.entered {
            self.system.restore(snapshot.state.clone())?;
        } else {
            // with those bodies as obstacles that had entered then
            let first = self.obstacles.len() - self.entered.len();
            let mut model = self.system.model().clone();
            let mut obstacles = self.obstacles[..first].to_vec();
            model.obstacles.truncate(first);
            for &(body, pose) in &snapshot.entered {
                let pending = self.pending.iter().find(|pending| pending.body == body);
                let pending = pending.ok_or_else(damaged)?;
                model.obstacles.push(pending.at(pose));
                obstacles.push((body, pending.moves()));
            }
            let options = self.system.options().clone();
            self.system = System::resumed(model, options, snapshot.state.clone())?;
            self.obstacles = obstacles;
            self.entered.clone_from(&snapshot.entered);
        }
        self.loads.clone_from(&snapshot.loads);
        // those of the snapshot are among its findings
        self.told = self.system.meetings().len();
        Ok(())
    }

    /// Registers a body that was added while running.
    pub(crate) fn add_body(&mut self, body: &Body, material: Material, rigid: &rigid::Model) {
        let (number, thickness) = (self.loads.len(), self.thickness);
        let surface = self.system.model().materials.find(&body.material);
        let material = (material, surface);
        let pending =
            PendingObstacle::new(number, body, material, thickness, self.floor, Some(rigid));
        self.pending.push(pending);
        self.loads.push([Vec3::ZERO; 2]);
    }

    /// Takes the obstacle of a body out.
    pub(crate) fn remove_body(&mut self, body: usize) -> Result<(), SceneError> {
        if let Some(k) = self.obstacles.iter().position(|o| o.0 == body) {
            self.remove_obstacle(k)?;
        }
        self.entered.retain(|entered| entered.0 != body);
        self.pending.retain(|pending| pending.body != body);
        self.loads[body] = [Vec3::ZERO; 2];
        Ok(())
    }

    /// Takes obstacle `k` out.
    pub(crate) fn remove_obstacle(&mut self, k: usize) -> Result<(), SceneError> {
        let mut model = self.system.model().clone();
        let mut kept = Kept::all(&model);
        model.obstacles.remove(k);
        kept.obstacles.remove(k);
        // pins keep what they are fastened to, by its new number
        for sheet in &mut model.sheets {
            sheet.fastened.retain(|[_, to]| *to as usize != k);
            for [_, to] in &mut sheet.fastened {
                *to -= u32::from(*to as usize > k);
            }
        }
        self.system.replace_model(model, &kept)?;
        self.obstacles.remove(k);
        for (tied, _) in &mut self.tied {
            *tied -= usize::from(*tied > k);
        }
        for line in &mut self.lines {
            line.obstacle -= usize::from(line.obstacle > k);
        }
        Ok(())
    }

    /// Number of obstacles without those of bodies that have entered, which are the last.
    pub(crate) fn before_entered(&self) -> usize {
        self.obstacles.len() - self.entered.len()
    }

    /// `count` obstacles that are no bodies come before number `first`, where nothing is fastened to what follows.
    pub(crate) fn make_room(&mut self, first: usize, count: usize) {
        let none = vec![(NOBODY, false); count];
        self.obstacles.splice(first..first, none);
    }

    /// Puts the obstacle of a body somewhere else at once; refused where cloth is in its way.
    pub(crate) fn place_body(
        &mut self,
        body: usize,
        described: &Body,
        material: Material,
        rigid: &rigid::Model,
        pose: Pose,
    ) -> Result<(), SceneError> {
        let Some(k) = self.obstacles.iter().position(|o| o.0 == body) else {
            return Ok(());
        };
        let (thickness, floor) = (self.thickness, self.floor);
        let surface = self.system.model().materials.find(&described.material);
        let material = (material, surface);
        let pending =
            PendingObstacle::new(body, described, material, thickness, floor, Some(rigid));
        let mut model = self.system.model().clone();
        let mut kept = Kept::all(&model);
        model.obstacles[k] = pending.at(pose);
        kept.obstacles[k] = None;
        Ok(self.system.replace_model(model, &kept)?)
    }

    /// Adds a cloth that starts now, among `bodies` as they are now.
    pub(crate) fn add(
        &mut self,
        cloth: &Cloth,
        scene: &Scene,
        bodies: &[Body],
    ) -> Result<(), SceneError> {
        cloth.validate()?;
        let mut model = self.system.model().clone();
        let (n, mut attachments) = (model.sheets.len(), Vec::new());
        let mut sheet = sheet(cloth, (bodies, &[]), n, &model.materials, &mut attachments)?;
        // a hem may touch the body that it is pinned to
        let fastened = attachments.iter().filter_map(|&(_, pin, body)| {
            let k = self.obstacles.iter().position(|o| o.0 == body)?;
            Some([pin as u32, k as u32])
        });
        sheet.fastened = fastened.collect();
        let given = cloth.thickness.or(scene.solver.cloth.thickness);
        sheet.thickness = given.or_else(|| sheet.fitting_thickness());
        let thickness = sheet.thickness.unwrap_or(model.contact.thickness);
        model.contact.thickness = model.contact.thickness.min(thickness);
        model.sheets.push(sheet);
        if given.is_none() {
            self.fit_last(&mut model);
        }
        let thickness = model.sheets[n].thickness.unwrap_or(thickness);
        let appearance = Appearance::of(cloth, &model.sheets[n], thickness);
        let mut kept = Kept::all(self.system.model());
        kept.sheets.push(None);
        self.system.replace_model(model, &kept)?;
        self.appearances.push(appearance);
        self.attachments.extend(attachments);
        self.thickness = self.thickness.min(thickness);
        Ok(())
    }

    /// Makes the last sheet of `model` thinner where it starts closer to the others, as they are now, than it is thick.
    fn fit_last(&self, model: &mut drystone_cloth::Model) {
        let mut now = model.clone();
        let n = now.sheets.len() - 1;
        for (i, sheet) in now.sheets[..n].iter_mut().enumerate() {
            let start = std::mem::replace(&mut sheet.points, self.system.points(i));
            sheet.rest.get_or_insert(start);
        }
        for (i, obstacle) in now.obstacles.iter_mut().enumerate() {
            obstacle.points = self.system.obstacle_points(i);
        }
        let may: Vec<bool> = (0..=n).map(|i| i == n).collect();
        now.fit_thickness_to_start(&may);
        model.sheets[n].thickness = now.sheets[n].thickness;
    }

    /// Takes sheet `i` out, which must not be the last.
    pub(crate) fn remove(&mut self, i: usize) -> Result<(), SceneError> {
        let mut model = self.system.model().clone();
        let mut kept = Kept::all(&model);
        model.sheets.remove(i);
        kept.sheets.remove(i);
        self.system.replace_model(model, &kept)?;
        self.appearances.remove(i);
        self.attachments.retain(|attachment| attachment.0 != i);
        for attachment in &mut self.attachments {
            attachment.0 -= usize::from(attachment.0 > i);
        }
        Ok(())
    }
}

/// The motion of a body over the step of `dt` that it has just taken, for cloth to change.
fn free_motion(
    rigid: &rigid::System,
    body: usize,
    dt: f64,
    exchange: &Exchange,
) -> Option<FreeMotion> {
    let (state, model) = (&rigid.state, &rigid.model);
    let (centre, rotation, [moved, turned]) = exchange.step_of(body)?;
    let start = Pose::new(centre, rotation);
    Some(FreeMotion {
        pose: Pose::new(start.point(model.shape_offset[body]), rotation),
        centre,
        velocity: moved / dt,
        acceleration: Vec3::ZERO,
        spin: turned / dt,
        mass: model.mass[body],
        inertia: state.inertia(model, body).matrix(),
        end_twist: [state.linear_velocity[body], state.angular_velocity[body]],
        foretold: [Vec3::ZERO; 2],
        attached_pins: Vec::new(),
    })
}

/// Puts a body where the cloth left it; returns what its contacts held back: impulse \[N s\] and moment \[N m s\].
fn give_way(rigid: &mut rigid::System, body: usize, answer: Option<Answer>) -> [Vec3; 2] {
    let nothing = [Vec3::ZERO; 2];
    let Some(answer) = answer else {
        return nothing;
    };
    let (state, model) = (&mut rigid.state, &rigid.model);
    let [impulse, moment] = answer.gained;
    let finite = answer.centre.is_finite() && impulse.is_finite() && moment.is_finite();
    if !finite || !model.is_dynamic(body) || !state.present[body] {
        return nothing;
    }
    let untouched = answer.received == nothing && answer.gained == nothing;
    // what sleeps is not woken by a change that comes through others and that is too small to see
    let unseen = answer.received == nothing && state.asleep[body];
    if untouched || unseen {
        return nothing;
    }
    // momentum is added as such: the body has turned since its inertia was taken
    let momentum = state
        .inertia(model, body)
        .times(state.angular_velocity[body])
        + moment;
    state.position[body] = answer.centre;
    state.rotation[body] = answer.pose.rotation;
    state.linear_velocity[body] += impulse / model.mass[body];
    state.angular_velocity[body] = state.inverse_inertia(model, body).times(momentum);
    state.wake(body);
    answer.held
}

/// The stall of a body that cannot enter.
fn in_the_way(pending: &PendingObstacle, error: drystone_cloth::Error, time: f64) -> Stall {
    let reason = format!("`{}` cannot enter: {error}", pending.name());
    let worst = match error {
        drystone_cloth::Error::Start { patches, .. } => patches.into_iter().next(),
        _ => None,
    };
    let nowhere = Feature {
        object: pending.name().into(),
        what: "body".into(),
        number: pending.body as u32,
        vertices: Vec::new(),
        points: Vec::new(),
    };
    let (a, b, distance) = match worst {
        Some(patch) => (patch.a, patch.b, patch.distance),
        None => (nowhere.clone(), nowhere, 0.0),
    };
    Stall {
        a,
        b,
        layer: 0,
        distance,
        time,
        reason,
    }
}
