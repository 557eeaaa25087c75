//! Sheets and obstacles that come and go while a system runs.

use drystone_base::Vec3;

use crate::clock::ticks;
use crate::event_loop::Scratch;
use crate::state::State;
use crate::topology::Topology;
use crate::vertex::Vertex;
use crate::watch;
use crate::{Error, Model, Options};

use super::System;

/// Which objects of another model go on in a new one: by sheet and by obstacle of the new model, the number in the
/// old one; none for newcomers.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// By sheet.
    pub sheets: Vec<Option<usize>>,
    /// By obstacle.
    pub obstacles: Vec<Option<usize>>,
}

impl Kept {
    /// All objects of `model`, in their order.
    pub fn all(model: &Model) -> Self {
        Self {
            sheets: (0..model.sheets.len()).map(Some).collect(),
            obstacles: (0..model.obstacles.len()).map(Some).collect(),
        }
    }
}

impl System {
    /// The start of `model` at `time` \[s\] instead of zero.
    pub fn new_at(model: Model, options: Options, time: f64) -> Result<Self, Error> {
        let nothing = Model {
            sheets: Vec::new(),
            obstacles: Vec::new(),
            ..model.clone()
        };
        let (sheets, obstacles) = (model.sheets.len(), model.obstacles.len());
        let mut system = Self::new(nothing, options)?;
        system.state.time = ticks(time);
        let newcomers = Kept {
            sheets: vec![None; sheets],
            obstacles: vec![None; obstacles],
        };
        system.replace_model(model, &newcomers)?;
        Ok(system)
    }

    /// Goes on with another model: what is `kept` moves on as it was, the rest starts now from where the new model
    /// has it. Refuses newcomers that cross something or are closer to it than `Options::start_layers` allow; then
    /// nothing has changed.
    pub fn replace_model(&mut self, model: Model, kept: &Kept) -> Result<(), Error> {
        model.validate()?;
        if let Some(sheet) = self.state.pinches.sheet(&self.topology) {
            return Err(Error::Pinched { sheet });
        }
        let topology = Topology::new(&model, &self.options)?;
        let (old, mut state) = (&self.state, State::new(&topology));
        (state.time, state.round, state.account) = (old.time, old.round, old.account);
        state.meetings.clone_from(&old.meetings);
        state.pinches.clone_from(&old.pinches);
        for vertex in &mut state.vertices {
            vertex.time = old.time;
        }

        // vertices by object, sheets first
        let first = self.model.sheets.len();
        let obstacles = kept.obstacles.iter().map(|k| k.map(|k| first + k));
        let objects: Vec<_> = kept.sheets.iter().copied().chain(obstacles).collect();
        let newcomer = |object: u32| objects[object as usize].is_none();
        for (object, before) in topology.objects.iter().zip(&objects) {
            if let Some(before) = *before {
                let (to, from) = (
                    object.vertices.clone(),
                    &self.topology.objects[before].vertices,
                );
                state.vertices[to.clone()].copy_from_slice(&old.vertices[from.clone()]);
                for (k, i) in to.clone().zip(from.clone()) {
                    if old.sleep.holds(i) {
                        state.vertices[k].inverse_mass = topology.inverse_mass[k];
                    }
                }
                state.reaction[to].copy_from_slice(&old.reaction[from.clone()]);
            }
        }

        // movers: obstacles first, then the pins sheet by sheet
        for (k, before) in kept.obstacles.iter().enumerate() {
            if let Some(before) = *before {
                state.movers[k].clone_from(&old.movers[before]);
                if let Some(Some(body)) = old.bodies.get(before) {
                    state.bodies.resize(k + 1, None);
                    // what touches what is asked anew before the next advance
                    let mut body = body.clone();
                    body.leave_island();
                    state.bodies[k] = Some(body);
                }
            }
        }
        let pins = |model: &Model, sheet: usize| -> usize {
            let before = model.sheets[..sheet].iter().map(|s| s.pins.len());
            model.obstacles.len() + before.sum::<usize>()
        };
        for (k, before) in kept.sheets.iter().enumerate() {
            if let Some(before) = *before {
                let (to, from) = (pins(&model, k), pins(&self.model, before));
                let count = model.sheets[k].pins.len();
                state.movers[to..to + count].clone_from_slice(&old.movers[from..from + count]);
            }
        }

        let at = |v: &Vertex| v.at(state.time, topology.gravity);
        let points: Vec<Vec3> = state.vertices.iter().map(at).collect();
        topology.validate_newcomers(&points, self.options.start_layers, newcomer)?;
        if old.drops.len() == state.drops.len() && kept.sheets == Kept::all(&self.model).sheets {
            state.drops.clone_from(&old.drops);
        } else {
            let (t, vertices) = (state.time, &state.vertices);
            let place = |i: u32, h: f64| vertices[i as usize].before(t, -h, topology.gravity).0;
            let drops = &mut state.drops;
            topology
                .elements
                .follow(drops, &topology.inverse_mass, &place);
        }
        let (held, kept) = (
            self.energy(),
            watch::kept_energy(&self.topology, &self.state),
        );
        (self.model, self.topology, self.state) = (model, topology, state);
        self.scratch = Scratch::default();
        self.group();
        self.begin();
        let now = self.energy();
        self.state.account.layers += now.contact - held.contact;
        self.state.account.start += watch::kept_energy(&self.topology, &self.state) - kept;
        Ok(())
    }
}
