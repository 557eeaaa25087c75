//! Velocity-based shock propagation (Erleben 2007, Fig. 14): the published step, and each repair
//! of it as an option.
//!
//! Measured against the paper's claims: it is calm because an upper body is solved against
//! supports that count as resting. Impacts travel down (the first, unfixated `dynamics`), static
//! load does not: a heavy box placed on a seesaw does not move it. See the tests.

use crate::contacts::detect;
use crate::correction::correction;
use crate::dynamics::{Part, Treatment, dynamics, everything, follow_scripts_to_end};
use crate::shock::{shock_propagation, stack_layers};
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
    let reach = if vsp.speculative {
        f64::INFINITY
    } else {
        options.envelope
    };
    let first = vsp.fraction * dt;
    let rest = dt - first;

    // collision detection at time t
    detect(state, model, options, workspace, dt);
    let whole = everything(state, model);
    let layers = stack_layers(state, model, &mut workspace.graph, reach, vsp.islands);
    let mut report = Report::of(state, &workspace.graph);
    let assembly = &mut workspace.assembly;
    assembly.remember(&mut state.contacts);

    // dynamics(a dT), nothing fixated
    let outcome = dynamics(
        state,
        model,
        &whole,
        &treatment(options, first / dt),
        assembly,
        first,
    );
    report.sweeps += outcome.sweeps as usize;

    // shock propagation of dynamics((1 - a) dT) and correction()
    let above = treatment(options, rest / dt);
    shock_propagation(&layers, |layer| {
        let measure = |state: &mut State, layer: &Part| {
            if vsp.redistance {
                remeasure(state, layer);
            }
        };
        if vsp.correct_first {
            measure(state, layer);
            correction(
                state,
                model,
                layer,
                vsp.correction_sweeps,
                options.envelope,
                assembly,
            );
        }
        measure(state, layer);
        let outcome = dynamics(state, model, layer, &above, assembly, rest);
        report.residual = report.residual.max(outcome.approach);
        if !vsp.correct_first {
            measure(state, layer);
            correction(
                state,
                model,
                layer,
                vsp.correction_sweeps,
                options.envelope,
                assembly,
            );
        }
    });
    report.sweeps += vsp.sweeps as usize;

    // collision detection at time t + dT, and a last correction of all
    follow_scripts_to_end(state, model, dt);
    detect(state, model, options, workspace, dt);
    let whole = everything(state, model);
    let assembly = &mut workspace.assembly;
    correction(
        state,
        model,
        &whole,
        vsp.correction_sweeps,
        options.envelope,
        assembly,
    );
    report
}

/// How `dynamics` treats contacts over the part `share` of the step.
fn treatment(options: &Options, share: f64) -> Treatment {
    let vsp = &options.vsp;
    Treatment {
        sweeps: vsp.sweeps,
        gamma: vsp.gamma,
        reach: if vsp.speculative {
            f64::INFINITY
        } else {
            options.envelope
        },
        speculative: vsp.speculative,
        warm: if vsp.warm_start { share } else { 0.0 },
        cone: vsp.cone,
        keep_velocity: vsp.keep_velocity,
        stabilisation: 0.0,
    }
}

/// Measures the layer's distances at the present poses; normals stay as they were found.
fn remeasure(state: &mut State, layer: &Part) {
    for &k in &layer.patches {
        let patch = state.contacts.patches[k as usize];
        let (pose_a, pose_b) = (state.pose(patch.a as usize), state.pose(patch.b as usize));
        for point in
            &mut state.contacts.points[patch.first as usize..(patch.first + patch.count) as usize]
        {
            let (on_a, on_b) = (pose_a.point(point.anchor_a), pose_b.point(point.anchor_b));
            point.distance = patch.normal.dot(on_b - on_a);
            point.position = 0.5 * (on_a + on_b);
        }
    }
}
