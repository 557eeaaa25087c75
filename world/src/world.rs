//! A scene come alive: builds the systems, advances them, and lets itself be looked at.

use std::collections::BTreeMap;
use std::sync::Arc;

use drystone_base::{Pose, Vec3};
use drystone_rigid::{ContactProblem, Report, State, System, energy};
use serde::{Deserialize, Serialize};

use crate::build::Builder;
use crate::cloths::{ClothSnapshot, ClothTotal, Cloths};
use crate::exchange::{Exchange, ExchangeGain};
use crate::finding::{Finding, FindingKind, Findings, RunVerdict};
use crate::strands::Strands;
use crate::{
    Body, Cloth, Frame, FrameBody, FrameContact, FrameStrand, RestShape, Scene, SceneError, Strand,
    StrandReport, StrandSnapshot,
};

/// A scene come alive.
pub struct World {
    scene: Scene,
    names: Vec<Arc<str>>,
    index: BTreeMap<Arc<str>, usize>,
    builder: Builder,
    system: System,
    strands: Option<Strands>,
    cloths: Option<Cloths>,
    step: f64,
    fingerprint: u64,
    /// Length of the last step [s].
    last_step: f64,
    exchange: Exchange,
    findings: Findings,
    /// Where everything was before a step that was interrupted.
    unfinished: Option<Unfinished>,
}

