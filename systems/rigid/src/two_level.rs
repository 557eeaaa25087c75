//! The default stepper: hard contacts in substeps, with the stack layers as the coarse level
//! of a two-level solve.
//!
//! Erleben 2007 saw that the support graph knows what a slow solver needs to know, and used it
//! by fixating each layer for the one above, which brakes and carries no static load. Here the
//! same layers become aggregates of a Galerkin solve ([`drystone_complementarity::coarse`]): one
//! exact pass carries the load of the whole stack, a few cone sweeps do the rest, every impulse
//! has its opposite, and so weight and momentum act as they should.

use drystone_base::Vec3;
use drystone_base::lanes::Dispatch;
use drystone_geometry::{Shape, distance};
use rayon::prelude::*;

use crate::contacts::{Pair, Patch, approach, closing_speed, detect, spin_speed};
use crate::direct;
use crate::group::{Group, Groups, Partition};
use crate::options::{Impacts, Precision};
use crate::sleep::{fall_asleep, wake_up};
use crate::system::{Report, Workspace};
use crate::turn::turn_freely;
use crate::{Graph, Model, NONE, Options, State, Tuning};

/// Turn of a free body in a substep below which its spin stays as it is \[rad\].
const FREE_TURN: f64 = 1e-7;

/// How many times the parts of a step there may be where bodies get faster within it.
const SHORTER: u32 = 4;

/// A part of a step: its length \[s\], and the substeps in it.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub(crate) dt: f64,
    substeps: u32,
}

impl Part {
    /// One of so many equal parts of a step that has `substeps` when it is whole: together they have as many, and each has one.
    fn of(dt: f64, parts: u32, substeps: u32) -> Self {
        Self {
            dt: dt / f64::from(parts),
            substeps: substeps.div_ceil(parts).max(1),
        }
    }

    /// Length of a substep \[s\].
    pub(crate) fn substep(self) -> f64 {
        self.dt / f64::from(self.substeps)
    }
}

/// One step: one query; then every group of islands on its own, in any order. Where bodies that
/// turn or travel far are beside others, the same in several parts of the step.
pub(crate) fn step(
    state: &mut State,
    model: &Model,
    options: &Options,
    workspace: &mut Workspace,
    dt: f64,
) -> Report {
    let mut report = Report::default();
    let start = state.time;
    let whole = Part::of(dt, 1, options.two_level.substeps);
    // a part and how many of it make a step; how many are left, how many were taken
    let (mut part, mut equal) = (whole, 1);
    let (mut left, mut taken) = (1, 0);
    // into how many parts what comes next is split at least
    let mut least = 1;
    while left > 0 {
        detect(state, model, options, workspace, part.dt);
        // what was struck in a part may be too fast for the next
        let wanted = parts(state, model, options, workspace, part.dt).max(least);
        let most = (SHORTER * options.tuning.parts - taken) / left;
        let split = wanted.min(most);
        if split > 1 {
            (equal, left) = (equal * split, left * split);
            let shorter = Part::of(dt, equal, options.two_level.substeps);
            // impulses are kept as those of a substep of the undivided step
            scale_impulses(state, shorter.substep() / part.substep());
            part = shorter;
        }
        if left + taken > 1 {
            state.time = start + dt - f64::from(left) * part.dt;
            state.follow_scripts(model, part.dt);
        }
        let divisible = 2 * split <= most;
        let Some(done) = advance_or_undo(state, model, options, workspace, part, divisible) else {
            least = 2;
            continue;
        };
        least = 1;
        report = Report {
            sweeps: report.sweeps + done.sweeps,
            residual: report.residual.max(done.residual),
            deepest_penetration: report.deepest_penetration.max(done.deepest_penetration),
            ..done
        };
        (left, taken) = (left - 1, taken + 1);
    }
    report.parts = taken;
    state.time = start;
    scale_impulses(state, whole.substep() / part.substep());
    if options.sleeping {
        fall_asleep(state, model, &workspace.graph, dt);
    }
    report
}

