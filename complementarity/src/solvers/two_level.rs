//! The two-level solve: between cone sweeps, what whole layers still do wrong is put right at
//! once, by an exact solve over a few impulse fields on each interface between layers.
//!
//! Layers are steps away from what is fixed, so any factored problem has them. The same idea in
//! lanes, tuned for the rigid step, is [`crate::coarse`]; this one is plain and general.

use crate::problem::Problem;
use crate::solvers::anderson::accelerate;
use crate::solvers::cone;
use crate::solvers::run::Run;
use crate::solvers::sweeper::{Map, Sweeper};
use crate::solvers::{SolveError, Solver};
use crate::system::{State, System};

mod layers;
mod tridiagonal;

use layers::{Interface, Layers};
use tridiagonal::{Matrix6, Tridiagonal, Vector6};

/// Sweeps after each coarse solve.
const SWEEPS: u32 = 4;
/// Share of the friction bound below which a contact counts as sticking.
const STICKING: f64 = 0.98;
/// Speed below which an open contact counts as touching, as a part of the fastest at the start:
/// a stack that was just let go falls together.
const TOUCHING: f64 = 1e-6;

/// An iteration is a coarse correction and some cone sweeps.
///
/// On the interface of heights `k` and `k + 1` impulses `f(x) = a + ω × (x − x₀)/L` are allowed,
/// along the active rows of its contacts: normals that press or close, tangents that stick. With
/// these fields as columns of `P`, `PᵀAP` couples an interface only with its neighbours: block
/// tridiagonal in 6x6. The correction is put onto the cones and its length is the best up to one
/// for the energy `½ λᵀAλ + bᵀλ` of each island; one that goes uphill is left out. Accelerated,
/// the whole iteration is the map of Anderson's method.
pub(crate) fn solve<S: System>(
    run: &mut Run<'_, S>,
    solver: Solver,
    accelerated: bool,
) -> Result<(), SolveError> {
    let Some(problem) = run.about.factored else {
        return Err(SolveError::NeedsBodies(solver));
    };
    let layers = Layers::of(problem);
    let mut map = TwoLevel {
        system: run.system,
        coarse: Coarse::new(problem, &layers),
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

struct Coarse<'a> {
    problem: &'a Problem,
    layers: &'a Layers,
    touching: f64,
    matrix: Tridiagonal,
    /// Per body: force and torque about its centre by unit fields of the interfaces below and
    /// above.
    wrench: Vec<[Matrix6; 2]>,
}

impl<'a> Coarse<'a> {
    fn new(problem: &'a Problem, layers: &'a Layers) -> Self {
        let fastest = problem
            .b
            .iter()
            .flatten()
            .fold(0.0f64, |m, b| m.max(b.abs()));
        Self {
            problem,
            layers,
            touching: TOUCHING * fastest,
            matrix: Tridiagonal::new(layers.interfaces.len()),
            wrench: vec![[[[0.0; 6]; 6]; 2]; problem.bodies.len()],
        }
    }

    fn correct<S: System>(&mut self, system: &S, state: &mut State) {
        let w: Vec<[f64; 3]> = (0..system.contacts())
            .map(|k| system.velocity(k, state))
            .collect();
        let active: Vec<[bool; 2]> = (0..system.contacts())
            .map(|k| self.active(k, &state.impulses[k], w[k][0]))
            .collect();
        self.assemble(&active);
        self.right(&active, &w);
        self.matrix.solve(|i| self.layers.interfaces[i].first);
        let step = self.step(&active, state);
        self.apply(system, &w, &step, state);
    }

    /// Whether the normal takes part, and whether the tangents do.
    fn active(&self, k: usize, lambda: &[f64; 3], w: f64) -> [bool; 2] {
        if self.layers.contacts[k].interface.is_none() {
            return [false; 2];
        }
        let normal = lambda[0] > 0.0 || w < self.touching;
        let most = STICKING * self.problem.contacts[k].friction * lambda[0];
        let sticks = lambda[1] * lambda[1] + lambda[2] * lambda[2] < most * most;
        [normal, normal && sticks]
    }

    /// `PᵀAP` from the wrenches of unit fields on each body.
    fn assemble(&mut self, active: &[[bool; 2]]) {
        self.wrench.fill([[[0.0; 6]; 6]; 2]);
        for (k, contact) in self.layers.contacts.iter().enumerate() {
            let Some(interface) = contact.interface else {
                continue;
            };
            let fields = self.fields(k, interface);
            let c = &self.problem.contacts[k];
            let axes = c.axes();
            for i in rows(active[k]) {
                for (body, r, sign) in [(c.a, c.r_a, -1.0), (c.b, c.r_b, 1.0)] {
                    let (force, torque) = (axes[i] * sign, r.cross(axes[i]) * sign);
                    // below a body lies the interface of which it is the upper side
                    let side = usize::from(body != contact.upper);
                    let wrench = &mut self.wrench[body][side];
                    let unit = [force.x, force.y, force.z, torque.x, torque.y, torque.z];
                    for (row, unit) in wrench.iter_mut().zip(unit) {
                        for (value, field) in row.iter_mut().zip(fields[i]) {
                            *value += unit * field;
                        }
                    }
                }
            }
        }
        self.matrix.clear();
        for (body, mass) in self.problem.bodies.iter().enumerate() {
            if mass.is_fixed() {
                continue;
            }
            let inertia = mass.inverse_inertia.matrix();
            let [below, above] = self.layers.around[body];
            let [w_below, w_above] = &self.wrench[body];
            let give = |w: &Matrix6| -> Matrix6 {
                let mut out = [[0.0; 6]; 6];
                for column in 0..6 {
                    let torque = drystone_base::Vec3::new(w[3][column], w[4][column], w[5][column]);
                    let spin = inertia * torque;
                    for i in 0..3 {
                        out[i][column] = mass.inverse_mass * w[i][column];
                    }
                    (out[3][column], out[4][column], out[5][column]) = (spin.x, spin.y, spin.z);
                }
                out
            };
            if let Some(i) = below {
                self.matrix.add_diagonal(i, w_below, &give(w_below));
            }
            if let Some(i) = above {
                let given = give(w_above);
                self.matrix.add_diagonal(i, w_above, &given);
                if below.is_some() {
                    self.matrix.add_above(i, w_below, &given);
                }
            }
        }
    }

    /// `−Pᵀw`.
    fn right(&mut self, active: &[[bool; 2]], w: &[[f64; 3]]) {
        for (k, contact) in self.layers.contacts.iter().enumerate() {
            if let Some(interface) = contact.interface {
                let fields = self.fields(k, interface);
                for i in rows(active[k]) {
                    for (right, field) in self.matrix.right[interface].iter_mut().zip(fields[i]) {
                        *right -= field * w[k][i];
                    }
                }
            }
        }
    }

    /// The rows of `P` at a contact: its part in each of the six fields, by axis.
    fn fields(&self, k: usize, interface: usize) -> [Vector6; 3] {
        let (contact, c) = (&self.layers.contacts[k], &self.problem.contacts[k]);
        let Interface {
            reference, length, ..
        } = self.layers.interfaces[interface];
        let sign = if contact.upper == c.b { 1.0 } else { -1.0 };
        let arm = (contact.place - reference) / length;
        c.axes().map(|axis| {
            let (a, turn) = (axis * sign, arm.cross(axis) * sign);
            [a.x, a.y, a.z, turn.x, turn.y, turn.z]
        })
    }

    /// What the fields change in the impulses, put onto the cones.
    fn step(&self, active: &[[bool; 2]], state: &State) -> Vec<[f64; 3]> {
        let mut step = vec![[0.0; 3]; active.len()];
        for (k, contact) in self.layers.contacts.iter().enumerate() {
            let Some(interface) = contact.interface else {
                continue;
            };
            let (fields, c) = (self.fields(k, interface), &self.matrix.right[interface]);
            let mut next = state.impulses[k];
            for i in rows(active[k]) {
                next[i] += fields[i]
                    .iter()
                    .zip(c)
                    .map(|(field, c)| field * c)
                    .sum::<f64>();
            }
            let friction = self.problem.contacts[k].friction;
            let next = crate::Law::Cone.allowed(friction, next);
            step[k] = std::array::from_fn(|i| next[i] - state.impulses[k][i]);
        }
        step
    }

    /// Goes along the step as far as the energy of each island falls.
    fn apply<S: System>(&self, system: &S, w: &[[f64; 3]], step: &[[f64; 3]], state: &mut State) {
        let product = system.product(step);
        let mut slope_and_curve = vec![[0.0; 2]; self.layers.islands];
        for (k, contact) in self.layers.contacts.iter().enumerate() {
            let Some(island) = contact.island else {
                continue;
            };
            let sums = &mut slope_and_curve[island];
            for i in 0..3 {
                sums[0] += w[k][i] * step[k][i];
                sums[1] += product[k][i] * step[k][i];
            }
        }
        for (k, contact) in self.layers.contacts.iter().enumerate() {
            let Some(island) = contact.island else {
                continue;
            };
            let [slope, curve] = slope_and_curve[island];
            let length = if curve > 0.0 {
                (-slope / curve).min(1.0)
            } else {
                0.0
            };
            if length > 0.0 {
                for i in 0..3 {
                    system.change(k, i, length * step[k][i], state);
                }
            }
        }
    }
}

/// The active rows.
fn rows([normal, sticks]: [bool; 2]) -> std::ops::Range<usize> {
    match (normal, sticks) {
        (false, _) => 0..0,
        (true, false) => 0..1,
        (true, true) => 0..3,
    }
}
