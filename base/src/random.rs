//! Random numbers that depend on the seed alone (SplitMix64).

/// A small random number generator; the same seed gives the same numbers everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator that starts from `seed`.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 random bits.
    pub const fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number in [`low`, `high`).
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A whole number in [0, `count`).
    pub fn below(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }

    /// A rotation, all directions alike.
    pub fn rotation(&mut self) -> crate::Quat {
        loop {
            let (x, y) = (self.range(-1.0, 1.0), self.range(-1.0, 1.0));
            let (z, w) = (self.range(-1.0, 1.0), self.range(-1.0, 1.0));
            let length_squared = x * x + y * y + z * z + w * w;
            if length_squared > 0.01 && length_squared <= 1.0 {
                return crate::Quat::from_xyzw(x, y, z, w).normalize();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_numbers_fill_the_interval_evenly() {
        let mut random = Random::new(7);
        let mut bins = [0usize; 10];
        for _ in 0..100_000 {
            bins[(random.unit() * 10.0) as usize] += 1;
        }
        assert!(bins.iter().all(|&n| n.abs_diff(10_000) < 400), "{bins:?}");
    }
}
