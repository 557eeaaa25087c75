//! `dynamics(h)` of Erleben 2007, eq. 45: solve the contact problem of a part of the scene, then
//! move its bodies.

use drystone_base::{Vec3, integrate_rotation, tangents};
use drystone_complementarity::{Contact, Mass, Problem, Solved, Sweeping, Twist, sweeping};

use crate::graph::NONE;
use crate::solver_choice::SolverChoice;
use crate::turn::turn_freely;
use crate::watch::Watch;
use crate::{Contacts, Model, State};

/// A part of the scene: the bodies that move and the patches that are solved. Every other body
/// such a patch names is fixated: it pushes and is not pushed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Part {
    /// Bodies that move, in order.
    pub(crate) moving: Vec<u32>,
    pub(crate) patches: Vec<u32>,
}

/// Whether contacts and forces move body `i` now.
#[inline]
pub(crate) fn is_moving(state: &State, model: &Model, i: usize) -> bool {
    model.is_dynamic(i) && state.present[i] && !state.asleep[i]
}

/// The part of all bodies that move, none of them fixated.
pub(crate) fn everything(state: &State, model: &Model) -> Part {
    let moves = |i: u32| is_moving(state, model, i as usize);
    let patches = state.contacts.patches.iter().enumerate();
    Part {
        moving: (0..model.len() as u32).filter(|&i| moves(i)).collect(),
        patches: patches
            .filter(|(_, p)| moves(p.a) || moves(p.b))
            .map(|(k, _)| k as u32)
            .collect(),
    }
}

/// How contacts are treated in `dynamics`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Treatment {
    /// Gauss-Seidel sweeps, or most iterations of another solver.
    pub(crate) sweeps: u32,
    /// The solver.
    pub(crate) choice: SolverChoice,
    /// Relaxation of eq. 41 before it is divided by h.
    pub(crate) gamma: f64,
    /// Points farther apart are no contacts, over the patch's length \[1\].
    pub(crate) reach: f64,
    /// Whether an open gap may close within the step.
    pub(crate) speculative: bool,
    /// Part of the remembered impulses to start from \[1\].
    pub(crate) warm: f64,
    /// The friction cone, or a pyramid whose first axis lies along the sliding velocity.
    pub(crate) cone: bool,
    /// Whether a fixated body keeps its velocity in the problem, or counts as resting.
    pub(crate) keep_velocity: bool,
    /// Part of the depth undone through velocity in one step \[1\].
    pub(crate) stabilisation: f64,
    /// Contacts that meet within this time bounce \[s\]; none do without it.
    pub(crate) bounce_time: Option<f64>,
    /// Whether bodies turn by a rule that keeps energy and momentum, or as printed (eq. 18).
    pub(crate) free_turn: bool,
}

impl Treatment {
    /// Hard contacts of any reach on the cone, warm started; what meets within `bounce_time` seconds
    /// bounces. For steppers that solve no such problem themselves.
    pub(crate) fn of_hard_contacts(bounce_time: f64) -> Self {
        Self {
            sweeps: 0,
            choice: SolverChoice::default(),
            gamma: 0.0,
            reach: f64::INFINITY,
            speculative: true,
            warm: 1.0,
            cone: true,
            keep_velocity: true,
            stabilisation: 0.0,
            bounce_time: Some(bounce_time),
            free_turn: true,
        }
    }

    /// Velocity of body `i` after `h` seconds without contacts.
    fn free_velocity(&self, state: &State, model: &Model, i: usize, h: f64) -> Twist {
        if self.free_turn {
            free_velocity(state, model, i, h)
        } else {
            free_velocity_as_printed(state, model, i, h)
        }
    }
}

/// A contact problem and where its bodies and points came from. Scratch memory.
#[derive(Default)]
pub(crate) struct Assembly {
    pub(crate) problem: Problem,
    pub(crate) impulses: Vec<[f64; 3]>,
    /// Bodies of the problem; the first `moving` of them move.
    pub(crate) bodies: Vec<u32>,
    pub(crate) moving: usize,
    /// Points of the problem.
    pub(crate) points: Vec<u32>,
    /// Signed distance of the contacts \[m\].
    pub(crate) distance: Vec<f64>,
    /// Restitution of the contacts \[1\].
    pub(crate) restitution: Vec<f64>,
    /// Per point of the scene: its impulse in the last step \[N s\].
    remembered: Vec<Vec3>,
    /// Per body of the scene: its number in the problem.
    local: Vec<u32>,
    velocity: Vec<Twist>,
    /// Shifts of bodies by corrections since the watchdog was last told \[m\].
    pub(crate) shifts: Vec<(u32, Vec3)>,
}

