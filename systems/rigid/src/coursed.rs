//! The default stepper: hard contacts in substeps, with the stack layers as the coarse level
//! of a two-level solve. In masonry, *coursed* stone is laid in level layers.
//!
//! Erleben 2007 saw that the support graph knows what a slow solver needs to know, and used it
//! by fixating each layer for the one above, which brakes and carries no static load. Here the
//! same layers become aggregates of a Galerkin solve ([`drystone_complementarity::coarse`]): one
//! exact pass carries the load of the whole stack, a few cone sweeps do the rest, every impulse
//! has its opposite, and so weight and momentum act as they should.

use drystone_base::lanes::Dispatch;
use drystone_base::{Quat, Vec3, integrate_rotation, near_unit};
use rayon::prelude::*;

use crate::contacts::detect;
use crate::direct;
use crate::group::{Group, Groups, Partition};
use crate::options::Precision;
use crate::sleep::{fall_asleep, wake_up};
use crate::system::{Report, Workspace};
use crate::{CoursedOptions, Graph, Model, NONE, Options, State};

/// A solve is done when no contact closes faster than this [m/s] ...
const CALM: f64 = 0.002;
/// ... or than this share of what it started from.
const GAIN: f64 = 0.05;
/// Where nothing is fixed there are no layers: more rounds, to a smaller share.
const FREE: u32 = 8;
const FREE_GAIN: f64 = 1e-3;
/// A further round needs at least this share of the contacts to be closing; three times as many
/// while its group flies.
const FEW: f64 = 0.01;
/// In a further round a large group sweeps only around the contacts that still close, if they
/// are less than this share of all ...
const MANY: f64 = 0.2;
/// ... and the coarse level promises less than this share of the energy that is wrong.
const WORTH: f64 = 0.1;
/// Around contacts that close faster than this share of what is enough; while its group flies, than that.
const SPREAD: f64 = 0.5;
/// Share of changed contacts above which the matrix of the coarse level is built again; twice as many
/// while its group flies.
const STALE: f64 = 0.05;
/// Blocks of eight patches from which a group is large: it takes further rounds only where they
/// are needed.
const LARGE: usize = 32;
/// Velocity below which contacts are left as they are [m/s].
const STILL: f64 = 1e-6;
/// Depth from which the correction takes four times its sweeps [m].
const DEEP: f64 = 0.001;
/// Depth from which it goes on while that helps, up to ten times as long [m]. Overlaps of impacts
/// are left to several steps: pressing them out at once costs a struck tower 3 % of its bricks.
const BURIED: f64 = 0.05;
/// Speed from which it takes a third of them [m/s].
pub(crate) const FLYING: f64 = 1.0;
/// Islands of at most this many patches are solved in double precision.
const SMALL: u32 = 64;
/// Gap up to which bodies at rest belong together [m].
const NEAR: f64 = 0.001;

/// One step: one query; then every group of islands on its own, in any order.
pub(crate) fn step(
    state: &mut State,
    model: &Model,
    options: &Options,
    workspace: &mut Workspace,
    dt: f64,
) -> Report {
    detect(state, model, options, workspace, dt);
    analyse(&mut workspace.graph, state, model, dt);
    if options.sleeping {
        wake_up(state, model, &workspace.graph);
    }

    let Workspace {
        graph,
        single,
        double,
        partition,
        ..
    } = workspace;
    let settings = &options.coursed;
    let most = match settings.precision {
        Precision::Auto => SMALL,
        Precision::Single => 0,
        Precision::Double => u32::MAX,
    };
    let fine = advance_groups(
        double,
        partition,
        (1, most),
        state,
        model,
        graph,
        settings,
        dt,
    );
    let fast = advance_groups(
        single,
        partition,
        (most.saturating_add(1), u32::MAX),
        state,
        model,
        graph,
        settings,
        dt,
    );
    for i in 0..model.len() {
        if graph.island[i] == NONE || graph.alone(i) {
            fly(state, model, i, settings.substeps, dt);
        }
    }
    if options.sleeping {
        fall_asleep(state, model, graph, dt);
    }
    Report {
        sweeps: fine.sweeps.max(fast.sweeps),
        residual: fine.residual.max(fast.residual),
        ..Report::of(state, graph)
    }
}

/// Contact graph of what touches or may meet within the step.
pub(crate) fn analyse(graph: &mut Graph, state: &State, model: &Model, dt: f64) {
    let fastest = (0..model.len())
        .filter(|&i| state.present[i])
        .map(|i| state.linear_velocity[i].length_squared())
        .fold(0.0, f64::max)
        .sqrt();
    let reach = NEAR + 2.0 * fastest * dt;
    let contacts = &state.contacts;
    graph.analyse(contacts, model, |k| contacts.patches[k].distance < reach);
}

/// Advances the groups of islands with so many patches (smallest, largest), and brings the
/// results home in order.
fn advance_groups<T: Dispatch>(
    groups: &mut Groups<T>,
    memory: &mut Partition,
    sizes: (u32, u32),
    state: &mut State,
    model: &Model,
    graph: &Graph,
    settings: &CoursedOptions,
    dt: f64,
) -> Report {
    let groups = groups.of(sizes, memory, state, model, graph);
    let advance = |group: &mut Group<T>| {
        group.lay_out(state, model, graph, settings.coarse);
        advance_group(group, state, model, settings, dt);
    };
    if groups.len() > 1 {
        groups.par_iter_mut().for_each(advance);
    } else {
        groups.iter_mut().for_each(advance);
    }
    let mut report = Report::default();
    for group in groups {
        group.bring_home(state);
        report.sweeps = report.sweeps.max(group.sweeps);
        report.residual = report.residual.max(group.residual);
    }
    report
}

