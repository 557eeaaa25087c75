//! Islands solved together: a group has its own copy of what moves, so that groups advance in
//! parallel and in any order with the same result.

use drystone_base::lanes::{Dispatch, Real, Wide8};
use drystone_base::{Quat, Vec3, tangents};
use drystone_complementarity::blocks::{Blocks, BodyInput, POINTS, PatchInput, PointInput};
use drystone_complementarity::coarse::Coarse;
use drystone_complementarity::in_lanes::LaneMethod;
use drystone_geometry::Shape;

use crate::direct::Direct;
use crate::group::momentum::Momentum;
use crate::turn::turn_freely;
use crate::two_level::Part;
use crate::watch::Watch;
use crate::{Contacts, Graph, Model, NONE, Options, State, Tuning};

mod momentum;

/// Turn in a substep below which the spin of a body in contact stays as it is \[rad\].
const LEAST_TURN: f64 = 1e-5;

/// Small islands are put together until they have this many patches.
const PATCHES: u32 = 128;

/// A body of a group while the group advances.
#[derive(Clone, Copy)]
struct Member {
    /// Index in the model.
    body: u32,
    /// Index in the group, or [`NONE`].
    island: u32,
    moves: bool,
    position: Vec3,
    rotation: Quat,
    linear_velocity: Vec3,
    angular_velocity: Vec3,
    /// Gravity and external force over mass \[m/s²\].
    linear_acceleration: Vec3,
    /// External torque \[N m\], and the change of spin by it \[rad/s²\].
    torque: Vec3,
    angular_acceleration: Vec3,
    /// Rotation at which inertia and arms were taken.
    taken: Quat,
    linear_damping: f64,
    angular_damping: f64,
    /// Shift by the correction \[m\].
    shift: Vec3,
    /// Work that scripted bodies did on it through contacts \[J\].
    driven: f64,
}

/// Islands that are solved together, with the solver's memory.
#[derive(Default)]
pub(crate) struct Group<T> {
    /// Indices in the model of the bodies, and in the contacts of the patches.
    bodies: Vec<u32>,
    /// Island of each body, or [`NONE`]; whether it touches what never moves.
    island: Vec<u32>,
    held: Vec<bool>,
    source: Vec<u32>,
    /// Slots of the two bodies of each patch.
    slots: Vec<[u32; 2]>,
    /// Coarse interface of each patch, or [`NONE`]; island of each interface.
    interface: Vec<u32>,
    interface_island: Vec<u32>,

    members: Vec<Member>,
    momentum: Momentum,
    inputs: Vec<BodyInput>,
    centres: Vec<Vec3>,
    patches: Vec<PatchInput>,
    /// First point of each patch, and per point the arms from both centres \[m\].
    first: Vec<u32>,
    arms: Vec<[Vec3; 2]>,
    /// Per body: whether it has turned since inertia and arms were taken.
    turned: Vec<bool>,

    pub(crate) blocks: Blocks<T>,
    pub(crate) coarse: Coarse<T>,
    pub(crate) direct: Direct,
    pub(crate) sweeps: usize,
    /// Fastest approach left, over that of a calm patch \[1\], and the largest and the smallest speed
    /// of such a patch \[m/s\].
    pub(crate) residual: f64,
    pub(crate) calm_speed: f64,
    pub(crate) calmest_speed: f64,
    /// Approach over that of a calm patch that would sink one too far in a substep \[1\].
    pub(crate) sinking: f64,
    /// Whether one of its bodies flies at the start of the step.
    pub(crate) flies: bool,
    /// Whether bodies that touched before are deep in each other: what they carry has not been carried.
    pub(crate) overladen: bool,
}

/// The groups of one precision, and of which graph they are.
pub(crate) struct Groups<T> {
    groups: Vec<Group<T>>,
    count: usize,
    /// Revision of the graph, smallest and largest number of patches, and the bodies that slept.
    revision: u64,
    sizes: (u32, u32),
    asleep: Vec<bool>,
}

