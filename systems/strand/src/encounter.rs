//! Obstacles within a step: which points to watch before Newton starts, and what an impact does to
//! the rates when the step is accepted.

use drystone_base::{Pose, Vec3};
use drystone_complementarity::solvers::Row as Bound;

use crate::base::Frame;
use crate::constraint::Spot;
use crate::contact::{Swept, Touch};
use crate::implicit::{Bdf, Load};
use crate::kinematics::{place, velocities};
use crate::properties::Properties;
use crate::response::{Handle, Row};
use crate::state::StrandState;
use crate::step::{Scene, Workspace, problem};

/// Lists the points that might meet an obstacle before the end of the step.
pub(crate) fn watch_obstacles(
    scene: &Scene<'_>,
    strand: &StrandState,
    properties: &Properties,
    frame: &Frame,
    t: f64,
    part: (f64, f64),
    moving: &[(usize, Swept)],
    work: &mut Workspace,
) {
    let Workspace {
        contacts,
        swept,
        start,
        iterate,
        ..
    } = work;
    contacts.clear();
    if scene.swept.is_empty() {
        return;
    }
    swept.clear();
    swept.extend(scene.swept.iter().map(|motion| motion.part(part.0, part.1)));
    for (obstacle, motion) in moving {
        swept[*obstacle] = *motion;
    }
    place(
        scene.chain,
        &strand.rotation,
        &strand.stretch,
        &strand.base,
        start,
    );
    let to_world = match scene.chain.base.body {
        Some(_) => Pose::IDENTITY,
        None => scene.chain.base.path.pose(t).then(&strand.base.inverse()),
    };
    let radius = |j: usize| {
        (
            properties.links[j].radius,
            properties.links[j].friction_weight,
        )
    };
    let obstacles = (&scene.model.obstacles[..], &swept[..]);
    // forces of an impact say nothing about the next step
    let touched = if strand.depth > 0 {
        &strand.contacts[..]
    } else {
        &[]
    };
    // what is held to something does not touch it
    let passes = |obstacle: usize, link: usize| {
        scene.constraints.iter().chain(scene.joins).any(|&c| {
            let constraint = &scene.model.constraints[c];
            constraint.passes == Some(obstacle)
                && constraint.hold.link() == link
                && constraint.active.at(t) > 0.0
        })
    };
    contacts.watch(
        scene.chain,
        obstacles,
        touched,
        passes,
        radius,
        (start, &to_world),
        (&iterate.links, frame),
    );
    if !contacts.is_empty() {
        iterate.loads.resize(scene.chain.len(), Load::ZERO);
        contacts.add_loads(&mut iterate.loads);
    }
}

/// Impacts: where the strand has come upon an obstacle, the speed of approach is turned round by the
/// coefficient of restitution, and friction with the same cone acts on the slip. Returns whether there
/// was one; the step before is then no history for the next.
pub(crate) fn bounce(
    scene: &Scene<'_>,
    strand: &mut StrandState,
    properties: &Properties,
    frame: &Frame,
    bdf: Bdf,
    t: f64,
    work: &mut Workspace,
) -> bool {
    if !impact_rows(scene, strand, properties, frame, bdf, work) {
        return false;
    }
    find_speeds(scene, strand, frame, bdf, t, work);
    let Workspace {
        iterate,
        response,
        bodies,
        springs,
        ..
    } = work;
    let equations = problem(scene, bdf, bodies, springs);
    iterate.factor_for_impact(&equations);
    response.strike(&mut iterate.factor, &iterate.links, scene.options.method());
    for j in 0..scene.chain.len() {
        strand.rate[j] += iterate.links[j].axes.transpose() * iterate.factor.joint_turn(j);
    }
    true
}

