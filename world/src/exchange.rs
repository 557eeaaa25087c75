//! Energy exchange: finds bodies to which cloth gives energy that it did not have.
//!
//! A free body answers cloth at once, and energy passes exactly. What its own contacts held back meanwhile did no
//! work on it, and acts as a load over its next step: the work that it then receives nobody has lost. That work is
//! summed for each body, less what it gives back, and fades over some hundred steps; a body whose sum exceeds a share of
//! its own energy is named.
//!
//! The rigid system cannot see this: to it a load is an external force like any other.

use drystone_base::functions::atan2;
use drystone_base::{Quat, Vec3};
use drystone_rigid::{self as rigid, GAIN_MEMORY, GAIN_SHARE};

/// Energy always at stake: this many times that of its load acting from rest over one step.
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

/// Memory of the exchange. It is no part of the state: results do not depend on it.
#[derive(Default)]
pub(crate) struct Exchange {
    /// Step that comes next; another one means that the state was replaced.
    next: u64,
    /// Per body: centre and rotation before the step; written by `begin`.
    before: Vec<(Vec3, Quat)>,
    /// Per body: displacement \[m\] and turn \[rad\] over the step; written by `close`.
    motion: Vec<[Vec3; 2]>,
    /// Per body: work that cloth is known to have lost to it \[J\]; not a number where that is not known.
    given: Vec<f64>,
    /// Per body: surplus of the last few hundred steps \[J\]; written by `close`.
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
        self.before.clear();
        let poses = state.position.iter().copied();
        self.before
            .extend(poses.zip(state.rotation.iter().copied()));
    }

    /// Closes the account of the bodies' step, over which `load` acted on each: force \[N\] and torque \[N m\].
    pub(crate) fn close(
        &mut self,
        system: &rigid::System,
        load: impl Fn(usize) -> [Vec3; 2],
        dt: f64,
    ) -> Vec<ExchangeGain> {
        let (state, model) = (&system.state, &system.model);
        let fade = 1.0 - 1.0 / GAIN_MEMORY;
        let mut found = Vec::new();
        self.motion.clear();
        for i in 0..model.len() {
            let (position, rotation) = self.before[i];
            let moved = state.position[i] - position;
            let turned = turn(state.rotation[i] * rotation.conjugate());
            self.motion.push([moved, turned]);
            let given = std::mem::take(&mut self.given[i]);
            if !model.is_dynamic(i) || !state.present[i] {
                continue;
            }
            let [force, torque] = load(i);
            let kinetic = rigid::energy::kinetic_energy_of(state, model, i);
            self.stake[i] = (self.stake[i] * fade).max(kinetic);
            self.sum[i] *= fade;
            let surplus = force.dot(moved) + torque.dot(turned) - given;
            if !surplus.is_finite() {
                continue;
            }
            self.sum[i] = (self.sum[i] + surplus).max(0.0);
            let push = 0.5 * force.length_squared() * dt * dt / model.mass[i];
            let allowed = GAIN_SHARE * (self.stake[i] + START * push);
            if self.sum[i] > allowed {
                found.push(ExchangeGain {
                    body: i,
                    gained: self.sum[i],
                    allowed,
                });
                self.sum[i] = 0.0;
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
fn turn(q: Quat) -> Vec3 {
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
            found.extend(exchange.close(&system, |_| [load, Vec3::ZERO], dt));
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