impl<T> Default for Groups<T> {
    fn default() -> Self {
        Self {
            groups: Vec::new(),
            count: 0,
            revision: 0,
            sizes: (0, 0),
            asleep: Vec::new(),
        }
    }
}

impl<T> Groups<T> {
    /// Tells the watchdog what corrections and scripts did in this step.
    pub(crate) fn tell(&self, watch: &mut Watch) {
        for group in &self.groups[..self.count] {
            for member in group.members.iter().filter(|member| member.moves) {
                watch.shift[member.body as usize] += member.shift;
                watch.driven[member.body as usize] += member.driven;
            }
        }
    }
}

impl<T: Dispatch> Groups<T> {
    /// The groups of the islands with `sizes.0` to `sizes.1` patches; dealt out again only where
    /// the graph, or who sleeps, has changed.
    pub(crate) fn of(
        &mut self,
        sizes: (u32, u32),
        memory: &mut Partition,
        state: &State,
        model: &Model,
        graph: &Graph,
    ) -> &mut [Group<T>] {
        let known = (self.revision, self.sizes) == (graph.revision, sizes);
        if !known || self.asleep != state.asleep {
            self.revision = graph.revision;
            self.sizes = sizes;
            self.asleep.clone_from(&state.asleep);
            let fits = |patches| sizes.0 <= patches && patches <= sizes.1;
            self.count = partition(&mut self.groups, memory, fits, state, model, graph);
        }
        &mut self.groups[..self.count]
    }
}

/// Memory of [`partition`]: per island its patches, group, number in it, interfaces and first
/// interface; per body its slot and the group for which that holds.
#[derive(Default)]
pub(crate) struct Partition {
    patches: Vec<u32>,
    group: Vec<u32>,
    number: Vec<u32>,
    interfaces: Vec<u32>,
    base: Vec<u32>,
    slot: Vec<(u32, u32)>,
}

/// Deals the islands whose number of patches `fits` out to groups, in order; returns how many
/// groups there are. Sleeping islands get none.
fn partition<T: Dispatch>(
    groups: &mut Vec<Group<T>>,
    memory: &mut Partition,
    fits: impl Fn(u32) -> bool,
    state: &State,
    model: &Model,
    graph: &Graph,
) -> usize {
    let contacts = &state.contacts;
    let islands = graph.islands as usize;
    let awake = |a: u32, b: u32| {
        let stirs = |i: usize| model.is_dynamic(i) && !state.asleep[i];
        stirs(a as usize) || stirs(b as usize)
    };
    let taken = |k: usize| {
        let patch = &contacts.patches[k];
        graph.joined[k] && awake(patch.a, patch.b)
    };

    // how large is each island?
    for counts in [
        &mut memory.patches,
        &mut memory.interfaces,
        &mut memory.base,
        &mut memory.number,
    ] {
        counts.clear();
        counts.resize(islands, 0);
    }
    for (k, patch) in contacts.patches.iter().enumerate() {
        if taken(k) {
            let island = graph.island_of(patch.a, patch.b) as usize;
            memory.patches[island] += 1;
            if graph.layer[k] != NONE {
                let count = &mut memory.interfaces[island];
                *count = (*count).max(graph.layer[k] + 1);
            }
        }
    }

    // a group is full when it has enough patches
    memory.group.clear();
    let (mut count, mut filled) = (0, PATCHES);
    for island in 0..islands {
        if memory.patches[island] == 0 || !fits(memory.patches[island]) {
            memory.group.push(NONE);
            continue;
        }
        if filled >= PATCHES {
            if groups.len() == count {
                groups.push(Group::default());
            }
            groups[count].clear();
            count += 1;
            filled = 0;
        }
        let group = &mut groups[count - 1];
        filled += memory.patches[island];
        memory.group.push(count as u32 - 1);
        memory.base[island] = group.interface_island.len() as u32;
        memory.number[island] = group.held.len() as u32;
        let interfaces = memory.interfaces[island] as usize;
        group
            .interface_island
            .extend(std::iter::repeat_n(memory.number[island], interfaces));
        group.held.push(false);
    }

    // patches and bodies to their groups
    memory.slot.clear();
    memory.slot.resize(model.len(), (NONE, NONE));
    for (k, patch) in contacts.patches.iter().enumerate() {
        if taken(k) {
            let island = graph.island_of(patch.a, patch.b) as usize;
            let (number, base) = (memory.group[island], memory.base[island]);
            if number == NONE {
                continue;
            }
            let group = &mut groups[number as usize];
            let own = memory.number[island];
            group.source.push(k as u32);
            let between = graph.layer[k] != NONE
                && graph.height[patch.a as usize] != graph.height[patch.b as usize];
            group
                .interface
                .push(if between { base + graph.layer[k] } else { NONE });
            let slots = [patch.a, patch.b].map(|body| {
                let known = &mut memory.slot[body as usize];
                if known.0 != number {
                    *known = (number, group.bodies.len() as u32);
                    group.bodies.push(body);
                    let fixed = graph.island[body as usize] == NONE;
                    group.island.push(if fixed { NONE } else { own });
                }
                if graph.island[body as usize] == NONE {
                    group.held[own as usize] = true;
                }
                known.1
            });
            group.slots.push(slots);
        }
    }
    count
}

