//! One simulation: a world, what has been changed in it, who drags what, and the frames so far.

use std::time::{Duration, Instant};

use drystone_base::Vec3;
use drystone_formats::set;
use drystone_rigid::Graph;
use drystone_world::{Body, Motion, Scene, Snapshot, World};
use serde_json::{Value, json};

use crate::describe::{added, describe, settings};
use crate::drag::Drag;
use crate::export;
use crate::history::History;
use crate::page::Page;
use crate::player::Player;
use crate::source::{Complaint, Source};
use crate::unpack::unpack;
use crate::wire::{self, Header, Known, Numbers};

/// Simulated time between frames that are kept \[s\].
const KEPT: f64 = 1.0 / 60.0;
/// Wall time after which a long step is left unfinished, so that the page is answered.
const PART_OF_STEP: Duration = Duration::from_millis(50);
/// Most findings that are described; more are only counted.
const MOST_FINDINGS: usize = 20;
/// Most balls that can be thrown into one run.
const MOST_THROWN: usize = 500;

pub(crate) struct Session {
    number: usize,
    /// A recording that is shown instead of a simulation; then `world` only knows what things are.
    player: Option<Player>,
    /// The scene with all changes.
    scene: Scene,
    /// The changes, as `KEY=VALUE`.
    pub(crate) sets: Vec<String>,
    world: World,
    start: Snapshot,
    step_length: f64,
    /// Grows with every description.
    epoch: u32,
    origin: Vec3,
    /// Description that a page needs before the frames.
    pub(crate) description: Value,
    /// The values that can be changed.
    pub(crate) settings: Value,
    /// Bodies thrown in since the start, described.
    pub(crate) thrown: Vec<Value>,
    drags: Vec<Drag>,
    /// Whether a drag changed the world in a way that restoring the start does not undo.
    marked: bool,
    /// Balls thrown in the middle of a step, which wait for its end.
    waiting: Vec<Body>,
    graph: Graph,
    history: History,
    newest: Vec<u8>,
    /// Epoch, step, bodies and kinds of the newest frame.
    made: Option<(u32, u64, usize, u8)>,
    /// Kinds of data that are wanted.
    kinds: u8,
    /// Simulated seconds for each second, over the last half second.
    rate: f64,
    measured: Option<(Instant, f64)>,
}

impl Session {
    /// The scene of `source` with `sets` changed, at its start.
    pub(crate) fn new(
        number: usize,
        epoch: u32,
        source: &Source,
        sets: &[String],
    ) -> Result<Self, Complaint> {
        let player = source.player()?;
        let mut scene = match &player {
            Some(player) => player.scene().clone(),
            None => source.read()?,
        };
        if player.is_some() && !sets.is_empty() {
            return Err(fixed());
        }
        for assignment in sets {
            scene = changed(&scene, assignment)?;
        }
        let world = World::new(&scene).map_err(|error| source.complaint(&error))?;
        let (description, origin) = describe(&world, number, epoch);
        let mut session = Self {
            number,
            player,
            step_length: scene.step(),
            settings: settings(&scene).map_err(Complaint::new)?,
            scene,
            sets: sets.to_vec(),
            start: world.snapshot(),
            world,
            epoch,
            origin,
            description,
            thrown: Vec::new(),
            drags: Vec::new(),
            marked: false,
            waiting: Vec::new(),
            graph: Graph::default(),
            history: History::default(),
            newest: Vec::new(),
            made: None,
            kinds: 0,
            rate: 0.0,
            measured: None,
        };
        session.capture_frame(0);
        Ok(session)
    }

    pub(crate) fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Simulated time of the run \[s\].
    pub(crate) fn time(&self) -> f64 {
        self.player
            .as_ref()
            .map_or_else(|| self.world.time(), |player| player.last)
    }

    /// Whether nothing is simulated.
    pub(crate) fn is_recording(&self) -> bool {
        self.player.is_some()
    }

    /// The first moment that can be shown \[s\].
    pub(crate) fn first(&self) -> f64 {
        let kept = || self.history.first().unwrap_or(0.0);
        self.player
            .as_ref()
            .map_or_else(kept, |player| player.first)
    }

    /// The moment `count` frames after (or before) the one at `time` \[s\].
    pub(crate) fn beside(&mut self, time: f64, count: i64) -> Option<f64> {
        match &mut self.player {
            Some(player) => player.beside(time, count),
            None => self.history.beside(time, count),
        }
    }

    /// Duration of the scene \[s\].
    pub(crate) fn duration(&self) -> f64 {
        self.player
            .as_ref()
            .map_or(self.scene.duration, |player| player.last)
    }