/// Rows of all contacts that push, as an impact wants them: each is off by its `gap` [m/s] but for the
/// strand's own speed. Returns whether anything came fast enough for an impact.
pub(crate) fn impact_rows(
    scene: &Scene<'_>,
    strand: &StrandState,
    properties: &Properties,
    frame: &Frame,
    bdf: Bdf,
    work: &mut Workspace,
) -> bool {
    let Workspace {
        contacts,
        swept,
        iterate,
        response,
        ..
    } = work;
    response.rows.clear();
    let mut fast = false;
    for touch in contacts.touching() {
        let Touch {
            obstacle,
            spot,
            axes,
            friction,
        } = touch;
        // the step is history by now
        let v = speed_before(strand, properties, spot, 1);
        let carried = carried_along(&swept[obstacle], frame, spot.place(&iterate.links), bdf.h);
        let approach = axes[0].dot(v - carried);
        fast |= approach < -IMPACT;
        let restitution = scene.model.obstacles[obstacle].restitution;
        let bounce = restitution * properties.links[spot.link].restitution_weight;
        let normal = response.rows.len();
        for (k, direction) in axes.into_iter().enumerate() {
            // the row wants n·(v − carried) = bounce · approach, so it is off by the rest; along the
            // surface friction wants no slip
            let wanted = if k == 0 {
                bounce * approach.min(0.0)
            } else {
                0.0
            };
            response.rows.push(Row {
                handle: Handle::Points(spot, None),
                direction,
                gap: wanted - direction.dot(carried),
                force: 0.0,
                bound: if k == 0 {
                    Bound::Unilateral
                } else {
                    Bound::Disc { normal, friction }
                },
                surface: None,
                group: usize::MAX,
            });
        }
    }
    fast
}

/// Whether something comes upon an obstacle in this step, which is not yet accepted.
pub(crate) fn strikes(
    strand: &StrandState,
    properties: &Properties,
    frame: &Frame,
    bdf: Bdf,
    work: &Workspace,
) -> bool {
    work.contacts.touching().any(|touch| {
        let place = touch.spot.place(&work.iterate.links);
        let v = speed_before(strand, properties, touch.spot, 0);
        let carried = carried_along(&work.swept[touch.obstacle], frame, place, bdf.h);
        touch.axes[0].dot(v - carried) < -IMPACT
    })
}

/// Velocity of a spot at the start of the step, which is history number `past`.
pub(crate) fn speed_before(
    strand: &StrandState,
    properties: &Properties,
    spot: Spot,
    past: usize,
) -> Vec3 {
    let history = &strand.history[spot.link];
    let from_centre = Vec3::Y * (spot.at.y - properties.links[spot.link].half);
    history.velocity[past] + history.axes_rate[past] * from_centre
}

/// Velocity of the obstacle's own point at `place`, felt world.
pub(crate) fn carried_along(motion: &Swept, frame: &Frame, place: Vec3, h: f64) -> Vec3 {
    let at = motion.to.local_point(frame.world(place));
    frame.felt(motion.to.point(at) - motion.from.point(at)) / h
}

/// Rates of the joints over this step alone, as history would remember the approach; how every link
/// moves then goes into `moving`, and the speeds of the rows into their gaps.
pub(crate) fn find_speeds(
    scene: &Scene<'_>,
    strand: &mut StrandState,
    frame: &Frame,
    bdf: Bdf,
    t: f64,
    work: &mut Workspace,
) {
    for (rate, past) in strand.rate.iter_mut().zip(&strand.history) {
        *rate = past.turn / bdf.h;
    }
    let felt = scene.chain.base.felt_motion(t).0;
    let base = (
        frame.pose.direction(felt.angular),
        frame.pose.direction(felt.linear),
    );
    let Workspace {
        iterate,
        response,
        moving,
        ..
    } = work;
    velocities(
        scene.chain,
        &iterate.links,
        &strand.rate,
        &strand.stretch_rate,
        base,
        moving,
    );
    for row in &mut response.rows {
        let Handle::Points(spot, _) = row.handle else {
            continue;
        };
        let (spin, velocity) = moving[spot.link];
        row.gap += row
            .direction
            .dot(velocity + spin.cross(spot.lever(&iterate.links)));
    }
}

/// Speed of approach from which a contact counts as an impact [m/s].
pub(crate) const IMPACT: f64 = 0.1;
