//! The two-level solve: between cone sweeps, what whole layers still do wrong is put right at
//! once, by an exact solve over a few impulse fields on each interface between layers.
//!
//! Layers are steps away from what is fixed, so any problem has them that knows which bodies its
//! contacts join: a factored one, or a matrix with its contact graph. The same idea in lanes,
//! tuned for the rigid step, is [`crate::coarse`]; this one is plain and general.

use std::borrow::Cow;

use crate::contact_problem::ContactGraph;
use crate::problem::Problem;
use crate::solvers::anderson::accelerate;
use crate::solvers::cone;
use crate::solvers::run::Run;
use crate::solvers::sweeper::{Map, Sweeper};
use crate::solvers::{About, SolveError, Solver};
use crate::system::{State, System};

mod aggregates;
mod coupling;
mod envelope;
mod fields;

pub use aggregates::Aggregates;

pub(crate) use aggregates::Partition;
use coupling::Coupling;
use envelope::Envelope;
use fields::Fields;
pub(crate) use fields::places_by_arms;

/// Sweeps after each coarse solve.
const SWEEPS: u32 = 4;
/// Share of the friction bound below which a contact counts as sticking.
const STICKING: f64 = 0.98;
/// Speed below which an open contact counts as touching, as a part of the fastest at the start:
/// a stack that was just let go falls together.
const TOUCHING: f64 = 1e-6;
/// Most numbers in the coarse matrix; where finer aggregates need more, layers stand in.
const MOST_NUMBERS: usize = 8_000_000;

/// An iteration is a coarse correction and some cone sweeps.
///
/// On each aggregate, an interface of layers or a part of one, impulses `f(x) = a + ω × (x − x₀)/L`
/// are allowed along the active rows of its contacts: normals that press or close, tangents that
/// stick. With these fields as columns of `P`, `PᵀAP` couples an aggregate only with those that
/// touch the same bodies: block tridiagonal in 6x6 if layers are taken whole. The correction is
/// put onto the cones and its length is the best up to one for the energy `½ λᵀAλ + bᵀλ` of each
/// island; one that goes uphill is left out. Accelerated, the whole iteration is the map of
/// Anderson's method.
///
/// A matrix does not know the frames of its contacts: there the fields are constant in each row,
/// and normals also change linearly if the contacts have places.
pub(crate) fn solve<S: System>(
    run: &mut Run<'_, S>,
    solver: Solver,
    accelerated: bool,
) -> Result<(), SolveError> {
    let Some(coarse) = Coarse::new(run.system, &run.about, run.settings.aggregates) else {
        return Err(SolveError::NeedsBodies(solver));
    };
    let mut map = TwoLevel {
        system: run.system,
        coarse,
        sweeper: Sweeper::new(run, cone::Kernel::new(run.settings))?,
        sweeps: run.settings.inner_sweeps.unwrap_or(SWEEPS),
    };
    if accelerated {
        accelerate(run, map);
        return Ok(());
    }
    let mut state = run.first_state();
    while run.goes_on(&state.impulses) {
        let rows = map.apply(&mut state);
        run.count(rows);
    }
    Ok(())
}

/// The map of one iteration.
struct TwoLevel<'a, S> {
    system: &'a S,
    coarse: Coarse<'a>,
    sweeper: Sweeper<'a, S, cone::Kernel>,
    sweeps: u32,
}

impl<S: System> Map for TwoLevel<'_, S> {
    fn apply(&mut self, state: &mut State) -> u64 {
        self.coarse.correct(self.system, state);
        // velocities before, and the product of the step
        let coarse = 6 * self.system.contacts() as u64;
        let sweeps = (0..self.sweeps).map(|_| self.sweeper.cycle(state));
        coarse + sweeps.sum::<u64>()
    }
}

/// Whether the normal takes part, and whether the tangents do.
type Active = [bool; 2];

struct Coarse<'a> {
    partition: Partition,
    fields: Fields,
    touching: f64,
    coupling: Coupling<'a>,
    matrix: Envelope,
}