    /// Length of a step \[s\].
    pub(crate) fn step_length(&self) -> f64 {
        self.step_length
    }

    /// Number of findings of the run.
    pub(crate) fn found(&self) -> usize {
        self.world.findings().len()
    }

    /// The first findings of the run, with the number of the body where one is named.
    pub(crate) fn findings(&self) -> Vec<Value> {
        let findings = self.world.findings().iter().take(MOST_FINDINGS);
        let shown = findings.map(|finding| {
            json!({
                "kind": finding.kind.name(),
                "thing": finding.thing,
                "body": row_of(&self.world, &finding.thing),
                "time": finding.time,
                "what": finding.what,
                "likelyCause": finding.likely_cause,
                "remedy": finding.remedy,
            })
        });
        shown.collect()
    }

    /// Whether its world stands still for good.
    pub(crate) fn has_stopped(&self) -> bool {
        self.player.is_none() && self.world.has_stopped()
    }

    /// Whether its last step has been taken in part only.
    pub(crate) fn is_mid_step(&self) -> bool {
        self.player.is_none() && self.world.is_mid_step()
    }

    /// Takes one step or a part of a long one, with the frame kept if it is time; `kinds` of data are wanted.
    pub(crate) fn step(&mut self, kinds: u8) {
        if self.player.is_some() {
            return;
        }
        let dt = self.step_length;
        if !self.world.is_mid_step() {
            for drag in &mut self.drags {
                drag.act(&mut self.world, dt);
            }
        }
        // a long step of cloth is taken in parts, so that the page is answered
        let started = Instant::now();
        self.world
            .advance_while(dt, |_| started.elapsed() < PART_OF_STEP);
        if self.world.is_mid_step() {
            return;
        }
        for ball in std::mem::take(&mut self.waiting) {
            // refused ones were described by us; there is nobody left to tell
            let _ = self.let_in(ball);
        }
        let due = self
            .history
            .last()
            .is_none_or(|last| self.time() >= last + KEPT - 1e-9);
        if due {
            self.capture_frame(kinds);
        }
    }

    /// Measures how fast simulated time goes; at rest it does not.
    pub(crate) fn measure(&mut self, playing: bool) {
        let (now, time) = (Instant::now(), self.time());
        match self.measured {
            Some((then, before)) if playing && time >= before => {
                let seconds = (now - then).as_secs_f64();
                if seconds > 0.5 {
                    self.rate = (time - before) / seconds;
                    self.measured = Some((now, time));
                }
            }
            _ => {
                self.measured = playing.then_some((now, time));
                self.rate = if playing { self.rate } else { 0.0 };
            }
        }
    }

    /// Makes the newest frame, and keeps it where it is a new one.
    pub(crate) fn capture_frame(&mut self, kinds: u8) {
        if self.world.is_mid_step() && !self.history.is_empty() {
            return;
        }
        let (step, bodies) = (self.world.system().state.step, self.world.bodies().len());
        let made = Some((self.epoch, step, bodies, kinds));
        if made == self.made && !self.history.is_empty() {
            return;
        }
        self.made = made;
        self.kinds = kinds;
        let header = self.header();
        let numbers = Numbers::of(&self.world, self.rate);
        let frame = self.world.frame();
        self.newest = wire::encode(
            &frame,
            Known::Now(&self.world),
            &header,
            &numbers,
            kinds,
            &mut self.graph,
        );
        let fresh = |last: f64| self.world.time() >= last + KEPT - 1e-9;
        if self.history.last().is_none_or(fresh) {
            self.history.push(self.world.time(), self.newest.clone());
        }
    }

    fn header(&self) -> Header {
        Header {
            session: self.number as u8,
            epoch: self.epoch,
            origin: self.origin,
        }
    }

    /// The frame of the moment `time`, or the newest; `flags` as in [`wire::flags`].
    pub(crate) fn frame(&mut self, time: Option<f64>, flags: u8) -> Vec<u8> {
        let header = self.header();
        let recorded = self.player.as_mut().and_then(|player| {
            let time = time.unwrap_or(player.last);
            player.frame(time, &self.world, &header, self.kinds).ok()
        });
        let mut bytes = recorded.unwrap_or_else(|| {
            let past = time.and_then(|time| self.history.at(time));
            past.map_or_else(|| self.newest.clone(), |(_, frame)| frame.to_vec())
        });
        wire::stamp(&mut bytes, self.first(), self.time(), flags);
        bytes
    }

