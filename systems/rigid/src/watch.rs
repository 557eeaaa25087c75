//! Energy watchdog: finds islands that gain energy which nothing gave them.
//!
//! For every island of the step's contact graph the change of kinetic and potential energy is
//! set against the work of external forces and torques, the work of scripted bodies through
//! contacts, and the potential energy of the position correction. What is left over is zero or
//! negative in a sound step: friction, impacts and damping only take energy. A surplus is summed
//! over steps with a slow decay and no credit for losses before it (a one-sided CUSUM), so that a
//! steady drift is found as well as a jump. The sum is kept per body: islands may join and split
//! at any time.
//!
//! The watchdog reads the state and never writes it.

use drystone_base::Vec3;

use crate::energy::kinetic_energy_of;
use crate::graph::NONE;
use crate::options::Stepper;
use crate::system::Workspace;
use crate::{Model, Motion, Options, State};

/// Surplus that is still taken for discretisation error, as a share of the energy at stake.
pub const GAIN_SHARE: f64 = 0.05;
/// Steps after which a surplus, and the memory of a former kinetic energy, has fallen to 1/e.
pub const GAIN_MEMORY: f64 = 400.0;
/// A body is too fast when its energy is this many times all that its island had or received.
const TOO_FAST: f64 = 1.5;
/// Energy always at stake: this many times that of a fall from rest over one step.
const FALL: f64 = 8.0;

/// Energies of one step, summed over all islands \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnergyAccount {
    /// Work of external forces and torques; gravity does not count.
    pub pushed: f64,
    /// Work of scripted bodies through contacts. Exact for the default stepper; an upper bound
    /// for the others.
    pub driven: f64,
    /// Potential energy of what the position correction lifted, less what it lowered.
    pub lifted: f64,
    /// Energy dissipated, by the islands that lost some.
    pub lost: f64,
    /// Energy from nowhere, in the islands that gained some. Discretisation error in a sound step.
    pub gained: f64,
    /// Largest surplus of an island over what passes for discretisation error \[1\]; an island
    /// above 1 is reported.
    pub worst: f64,
}

/// An island that gained energy which nothing gave it, named by the body that gained most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnergyGain {
    /// The body that gained most.
    pub body: usize,
    /// Moving bodies of its island.
    pub bodies: usize,
    /// Surplus of the island, summed over the last few hundred steps \[J\].
    pub gained: f64,
    /// Surplus that would have passed for discretisation error \[J\].
    pub allowed: f64,
}

/// A body that is faster after a step than the energy of its island explains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TooFast {
    /// Index of the body.
    pub body: usize,
    /// Its speed after the step \[m/s\].
    pub speed: f64,
    /// Its speed had it received all the energy of its island \[m/s\].
    pub allowed: f64,
}

/// What a body or an island did in the step \[J\].
#[derive(Clone, Copy, Default)]
struct Change {
    /// Kinetic energy at the start.
    kinetic: f64,
    /// Work received: gravity where positive, forces, scripts.
    received: f64,
    /// Energy from nowhere, negative where it was lost.
    surplus: f64,
    /// Error that the account may have \[J\].
    slack: f64,
    /// Kinetic energy that errors are compared with \[J\].
    stake: f64,
    /// Sum of `Watch::sum` over the island.
    sum: f64,
    bodies: usize,
    /// Fastest script that touches the island \[m/s\].
    script: f64,
}

/// Memory of the watchdog. It is no part of the state: results do not depend on it.
#[derive(Default)]
pub(crate) struct Watch {
    /// Step that comes next; another one means that the state was replaced.
    next: u64,
    /// Per body, at the start of the step; written by `begin`.
    position: Vec<Vec3>,
    linear_velocity: Vec<Vec3>,
    angular_velocity: Vec<Vec3>,
    kinetic: Vec<f64>,
    moving: Vec<bool>,
    /// Per body: its part of the surplus of the last few hundred steps \[J\]; written by `settle_bodies`.
    sum: Vec<f64>,
    /// Per body: largest kinetic energy of the last few hundred steps \[J\]; written by `measure_bodies`.
    stake: Vec<f64>,
    /// Per body, of this step: its surplus and its part of the energy at stake \[J\]; written by
    /// `measure_bodies`.
    own: Vec<f64>,
    share: Vec<f64>,
    /// Per body: how far the correction moved it \[m\], and work that scripts did on it \[J\];
    /// written by `tell` of groups and assembly.
    pub(crate) shift: Vec<Vec3>,
    pub(crate) driven: Vec<f64>,
    /// Per body: its island or [`NONE`]; and what each island did. Written by `close_account`.
    island: Vec<u32>,
    islands: Vec<Change>,
}

