//! Truths in few words. Times are ranges in seconds: `..` is the whole run, `2.0..` from two
//! seconds on.

use std::ops::{Bound, RangeBounds};

use drystone_world::Truth;

/// Start and end of a range of times [s].
fn span(times: impl RangeBounds<f64>) -> (f64, Option<f64>) {
    let from = match times.start_bound() {
        Bound::Included(&t) | Bound::Excluded(&t) => t,
        Bound::Unbounded => 0.0,
    };
    let to = match times.end_bound() {
        Bound::Included(&t) | Bound::Excluded(&t) => Some(t),
        Bound::Unbounded => None,
    };
    (from, to)
}

/// Nothing moves farther than `drift` [m].
pub(crate) fn stands_still(bodies: &str, drift: f64, times: impl RangeBounds<f64>) -> Truth {
    let (from, to) = span(times);
    Truth::StandsStill {
        bodies: bodies.into(),
        drift,
        sideways: false,
        from,
        to,
    }
}

/// Nothing moves farther sideways than `drift` [m].
pub(crate) fn keeps_place(bodies: &str, drift: f64, times: impl RangeBounds<f64>) -> Truth {
    let (from, to) = span(times);
    Truth::StandsStill {
        bodies: bodies.into(),
        drift,
        sideways: true,
        from,
        to,
    }
}

/// Something has sunk by `by` [m] for the first time in that span.
pub(crate) fn falls(bodies: &str, by: f64, times: std::ops::Range<f64>) -> Truth {
    Truth::Falls {
        bodies: bodies.into(),
        by,
        after: times.start,
        before: times.end,
    }
}

/// Something has moved at least that far [m].
pub(crate) fn moves(bodies: &str, at_least: f64, before: Option<f64>) -> Truth {
    Truth::Moves {
        bodies: bodies.into(),
        at_least,
        before,
    }
}

/// Nothing is deeper in anything than `depth` [m].
pub(crate) fn penetration_below(depth: f64, times: impl RangeBounds<f64>) -> Truth {
    let (from, to) = span(times);
    Truth::PenetrationBelow { depth, from, to }
}

/// All bodies together have less than `joules` [J].
pub(crate) fn kinetic_energy_below(joules: f64, times: impl RangeBounds<f64>) -> Truth {
    let (from, to) = span(times);
    Truth::KineticEnergyBelow {
        joules: Some(joules),
        per_kg: None,
        from,
        to,
    }
}

/// All bodies together have less than `per_kg` for each kilogram [J/kg].
pub(crate) fn kinetic_energy_per_kg_below(per_kg: f64, times: impl RangeBounds<f64>) -> Truth {
    let (from, to) = span(times);
    Truth::KineticEnergyBelow {
        joules: None,
        per_kg: Some(per_kg),
        from,
        to,
    }
}

/// At least that part of the bodies is within [sideways, vertical] of its start [m].
pub(crate) fn standing(bodies: &str, at_least: f64, within: [f64; 2], at: Option<f64>) -> Truth {
    Truth::StandingFraction {
        bodies: bodies.into(),
        at_least: Some(at_least),
        at_most: None,
        sideways: within[0],
        vertical: within[1],
        at,
    }
}

/// At most that part of the bodies is within [sideways, vertical] of its start [m].
pub(crate) fn fallen(bodies: &str, at_most: f64, within: [f64; 2], at: Option<f64>) -> Truth {
    Truth::StandingFraction {
        bodies: bodies.into(),
        at_least: None,
        at_most: Some(at_most),
        sideways: within[0],
        vertical: within[1],
        at,
    }
}

/// Nothing is faster than `limit` [m/s].
pub(crate) fn speed_below(bodies: &str, limit: f64, times: impl RangeBounds<f64>) -> Truth {
    let (from, to) = span(times);
    Truth::SpeedBelow {
        bodies: bodies.into(),
        limit,
        from,
        to,
    }
}

/// Every centre stays between two corners [m].
pub(crate) fn stays_inside(
    bodies: &str,
    low: [f64; 3],
    high: [f64; 3],
    times: impl RangeBounds<f64>,
) -> Truth {
    let (from, to) = span(times);
    Truth::StaysInside {
        bodies: bodies.into(),
        low,
        high,
        from,
        to,
    }
}

/// Every centre stays above `height` [m].
pub(crate) fn stays_above(bodies: &str, height: f64, times: impl RangeBounds<f64>) -> Truth {
    let (from, to) = span(times);
    Truth::StaysAbove {
        bodies: bodies.into(),
        height,
        from,
        to,
    }
}

/// Energy never rises by more than `tolerance` [J].
pub(crate) fn energy_never_rises(tolerance: f64, times: impl RangeBounds<f64>) -> Truth {
    let (from, to) = span(times);
    Truth::EnergyNeverRises {
        tolerance,
        from,
        to,
    }
}

/// Momentum along `along` keeps its value up to a part `tolerance` [1].
pub(crate) fn momentum_kept(along: Option<[f64; 3]>, tolerance: f64) -> Truth {
    Truth::MomentumKept {
        tolerance,
        along,
        from: 0.0,
        to: None,
    }
}

/// At `at` the body has moved by `amount` along a direction since the start [m].
pub(crate) fn moved_by(body: &str, along: [f64; 3], amount: f64, tolerance: f64, at: f64) -> Truth {
    Truth::MovedBy {
        body: body.into(),
        along,
        amount,
        tolerance,
        from: 0.0,
        at: Some(at),
    }
}

/// At `at` the body's velocity along a direction is `value` [m/s].
pub(crate) fn speed_is(
    body: &str,
    along: [f64; 3],
    value: f64,
    tolerance: f64,
    at: Option<f64>,
) -> Truth {
    Truth::SpeedIs {
        body: body.into(),
        value,
        tolerance,
        along: Some(along),
        at,
    }
}

/// At `at` the body's spin, in all or about a direction, is `value` [rad/s].
pub(crate) fn spin_is(
    body: &str,
    about: Option<[f64; 3]>,
    value: f64,
    tolerance: f64,
    at: f64,
) -> Truth {
    Truth::SpinIs {
        body: body.into(),
        value,
        tolerance,
        about,
        at: Some(at),
    }
}

/// From `within` on nothing is faster than `speed` [m/s].
pub(crate) fn comes_to_rest(bodies: &str, within: f64, speed: f64) -> Truth {
    Truth::ComesToRest {
        bodies: bodies.into(),
        within,
        speed,
    }
}