/// Where everything was before a step that has cloth in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unfinished {
    rigid: State,
    strands: Option<StrandSnapshot>,
    cloth: drystone_cloth::Place,
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
    /// The strands, if there are any.
    pub strands: Option<StrandSnapshot>,
    /// The cloth, if there is any.
    pub cloths: Option<ClothSnapshot>,
    /// What had gone wrong by then.
    pub findings: Vec<Finding>,
    /// Where everything was before the step that was interrupted, if one was.
    pub unfinished: Option<Unfinished>,
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
            ..scene.named()
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
            strands: Strands::new(&scene, &system)?,
            cloths: Cloths::new(&scene, &system.model)?,
            system,
            step: scene.step(),
            fingerprint: fingerprint(&scene),
            last_step: scene.step(),
            exchange: Exchange::default(),
            findings: Findings::default(),
            unfinished: None,
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

    /// Takes one step of `dt` seconds. Nothing happens for a `dt` that is not positive and finite, nor in a world that
    /// [has stopped](Self::has_stopped).
    pub fn advance(&mut self, dt: f64) -> Report {
        self.advance_while(dt, |_| true)
    }

    /// As [`Self::advance`], but while cloth follows the bodies `go_on` is asked every few thousand events whether to.
    /// If it says no, the step is left [unfinished](Self::is_mid_step): the next advance takes it up again, whatever
    /// its `dt`, and all is as if it had not been interrupted.
    pub fn advance_while(
        &mut self,
        dt: f64,
        mut go_on: impl FnMut(&drystone_cloth::Moment) -> bool,
    ) -> Report {
        if !(dt > 0.0 && dt.is_finite()) || self.has_stopped() {
            return Report::default();
        }
        if let Some(before) = self.unfinished.take() {
            return self.finish_step(Report::default(), before, &mut go_on);
        }
        self.last_step = dt;
        let before = self.cloths.as_ref().map(|cloths| Unfinished {
            rigid: self.system.state.clone(),
            strands: self.strands.as_ref().map(Strands::snapshot),
            cloth: cloths.system.place(),
        });
        if let Some(cloths) = &self.cloths {
            cloths.push_bodies(&mut self.system, dt);
        }
        if self.cloths.is_some() {
            self.exchange.begin(&self.system);
        }
        let mut report = match &mut self.strands {
            Some(strands) => strands.advance(&mut self.system, dt),
            None => self.system.step(dt),
        };
        let gains = self.close_exchange(dt);
        self.take_exchange(&gains);
        if let (Some(cloths), Some(before)) = (&mut self.cloths, before) {
            cloths.set_out(&self.system, dt, &self.exchange);
            return self.finish_step(report, before, &mut go_on);
        }
        self.follow_with_strands(&mut report);
        self.take_stock(&report);
        report
    }

    fn follow_with_strands(&mut self, report: &mut Report) {
        if let Some(strands) = &mut self.strands {
            strands.catch_up(&self.system);
            report.dynamics_seconds += strands.last.seconds;
        }
    }

    /// Lets cloth follow the bodies to the end of their step; they give way to it, and strands that only follow
    /// go where they are then. At a stall the whole world goes back to where the step began, so that nothing is seen to cross.
    fn finish_step(
        &mut self,
        mut report: Report,
        before: Unfinished,
        go_on: &mut dyn FnMut(&drystone_cloth::Moment) -> bool,
    ) -> Report {
        let Some(cloths) = &mut self.cloths else {
            return report;
        };
        let finished = cloths.follow(&self.system, go_on);
        report.dynamics_seconds += cloths.last.seconds;
        if cloths.system.stall().is_some() {
            cloths.system.stand_still_at(&before.cloth);
            self.system.state.clone_from(&before.rigid);
            if let (Some(strands), Some(then)) = (&mut self.strands, &before.strands)
                && strands.restore(then).is_ok()
            {
                strands.settle_in(&self.system);
            }
            report = Report {
                dynamics_seconds: report.dynamics_seconds,
                ..Report::default()
            };
        } else if finished {
            cloths.gather(&mut self.system);
            self.follow_with_strands(&mut report);
        } else {
            self.unfinished = Some(before);
            return report;
        }
        self.take_stock(&report);
        report
    }

    /// Whether the last step was interrupted: bodies are at its end, cloth is on the way there. A snapshot can be
    /// taken; frames are to be looked at after the next advance.
    pub fn is_mid_step(&self) -> bool {
        self.unfinished.is_some()
    }

    /// Whether time stands still for good, as cloth cannot go on without passing through something. The findings say
    /// why and when; everything is where it was when the step began in which that happened.
    pub fn has_stopped(&self) -> bool {
        self.cloths
            .as_ref()
            .is_some_and(|cloths| cloths.system.stall().is_some())
    }

    /// Sets the work that loads of cloth did in the bodies' step against what it lost. Strands need no such
    /// account: they move with the bodies as one.
    fn close_exchange(&mut self, dt: f64) -> Vec<ExchangeGain> {
        match &self.cloths {
            Some(cloths) => self
                .exchange
                .close(&self.system, |i| cloths.load(i, dt), dt),
            None => Vec::new(),
        }
    }

    /// Takes bodies that received more than strands and cloth lost into the findings.
    fn take_exchange(&mut self, gains: &[ExchangeGain]) {
        for gain in gains {
            let [gained, allowed] = [gain.gained, gain.allowed];
            let what = || {
                format!(
                    "cloth gave it {gained:.3e} J more than it lost to it; {allowed:.3e} J pass for \
                     rounding of the step"
                )
            };
            let thing = || self.names[gain.body].to_string();
            let (kind, time) = (FindingKind::CouplingGained, self.system.state.time);
            self.findings
                .add(kind, gain.body, time, (gained, allowed), thing, what);
        }
    }

    /// What has gone wrong since the world was made, once for each kind and thing, in the order of
    /// first occurrence. A caller that remembers how many there were sees what is new.
    pub fn findings(&self) -> &[Finding] {
        self.findings.list()
    }

    /// Whether nothing has gone wrong since the world was made.
    pub fn is_sound(&self) -> bool {
        self.findings.list().is_empty()
    }

    /// The findings so far as a report shows them.
    pub fn verdict(&self) -> RunVerdict {
        RunVerdict {
            sound: self.is_sound(),
            findings: self.findings.list().to_vec(),
        }
    }

    /// Takes the faults of the step that has just been taken into the findings.
    fn take_stock(&mut self, report: &Report) {
        let Self {
            findings, names, ..
        } = self;
        let time = self.system.state.time;
        let body = |i: usize| {
            names
                .get(i)
                .map_or_else(String::new, |name| name.to_string())
        };
        for &i in &report.set_aside {
            let what = || "its motion is no longer finite, and it was taken out".into();
            let values = (f64::MAX, f64::MAX);
            findings.add(FindingKind::BodyLost, i, time, values, || body(i), what);
        }
        for gain in &report.gains {
            let values = (gain.gained, gain.allowed);
            let what = || {
                let others = match gain.bodies.saturating_sub(1) {
                    0 => "it".to_owned(),
                    n => format!("it and the {n} in contact with it"),
                };
                let [gained, allowed] = [gain.gained, gain.allowed];
                format!(
                    "{others} gained {gained:.3e} J that nothing gave; {allowed:.3e} J pass for rounding of the step"
                )
            };
            let kind = FindingKind::EnergyGained;
            findings.add(kind, gain.body, time, values, || body(gain.body), what);
        }
        for fast in &report.too_fast {
            let values = (fast.speed, fast.allowed);
            let what = || {
                let [speed, allowed] = [fast.speed, fast.allowed];
                format!(
                    "it goes at {speed:.3e} m/s, and all that touched it could give it {allowed:.3e} m/s"
                )
            };
            let kind = FindingKind::BodyTooFast;
            findings.add(kind, fast.body, time, values, || body(fast.body), what);
        }
        if let Some(strands) = &self.strands {
            let name = |i: usize| {
                let chain = strands.system.model.chains.get(i);
                chain.map_or_else(String::new, |chain| chain.name.clone())
            };
            for &i in &strands.last.unsolved {
                let what = || "a step was accepted although it was not solved".into();
                let kind = FindingKind::StrandUnsolved;
                findings.add(kind, i, time, (1.0, 0.0), || name(i), what);
            }
            for &i in &strands.last.set_aside {
                let what =
                    || "its motion is no longer finite, and it was put back on its start".into();
                let values = (f64::MAX, f64::MAX);
                findings.add(FindingKind::StrandReset, i, time, values, || name(i), what);
            }
        }
        if let Some(cloths) = &mut self.cloths {
            for (k, meeting) in cloths
                .system
                .meetings()
                .iter()
                .enumerate()
                .skip(cloths.told)
            {
                let thing = || format!("{}, {}", meeting.a.object, meeting.b.object);
                let kind = FindingKind::ScriptsMeet;
                let what = || meeting.to_string();
                findings.add(kind, k, meeting.time, (0.0, 0.0), thing, what);
            }
            cloths.told = cloths.system.meetings().len();
            if let Some(stall) = &cloths.last.stall {
                let values = (stall.distance, 0.0);
                let kind = FindingKind::ClothStalled;
                let thing = || stall.a.object.clone();
                findings.add(kind, 0, stall.time, values, thing, || stall.to_string());
            }
            if !cloths.system.momentum().0.is_finite() {
                let what = || "its motion is no longer finite".into();
                let thing = || {
                    let first = self.scene.cloths.first();
                    first.map_or_else(String::new, |cloth| cloth.name.clone())
                };
                let values = (f64::MAX, f64::MAX);
                findings.add(FindingKind::ClothLost, 0, time, values, thing, what);
            }
        }
    }

    /// The strands: model, state and options; none where the scene has none.
    pub fn strands(&self) -> Option<&drystone_strand::System> {
        self.strands.as_ref().map(|strands| &strands.system)
    }

    /// The strands, to push them about or to change options.
    pub fn strands_mut(&mut self) -> Option<&mut drystone_strand::System> {
        self.strands.as_mut().map(|strands| &mut strands.system)
    }

    /// The step of strands, which they halve where their error asks for it [s].
    pub fn strand_step(&self) -> f64 {
        let substeps = self.strands.as_ref().map_or(1, |strands| strands.substeps);
        self.last_step / f64::from(substeps)
    }

    /// The cloth: model, state and options; none where the scene has none.
    pub fn cloths(&self) -> Option<&drystone_cloth::System> {
        self.cloths.as_ref().map(|cloths| &cloths.system)
    }

    /// The cloth, to move its pins or to look closer.
    pub fn cloths_mut(&mut self) -> Option<&mut drystone_cloth::System> {
        self.cloths.as_mut().map(|cloths| &mut cloths.system)
    }

    /// What the cloth did in the last step.
    pub fn cloth_report(&self) -> Option<&drystone_cloth::Report> {
        self.cloths.as_ref().map(|cloths| &cloths.last)
    }

    /// What the cloth did since the world was made.
    pub fn cloth_total(&self) -> Option<&ClothTotal> {
        self.cloths.as_ref().map(|cloths| &cloths.total)
    }

    /// What the strands did in the last step.
    pub fn strand_report(&self) -> Option<&StrandReport> {
        self.strands.as_ref().map(|strands| &strands.last)
    }

    /// What the strands did since the world was made.
    pub fn strand_total(&self) -> Option<&StrandReport> {
        self.strands.as_ref().map(|strands| &strands.total)
    }

    /// What came of the grooms that are not to sag (`zero_gravity`).
    pub fn rest_shapes(&self) -> &[RestShape] {
        let shapes = self.strands.as_ref().map(|strands| &strands.rest_shapes);
        shapes.map_or(&[], |shapes| shapes)
    }

    /// How deep the surface of a strand is in a body, at most, anywhere along it; dear [m].
    pub fn strand_penetration(&self) -> f64 {
        self.strands.as_ref().map_or(0.0, Strands::deepest)
    }

    /// How many points of strands touch a body.
    pub fn strand_contacts(&self) -> usize {
        self.strands.as_ref().map_or(0, Strands::contacts)
    }

    /// Of motion, and of weight and elasticity, of all strands [J].
    pub fn strand_energy(&self) -> [f64; 2] {
        self.strands.as_ref().map_or([0.0; 2], |strands| {
            [strands.kinetic_energy(), strands.potential_energy()]
        })
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
        if let Some(strands) = &mut self.strands {
            let material = self.scene.materials.get(&body.material);
            let material = material.copied().unwrap_or_default();
            strands.add_body(&body, &material, &self.system)?;
        }
        if let Some(cloths) = &mut self.cloths {
            let material = self.scene.materials.get(&body.material);
            let material = material.copied().unwrap_or_default();
            cloths.add_body(&body, material, &self.system.model);
        }
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
                    visible: state.present[i] && !self.bodies()[i].hidden,
                    linear_velocity: state.linear_velocity[i],
                    angular_velocity: state.angular_velocity[i],
                })
                .collect(),
            strands: self.curves(),
            cloths: self.cloths.as_ref().map_or_else(Vec::new, Cloths::frame),
            contacts: Vec::new(),
        }
    }

    /// Strands, and the chains and particles of cloth.
    fn curves(&self) -> Vec<FrameStrand> {
        let mut curves = self.strands.as_ref().map_or_else(Vec::new, Strands::frame);
        curves.extend(self.cloths.iter().flat_map(Cloths::curves));
        curves
    }

    /// What there is to see, with the contact points of the last step: those of bodies, then those of strands.
    pub fn frame_with_contacts(&self) -> Frame {
        let mut contacts = self.contacts();
        contacts.extend(self.contacts_of_strands());
        Frame {
            contacts,
            ..self.frame()
        }
    }

    /// Contact points of strands with bodies: `b` is the number of bodies plus that of the curve in a frame.
    pub fn contacts_of_strands(&self) -> Vec<FrameContact> {
        let Some(system) = self.strands() else {
            return Vec::new();
        };
        let bodies = self.system.model.len();
        let mut first = 0;
        let mut found = Vec::new();
        for (strand, chain) in system.state.strands.iter().zip(&system.model.chains) {
            found.extend(strand.contacts.iter().map(|contact| {
                let curve = chain.source.get(contact.link).map_or(0, |source| source.0);
                FrameContact {
                    a: contact.obstacle,
                    b: bodies + first + curve,
                    point: contact.place,
                    normal: contact.normal,
                    distance: contact.gap,
                    force: contact.force,
                }
            }));
            first += chain.parameters.len();
        }
        found
    }

    /// The contact points of bodies in the last step with their forces.
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

    /// Of bodies, strands and cloth [J].
    pub fn kinetic_energy(&self) -> f64 {
        let bodies = energy::kinetic_energy(&self.system.state, &self.system.model);
        let strands = self.strands.as_ref().map_or(0.0, Strands::kinetic_energy);
        let cloths = self
            .cloths
            .as_ref()
            .map_or(0.0, |c| c.system.energy().kinetic);
        bodies + strands + cloths
    }

    /// Of weight, zero at the origin, of the elasticity of strands and cloth, and of the layers
    /// about cloth [J].
    pub fn potential_energy(&self) -> f64 {
        let bodies = energy::potential_energy(&self.system.state, &self.system.model);
        let strands = self.strands.as_ref().map_or(0.0, Strands::potential_energy);
        let cloths = self.cloths.as_ref().map_or(0.0, Cloths::potential_energy);
        bodies + strands + cloths
    }

    /// Of bodies, strands and cloth [kg m/s].
    pub fn momentum(&self) -> Vec3 {
        let bodies = energy::linear_momentum(&self.system.state, &self.system.model);
        let of = |s: &Strands| drystone_strand::energy::linear_momentum(&s.system);
        let strands = self.strands.as_ref().map_or(Vec3::ZERO, of);
        let cloths = self
            .cloths
            .as_ref()
            .map_or(Vec3::ZERO, |c| c.system.momentum().0 + c.pending_momentum());
        bodies + strands + cloths
    }

    /// About the origin, of bodies, strands and cloth [kg m²/s].
    pub fn angular_momentum(&self) -> Vec3 {
        let (state, model) = (&self.system.state, &self.system.model);
        let bodies = energy::angular_momentum(state, model, Vec3::ZERO);
        let of = |s: &Strands| drystone_strand::energy::angular_momentum(&s.system, Vec3::ZERO);
        let strands = self.strands.as_ref().map_or(Vec3::ZERO, of);
        let cloths = self
            .cloths
            .as_ref()
            .map_or(Vec3::ZERO, |c| c.system.momentum().1);
        bodies + strands + cloths
    }

    /// Mass of all bodies that have entered and move, and of all strands [kg].
    pub fn moving_mass(&self) -> f64 {
        let (state, model) = (&self.system.state, &self.system.model);
        let bodies: f64 = (0..model.len())
            .filter(|&i| state.present[i] && model.is_dynamic(i))
            .map(|i| model.mass[i])
            .sum();
        match &self.strands {
            Some(strands) => bodies + strands.mass(),
            None => bodies,
        }
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
            strands: self.strands.as_ref().map(Strands::snapshot),
            cloths: self.cloths.as_ref().map(Cloths::snapshot),
            findings: self.findings.list().to_vec(),
            unfinished: self.unfinished.clone(),
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
        match (&mut self.strands, &snapshot.strands) {
            (None, None) => {}
            (Some(strands), Some(state)) => strands.restore(state)?,
            _ => {
                let wanted = "a state as `snapshot` makes it";
                return Err(SceneError::value("snapshot", "strands", "damaged", wanted));
            }
        }
        match (&mut self.cloths, &snapshot.cloths) {
            (None, None) => {}
            (Some(cloths), Some(state)) => cloths.restore(state)?,
            _ => {
                let wanted = "a state as `snapshot` makes it";
                return Err(SceneError::value("snapshot", "cloth", "damaged", wanted));
            }
        }
        self.system.state.clone_from(&snapshot.rigid);
        if let Some(strands) = &mut self.strands {
            strands.settle_in(&self.system);
        }
        self.last_step = snapshot.last_step;
        self.unfinished.clone_from(&snapshot.unfinished);
        let chains = self.strands.as_ref().map(|s| &s.system.model.chains);
        self.findings.resume(&snapshot.findings, |finding| {
            let strand = || chains?.iter().position(|chain| chain.name == finding.thing);
            match finding.kind {
                FindingKind::ClothStalled | FindingKind::ClothLost | FindingKind::ScriptsMeet => 0,
                FindingKind::StrandUnsolved | FindingKind::StrandReset => strand().unwrap_or(0),
                _ => self.index.get(finding.thing.as_str()).copied().unwrap_or(0),
            }
        });
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
    // names of strands decide nothing; those of bodies do, where strands ride on them
    let bare = |strand: &Strand| Strand {
        colour: None,
        name: String::new(),
        ..strand.clone()
    };
    let plain_cloth = |cloth: &Cloth| Cloth {
        colour: None,
        name: String::new(),
        ..cloth.clone()
    };
    let named = !(scene.strands.is_empty() && scene.cloths.is_empty());
    let plain = |body: &Body| Body {
        name: if named {
            body.name.clone()
        } else {
            String::new()
        },
        ..plain(body)
    };
    let essence = Scene {
        name: String::new(),
        about: String::new(),
        duration: 0.0,
        camera: None,
        truths: Vec::new(),
        bodies: scene.bodies.iter().map(plain).collect(),
        strands: scene.strands.iter().map(bare).collect(),
        cloths: scene.cloths.iter().map(plain_cloth).collect(),
        ..scene.clone()
    };
    // writing plain data to memory does not fail; if it did, all scenes would look alike
    let bytes = serde_json::to_vec(&essence).unwrap_or_default();
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}
