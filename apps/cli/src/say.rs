//! Words for people: a closed pipe is no reason to fail.

use std::fmt::Display;
use std::io::Write;

/// A line on standard output.
pub(crate) fn line(text: impl Display) {
    // whoever reads may have had enough, as in `drystone list | head`
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}

/// A line on standard error.
pub(crate) fn stderr_line(text: impl Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// A duration in wall time \[s\] as a person says it.
pub(crate) fn seconds(s: f64) -> String {
    match s {
        s if !s.is_finite() => "?".into(),
        s if s < 1e-3 => format!("{:.0} us", s * 1e6),
        s if s < 0.1 => format!("{:.2} ms", s * 1e3),
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s if s < 120.0 => format!("{s:.1} s"),
        s if s < 7200.0 => format!("{:.0} min {:.0} s", (s / 60.0).floor(), s % 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// A length \[m\] as a person says it.
pub(crate) fn metres(x: f64) -> String {
    match x.abs() {
        0.0 => "0 mm".into(),
        a if a < 1e-6 => format!("{:.2} nm", x * 1e9),
        a if a < 1e-4 => format!("{:.2} um", x * 1e6),
        a if a < 1.0 => format!("{:.3} mm", x * 1e3),
        _ => format!("{x:.3} m"),
    }
}

/// Writes the size of a file with a unit, for people.
pub(crate) fn bytes(n: u64) -> String {
    match n {
        n if n < 1000 => format!("{n} B"),
        n if n < 1_000_000 => format!("{:.1} kB", n as f64 / 1e3),
        n if n < 1_000_000_000 => format!("{:.1} MB", n as f64 / 1e6),
        n => format!("{:.2} GB", n as f64 / 1e9),
    }
}

/// `1 step`, `2 steps`.
pub(crate) fn count(n: u64, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}
