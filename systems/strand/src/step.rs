//! One step of one strand: the paper's loop (Hadap 2006, §2-3) with our integrator.

use drystone_base::{Mat3, Vec3};

use crate::base::{Frame, base_load};
use crate::chain::Chain;
use crate::constraint::Goal;
use crate::contact::{Contacts, Swept};
use crate::continuum::Push;
use crate::encounter::{bounce, strikes, watch_obstacles};
use crate::goals::{hold_goals, remember_forces, set_goals};
use crate::implicit::{Bdf, Body, Live, Problem};
use crate::kinematics::{Link, place};
use crate::newton::{Coupling, Iterate, Limits, Solved, solve};
use crate::properties::Properties;
use crate::reaction::{add_reactions, correct_for_impact, momentum_before};
use crate::response::Response;
use crate::rotation::{log, nudge};
use crate::spring::Spring;
use crate::state::{History, StrandState};
use crate::{Model, Options};

/// What a strand's step works with; kept from step to step for its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    pub iterate: Iterate,
    pub bodies: Vec<Body>,
    pub tally: Tally,
    /// Goals that concern one link, as springs.
    pub springs: Vec<Spring>,
    /// Goals that join two links, the constraint each belongs to, and their rows.
    pub goals: Vec<(usize, Goal)>,
    pub response: Response,
    pub contacts: Contacts,
    /// Motion of the obstacles over the present part of the step.
    pub swept: Vec<Swept>,
    pub start: Vec<Link>,
    pub scratch: Vec<Goal>,
    /// Rows of each constraint that were counted so far.
    pub counts: Vec<usize>,
    pub moving: Vec<(Vec3, Vec3)>,
    /// Whether a step could not be solved at its smallest: the rest of what the caller asked for is tried
    /// no longer than [`TIRED`] iterations at a time, and in larger parts.
    pub tired: bool,
    /// How fast the error of each active constraint is meant to change at the end of the step.
    pub returning: Vec<(usize, Vec3)>,
}

/// Most iterations of a solve after one has failed.
const TIRED: u32 = 10;
/// Halvings beyond which a strand that cannot be solved does not go on.
const TIRED_HALVINGS: u32 = 4;

impl Workspace {
    /// Iterations that a solve may take.
    pub(crate) fn patience(&self, options: &Options) -> u32 {
        if self.tired {
            options.iterations.min(TIRED)
        } else {
            options.iterations
        }
    }

    /// Whether steps so small are not worth their while any more.
    pub(crate) fn hurries(&self, halvings: u32) -> bool {
        self.tired && halvings > TIRED_HALVINGS
    }
}

/// Counts of the steps taken since they were last read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// How many solves took so many iterations.
    pub iterations: Vec<u64>,
    pub steps: u64,
    pub halved: u64,
    pub failed: u64,
    pub error: f64,
    /// Strands with a step accepted unsolved, one entry a step of the system.
    pub unsolved: Vec<usize>,
    /// Strands put back on their start because their motion was no longer finite.
    pub set_aside: Vec<usize>,
}

impl Tally {
    pub(crate) fn count(&mut self, iterations: u32) {
        let k = iterations as usize;
        if self.iterations.len() <= k {
            self.iterations.resize(k + 1, 0);
        }
        self.iterations[k] += 1;
    }
}

/// Everything about one strand that a step reads.
pub(crate) struct Scene<'a> {
    pub model: &'a Model,
    pub chain: &'a Chain,
    pub options: &'a Options,
    /// Interaction with other strands, by link.
    pub pushes: &'a [Push],
    /// Constraints on this strand that are switched on, by index.
    pub constraints: &'a [usize],
    /// Constraints on this strand that are solved with what they hold it to, by index.
    pub joins: &'a [usize],
    /// Motion of every obstacle over the whole step.
    pub swept: &'a [Swept],
    /// Whether an equilibrium is sought rather than a motion.
    pub settling: bool,
}