/// Into how many parts a step is split: so many that beside others no body's turn bends the path of
/// its points by more than the share `turn` of its thickness (`r θ²/2`), and no point travels farther than
/// `travel` times the thickness against another body.
fn parts(state: &State, model: &Model, options: &Options, workspace: &Workspace, dt: f64) -> u32 {
    let tuning = &options.tuning;
    let (radius, speed) = (&workspace.radius, &workspace.speed);
    let mut most = 1.0f64;
    for pair in &state.contacts.pairs {
        let (a, b) = (pair.a as usize, pair.b as usize);
        // most pairs are at rest
        if !workspace.brisk[a] && !workspace.brisk[b] {
            continue;
        }
        let [own_a, own_b] = [a, b].map(|i| model.thickness[i]);
        // through a fixed plate nothing goes that has been seen to come: only what bends past it does
        let length = match (model.is_dynamic(a), model.is_dynamic(b)) {
            (true, true) => own_a.min(own_b),
            (true, false) => own_a,
            (false, _) => own_b,
        };
        // where nothing goes far nothing bends far
        let least = tuning.turn * own_a.min(own_b);
        if (speed[a] + speed[b]) * dt <= least {
            continue;
        }
        // what goes farther than its thickness is followed in shares of it
        let way = closing_speed(state, a, b, &workspace.turning) * dt;
        let mut wanted = 1.0f64;
        if way > tuning.travel * length {
            wanted = way / (tuning.travel_part * length);
        }
        for i in [a, b] {
            let turn = state.angular_velocity[i].length() * dt;
            if turn > 0.0 {
                let bend = 0.5 * radius[i] * turn * turn;
                wanted = wanted.max((bend / least).sqrt());
            }
        }
        let fall = workspace.fall[b] - workspace.fall[a];
        if wanted > most && may_meet(state, model, pair, way, fall, dt) {
            most = wanted;
        }
    }
    (most.ceil() as u32).clamp(1, tuning.parts)
}

/// Whether two bodies may travel so far against each other within `dt` that their depth is measured at its end.
fn goes_far(state: &State, model: &Model, tuning: &Tuning, workspace: &Workspace, dt: f64) -> bool {
    let (speed, struck, brisk) = (&workspace.speed, &workspace.struck, &workspace.brisk);
    state.contacts.pairs.iter().any(|pair| {
        let (a, b) = (pair.a as usize, pair.b as usize);
        let way = (speed[a] + speed[b]) * dt + struck[a].max(struck[b]);
        (brisk[a] || brisk[b]) && way > tuning.far * model.thickness[a].min(model.thickness[b])
    })
}

/// Whether the two can meet within `dt` as they move now and `fall` against each other: not where they keep apart along the normal of a
/// contact that was found, nor where the box about one keeps apart from the box that the other sweeps, as
/// seen from it, nor where they are farther apart than their `way`. What passes beside a thin body has no
/// contact: there is no place over a face of it yet.
fn may_meet(state: &State, model: &Model, pair: &Pair, way: f64, fall: Vec3, dt: f64) -> bool {
    let (a, b) = (pair.a as usize, pair.b as usize);
    let travel = (state.linear_velocity[b] - state.linear_velocity[a]) * dt;
    // what is left of the way is by turning
    let turning = way - travel.length();
    let [pose_a, pose_b] = [a, b].map(|i| state.shape_pose(model, i));
    let apart = |patch: &Patch| {
        let n = patch.normal;
        let far_a = model.shape[a].support(pose_a.local_direction(n));
        let far_b = model.shape[b].support(pose_b.local_direction(-n));
        let gap = n.dot(pose_b.position - pose_a.position) - far_a - far_b;
        gap + n.dot(travel).min(0.0) + n.dot(fall).min(0.0) > turning
    };
    let found = pair.first as usize..(pair.first + pair.count) as usize;
    if state.contacts.patches[found].iter().any(apart) {
        return false;
    }
    let (mut swept, other) = (model.shape[b].aabb(&pose_b), model.shape[a].aabb(&pose_a));
    swept.low += travel.min(Vec3::ZERO) + fall.min(Vec3::ZERO);
    swept.high += travel.max(Vec3::ZERO) + fall.max(Vec3::ZERO);
    if !swept.grown(turning).overlaps(&other) {
        return false;
    }
    // the distance of meshes is too dear for every step
    let plain = |i: usize| !matches!(model.shape[i], Shape::Mesh(_) | Shape::Compound(_));
    let reach = way + fall.length();
    let close = || distance(&model.shape[a], &pose_a, &model.shape[b], &pose_b) <= reach;
    !plain(a) || !plain(b) || close()
}

fn scale_impulses(state: &mut State, factor: f64) {
    if factor != 1.0 {
        for point in &mut state.contacts.points {
            point.impulse *= factor;
        }
    }
}

/// Advances all by a part of a step; where that may be taken in shorter parts, and ends with bodies deep inside each
/// other that travelled far, all is as it was before, and there is no report.
fn advance_or_undo(
    state: &mut State,
    model: &Model,
    options: &Options,
    workspace: &mut Workspace,
    part: Part,
    divisible: bool,
) -> Option<Report> {
    if !divisible || !goes_far(state, model, &options.tuning, workspace, part.dt) {
        return Some(advance(state, model, options, workspace, part));
    }
    let mut before = std::mem::take(&mut workspace.before);
    before.keep(state, &workspace.watch);
    let report = advance(state, model, options, workspace, part);
    let deep = before.ended_deep(state, model, &options.tuning, workspace, part.dt);
    if deep {
        before.restore(state, &mut workspace.watch);
    }
    workspace.before = before;
    (!deep).then_some(report)
}