    /// Goes back to the start, with all changes of values.
    pub(crate) fn restart(&mut self, source: &Source) -> Result<(), Complaint> {
        self.drags.clear();
        // some drags change what the snapshot does not hold
        if self.marked || self.world.restore(&self.start).is_err() {
            let world = World::new(&self.scene).map_err(|error| source.complaint(&error))?;
            self.start = world.snapshot();
            self.world = world;
            self.marked = false;
        }
        self.thrown.clear();
        self.waiting.clear();
        self.history.clear();
        self.measured = None;
        Ok(())
    }

    /// Changes one value: at once where the run can go on with it, else from the start. Says
    /// whether the run begins again.
    pub(crate) fn set(&mut self, source: &Source, assignment: &str) -> Result<bool, Complaint> {
        if self.player.is_some() {
            return Err(fixed());
        }
        let scene = changed(&self.scene, assignment)?;
        let deformable = self.world.strands().is_some() || self.world.cloths().is_some();
        let live = alike(&self.scene, &scene, deformable);
        if live {
            self.go_on_with(scene, source)?;
        } else {
            let world = World::new(&scene).map_err(|error| source.complaint(&error))?;
            self.epoch += 1;
            (self.description, self.origin) = describe(&world, self.number, self.epoch);
            self.start = world.snapshot();
            self.world = world;
            self.step_length = scene.step();
            self.scene = scene;
            self.thrown.clear();
            self.waiting.clear();
            self.drags.clear();
            self.marked = false;
            self.history.clear();
        }
        self.settings = settings(&self.scene).map_err(Complaint::new)?;
        let key = |set: &str| set.split('=').next().map(|key| key.trim().to_owned());
        self.sets.retain(|set| key(set) != key(assignment));
        self.sets.push(assignment.trim().to_owned());
        Ok(!live)
    }

    /// Goes on with the options, gravity and materials of `scene`.
    fn go_on_with(&mut self, scene: Scene, source: &Source) -> Result<(), Complaint> {
        let options = scene.options().map_err(|error| source.complaint(&error))?;
        // a small world of the same materials knows how the engine orders them
        let sample = Scene {
            bodies: vec![Body::ball(1.0)],
            materials: scene.materials.clone(),
            contacts: scene.contacts.clone(),
            ..Scene::default()
        };
        let sample = World::new(&sample).map_err(|error| source.complaint(&error))?;
        let system = self.world.system_mut();
        system.set_options(options).map_err(Complaint::new)?;
        system.model.gravity = Vec3::from(scene.gravity);
        system.model.materials = sample.system().model.materials.clone();
        let (state, model) = (&mut system.state, &system.model);
        for patch in &mut state.contacts.patches {
            let (a, b) = (patch.a as usize, patch.b as usize);
            let between = model
                .materials
                .between(model.material[a], model.material[b]);
            patch.friction = between.at_rest();
            patch.restitution = between.restitution;
        }
        for i in 0..model.len() {
            state.wake(i);
        }
        self.step_length = scene.step();
        self.scene = scene;
        Ok(())
    }

    /// Takes hold of what `grab` finds in the world; says why not.
    pub(crate) fn grab(
        &mut self,
        client: u64,
        grab: impl FnOnce(&mut World) -> Result<Drag, String>,
    ) -> Result<(), Complaint> {
        if self.player.is_some() {
            return Err(fixed());
        }
        self.release(client);
        let drag = grab(&mut self.world).map_err(Complaint::new)?;
        self.marked |= drag.marks();
        self.drags.push(drag);
        Ok(())
    }

    pub(crate) fn drag(&mut self, client: u64, target: Vec3) {
        let own = self.drags.iter_mut().filter(|drag| drag.client == client);
        own.for_each(|drag| drag.target = target);
    }

    pub(crate) fn release(&mut self, client: u64) {
        let world = &mut self.world;
        self.drags.retain(|drag| {
            let own = drag.client == client;
            if own {
                drag.let_go(world);
            }
            !own
        });
    }

    /// The history as a file in the format of `ending`.
    pub(crate) fn export(&mut self, name: &str, ending: &str) -> Result<Vec<u8>, Complaint> {
        if ending == "html" {
            let mut page = Page::of(
                name,
                self.description.clone(),
                self.settings.clone(),
                self.origin,
            );
            match &mut self.player {
                None => self
                    .history
                    .frames()
                    .for_each(|frame| page.bytes(frame.to_vec())),
                Some(player) => {
                    for index in 0..player.len() {
                        let (frame, record) = player.recorded(index)?;
                        page.add(&self.world, &frame, &record);
                    }
                }
            }
            return Ok(page.finish());
        }
        let like = self.world.frame();
        let scene = self.world.scene();
        match &mut self.player {
            None => export::write(
                scene,
                ending,
                &mut self.history.frames().map(|bytes| Ok(unpack(bytes, &like))),
            ),
            Some(player) => export::write(
                scene,
                ending,
                &mut (0..player.len()).map(|index| player.recorded(index)),
            ),
        }
    }