/// Advances a strand from `t` by `dt`, in as many implicit steps as its error asks for.
pub(crate) fn advance(
    scene: &Scene<'_>,
    strand: &mut StrandState,
    properties: &mut Properties,
    work: &mut Workspace,
    t: f64,
    dt: f64,
) {
    // time inside the step is counted in the smallest parts, so that it ends exactly
    let parts = 1u64 << scene.options.halvings;
    let mut done = 0;
    strand.base_impulse = [Vec3::ZERO; 2];
    strand.reactions.clear();
    work.tired = false;
    if strand.depth == 0 {
        strand.halvings = strand.halvings.max(start_halvings(scene.options, strand));
    }
    while done < parts {
        let size = parts >> strand.halvings;
        let (now, h) = (
            t + dt * (done as f64 / parts as f64),
            dt * (size as f64 / parts as f64),
        );

        let bdf = difference_formula(strand, h);
        let frame = scene.chain.base.frame(&strand.base, now, h);
        extrapolate(scene, strand, &frame, bdf, work);
        gather_forces(scene, strand, properties, &frame, bdf, now + h, work);
        set_goals(scene, strand, &frame, bdf, now, work);
        let part = (
            done as f64 / parts as f64,
            (done + size) as f64 / parts as f64,
        );
        watch_obstacles(scene, strand, properties, &frame, now, part, &[], work);
        let solved = solve_step(scene, properties, &frame, bdf, now + h, work);
        let solved = hold_goals(scene, properties, &frame, bdf, now + h, work, solved);

        let error = local_error(strand, &work.iterate.links, h);
        let allowed = scene.options.error_tolerance * scene.chain.reach;
        // of an impact the error is the jump of its velocity, which no shorter step foresees
        let rough =
            allowed > 0.0 && error > allowed && !strikes(strand, properties, &frame, bdf, work);
        work.tally.count(solved.iterations);
        let again = (!solved.converged || rough) && !work.tired;
        if again && strand.halvings < scene.options.halvings {
            strand.halvings += 1;
            work.tally.halved += 1;
            continue;
        }
        work.tally.failed += u64::from(!solved.converged);
        work.tired |= !solved.converged;
        work.tally.steps += 1;
        work.tally.error = work.tally.error.max(error);
        accept(strand, &frame, bdf, work);
        let load = base_load(&frame, bdf, work);
        for (sum, part) in strand.base_impulse.iter_mut().zip(load) {
            *sum += part * h;
        }
        remember_forces(strand, work);
        work.contacts.forces(&frame, &mut strand.contacts);
        add_reactions(strand, &frame, bdf, work);
        if bounce(scene, strand, properties, &frame, bdf, now + h, work) {
            let before = momentum_before(strand, work);
            strand.restart(scene.chain, now + h);
            correct_for_impact(strand, before, &frame, bdf, &work.response.rows, work);
        }

        done += size;
        // twice the step where it fits the raster and the error, which grows eightfold, allows it
        let calm = strand.depth > 2 && error < allowed / 16.0 || allowed == 0.0;
        let calm = calm || work.hurries(strand.halvings);
        if strand.halvings > 0 && done % (2 * size) == 0 && calm {
            strand.halvings -= 1;
        }
    }
}

/// How often the first step of a start is halved: once less where something touches, as it does after
/// an impact.
pub(crate) fn start_halvings(options: &Options, strand: &StrandState) -> u32 {
    let touches = !strand.contacts.is_empty();
    options.start_halvings.saturating_sub(u32::from(touches))
}

/// BDF2 once there is a step to look back on, BDF1 before.
fn difference_formula(strand: &StrandState, h: f64) -> Bdf {
    if strand.depth == 0 {
        Bdf::first(h)
    } else {
        Bdf::second(h, strand.steps[0])
    }
}

