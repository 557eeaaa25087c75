//! The default stepper: hard contacts in substeps, with the stack layers as the coarse level
//! of a two-level solve. In masonry, *coursed* stone is laid in level layers.
//!
//! Erleben 2007 saw that the support graph knows what a slow solver needs to know, and used it
//! by fixating each layer for the one above, which brakes and carries no static load. Here the
//! same layers become aggregates of a Galerkin solve ([`drystone_complementarity::coarse`]): one
//! exact pass carries the load of the whole stack, a few cone sweeps do the rest, every impulse
//! has its opposite, and so weight and momentum act as they should.

use drystone_base::lanes::{Dispatch, Eight, Real};
use drystone_base::{Vec3, integrate_rotation, tangents};
use drystone_complementarity::blocks::{Blocks, BodyInput, PatchInput, PointInput};
use drystone_complementarity::coarse::Coarse;

use crate::contacts::detect;
use crate::system::{Report, Workspace};
use crate::{Graph, Model, NONE, Options, Patch, State};

/// A solve is done when no contact closes faster than this [m/s] ...
const CALM: f64 = 0.005;
/// ... or than this share of what it started from.
const GAIN: f64 = 0.05;
/// Depth from which the correction takes four times its sweeps [m].
const DEEP: f64 = 0.005;

/// Scratch memory of the solve.
#[derive(Default)]
pub(crate) struct Scratch<T> {
    blocks: Blocks<T>,
    coarse: Coarse<T>,
    bodies: Vec<BodyInput>,
    patches: Vec<PatchInput>,
    points: Vec<PointInput>,
    /// Which patch of the contacts each solved patch is.
    source: Vec<u32>,
    /// Where the points of each solved patch start.
    first: Vec<u32>,
    /// Island of each interface, and first interface of each island.
    interface_island: Vec<u32>,
    interface_base: Vec<u32>,
}

/// One step: one query, substeps of coarse solve and sweeps, one correction.
pub(crate) fn step(
    state: &mut State,
    model: &Model,
    options: &Options,
    workspace: &mut Workspace,
    dt: f64,
) -> Report {
    detect(state, model, options, workspace, dt);
    let Workspace { graph, scratch, .. } = workspace;
    let deepest_penetration = state.contacts.deepest();
    let settings = &options.coursed;
    let h = dt / f64::from(settings.substeps);

    lay_out(scratch, graph, state, model, dt, settings.coarse);
    let mut sweeps = 0;
    let mut residual = 0.0;
    for substep in 0..settings.substeps {
        apply_forces(scratch, state, model, h);
        scratch.blocks.begin(h, settings.zone, substep > 0);
        let mut start = 0.0;
        for round in 0..settings.rounds {
            let approach = scratch.coarse.solve(&mut scratch.blocks);
            for sweep in 0..settings.sweeps {
                residual = scratch.blocks.sweep(sweep % 2 == 1);
                if round == 0 && sweep == 0 {
                    start = residual.max(approach);
                }
            }
            sweeps += settings.sweeps as usize;
            if residual <= CALM.max(GAIN * start) {
                break;
            }
        }
        scratch.blocks.end();
        move_bodies(scratch, state, model, h);
    }
    collect_impulses(scratch, state, model);
    correct_positions(scratch, state, model, h, settings.slop, settings.correction_sweeps);

    Report {
        contacts: state.contacts.points.len(),
        pairs: state.contacts.pairs.iter().filter(|pair| pair.count > 0).count(),
        islands: graph.islands as usize,
        sweeps,
        residual,
        deepest_penetration,
        ..Report::default()
    }
}

