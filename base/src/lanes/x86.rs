//! AVX2 with fused multiply-add: eight `f32` in one register, eight `f64` in two.
#![allow(unsafe_code)]

use std::arch::x86_64::*;
use std::ops::{Add, Mul, Neg, Sub};

use super::{Dispatch, Kernel, Lanes, Portable, Wide8};

/// Whether the wide lanes may be used; asked once, then a load and a compare.
fn is_wide() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

/// Eight `f32`. Values exist only inside `Dispatch::dispatch`, behind the check.
#[derive(Clone, Copy)]
pub(super) struct Avx32(__m256);

/// Eight `f64` as two halves. Values exist only behind the check.
#[derive(Clone, Copy)]
pub(super) struct Avx64(__m256d, __m256d);

impl Dispatch for f32 {
    #[inline]
    fn dispatch<K: Kernel<Self>>(kernel: K) -> K::Output {
        #[target_feature(enable = "avx2,fma")]
        fn wide<K: Kernel<f32>>(kernel: K) -> K::Output {
            kernel.run::<Avx32>()
        }
        if is_wide() {
            // SAFETY: the machine has AVX2 and FMA.
            unsafe { wide(kernel) }
        } else {
            kernel.run::<Portable<Self>>()
        }
    }
}

impl Dispatch for f64 {
    #[inline]
    fn dispatch<K: Kernel<Self>>(kernel: K) -> K::Output {
        #[target_feature(enable = "avx2,fma")]
        fn wide<K: Kernel<f64>>(kernel: K) -> K::Output {
            kernel.run::<Avx64>()
        }
        if is_wide() {
            // SAFETY: the machine has AVX2 and FMA.
            unsafe { wide(kernel) }
        } else {
            kernel.run::<Portable<Self>>()
        }
    }
}

// SAFETY of every block below: an `Avx32` or `Avx64` is only made by a kernel that `dispatch`
// runs after it has seen that the machine has AVX2 and FMA; `Wide8` is aligned to 32 bytes and holds
// eight numbers, so that its vector loads and stores stay inside it.

macro_rules! binary32 {
    ($trait:ident, $method:ident, $op:ident) => {
        impl $trait for Avx32 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: as above.
                unsafe { Self($op(self.0, other.0)) }
            }
        }
    };
}
binary32!(Add, add, _mm256_add_ps);
binary32!(Sub, sub, _mm256_sub_ps);
binary32!(Mul, mul, _mm256_mul_ps);

impl Neg for Avx32 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_xor_ps(self.0, _mm256_set1_ps(-0.0))) }
    }
}

impl Lanes for Avx32 {
    type Real = f32;
    #[inline(always)]
    fn load(from: &Wide8<f32>) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_load_ps(from.0.as_ptr())) }
    }
    #[inline(always)]
    fn store(self, to: &mut Wide8<f32>) {
        // SAFETY: as above.
        unsafe { _mm256_store_ps(to.0.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn splat(x: f64) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_set1_ps(x as f32)) }
    }
    #[inline(always)]
    fn plus_product(self, x: Self, y: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_fmadd_ps(x.0, y.0, self.0)) }
    }
    #[inline(always)]
    fn minus_product(self, x: Self, y: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_fnmadd_ps(x.0, y.0, self.0)) }
    }
    #[inline(always)]
    fn over(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_div_ps(self.0, other.0)) }
    }
    #[inline(always)]
    fn root(self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_sqrt_ps(self.0)) }
    }
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_max_ps(self.0, other.0)) }
    }
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_min_ps(self.0, other.0)) }
    }
    #[inline(always)]
    fn if_above(self, limit: Self, yes: Self, no: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            let mask = _mm256_cmp_ps::<_CMP_GT_OQ>(self.0, limit.0);
            Self(_mm256_blendv_ps(no.0, yes.0, mask))
        }
    }
    #[inline(always)]
    fn transpose(rows: [Self; 8]) -> [Self; 8] {
        // SAFETY: as above.
        unsafe {
            // pairs of rows, then quads, then the two halves of each register
            let [
                Self(a),
                Self(b),
                Self(c),
                Self(d),
                Self(e),
                Self(f),
                Self(g),
                Self(h),
            ] = rows;
            let (ab0, ab1) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
            let (cd0, cd1) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
            let (ef0, ef1) = (_mm256_unpacklo_ps(e, f), _mm256_unpackhi_ps(e, f));
            let (gh0, gh1) = (_mm256_unpacklo_ps(g, h), _mm256_unpackhi_ps(g, h));
            let q0 = _mm256_shuffle_ps::<0x44>(ab0, cd0);
            let q1 = _mm256_shuffle_ps::<0xEE>(ab0, cd0);
            let q2 = _mm256_shuffle_ps::<0x44>(ab1, cd1);
            let q3 = _mm256_shuffle_ps::<0xEE>(ab1, cd1);
            let r0 = _mm256_shuffle_ps::<0x44>(ef0, gh0);
            let r1 = _mm256_shuffle_ps::<0xEE>(ef0, gh0);
            let r2 = _mm256_shuffle_ps::<0x44>(ef1, gh1);
            let r3 = _mm256_shuffle_ps::<0xEE>(ef1, gh1);
            [
                Self(_mm256_permute2f128_ps::<0x20>(q0, r0)),
                Self(_mm256_permute2f128_ps::<0x20>(q1, r1)),
                Self(_mm256_permute2f128_ps::<0x20>(q2, r2)),
                Self(_mm256_permute2f128_ps::<0x20>(q3, r3)),
                Self(_mm256_permute2f128_ps::<0x31>(q0, r0)),
                Self(_mm256_permute2f128_ps::<0x31>(q1, r1)),
                Self(_mm256_permute2f128_ps::<0x31>(q2, r2)),
                Self(_mm256_permute2f128_ps::<0x31>(q3, r3)),
            ]
        }
    }
}

