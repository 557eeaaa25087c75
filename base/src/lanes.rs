//! Eight numbers at a time. A kernel is written once, generic over [`Lanes`], and
//! [`dispatch`] runs it with the widest instructions the machine has. Every implementation
//! rounds alike: products are fused with sums where a kernel says so
//! ([`plus_product`](Lanes::plus_product)) and nowhere else, so the bits do not depend on the choice.

use std::ops::{Add, Mul, Neg, Sub};

/// `f32` or `f64`: what a lane holds.
pub trait Real:
    Copy
    + Default
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Send
    + Sync
    + std::fmt::Debug
    + 'static
{
    /// Rounded from `f64`.
    fn of(x: f64) -> Self;
    /// Converts to `f64`.
    fn f64(self) -> f64;
}

impl Real for f32 {
    #[inline(always)]
    fn of(x: f64) -> Self {
        x as Self
    }
    #[inline(always)]
    fn f64(self) -> f64 {
        f64::from(self)
    }
}

impl Real for f64 {
    #[inline(always)]
    fn of(x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn f64(self) -> f64 {
        self
    }
}

/// Eight numbers in memory, aligned for vector loads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub struct Wide8<T>(pub [T; 8]);

impl<T: Real> Wide8<T> {
    /// Eight times the same.
    #[inline(always)]
    pub fn splat(x: T) -> Self {
        Self([x; 8])
    }
}

/// Eight numbers in registers.
pub trait Lanes:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// Number type of each lane.
    type Real: Real;
    /// Loads from memory.
    fn load(from: &Wide8<Self::Real>) -> Self;
    /// Stores to memory.
    fn store(self, to: &mut Wide8<Self::Real>);
    /// Eight times the same.
    fn splat(x: f64) -> Self;
    /// `self + x y`, rounded once.
    fn plus_product(self, x: Self, y: Self) -> Self;
    /// `self - x y`, rounded once.
    fn minus_product(self, x: Self, y: Self) -> Self;
    /// Lane by lane quotient.
    fn over(self, other: Self) -> Self;
    /// Lane by lane square root.
    fn root(self) -> Self;
    /// `self > other ? self : other`, lane by lane.
    fn larger(self, other: Self) -> Self;
    /// `self < other ? self : other`, lane by lane.
    fn smaller(self, other: Self) -> Self;
    /// `self > limit ? yes : no`, lane by lane.
    fn if_above(self, limit: Self, yes: Self, no: Self) -> Self;
    /// Rows become columns.
    fn transpose(rows: [Self; 8]) -> [Self; 8];
}

/// Work to be done in lanes. Mark `run` with `#[inline(always)]` in every implementation, so
/// that it is compiled for the instructions of its caller.
pub trait Kernel<T: Real> {
    /// Type of the result.
    type Output;
    /// Does the work.
    fn run<L: Lanes<Real = T>>(self) -> Self::Output;
}

/// Plain arrays: the scalar twin of every other implementation.
#[derive(Clone, Copy)]
pub struct Portable<T>([T; 8]);

macro_rules! portable {
    ($real:ty) => {
        impl Add for Portable<$real> {
            type Output = Self;
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                Self(std::array::from_fn(|i| self.0[i] + other.0[i]))
            }
        }
        impl Sub for Portable<$real> {
            type Output = Self;
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                Self(std::array::from_fn(|i| self.0[i] - other.0[i]))
            }
        }
        impl Mul for Portable<$real> {
            type Output = Self;
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                Self(std::array::from_fn(|i| self.0[i] * other.0[i]))
            }
        }
        impl Neg for Portable<$real> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Self(std::array::from_fn(|i| -self.0[i]))
            }
        }
        impl Lanes for Portable<$real> {
            type Real = $real;
            #[inline(always)]
            fn load(from: &Wide8<$real>) -> Self {
                Self(from.0)
            }
            #[inline(always)]
            fn store(self, to: &mut Wide8<$real>) {
                to.0 = self.0;
            }
            #[inline(always)]
            fn splat(x: f64) -> Self {
                Self([x as $real; 8])
            }
            #[inline(always)]
            fn plus_product(self, x: Self, y: Self) -> Self {
                Self(std::array::from_fn(|i| x.0[i].mul_add(y.0[i], self.0[i])))
            }
            #[inline(always)]
            fn minus_product(self, x: Self, y: Self) -> Self {
                Self(std::array::from_fn(|i| {
                    (-x.0[i]).mul_add(y.0[i], self.0[i])
                }))
            }
            #[inline(always)]
            fn over(self, other: Self) -> Self {
                Self(std::array::from_fn(|i| self.0[i] / other.0[i]))
            }
            #[inline(always)]
            fn root(self) -> Self {
                Self(std::array::from_fn(|i| self.0[i].sqrt()))
            }
            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                Self(std::array::from_fn(|i| {
                    if self.0[i] > other.0[i] {
                        self.0[i]
                    } else {
                        other.0[i]
                    }
                }))
            }
            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                Self(std::array::from_fn(|i| {
                    if self.0[i] < other.0[i] {
                        self.0[i]
                    } else {
                        other.0[i]
                    }
                }))
            }
            #[inline(always)]
            fn if_above(self, limit: Self, yes: Self, no: Self) -> Self {
                Self(std::array::from_fn(|i| {
                    if self.0[i] > limit.0[i] {
                        yes.0[i]
                    } else {
                        no.0[i]
                    }
                }))
            }
            #[inline(always)]
            fn transpose(rows: [Self; 8]) -> [Self; 8] {
                std::array::from_fn(|i| Self(std::array::from_fn(|k| rows[k].0[i])))
            }
        }
    };
}
portable!(f32);
portable!(f64);

