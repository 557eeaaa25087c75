//! Equilibrium: where a strand comes to rest under gravity, fields and pose springs, at one time.

use std::slice::from_mut;

use drystone_base::Vec3;

use crate::System;
use crate::base::BaseFrame;
use crate::implicit::Bdf;
use crate::step::{Member, Step, StepInput};

/// Longest step towards equilibrium \[s\]: far beyond the slowest swing of any strand.
const LONGEST: f64 = 10.0;

impl System {
    /// Brings every strand to rest with its base where it is, by first-order steps from standstill
    /// that grow to ten seconds: each lowers the energy. Returns the largest turn of a joint in
    /// the last step \[rad\]; beyond 1e-6 an equilibrium was not found.
    pub fn settle(&mut self) -> f64 {
        self.workspaces
            .resize_with(self.workspaces.len().max(1), Default::default);
        let Self {
            model,
            state,
            options,
            properties,
            workspaces,
            ..
        } = self;
        let (t, work) = (state.time, &mut workspaces[0]);
        let mut worst = 0.0f64;
        for (i, strand) in state.strands.iter_mut().enumerate() {
            let chain = &model.chains[i];
            // the strand alone, on a base at rest
            let members = [Member::alone(i, chain)];
            let input = StepInput {
                settling: true,
                ..StepInput::new(model, options, &members, &[])
            };
            strand.base = chain.base.path.pose(t);
            work.frames.clear();
            work.frames.push(BaseFrame::plain(strand.base));
            let own = from_mut(&mut properties[i]);
            let mut step = Step::new(&input, from_mut(strand), own, work, t);
            let (mut h, mut moved) = (0.05, f64::INFINITY);
            for _ in 0..200 {
                step.strands[0].come_to_rest(chain);
                step.bdf = Bdf::first(h);
                step.extrapolate();
                step.gather_forces();
                // inertia only measures how far a step goes here: a thin link is made to turn about
                // its length as slowly as about others, so that a free twist is not left to rounding
                for body in &mut step.work.link_steps {
                    let least = 0.1 * body.second_moments.y;
                    body.second_moments = body.second_moments.max(Vec3::splat(least));
                }
                step.set_constraints();
                if !step.solve_step(options.iterations).converged {
                    h *= 0.25;
                    continue;
                }
                step.accept_joints(0);
                let turns = step.strands[0]
                    .history
                    .iter()
                    .map(|past| past.turn.length());
                moved = turns.fold(0.0, f64::max);
                if moved < 1e-11 && h >= LONGEST {
                    break;
                }
                h = (3.0 * h).min(LONGEST);
            }
            strand.rate.fill(Vec3::ZERO);
            strand.stretch_rate.fill(0.0);
            strand.restart(chain, t);
            worst = worst.max(moved);
        }
        for work in workspaces {
            work.tally = Default::default();
        }
        worst
    }
}