impl<T: Dispatch> Group<T> {
    fn clear(&mut self) {
        self.bodies.clear();
        self.source.clear();
        self.slots.clear();
        self.interface.clear();
        self.interface_island.clear();
        self.island.clear();
        self.held.clear();
    }

    /// Copies what moves and turns contacts into the solver's blocks.
    pub(crate) fn lay_out(
        &mut self,
        state: &State,
        model: &Model,
        graph: &Graph,
        options: &Options,
        part: Part,
    ) {
        let coarse = options.two_level.method() == LaneMethod::TwoLevel;
        let h = part.substep();
        self.sweeps = 0;
        self.residual = 0.0;
        self.calm_speed = 0.0;
        self.calmest_speed = f64::INFINITY;
        self.direct.begin();
        (self.flies, self.overladen) = (false, false);
        let gravity = model.gravity.length();
        self.members.clear();
        self.inputs.clear();
        self.centres.clear();
        // bodies of one kind share a length: its limits are worked out once for a row of them
        let (mut known, mut flying) = (f64::NAN, 0.0);
        for (&body, &island) in self.bodies.iter().zip(&self.island) {
            let i = body as usize;
            let moves = model.is_dynamic(i) && state.present[i] && !state.asleep[i];
            let inverse_inertia = state.inverse_inertia(model, i);
            let linear_acceleration = state.acceleration(model, i);
            self.inputs.push(BodyInput {
                inverse_mass: model.inverse_mass[i],
                inverse_inertia,
            });
            self.centres.push(state.position[i]);
            if moves {
                if known != model.length[i] {
                    known = model.length[i];
                    flying = options.tuning.flying_speed(known, gravity, part.dt);
                }
                self.flies |= state.linear_velocity[i].length_squared() > flying * flying;
            }
            self.members.push(Member {
                body,
                island,
                moves,
                position: state.position[i],
                rotation: state.rotation[i],
                linear_velocity: state.linear_velocity[i],
                angular_velocity: state.angular_velocity[i],
                linear_acceleration,
                torque: state.torque[i],
                angular_acceleration: inverse_inertia.times(state.torque[i]),
                taken: state.rotation[i],
                linear_damping: model.linear_damping[i],
                angular_damping: model.angular_damping[i],
                shift: Vec3::ZERO,
                driven: 0.0,
            });
        }

        self.momentum.begin(&self.held, &self.members, model);

        self.patches.clear();
        self.first.clear();
        self.arms.clear();
        let (mut known, mut calm_speed, mut thinnest) = (f64::NAN, 0.0, f64::INFINITY);
        for (k, &source) in self.source.iter().enumerate() {
            let patch = &state.contacts.patches[source as usize];
            let (a, b) = (patch.a as usize, patch.b as usize);
            if known != patch.length {
                known = patch.length;
                calm_speed = options.tuning.calm_speed(known, gravity, h);
            }
            self.calm_speed = self.calm_speed.max(calm_speed);
            self.calmest_speed = self.calmest_speed.min(calm_speed);
            let thickness = model.thickness[a].min(model.thickness[b]);
            if thickness < thinnest * calm_speed {
                thinnest = thickness / calm_speed;
            }
            if patch.distance < -options.tuning.passing * thickness {
                let mut points = state.contacts.points_of(patch).iter();
                self.overladen |= points.all(|point| !point.fresh);
            }
            self.first.push(self.arms.len() as u32);
            let [at, bt] = self.slots[k].map(|slot| self.centres[slot as usize]);
            let points = state.contacts.points_of(patch).iter();
            let near = options.tuning.envelope * patch.length;
            self.arms.extend(points.map(|point| {
                let mut place = point.position;
                if point.distance > near {
                    let aside = share(&self.inputs, self.slots[k]) - 0.5;
                    place += point.distance * aside * patch.normal;
                }
                [place - at, place - bt]
            }));
            self.patches.push(PatchInput {
                bodies: self.slots[k],
                normal: patch.normal,
                friction: patch.friction,
                restitution: patch.restitution,
                island: self.patch_island(k),
                length: patch.length,
                thickness,
                calm_speed,
                interface: if coarse { self.interface[k] } else { NONE },
                upward: graph.height[b] > graph.height[a],
            });
        }

        self.sinking = options.tuning.sinking * thinnest / h;
        let Self {
            blocks,
            coarse: level,
            inputs,
            centres,
            patches,
            source,
            first,
            arms,
            ..
        } = self;
        let points_of = |k: usize| {
            let patch = &state.contacts.patches[source[k] as usize];
            state.contacts.points_of(patch).iter()
        };
        blocks.build(inputs, patches, |k| {
            let arms = &arms[first[k] as usize..];
            points_of(k).zip(arms).map(|(point, arm)| PointInput {
                ra: arm[0],
                rb: arm[1],
                separation: point.distance,
                impulse: point.impulse,
            })
        });
        blocks.prepare();
        for (slot, member) in self.members.iter().enumerate() {
            blocks.velocity[slot] = packed(member.linear_velocity, member.angular_velocity);
        }
        let islands: &[u32] = if coarse { &self.interface_island } else { &[] };
        let positions = |k: usize| points_of(k).map(|point| point.position);
        level.set_up(blocks, patches, centres, islands, positions);
    }

