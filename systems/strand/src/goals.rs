//! Constraints within a step: their goals are set before Newton starts, held while it runs, and the
//! forces kept when the step is accepted.

use drystone_base::Vec3;

use crate::base::Frame;
use crate::constraint::{Goal, goals};
use crate::factor::Kind;
use crate::implicit::{Bdf, Body, Load};
use crate::kinematics::place;
use crate::newton::{Iterate, Solved};
use crate::properties::Properties;
use crate::response::Response;
use crate::spring::Spring;
use crate::state::{Held, StrandState};
use crate::step::{Scene, Workspace, problem, solve_step};

/// What the active constraints want at the end of the step, and the forces with which they start:
/// those of the last step.
pub(crate) fn set_goals(
    scene: &Scene<'_>,
    strand: &StrandState,
    frame: &Frame,
    bdf: Bdf,
    t: f64,
    work: &mut Workspace,
) {
    let Workspace {
        goals: list,
        response,
        start,
        scratch,
        iterate,
        springs,
        bodies,
        returning,
        counts,
        ..
    } = work;
    let h = bdf.h;
    list.clear();
    returning.clear();
    springs.clear();
    iterate.loads.clear();
    response.rows.clear();
    if scene.constraints.is_empty() {
        return;
    }
    place(
        scene.chain,
        &strand.rotation,
        &strand.stretch,
        &strand.base,
        start,
    );
    for &c in scene.constraints {
        let constraint = &scene.model.constraints[c];
        if constraint.active.at(t + h) > 0.0 {
            scratch.clear();
            let held = strand.held.iter().find(|held| held.constraint == c);
            let mut velocity = held.map(|held| held.returning);
            goals(
                constraint,
                scene.chain,
                strand,
                start,
                frame,
                (t, h),
                scratch,
                &mut velocity,
            );
            returning.push((c, velocity.unwrap_or(Vec3::ZERO)));
            list.extend(scratch.iter().map(|goal| (c, *goal)));
        }
    }
    // what concerns one link becomes a spring, ten thousand times as stiff as the strand there
    let joins_two = |goal: &Goal| {
        matches!(
            goal,
            Goal::Place { b: Some(_), .. }
                | Goal::Turn {
                    against: Some(_),
                    ..
                }
        )
    };
    let single = list.iter().filter(|(_, goal)| !joins_two(goal)).copied();
    scratch_springs(single, scene, bdf, bodies, iterate, springs, response);
    list.retain(|(_, goal)| joins_two(goal));
    response.measure(list, &iterate.links, &iterate.rotation);
    if !list.is_empty() {
        iterate.loads.resize(scene.chain.len(), Load::ZERO);
    }
    // with the forces of the last step, where they held
    counts.clear();
    counts.resize(strand.held.len(), 0);
    let next = counts;
    let mut force_of = |c: usize, count: usize| {
        let mut force = Vec3::ZERO;
        if let Some(h) = strand.held.iter().position(|held| held.constraint == c) {
            let held = &strand.held[h];
            for k in 0..count {
                let calm = held.error < 1e-3 * scene.chain.reach;
                force[k] = if calm {
                    held.force[(next[h] + k).min(5)]
                } else {
                    0.0
                };
            }
            next[h] += count;
        }
        force
    };
    for spring in springs.iter_mut() {
        spring.force = force_of(spring.constraint, 3);
    }
    for rows in response.rows.chunk_by_mut(|a, b| a.group == b.group) {
        let force = force_of(list[rows[0].group].0, rows.len());
        for (k, row) in rows.iter_mut().enumerate() {
            row.force = force[k];
        }
    }
    response.apply(&iterate.links, &mut iterate.loads);
}

/// Springs for goals, each with a stiffness measured with the step's own factor.
fn scratch_springs(
    goals: impl Iterator<Item = (usize, Goal)>,
    scene: &Scene<'_>,
    bdf: Bdf,
    bodies: &[Body],
    iterate: &mut Iterate,
    springs: &mut Vec<Spring>,
    response: &mut Response,
) {
    springs.clear();
    let Iterate {
        factor,
        rotation,
        stretch,
        links,
        live,
        ..
    } = iterate;
    for (constraint, goal) in goals {
        if springs.is_empty() {
            let problem = problem(scene, bdf, bodies, &[]);
            factor.eliminate(
                &problem,
                rotation,
                stretch,
                links,
                live,
                &[],
                Kind::Positive,
            );
        }
        let softness = response.softness(&goal, factor, links, rotation);
        springs.push(Spring {
            goal,
            stiffness: 1e4 / softness.max(f64::MIN_POSITIVE),
            force: Vec3::ZERO,
            constraint,
        });
    }
}

/// Takes up what the springs still carry into their forces, and solves again, until they carry next
/// to nothing.
pub(crate) fn hold_goals(
    scene: &Scene<'_>,
    properties: &Properties,
    frame: &Frame,
    bdf: Bdf,
    t: f64,
    work: &mut Workspace,
    mut solved: Solved,
) -> Solved {
    for _ in 0..2 {
        if work.springs.is_empty() || !solved.converged {
            break;
        }
        if !take_up(&work.iterate, &mut work.springs, scene.chain.reach) {
            break;
        }
        let again = solve_step(scene, properties, frame, bdf, t, work);
        solved = Solved {
            converged: again.converged,
            iterations: solved.iterations + again.iterations,
        };
    }
    solved
}

/// Takes up what the springs carry into their forces, unless that is next to nothing; returns whether it
/// was worth it. `reach` is of the strand [m].
pub(crate) fn take_up(iterate: &Iterate, springs: &mut [Spring], reach: f64) -> bool {
    let off = |spring: &Spring| {
        let j = spring.link();
        spring.off(&iterate.links[j], iterate.rotation[j])
    };
    let worst = springs.iter().map(|spring| off(spring).length());
    if worst.fold(0.0, f64::max) < 1e-6 * reach.min(1.0) {
        return false;
    }
    for spring in springs {
        spring.force -= off(spring) * spring.stiffness;
    }
    true
}

/// Keeps the forces of the constraints, for the next step and for the user.
pub(crate) fn remember_forces(strand: &mut StrandState, work: &mut Workspace) {
    strand.held.clear();
    if work.springs.is_empty() && work.goals.is_empty() {
        return;
    }
    let Workspace {
        goals,
        springs,
        response,
        iterate,
        returning,
        counts,
        ..
    } = work;
    counts.clear();
    let mut keep = |c: usize, force: &[f64], error: f64| {
        let h = strand.held.iter().position(|held| held.constraint == c);
        let h = h.unwrap_or_else(|| {
            let meant = returning.iter().find(|(of, _)| *of == c);
            strand.held.push(Held {
                constraint: c,
                force: [0.0; 6],
                returning: meant.map_or(Vec3::ZERO, |(_, velocity)| *velocity),
                error: 0.0,
            });
            counts.push(0);
            strand.held.len() - 1
        });
        for f in force {
            strand.held[h].force[counts[h].min(5)] = *f;
            counts[h] += 1;
        }
        strand.held[h].error = strand.held[h].error.max(error);
    };
    for spring in springs.iter() {
        let j = spring.link();
        let off = spring.off(&iterate.links[j], iterate.rotation[j]);
        let given = -spring.asked(&iterate.links[j], iterate.rotation[j]);
        keep(spring.constraint, &given.to_array(), off.length());
    }
    response.measure(goals, &iterate.links, &iterate.rotation);
    for row in &response.rows {
        keep(goals[row.group].0, &[row.force], row.gap.abs());
    }
}
