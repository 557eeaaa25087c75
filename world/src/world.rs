//! A scene come alive: builds the systems and lets itself be looked at.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use drystone_base::Stopwatch;
use drystone_rigid::{ContactProblem, System};

use crate::build::Builder;
use crate::cloths::{ClothTotal, Cloths};
use crate::exchange::Exchange;
use crate::finding::Findings;
use crate::roster::Roster;
use crate::snapshot::{Edition, Unfinished};
use crate::strands::Strands;
use crate::{Body, Event, Report, RestShape, Scene, SceneError, StrandReport, Thing, UserData};

/// A scene come alive.
pub struct World {
    pub(crate) roster: Roster,
    pub(crate) builder: Builder,
    pub(crate) rigid: System,
    pub(crate) strands: Option<Strands>,
    pub(crate) cloths: Option<Cloths>,
    pub(crate) step: f64,
    /// Length of the last step \[s\].
    pub(crate) last_step: f64,
    pub(crate) exchange: Exchange,
    pub(crate) findings: Findings,
    /// State at the begin of a step that was interrupted.
    pub(crate) unfinished: Option<Unfinished>,
    /// Report of the last step.
    pub(crate) report: Report,
    /// Events of the last step, and the pairs that touched at its end.
    pub(crate) events: Vec<Event>,
    pub(crate) touched: Vec<(Thing, Thing)>,
    /// Memory for the pairs of the next step.
    pub(crate) touched_before: Vec<(Thing, Thing)>,
    /// What there was at first, once something has come or gone, and what there is now, once a snapshot needs it.
    pub(crate) origin: Option<Arc<Edition>>,
    pub(crate) edition: OnceLock<Arc<Edition>>,
    /// What is kept with things, where it was changed since they were described.
    pub(crate) user: BTreeMap<Thing, UserData>,
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
        let (mut builder, mut model) = Builder::new(&scene)?;
        for body in &scene.bodies {
            model.add(builder.body(body)?)?;
        }
        let mut rigid = System::new(model, scene.options()?)?;
        rigid.set_clock(Stopwatch::clock);
        let strands = Strands::new(&scene, &rigid)?;
        let ties = strands.as_ref().map_or(&[][..], |strands| &strands.ties);
        Ok(Self {
            builder,
            cloths: Cloths::new(&scene, &rigid.model, 0.0, ties, strands.as_ref())?,
            strands,
            rigid,
            step: scene.step(),
            last_step: scene.step(),
            exchange: Exchange::default(),
            findings: Findings::default(),
            unfinished: None,
            report: Report::default(),
            events: Vec::new(),
            touched: Vec::new(),
            touched_before: Vec::new(),
            origin: None,
            edition: OnceLock::new(),
            user: BTreeMap::new(),
            roster: Roster::new(scene),
        })
    }

    /// The scene as it is now: generators replaced by their bodies, and with what has come and gone since.
    pub fn scene(&self) -> &Scene {
        &self.roster.scene
    }

    /// Every body as described, in the order of frames and of the rigid model.
    pub fn bodies(&self) -> &[Body] {
        &self.roster.scene.bodies
    }

    /// A number that differs between scenes that would run differently. Names, truths, colours,
    /// the camera and the duration do not count.
    pub fn fingerprint(&self) -> u64 {
        self.roster.fingerprint()
    }

    /// Time since the start \[s\].
    pub fn time(&self) -> f64 {
        self.rigid.state.time
    }

    /// The step that [`Self::step`] takes \[s\].
    pub fn step_length(&self) -> f64 {
        self.step
    }

    /// The rigid bodies: model, state and options.
    pub fn system(&self) -> &System {
        &self.rigid
    }

    /// The rigid bodies, to change options or what the views of single bodies do not reach.
    pub fn system_mut(&mut self) -> &mut System {
        &mut self.rigid
    }

    /// Report of the last step.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Takes one step of the scene's length.
    pub fn step(&mut self) -> Report {
        self.advance(self.step)
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

    /// The strands: model, state and options; none where the scene has none.
    pub fn strands(&self) -> Option<&drystone_strand::System> {
        self.strands.as_ref().map(|strands| &strands.system)
    }

    /// The strands, to apply forces or to change options.
    pub fn strands_mut(&mut self) -> Option<&mut drystone_strand::System> {
        self.strands.as_mut().map(|strands| &mut strands.system)
    }

    /// The step of strands, which they halve where their error asks for it \[s\].
    pub fn strand_step(&self) -> f64 {
        let substeps = self.strands.as_ref().map_or(1, |strands| strands.substeps);
        self.last_step / f64::from(substeps)
    }

    /// The cloth: model, state and options; none where the scene has none.
    pub fn cloths(&self) -> Option<&drystone_cloth::System> {
        self.cloths.as_ref().map(|cloths| &cloths.system)
    }

    /// The cloth, to move its pins or for diagnostics.
    pub fn cloths_mut(&mut self) -> Option<&mut drystone_cloth::System> {
        self.cloths.as_mut().map(|cloths| &mut cloths.system)
    }

    /// Totals of the cloth since the world was made.
    pub fn cloth_total(&self) -> Option<&ClothTotal> {
        self.cloths.as_ref().map(|cloths| &cloths.total)
    }

    /// Totals of the strands since the world was made.
    pub fn strand_total(&self) -> Option<&StrandReport> {
        self.strands.as_ref().map(|strands| &strands.total)
    }

    /// Rest shapes found for grooms with `zero_gravity`.
    pub fn rest_shapes(&self) -> &[RestShape] {
        let shapes = self.strands.as_ref().map(|strands| &strands.rest_shapes);
        shapes.map_or(&[], |shapes| shapes)
    }

    /// Number of points of strands that touch a body.
    pub fn strand_contacts(&self) -> usize {
        self.strands.as_ref().map_or(0, Strands::contacts)
    }

    /// The contact problem that the next step meets first, called `SCENE@TIME`; see
    /// [`drystone_rigid::System::contact_problem`].
    pub fn contact_problem(&self) -> ContactProblem {
        let mut problem = self.rigid.contact_problem(self.step);
        let microseconds = (self.time() * 1e6).round();
        problem.name = format!("{}@{}", self.roster.scene.name, microseconds / 1e6);
        problem
    }
}
