//! Velocity-based shock propagation (Erleben 2007, Fig. 14): the published step, and each repair
//! of it as an option.
//!
//! Measured against the paper's claims: it is calm because an upper body is solved against
//! supports that count as resting. Impacts travel down (the first, unfixated `dynamics`), static
//! load does not: a heavy box placed on a seesaw does not move it. See the tests.

use crate::contacts::detect;
use crate::correction::correction;
use crate::dynamics::{Assembly, Part, Treatment, dynamics, everything, follow_scripts_to_end};
use crate::shock::{contact_graph, shock_propagation, stack_layers};
use crate::sleep::fall_asleep;
use crate::solver_choice::SolverChoice;
use crate::system::{Report, Workspace};
use crate::{Model, Options, State};

/// One step of `dt` seconds, in the order of Erleben 2007, Fig. 14.
pub(crate) fn step(
    state: &mut State,
    model: &Model,
    options: &Options,
    workspace: &mut Workspace,
    dt: f64,
) -> Report {
    let vsp = &options.vsp;
    let a = vsp.fraction;

    // collision detection at time t
    detect(state, model, options, workspace, dt);
    contact_graph(state, model, options, &mut workspace.graph, reach(options));
    let whole = everything(state, model);
    let layers = stack_layers(state, model, &workspace.graph, vsp.islands);
    let mut report = Report::of(state, &workspace.graph);
    let assembly = &mut workspace.assembly;
    assembly.remember(&mut state.contacts);

    // dynamics(a dT), nothing fixated
    let first = treatment(options, a, dt);
    let unfixated = dynamics(state, model, &whole, &first, assembly, a * dt);
    let mut most_sweeps = 0;

    // shock propagation of dynamics((1 - a) dT) and correction()
    let (mut rest, h) = (treatment(options, 1.0 - a, dt), (1.0 - a) * dt);
    if vsp.bounce_once {
        rest.bounce_time = None;
    }
    shock_propagation(&layers, |layer| {
        if vsp.correct_first {
            correct(state, model, options, layer, assembly, h);
        }
        measure_again(state, model, options, layer, h);
        let outcome = dynamics(state, model, layer, &rest, assembly, h);
        if !vsp.correct_first {
            correct(state, model, options, layer, assembly, 0.0);
        }
        report.residual = report.residual.max(outcome.approach);
        most_sweeps = outcome.sweeps.max(most_sweeps);
    });

    // collision detection at time t + dT, and a last correction of all
    follow_scripts_to_end(state, model, dt);
    detect(state, model, options, workspace, dt);
    let whole = everything(state, model);
    correct(state, model, options, &whole, &mut workspace.assembly, 0.0);
    if options.sleeping {
        fall_asleep(state, model, &workspace.graph, dt);
    }
    report.sweeps = match vsp.solver {
        Some(_) => (unfixated.sweeps + most_sweeps) as usize,
        None => 2 * vsp.sweeps as usize,
    };
    report
}

/// `correction()` of `part` (Erleben 2007, eq. 46), whose supports are `ahead` seconds ahead of it.
fn correct(
    state: &mut State,
    model: &Model,
    options: &Options,
    part: &Part,
    assembly: &mut Assembly,
    ahead: f64,
) {
    measure_again(state, model, options, part, ahead);
    correction(
        state,
        model,
        part,
        options.vsp.correction_sweeps,
        options.tuning.envelope,
        options.vsp.free_turn,
        assembly,
    );
}

/// Distance up to which points are contacts, over their length \[1\]. As published that is the envelope, and a gap
/// within it does not close; with the repair a gap of any size counts, and may.
fn reach(options: &Options) -> f64 {
    if options.vsp.speculative {
        f64::INFINITY
    } else {
        options.tuning.envelope
    }
}

/// How `dynamics` treats contacts over the part `share` of a step of `dt` seconds.
pub(crate) fn treatment(options: &Options, share: f64, dt: f64) -> Treatment {
    let vsp = &options.vsp;
    let choice = SolverChoice::of_vsp(vsp);
    Treatment {
        sweeps: vsp.sweeps,
        choice,
        gamma: vsp.gamma,
        reach: reach(options),
        speculative: vsp.speculative,
        warm: if vsp.warm_start { share } else { 0.0 },
        cone: choice.is_cone().unwrap_or(vsp.cone),
        keep_velocity: vsp.keep_velocity,
        stabilisation: 0.0,
        bounce_time: Some(if vsp.bounce_once { dt } else { share * dt }),
        free_turn: vsp.free_turn,
    }
}

/// With `redistance`: measures distances of `part` at the present poses, since the layers below
/// have moved. Normals stay as they were found. As published, nothing is measured again.
///
/// Fixated supports have made the move that `part` is still to make, `ahead` seconds of it. If
/// they keep their velocity in the problem that move is counted there, and so not here; counted
/// twice, 25 boxes creep by 25 mm in 5 s instead of 0.07 mm.
fn measure_again(state: &mut State, model: &Model, options: &Options, part: &Part, ahead: f64) {
    if !options.vsp.redistance {
        return;
    }
    let ahead = if options.vsp.keep_velocity {
        ahead
    } else {
        0.0
    };
    let moved = |i: usize| model.is_dynamic(i) && part.moving.binary_search(&(i as u32)).is_err();
    for &k in &part.patches {
        let patch = state.contacts.patches[k as usize];
        let (a, b) = (patch.a as usize, patch.b as usize);
        for p in patch.first as usize..(patch.first + patch.count) as usize {
            let point = &state.contacts.points[p];
            let [(on_a, before_a), (on_b, before_b)] = [(a, point.anchor_a), (b, point.anchor_b)]
                .map(|(i, anchor)| {
                    let on = state.pose(i).point(anchor);
                    let back = if moved(i) { ahead } else { 0.0 };
                    (on, on - state.velocity_at(i, on - state.position[i]) * back)
                });
            let point = &mut state.contacts.points[p];
            point.distance = patch.normal.dot(before_b - before_a);
            point.position = 0.5 * (on_a + on_b);
        }
    }
}
