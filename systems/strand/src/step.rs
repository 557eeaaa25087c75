//! One step of a group: a strand alone, or strands and rigid bodies that are joined (Hadap 2006, §2-5).
//!
//! The arrays of a step hold the links of all members one after another, rigid bodies first, so that a
//! strand alone is a group of one and takes the same way. What joins two members are rows beside those of
//! loops and contacts: it acts on both sides in one equation, and momentum is kept by construction.

use std::ops::Range;

use drystone_base::{Pose, Vec3};

use crate::base::BaseFrame;
use crate::body_step::{push_exactly, push_link};
use crate::chain::{BASE, Chain};
use crate::constraint::StepConstraint;
use crate::contact::{Contacts, Relief, Swept};
use crate::continuum::Interaction;
use crate::implicit::{Bdf, FieldForce, LinkStep, Problem};
use crate::kinematics::{Bases, Link, place_into};
use crate::newton::{Iterate, Limits, Solved, solve};
use crate::penalty::Penalty;
use crate::properties::Properties;
use crate::response::Response;
use crate::state::{History, StrandState};
use crate::step_control::{StepControl, Tally};
use crate::strand_contact::StrandContacts;
use crate::surroundings::{Sample, Surroundings, fields_at};
use crate::watch::Opening;
use crate::{Model, Options};
use drystone_base::rotation::{log, nudge};

/// How much finer than strands alone a step with bodies is solved, so that momentum is kept \[1\].
const BODY_TOLERANCE: f64 = 1e-4;
/// Longest length over which the shift of a body counts like a radian \[m\].
const LONG: f64 = 1.0;

/// Input of the step of a group.
pub(crate) struct StepInput<'a> {
    pub model: &'a Model,
    pub options: &'a Options,
    /// Links of all members, one after another; of a strand alone its own chain.
    pub chain: &'a Chain,
    /// Rigid bodies, then strands.
    pub members: &'a [Member<'a>],
    /// Number of them that are rigid bodies.
    pub bodies: usize,
    /// Constraints between members, by index.
    pub joins: &'a [usize],
    /// Motion of every obstacle over the whole step.
    pub swept: &'a [Swept],
    /// Whether an equilibrium is sought rather than a motion.
    pub settling: bool,
}

impl<'a> StepInput<'a> {
    /// The group of one member, `members[0]`; for more, the caller sets `chain`, `bodies` and `joins`.
    pub(crate) fn new(
        model: &'a Model,
        options: &'a Options,
        members: &'a [Member<'a>],
        swept: &'a [Swept],
    ) -> Self {
        Self {
            model,
            options,
            chain: members[0].chain,
            members,
            bodies: 0,
            joins: &[],
            swept,
            settling: false,
        }
    }
}

/// One strand or rigid body of a group.
pub(crate) struct Member<'a> {
    /// Index of the strand or body in the model.
    pub index: usize,
    pub chain: &'a Chain,
    /// First of its links among those of the group.
    pub first: usize,
    /// Of a strand based on a body of the group: the body's link, and its base in the frame of that link.
    pub mount: Option<(usize, Pose)>,
    /// Interaction with other strands, by link.
    pub interactions: &'a [Interaction],
    /// Constraints on this strand that are switched on, by index; those that join it to other members apart.
    pub constraints: &'a [usize],
    pub joins: &'a [usize],
}

impl<'a> Member<'a> {
    /// Strand `i`, free of constraints and of other strands.
    pub(crate) fn alone(i: usize, chain: &'a Chain) -> Self {
        Self {
            index: i,
            chain,
            first: 0,
            mount: None,
            interactions: &[],
            constraints: &[],
            joins: &[],
        }
    }

    /// Its links among those of the group.
    pub(crate) fn range(&self) -> Range<usize> {
        self.first..self.first + self.chain.len()
    }
}