/// Result of `dynamics`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) sweeps: u32,
    /// Largest approach left at a contact \[m/s\].
    pub(crate) approach: f64,
}

/// Moves `part` by `h` seconds (Erleben 2007, eq. 45):
///
/// `b = J (u + h M⁻¹ f_ext)`, `λ = ncp(A, b)`, `u ← u + M⁻¹ Jᵀ λ + h M⁻¹ f_ext`, `s ← s + h S u`
///
/// and adds the impulses to the points. Newton's law of restitution is `b_n += e J u` where
/// that approaches, with the velocity before forces (eq. 21).
pub(crate) fn dynamics(
    state: &mut State,
    model: &Model,
    part: &Part,
    treatment: &Treatment,
    assembly: &mut Assembly,
    h: f64,
) -> Outcome {
    assembly.pose(state, model, part, treatment, h);
    assembly.first_guess(treatment.warm);

    let solved = assembly.solve(treatment, &state.contacts);
    assembly.add_impulses(&mut state.contacts);
    for (k, &i) in part.moving.iter().enumerate() {
        let i = i as usize;
        let (free, change) = (
            treatment.free_velocity(state, model, i, h),
            solved.delta_v[k],
        );
        state.linear_velocity[i] = free.linear + change.linear;
        state.angular_velocity[i] = free.angular + change.angular;
    }
    if treatment.free_turn {
        advance(state, model, part, h);
    } else {
        advance_as_printed(state, part, h);
    }
    assembly.outcome(&solved)
}

/// Velocity of body `i` after `h` seconds of forces alone, `u + h M⁻¹ f_ext`. The gyroscopic term
/// is left to the turn in [`advance`]. Damping acts implicitly.
pub(crate) fn free_velocity(state: &State, model: &Model, i: usize, h: f64) -> Twist {
    accelerated(state, model, i, state.torque[i], h)
}

/// Velocity of body `i` after `h` seconds of forces alone with the gyroscopic term `−ω × I ω`
/// taken at the start (Erleben 2007, eq. 18). An explicit rule: a slender body that spins gains
/// energy without bound.
fn free_velocity_as_printed(state: &State, model: &Model, i: usize, h: f64) -> Twist {
    let omega = state.angular_velocity[i];
    let gyroscopic = omega.cross(state.inertia(model, i).times(omega));
    accelerated(state, model, i, state.torque[i] - gyroscopic, h)
}

/// Velocity of body `i` after `h` seconds of gravity, its force and `torque`, with damping.
fn accelerated(state: &State, model: &Model, i: usize, torque: Vec3, h: f64) -> Twist {
    let (v, omega) = (state.linear_velocity[i], state.angular_velocity[i]);
    let gravity = model.gravity * model.gravity_scale[i];
    Twist {
        linear: (v + (gravity + state.force[i] * model.inverse_mass[i]) * h)
            / (1.0 + h * model.linear_damping[i]),
        angular: (omega + state.inverse_inertia(model, i).times(torque) * h)
            / (1.0 + h * model.angular_damping[i]),
    }
}

/// Moves the bodies of `part` by `h` seconds. They turn freely: energy and angular momentum stay
/// as they are, and the spin follows from the momentum.
pub(crate) fn advance(state: &mut State, model: &Model, part: &Part, h: f64) {
    for &i in &part.moving {
        let i = i as usize;
        state.position[i] += state.linear_velocity[i] * h;
        let (rotation, spin) = (state.rotation[i], state.angular_velocity[i]);
        (state.rotation[i], state.angular_velocity[i]) = if model.is_dynamic(i) {
            let inertia = &model.inertia_local[i];
            let inverse = &model.inverse_inertia_local[i];
            turn_freely(rotation, spin, inertia, inverse, h, 0.0)
        } else {
            (integrate_rotation(rotation, spin, h), spin)
        };
    }
}