/// Substeps of forces, coarse solve, sweeps and motion; one correction of the positions.
fn advance_group<T: Dispatch>(
    group: &mut Group<T>,
    state: &State,
    model: &Model,
    settings: &CoursedOptions,
    dt: f64,
) {
    let h = dt / f64::from(settings.substeps);
    // what flies has real gaps
    let zone = if group.fastest > FLYING {
        0.5 * settings.zone
    } else {
        settings.zone
    };
    for substep in 0..settings.substeps {
        group.apply_forces(model, h);
        group.blocks.begin(h, zone, substep > 0);
        solve(group, settings);
        group.blocks.end();
        group.move_bodies(model, h);
    }
    group.collect_impulses(&state.contacts);
    let deepest = group.blocks.settle(h);
    if deepest > settings.slop {
        let rounds = if deepest > BURIED { 10 } else { 1 };
        group.blocks.correct(
            settings.slop,
            correction_effort(group.fastest, deepest, settings),
            rounds,
        );
        group.shift_bodies();
    }
    group.restore_momentum(model);
}

/// Sweeps of the position correction. Deep overlap at rest is worth more; while things fly,
/// overlap passes, and pushing hard would only stir what stands nearby.
fn correction_effort(fastest: f64, deepest: f64, settings: &CoursedOptions) -> u32 {
    match settings.correction_sweeps {
        usual if fastest > FLYING => usual.div_ceil(3),
        usual if deepest > DEEP => 4 * usual,
        usual => usual,
    }
}

/// Rounds of coarse solve and sweeps until the contacts are calm; none where the last
/// impulses still hold. A large group pays for its trouble where it is: sweeps of further rounds
/// go around the contacts that still close.
fn solve<T: Dispatch>(group: &mut Group<T>, settings: &CoursedOptions) {
    // without layers sweeps are all there is: take more of them
    let (rounds, gain) = if group.coarse.is_empty() {
        (FREE * settings.rounds, FREE_GAIN)
    } else {
        (settings.rounds, GAIN)
    };
    let large = group.blocks.len() > LARGE;
    let (few, spread, stale) = if group.fastest > FLYING {
        (3.0 * FEW, 1.0, 2.0 * STALE)
    } else {
        (FEW, SPREAD, STALE)
    };
    let mut enough = CALM;
    for round in 0..rounds {
        let wrong = group.coarse.look(&group.blocks, enough);
        group.residual = wrong.approach;
        if wrong.velocity <= STILL || (round > 0 && wrong.share < few) {
            break;
        }
        if round == 0 {
            enough = CALM.max(gain * wrong.approach);
        }
        let local = round > 0 && large && wrong.share < MANY;
        if local && group.coarse.promise() < WORTH * wrong.energy {
            let some = group.coarse.restless(&group.blocks, spread * enough);
            for sweep in 0..settings.sweeps {
                group.residual = group.blocks.sweep_some(some, sweep % 2 == 1);
            }
        } else {
            group.coarse.solve(&mut group.blocks, stale);
            for sweep in 0..settings.sweeps {
                group.residual = group.blocks.sweep(sweep % 2 == 1);
            }
        }
        group.sweeps += settings.sweeps as usize;
        if group.residual <= enough {
            break;
        }
    }
    direct::finish(group, enough);
}

/// Moves a body that touches nothing, in substeps.
fn fly(state: &mut State, model: &Model, i: usize, substeps: u32, dt: f64) {
    if !model.is_dynamic(i) || !state.present[i] || state.asleep[i] {
        return;
    }
    let h = dt / f64::from(substeps);
    for _ in 0..substeps {
        let push = model.gravity * model.gravity_scale[i] + state.force[i] * model.inverse_mass[i];
        let twist = state.inverse_inertia(model, i).times(state.torque[i]);
        let slow = 1.0 / (1.0 + h * model.linear_damping[i]);
        let calm = 1.0 / (1.0 + h * model.angular_damping[i]);
        state.linear_velocity[i] = (state.linear_velocity[i] + h * push) * slow;
        state.angular_velocity[i] = (state.angular_velocity[i] + h * twist) * calm;
        state.position[i] += h * state.linear_velocity[i];
        let spin = state.angular_velocity[i];
        (state.rotation[i], state.angular_velocity[i]) =
            turn_freely(state.rotation[i], spin, model, i, h, 1e-10);
    }
}

/// Rotation and spin of body `i` after turning freely for `h` seconds, midpoint rule: the spin
/// changes so that the angular momentum does not. Where it would change by less than `least`
/// [rad/s], it is left as it is.
pub(crate) fn turn_freely(
    rotation: Quat,
    w: Vec3,
    model: &Model,
    i: usize,
    h: f64,
    least: f64,
) -> (Quat, Vec3) {
    if w.length_squared() * h < least {
        return (integrate_rotation(rotation, w, h), w);
    }
    let momentum = rotation * model.inertia_local[i].times(rotation.conjugate() * w);
    let spin = |q: Quat| q * model.inverse_inertia_local[i].times(q.conjugate() * momentum);
    let middle = spin(integrate_rotation(rotation, w, 0.5 * h));
    let end = near_unit(drystone_base::functions::rotation_vector(middle * h) * rotation);
    (end, spin(end))
}