/// Arrays of a group's step; kept from step to step for their memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    /// Base of each member at the end of the step; written by `move_bases`, of what bodies carry by
    /// `follow_bodies`.
    pub frames: Vec<BaseFrame>,
    /// Base of each link where there are several members; written by `solve_step`.
    pub bases: Vec<Pose>,
    /// Links at the start of the step; written by `extrapolate`, if anything asks for them.
    pub start: Vec<Link>,
    /// Written by `extrapolate` and Newton's iteration.
    pub iterate: Iterate,
    /// Constants of each link; written by `gather_forces`.
    pub link_steps: Vec<LinkStep>,
    /// Constraints on one link; written by `set_constraints`, their multipliers by `hold_constraints`.
    pub penalties: Vec<Penalty>,
    /// Constraints between two links, each with the index of its constraint; written by `set_constraints`.
    pub bilateral: Vec<(usize, StepConstraint)>,
    /// Prescribed rate of the error of each active constraint at the end of the step \[m/s\]; written by
    /// `set_constraints`.
    pub returning: Vec<(usize, Vec3)>,
    /// Rows of `bilateral` and of contacts, with their multipliers; written at every iterate.
    pub response: Response,
    /// By member: candidates written by `watch_obstacles`, contacts at every iterate.
    pub contacts: Vec<Contacts>,
    /// Candidates written by `watch_strands`, contacts at every iterate.
    pub strand_contacts: StrandContacts,
    /// Motion of the obstacles over the present step; written by `watch_obstacles`.
    pub swept: Vec<Swept>,
    /// Obstacles that are bodies of the group, with their predicted motion; written by `move_bases`.
    pub moving_obstacles: Vec<(usize, Swept)>,
    /// Velocity of every link in an impact; written by `apply_impacts`.
    pub moving: Vec<(Vec3, Vec3)>,
    pub scratch: Vec<StepConstraint>,
    pub tally: Tally,
    /// Written by `open_account`.
    pub opening: Opening,
}

/// The step of a group under way.
pub(crate) struct Step<'a> {
    pub input: &'a StepInput<'a>,
    /// State of each member; written by `accept` and `apply_impacts`.
    pub strands: &'a mut [StrandState],
    /// Parameters of each member; written by `gather_forces` where they change in time.
    pub properties: &'a mut [Properties],
    pub work: &'a mut Workspace,
    /// Start and end of the present implicit step \[s\].
    pub t: f64,
    pub end: f64,
    /// The present implicit step as a part of the whole: where it begins and ends \[1\].
    pub part: (f64, f64),
    /// Its length and difference formula.
    pub bdf: Bdf,
    /// Whether contacts push along their normals only.
    pub frictionless: bool,
}

impl<'a> Step<'a> {
    /// A step from `t`.
    pub(crate) fn new(
        input: &'a StepInput<'a>,
        strands: &'a mut [StrandState],
        properties: &'a mut [Properties],
        work: &'a mut Workspace,
        t: f64,
    ) -> Self {
        work.contacts
            .resize_with(input.members.len(), Contacts::default);
        work.contacts.iter_mut().for_each(Contacts::clear);
        work.strand_contacts.clear();
        Self {
            input,
            strands,
            properties,
            work,
            t,
            end: t,
            part: (0.0, 1.0),
            bdf: Bdf::none(),
            frictionless: false,
        }
    }

    /// Advances all members by `dt`, in as many implicit steps as their error asks for.
    pub(crate) fn advance(&mut self, dt: f64) {
        let mut control = StepControl::begin(self, dt);
        while let Some(part) = control.next_part() {
            (self.t, self.end) = (part.start, part.start + part.h);
            self.part = part.fractions;
            self.bdf = self.difference_formula(part.h, control.first_order());
            self.frictionless = control.is_frictionless();

            // the equations of motion F(t, y, ẏ) = 0 at the end of the step (Hadap 2006, §2-3)
            self.move_bases();
            self.extrapolate();
            self.gather_forces();
            // targets of constraints, and what may collide (§4, §5)
            self.set_constraints();
            self.watch_obstacles();
            self.watch_strands();

            // Newton, in every iteration with the forces of constraints and contacts (Alg. 1, eq. 11-17)
            let iterations = control.iteration_limit();
            let solved = self.solve_step(iterations);
            let solved = self.hold_constraints(solved, iterations);
            self.follow_bodies();

            if control.accepts(self, solved) {
                self.open_account();
                self.accept();
                self.apply_impacts(control.struck());
                if control.is_unsolved() {
                    self.take_energy_from_nowhere();
                }
                self.close_account();
                control.go_on(self);
            }
        }
        let (share, gain) = self.gain();
        self.work.tally.tell_gain(share, gain);
    }

