//! SIMD lanes.