/// Advances all bodies by a part of a step, with contacts found at the present poses.
fn advance(
    state: &mut State,
    model: &Model,
    options: &Options,
    workspace: &mut Workspace,
    part: Part,
) -> Report {
    analyse(
        &mut workspace.graph,
        state,
        model,
        options,
        (&workspace.radius, &workspace.struck, &workspace.fall),
        part.dt,
    );
    if options.sleeping {
        wake_up(state, model, &workspace.graph);
    }
    let Workspace {
        graph,
        single,
        double,
        partition,
        watch,
        ..
    } = workspace;
    let most = match options.two_level.precision {
        Precision::Auto => options.tuning.small,
        Precision::Single => 0,
        Precision::Double => u32::MAX,
    };
    let (few, many) = ((1, most), (most.saturating_add(1), u32::MAX));
    let fine = advance_groups(double, partition, few, state, model, graph, options, part);
    let fast = advance_groups(single, partition, many, state, model, graph, options, part);
    double.tell(watch);
    single.tell(watch);
    for i in 0..model.len() {
        if graph.island[i] == NONE || graph.alone(i) {
            fly(state, model, i, part);
        }
    }
    Report {
        sweeps: fine.sweeps.max(fast.sweeps),
        residual: fine.residual.max(fast.residual),
        ..Report::of(state, graph)
    }
}

/// Contact graph of what touches or may meet within the step. A body's points move with its
/// velocity and its spin; per body, its `radius` about its centre of mass, how far it may be `struck` and how
/// far it may `fall` \[m\].
pub(crate) fn analyse(
    graph: &mut Graph,
    state: &State,
    model: &Model,
    options: &Options,
    (radius, struck, fall): (&[f64], &[f64], &[Vec3]),
    dt: f64,
) {
    let speed = |i: usize| state.linear_velocity[i].length() + spin_speed(state, i, radius);
    let present = (0..model.len()).filter(|&i| state.present[i]);
    let reach = 2.0 * dt * present.map(speed).fold(0.0, f64::max);
    let (contacts, tuning) = (&state.contacts, &options.tuning);
    graph.analyse(contacts, model, |k| {
        let patch = &contacts.patches[k];
        let (a, b) = (patch.a as usize, patch.b as usize);
        let distance = patch.distance - patch.normal.dot(fall[a] - fall[b]).max(0.0);
        // what goes past at a distance is found, but does not meet
        distance < tuning.near * patch.length + reach
            && (distance < tuning.envelope * patch.length || {
                let way = approach(state, a, b, patch.normal, radius) * dt;
                distance < tuning.envelope * patch.length + way + struck[a].max(struck[b])
            })
    });
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
    options: &Options,
    part: Part,
) -> Report {
    let groups = groups.of(sizes, memory, state, model, graph);
    let advance = |group: &mut Group<T>| {
        group.lay_out(state, model, graph, options, part);
        advance_group(group, state, model, options, part);
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
        report.residual = report.residual.max(group.residual * group.calm_speed);
    }
    report
}

/// Substeps of forces, coarse solve, sweeps and motion; one correction of the positions.
fn advance_group<T: Dispatch>(
    group: &mut Group<T>,
    state: &State,
    model: &Model,
    options: &Options,
    part: Part,
) {
    let (settings, tuning) = (&options.two_level, &options.tuning);
    let h = part.substep();
    // what flies has real gaps
    let zone = if group.flies {
        0.5 * tuning.zone
    } else {
        tuning.zone
    };
    let restitution = group.blocks.restitution();
    let bounces = restitution > 0.0;
    let reflects = bounces && settings.impacts == Impacts::Reflections;
    for substep in 0..part.substeps {
        let turned = substep > 0 && group.follow_turns(state, model, tuning, restitution);
        if reflects {
            let budget = settings.impact_sweeps;
            group.sweeps += group.blocks.reflect_impacts(h, zone, budget) as usize;
        }
        group.blocks.remember();
        group.apply_forces(model, h);
        let same = substep > 0 && !turned;
        group.blocks.begin(h, zone, same, bounces && !reflects);
        let held = solve(group, options, substep == 0);
        group.blocks.end(h, held);
        group.move_bodies(model, h);
    }
    group.collect_impulses();
    let [shallow, deep] = group.blocks.settle();
    if shallow > tuning.slop {
        let rounds = if deep > tuning.buried { 10 } else { 1 };
        let (usual, more) = (settings.correction_sweeps, 4 * settings.correction_sweeps);
        if group.flies {
            // while things fly, overlap passes, and pushing hard would only stir what stands nearby
            group
                .blocks
                .correct(tuning.slop, usual.div_ceil(3), 1, false);
            if deep >= tuning.passing {
                let depth = tuning.passing;
                group
                    .blocks
                    .correct_around(depth, tuning.slop, more, rounds);
            }
        } else {
            let deep = deep > tuning.deep;
            let sweeps = if deep { more } else { usual };
            group.blocks.correct(tuning.slop, sweeps, rounds, deep);
        }
        group.shift_bodies(model);
    }
    group.restore_momentum(model);
}