    /// BDF2 where all members have taken the same step before, BDF1 otherwise.
    fn difference_formula(&self, h: f64, first_order: bool) -> Bdf {
        let before = self.strands[0].steps[0];
        let alike = |strand: &StrandState| strand.depth > 0 && strand.steps[0] == before;
        if !first_order && self.strands.iter().all(alike) {
            Bdf::second(h, before)
        } else {
            Bdf::first(h)
        }
    }

    /// Bases at the end of the step, as time scale and local dynamics have them (Hadap 2006, eq. 19); what a
    /// body carries, where the body goes if nothing stops it.
    fn move_bases(&mut self) {
        self.foresee_bodies();
        self.work.frames.clear();
        for k in 0..self.input.members.len() {
            let frame = self.base_frame(k);
            self.work.frames.push(frame);
        }
    }

    /// The guess from which Newton starts: joints go on as they went.
    pub(crate) fn extrapolate(&mut self) {
        let StepInput { chain, members, .. } = self.input;
        let Workspace {
            frames,
            iterate,
            start,
            ..
        } = &mut *self.work;
        // arrays of the group; links at the start are needed by constraints and obstacles only
        iterate.rotation.clear();
        iterate.stretch.clear();
        iterate.centres.clear();
        iterate.links.resize(chain.len(), Link::default());
        let constrained = |member: &Member<'_>| !member.constraints.is_empty();
        let required = !self.input.swept.is_empty() || !self.input.joins.is_empty();
        let required = required || members.iter().any(constrained);
        let required = required || members.iter().any(|member| member.chain.collide);
        if required {
            start.resize(chain.len(), Link::default());
        }
        for (k, (member, strand)) in members.iter().zip(&*self.strands).enumerate() {
            let (range, h) = (member.range(), self.bdf.h);
            let BaseFrame { pose, .. } = &frames[k];
            // links at the start
            if required {
                let (rotation, stretch) = (&strand.rotation, &strand.stretch);
                let out = &mut start[range.clone()];
                place_into(
                    member.chain,
                    rotation,
                    stretch,
                    Bases::One(&strand.base),
                    out,
                );
            }
            // and at the end, if rates change as they did
            for j in 0..member.chain.len() {
                let w = strand.rate[j];
                let bent = if strand.depth > 1 {
                    (w - strand.history[j].rate_before) * (0.5 * h / strand.steps[0])
                } else {
                    Vec3::ZERO
                };
                let turn = ((w + bent) * h).clamp_length_max(1.0);
                iterate.rotation.push(nudge(strand.rotation[j], turn));
            }
            if chain.extensible {
                let pairs = strand.stretch.iter().zip(&strand.stretch_rate);
                iterate.stretch.extend(pairs.map(|(e, rate)| e + rate * h));
                iterate.stretch.resize(range.end, 0.0);
            }
            if k < self.input.bodies {
                iterate.centres.push(pose.position);
            }
            let rotation = &mut iterate.rotation[range.clone()];
            let stretch = iterate.stretch.get(range.clone()).unwrap_or(&[]);
            let out = &mut iterate.links[range];
            place_into(member.chain, rotation, stretch, Bases::One(pose), out);
            // joints on a body turn in the frame of its link
            if let Some((_, at)) = &member.mount {
                for (j, _) in member.chain.roots() {
                    rotation[j] = at.rotation * rotation[j];
                }
            }
        }
    }

    /// All that stays constant during the solve: inertia with its history, gravity, fields at the
    /// guess, interaction, pose springs and loads.
    pub(crate) fn gather_forces(&mut self) {
        self.work.link_steps.clear();
        for k in 0..self.input.members.len() {
            self.gather_member(k);
        }
    }

