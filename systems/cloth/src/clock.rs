//! Integer time and clocks. A clock's period is a power of two of ticks and its phase is 0 at
//! the start, for ever: ties are exact, nothing drifts, and all that fires at one time is known from
//! the trailing zeros of that time.

/// Time in ticks of 2⁻⁴⁰ s; reaches for half a year.
pub type Tick = u64;

/// Length of a tick \[s\].
pub const TICK: f64 = 1.0 / (1u64 << 40) as f64;

/// Periods are 2^level ticks, level below this: 2⁻⁴ s at most.
pub(crate) const LEVELS: usize = 37;

/// A time in seconds; exact below 2¹³ s.
#[inline]
pub fn seconds(ticks: Tick) -> f64 {
    ticks as f64 * TICK
}

/// A time in ticks, to the nearest; nothing before 0 or beyond the range.
pub fn ticks(seconds: f64) -> Tick {
    (seconds / TICK).round() as Tick
}

/// Level of the longest period that is not longer than `h` \[s\]; `None` below one tick.
#[inline]
pub(crate) fn level_of(h: f64) -> Option<u8> {
    let ticks = h / TICK;
    if ticks < 1.0 || ticks.is_nan() {
        return None;
    }
    // the exponent of a normal number is the floor of its logarithm
    let exponent = ((ticks.to_bits() >> 52) & 0x7ff) as i64 - 1023;
    Some(exponent.clamp(0, LEVELS as i64 - 1) as u8)
}

/// Period of a level \[s\].
#[inline]
pub(crate) fn period(level: u8) -> f64 {
    seconds(1 << level)
}

/// The first tick of a level after `t`.
#[inline]
pub(crate) const fn next_tick(t: Tick, level: u8) -> Tick {
    ((t >> level) + 1) << level
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_level_never_has_a_longer_period_than_asked_for() {
        for k in 0..2000 {
            let h = TICK * drystone_base::functions::pow(1.01, f64::from(k));
            let level = level_of(h).unwrap();
            assert!(
                period(level) <= h && (2.0 * period(level) > h || level as usize == LEVELS - 1)
            );
        }
        assert_eq!(level_of(0.5 * TICK), None);
    }

    #[test]
    fn clocks_meet_exactly() {
        assert_eq!(next_tick(7, 3), 8);
        assert_eq!(next_tick(8, 3), 16);
        assert_eq!(ticks(seconds(123_456_789)), 123_456_789);
    }
}
