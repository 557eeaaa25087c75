//! Bodies at rest stop being simulated until something wakes them. Off by default.
//!
//! An island sleeps and wakes as one. It falls asleep when all of it has been quiet long
//! enough; it wakes when it meets an awake body or a moving script, when a user pushes one of
//! its bodies, or when a body that it leaned on is gone.

use drystone_base::Vec3;

use crate::{Graph, Model, NONE, State};

/// Kinetic energy per mass below which a body is quiet \[J/kg\].
const QUIET_ENERGY: f64 = 1e-5;
/// How long an island must be quiet \[s\].
const QUIET_TIME: f64 = 0.5;

/// Wakes every island that holds an awake body or touches a moving script.
pub(crate) fn wake_up(state: &mut State, model: &Model, graph: &Graph) {
    let mut stirred = vec![false; graph.islands as usize];
    for i in 0..model.len() {
        let island = graph.island[i];
        if island != NONE && state.present[i] && !state.asleep[i] {
            stirred[island as usize] = true;
        }
    }
    for (k, patch) in state.contacts.patches.iter().enumerate() {
        for (pusher, pushed) in [(patch.a, patch.b), (patch.b, patch.a)] {
            let (pusher, pushed) = (pusher as usize, pushed as usize);
            let moving = !model.is_dynamic(pusher)
                && (state.linear_velocity[pusher] != Vec3::ZERO
                    || state.angular_velocity[pusher] != Vec3::ZERO);
            if graph.joined[k] && moving && graph.island[pushed] != NONE {
                stirred[graph.island[pushed] as usize] = true;
            }
        }
    }
    for i in 0..model.len() {
        let island = graph.island[i];
        if island != NONE && state.asleep[i] && stirred[island as usize] {
            state.wake(i);
        }
    }
}

/// Counts how long bodies have been quiet; islands that have been long enough fall asleep.
pub(crate) fn fall_asleep(state: &mut State, model: &Model, graph: &Graph, dt: f64) {
    let mut sleepy = vec![true; graph.islands as usize];
    for i in 0..model.len() {
        let island = graph.island[i];
        if island == NONE || state.asleep[i] {
            continue;
        }
        let v = state.linear_velocity[i].length_squared();
        let spin = state.angular_velocity[i];
        let turning = spin.dot(state.inertia(model, i).times(spin)) * model.inverse_mass[i];
        let quiet = 0.5 * (v + turning) < QUIET_ENERGY && !graph.alone(i);
        state.quiet[i] = if quiet { state.quiet[i] + dt } else { 0.0 };
        if state.quiet[i] < QUIET_TIME {
            sleepy[island as usize] = false;
        }
    }
    for i in 0..model.len() {
        let island = graph.island[i];
        if island != NONE && sleepy[island as usize] && !state.asleep[i] {
            state.asleep[i] = true;
            state.linear_velocity[i] = Vec3::ZERO;
            state.angular_velocity[i] = Vec3::ZERO;
        }
    }
}

/// Wakes what touches body `i`, which is about to vanish.
pub(crate) fn wake_neighbours(state: &mut State, i: usize) {
    for k in 0..state.contacts.pairs.len() {
        let pair = state.contacts.pairs[k];
        let (a, b) = (pair.a as usize, pair.b as usize);
        if a == i {
            state.wake(b);
        } else if b == i {
            state.wake(a);
        }
    }
}