/// `s ← s + h S u` for the bodies of `part`, rotations to first order (Erleben 2007, eq. 45).
fn advance_as_printed(state: &mut State, part: &Part, h: f64) {
    for &i in &part.moving {
        let i = i as usize;
        state.position[i] += state.linear_velocity[i] * h;
        state.rotation[i] = integrate_rotation(state.rotation[i], state.angular_velocity[i], h);
    }
}

/// Takes scripted bodies to the end of the step, for the second collision query.
pub(crate) fn follow_scripts_to_end(state: &mut State, model: &Model, dt: f64) {
    let time = state.time;
    state.time += dt;
    state.follow_scripts(model, dt);
    state.time = time;
}

impl Assembly {
    /// Tells the watchdog what corrections did in this step.
    pub(crate) fn tell(&mut self, watch: &mut Watch) {
        for (body, shift) in self.shifts.drain(..) {
            watch.shift[body as usize] += shift;
        }
    }

    /// Takes the impulses of the last step from the contacts, as first guess of this one.
    pub(crate) fn remember(&mut self, contacts: &mut Contacts) {
        self.remembered.clear();
        for point in &mut contacts.points {
            self.remembered.push(point.impulse);
            point.impulse = Vec3::ZERO;
        }
    }

    /// Poses the contact problem of `part` over `h` seconds.
    pub(crate) fn pose(
        &mut self,
        state: &State,
        model: &Model,
        part: &Part,
        treatment: &Treatment,
        h: f64,
    ) {
        self.gather(state, model, part, treatment.reach);
        self.choose_tangents(state, model, treatment);
        self.right_hand_side(state, model, treatment, h);
    }

    /// Numbers the bodies of `part` and copies masses and contact frames.
    pub(crate) fn gather(&mut self, state: &State, model: &Model, part: &Part, reach: f64) {
        self.problem.clear();
        self.points.clear();
        self.distance.clear();
        self.restitution.clear();
        self.bodies.clear();
        self.bodies.extend_from_slice(&part.moving);
        self.moving = part.moving.len();
        self.local.resize(model.len(), NONE);
        for (k, &i) in part.moving.iter().enumerate() {
            self.local[i as usize] = k as u32;
            self.problem.bodies.push(Mass {
                inverse_mass: model.inverse_mass[i as usize],
                inverse_inertia: state.inverse_inertia(model, i as usize),
            });
        }
        for &k in &part.patches {
            let patch = &state.contacts.patches[k as usize];
            let (a, b) = (self.number(patch.a), self.number(patch.b));
            let (t1, t2) = tangents(patch.normal);
            for p in patch.first..patch.first + patch.count {
                let point = &state.contacts.points[p as usize];
                if point.distance > reach * patch.length {
                    continue;
                }
                self.points.push(p);
                self.problem.contacts.push(Contact {
                    a,
                    b,
                    normal: patch.normal,
                    tangents: [t1, t2],
                    r_a: point.position - state.position[patch.a as usize],
                    r_b: point.position - state.position[patch.b as usize],
                    friction: patch.friction,
                });
                self.problem.b.push([0.0; 3]);
                self.distance.push(point.distance);
                self.restitution.push(patch.restitution);
            }
        }
        for &i in &self.bodies {
            self.local[i as usize] = NONE;
        }
    }

    /// Number of body `i` in the problem; one met for the first time here is fixated.
    fn number(&mut self, i: u32) -> usize {
        let local = &mut self.local[i as usize];
        if *local == NONE {
            *local = self.bodies.len() as u32;
            self.bodies.push(i);
            self.problem.bodies.push(Mass::default());
        }
        *local as usize
    }

    /// Velocities as the problem sees them. A fixated body keeps its own, or rests as in the
    /// published method; what is fixed or scripted by its nature keeps its own always.
    fn present_velocities(&mut self, state: &State, model: &Model, keep: bool) {
        self.velocity.clear();
        for (k, &i) in self.bodies.iter().enumerate() {
            let i = i as usize;
            let seen = k < self.moving || keep || !model.is_dynamic(i);
            let own = Twist {
                linear: state.linear_velocity[i],
                angular: state.angular_velocity[i],
            };
            self.velocity.push(if seen { own } else { Twist::ZERO });
        }
    }

