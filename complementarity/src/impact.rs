//! Impacts of several contacts at once: rounds of generalised reflections (Smith 2012).
//!
//! In each round only the contacts that approach are solved, together and without bounce: the
//! impulses `λ` bring them to rest, on their friction cones. Then each gives back the share `e` of
//! its impulse (Poisson's law), `(1 + e) λ` in all. What now approaches elsewhere is the next round:
//! a blow passes through a row of touching balls from one to the next, and symmetric rows answer
//! symmetrically. Contacts that carry a load do not wait for their turn: they hold in every round,
//! without bounce, so that what stands on the ground is struck as a whole. (Without that a ball
//! between two dominoes spends its energy on them and the ground, and none falls.)
//!
//! With one `e` for all contacts a round never adds energy, with friction or without. Without it, or
//! where all stick, `λ·(u + Aλ) = 0`, and the change is `½ (1 + e)(e − 1) λ·Aλ`: zero at `e = 1`.
//! Sliding only takes more. (Newton's law in one solve of all contacts, the other option, keeps
//! neither energy nor the order in which a row passes a blow on.)

use drystone_base::lanes::{Dispatch, Kernel, Lanes, Real, Wide8, dispatch};

use crate::blocks::{Block, Blocks, ColdPoint, FAR, POINTS, V3};
use crate::motion8::{Frame8, Motion8, largest, push};
use crate::substep::RESTING;

/// Share of a round's approach to which it is solved \[1\].
const SOLVED: f64 = 1e-6;
/// Most sweeps of one round.
const SWEEPS: u32 = 40;

type Cold<T> = [ColdPoint<T>; POINTS];

struct Approaching<'a, T> {
    blocks: &'a mut [Block<T>],
    cold: &'a mut [Cold<T>],
    velocity: &'a [Wide8<T>],
    h: f64,
    zone: f64,
    /// Blocks with a contact that approaches or carries a load.
    found: &'a mut Vec<u32>,
}

impl<T: Real> Kernel<T> for Approaching<'_, T> {
    type Output = f64;
    /// Asks those that meet within `h` seconds, and approach, to stop doing so, those that carry a load
    /// not to start, and all others nothing.
    /// Returns the fastest approach over that of a calm patch.
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) -> f64 {
        let (h, zero) = (L::splat(self.h), L::splat(0.0));
        let (nothing, still) = (L::splat(-FAR), L::splat(-RESTING));
        let mut fastest = zero;
        self.found.clear();
        for (k, (block, cold)) in self.blocks.iter_mut().zip(self.cold).enumerate() {
            let a = Motion8::<L>::gather(self.velocity, &block.body[0]);
            let b = Motion8::<L>::gather(self.velocity, &block.body[1]);
            let n = V3::<L>::load(&block.normal);
            let zone = L::splat(self.zone) * L::load(&block.length);
            let per_calm_speed = L::load(&block.per_calm_speed);
            let e = L::load(&block.restitution);
            let (mut here, mut holds) = (zero, zero);
            for j in 0..block.points as usize {
                let point = &block.point[j];
                let (ra, rb) = (V3::load(&point.ra), V3::load(&point.rb));
                let speed = n.dot(b.at(rb).minus(a.at(ra)));
                let separation = L::load(&cold[j].separation);
                let meets = (zone - separation).if_above(h * speed, zero, nothing);
                let there = L::load(&point.mass_n).if_above(zero, meets, nothing);
                let over = speed * per_calm_speed;
                let strikes = still.if_above(over, there, nothing);
                let loaded = L::load(&cold[j].kept[0]).if_above(zero, there, nothing);
                let target = strikes.larger(loaded);
                here = here.larger(strikes.if_above(nothing, -over, zero));
                holds = holds.larger(target.if_above(nothing, L::splat(1.0), zero));
                strikes
                    .if_above(nothing, e, zero)
                    .store(&mut cold[j].bounce);
                let point = &mut block.point[j];
                target.store(&mut point.target);
                for row in &mut point.impulse {
                    zero.store(row);
                }
            }
            if largest(holds) > 0.0 {
                self.found.push(k as u32);
            }
            fastest = fastest.larger(here);
        }
        largest(fastest)
    }
}

struct Restore<'a, T> {
    blocks: &'a [Block<T>],
    cold: &'a [Cold<T>],
    some: &'a [u32],
    velocity: &'a mut [Wide8<T>],
}

