//! A model, its state and how to step it, in one hand.

use drystone_base::{Mat3, Vec3};
use drystone_geometry::{Aabb, BroadPhase, ContactBuffer};

use crate::overlap::Overlaps;
use crate::watch::Watch;
use crate::{
    Contacts, EnergyAccount, EnergyGain, Error, Graph, Model, Options, Overlap, State, Stepper,
    TooFast,
};

/// What a step did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Contact points within the envelope.
    pub contacts: usize,
    /// Pairs of bodies with at least one contact point.
    pub pairs: usize,
    /// Islands of bodies that hang together.
    pub islands: usize,
    /// Into how many parts the default stepper split the step.
    pub parts: u32,
    /// Sweeps of the velocity solver over all contacts.
    pub sweeps: usize,
    /// Largest approach speed left at a touching contact after the solve \[m/s\].
    pub residual: f64,
    /// Depth of the deepest contact at the start of the step \[m\].
    pub deepest_penetration: f64,
    /// Bodies quarantined because their motion was no longer finite.
    pub quarantined: Vec<usize>,
    /// Where the step's energy came from and went.
    pub energy: EnergyAccount,
    /// Islands that gained energy which nothing gave them. Empty in a sound step.
    pub gains: Vec<EnergyGain>,
    /// Bodies faster than the energy of their island explains. Empty in a sound step.
    pub too_fast: Vec<TooFast>,
    /// Bodies that stay inside each other. Empty in a sound step.
    pub overlaps: Vec<Overlap>,
    /// Wall time of the search for contacts \[s\]; zero unless there is a [clock](System::set_clock).
    pub collision_seconds: f64,
}

impl Report {
    /// What is known of a step once its contacts are found and their graph is analysed.
    pub(crate) fn of(state: &State, graph: &Graph) -> Self {
        Self {
            contacts: state.contacts.points.len(),
            pairs: state
                .contacts
                .pairs
                .iter()
                .filter(|pair| pair.count > 0)
                .count(),
            islands: graph.islands as usize,
            deepest_penetration: state.contacts.deepest(),
            ..Self::default()
        }
    }
}

/// Scratch memory that a step may use and that never influences its result.
#[derive(Default)]
pub struct Workspace {
    pub(crate) graph: Graph,
    pub(crate) assembly: crate::dynamics::Assembly,
    pub(crate) buffer: ContactBuffer,
    /// Memory of the contacts before last.
    pub(crate) contacts: Contacts,
    // written by `near_pairs`, from here to `near`
    /// Per body: its box over the step.
    pub(crate) boxes: Vec<Aabb>,
    pub(crate) broad: BroadPhase,
    /// Per body: its rotation as a matrix.
    pub(crate) axes: Vec<Mat3>,
    /// Per body: how far gravity and forces carry it within the step at most, seen by one that falls \[m\].
    pub(crate) fall: Vec<Vec3>,
    /// Per body: how far a blow of a neighbour may carry it within the step \[m\].
    pub(crate) struck: Vec<f64>,
    /// Per body: largest speed of its points \[m/s\].
    pub(crate) speed: Vec<f64>,
    /// Per body: whether it may go so far in the step that what it does to others has to be asked; two that may not
    /// do nothing to each other.
    pub(crate) brisk: Vec<bool>,
    /// Sorted pairs whose boxes overlap.
    pub(crate) near: Vec<(u32, u32)>,
    // written by `prepare`, from here to `typical_length`
    /// Per body: radius of its shape about the centre of mass \[m\].
    pub(crate) radius: Vec<f64>,
    /// Per body: how fast a spin of one brings its surface nearer to anything, at most \[m\].
    pub(crate) turning: Vec<f64>,
    /// Smallest thickness of all bodies \[m\].
    pub(crate) thinnest: f64,
    /// Geometric mean of the lengths of the bodies that move \[m\].
    pub(crate) typical_length: f64,
    /// Per body: bound on how far its points moved in a part of a step \[m\]. Written by `rollback.rs`.
    pub(crate) moved: Vec<f64>,
    /// How things were at the start of a part of a step.
    pub(crate) before: crate::rollback::Before,
    /// Per body: whether its manifolds may be kept. Written by `prepare`.
    pub(crate) recyclable: Vec<bool>,
    pub(crate) single: crate::group::Groups<f32>,
    pub(crate) double: crate::group::Groups<f64>,
    pub(crate) partition: crate::group::Partition,
    pub(crate) watch: Watch,
    pub(crate) overlaps: Overlaps,
    /// Written by `detect`: wall time spent there during this step \[s\].
    pub(crate) collision_seconds: f64,
    pub(crate) clock: Clock,
}

/// Reads wall time \[s\].
pub(crate) struct Clock(pub fn() -> f64);