/// What `Workspace::close_account` found.
#[derive(Default)]
pub(crate) struct Watched {
    pub(crate) account: EnergyAccount,
    pub(crate) gains: Vec<EnergyGain>,
    pub(crate) too_fast: Vec<TooFast>,
}

impl Watch {
    /// Takes down where the step starts.
    pub(crate) fn begin(&mut self, state: &State, model: &Model) {
        let n = model.len();
        if state.step != self.next {
            self.sum.clear();
            self.stake.clear();
        }
        self.sum.resize(n, 0.0);
        self.stake.resize(n, 0.0);
        self.position.clone_from(&state.position);
        self.linear_velocity.clone_from(&state.linear_velocity);
        self.angular_velocity.clone_from(&state.angular_velocity);
        self.kinetic.clear();
        self.moving.clear();
        for i in 0..n {
            let moving = model.is_dynamic(i) && state.present[i];
            self.moving.push(moving);
            self.kinetic.push(if moving {
                kinetic_energy_of(state, model, i)
            } else {
                0.0
            });
        }
        self.shift.clear();
        self.shift.resize(n, Vec3::ZERO);
        self.driven.clear();
        self.driven.resize(n, 0.0);
        self.next = state.step + 1;
    }
}

impl Workspace {
    /// Closes the account of the step that has just been taken in so many `parts`. Forces must still stand in
    /// `state`.
    pub(crate) fn close_account(
        &mut self,
        state: &State,
        model: &Model,
        options: &Options,
        parts: u32,
        dt: f64,
    ) -> Watched {
        let Self {
            watch,
            graph,
            assembly,
            ..
        } = self;
        if graph.island.len() != model.len() {
            return Watched::default();
        }
        // `isp`, and a step that was split, find contacts several times: what met is in none of the
        // graphs alone
        let mut island = std::mem::take(&mut watch.island);
        island.clone_from(&graph.island);
        let mut islands = graph.islands as usize;
        if options.stepper == Stepper::Isp || parts > 1 {
            islands = islands.min(1);
            for (i, one) in island.iter_mut().enumerate() {
                *one = if model.is_dynamic(i) { 0 } else { NONE };
            }
        }
        watch.islands.clear();
        watch.islands.resize(islands, Change::default());
        let exact = options.stepper == Stepper::TwoLevel;
        if !exact {
            assembly.tell(watch);
            watch.look_for_scripts(state, model, &island);
            watch.push_out(state, &island, options, dt);
        }
        let mut found = Watched::default();
        let span = options.impulse_span(dt);
        watch.measure_bodies(state, model, &island, span, dt, &mut found.account);
        if !exact {
            watch.bound_scripts(state, model, &island, dt, &mut found.account);
        }
        watch.judge_islands(&mut found.account);
        watch.settle_bodies(state, model, &island, &mut found);
        watch.island = island;
        found
    }
}

