//! Block Gauss-Seidel with Coulomb's law solved exactly at each contact, the others held: a 3x3
//! problem.

use crate::kernel::onto_disc;
use crate::matrix::Block;
use crate::operator::{Iterate, Operator};
use crate::ordering::{Grain, Visit};
use crate::solvers::run::Run;
use crate::solvers::sweeper::{self, sweep_on};
use crate::solvers::{SolveError, Solver};

struct Kernel;

impl sweeper::Kernel for Kernel {
    const GRAIN: Grain = Grain::Contact;

    #[inline]
    fn visit<O: Operator>(&self, operator: &O, visit: Visit, iterate: &mut Iterate) {
        operator.update(visit.contact as usize, iterate, |at| {
            let (block, old) = (&at.block, at.impulse);
            if block[0][0] <= 0.0 {
                return old; // neither body can move
            }
            let free = std::array::from_fn(|i| {
                at.velocity[i] - block[i][0] * old[0] - block[i][1] * old[1] - block[i][2] * old[2]
            });
            coulomb(block, free, at.friction, old)
        });
    }
}

pub(crate) fn solve<O: Operator>(run: &mut Run<'_, O>) -> Result<(), SolveError> {
    if run.ordering.splits_contacts() {
        return Err(SolveError::NeedsWholeContacts {
            solver: Solver::Local,
            ordering: run.ordering,
        });
    }
    sweep_on(run, Kernel)
}

/// The impulse at one contact whose velocity is `w = W λ + free`: none if it opens, else the
/// sticking one if the cone holds it, else one on the cone against the sliding that it leaves.
fn coulomb(block: &Block, free: [f64; 3], friction: f64, guess: [f64; 3]) -> [f64; 3] {
    if free[0] >= 0.0 {
        return [0.0; 3];
    }
    if friction <= 0.0 {
        return [-free[0] / block[0][0], 0.0, 0.0];
    }
    if let Some(stick) = solve_3(block, [-free[0], -free[1], -free[2]])
        && stick[0] >= 0.0
        && stick[1] * stick[1] + stick[2] * stick[2] <= (friction * stick[0]).powi(2)
    {
        return stick;
    }
    slide(block, free, friction, guess).unwrap_or_else(|| {
        // no sliding direction is consistent: one step of the projected kind
        let normal = -free[0] / block[0][0];
        let stiffness = block[1][1] + block[2][2];
        let step = |i: usize| -(free[i] + block[i][0] * normal) / stiffness;
        let (t1, t2) = onto_disc(step(1), step(2), friction * normal);
        [normal, t1, t2]
    })
}

/// Twelve directions all around.
const AROUND: [[f64; 2]; 12] = {
    const C: f64 = 0.866_025_403_784_438_6;
    [
        [1.0, 0.0],
        [C, 0.5],
        [0.5, C],
        [0.0, 1.0],
        [-0.5, C],
        [-C, 0.5],
        [-1.0, 0.0],
        [-C, -0.5],
        [-0.5, -C],
        [0.0, -1.0],
        [0.5, -C],
        [C, -0.5],
    ]
};

