//! Plain time stepping: one projected Gauss-Seidel solve a step, with depth undone through
//! velocity, or by a projection of the positions afterwards.

use crate::contacts::detect;
use crate::correction::correction;
use crate::dynamics::{Treatment, dynamics, everything, follow_scripts_to_end};
use crate::shock::contact_graph;
use crate::sleep::fall_asleep;
use crate::solver_choice::SolverChoice;
use crate::system::{Report, Workspace};
use crate::{Model, Options, State};

/// One step of `dt` seconds: `dynamics(dT)` (Erleben 2007, eq. 45) that also pushes penetrating
/// bodies apart, by the part `stabilisation` of the depth a step.
pub(crate) fn step(
    state: &mut State,
    model: &Model,
    options: &Options,
    workspace: &mut Workspace,
    dt: f64,
) -> Report {
    detect(state, model, options, workspace, dt);
    solve(
        state,
        model,
        options,
        workspace,
        options.pgs.stabilisation,
        dt,
    )
}

/// One step of `dt` seconds: `dynamics(dT)`, then collision detection again and `correction()`
/// of all (Erleben 2007, eq. 46), without shock propagation.
pub(crate) fn step_with_projection(
    state: &mut State,
    model: &Model,
    options: &Options,
    workspace: &mut Workspace,
    dt: f64,
) -> Report {
    detect(state, model, options, workspace, dt);
    let report = solve(state, model, options, workspace, 0.0, dt);

    follow_scripts_to_end(state, model, dt);
    detect(state, model, options, workspace, dt);
    let whole = everything(state, model);
    let assembly = &mut workspace.assembly;
    let sweeps = options.pgs.correction_sweeps;
    let reach = options.tuning.envelope;
    correction(state, model, &whole, sweeps, reach, true, assembly);
    report
}

/// How `dynamics` treats contacts.
pub(crate) fn treatment(options: &Options, stabilisation: f64, dt: f64) -> Treatment {
    let choice = SolverChoice::of_pgs(&options.pgs);
    Treatment {
        sweeps: options.pgs.sweeps,
        choice,
        gamma: options.pgs.gamma,
        reach: options.tuning.envelope,
        speculative: false,
        warm: if options.pgs.warm_start { 1.0 } else { 0.0 },
        cone: choice.is_cone().unwrap_or(false),
        keep_velocity: true,
        stabilisation,
        bounce_time: Some(dt),
        free_turn: true,
    }
}

/// `dynamics(dT)` of the whole scene.
fn solve(
    state: &mut State,
    model: &Model,
    options: &Options,
    workspace: &mut Workspace,
    stabilisation: f64,
    dt: f64,
) -> Report {
    let treatment = treatment(options, stabilisation, dt);
    contact_graph(
        state,
        model,
        options,
        &mut workspace.graph,
        options.tuning.envelope,
    );
    let whole = everything(state, model);
    let mut report = Report::of(state, &workspace.graph);
    let assembly = &mut workspace.assembly;
    assembly.remember(&mut state.contacts);
    let outcome = dynamics(state, model, &whole, &treatment, assembly, dt);
    if options.sleeping {
        fall_asleep(state, model, &workspace.graph, dt);
    }
    report.sweeps = outcome.sweeps as usize;
    report.residual = outcome.approach;
    report
}
