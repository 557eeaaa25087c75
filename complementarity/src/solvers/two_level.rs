//! The two-level solve: between cone sweeps, what whole layers still do wrong is put right at
//! once, by an exact solve over a few impulse fields on each interface between layers.
//!
//! Layers are steps away from what is fixed, so any problem has them that knows which bodies its
//! contacts join: a factored one, or a matrix with its contact graph. In lanes, with layers as
//! aggregates, the default stepper runs it ([`crate::in_lanes`]); this one takes any aggregates and
//! either form, and is the reference that the lanes are tested against.

use std::borrow::Cow;

use drystone_base::lanes::Wide8;

use crate::block_cholesky::Cholesky;
use crate::coarse::STICKING;
use crate::contact_problem::ContactGraph;
use crate::operator::{Iterate, Operator};
use crate::problem::Problem;
use crate::solvers::anderson::accelerate;
use crate::solvers::gauss_seidel::Cone;
use crate::solvers::run::Run;
use crate::solvers::sweeper::{Map, Sweeper};
use crate::solvers::{Context, SolveError, Solver};

mod aggregates;
mod coupling;
mod fields;

pub use aggregates::Aggregates;

pub(crate) use aggregates::Partition;
use coupling::Coupling;
use fields::Fields;
pub(crate) use fields::places_by_arms;

/// Sweeps after each coarse solve.
const SWEEPS: u32 = 4;
/// Speed below which an open contact counts as touching, as a part of the fastest at the start:
/// a stack that was just let go falls together.
const TOUCHING: f64 = 1e-6;
/// Most floating-point operations to factor the coarse matrix; where finer aggregates need more,
/// layers stand in.
const MOST_OPERATIONS: f64 = 2e9;
/// Share of its diagonal entry below which a pivot is lost to rounding \[1\].
const LOST: f64 = 1e-12;

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
pub(crate) fn solve<O: Operator>(
    run: &mut Run<'_, O>,
    solver: Solver,
    accelerated: bool,
) -> Result<(), SolveError> {
    let Some(coarse) = Coarse::new(run.operator, &run.context, run.settings.aggregates) else {
        return Err(SolveError::NeedsBodies(solver));
    };
    let mut map = TwoLevel {
        operator: run.operator,
        coarse,
        sweeper: Sweeper::new(run, Cone::new(run.settings))?,
        sweeps: run.settings.inner_sweeps.unwrap_or(SWEEPS),
    };
    if accelerated {
        accelerate(run, map);
        return Ok(());
    }
    let mut iterate = run.first_iterate();
    while run.goes_on(&iterate.impulses) {
        let rows = map.apply(&mut iterate);
        run.count(rows);
    }
    Ok(())
}

/// The map of one iteration.
struct TwoLevel<'a, O> {
    operator: &'a O,
    coarse: Coarse<'a>,
    sweeper: Sweeper<'a, O, Cone>,
    sweeps: u32,
}

impl<O: Operator> Map for TwoLevel<'_, O> {
    fn apply(&mut self, iterate: &mut Iterate) -> u64 {
        self.coarse.correct(self.operator, iterate);
        // velocities before, and the product of the step
        let coarse = 6 * self.operator.contacts() as u64;
        let sweeps = (0..self.sweeps).map(|_| self.sweeper.cycle(iterate));
        coarse + sweeps.sum::<u64>()
    }
}

/// Whether the normal takes part, and whether the tangents do.
type Active = [bool; 2];

pub(crate) struct Coarse<'a> {
    partition: Partition,
    fields: Fields,
    touching: f64,
    coupling: Coupling<'a>,
    matrix: Cholesky,
    /// Per aggregate: `−Pᵀw`, then the coefficients of its fields.
    right: Vec<Wide8<f64>>,
    scratch: Vec<Wide8<f64>>,
}

