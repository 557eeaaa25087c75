//! Equilibrium: where a strand comes to rest under gravity, fields and pose springs, at one time.

use drystone_base::{Pose, Vec3};

use crate::System;
use crate::base::Frame;
use crate::implicit::Bdf;
use crate::step::{Scene, accept, extrapolate, gather_forces, solve_step};

/// Longest step towards equilibrium [s]: far beyond the slowest swing of any strand.
const LONGEST: f64 = 10.0;

impl System {
    /// Brings every strand to rest with its base where it is, by first-order steps from standstill
    /// that grow to ten seconds: each lowers the energy. Returns the largest turn of a joint in
    /// the last step [rad]; beyond 1e-6 an equilibrium was not found.
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
            let scene = Scene {
                model,
                chain,
                options,
                pushes: &[],
                constraints: &[],
                joins: &[],
                swept: &[],
                settling: true,
            };
            let pose = chain.base.path.pose(t);
            let frame = Frame {
                pose,
                to_world: Pose::IDENTITY,
                plain: true,
            };
            strand.base = pose;
            let (mut h, mut moved) = (0.05, f64::INFINITY);
            for _ in 0..200 {
                strand.come_to_rest(chain);
                let bdf = Bdf::first(h);
                extrapolate(&scene, strand, &frame, bdf, work);
                gather_forces(&scene, strand, &mut properties[i], &frame, bdf, t, work);
                // inertia only measures how far a step goes here: a thin link is made to turn about
                // its length as slowly as about others, so that a free twist is not left to rounding
                for body in &mut work.bodies {
                    let least = 0.1 * body.second_moments.y;
                    body.second_moments = body.second_moments.max(Vec3::splat(least));
                }
                let solved = solve_step(&scene, &properties[i], &frame, bdf, t, work);
                if !solved.converged {
                    h *= 0.25;
                    continue;
                }
                accept(strand, &frame, bdf, work);
                let turns = strand.history.iter().map(|past| past.turn.length());
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
