//! Asking for memory before it is needed.
#![allow(unsafe_code)]

/// Begins to bring the cache line that `of` starts in from memory, without waiting for it. Changes nothing
/// but time; does nothing where the machine has no such request.
#[inline(always)]
pub fn prefetch<T>(of: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a request for a cache line reads nothing and cannot fail; the reference is valid besides.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(of).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = of;
}
