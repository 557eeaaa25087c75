//! Energy exchange: finds bodies to which cloth gives energy that it did not have.
//!
//! A free body answers cloth at once, and energy passes exactly. What its contacts are foretold to hold back in its next
//! step is taken out of that step again, and does no work unless friction gives way to it: what the body keeps of
//! that work nobody has lost. It is summed for each body, less what it gives back, and fades over some hundred steps;
//! a body whose sum exceeds a share of its own energy is named.
//!
//! The rigid system cannot see this: to it a load is an external force like any other.

use drystone_base::functions::atan2;
use drystone_base::{Quat, Vec3};
use drystone_rigid::{self as rigid, GAIN_MEMORY, GAIN_SHARE};

/// Energy always at stake: this many times that of its load and its weight acting from rest over one step.
const START: f64 = 8.0;

/// A body that received more energy from cloth than that lost to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ExchangeGain {
    pub(crate) body: usize,
    /// Surplus of the last few hundred steps \[J\].
    pub(crate) gained: f64,
    /// Surplus that would have passed for discretisation error \[J\].
    pub(crate) allowed: f64,
}

/// Of the bodies of a group in one step.
#[derive(Clone, Copy, Default)]
struct Account {
    /// Of the loads that were foretold \[J\].
    work: f64,
    /// Of kinetic energy, beyond what their weight has done \[J\].
    rise: f64,
    /// Largest kinetic energies of late \[J\].
    stake: f64,
    /// Energy that loads and weight would give from rest \[J\].
    push: f64,
}

/// Memory of the exchange. It is no part of the state: results do not depend on it.
#[derive(Default)]
pub(crate) struct Exchange {
    /// Step that comes next; another one means that the state was replaced.
    next: u64,
    /// Per body: centre and rotation before the step; written by `begin`.
    before: Vec<(Vec3, Quat)>,
    /// Per body: kinetic energy then \[J\]; written by `begin`.
    kinetic: Vec<f64>,
    /// Per body: displacement \[m\] and turn \[rad\] over the step; written by `close`.
    motion: Vec<[Vec3; 2]>,
    /// Per body: work that cloth is known to have lost to it \[J\]; not a number where that is not known.
    given: Vec<f64>,
    /// Per body that stands for a group: surplus of the last few hundred steps \[J\]; written by `close`.
    sum: Vec<f64>,
    /// Per body: largest kinetic energy of the last few hundred steps \[J\]; written by `close`.
    stake: Vec<f64>,
}

impl Exchange {
    /// Takes down where the bodies are before they step.
    pub(crate) fn begin(&mut self, system: &rigid::System) {
        let (state, n) = (&system.state, system.model.len());
        let resumed = state.step != self.next;
        if resumed {
            self.sum.clear();
            self.stake.clear();
        }
        self.next = state.step + 1;
        self.given.resize(n, 0.0);
        self.sum.resize(n, 0.0);
        self.stake.resize(n, 0.0);
        if resumed {
            // what was given for the loads that wait is not known: the first step counts for nothing
            self.given.fill(f64::NAN);
        }
        self.kinetic.clear();
        let kinetic = |i| rigid::energy::kinetic_energy_of(state, &system.model, i);
        self.kinetic.extend((0..n).map(kinetic));
        self.before.clear();
        let poses = state.position.iter().copied();
        self.before
            .extend(poses.zip(state.rotation.iter().copied()));
    }

    /// Measures the step that the bodies have just taken.
    pub(crate) fn measure(&mut self, system: &rigid::System) {
        let state = &system.state;
        let past = self.before.iter().enumerate();
        self.motion.clear();
        self.motion.extend(past.map(|(i, (position, rotation))| {
            let turned = turn(state.rotation[i] * rotation.conjugate());
            [state.position[i] - *position, turned]
        }));
    }