/// Turns contacts into the solver's blocks, with heights and islands for the coarse level.
fn lay_out<T: Dispatch>(
    scratch: &mut Scratch<T>,
    graph: &mut Graph,
    state: &State,
    model: &Model,
    dt: f64,
    coarse: bool,
) {
    let contacts = &state.contacts;
    let fastest = (0..model.len())
        .filter(|&i| state.present[i])
        .map(|i| state.linear_velocity[i].length_squared())
        .fold(0.0, f64::max)
        .sqrt();
    let reach = 0.001 + 2.0 * fastest * dt;
    let near = |patch: &Patch| patch.distance < reach;
    graph.analyse(contacts, model, |k| near(&contacts.patches[k]));

    scratch.bodies.clear();
    for i in 0..model.len() {
        scratch.bodies.push(BodyInput {
            inverse_mass: model.inverse_mass[i],
            inverse_inertia: state.inverse_inertia(model, i),
        });
    }

    // interfaces of island after island, bottom up
    let Scratch { interface_island, interface_base, .. } = scratch;
    interface_base.clear();
    interface_base.resize(graph.islands as usize + 1, 0);
    for (k, patch) in contacts.patches.iter().enumerate() {
        let layer = graph.layer[k];
        if layer != NONE {
            let count = &mut interface_base[graph.island_of(patch.a, patch.b) as usize + 1];
            *count = (*count).max(layer + 1);
        }
    }
    interface_island.clear();
    for island in 0..graph.islands as usize {
        let count = interface_base[island + 1];
        interface_base[island + 1] += interface_base[island];
        interface_island.extend((0..count).map(|_| island as u32));
    }

    scratch.patches.clear();
    scratch.points.clear();
    scratch.source.clear();
    scratch.first.clear();
    for (k, patch) in contacts.patches.iter().enumerate() {
        if !near(patch) {
            continue;
        }
        let (a, b) = (patch.a as usize, patch.b as usize);
        let between = graph.layer[k] != NONE && graph.height[a] != graph.height[b];
        scratch.source.push(k as u32);
        scratch.first.push(scratch.points.len() as u32);
        scratch.patches.push(PatchInput {
            bodies: [patch.a, patch.b],
            normal: patch.normal,
            friction: patch.friction,
            restitution: patch.restitution,
            interface: if between {
                scratch.interface_base[graph.island_of(patch.a, patch.b) as usize] + graph.layer[k]
            } else {
                NONE
            },
            upward: graph.height[b] > graph.height[a],
        });
        for point in contacts.points_of(patch) {
            scratch.points.push(PointInput {
                ra: point.position - state.position[a],
                rb: point.position - state.position[b],
                separation: point.distance,
                impulse: point.impulse,
            });
        }
    }
    scratch.first.push(scratch.points.len() as u32);

    let Scratch { blocks, coarse: level, bodies, patches, points, first, interface_island, .. } = scratch;
    let points_of = |k: usize| &points[first[k] as usize..first[k + 1] as usize];
    blocks.build(bodies, patches, points_of);
    blocks.prepare();
    for i in 0..model.len() {
        blocks.velocity[i] = packed(state.linear_velocity[i], state.angular_velocity[i]);
    }
    blocks.remember();
    if !coarse {
        interface_island.clear();
        patches.iter_mut().for_each(|patch| patch.interface = NONE);
    }
    level.set_up(blocks, patches, &state.position, interface_island, |k, visit| {
        for point in points_of(k) {
            visit(state.position[patches[k].bodies[0] as usize] + point.ra);
        }
    });
}

fn packed<T: Real>(v: Vec3, w: Vec3) -> Eight<T> {
    Eight([v.x, v.y, v.z, w.x, w.y, w.z, 0.0, 0.0].map(T::of))
}

fn unpacked<T: Real>(motion: &Eight<T>) -> (Vec3, Vec3) {
    let m = motion.0.map(Real::f64);
    (Vec3::new(m[0], m[1], m[2]), Vec3::new(m[3], m[4], m[5]))
}

/// Whether contacts and forces move body `i` now.
fn moves(state: &State, model: &Model, i: usize) -> bool {
    model.is_dynamic(i) && state.present[i] && !state.asleep[i]
}

/// Gravity, external forces and damping over `h` seconds, in the state and in the blocks.
fn apply_forces<T: Dispatch>(scratch: &mut Scratch<T>, state: &mut State, model: &Model, h: f64) {
    for i in 0..model.len() {
        if !moves(state, model, i) {
            continue;
        }
        let (mut v, mut w) = unpacked(&scratch.blocks.velocity[i]);
        let dv = h * (model.gravity * model.gravity_scale[i] + state.force[i] * model.inverse_mass[i]);
        v += dv;
        state.linear_velocity[i] += dv;
        if state.torque[i] != Vec3::ZERO {
            let dw = h * scratch.bodies[i].inverse_inertia.times(state.torque[i]);
            w += dw;
            state.angular_velocity[i] += dw;
        }
        v *= 1.0 / (1.0 + h * model.linear_damping[i]);
        w *= 1.0 / (1.0 + h * model.angular_damping[i]);
        scratch.blocks.velocity[i] = packed(v, w);
    }
}