impl Watch {
    /// Energies, works and surplus of every body, summed by island.
    fn measure_bodies(
        &mut self,
        state: &State,
        model: &Model,
        island: &[u32],
        span: f64,
        dt: f64,
        account: &mut EnergyAccount,
    ) {
        let fade = 1.0 - 1.0 / GAIN_MEMORY;
        self.own.clear();
        self.share.clear();
        for i in 0..model.len() {
            self.own.push(0.0);
            self.share.push(0.0);
            if island[i] == NONE || !self.moving[i] || !state.present[i] {
                continue;
            }
            let (mass, force, torque) = (model.mass[i], state.force[i], state.torque[i]);
            let weight = model.gravity * (mass * model.gravity_scale[i]);
            let moved = state.position[i] - self.position[i];
            let travelled = moved - self.shift[i];
            let spin = self.angular_velocity[i] + state.angular_velocity[i];
            let turned = 0.5 * dt * spin;

            // change of energy less the work of what may give energy
            let kinetic = kinetic_energy_of(state, model, i);
            let fallen = weight.dot(travelled);
            let pushed = force.dot(travelled) + torque.dot(turned);
            let driven = self.driven[i];
            let surplus = kinetic - self.kinetic[i] - fallen - pushed - driven;
            if !surplus.is_finite() {
                continue; // quarantined at the end of the step
            }
            account.lifted -= weight.dot(self.shift[i]);
            account.pushed += pushed;
            account.driven += driven;

            // a contact acts at an instant that the step does not resolve: until then, and from
            // then on, forces work along another velocity
            let load = weight + force;
            let kick = state.linear_velocity[i] - self.linear_velocity[i] - load * (dt / mass);
            let mut slack = (load.length_squared() * kick.length_squared()).sqrt() * span;
            // a weight that a force carries: what is left of the two is rounded as each of them is
            let effort = weight.length() + force.length();
            slack += 1e-9 * effort * effort * dt * dt / mass;
            if torque != Vec3::ZERO {
                let twist = state.angular_velocity[i] - self.angular_velocity[i];
                slack += torque.length() * twist.length() * dt;
            }

            let fall = 0.5 * load.length_squared() * dt * dt / mass;
            self.stake[i] = (self.stake[i] * fade).max(kinetic).max(self.kinetic[i]);
            self.sum[i] *= fade;
            self.own[i] = surplus;
            self.share[i] = self.stake[i] + FALL * fall;
            let whole = &mut self.islands[island[i] as usize];
            whole.kinetic += self.kinetic[i];
            whole.received += fallen.max(0.0) + pushed.max(0.0) + driven.max(0.0);
            whole.surplus += surplus;
            whole.slack += slack;
            whole.stake += self.share[i];
            whole.sum += self.sum[i];
            whole.bodies += 1;
        }
    }

    /// Fastest script at each island, for steppers that do not sum up impulses.
    fn look_for_scripts(&mut self, state: &State, model: &Model, islands: &[u32]) {
        for patch in &state.contacts.patches {
            let (a, b) = (patch.a as usize, patch.b as usize);
            for (script, body) in [(a, b), (b, a)] {
                let scripted = matches!(model.motion[script], Motion::Scripted(_));
                let island = islands[body];
                if !scripted || island == NONE {
                    continue;
                }
                let speed = state.contacts.points_of(patch).iter().fold(0.0, |most, p| {
                    let r = p.position - state.position[script];
                    f64::max(most, state.velocity_at(script, r).length())
                });
                let whole = &mut self.islands[island as usize];
                whole.script = whole.script.max(speed);
            }
        }
    }

    /// Most that scripts can have worked: all the momentum that contacts gave an island, at the
    /// speed of its fastest script.
    fn bound_scripts(
        &mut self,
        state: &State,
        model: &Model,
        island: &[u32],
        dt: f64,
        account: &mut EnergyAccount,
    ) {
        for i in 0..model.len() {
            if island[i] == NONE || !self.moving[i] || !state.present[i] {
                continue;
            }
            let whole = &mut self.islands[island[i] as usize];
            if whole.script == 0.0 {
                continue;
            }
            let mass = model.mass[i];
            let weight = model.gravity * (mass * model.gravity_scale[i]);
            let momentum = (state.linear_velocity[i] - self.linear_velocity[i]) * mass
                - (weight + state.force[i]) * dt;
            let twist = state
                .inertia(model, i)
                .times(state.angular_velocity[i] - self.angular_velocity[i]);
            let radius = model.shape[i].bounding_radius(-model.shape_offset[i]);
            let work = whole.script * (momentum.length() + twist.length() / radius.max(1e-9));
            if work.is_finite() {
                whole.slack += work;
                whole.received += work;
                account.driven += work;
            }
        }
    }

