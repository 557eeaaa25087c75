//! A scene come alive: builds the systems, advances them, and lets itself be looked at.

use std::collections::BTreeMap;
use std::sync::Arc;

use drystone_base::{Pose, Vec3};
use drystone_rigid::{ContactProblem, Report, State, System, energy};
use serde::{Deserialize, Serialize};

use crate::build::Builder;
use crate::{Body, Frame, FrameBody, FrameContact, Scene, SceneError};

/// A scene come alive.
pub struct World {
    scene: Scene,
    names: Vec<Arc<str>>,
    index: BTreeMap<Arc<str>, usize>,
    builder: Builder,
    system: System,
    step: f64,
    fingerprint: u64,
    /// Length of the last step [s].
    last_step: f64,
}

/// All that moves in a world, and which scene it belongs to. Restoring it resumes bit for bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Of the scene; see [`World::fingerprint`].
    pub fingerprint: u64,
    /// The rigid bodies.
    pub rigid: State,
    /// Length of the last step [s].
    pub last_step: f64,
}

impl World {
    /// Brings `scene` to life, or says what is wrong with it.
    pub fn new(scene: &Scene) -> Result<Self, SceneError> {
        let (bodies, strands) = scene.check()?;
        let scene = Scene {
            bodies,
            generators: Vec::new(),
            strands,
            grooms: Vec::new(),
            ..scene.clone()
        };
        let (mut builder, mut model) = Builder::new(&scene);
        for body in &scene.bodies {
            model.add(builder.body(body)?)?;
        }
        let system = System::new(model, scene.options()?)?;
        let names: Vec<Arc<str>> = scene
            .bodies
            .iter()
            .map(|body| body.name.as_str().into())
            .collect();
        Ok(Self {
            index: names
                .iter()
                .enumerate()
                .map(|(i, name)| (name.clone(), i))
                .collect(),
            names,
            builder,
            system,
            step: scene.step(),
            fingerprint: fingerprint(&scene),
            last_step: scene.step(),
            scene,
        })
    }

    /// The scene, its generators replaced by their bodies.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Every body as described, in the order of frames and of the rigid model.
    pub fn bodies(&self) -> &[Body] {
        &self.scene.bodies
    }

    /// Index of the body called `name`.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    /// Time since the start [s].
    pub fn time(&self) -> f64 {
        self.system.state.time
    }

    /// The step that [`Self::step`] takes [s].
    pub fn step_length(&self) -> f64 {
        self.step
    }

    /// The rigid bodies: model, state and options.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// The rigid bodies, to push them about or to change options.
    pub fn system_mut(&mut self) -> &mut System {
        &mut self.system
    }

    /// Takes one step of the scene's length.
    pub fn step(&mut self) -> Report {
        self.advance(self.step)
    }

    /// Takes one step of `dt` seconds. Nothing happens for a `dt` that is not positive and finite.
    pub fn advance(&mut self, dt: f64) -> Report {
        if !(dt > 0.0 && dt.is_finite()) {
            return Report::default();
        }
        self.last_step = dt;
        self.system.step(dt)
    }

    /// The contact problem that the next step meets first, called `SCENE@TIME`; see
    /// [`System::contact_problem`].
    pub fn contact_problem(&self) -> ContactProblem {
        let mut problem = self.system.contact_problem(self.step);
        let microseconds = (self.time() * 1e6).round();
        problem.name = format!("{}@{}", self.scene.name, microseconds / 1e6);
        problem
    }

    /// Takes the scene's steps until `seconds` have passed; the report is that of the last step.
    pub fn run_for(&mut self, seconds: f64) -> Report {
        let steps = (seconds / self.step - 1e-6).ceil().max(0.0) as u64;
        let mut report = Report::default();
        for _ in 0..steps {
            report = self.step();
        }
        report
    }

    /// Adds a body while running; it enters at `enters_at`, or now if that has passed.
    pub fn add_body(&mut self, mut body: Body) -> Result<usize, SceneError> {
        if body.name.is_empty() {
            body.name = format!("{}-{}", body.shape.kind(), self.names.len());
        }
        body.validate()?;
        if self.index_of(&body.name).is_some() {
            return Err(SceneError::SameName(body.name));
        }
        let index = self.system.add(self.builder.body(&body)?)?;
        let name: Arc<str> = body.name.as_str().into();
        self.names.push(name.clone());
        self.index.insert(name, index);
        self.scene.bodies.push(body);
        self.fingerprint = fingerprint(&self.scene);
        Ok(index)
    }

    /// What there is to see, without contacts.
    pub fn frame(&self) -> Frame {
        let (state, model) = (&self.system.state, &self.system.model);
        Frame {
            time: state.time,
            step: state.step,
            bodies: (0..model.len())
                .map(|i| FrameBody {
                    name: self.names[i].clone(),
                    pose: self.pose(i),
                    visible: state.present[i],
                    linear_velocity: state.linear_velocity[i],
                    angular_velocity: state.angular_velocity[i],
                })
                .collect(),
            strands: Vec::new(),
            cloths: Vec::new(),
            contacts: Vec::new(),
        }
    }