    /// Island of patch `k`: that of a body of it that contacts move.
    fn patch_island(&self, k: usize) -> u32 {
        let [a, b] = self.slots[k].map(|slot| self.island[slot as usize]);
        if a == NONE { b } else { a }
    }

    /// Gravity, external forces and damping over `h` seconds.
    pub(crate) fn apply_forces(&mut self, model: &Model, h: f64) {
        self.momentum.push(&self.members, model, h);
        for (slot, member) in self.members.iter_mut().enumerate() {
            if !member.moves {
                continue;
            }
            let (mut v, mut w) = unpacked(&self.blocks.velocity[slot]);
            v += h * member.linear_acceleration;
            w += h * member.angular_acceleration;
            member.linear_velocity += h * member.linear_acceleration;
            member.angular_velocity += h * member.angular_acceleration;
            if member.is_damped() {
                v *= 1.0 / (1.0 + h * member.linear_damping);
                w *= 1.0 / (1.0 + h * member.angular_damping);
            }
            self.blocks.velocity[slot] = packed(v, w);
        }
    }

    /// Moves every body for `h` seconds. Spin follows from angular momentum, which a turn keeps.
    pub(crate) fn move_bodies(&mut self, model: &Model, h: f64) {
        for (slot, member) in self.members.iter_mut().enumerate() {
            if !member.moves {
                continue;
            }
            let (v, w) = unpacked(&self.blocks.velocity[slot]);
            member.position += h * v;
            if self.blocks.is_free(slot) {
                // nothing pushed: the mean of both velocities is exact on a parabola
                member.position -= 0.5 * h * h * member.linear_acceleration;
            }
            let body = member.body as usize;
            let (rotation, spin) = turn_freely(
                member.rotation,
                w,
                &model.inertia_local[body],
                &model.inverse_inertia_local[body],
                h,
                LEAST_TURN,
            );
            member.rotation = rotation;
            if spin != w {
                member.angular_velocity += spin - w;
                self.blocks.velocity[slot] = packed(v, spin);
            }
        }
    }