/// The guess from which Newton starts: joints go on as they went.
pub(crate) fn extrapolate(
    scene: &Scene<'_>,
    strand: &StrandState,
    frame: &Frame,
    bdf: Bdf,
    work: &mut Workspace,
) {
    let iterate = &mut work.iterate;
    iterate.rotation.clear();
    for j in 0..scene.chain.len() {
        let (w, h) = (strand.rate[j], bdf.h);
        let bent = if strand.depth > 1 {
            (w - strand.history[j].rate_before) * (0.5 * h / strand.steps[0])
        } else {
            Vec3::ZERO
        };
        let turn = ((w + bent) * h).clamp_length_max(1.0);
        iterate.rotation.push(nudge(strand.rotation[j], turn));
    }
    iterate.stretch.clear();
    for (e, rate) in strand.stretch.iter().zip(&strand.stretch_rate) {
        iterate.stretch.push(e + rate * bdf.h);
    }
    place(
        scene.chain,
        &iterate.rotation,
        &iterate.stretch,
        &frame.pose,
        &mut iterate.links,
    );
}

/// All that stays constant during the solve: inertia with its history, gravity, fields at the
/// guess, interaction, pose springs and loads.
pub(crate) fn gather_forces(
    scene: &Scene<'_>,
    strand: &StrandState,
    properties: &mut Properties,
    frame: &Frame,
    bdf: Bdf,
    t: f64,
    work: &mut Workspace,
) {
    let Scene {
        model,
        chain,
        pushes,
        ..
    } = scene;
    if chain.is_animated() {
        properties.sample(chain, t);
    }
    let gravity = frame.felt(model.gravity);
    let explicit = model.fields.iter().any(|field| !field.implicit);
    let base_motion = chain.pose.as_ref().map(|_| chain.base.felt_motion(t).0);
    work.bodies.clear();
    for (j, link) in work.iterate.links.iter().enumerate() {
        let (history, own) = (&strand.history[j], &properties.links[j]);
        let mut body = body(chain, strand, properties, bdf, j);
        body.push = gravity * (own.mass * own.gravity);
        body.push += frame.felt(strand.force[j]);
        body.torque = frame.felt(strand.torque[j]);
        body.drag_axis = link.axes.y_axis;
        if own.drag > 0.0 {
            body.drag = own.drag;
            body.drag_less = 1.0 - own.drag_ratio;
        }
        if explicit {
            let (x, v) = (
                frame.world(link.centre),
                link.centre * bdf.s - body.velocity_history,
            );
            let sample = Sample {
                x,
                v: frame.world_direction(v),
                t,
                implicit: false,
            };
            let (air, acceleration) = fields_at(model, properties, j, &sample);
            body.push += body.drag_times(frame.felt(air)) + frame.felt(acceleration) * own.mass;
        }
        if let Some(push) = pushes.get(j) {
            // its drag is the same in all directions
            let drag = push.drag * own.mass;
            body.drag_less *= body.drag / (body.drag + drag).max(f64::MIN_POSITIVE);
            body.drag += drag;
            body.push +=
                frame.felt(push.acceleration) * own.mass + frame.felt(push.velocity) * drag;
        }
        if let (Some(pose), Some(motion)) = (&chain.pose, base_motion) {
            let (tip, velocity) = pose.tip(j, t);
            let felt = velocity + motion.linear + motion.angular.cross(tip);
            let (k, c) = (own.pose_strength, own.pose_damping);
            // velocity of the tip by the same differences: s tip − these
            let along = velocity_history(bdf, history.axes.map(|axes| axes.y_axis)) * own.half;
            let past = body.velocity_history + along;
            body.tip_stiffness = k + bdf.s * c;
            body.tip_pull = frame.pose.point(tip) * k + (frame.pose.direction(felt) + past) * c;
        }
        work.bodies.push(body);
    }
}