mod pages;
mod prefetch;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use pages::ask_for_large_pages;
pub use prefetch::prefetch;

/// A lane type with a dispatcher of its own.
pub trait Dispatch: Real {
    /// Runs `kernel` with the widest lanes of this machine.
    fn dispatch<K: Kernel<Self>>(kernel: K) -> K::Output;
}

/// Runs `kernel` with the widest lanes of this machine.
#[inline]
pub fn dispatch<T: Dispatch, K: Kernel<T>>(kernel: K) -> K::Output {
    T::dispatch(kernel)
}

#[cfg(not(target_arch = "x86_64"))]
impl Dispatch for f32 {
    fn dispatch<K: Kernel<Self>>(kernel: K) -> K::Output {
        kernel.run::<Portable<Self>>()
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl Dispatch for f64 {
    fn dispatch<K: Kernel<Self>>(kernel: K) -> K::Output {
        kernel.run::<Portable<Self>>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// A test kernel that uses every operation.
    struct Everything<'a, T>(&'a [Wide8<T>; 8]);

    impl<T: Real> Kernel<T> for Everything<'_, T> {
        type Output = [Wide8<T>; 8];
        #[inline(always)]
        fn run<L: Lanes<Real = T>>(self) -> Self::Output {
            let rows: [L; 8] = std::array::from_fn(|i| L::load(&self.0[i]));
            let turned = L::transpose(rows);
            let mut out = [Wide8::default(); 8];
            for i in 0..8 {
                let (x, y) = (turned[i], rows[i]);
                let sum = (x * y + x - -y).plus_product(x, y).minus_product(y, y);
                let square = (x * x + L::splat(0.1)).root();
                let q = sum.over(square);
                let picked = q.if_above(x, y.larger(q), x.smaller(q));
                picked.store(&mut out[i]);
            }
            out
        }
    }

    fn twins_agree<T: Dispatch>()
    where
        Portable<T>: Lanes<Real = T>,
    {
        let mut random = Random::new(3);
        for _ in 0..1000 {
            let rows: [Wide8<T>; 8] = std::array::from_fn(|_| {
                Wide8(std::array::from_fn(|_| T::of(random.range(-5.0, 5.0))))
            });
            let wide = dispatch(Everything(&rows));
            let plain = Everything(&rows).run::<Portable<T>>();
            assert_eq!(wide, plain);
        }
    }

    #[test]
    fn wide_lanes_give_the_bits_of_the_scalar_twin() {
        twins_agree::<f32>();
        twins_agree::<f64>();
    }

    #[test]
    fn transposing_twice_changes_nothing() {
        struct Twice([Wide8<f32>; 8]);
        impl Kernel<f32> for Twice {
            type Output = [Wide8<f32>; 8];
            #[inline(always)]
            fn run<L: Lanes<Real = f32>>(self) -> Self::Output {
                let rows: [L; 8] = std::array::from_fn(|i| L::load(&self.0[i]));
                let mut out = [Wide8::default(); 8];
                for (row, to) in L::transpose(L::transpose(rows)).into_iter().zip(&mut out) {
                    row.store(to);
                }
                out
            }
        }
        let rows = std::array::from_fn(|i| Wide8(std::array::from_fn(|k| (8 * i + k) as f32)));
        assert_eq!(dispatch(Twice(rows)), rows);
    }
}