    /// Throws a ball of three times the usual density in the scene.
    pub(crate) fn throw(
        &mut self,
        origin: Vec3,
        velocity: Vec3,
        radius: f64,
    ) -> Result<(), Complaint> {
        if self.player.is_some() {
            return Err(fixed());
        }
        let count = self.thrown.len() + self.waiting.len();
        if count >= MOST_THROWN {
            return Err(Complaint::new(format!(
                "{MOST_THROWN} balls have been thrown, the most allowed; restart to take them away"
            )));
        }
        let mut body = Body::ball(radius)
            .named(format!("thrown-{}", count + 1))
            .at(origin.x, origin.y, origin.z)
            .velocity(velocity.x, velocity.y, velocity.z)
            .density(3.0 * self.usual_density())
            .colour(0.72, 0.28, 0.23);
        body.motion = Motion::Dynamic;
        if self.world.is_mid_step() {
            self.waiting.push(body);
            return Ok(());
        }
        self.let_in(body)
    }

    fn let_in(&mut self, ball: Body) -> Result<(), Complaint> {
        let id = self.world.add(ball).map_err(Complaint::new)?;
        if let Some(ball) = self.world.body(id) {
            self.thrown.push(added(&self.world, ball.row()));
        }
        Ok(())
    }

    /// Median of mass over the volume of the box around a moving body \[kg/m³\].
    fn usual_density(&self) -> f64 {
        let (state, model) = (&self.world.system().state, &self.world.system().model);
        let mut densities: Vec<f64> = (0..model.len())
            .filter(|&i| model.is_dynamic(i))
            .map(|i| {
                let around = model.shape[i].aabb(&state.shape_pose(model, i));
                let size = around.high - around.low;
                model.mass[i] / (size.x * size.y * size.z)
            })
            .filter(|density| density.is_finite() && *density > 0.0)
            .collect();
        densities.sort_by(f64::total_cmp);
        let usual = densities.get(densities.len() / 2).copied();
        usual.unwrap_or(1000.0).clamp(1e-3, 1e6)
    }
}

/// Number of the body called `name` in frames.
fn row_of(world: &World, name: &str) -> Option<usize> {
    world.bodies().iter().position(|body| body.name == name)
}

/// The complaint about a change to a recording.
fn fixed() -> Complaint {
    Complaint::new("this is a recording: it can be looked at, but not changed")
}

/// `scene` with one value changed, `KEY=VALUE`.
fn changed(scene: &Scene, assignment: &str) -> Result<Scene, Complaint> {
    let mut scene = scene.clone();
    if assignment.trim_start().starts_with("preset") {
        scene.solver.rigid = drystone_world::Options::default();
    }
    let refused = |message: String| Complaint::new(format!("{assignment}: {message}"));
    let data = set::edit(&scene, assignment).map_err(refused)?;
    if names_a_file(&data) {
        return Err(refused(
            "files are named in the scene's own file only".into(),
        ));
    }
    set::read(&data).map_err(refused)
}

/// Whether some value is to be read from a file; those of the scene's own file have been read.
fn names_a_file(data: &Value) -> bool {
    match data {
        Value::Object(table) => {
            let file = table.get("file").is_some_and(|file| !file.is_null());
            file || table.values().any(names_a_file)
        }
        Value::Array(list) => list.iter().any(names_a_file),
        _ => false,
    }
}

/// Whether a run of `a` can go on as `b`: only what can be changed between two steps differs. With
/// strands or cloth (`deformable`) that is less.
fn alike(a: &Scene, b: &Scene, deformable: bool) -> bool {
    let rest = |scene: &Scene| {
        let mut rest = Scene {
            name: String::new(),
            about: String::new(),
            duration: 0.0,
            preset: None,
            camera: None,
            truths: Vec::new(),
            ..scene.clone()
        };
        rest.solver.rigid = drystone_world::Options::default();
        if !deformable {
            rest.dt = 0.01;
            rest.frame_rate = 50.0;
            rest.gravity = [0.0; 3];
            rest.materials.clear();
            rest.contacts.clear();
        }
        rest
    };
    rest(a) == rest(b) && a.materials.keys().eq(b.materials.keys())
}