impl Default for Clock {
    fn default() -> Self {
        Self(|| 0.0)
    }
}

/// A model, its state, and the options with which it is stepped.
pub struct System {
    /// What stays fixed.
    pub model: Model,
    /// What moves.
    pub state: State,
    options: Options,
    workspace: Workspace,
}

impl System {
    /// The start of `model`; refuses options that make no sense.
    pub fn new(model: Model, options: Options) -> Result<Self, Error> {
        options.validate()?;
        let state = State::new(&model);
        Ok(Self {
            model,
            state,
            options,
            workspace: Workspace::default(),
        })
    }

    /// What stays fixed.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// What moves.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// How steps are taken.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Changes how steps are taken, from the next one on.
    pub fn set_options(&mut self, options: Options) -> Result<(), Error> {
        options.validate()?;
        self.options = options;
        Ok(())
    }

    /// Lets steps read wall time \[s\] from `clock`, to tell how long the search for contacts took. Without one they
    /// read none.
    pub fn set_clock(&mut self, clock: fn() -> f64) {
        self.workspace.clock = Clock(clock);
    }

    /// How far the last step moved body `i` to take it out of others, besides its velocity \[m\].
    pub fn correction(&self, i: usize) -> Vec3 {
        let shift = self.workspace.watch.shift.get(i);
        shift.copied().unwrap_or(Vec3::ZERO)
    }

    /// Adds a body to a running system.
    pub fn add(&mut self, body: crate::Body) -> Result<usize, Error> {
        let index = self.model.add(body)?;
        self.state.extend(&self.model);
        Ok(index)
    }

    /// Takes one step of `dt` seconds under gravity, fields and the forces that stand in the state. A step that is not
    /// of positive, finite length changes nothing.
    pub fn advance(&mut self, dt: f64) -> Report {
        self.apply_fields(dt);
        self.step(dt)
    }

    /// Adds the forces of the fields over the next `dt` seconds to those that stand in the state, for
    /// [`Self::step`].
    pub fn apply_fields(&mut self, dt: f64) {
        if dt > 0.0 && dt.is_finite() {
            crate::field::apply(&mut self.state, &self.model, dt);
        }
    }

    /// As [`Self::advance`], under gravity and the forces that stand in the state alone.
    pub fn step(&mut self, dt: f64) -> Report {
        if !(dt > 0.0 && dt.is_finite()) {
            return Report::default();
        }
        let Self {
            model,
            state,
            options,
            workspace,
        } = self;
        workspace.collision_seconds = 0.0;
        state.admit(model);
        let mut quarantined = quarantine(state, model);
        state.follow_scripts(model, dt);
        workspace.watch.begin(state, model);

        let step = match options.stepper {
            Stepper::TwoLevel => crate::two_level::step,
            Stepper::Vsp => crate::vsp::step,
            Stepper::Pgs => crate::pgs::step,
            Stepper::PgsProjection => crate::pgs::step_with_projection,
            Stepper::Isp => crate::isp::step,
            Stepper::Soft => crate::soft::step,
        };
        let mut report = step(state, model, options, workspace, dt);
        let watched = workspace.close_account(state, model, options, report.parts, dt);
        report.energy = watched.account;
        report.gains = watched.gains;
        report.too_fast = watched.too_fast;
        report.overlaps = workspace.overlaps.find(model, state.step);

        state.step += 1;
        state.time += dt;
        state.follow_scripts(model, dt);
        state.force.fill(Vec3::ZERO);
        state.torque.fill(Vec3::ZERO);
        quarantined.extend(quarantine(state, model));
        report.quarantined = quarantined;
        report.collision_seconds = workspace.collision_seconds;
        report
    }
}

/// Takes out bodies whose motion is not finite, so that they harm no other.
fn quarantine(state: &mut State, model: &Model) -> Vec<usize> {
    let mut found = Vec::new();
    for i in 0..model.len() {
        // a sum is finite only if all of its terms are
        let vectors = state.position[i]
            + state.linear_velocity[i]
            + state.angular_velocity[i]
            + state.force[i]
            + state.torque[i];
        let turn = state.rotation[i];
        if (vectors.element_sum() + turn.x + turn.y + turn.z + turn.w).is_finite() {
            continue;
        }
        let sane = state.position[i].is_finite()
            && state.rotation[i].is_finite()
            && state.linear_velocity[i].is_finite()
            && state.angular_velocity[i].is_finite()
            && state.force[i].is_finite()
            && state.torque[i].is_finite();
        if !sane {
            state.position[i] = model.start_position[i];
            state.rotation[i] = model.start_rotation[i];
            state.linear_velocity[i] = Vec3::ZERO;
            state.angular_velocity[i] = Vec3::ZERO;
            state.remove(i);
            found.push(i);
        }
    }
    found
}
