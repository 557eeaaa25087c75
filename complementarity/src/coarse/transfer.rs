//! Transfer between the levels: restriction of the residual to the interfaces, prolongation of the
//! correction to the contacts.

use drystone_base::lanes::{Kernel, Lanes, Real, Wide8};

use super::{CLOSING, CoarseBlock, Interface, Residual, STICKING, Vector6};
use crate::blocks::{Block, NONE, V3};
use crate::motion8::{Frame8, Motion8, largest, onto_disc, sum};

pub(super) struct Restrict<'a, T> {
    pub(super) blocks: &'a [Block<T>],
    pub(super) coarse: &'a mut [CoarseBlock<T>],
    pub(super) velocity: &'a [Wide8<T>],
    pub(super) right: &'a mut [Vector6],
    /// Per interface: rows that changed between active and passive, added up.
    pub(super) changed: &'a mut [f64],
    pub(super) enough: f64,
}

impl<T: Real> Kernel<T> for Restrict<'_, T> {
    type Output = Residual;
    /// Finds the active rows and their residual, sums it over each interface (`Pᵀ w`), and counts the
    /// rows that changed between active and passive.
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) -> Residual {
        let (zero, one) = (L::splat(0.0), L::splat(1.0));
        let sticking = L::splat(STICKING * STICKING);
        let (mut approach, mut velocity, mut slides) = (zero, zero, zero);
        let enough = L::splat(self.enough);
        let (mut closing_count, mut pressed_count, mut energy) = (zero, zero, zero);
        for (block, coarse) in self.blocks.iter().zip(self.coarse) {
            let a = Motion8::<L>::gather(self.velocity, &block.body[0]);
            let b = Motion8::<L>::gather(self.velocity, &block.body[1]);
            let frame = Frame8::<L>::load(block);
            let friction = L::load(&block.friction);
            let per_calm_speed = L::load(&block.per_calm_speed);
            let per_length = L::load(&coarse.per_length);
            let (offset, sign) = (V3::<L>::load(&coarse.offset), L::load(&coarse.sign));
            let there = sign * sign;
            let (mut force, mut moment) = (V3::zero(), V3::zero());
            let (mut closing_here, mut changed) = (zero, zero);
            for k in 0..block.points as usize {
                let point = &block.point[k];
                let (ra, rb) = (V3::load(&point.ra), V3::load(&point.rb));
                let relative = b.at(rb).minus(a.at(ra));
                let short = L::load(&point.target) - frame.n.dot(relative);
                let over = short * per_calm_speed;
                approach = approach.larger(over);
                let (y1, y2) = (frame.t1.dot(relative), frame.t2.dot(relative));

                // active: pressed, or about to be; sticking: well inside the cone
                let (ln, l1, l2) = (
                    L::load(&point.impulse[0]),
                    L::load(&point.impulse[1]),
                    L::load(&point.impulse[2]),
                );
                let pressed = ln.if_above(zero, one, zero);
                let about = (over + L::splat(CLOSING)).if_above(zero, one, pressed);
                let about = L::load(&point.mass_n).if_above(zero, about, zero);
                closing_here = closing_here.larger(over * about);
                closing_count = closing_count + over.if_above(enough, about, zero);
                pressed_count = pressed_count + about;
                let bound = friction * ln;
                let limit = bound * bound * sticking;
                let square = l1 * l1 + l2 * l2;
                let inside = limit.if_above(square, about, zero);
                let sliding = (square + limit).if_above(zero, about - inside, zero);
                let slip =
                    (y1 * y1 + y2 * y2) * (inside + sliding) * per_calm_speed * per_calm_speed;
                velocity = velocity.larger(over * over * about).larger(slip);
                slides = slides.larger(sliding);

                energy = energy
                    + about * short * short * L::load(&point.mass_n)
                    + inside * (y1 * y1 + y2 * y2) * L::load(&point.mass_t);

                let (normal, stick) = (about * there, inside * there);
                let rho = offset.plus(ra.times(per_length));
                let residual = frame.vector(-(normal * short), stick * y1, stick * y2);
                force = force.plus(residual);
                moment = moment.plus(rho.cross(residual));

                let kept = &mut coarse.point[k];
                let flip = normal - L::load(&kept.normal);
                let slip = stick - L::load(&kept.stick);
                changed = changed + flip * flip + slip * slip;
                normal.store(&mut kept.normal);
                stick.store(&mut kept.stick);
                (-short).store(&mut kept.residual[0]);
                y1.store(&mut kept.residual[1]);
                y2.store(&mut kept.residual[2]);
            }
            closing_here.store(&mut coarse.approach);
            let mut lanes = [Wide8::<T>::default(); 7];
            changed.store(&mut lanes[6]);
            (force.0 * sign).store(&mut lanes[0]);
            (force.1 * sign).store(&mut lanes[1]);
            (force.2 * sign).store(&mut lanes[2]);
            (moment.0 * sign).store(&mut lanes[3]);
            (moment.1 * sign).store(&mut lanes[4]);
            (moment.2 * sign).store(&mut lanes[5]);
            for lane in 0..8 {
                if coarse.interface[lane] != NONE {
                    let interface = coarse.interface[lane] as usize;
                    let right = &mut self.right[interface];
                    for row in 0..6 {
                        right[row] += lanes[row].0[lane].f64();
                    }
                    self.changed[interface] += lanes[6].0[lane].f64();
                }
            }
        }
        Residual {
            approach: largest(approach),
            share: sum(closing_count) / sum(pressed_count).max(1.0),
            velocity: largest(velocity).sqrt(),
            slides: largest(slides) > 0.0,
            energy: sum(energy),
        }
    }
}