impl<T: Real> Kernel<T> for Restore<'_, T> {
    type Output = ();
    /// Gives back the share `e` of each impulse.
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) {
        for &k in self.some {
            let (block, cold) = (&self.blocks[k as usize], &self.cold[k as usize]);
            let mut a = Motion8::<L>::gather(self.velocity, &block.body[0]);
            let mut b = Motion8::<L>::gather(self.velocity, &block.body[1]);
            let frame = Frame8::<L>::load(block);
            for (point, cold) in block.point.iter().zip(cold).take(block.points as usize) {
                let e = L::load(&cold.bounce);
                let (ra, rb) = (V3::load(&point.ra), V3::load(&point.rb));
                let [n, t1, t2] = [0, 1, 2].map(|row| e * L::load(&point.impulse[row]));
                push(block, &mut a, &mut b, ra, rb, frame.vector(n, t1, t2));
            }
            a.scatter(self.velocity, &block.body[0]);
            b.scatter(self.velocity, &block.body[1]);
        }
    }
}

struct Book<'a, T> {
    blocks: &'a [Block<T>],
    cold: &'a mut [Cold<T>],
    some: &'a [u32],
}

impl<T: Real> Kernel<T> for Book<'_, T> {
    type Output = ();
    /// Both parts of each impulse to the totals.
    #[inline(always)]
    fn run<L: Lanes<Real = T>>(self) {
        for &k in self.some {
            let (block, cold) = (&self.blocks[k as usize], &mut self.cold[k as usize]);
            for (point, cold) in block.point.iter().zip(cold).take(block.points as usize) {
                let factor = L::splat(1.0) + L::load(&cold.bounce);
                for row in 0..3 {
                    let both = factor * L::load(&point.impulse[row]);
                    (L::load(&cold.total[row]) + both).store(&mut cold.total[row]);
                }
            }
        }
    }
}

impl<T: Dispatch> Blocks<T> {
    /// The largest restitution here.
    pub fn restitution(&self) -> f64 {
        let all = self.blocks.iter().flat_map(|block| block.restitution.0);
        all.map(Real::f64).fold(0.0, f64::max)
    }

    /// Answers the impacts of the next `h` seconds on `velocity`, with at most about `sweeps` sweeps
    /// over all that is there; what approaches after that is left to the solve. The impulses go to
    /// the totals. Contacts closer than the share `zone` of their length count as touching. Returns
    /// the sweeps taken, over blocks that have an impact.
    pub fn reflect_impacts(&mut self, h: f64, zone: f64, sweeps: u32) -> u32 {
        let most = sweeps as usize * self.blocks.len().max(32);
        let (mut work, mut taken) = (0, 0);
        let mut some = std::mem::take(&mut self.impacts);
        let mut kept = false;
        while work < most {
            if !kept {
                self.keep_impulses();
                kept = true;
            }
            let Self {
                blocks,
                cold,
                velocity,
                ..
            } = self;
            let fastest = dispatch(Approaching {
                blocks,
                cold,
                velocity,
                h,
                zone,
                found: &mut some,
            });
            if fastest <= 0.0 {
                break;
            }
            self.free.clear();
            self.free.extend_from_slice(&self.velocity);
            self.remember();
            for sweep in 0..SWEEPS {
                let left = self.sweep_some(&some, sweep % 2 == 1);
                work += some.len();
                taken += 1;
                if left <= SOLVED * fastest {
                    break;
                }
            }
            let Self {
                blocks,
                cold,
                velocity,
                ..
            } = self;
            dispatch(Restore {
                blocks,
                cold,
                some: &some,
                velocity,
            });
            self.take_back_gains(Some(&some), true);
            let Self { blocks, cold, .. } = self;
            dispatch(Book {
                blocks,
                cold,
                some: &some,
            });
            // looking for what approaches is work too
            work += self.blocks.len() / 4;
        }
        if kept {
            self.keep_impulses();
        }
        self.impacts = some;
        taken
    }

    /// Exchanges the impulses of the points and those kept beside them.
    fn keep_impulses(&mut self) {
        for (block, cold) in self.blocks.iter_mut().zip(&mut self.cold) {
            for (point, cold) in block.point.iter_mut().zip(cold) {
                std::mem::swap(&mut point.impulse, &mut cold.kept);
            }
        }
    }
}