    /// Overlap that a stepper undoes through velocity gives energy: impulse times speed.
    fn push_out(&mut self, state: &State, islands: &[u32], options: &Options, dt: f64) {
        let (rate, most, span) = match options.stepper {
            Stepper::Pgs => (options.pgs.stabilisation / dt, f64::INFINITY, 1.0),
            Stepper::Soft => {
                let substeps = f64::from(options.soft.substeps);
                (substeps / dt, options.soft.push_speed, substeps)
            }
            _ => return,
        };
        for patch in &state.contacts.patches {
            let island = islands[patch.a as usize].min(islands[patch.b as usize]);
            if island == NONE {
                continue;
            }
            for point in state.contacts.points_of(patch) {
                let speed = (-point.distance * rate).clamp(0.0, most);
                let work = speed * span * patch.normal.dot(point.impulse).max(0.0);
                if work.is_finite() {
                    self.islands[island as usize].slack += work;
                }
            }
        }
    }

    /// Adds the step's surplus to the sum of every island.
    fn judge_islands(&mut self, account: &mut EnergyAccount) {
        for whole in &mut self.islands {
            account.gained += whole.surplus.max(0.0);
            account.lost -= whole.surplus.min(0.0);
            // what a loss takes from the sum, or what is left of a gain
            whole.surplus = match whole.surplus {
                gain if gain > 0.0 => (gain - whole.slack).max(0.0),
                loss => loss,
            };
            if whole.stake > 0.0 {
                account.worst = account.worst.max(gained(whole) / allowed(whole));
            }
        }
    }

    /// Shares the sums out to the bodies again, and names what is out of bounds.
    fn settle_bodies(&mut self, state: &State, model: &Model, island: &[u32], found: &mut Watched) {
        // an island without a surplus has no more energy than it had and received
        let quiet = |whole: &Change| whole.surplus <= 0.0 && whole.sum == 0.0;
        if self.islands.iter().all(quiet) {
            return;
        }
        for i in 0..model.len() {
            if island[i] == NONE || !self.moving[i] || !state.present[i] {
                continue;
            }
            let whole = &self.islands[island[i] as usize];
            if quiet(whole) {
                continue;
            }
            // by what is at stake, so that a part that splits off is as near its limit as the whole
            if whole.surplus > 0.0 {
                self.sum[i] += whole.surplus * self.share[i] / whole.stake;
            } else if whole.sum > 0.0 {
                self.sum[i] *= gained(whole) / whole.sum;
            }
            let (bodies, gain, most) = (whole.bodies, gained(whole), allowed(whole));
            if gain > most {
                // the body that gained most stands for its island
                let named = (found.gains.iter_mut()).find(|known| island[known.body] == island[i]);
                match named {
                    Some(known) if self.own[known.body] >= self.own[i] => {}
                    Some(known) => known.body = i,
                    None => found.gains.push(EnergyGain {
                        body: i,
                        bodies,
                        gained: gain,
                        allowed: most,
                    }),
                }
            }
            let speed = state.linear_velocity[i].length();
            let whole = &self.islands[island[i] as usize];
            let at_hand = whole.kinetic + whole.received + whole.slack + allowed(whole);
            if 0.5 * model.mass[i] * speed * speed > TOO_FAST * at_hand {
                found.too_fast.push(TooFast {
                    body: i,
                    speed,
                    allowed: (2.0 * at_hand / model.mass[i]).sqrt(),
                });
            }
        }
        // an island once named starts anew
        if !found.gains.is_empty() {
            for i in 0..model.len() {
                if island[i] != NONE {
                    let whole = &self.islands[island[i] as usize];
                    if gained(whole) > allowed(whole) {
                        self.sum[i] = 0.0;
                    }
                }
            }
        }
    }
}

/// Surplus of an island that passes for discretisation error \[J\].
fn allowed(whole: &Change) -> f64 {
    GAIN_SHARE * whole.stake
}

/// Surplus of an island over the last few hundred steps \[J\].
fn gained(whole: &Change) -> f64 {
    (whole.sum + whole.surplus).max(0.0)
}