macro_rules! binary64 {
    ($trait:ident, $method:ident, $op:ident) => {
        impl $trait for Avx64 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: as above.
                unsafe { Self($op(self.0, other.0), $op(self.1, other.1)) }
            }
        }
    };
}
binary64!(Add, add, _mm256_add_pd);
binary64!(Sub, sub, _mm256_sub_pd);
binary64!(Mul, mul, _mm256_mul_pd);

impl Neg for Avx64 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: as above.
        unsafe {
            let sign = _mm256_set1_pd(-0.0);
            Self(_mm256_xor_pd(self.0, sign), _mm256_xor_pd(self.1, sign))
        }
    }
}

/// Rows become columns, four by four.
#[inline(always)]
fn transpose4(a: __m256d, b: __m256d, c: __m256d, d: __m256d) -> [__m256d; 4] {
    // SAFETY: as above.
    unsafe {
        let (ab0, ab1) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
        let (cd0, cd1) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
        [
            _mm256_permute2f128_pd::<0x20>(ab0, cd0),
            _mm256_permute2f128_pd::<0x20>(ab1, cd1),
            _mm256_permute2f128_pd::<0x31>(ab0, cd0),
            _mm256_permute2f128_pd::<0x31>(ab1, cd1),
        ]
    }
}

impl Lanes for Avx64 {
    type Real = f64;
    #[inline(always)]
    fn load(from: &Wide8<f64>) -> Self {
        // SAFETY: as above.
        unsafe {
            Self(
                _mm256_load_pd(from.0.as_ptr()),
                _mm256_load_pd(from.0.as_ptr().add(4)),
            )
        }
    }
    #[inline(always)]
    fn store(self, to: &mut Wide8<f64>) {
        // SAFETY: as above.
        unsafe {
            _mm256_store_pd(to.0.as_mut_ptr(), self.0);
            _mm256_store_pd(to.0.as_mut_ptr().add(4), self.1);
        }
    }
    #[inline(always)]
    fn splat(x: f64) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_set1_pd(x), _mm256_set1_pd(x)) }
    }
    #[inline(always)]
    fn plus_product(self, x: Self, y: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            Self(
                _mm256_fmadd_pd(x.0, y.0, self.0),
                _mm256_fmadd_pd(x.1, y.1, self.1),
            )
        }
    }
    #[inline(always)]
    fn minus_product(self, x: Self, y: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            Self(
                _mm256_fnmadd_pd(x.0, y.0, self.0),
                _mm256_fnmadd_pd(x.1, y.1, self.1),
            )
        }
    }
    #[inline(always)]
    fn over(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            Self(
                _mm256_div_pd(self.0, other.0),
                _mm256_div_pd(self.1, other.1),
            )
        }
    }
    #[inline(always)]
    fn root(self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_sqrt_pd(self.0), _mm256_sqrt_pd(self.1)) }
    }
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            Self(
                _mm256_max_pd(self.0, other.0),
                _mm256_max_pd(self.1, other.1),
            )
        }
    }
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            Self(
                _mm256_min_pd(self.0, other.0),
                _mm256_min_pd(self.1, other.1),
            )
        }
    }
    #[inline(always)]
    fn if_above(self, limit: Self, yes: Self, no: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            let low = _mm256_cmp_pd::<_CMP_GT_OQ>(self.0, limit.0);
            let high = _mm256_cmp_pd::<_CMP_GT_OQ>(self.1, limit.1);
            Self(
                _mm256_blendv_pd(no.0, yes.0, low),
                _mm256_blendv_pd(no.1, yes.1, high),
            )
        }
    }
    #[inline(always)]
    fn transpose(rows: [Self; 8]) -> [Self; 8] {
        let [a, b, c, d, e, f, g, h] = rows;
        let low_low = transpose4(a.0, b.0, c.0, d.0);
        let low_high = transpose4(e.0, f.0, g.0, h.0);
        let high_low = transpose4(a.1, b.1, c.1, d.1);
        let high_high = transpose4(e.1, f.1, g.1, h.1);
        [
            Self(low_low[0], low_high[0]),
            Self(low_low[1], low_high[1]),
            Self(low_low[2], low_high[2]),
            Self(low_low[3], low_high[3]),
            Self(high_low[0], high_high[0]),
            Self(high_low[1], high_high[1]),
            Self(high_low[2], high_high[2]),
            Self(high_low[3], high_high[3]),
        ]
    }
}