    /// Takes bodies that have turned far since inertia and arms were taken as they are now, so that
    /// the next substep is solved in the metric of the present. Impulses found so far are booked
    /// with the inertia they were found with. Returns whether there were such bodies.
    ///
    /// Solved with the inertia of an earlier rotation, a rod of ratio `Imax/Imin` turned by `θ`
    /// receives momentum that is wrong by up to `sin²θ Imax/Imin`.
    pub(crate) fn follow_turns(
        &mut self,
        state: &State,
        model: &Model,
        tuning: &Tuning,
        restitution: f64,
    ) -> bool {
        let arms = tuning.stale_arms;
        self.turned.clear();
        self.turned.extend(self.members.iter().map(|member| {
            let body = member.body as usize;
            let sampled = matches!(model.shape[body], Shape::Mesh(_));
            let inertia = if sampled {
                // the samples of a mesh that touch change as it turns: it is followed only as closely as what its
                // impacts lose asks for
                let kept = restitution * restitution;
                tuning.stale_inertia + kept * (tuning.stale_bouncing - tuning.stale_inertia)
            } else if restitution > 0.0 {
                tuning.stale_bouncing
            } else {
                tuning.stale_inertia
            };
            let square = 4.0 * (member.rotation - member.taken).length_squared();
            let ratio = model.anisotropy[body] - 1.0;
            member.moves && (square > arms * arms || square * ratio > inertia * inertia)
        }));
        if !self.turned.contains(&true) {
            return false;
        }
        self.book_impulses(|patch, turned| patch.bodies.iter().any(|&slot| turned[slot as usize]));
        for (slot, member) in self.members.iter_mut().enumerate() {
            if self.turned[slot] {
                let inverse = &model.inverse_inertia_local[member.body as usize];
                self.inputs[slot].inverse_inertia = inverse.rotated(member.rotation);
                member.angular_acceleration =
                    self.inputs[slot].inverse_inertia.times(member.torque);
                member.taken = member.rotation;
            }
        }
        self.follow_arms(state, model, tuning);
        // the coarse level only guides, and its line search knows the present inertia
        let turned = self.turned.iter().filter(|&&turned| turned).count();
        if turned as f64 > tuning.rebuild_fraction * self.members.len() as f64 {
            self.coarse.take_inertia(&self.blocks);
        }
        true
    }