/// Friction `μ λ_n d` with `w_n = 0` and `w_t` against `d`: a root of `d × w_t` on the circle,
/// the one nearest to the guess.
fn slide(block: &Block, free: [f64; 3], friction: f64, guess: [f64; 3]) -> Option<[f64; 3]> {
    let at = |d: [f64; 2]| {
        let give = block[0][0] + friction * (block[0][1] * d[0] + block[0][2] * d[1]);
        let normal = -free[0] / give;
        let t = |i: usize| block[i][1] * d[0] + block[i][2] * d[1];
        let w = [1, 2].map(|i| free[i] + normal * (block[i][0] + friction * t(i)));
        // times the give, which keeps it finite through a change of its sign
        let turn = (d[0] * w[1] - d[1] * w[0]) * give;
        (give, normal, turn, d[0] * w[0] + d[1] * w[1])
    };
    let values = AROUND.map(at);
    let mut best: Option<(f64, [f64; 3])> = None;
    for (k, start) in AROUND.iter().enumerate() {
        let next = (k + 1) % 12;
        let (mut low, mut high) = ((*start, values[k].2), (AROUND[next], values[next].2));
        if low.1 * high.1 > 0.0 || values[k].0 <= 0.0 || values[next].0 <= 0.0 {
            continue;
        }
        // false position, halving the weight of an end that stays (Illinois)
        let mut d = *start;
        for _ in 0..60 {
            let sum = high.1 - low.1;
            let share = if sum == 0.0 { 0.5 } else { high.1 / sum };
            let blend = [0, 1].map(|i| share * low.0[i] + (1.0 - share) * high.0[i]);
            let length = (blend[0] * blend[0] + blend[1] * blend[1]).sqrt();
            d = [blend[0] / length, blend[1] / length];
            let turn = at(d).2;
            if turn == 0.0 || (low.0[0] - high.0[0]).abs() + (low.0[1] - high.0[1]).abs() < 1e-15 {
                break;
            }
            if turn * high.1 < 0.0 {
                low = high;
            } else {
                low.1 *= 0.5;
            }
            high = (d, turn);
        }
        let (give, normal, _, along) = at(d);
        if give > 0.0 && along <= 0.0 {
            let near = d[0] * guess[1] + d[1] * guess[2];
            if best.is_none_or(|(nearest, _)| near > nearest) {
                let t = friction * normal;
                best = Some((near, [normal, t * d[0], t * d[1]]));
            }
        }
    }
    best.map(|(_, impulse)| impulse)
}

/// Cramer's rule; none where the block is singular.
fn solve_3(m: &Block, right: [f64; 3]) -> Option<[f64; 3]> {
    let minor = |r: usize, c: usize| {
        let (r1, r2, c1, c2) = ((r + 1) % 3, (r + 2) % 3, (c + 1) % 3, (c + 2) % 3);
        m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1]
    };
    let determinant = m[0][0] * minor(0, 0) + m[0][1] * minor(0, 1) + m[0][2] * minor(0, 2);
    if determinant.abs() <= 1e-14 * m[0][0] * m[1][1] * m[2][2] {
        return None;
    }
    let x = [0, 1, 2].map(|c| (0..3).map(|r| minor(r, c) * right[r]).sum::<f64>() / determinant);
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_base::random::Random;

    /// A random positive block, free velocity and friction; the law's conditions checked one by one.
    #[test]
    fn the_local_answer_obeys_coulomb() {
        let mut random = Random::new(3);
        let (mut sticking, mut sliding) = (0, 0);
        for _ in 0..2000 {
            let rows: [[f64; 3]; 3] =
                std::array::from_fn(|_| std::array::from_fn(|_| random.range(-1.0, 1.0)));
            let mut block = [[0.0; 3]; 3];
            for i in 0..3 {
                for j in 0..3 {
                    block[i][j] = (0..3).map(|k| rows[i][k] * rows[j][k]).sum::<f64>();
                }
                block[i][i] += 0.5;
            }
            let free: [f64; 3] = std::array::from_fn(|_| random.range(-1.0, 1.0));
            let friction = random.range(0.0, 0.8);
            let r = coulomb(&block, free, friction, [0.0; 3]);
            let w: [f64; 3] =
                std::array::from_fn(|i| free[i] + (0..3).map(|j| block[i][j] * r[j]).sum::<f64>());
            let (t, most) = ((r[1] * r[1] + r[2] * r[2]).sqrt(), friction * r[0]);
            let speed = (w[1] * w[1] + w[2] * w[2]).sqrt();
            assert!(r[0] >= 0.0 && w[0] > -1e-12 && (r[0] * w[0]).abs() < 1e-12);
            assert!(t <= most + 1e-12);
            if r[0] > 0.0 && speed > 1e-9 {
                // sliding: friction is full and against it
                let along = r[1] * w[1] + r[2] * w[2];
                assert!(
                    (along + most * speed).abs() < 1e-10,
                    "{along}, {most} {speed}"
                ); // measured: 1e-14
                sliding += 1;
            } else if r[0] > 0.0 {
                sticking += 1;
            }
        }
        assert!(sticking > 50 && sliding > 500, "{sticking}, {sliding}");
    }
}