impl<'a> Coarse<'a> {
    /// None if nothing says which bodies the contacts join.
    fn new<S: System>(system: &S, about: &About<'a>, kind: Aggregates) -> Option<Self> {
        let fastest = (system.b().iter().flatten()).fold(0.0f64, |m, b| m.max(b.abs()));
        let (graph, places) = match (about.factored, about.graph) {
            (Some(problem), _) => {
                let places = about.places.map(Cow::Borrowed);
                let places = places.unwrap_or_else(|| fields::places_by_arms(problem).into());
                (Cow::Owned(graph_of(problem)), Some(places))
            }
            (None, Some(graph)) => (Cow::Borrowed(graph), about.places.map(Cow::Borrowed)),
            (None, None) => return None,
        };
        let places = places.as_deref();
        let mut partition = Partition::of(&graph, places, kind);
        let mut coupling = Coupling::new(about, &partition)?;
        if Envelope::size(coupling.first()) > MOST_NUMBERS {
            partition = Partition::of(&graph, places, Aggregates::Layer);
            coupling = Coupling::new(about, &partition)?;
        }
        let fields = match (about.factored, places) {
            (Some(problem), Some(places)) => fields::rigid(problem, &partition, places),
            _ => fields::by_row(&partition, places),
        };
        let matrix = Envelope::new(coupling.first());
        Some(Self {
            touching: TOUCHING * fastest,
            partition,
            fields,
            coupling,
            matrix,
        })
    }

    fn correct<S: System>(&mut self, system: &S, state: &mut State) {
        let velocity = |k| system.velocity(k, state);
        let w: Vec<[f64; 3]> = (0..system.contacts()).map(velocity).collect();
        let active: Vec<Active> = (0..system.contacts())
            .map(|k| self.active(system.friction(k), k, &state.impulses[k], w[k][0]))
            .collect();
        let (fields, partition) = (&self.fields, &self.partition);
        self.matrix.clear();
        self.coupling
            .assemble(partition, fields, &active, &mut self.matrix);
        self.right(&active, &w);
        self.matrix.solve();
        let step = self.step(system, &active, state);
        self.apply(system, &w, &step, state);
    }

    fn active(&self, friction: f64, k: usize, lambda: &[f64; 3], w: f64) -> Active {
        if self.partition.members[k].aggregate.is_none() {
            return [false; 2];
        }
        let normal = lambda[0] > 0.0 || w < self.touching;
        let most = STICKING * friction * lambda[0];
        let sticks = lambda[1] * lambda[1] + lambda[2] * lambda[2] < most * most;
        [normal, normal && sticks]
    }

    /// `−Pᵀw`.
    fn right(&mut self, active: &[Active], w: &[[f64; 3]]) {
        for (k, member) in self.partition.members.iter().enumerate() {
            if let Some(g) = member.aggregate {
                let right = &mut self.matrix.right[6 * g..6 * g + 6];
                for i in rows(active[k]) {
                    for (right, field) in right.iter_mut().zip(self.fields[k][i]) {
                        *right -= field * w[k][i];
                    }
                }
            }
        }
    }

    /// What the fields change in the impulses, put onto the cones.
    fn step<S: System>(&self, system: &S, active: &[Active], state: &State) -> Vec<[f64; 3]> {
        let mut step = vec![[0.0; 3]; active.len()];
        for (k, member) in self.partition.members.iter().enumerate() {
            let Some(g) = member.aggregate else {
                continue;
            };
            let c = &self.matrix.right[6 * g..6 * g + 6];
            let mut next = state.impulses[k];
            for i in rows(active[k]) {
                let fields = self.fields[k][i].iter().zip(c);
                next[i] += fields.map(|(field, c)| field * c).sum::<f64>();
            }
            let next = crate::Law::Cone.allowed(system.friction(k), next);
            step[k] = std::array::from_fn(|i| next[i] - state.impulses[k][i]);
        }
        step
    }

    /// Goes along the step as far as the energy of each island falls.
    fn apply<S: System>(&self, system: &S, w: &[[f64; 3]], step: &[[f64; 3]], state: &mut State) {
        let product = system.product(step);
        let mut slope_and_curve = vec![[0.0; 2]; self.partition.islands];
        let members = || {
            let members = self.partition.members.iter().enumerate();
            members.filter_map(|(k, member)| member.island.map(|island| (k, island)))
        };
        for (k, island) in members() {
            let sums = &mut slope_and_curve[island];
            for i in 0..3 {
                sums[0] += w[k][i] * step[k][i];
                sums[1] += product[k][i] * step[k][i];
            }
        }
        for (k, island) in members() {
            let [slope, curve] = slope_and_curve[island];
            let length = match curve > 0.0 {
                true => (-slope / curve).min(1.0),
                false => 0.0,
            };
            if length > 0.0 {
                for i in 0..3 {
                    system.change(k, i, length * step[k][i], state);
                }
            }
        }
    }
}

pub(crate) fn graph_of(problem: &Problem) -> ContactGraph {
    ContactGraph {
        pairs: problem.contacts.iter().map(|c| [c.a, c.b]).collect(),
        fixed: problem.bodies.iter().map(|body| body.is_fixed()).collect(),
    }
}

/// The active rows.
fn rows([normal, sticks]: Active) -> std::ops::Range<usize> {
    match (normal, sticks) {
        (false, _) => 0..0,
        (true, false) => 0..1,
        (true, true) => 0..3,
    }
}
