//! The contact problem that the next step meets first, as data: for solvers to be compared on and
//! for files.

use drystone_complementarity::ContactProblem;
use drystone_complementarity::substep::RESTING;

use crate::contacts::detect;
use crate::dynamics::{Assembly, Part, Treatment, everything, free_velocity};
use crate::shock::contact_graph;
use crate::sleep::wake_up;
use crate::system::Workspace;
use crate::two_level::analyse;
use crate::{Model, Options, State, Stepper, System, pgs, vsp};

impl System {
    /// The first contact problem of a step of `dt` seconds from here, all islands together, with
    /// the impulses that the stepper would start from and the contact points as places. Bodies
    /// that cannot move now, or sleep, have no inverse mass. Nothing changes by asking.
    ///
    /// `two-level` solves it over one substep, on the cone; `vsp` over the first part of the step
    /// and `pgs` over all of it, both on the pyramid. `isp` and `soft` solve no such problem:
    /// theirs is that of hard contacts over the time their impulses stand for.
    pub fn contact_problem(&self, dt: f64) -> ContactProblem {
        let (model, options) = (&self.model, self.options());
        if !(dt > 0.0 && dt.is_finite()) {
            return ContactProblem::factored("", Default::default());
        }
        // the opening of a step, on a copy
        let mut state = self.state.clone();
        let mut workspace = Workspace::default();
        state.admit(model);
        state.follow_scripts(model, dt);
        detect(&mut state, model, options, &mut workspace, dt);

        let mut assembly = Assembly::default();
        let warm = match options.stepper {
            Stepper::TwoLevel => {
                two_level(
                    &mut state,
                    model,
                    options,
                    &mut workspace,
                    &mut assembly,
                    dt,
                );
                1.0
            }
            _ => {
                let (treatment, h) = treatment(options, dt);
                let graph = &mut workspace.graph;
                contact_graph(&mut state, model, options, graph, treatment.reach);
                let whole = everything(&state, model);
                assembly.pose(&state, model, &whole, &treatment, h);
                treatment.warm
            }
        };
        let points = &mut state.contacts;
        let places = assembly.points.iter();
        let places = places.map(|&p| points.points[p as usize].position);
        let places = places.collect();
        assembly.remember(points);
        assembly.first_guess(warm);
        let mut problem = ContactProblem::factored("", assembly.problem);
        problem.places = Some(places);
        problem.start = Some(assembly.impulses);
        problem
    }
}

/// How a stepper that assembles its problem treats contacts first, and over what time \[s\].
fn treatment(options: &Options, dt: f64) -> (Treatment, f64) {
    match options.stepper {
        Stepper::Pgs => (pgs::treatment(options, options.pgs.stabilisation, dt), dt),
        Stepper::PgsProjection => (pgs::treatment(options, 0.0, dt), dt),
        Stepper::Vsp if options.vsp.fraction > 0.0 => {
            let share = options.vsp.fraction;
            (vsp::treatment(options, share, dt), share * dt)
        }
        Stepper::Vsp => (vsp::treatment(options, 1.0, dt), dt),
        Stepper::TwoLevel | Stepper::Isp | Stepper::Soft => {
            let span = options.impulse_span(dt);
            (Treatment::of_hard_contacts(span), span)
        }
    }
}

/// Poses the problem of the first substep of the default stepper: patches that touch or may meet
/// within the step; a gap beyond the zone may close, what meets bounces.
fn two_level(
    state: &mut State,
    model: &Model,
    options: &Options,
    workspace: &mut Workspace,
    assembly: &mut Assembly,
    dt: f64,
) {
    let settings = &options.two_level;
    let h = dt / f64::from(settings.substeps);
    let graph = &mut workspace.graph;
    let lengths = (&*workspace.radius, &*workspace.struck, &*workspace.fall);
    analyse(graph, state, model, options, lengths, dt);
    if options.sleeping {
        wake_up(state, model, graph);
    }
    let mut part = everything(state, model);
    part.patches.retain(|&k| graph.joined[k as usize]);
    assembly.gather(state, model, &part, f64::INFINITY);

    // what flies has real gaps
    let gravity = model.gravity.length();
    let mut flies = vec![false; graph.islands as usize + 1];
    let island = |i: u32| (graph.island[i as usize]).min(graph.islands) as usize;
    for &i in &part.moving {
        let limit = (options.tuning).flying_speed(model.length[i as usize], gravity, dt);
        flies[island(i)] |= state.linear_velocity[i as usize].length() > limit;
    }
    let zones = zones(&part, state, |moving| {
        if flies[island(moving)] {
            0.5 * options.tuning.zone
        } else {
            options.tuning.zone
        }
    });

    let calm_speed: Vec<f64> = (part.patches.iter())
        .flat_map(|&k| {
            let patch = &state.contacts.patches[k as usize];
            let calm_speed = options.tuning.calm_speed(patch.length, gravity, h);
            std::iter::repeat_n(calm_speed, patch.count as usize)
        })
        .collect();
    let bodies = assembly.bodies.iter().enumerate();
    let (now, free): (Vec<_>, Vec<_>) = bodies
        .map(|(k, &i)| {
            let forces = if k < assembly.moving { h } else { 0.0 };
            let velocity = |time: f64| free_velocity(state, model, i as usize, time);
            (velocity(0.0), velocity(forces))
        })
        .unzip();
    let (now, free) = (
        assembly.problem.row_velocities(&now),
        assembly.problem.row_velocities(&free),
    );
    for (k, b) in assembly.problem.b.iter_mut().enumerate() {
        let (speed, open) = (now[k][0], assembly.distance[k] - zones[k]);
        let bounce = -assembly.restitution[k] * speed;
        let bounces = speed < -RESTING * calm_speed[k] && bounce > 0.0 && open + h * speed < 0.0;
        let wanted = if bounces { bounce } else { -open.max(0.0) / h };
        *b = free[k];
        b[0] -= wanted;
    }
}

/// Gap below which each point of `part` counts as touching, by a moving body of its patch \[m\].
fn zones(part: &Part, state: &State, zone: impl Fn(u32) -> f64) -> Vec<f64> {
    let patches = part.patches.iter().flat_map(|&k| {
        let patch = &state.contacts.patches[k as usize];
        let moving = match part.moving.binary_search(&patch.a) {
            Ok(_) => patch.a,
            Err(_) => patch.b,
        };
        std::iter::repeat_n(zone(moving) * patch.length, patch.count as usize)
    });
    patches.collect()
}
