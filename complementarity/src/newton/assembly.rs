//! Newton's matrix of an island.

use drystone_base::lanes::{Kernel, Lanes, dispatch};

use super::island::Island;
use super::point::{Motion, Point};
use super::six::Six;
use crate::block_cholesky::{Block6, Cholesky};
use crate::blocks::NONE;

impl Island {
    /// Assembles Newton's matrix `M + ρ Jᵀ D J` from the rows that press, stick or slide.
    pub(super) fn assemble(&self, factor: &mut Cholesky) {
        factor.clear();
        for (k, body) in self.bodies.iter().enumerate() {
            let block = factor.own(k);
            let i = &body.inertia;
            for (axis, column) in block.iter_mut().enumerate().take(3) {
                column.0[axis] = body.mass;
            }
            for (column, entries) in block[3..].iter_mut().zip([
                [i.xx, i.xy, i.xz],
                [i.xy, i.yy, i.yz],
                [i.xz, i.yz, i.zz],
            ]) {
                column.0[3..6].copy_from_slice(&entries);
            }
        }
        let (place, diagonal, below) = factor.parts();
        dispatch(Assemble {
            points: &self.points,
            stiffness: self.stiffness,
            place,
            diagonal,
            below,
        });
    }
}

/// Adds the contacts to Newton's matrix.
struct Assemble<'a> {
    points: &'a [Point],
    stiffness: f64,
    place: &'a [u32],
    diagonal: &'a mut [Block6],
    below: &'a mut [Block6],
}

/// `block ← block + weight x yᵀ`
#[inline(always)]
fn add_outer<L: Lanes<Real = f64>>(block: &mut Block6, x: &Six, y: &Six, weight: f64) {
    let x = L::load(x);
    for c in 0..6 {
        let column = L::load(&block[c]).plus_product(x, L::splat(weight * y.0[c]));
        column.store(&mut block[c]);
    }
}

impl Kernel<f64> for Assemble<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes<Real = f64>>(self) {
        for point in self.points {
            // normal and both tangents; or one row along the cone and one across the slip
            let mut rows = point.rows;
            let mut weight = [self.stiffness; 3];
            match point.projected(&point.u, self.stiffness).1 {
                Motion::Sticks => {}
                Motion::Opens => continue,
                Motion::Slides { slip, share } => {
                    let mu = point.friction;
                    weight = [1.0 / (1.0 + mu * mu), share, 0.0].map(|w| w * self.stiffness);
                    for rows in &mut rows {
                        for i in 0..6 {
                            let (t1, t2) = (rows[1].0[i], rows[2].0[i]);
                            rows[0].0[i] += mu * (slip[0] * t1 + slip[1] * t2);
                            rows[1].0[i] = slip[0] * t2 - slip[1] * t1;
                        }
                    }
                }
            }
            for row in 0..3 {
                if weight[row] == 0.0 {
                    continue;
                }
                let x = [&rows[0][row], &rows[1][row]];
                for side in 0..2 {
                    if point.body[side] != NONE {
                        let to = self.place[point.body[side] as usize] as usize;
                        add_outer::<L>(&mut self.diagonal[to], x[side], x[side], weight[row]);
                    }
                }
                if let Some(place) = point.place {
                    let (r, c) = if place.first_is_row { (0, 1) } else { (1, 0) };
                    let block = &mut self.below[place.block as usize];
                    add_outer::<L>(block, x[r], x[c], weight[row]);
                }
            }
        }
    }
}