    /// Closes the account of that step, over which a load acted on each body: force \[N\] and torque \[N m\], and the
    /// displacement \[m\] and turn \[rad\] that were taken back. `group` numbers the bodies that touch each other alike,
    /// by one of them: what contacts hold back from one they exert on another.
    pub(crate) fn close(
        &mut self,
        system: &rigid::System,
        load: impl Fn(usize) -> [[Vec3; 2]; 2],
        group: impl Fn(usize) -> usize,
        dt: f64,
    ) -> Vec<ExchangeGain> {
        let (state, model) = (&system.state, &system.model);
        let fade = 1.0 - 1.0 / GAIN_MEMORY;
        let mut groups = vec![Account::default(); model.len()];
        for i in 0..model.len() {
            let given = std::mem::take(&mut self.given[i]);
            self.sum[i] *= fade;
            if !model.is_dynamic(i) || !state.present[i] {
                continue;
            }
            let [[force, torque], back] = load(i);
            let [moved, turned] = [0, 1].map(|part| self.motion[i][part] - back[part]);
            let kinetic = rigid::energy::kinetic_energy_of(state, model, i);
            self.stake[i] = (self.stake[i] * fade).max(kinetic);
            // what contacts have taken of the work at once is no gain
            let inertia = state.inertia(model, i);
            let [linear, angular] = back.map(|part| part * (2.0 / dt));
            let [velocity, spin] = [state.linear_velocity[i], state.angular_velocity[i]];
            let taken = model.mass[i] * linear.dot(velocity - linear * 0.5)
                + inertia.times(angular).dot(spin - angular * 0.5);
            let fall = model.mass[i] * model.gravity_scale[i] * model.gravity.dot(moved);
            let to = group(i);
            if to != i {
                // it has joined others
                self.sum[to] += std::mem::take(&mut self.sum[i]);
            }
            let account = &mut groups[to];
            account.work += force.dot(moved) + torque.dot(turned) - given;
            account.rise += kinetic - taken - self.kinetic[i] - fall;
            account.stake += self.stake[i];
            let weight = model.mass[i] * model.gravity_scale[i] * model.gravity.length();
            let pushes = force.length_squared() + weight * weight;
            account.push += 0.5 * pushes * dt * dt / model.mass[i];
        }
        let mut found = Vec::new();
        for (body, account) in groups.iter().enumerate() {
            if account.work == 0.0 {
                continue; // nothing was foretold
            }
            let surplus = account.work.min(account.rise);
            if !surplus.is_finite() {
                continue;
            }
            self.sum[body] = (self.sum[body] + surplus).max(0.0);
            let allowed = GAIN_SHARE * (account.stake + START * account.push);
            if self.sum[body] > allowed {
                found.push(ExchangeGain {
                    body,
                    gained: self.sum[body],
                    allowed,
                });
                self.sum[body] = 0.0;
            }
        }
        found
    }

    /// Centre and rotation of a body before its last step; displacement \[m\] and turn \[rad\] over it.
    pub(crate) fn step_of(&self, body: usize) -> Option<(Vec3, Quat, [Vec3; 2])> {
        let ((centre, rotation), motion) = (*self.before.get(body)?, *self.motion.get(body)?);
        Some((centre, rotation, motion))
    }
}

/// Axis times angle of a rotation, the shorter way round \[rad\].
pub(crate) fn turn(q: Quat) -> Vec3 {
    let (along, w) = if q.w < 0.0 {
        (-q.xyz(), -q.w)
    } else {
        (q.xyz(), q.w)
    };
    let sine = along.length();
    if sine < 1e-9 {
        return along * 2.0;
    }
    along * (2.0 * atan2(sine, w) / sine)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use drystone_rigid::{Body, Materials, Model, Options, System};

    /// A ball without gravity, on which `load` acts over ten steps, while what follows it
    /// loses `share` of the work that it receives.
    fn pushed(load: Vec3, share: f64) -> Vec<ExchangeGain> {
        let mut model = Model::new(Vec3::ZERO, Materials::default());
        let shape = drystone_geometry::Shape::sphere(0.1).unwrap();
        model.add(Body::new("ball", shape)).unwrap();
        let mut system = System::new(model, Options::default()).unwrap();
        let (mut exchange, dt) = (Exchange::default(), 0.01);
        let mut found = Vec::new();
        for _ in 0..10 {
            let before = system.state.position[0];
            exchange.begin(&system);
            system.state.force[0] = load;
            system.advance(dt);
            // what follows moves along with the body, and is not a step late
            let work = load.dot(system.state.position[0] - before);
            exchange.given[0] = share * work;
            exchange.measure(&system);
            found.extend(exchange.close(
                &system,
                |_| [[load, Vec3::ZERO], [Vec3::ZERO; 2]],
                |i| i,
                dt,
            ));
        }
        found
    }

    #[test]
    fn energy_that_was_lost_elsewhere_is_no_gain() {
        assert_eq!(pushed(Vec3::X * 10.0, 1.0), []);
        assert_eq!(pushed(Vec3::X * 10.0, 1.5), []);
    }

    #[test]
    fn energy_that_nobody_lost_is_a_gain() {
        let found = pushed(Vec3::X * 10.0, 0.5);
        assert!(!found.is_empty());
        assert!(found.iter().all(|g| g.body == 0 && g.gained > g.allowed));
    }

    #[test]
    fn turns_are_measured_the_shorter_way_round() {
        for angle in [-3.0, -0.5, -1e-12, 0.0, 1e-7, 1.0, 3.1] {
            let axis = Vec3::new(1.0, 2.0, -2.0) / 3.0;
            let q = drystone_base::functions::rotation_about(axis, angle);
            let off = (turn(q) - axis * angle).length();
            assert!(off < 1e-12, "{off:.1e}"); // measured: 7e-16
            assert!((turn(-q) - turn(q)).length() < 1e-12);
        }
    }
}