    /// Gathers the forces of member `k`.
    fn gather_member(&mut self, k: usize) {
        let (model, member, bdf, t) =
            (self.input.model, &self.input.members[k], self.bdf, self.end);
        let (chain, strand, properties) = (member.chain, &self.strands[k], &mut self.properties[k]);
        let Workspace {
            frames,
            iterate,
            link_steps,
            ..
        } = &mut *self.work;
        let frame = &frames[k];
        if chain.is_animated() {
            properties.sample(chain, t);
        }
        let gravity = frame.scaled(model.gravity);
        let explicit = model.fields.iter().any(|field| !field.implicit);
        let base_motion = chain.pose.as_ref().map(|_| chain.base.scaled_motion(t).0);
        for (j, link) in iterate.links[member.range()].iter().enumerate() {
            // inertia and joint: A = s² x − history
            let (history, own) = (&strand.history[j], &properties.links[j]);
            let mut step = link_step(chain, strand, properties, bdf, j);
            if let (Some((_, at)), BASE) = (&member.mount, chain.parent[j]) {
                step.start = at.rotation * step.start;
                step.rest_inverse *= at.rotation.conjugate();
            }

            // gravity, and forces from outside
            step.applied_force = gravity * (own.mass * own.gravity);
            step.applied_force += frame.scaled(strand.force[j]);
            step.torque = frame.scaled(strand.torque[j]);
            if let Some(push) = strand.pushes.get(j) {
                push_link(&mut step, push, bdf);
            }

            // drag, with the velocity of the air and the acceleration of explicit fields
            step.drag_axis = link.axes.y_axis;
            if own.drag > 0.0 {
                step.drag = own.drag;
                step.drag_less = 1.0 - own.drag_ratio;
            }
            if explicit {
                let (x, v) = (
                    frame.world(link.centre),
                    link.centre * bdf.s - step.velocity_history,
                );
                let sample = Sample {
                    x,
                    v: frame.world_direction(v),
                    t,
                    implicit: false,
                };
                let (air, acceleration) = fields_at(model, properties, j, &sample);
                step.applied_force +=
                    step.drag_times(frame.scaled(air)) + frame.scaled(acceleration) * own.mass;
            }

            // interaction with other strands; its drag is the same in all directions
            if let Some(push) = member.interactions.get(j) {
                let drag = push.drag * own.mass;
                step.drag_less *= step.drag / (step.drag + drag).max(f64::MIN_POSITIVE);
                step.drag += drag;
                step.applied_force +=
                    frame.scaled(push.acceleration) * own.mass + frame.scaled(push.velocity) * drag;
            }

            // spring and damper to the pose; velocity of the tip by the same differences, s tip − past
            if let (Some(pose), Some(motion)) = (&chain.pose, base_motion) {
                let (tip, velocity) = pose.tip(j, t);
                let scaled = velocity + motion.linear + motion.angular.cross(tip);
                let (k, c) = (own.pose_strength, own.pose_damping);
                let along = velocity_history(bdf, history.axes.map(|axes| axes.y_axis)) * own.half;
                let past = step.velocity_history + along;
                step.tip_stiffness = k + bdf.s * c;
                step.tip_pull =
                    frame.pose.point(tip) * k + (frame.pose.direction(scaled) + past) * c;
            }
            link_steps.push(step);
        }
        if k < self.input.bodies {
            push_exactly(&mut link_steps[member.first], strand, bdf);
        }
    }