    /// What there is to see, with the contact points of the last step.
    pub fn frame_with_contacts(&self) -> Frame {
        Frame {
            contacts: self.contacts(),
            ..self.frame()
        }
    }

    /// The contact points of the last step with their forces.
    pub fn contacts(&self) -> Vec<FrameContact> {
        let contacts = &self.system.state.contacts;
        let span = self.system.options().impulse_span(self.last_step);
        let points = contacts.patches.iter().flat_map(|patch| {
            contacts
                .points_of(patch)
                .iter()
                .map(move |point| FrameContact {
                    a: patch.a as usize,
                    b: patch.b as usize,
                    point: point.position,
                    normal: patch.normal,
                    distance: point.distance,
                    force: point.impulse / span,
                })
        });
        points.collect()
    }

    /// Pose of the shape of body `i`.
    pub fn pose(&self, i: usize) -> Pose {
        self.system.state.shape_pose(&self.system.model, i)
    }

    /// [J]
    pub fn kinetic_energy(&self) -> f64 {
        energy::kinetic_energy(&self.system.state, &self.system.model)
    }

    /// Zero at the origin [J].
    pub fn potential_energy(&self) -> f64 {
        energy::potential_energy(&self.system.state, &self.system.model)
    }

    /// [kg m/s]
    pub fn momentum(&self) -> Vec3 {
        energy::linear_momentum(&self.system.state, &self.system.model)
    }

    /// About the origin [kg m²/s].
    pub fn angular_momentum(&self) -> Vec3 {
        energy::angular_momentum(&self.system.state, &self.system.model, Vec3::ZERO)
    }

    /// Mass of all bodies that have entered and move [kg].
    pub fn moving_mass(&self) -> f64 {
        let (state, model) = (&self.system.state, &self.system.model);
        (0..model.len())
            .filter(|&i| state.present[i] && model.is_dynamic(i))
            .map(|i| model.mass[i])
            .sum()
    }

    /// A number that differs between scenes that would run differently. Names, truths, colours,
    /// the camera and the duration do not count.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// All that moves.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            fingerprint: self.fingerprint,
            rigid: self.system.state.clone(),
            last_step: self.last_step,
        }
    }

    /// Goes back (or on) to `snapshot`; refuses one of another scene, or a damaged one.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SceneError> {
        if snapshot.fingerprint != self.fingerprint {
            return Err(SceneError::OtherScene {
                found: snapshot.fingerprint,
                wanted: self.fingerprint,
            });
        }
        if let Some(what) = damage(&snapshot.rigid, self.names.len()) {
            return Err(SceneError::value(
                "snapshot",
                what,
                "damaged",
                "a state as `snapshot` makes it",
            ));
        }
        self.system.state.clone_from(&snapshot.rigid);
        self.last_step = snapshot.last_step;
        Ok(())
    }
}

/// What makes `state` unusable for `n` bodies, if something does.
fn damage(state: &State, n: usize) -> Option<&'static str> {
    let lengths = [
        state.position.len(),
        state.rotation.len(),
        state.linear_velocity.len(),
        state.angular_velocity.len(),
        state.force.len(),
        state.torque.len(),
        state.present.len(),
        state.removed.len(),
        state.quiet.len(),
        state.asleep.len(),
    ];
    if lengths.iter().any(|&length| length != n) {
        return Some("number of bodies");
    }
    let finite = state.time.is_finite()
        && state.position.iter().all(|p| p.is_finite())
        && state
            .rotation
            .iter()
            .all(|q| q.is_finite() && (q.length() - 1.0).abs() < 1e-3)
        && state
            .linear_velocity
            .iter()
            .chain(&state.angular_velocity)
            .all(|v| v.is_finite());
    if !finite {
        return Some("motion");
    }
    let contacts = &state.contacts;
    let body = |i: u32| (i as usize) < n;
    let inside = |first: u32, count: u32, length: usize| {
        u64::from(first) + u64::from(count) <= length as u64
    };
    let pairs = contacts
        .pairs
        .iter()
        .all(|p| body(p.a) && body(p.b) && inside(p.first, p.count, contacts.patches.len()));
    let patches = contacts
        .patches
        .iter()
        .all(|p| body(p.a) && body(p.b) && inside(p.first, p.count, contacts.points.len()));
    (!(pairs && patches)).then_some("contacts")
}

/// FNV-1a over all of the scene that decides how it runs.
fn fingerprint(scene: &Scene) -> u64 {
    let plain = |body: &Body| Body {
        colour: None,
        name: String::new(),
        ..body.clone()
    };
    let essence = Scene {
        name: String::new(),
        about: String::new(),
        duration: 0.0,
        camera: None,
        truths: Vec::new(),
        bodies: scene.bodies.iter().map(plain).collect(),
        ..scene.clone()
    };
    // writing plain data to memory does not fail; if it did, all scenes would look alike
    let bytes = serde_json::to_vec(&essence).unwrap_or_default();
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}