/// Inertia, history and joint of a link, free of forces.
pub(crate) fn body(
    chain: &Chain,
    strand: &StrandState,
    properties: &Properties,
    bdf: Bdf,
    j: usize,
) -> Body {
    let (history, own) = (&strand.history[j], &properties.links[j]);
    let Bdf { s, a, b, .. } = bdf;
    let velocity_history = velocity_history(bdf, [history.centre[0], history.centre[1]]);
    let axes_rate_history = history.axes[0] * a - history.axes[1] * b;
    let before = strand
        .stretch
        .get(j)
        .map_or(0.0, |e| e * a - history.stretch_before * b);
    Body {
        mass: own.mass,
        half: own.half,
        second_moments: own.second_moments,
        centre_history: velocity_history * s + history.velocity[0] * a - history.velocity[1] * b,
        velocity_history,
        axes_history: axes_rate_history * s + history.axes_rate[0] * a - history.axes_rate[1] * b,
        push: Vec3::ZERO,
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

/// What is taken from `s x` for the velocity of `x`.
fn velocity_history(bdf: Bdf, past: [Vec3; 2]) -> Vec3 {
    past[0] * bdf.a - past[1] * bdf.b
}

/// A place, velocity and time in the true world, and which fields are asked for.
struct Sample {
    x: Vec3,
    v: Vec3,
    t: f64,
    implicit: bool,
}

/// Velocity of the air and acceleration by fields on link `j`.
fn fields_at(model: &Model, properties: &Properties, j: usize, sample: &Sample) -> (Vec3, Vec3) {
    let (mut air, mut acceleration) = (Vec3::ZERO, Vec3::ZERO);
    let count = properties.links.len();
    for (k, named) in model.fields.iter().enumerate() {
        if named.implicit == sample.implicit {
            let weight = properties
                .field_weights
                .get(k * count + j)
                .copied()
                .unwrap_or(1.0);
            let weight = weight * named.strength.at(sample.t);
            air += named.field.air(sample.x, sample.t) * weight;
            acceleration += named.field.acceleration(sample.x, sample.v, sample.t) * weight;
        }
    }
    (air, acceleration)
}

/// Newton on the step, with implicit fields sampled at every iterate.
pub(crate) fn solve_step(
    scene: &Scene<'_>,
    properties: &Properties,
    frame: &Frame,
    bdf: Bdf,
    t: f64,
    work: &mut Workspace,
) -> Solved {
    let iterations = work.patience(scene.options);
    let Workspace {
        iterate,
        bodies,
        goals,
        springs,
        response,
        contacts,
        swept,
        ..
    } = work;
    let problem = problem(scene, bdf, bodies, springs);
    let limits = Limits {
        tolerance: scene.options.tolerance,
        late: scene.options.tolerance,
        iterations,
        length: scene.chain.reach / scene.chain.len() as f64,
        careful: scene.settling || !springs.is_empty(),
    };
    let live = scene.model.fields.iter().any(|field| field.implicit);
    let count = if live { scene.chain.len() } else { 0 };
    iterate.live.resize(count, Live::ZERO);
    let mut coupling = Surroundings {
        scene,
        properties,
        frame,
        bodies,
        bdf,
        t,
        goals,
        response,
        contacts,
        swept,
    };
    solve(&problem, &frame.pose, iterate, limits, &mut coupling)
}

/// What a strand meets at every iterate: implicit fields, constraints.
struct Surroundings<'a> {
    scene: &'a Scene<'a>,
    properties: &'a Properties,
    frame: &'a Frame,
    bodies: &'a [Body],
    bdf: Bdf,
    t: f64,
    goals: &'a [(usize, Goal)],
    response: &'a mut Response,
    contacts: &'a mut Contacts,
    swept: &'a [Swept],
}

impl Coupling for Surroundings<'_> {
    fn sample(&mut self, links: &[Link], live: &mut [Live]) {
        let at = (self.frame, self.bdf, self.t);
        sample_fields(self.scene, self.properties, at, self.bodies, links, live);
    }

    fn is_coupled(&self) -> bool {
        !self.goals.is_empty() || !self.contacts.is_empty()
    }

    fn prepare(&mut self, iterate: &mut Iterate) {
        if !self.is_coupled() {
            return;
        }
        let Iterate {
            rotation,
            links,
            loads,
            ..
        } = iterate;
        let obstacles = &self.scene.model.obstacles;
        self.contacts
            .detect(obstacles, self.swept, self.frame, links, self.bdf.h);
        self.response.measure(self.goals, links, rotation);
        self.contacts.rows(&mut self.response.rows);
        self.response.apply(links, loads);
    }

    fn couple(&mut self, iterate: &mut Iterate) -> Option<f64> {
        if self.response.rows.is_empty() {
            return Some(0.0);
        }
        let Iterate {
            links,
            loads,
            factor,
            ..
        } = iterate;
        let method = self.scene.options.method();
        let slope = self.response.couple(factor, links, loads, method)?;
        let first = self.response.rows.len() - 3 * self.contacts.len();
        self.contacts.take_forces(&self.response.rows[first..]);
        Some(slope)
    }
}