    /// Newton on the joints of all members, at most `iterations` times.
    pub(crate) fn solve_step(&mut self, iterations: u32) -> Solved {
        let (input, t) = (self.input, self.end);
        let Workspace {
            iterate,
            link_steps,
            bilateral,
            penalties,
            response,
            contacts,
            strand_contacts,
            swept,
            frames,
            bases,
            ..
        } = &mut *self.work;
        // the equations, and when they are solved well enough
        let problem = problem(input, self.bdf, link_steps, penalties);
        let strands = input.members[input.bodies..].iter();
        let lengths = strands.map(|member| member.chain.reach / member.chain.len() as f64);
        let length = lengths.fold(f64::INFINITY, f64::min);
        let required = input.options.tolerance;
        let with_bodies = input.bodies > 0;
        let limits = Limits {
            tolerance: if with_bodies {
                BODY_TOLERANCE * required
            } else {
                required
            },
            late: required,
            iterations,
            length: if with_bodies {
                length.min(LONG)
            } else {
                length
            },
            strict: with_bodies && !strand_contacts.is_off(),
            careful: input.settling || !penalties.is_empty(),
        };
        // implicit fields, and the base of each link
        let sampled = input.model.fields.iter().any(|field| field.implicit);
        let count = if sampled { input.chain.len() } else { 0 };
        iterate.sampled.resize(count, FieldForce::ZERO);
        let alone = input.members.len() == 1 && !with_bodies;
        bases.clear();
        if !alone {
            for (member, frame) in input.members.iter().zip(&*frames) {
                bases.extend(std::iter::repeat_n(frame.pose, member.chain.len()));
            }
        }
        let base = if alone {
            Bases::One(&frames[0].pose)
        } else {
            Bases::Each(bases)
        };
        // Newton, with fields, constraints and contacts at every iterate
        strand_contacts.begin();
        let mut surroundings = Surroundings {
            input,
            properties: self.properties,
            frames,
            link_steps,
            bdf: self.bdf,
            frictionless: self.frictionless,
            relief: Relief::new(self.bdf.h, self.part.1 - self.part.0),
            t,
            bilateral,
            response,
            contacts,
            strand_contacts,
            swept,
        };
        solve(&problem, base, iterate, limits, &mut surroundings)
    }

    /// Error of this step in the place of a segment: the largest \[m\], and the largest as a part of what is
    /// allowed; without a bound where something is no number.
    pub(crate) fn local_error(&self) -> (f64, f64) {
        let (mut error, mut ratio) = (0.0f64, 0.0f64);
        for (member, strand) in self.input.members.iter().zip(&*self.strands) {
            let links = &self.work.iterate.links[member.range()];
            let own = local_error(strand, links, self.bdf.h);
            let reach = match member.chain.reach {
                0.0 => self.input.chain.reach,
                reach => reach,
            };
            let allowed = self.input.options.error_tolerance * reach;
            error = error.max(own);
            ratio = if own.is_nan() {
                f64::INFINITY
            } else {
                ratio.max(own / allowed.max(f64::MIN_POSITIVE))
            };
        }
        (error, ratio)
    }

    /// The iterate becomes the state of every member, and the state history; what constraints, contacts and
    /// bases exerted is kept.
    pub(crate) fn accept(&mut self) {
        for k in 0..self.input.members.len() {
            self.accept_joints(k);
            let h = self.bdf.h;
            if k < self.input.bodies {
                let body = &mut self.strands[k];
                body.base_impulse = [body.force[0] * h, body.torque[0] * h];
                continue;
            }
            for push in &mut self.strands[k].pushes {
                push.before = push.load.map(|part| part * h);
            }
            let load = self.base_load(k);
            for (sum, part) in self.strands[k].base_impulse.iter_mut().zip(load) {
                *sum += part * h;
            }
            let out = &mut self.strands[k].contacts;
            self.work.contacts[k].forces(&self.work.frames[k], out);
            self.add_reactions(k);
        }
        self.remember_forces();
        self.remember_strand_contacts();
    }