/// Moves every body for `h` seconds. Spin follows from angular momentum, which a turn keeps.
fn move_bodies<T: Dispatch>(scratch: &mut Scratch<T>, state: &mut State, model: &Model, h: f64) {
    for i in 0..model.len() {
        if !moves(state, model, i) {
            continue;
        }
        let (v, w) = unpacked(&scratch.blocks.velocity[i]);
        state.position[i] += h * v;
        if w.length_squared() * h < 1e-10 {
            state.rotation[i] = integrate_rotation(state.rotation[i], w, h);
            continue;
        }
        let turned = turn_freely(state.rotation[i], w, model, i, h);
        state.rotation[i] = turned.0;
        state.angular_velocity[i] += turned.1 - w;
        scratch.blocks.velocity[i] = packed(v, turned.1);
    }
}

/// Rotation and spin of a body after turning freely for `h` seconds, midpoint rule: the spin
/// changes so that the angular momentum does not.
fn turn_freely(
    rotation: drystone_base::Quat,
    w: Vec3,
    model: &Model,
    i: usize,
    h: f64,
) -> (drystone_base::Quat, Vec3) {
    let momentum = model.inertia_local[i].rotated(rotation).times(w);
    let spin = |q: drystone_base::Quat| q * model.inverse_inertia_local[i].times(q.conjugate() * momentum);
    let half = integrate_rotation(rotation, w, 0.5 * h);
    let middle = spin(half);
    let end = (drystone_base::functions::rotation_vector(middle * h) * rotation).normalize();
    (end, spin(end))
}

/// Brings the impulses of the step home: into the velocities, in full precision so that each
/// has its exact opposite, and into the contacts for the next start.
fn collect_impulses<T: Dispatch>(scratch: &mut Scratch<T>, state: &mut State, model: &Model) {
    for (k, &source) in scratch.source.iter().enumerate() {
        let patch = state.contacts.patches[source as usize];
        let (a, b) = (patch.a as usize, patch.b as usize);
        let (t1, t2) = tangents(patch.normal);
        let vector = |rows: [f64; 3]| patch.normal * rows[0] + t1 * rows[1] + t2 * rows[2];
        let (mut sum, mut twist_a, mut twist_b) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
        for j in 0..patch.count as usize {
            let point = &scratch.points[scratch.first[k] as usize + j];
            let (total, last) = scratch.blocks.impulses(k, j);
            let total = vector(total);
            sum += total;
            twist_a += point.ra.cross(total);
            twist_b += point.rb.cross(total);
            state.contacts.points[patch.first as usize + j].impulse = vector(last);
        }
        state.linear_velocity[a] -= sum * model.inverse_mass[a];
        state.linear_velocity[b] += sum * model.inverse_mass[b];
        state.angular_velocity[a] -= scratch.bodies[a].inverse_inertia.times(twist_a);
        state.angular_velocity[b] += scratch.bodies[b].inverse_inertia.times(twist_b);
    }
    for i in 0..model.len() {
        let damped = model.linear_damping[i] > 0.0 || model.angular_damping[i] > 0.0;
        if damped && moves(state, model, i) {
            (state.linear_velocity[i], state.angular_velocity[i]) = unpacked(&scratch.blocks.velocity[i]);
        }
    }
}

/// Pushes overlaps apart, without any velocity (Erleben 2007, eq. 46, nothing fixated).
fn correct_positions<T: Dispatch>(
    scratch: &mut Scratch<T>,
    state: &mut State,
    model: &Model,
    h: f64,
    slop: f64,
    sweeps: u32,
) {
    let deepest = scratch.blocks.settle(h);
    if deepest <= slop {
        return;
    }
    scratch.blocks.correct(slop, if deepest > DEEP { 4 * sweeps } else { sweeps });
    for i in 0..model.len() {
        if moves(state, model, i) {
            let (shift, turn) = unpacked(&scratch.blocks.velocity[i]);
            state.position[i] += shift;
            if turn != Vec3::ZERO {
                let turn = drystone_base::functions::rotation_vector(turn);
                state.rotation[i] = (turn * state.rotation[i]).normalize();
            }
        }
    }
}