/// Forces of the implicit fields on every link, and how they change with its place and velocity.
pub(crate) fn sample_fields(
    scene: &Scene<'_>,
    properties: &Properties,
    (frame, bdf, t): (&Frame, Bdf, f64),
    bodies: &[Body],
    links: &[Link],
    live: &mut [Live],
) {
    for (j, live) in live.iter_mut().enumerate() {
        let (body, own) = (&bodies[j], &properties.links[j]);
        let force = |x: Vec3, v: Vec3| {
            let (x, v) = (frame.world(x), frame.world_direction(v));
            let sample = Sample {
                x,
                v,
                t,
                implicit: true,
            };
            let (air, acceleration) = fields_at(scene.model, properties, j, &sample);
            // interaction's drag feels no wind: only the air's part is taken
            frame.felt(air) * own.drag + frame.felt(acceleration) * own.mass
        };
        let x = links[j].centre;
        let v = x * bdf.s - body.velocity_history;
        let (dx, dv) = (1e-5 * scene.chain.reach, 1e-4);
        // along x the velocity changes by s as well: two differences in one
        let column = |axis: Vec3| {
            (force(x + axis * dx, v) - force(x - axis * dx, v)) / (2.0 * dx)
                + (force(x, v + axis * dv) - force(x, v - axis * dv)) * (bdf.s / (2.0 * dv))
        };
        live.force = force(x, v);
        live.slope = Mat3::from_cols(column(Vec3::X), column(Vec3::Y), column(Vec3::Z));
    }
}

/// The step's equations.
pub(crate) fn problem<'a>(
    scene: &Scene<'a>,
    bdf: Bdf,
    bodies: &'a [Body],
    springs: &'a [Spring],
) -> Problem<'a> {
    Problem {
        chain: scene.chain,
        law: &*scene.model.law,
        bdf,
        bodies,
        springs,
    }
}

/// Error of this step in the place of a segment [m]: what the quadratic through the last three
/// steps did not foresee, times the constant of BDF2. Zero until there are three.
pub(crate) fn local_error(strand: &StrandState, links: &[Link], h: f64) -> f64 {
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

/// The iterate becomes the state, and the state history.
pub(crate) fn accept(strand: &mut StrandState, frame: &Frame, bdf: Bdf, work: &Workspace) {
    let (iterate, bodies) = (&work.iterate, &work.bodies);
    for (j, body) in bodies.iter().enumerate() {
        let (link, history) = (&iterate.links[j], &mut strand.history[j]);
        let [x0, x1, _] = history.centre;
        let axes_rate = link.axes * bdf.s - (history.axes[0] * bdf.a - history.axes[1] * bdf.b);
        let turn = log(body.start.conjugate() * iterate.rotation[j]);
        *history = History {
            centre: [link.centre, x0, x1],
            velocity: [
                link.centre * bdf.s - body.velocity_history,
                history.velocity[0],
            ],
            axes: [link.axes, history.axes[0]],
            axes_rate: [axes_rate, history.axes_rate[0]],
            turn,
            rate_before: strand.rate[j],
            stretch_before: strand.stretch.get(j).copied().unwrap_or(0.0),
        };
        strand.rate[j] = turn * bdf.s - body.rate_history;
        strand.rotation[j] = iterate.rotation[j];
        if let Some(&e) = iterate.stretch.get(j) {
            strand.stretch_rate[j] = e * bdf.s - body.stretch_history;
            strand.stretch[j] = e;
        }
    }
    strand.base = frame.pose;
    strand.steps = [bdf.h, strand.steps[0]];
    strand.depth = strand.depth.saturating_add(1);
}