    /// Joints, bases and history of member `k`.
    pub(crate) fn accept_joints(&mut self, k: usize) {
        let (member, bdf, strand) = (&self.input.members[k], self.bdf, &mut self.strands[k]);
        let (iterate, frame) = (&self.work.iterate, &self.work.frames[k]);
        for (j, own) in member.range().enumerate() {
            let (link, step) = (&iterate.links[own], &self.work.link_steps[own]);
            let (rotation, history) = (iterate.rotation[own], &mut strand.history[j]);
            let [x0, x1, _] = history.centre;
            let axes_rate = link.axes * bdf.s - (history.axes[0] * bdf.a - history.axes[1] * bdf.b);
            let turn = log(step.start.conjugate() * rotation);
            *history = History {
                centre: [link.centre, x0, x1],
                velocity: [
                    link.centre * bdf.s - step.velocity_history,
                    history.velocity[0],
                ],
                axes: [link.axes, history.axes[0]],
                axes_rate: [axes_rate, history.axes_rate[0]],
                turn,
                rate_before: strand.rate[j],
                stretch_before: strand.stretch.get(j).copied().unwrap_or(0.0),
            };
            strand.rate[j] = turn * bdf.s - step.rate_history;
            strand.rotation[j] = match (&member.mount, member.chain.parent[j]) {
                (Some((_, at)), BASE) => (at.rotation.conjugate() * rotation).normalize(),
                _ => rotation,
            };
            if let (Some(stretch), Some(&e)) = (strand.stretch.get_mut(j), iterate.stretch.get(own))
            {
                strand.stretch_rate[j] = e * bdf.s - step.stretch_history;
                *stretch = e;
            }
        }
        strand.base = frame.pose;
        strand.steps = [bdf.h, strand.steps[0]];
        strand.depth = strand.depth.saturating_add(1);
    }
}

/// Inertia, history and joint of a link, free of forces.
pub(crate) fn link_step(
    chain: &Chain,
    strand: &StrandState,
    properties: &Properties,
    bdf: Bdf,
    j: usize,
) -> LinkStep {
    let (history, own) = (&strand.history[j], &properties.links[j]);
    let Bdf { s, a, b, .. } = bdf;
    let velocity_history = velocity_history(bdf, [history.centre[0], history.centre[1]]);
    let axes_rate_history = history.axes[0] * a - history.axes[1] * b;
    let before = strand
        .stretch
        .get(j)
        .map_or(0.0, |e| e * a - history.stretch_before * b);
    LinkStep {
        mass: own.mass,
        half: own.half,
        second_moments: own.second_moments,
        centre_history: velocity_history * s + history.velocity[0] * a - history.velocity[1] * b,
        velocity_history,
        axes_history: axes_rate_history * s + history.axes_rate[0] * a - history.axes_rate[1] * b,
        applied_force: Vec3::ZERO,
        torque: Vec3::ZERO,
        drag: 0.0,
        drag_less: 0.0,
        drag_axis: Vec3::ZERO,
        tip_stiffness: 0.0,
        tip_pull: Vec3::ZERO,
        start: strand.rotation[j],
        rest_inverse: chain.rest_rotation[j].conjugate(),
        rate_history: history.turn * b,
        stiffness: own.stiffness,
        damping: own.damping,
        stretch: own.stretch,
        stretch_history: before,
    }
}

/// The term that is subtracted from `s x` in the velocity of `x`.
fn velocity_history(bdf: Bdf, past: [Vec3; 2]) -> Vec3 {
    past[0] * bdf.a - past[1] * bdf.b
}

/// The step's equations.
pub(crate) fn problem<'a>(
    input: &StepInput<'a>,
    bdf: Bdf,
    link_steps: &'a [LinkStep],
    penalties: &'a [Penalty],
) -> Problem<'a> {
    Problem {
        chain: input.chain,
        law: &*input.model.law,
        bdf,
        link_steps,
        penalties,
    }
}

/// Error of this step in the place of a segment \[m\]: what the quadratic through the last three
/// steps did not foresee, times the constant of BDF2. Zero until there are three.
fn local_error(strand: &StrandState, links: &[Link], h: f64) -> f64 {
    if strand.depth < 2 {
        return 0.0;
    }
    let [h1, h2] = strand.steps;
    let mut worst = 0.0f64;
    for (history, link) in strand.history.iter().zip(links) {
        let [x0, x1, x2] = history.centre;
        let d1 = (x0 - x1) / h1;
        let d2 = (d1 - (x1 - x2) / h2) / (h1 + h2);
        let foreseen = x0 + (d1 + d2 * (h + h1)) * h;
        let off = (link.centre - foreseen).length_squared();
        worst = if off > worst || off.is_nan() {
            off
        } else {
            worst
        };
    }
    let constant = h * (h + h1) / ((2.0 * h + h1) * (h + h1 + h2));
    worst.sqrt() * constant / (1.0 + constant)
}