    /// Arms and distances of the patches of bodies that have turned, at the present poses. What is
    /// round keeps its contact where the core and the normal say; what contacts do not tell keeps
    /// its arms.
    fn follow_arms(&mut self, state: &State, model: &Model, tuning: &Tuning) {
        let Self {
            blocks,
            inputs,
            patches,
            source,
            first,
            arms,
            members,
            turned,
            ..
        } = self;
        let present = |slot: u32, anchor: Vec3, out: Vec3| {
            let member = &members[slot as usize];
            let i = member.body as usize;
            let round = model.rounding[i]? * out;
            let core = anchor - state.rotation[i].conjugate() * round;
            Some(member.position + member.rotation * core + round)
        };
        let mut distances = [0.0; POINTS];
        for (k, patch) in patches.iter().enumerate() {
            if !patch.bodies.iter().any(|&slot| turned[slot as usize]) {
                continue;
            }
            let [a, b] = patch.bodies;
            let contact = &state.contacts.patches[source[k] as usize];
            let points = state.contacts.points_of(contact);
            let mut known = true;
            let start = first[k] as usize;
            let is_round = |slot: u32| {
                let rounding = model.rounding[members[slot as usize].body as usize];
                f64::from(u8::from(rounding.is_some_and(|radius| radius > 0.0)))
            };
            let (round_a, round_b) = (is_round(a), is_round(b));
            let aside = share(inputs, [a, b]) - 0.5;
            for (j, point) in points.iter().enumerate() {
                let on_a = present(a, point.anchor_a, patch.normal);
                let on_b = present(b, point.anchor_b, -patch.normal);
                let (Some(on_a), Some(on_b)) = (on_a, on_b) else {
                    known = false;
                    break;
                };
                distances[j] = patch.normal.dot(on_b - on_a);
                let slid = on_b - on_a - distances[j] * patch.normal;
                // what is round touches where it is, and not where the other was touched before
                let middle = 0.5 * (on_a + on_b + (round_b - round_a) * slid);
                let near = tuning.envelope * patch.length;
                let place = middle + wide(distances[j], near) * aside * patch.normal;
                arms[start + j] = [a, b].map(|slot| place - members[slot as usize].position);
            }
            let points = if known { points.len() } else { 0 };
            let arms = arms[start..start + points].iter();
            blocks.follow(
                k,
                inputs,
                patch,
                arms.zip(distances).map(|(arm, separation)| PointInput {
                    ra: arm[0],
                    rb: arm[1],
                    separation,
                    impulse: Vec3::ZERO,
                }),
            );
        }
        blocks.prepare_followed();
    }

    /// Adds the impulses found since they were last booked to the velocities, in full precision so
    /// that each has its exact opposite; of the patches for which `which` holds.
    fn book_impulses(&mut self, which: impl Fn(&PatchInput, &[bool]) -> bool) {
        for (k, patch) in self.patches.iter().enumerate() {
            if !which(patch, &self.turned) {
                continue;
            }
            let [a, b] = patch.bodies.map(|slot| slot as usize);
            let (t1, t2) = tangents(patch.normal);
            let (mut sum, mut twist_a, mut twist_b) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
            let end = self
                .first
                .get(k + 1)
                .map_or(self.arms.len(), |&end| end as usize);
            for (j, arm) in self.arms[self.first[k] as usize..end].iter().enumerate() {
                let [n, p, q] = self.blocks.take_total(k, j);
                let total = patch.normal * n + t1 * p + t2 * q;
                sum += total;
                twist_a += arm[0].cross(total);
                twist_b += arm[1].cross(total);
            }
            let (body_a, body_b) = (&self.inputs[a], &self.inputs[b]);
            // a script works with the velocity it keeps
            let [push_a, push_b] = [(a, &twist_a), (b, &twist_b)].map(|(slot, twist)| {
                let member = &self.members[slot];
                sum.dot(member.linear_velocity) + twist.dot(member.angular_velocity)
            });
            if body_a.inverse_mass == 0.0 {
                self.members[b].driven += push_a;
            } else if body_b.inverse_mass == 0.0 {
                self.members[a].driven -= push_b;
            }
            self.members[a].linear_velocity -= sum * body_a.inverse_mass;
            self.members[b].linear_velocity += sum * body_b.inverse_mass;
            self.members[a].angular_velocity -= body_a.inverse_inertia.times(twist_a);
            self.members[b].angular_velocity += body_b.inverse_inertia.times(twist_b);
        }
    }