impl<'a> Coarse<'a> {
    /// `None` where the bodies that the contacts join are not known.
    pub(crate) fn new<O: Operator>(
        operator: &O,
        context: &Context<'a>,
        kind: Aggregates,
    ) -> Option<Self> {
        let fastest = (operator.b().iter().flatten()).fold(0.0f64, |m, b| m.max(b.abs()));
        let (graph, places) = match (context.factored, context.graph) {
            (Some(problem), _) => {
                let places = context.places.map(Cow::Borrowed);
                let places = places.unwrap_or_else(|| fields::places_by_arms(problem).into());
                (Cow::Owned(graph_of(problem)), Some(places))
            }
            (None, Some(graph)) => (Cow::Borrowed(graph), context.places.map(Cow::Borrowed)),
            (None, None) => return None,
        };
        let places = places.as_deref();
        let mut partition = Partition::of(&graph, places, kind);
        let mut coupling = Coupling::new(context, &partition)?;
        let mut matrix = Cholesky::default();
        if !coupling.analyse(partition.count, &mut matrix, MOST_OPERATIONS) {
            partition = Partition::of(&graph, places, Aggregates::Layer);
            coupling = Coupling::new(context, &partition)?;
            coupling.analyse(partition.count, &mut matrix, f64::INFINITY);
        }
        let fields = match (context.factored, places) {
            (Some(problem), Some(places)) => fields::rigid(problem, &partition, places),
            _ => fields::by_row(&partition, places),
        };
        Some(Self {
            touching: TOUCHING * fastest,
            partition,
            fields,
            coupling,
            matrix,
            right: Vec::new(),
            scratch: Vec::new(),
        })
    }

    /// One coarse correction.
    pub(crate) fn correct<O: Operator>(&mut self, operator: &O, iterate: &mut Iterate) {
        let velocity = |k| operator.velocity(k, iterate);
        let w: Vec<[f64; 3]> = (0..operator.contacts()).map(velocity).collect();
        let active: Vec<Active> = (0..operator.contacts())
            .map(|k| self.active(operator.friction(k), k, &iterate.impulses[k], w[k][0]))
            .collect();
        let (fields, partition) = (&self.fields, &self.partition);
        self.matrix.clear();
        self.coupling
            .assemble(partition, fields, &active, &mut self.matrix);
        self.right(&active, &w);
        self.matrix.factor(LOST);
        self.matrix.solve(&mut self.right, &mut self.scratch);
        let step = self.step(operator, &active, iterate);
        self.apply(operator, &w, &step, iterate);
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
        self.right.clear();
        self.right.resize(self.partition.count, Wide8::default());
        for (k, member) in self.partition.members.iter().enumerate() {
            if let Some(g) = member.aggregate {
                let right = &mut self.right[g].0;
                for i in rows(active[k]) {
                    for (right, field) in right.iter_mut().zip(self.fields[k][i]) {
                        *right -= field * w[k][i];
                    }
                }
            }
        }
    }

    /// Prolongation: change of the impulses by the coarse fields, projected onto the cones.
    fn step<O: Operator>(
        &self,
        operator: &O,
        active: &[Active],
        iterate: &Iterate,
    ) -> Vec<[f64; 3]> {
        let mut step = vec![[0.0; 3]; active.len()];
        for (k, member) in self.partition.members.iter().enumerate() {
            let Some(g) = member.aggregate else {
                continue;
            };
            let c = &self.right[g].0;
            let mut next = iterate.impulses[k];
            for i in rows(active[k]) {
                let fields = self.fields[k][i].iter().zip(c);
                next[i] += fields.map(|(field, c)| field * c).sum::<f64>();
            }
            let next = crate::Law::Cone.project(operator.friction(k), next);
            step[k] = std::array::from_fn(|i| next[i] - iterate.impulses[k][i]);
        }
        step
    }

    /// Goes along the step as far as the energy of each island falls.
    fn apply<O: Operator>(
        &self,
        operator: &O,
        w: &[[f64; 3]],
        step: &[[f64; 3]],
        iterate: &mut Iterate,
    ) {
        let product = operator.product(step);
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
                    operator.change(k, i, length * step[k][i], iterate);
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