/// Rounds of coarse solve and sweeps until the contacts are calm; none where the last
/// impulses still hold. A large group pays for its trouble where it is: sweeps of further rounds
/// go around the contacts that still close. Returns whether the last impulses held.
fn solve<T: Dispatch>(group: &mut Group<T>, options: &Options, first: bool) -> bool {
    let (settings, tuning) = (&options.two_level, &options.tuning);
    let method = settings.method();
    // without layers sweeps are all there is: take more of them
    let (rounds, gain) = match group.flies {
        _ if group.coarse.is_empty() => (tuning.free_rounds * settings.rounds, tuning.free_gain),
        true => (settings.rounds, tuning.flying_gain),
        false => (settings.rounds, tuning.gain),
    };
    let large = group.blocks.len() > tuning.large as usize;
    let (few, spread, rebuild) = if group.flies {
        (3.0 * tuning.few, 1.0, 2.0 * tuning.rebuild_fraction)
    } else {
        (tuning.few, tuning.spread, tuning.rebuild_fraction)
    };
    // a small group is solved to the end
    let still = if first || !large {
        tuning.still
    } else {
        tuning.still_within
    };
    let (mut enough, mut before) = (1.0, f64::INFINITY);
    for round in 0..rounds.max(tuning.sinking_rounds) {
        let residual = group.coarse.residual(&group.blocks, enough);
        group.residual = residual.approach;
        let sinks = residual.approach > group.sinking;
        let holds = residual.velocity <= still && (large || !residual.slides);
        if round == 0 && holds {
            return true;
        }
        // a blow spreads in a round or two; what then stays wrong where things fly is on its way elsewhere
        let stays = group.flies
            && !group.overladen
            && round > 1
            && residual.energy > tuning.flying_progress * before;
        let further = sinks || (round < rounds && residual.share >= few && !stays);
        before = residual.energy;
        if holds || (round > 0 && !further) {
            break;
        }
        if round == 0 {
            enough = (gain * residual.approach).min(group.sinking).max(1.0);
        }
        let local = round > 0 && large && residual.share < tuning.many;
        if local && group.coarse.predicted_decrease() < tuning.coarse_decrease * residual.energy {
            let some = group.coarse.active_set(&group.blocks, spread * enough);
            for sweep in 0..settings.sweeps {
                group.residual = group.blocks.sweep_some(some, sweep % 2 == 1);
            }
        } else {
            let (blocks, coarse) = (&mut group.blocks, &mut group.coarse);
            group.residual = method.iterate(blocks, coarse, rebuild, settings.sweeps);
        }
        group.sweeps += settings.sweeps as usize;
        if group.residual <= enough {
            break;
        }
    }
    direct::finish(group, enough, tuning);
    false
}

/// Moves a body that touches nothing, in substeps.
fn fly(state: &mut State, model: &Model, i: usize, part: Part) {
    if !model.is_dynamic(i) || !state.present[i] || state.asleep[i] {
        return;
    }
    let h = part.substep();
    for _ in 0..part.substeps {
        let acceleration = state.acceleration(model, i);
        let linear_damping = 1.0 / (1.0 + h * model.linear_damping[i]);
        let angular_damping = 1.0 / (1.0 + h * model.angular_damping[i]);
        let before = state.linear_velocity[i];
        state.linear_velocity[i] = (before + h * acceleration) * linear_damping;
        if state.torque[i] != Vec3::ZERO {
            let twist = state.inverse_inertia(model, i).times(state.torque[i]);
            state.angular_velocity[i] += h * twist;
        }
        state.angular_velocity[i] *= angular_damping;
        // the mean of both velocities: exact on a parabola, so that flight keeps energy
        state.position[i] += 0.5 * h * (before + state.linear_velocity[i]);
        (state.rotation[i], state.angular_velocity[i]) = turn_freely(
            state.rotation[i],
            state.angular_velocity[i],
            &model.inertia_local[i],
            &model.inverse_inertia_local[i],
            h,
            FREE_TURN,
        );
    }
}