pub(super) struct Prolong<'a, T> {
    pub(super) blocks: &'a [Block<T>],
    pub(super) coarse: &'a mut [CoarseBlock<T>],
    pub(super) solution: &'a [Vector6],
    pub(super) interfaces: &'a [Interface],
    pub(super) correction: &'a mut [Wide8<T>],
    pub(super) slope: &'a mut [f64],
}

impl<T: Real> Kernel<T> for Prolong<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) {
        let zero = L::splat(0.0);
        for (block, coarse) in self.blocks.iter().zip(self.coarse) {
            // the fields of each lane's interface
            let mut field = [Wide8::<T>::default(); 6];
            for lane in 0..8 {
                if coarse.interface[lane] != NONE {
                    let x = &self.solution[coarse.interface[lane] as usize];
                    for (to, &x) in field.iter_mut().zip(x) {
                        to.0[lane] = T::of(x);
                    }
                }
            }
            let sign = L::load(&coarse.sign);
            let constant = V3::<L>::load(&[field[0], field[1], field[2]]).times(sign);
            let linear = V3::<L>::load(&[field[3], field[4], field[5]]).times(sign);
            let per_length = L::load(&coarse.per_length);
            let offset = V3::<L>::load(&coarse.offset);
            let frame = Frame8::<L>::load(block);
            let friction = L::load(&block.friction);
            let mut a = Motion8::<L>::gather(self.correction, &block.body[0]);
            let mut b = Motion8::<L>::gather(self.correction, &block.body[1]);
            let mut slope = zero;
            for k in 0..block.points as usize {
                let point = &block.point[k];
                let kept = &mut coarse.point[k];
                let (ra, rb) = (V3::load(&point.ra), V3::load(&point.rb));
                let rho = offset.plus(ra.times(per_length));
                let impulse = constant.plus(linear.cross(rho));
                let (normal, stick) = (L::load(&kept.normal), L::load(&kept.stick));
                let (ln, l1, l2) = (
                    L::load(&point.impulse[0]),
                    L::load(&point.impulse[1]),
                    L::load(&point.impulse[2]),
                );
                let new_n = zero.larger(ln + normal * frame.n.dot(impulse));
                let (new_1, new_2) = onto_disc(
                    l1 + stick * frame.t1.dot(impulse),
                    l2 + stick * frame.t2.dot(impulse),
                    friction * new_n,
                );
                // contacts without an interface stay as they are
                let there = sign * sign;
                let (dn, d1, d2) = (
                    (new_n - ln) * there,
                    (new_1 - l1) * there,
                    (new_2 - l2) * there,
                );
                slope = slope
                    + dn * L::load(&kept.residual[0])
                    + d1 * L::load(&kept.residual[1])
                    + d2 * L::load(&kept.residual[2]);
                let p = frame.vector(dn, d1, d2);
                a.linear = a.linear.minus(p);
                a.angular = a.angular.minus(ra.cross(p));
                b.linear = b.linear.plus(p);
                b.angular = b.angular.plus(rb.cross(p));
                dn.store(&mut kept.change[0]);
                d1.store(&mut kept.change[1]);
                d2.store(&mut kept.change[2]);
            }
            a.scatter(self.correction, &block.body[0]);
            b.scatter(self.correction, &block.body[1]);
            let mut lanes = Wide8::<T>::default();
            slope.store(&mut lanes);
            for lane in 0..8 {
                if coarse.interface[lane] != NONE {
                    let island = self.interfaces[coarse.interface[lane] as usize].island;
                    self.slope[island as usize] += lanes.0[lane].f64();
                }
            }
        }
    }
}

pub(super) struct Apply<'a, T> {
    pub(super) blocks: &'a mut [Block<T>],
    pub(super) coarse: &'a [CoarseBlock<T>],
    pub(super) interfaces: &'a [Interface],
    pub(super) step: &'a [f64],
}

impl<T: Real> Kernel<T> for Apply<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) {
        for (block, coarse) in self.blocks.iter_mut().zip(self.coarse) {
            let mut share = Wide8::<T>::default();
            for lane in 0..8 {
                if coarse.interface[lane] != NONE {
                    let island = self.interfaces[coarse.interface[lane] as usize].island;
                    share.0[lane] = T::of(self.step[island as usize]);
                }
            }
            let share = L::load(&share);
            for k in 0..block.points as usize {
                for row in 0..3 {
                    let change = L::load(&coarse.point[k].change[row]);
                    let new = L::load(&block.point[k].impulse[row]) + share * change;
                    new.store(&mut block.point[k].impulse[row]);
                }
            }
        }
    }
}
