//! Direct solver for islands that sweeps do not solve: augmented Lagrangian and semismooth
//! Newton in the velocities, in double precision.
//!
//! Impulses enter as multipliers `λ` of the rows `u = J v` of each point. For given `λ` the
//! velocities minimise the convex function
//!
//! `½ (v − v_free)ᵀ M (v − v_free) + Σ |p|² / 2ρ`,
//! `p = K_μ of (λ − ρ (u + (μ |u_t| − target) n))`
//!
//! where `K_μ` of a vector is the nearest point of the friction cone (Alart 1991 with the change
//! of variable of De Saxce 1998). The lift `μ |u_t|` takes the normal motion back that a cone
//! couples to slip; it lags behind by one iteration, so that the problem stays convex. Where
//! contacts stick it is zero, and nothing lags. (Tried and lost: Tresca's friction, discs whose
//! radius lags. Under a heavy load many radii start from nothing or from what slow sweeps left,
//! and 100 factorisations did not solve what the cone solves in 50.)
//!
//! Newton's matrix `M + ρ Jᵀ D J`, with `D` the derivative of the projection, is symmetric and
//! positive definite; `cholesky` factors it, and a line search along the exact derivative makes
//! every iteration descend. Then `λ ← p`, and again with a larger `ρ` until the natural residual
//! in units of velocity is below a tolerance. The solution is that of the sweeps: `u_n ≥ target`
//! complementary to `λ_n`, friction on the disc of radius `μ λ_n` against the slip.
//!
//! Mass ratios do not matter, because `ρ` is scaled by the mass of the island; nor do redundant
//! points, because impulses are no unknowns of the linear system.

mod assembly;
mod island;
mod line_search;
mod point;
mod search;
mod six;
mod transfer;

use drystone_base::lanes::Real;

use crate::block_cholesky::Cholesky;
use crate::blocks::{Blocks, NONE};
use island::Island;
use six::Six;

/// Limits on the work of a call of [`Newton::solve`].
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Factorisations for one island.
    pub factorisations: u32,
    /// Floating-point operations of one factorisation; islands that need more are left alone.
    pub flops: f64,
    /// Limit on the work of all factorisations for one island.
    pub work: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            factorisations: 300,
            flops: 5e7,
            work: 2e9,
        }
    }
}

/// Statistics of a call of [`Newton::solve`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Islands above the tolerance.
    pub islands: u32,
    /// Islands that were too large to be factored.
    pub too_large: u32,
    /// Updates of the multipliers, over all islands.
    pub iterations: u32,
    /// Newton iterations, over all islands.
    pub factorisations: u32,
    /// Natural residual of the worst contact before \[m/s\].
    pub before: f64,
    /// Residual after the call \[m/s\].
    pub residual: f64,
    /// Whether no contact is above the tolerance.
    pub solved: bool,
}

/// The solver with its memory; keep it to solve the same or similar problems without allocation.
#[derive(Clone, Debug, Default)]
pub struct Newton {
    // per slot of the problem
    free: Vec<Six>,
    velocity: Vec<Six>,
    parent: Vec<u32>,
    worst: Vec<f64>,
    local: Vec<u32>,
    /// (island, slot) and (island, block * 8 + lane) of what is to be solved.
    members: Vec<(u32, u32)>,
    patches: Vec<(u32, u32)>,
    /// One factor for each island solved in a call.
    factors: Vec<Cholesky>,
    island: Island,
}

impl Newton {
    /// Solves the islands of `problem` in which a contact is further than `tolerance` \[m/s\] from
    /// its solution, starting from the impulses and velocities that are there. An island is left
    /// as it is where its factor would be too large or nothing better is found.
    pub fn solve<T: Real>(
        &mut self,
        problem: &mut Blocks<T>,
        tolerance: f64,
        limits: &Limits,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        self.take_velocities(problem);
        self.find_islands(problem, tolerance, &mut outcome);
        outcome.residual = outcome.before;
        if self.members.is_empty() {
            outcome.solved = outcome.before <= tolerance;
            return outcome;
        }

        outcome.residual = self.rest(tolerance);
        let (mut member, mut patch, mut ordinal) = (0, 0, 0);
        while member < self.members.len() {
            let island = self.members[member].0;
            let members = run(&self.members, member);
            let patches = run(&self.patches, patch);
            (member, patch) = (members.end, patches.end);
            self.gather(problem, members, patches);
            if !self.island.is_finite() {
                outcome.islands += 1;
                outcome.residual = outcome.residual.max(self.worst[island as usize]);
                continue;
            }
            if self.factors.len() == ordinal {
                self.factors.push(Cholesky::default());
            }
            let before = self.worst[island as usize];
            let after = self.island.solve(
                &mut self.factors[ordinal],
                before,
                tolerance,
                limits,
                &mut outcome,
            );
            if after < before {
                self.write_back(problem);
            }
            outcome.islands += 1;
            outcome.residual = outcome.residual.max(after);
            ordinal += 1;
        }
        outcome.solved = outcome.residual <= tolerance;
        outcome
    }
}

/// Whether somewhere a body presses on one of less than its mass over `ratio`, with an impulse
/// that alone would give the lighter one more than `speed` \[m/s\].
pub fn bears_heavy_load<T: Real>(problem: &Blocks<T>, ratio: f64, speed: f64) -> bool {
    problem.blocks.iter().any(|block| {
        (0..8)
            .filter(|&lane| block.patch[lane] != NONE)
            .any(|lane| {
                let [a, b] = [0, 1].map(|side| block.inverse_mass[side].0[lane].f64());
                if a.max(b) < ratio * a.min(b) || a.min(b) == 0.0 {
                    return false;
                }
                let points = &block.point[..block.points as usize];
                let pressed: f64 = points.iter().map(|p| p.impulse[0].0[lane].f64()).sum();
                pressed * a.max(b) > speed
            })
    })
}

/// The entries from `first` on that belong to the island of that one.
fn run(list: &[(u32, u32)], first: usize) -> std::ops::Range<usize> {
    let Some(&(island, _)) = list.get(first) else {
        return first..first;
    };
    let count = list[first..].iter().take_while(|x| x.0 == island).count();
    first..first + count
}
