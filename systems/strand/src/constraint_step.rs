//! Constraints within a step (Hadap 2006, §4): their targets are set before Newton starts, their multipliers
//! found while it runs, and kept when the step is accepted.

use drystone_base::Vec3;

use crate::chain::BASE;
use crate::constraint::{StepConstraint, step_constraints};
use crate::factor::Kind;
use crate::implicit::{Load, Problem};
use crate::newton::{Iterate, Solved};
use crate::penalty::Penalty;
use crate::response::RowJacobian;
use crate::state::{Multipliers, StrandState};
use crate::step::{Step, Workspace};

impl Step<'_> {
    /// Equations of all active constraints for the end of the step, warm-started with the multipliers of the
    /// last step.
    pub(crate) fn set_constraints(&mut self) {
        let Workspace {
            bilateral,
            response,
            iterate,
            penalties,
            returning,
            ..
        } = &mut *self.work;
        bilateral.clear();
        returning.clear();
        penalties.clear();
        iterate.loads.clear();
        response.rows.clear();
        response.start.clear();
        for k in 0..self.input.members.len() {
            self.set_member_constraints(k);
        }
        self.set_joins();
        let Workspace {
            bilateral,
            response,
            iterate,
            ..
        } = &mut *self.work;
        if bilateral.is_empty() {
            return;
        }
        response.measure(bilateral, &iterate.links, &iterate.rotation);
        for (row, force) in response.rows.iter_mut().zip(&response.start) {
            row.force = *force;
        }
        iterate.loads.resize(self.input.chain.len(), Load::ZERO);
        response.apply(&iterate.links, &mut iterate.loads);
    }

    /// The same for the constraints of member `k` alone. One on a single link becomes a penalty, ten thousand
    /// times as stiff as the strand there, measured with the strand's own factor; one between two links of it
    /// becomes bilateral rows.
    fn set_member_constraints(&mut self, k: usize) {
        // the equations of this member alone, for the compliance of penalties
        let (member, t, h) = (&self.input.members[k], self.t, self.bdf.h);
        let (model, strand, range) = (self.input.model, &self.strands[k], member.range());
        let Workspace {
            frames,
            start,
            scratch,
            iterate,
            penalties,
            link_steps,
            returning,
            bilateral: list,
            response,
            ..
        } = &mut *self.work;
        let problem = Problem {
            chain: member.chain,
            law: &*model.law,
            bdf: self.bdf,
            link_steps: &link_steps[range.clone()],
            penalties: &[],
        };
        let Iterate {
            factor,
            rotation,
            stretch,
            links,
            ..
        } = iterate;
        let (links, rotation) = (&links[range.clone()], &rotation[range.clone()]);
        let stretch = stretch.get(range.clone()).unwrap_or(&[]);
        let mut factored = false;
        for &c in member.constraints {
            let constraint = &model.constraints[c];
            if constraint.active.at(t + h) <= 0.0 {
                continue;
            }
            // equations at the end of the step, from the error and its rate at the start
            scratch.clear();
            let kept = strand.multipliers.iter().find(|kept| kept.constraint == c);
            let mut velocity = kept.map(|kept| kept.returning);
            let links_t0 = &start[range.clone()];
            step_constraints(
                constraint,
                member.chain,
                strand,
                links_t0,
                &frames[k],
                (t, h),
                scratch,
                &mut velocity,
            );
            returning.push((c, velocity.unwrap_or(Vec3::ZERO)));
            for (g, equation) in scratch.iter().enumerate() {
                // between two links: bilateral rows
                let force = strand.force_of(c, 3 * g, member.chain.reach);
                let mut shifted = equation.shifted(member.first);
                if equation.joins_two() {
                    response.start.extend(force.to_array());
                    list.push((c, shifted));
                    continue;
                }
                // on one link: a penalty, by the compliance of the strand there
                if !factored {
                    let kind = Kind::Positive;
                    factor.eliminate(&problem, rotation, stretch, links, &[], &[], kind);
                    factored = true;
                }
                let compliance = response.compliance(equation, factor, links, rotation);
                // joints on a body turn in the frame of its link
                if let (StepConstraint::Joint { target, link, .. }, Some((_, at))) =
                    (&mut shifted, &member.mount)
                    && member.chain.parent[*link - member.first] == BASE
                {
                    *target = at.rotation * *target;
                }
                penalties.push(Penalty {
                    equation: shifted,
                    stiffness: 1e4 / compliance.max(f64::MIN_POSITIVE),
                    force,
                    constraint: c,
                });
            }
        }
    }

    /// Augmented Lagrangian: moves what the penalties still carry into their multipliers and solves again, until
    /// they carry next to nothing.
    pub(crate) fn hold_constraints(&mut self, mut solved: Solved, iterations: u32) -> Solved {
        for _ in 0..2 {
            let Workspace {
                penalties, iterate, ..
            } = &mut *self.work;
            if penalties.is_empty()
                || !solved.converged
                || !take_up(iterate, penalties, self.input.chain.reach)
            {
                break;
            }
            let again = self.solve_step(iterations);
            solved = Solved {
                converged: again.converged,
                iterations: solved.iterations + again.iterations,
            };
        }
        solved
    }

    /// Keeps the multipliers of all constraints, each with the strand it is on, for the next step and for the
    /// user. Leaves the rows of constraints in `response`, without those of contacts.
    pub(crate) fn remember_forces(&mut self) {
        for strand in self.strands.iter_mut() {
            strand.multipliers.clear();
        }
        let Workspace {
            bilateral,
            penalties,
            response,
            iterate,
            returning,
            ..
        } = &mut *self.work;
        response.measure(bilateral, &iterate.links, &iterate.rotation);
        if penalties.is_empty() && bilateral.is_empty() {
            return;
        }
        let (members, strands) = (self.input.members, &mut *self.strands);
        // rows of one constraint follow each other
        let mut row_of = 0;
        let mut keep = |c: usize, link: usize, force: &[f64], error: f64| {
            let owner = members.partition_point(|member| member.first <= link) - 1;
            let list = &mut strands[owner].multipliers;
            if list.last().is_none_or(|kept| kept.constraint != c) {
                let meant = returning.iter().find(|(of, _)| *of == c);
                list.push(Multipliers {
                    constraint: c,
                    force: [0.0; 6],
                    returning: meant.map_or(Vec3::ZERO, |(_, velocity)| *velocity),
                    error: 0.0,
                });
                row_of = 0;
            }
            let Some(kept) = list.last_mut() else { return };
            for f in force {
                kept.force[row_of.min(5)] = *f;
                row_of += 1;
            }
            kept.error = kept.error.max(error);
        };
        // penalties exert λ − k off, bilateral rows their multiplier
        for penalty in penalties.iter() {
            let j = penalty.link();
            let off = penalty.off(&iterate.links[j], iterate.rotation[j]);
            let given = -penalty.required(&iterate.links[j], iterate.rotation[j]);
            keep(penalty.constraint, j, &given.to_array(), off.length());
        }
        for row in &response.rows {
            let link = match row.jacobian {
                RowJacobian::Points(point, _) => point.link,
                RowJacobian::Turn(link, _) | RowJacobian::Joint(link) => link,
            };
            keep(bilateral[row.group].0, link, &[row.force], row.gap.abs());
        }
    }
}

impl StrandState {
    /// Multipliers of constraint `c` in the last step from row `first` on; zero where its error was large
    /// beside `reach` \[m\].
    pub(crate) fn force_of(&self, c: usize, first: usize, reach: f64) -> Vec3 {
        let kept = self.multipliers.iter().find(|kept| kept.constraint == c);
        let kept = kept.filter(|kept| kept.error < 1e-3 * reach);
        kept.map_or(Vec3::ZERO, |kept| Vec3::from_slice(&kept.force[first..]))
    }
}

/// Moves what the penalties carry into their multipliers, unless all errors are small beside `reach` \[m\];
/// returns whether it did.
fn take_up(iterate: &Iterate, penalties: &mut [Penalty], reach: f64) -> bool {
    let off = |penalty: &Penalty| {
        let j = penalty.link();
        penalty.off(&iterate.links[j], iterate.rotation[j])
    };
    let worst = penalties.iter().map(|penalty| off(penalty).length());
    if worst.fold(0.0, f64::max) < 1e-6 * reach.min(1.0) {
        return false;
    }
    for penalty in penalties {
        penalty.force -= off(penalty) * penalty.stiffness;
    }
    true
}