    /// The pyramid's first axis lies along the sliding velocity, where there is one.
    fn choose_tangents(&mut self, state: &State, model: &Model, treatment: &Treatment) {
        if treatment.cone {
            return;
        }
        self.present_velocities(state, model, treatment.keep_velocity);
        for c in &mut self.problem.contacts {
            let u = self.velocity[c.b].at(c.r_b) - self.velocity[c.a].at(c.r_a);
            let sliding = u - c.normal * c.normal.dot(u);
            if sliding.length_squared() > 1e-16 {
                // once more orthogonal, since tiny sliding keeps rounding errors
                let t1 = sliding.normalize();
                let t1 = (t1 - c.normal * c.normal.dot(t1)).normalize();
                c.tangents = [t1, c.normal.cross(t1)];
            }
        }
    }

    /// `b = J (u + h M⁻¹ f_ext)` less what is wanted along the normal: the bounce, the gap's
    /// closing speed, or the push out of a penetration.
    fn right_hand_side(&mut self, state: &State, model: &Model, treatment: &Treatment, h: f64) {
        let h_safe = h.max(1e-9);
        self.problem.relaxation = treatment.gamma / h_safe;
        self.present_velocities(state, model, treatment.keep_velocity);
        let now = self.problem.row_velocities(&self.velocity);
        for (k, &i) in self.bodies[..self.moving].iter().enumerate() {
            self.velocity[k] = treatment.free_velocity(state, model, i as usize, h);
        }
        let free = self.problem.row_velocities(&self.velocity);
        for (k, b) in self.problem.b.iter_mut().enumerate() {
            let (distance, restitution) = (self.distance[k], self.restitution[k]);
            let approach = now[k][0];
            let gap_speed = |time: f64| {
                if treatment.speculative {
                    distance.max(0.0) / time.max(1e-9)
                } else {
                    0.0
                }
            };
            let meets = |time: f64| approach < -gap_speed(time);
            let push = treatment.stabilisation * (-distance).max(0.0) / h_safe;
            let wanted = if restitution > 0.0 && treatment.bounce_time.is_some_and(meets) {
                push.max(-restitution * approach)
            } else {
                push - gap_speed(h)
            };
            *b = free[k];
            b[0] -= wanted;
        }
    }

    /// Starts from the part `warm` of the remembered impulses.
    pub(crate) fn first_guess(&mut self, warm: f64) {
        self.impulses.clear();
        for (c, &p) in self.problem.contacts.iter().zip(&self.points) {
            let guess = if warm > 0.0 {
                self.remembered[p as usize] * warm
            } else {
                Vec3::ZERO
            };
            let [n, t1, t2] = c.to_rows(guess);
            self.impulses
                .push(if n > 0.0 { [n, t1, t2] } else { [0.0; 3] });
        }
    }

    /// `λ = ncp(A, b)` by the chosen solver, or by the sweeps of the published method.
    fn solve(&mut self, treatment: &Treatment, contacts: &Contacts) -> Solved {
        let Self {
            problem,
            impulses,
            points,
            ..
        } = self;
        let place = |&p: &u32| contacts.points[p as usize].position;
        let places = || points.iter().map(place).collect();
        let choice = treatment.choice;
        if let Some(solved) = choice.solve(problem, impulses, places, treatment.sweeps) {
            return solved;
        }
        let solve = if treatment.cone {
            sweeping::cone
        } else {
            sweeping::pgs
        };
        solve(problem, impulses, Sweeping::times(treatment.sweeps))
    }

    fn add_impulses(&self, contacts: &mut Contacts) {
        let solved = self.problem.contacts.iter().zip(&self.impulses);
        for ((c, rows), &p) in solved.zip(&self.points) {
            contacts.points[p as usize].impulse += c.to_world(*rows);
        }
    }

    fn outcome(&self, solved: &Solved) -> Outcome {
        let after = self.problem.row_velocities(&solved.delta_v);
        let left = after
            .iter()
            .zip(&self.problem.b)
            .map(|(w, b)| -(w[0] + b[0]));
        Outcome {
            sweeps: solved.sweeps,
            approach: left.fold(0.0, f64::max),
        }
    }
}