    /// Adds all impulses of the step that are not yet booked to the velocities.
    pub(crate) fn collect_impulses(&mut self) {
        self.book_impulses(|_, _| true);
        for (slot, member) in self.members.iter_mut().enumerate() {
            if member.moves && member.is_damped() {
                (member.linear_velocity, member.angular_velocity) =
                    unpacked(&self.blocks.velocity[slot]);
            }
        }
    }

    /// Moves the bodies by what the correction found.
    pub(crate) fn shift_bodies(&mut self, model: &Model) {
        for (slot, member) in self.members.iter_mut().enumerate() {
            if !member.moves {
                continue;
            }
            let (shift, turn) = unpacked(&self.blocks.velocity[slot]);
            member.position += shift;
            member.shift = shift;
            if turn != Vec3::ZERO {
                let turn = drystone_base::functions::rotation_vector(turn);
                let before = member.spin_energy(model);
                member.rotation = (turn * member.rotation).normalize();
                // a rod that spins about its axis and is turned under its spin would gain energy
                let after = member.spin_energy(model);
                if after > before {
                    member.angular_velocity *= (before / after).sqrt();
                }
            }
        }
    }

    /// Gives islands that hang on nothing the angular momentum back that the step has cost them.
    pub(crate) fn restore_momentum(&mut self, model: &Model) {
        self.momentum.restore(&mut self.members, model);
    }

    /// Writes the group's result into the state, with the last impulses for the next start.
    pub(crate) fn bring_home(&self, state: &mut State) {
        for member in self.members.iter().filter(|member| member.moves) {
            let i = member.body as usize;
            state.position[i] = member.position;
            state.rotation[i] = member.rotation;
            state.linear_velocity[i] = member.linear_velocity;
            state.angular_velocity[i] = member.angular_velocity;
        }
        let Contacts {
            patches, points, ..
        } = &mut state.contacts;
        for (k, &source) in self.source.iter().enumerate() {
            let patch = &patches[source as usize];
            let (t1, t2) = tangents(self.patches[k].normal);
            let range = patch.first as usize..(patch.first + patch.count) as usize;
            for (j, point) in points[range].iter_mut().enumerate() {
                let [n, p, q] = self.blocks.last_impulse(k, j);
                point.impulse = self.patches[k].normal * n + t1 * p + t2 * q;
            }
        }
    }
}

/// A gap wider than `near`, else nothing \[m\].
fn wide(distance: f64, near: f64) -> f64 {
    if distance > near { distance } else { 0.0 }
}

/// Where in a gap, from the first body to the second, both receive their impulse \[1\]: near the lighter one.
/// In the middle of a wide gap, friction would turn a thin body by an arm much longer than it is thick.
fn share(inputs: &[BodyInput], slots: [u32; 2]) -> f64 {
    let [a, b] = slots.map(|slot| inputs[slot as usize].inverse_mass);
    b / (a + b)
}

impl Member {
    /// Kinetic energy of its spin \[J\].
    fn spin_energy(&self, model: &Model) -> f64 {
        let spin = self.rotation.conjugate() * self.angular_velocity;
        0.5 * spin.dot(model.inertia_local[self.body as usize].times(spin))
    }

    fn is_damped(&self) -> bool {
        self.linear_damping > 0.0 || self.angular_damping > 0.0
    }
}

fn packed<T: Real>(v: Vec3, w: Vec3) -> Wide8<T> {
    Wide8([
        T::of(v.x),
        T::of(v.y),
        T::of(v.z),
        T::of(w.x),
        T::of(w.y),
        T::of(w.z),
        T::of(0.0),
        T::of(0.0),
    ])
}

fn unpacked<T: Real>(motion: &Wide8<T>) -> (Vec3, Vec3) {
    let m = &motion.0;
    (
        Vec3::new(m[0].f64(), m[1].f64(), m[2].f64()),
        Vec3::new(m[3].f64(), m[4].f64(), m[5].f64()),
    )
}
