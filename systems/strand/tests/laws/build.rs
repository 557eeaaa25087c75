//! Small strands for the laws.

use drystone_base::Vec3;
use drystone_strand::*;

pub(crate) const FRAME: f64 = 1.0 / 24.0;

/// The hair of the reference case, without air.
pub(crate) fn hair() -> Parameters {
    Parameters {
        bend_stiffness: 8.04e-9.into(),
        twist_stiffness: 6.43e-9.into(),
        ..Parameters::default()
    }
}

/// `n` segments from the origin to `end`.
pub(crate) fn straight(end: Vec3, n: usize) -> Strand {
    Strand::new("strand", Curve::straight(Vec3::ZERO, end, n)).with(hair())
}

pub(crate) fn options(steps_per_frame: u32) -> Options {
    Options {
        steps_per_frame,
        error_tolerance: 0.0,
        ..Options::default()
    }
}

pub(crate) fn system(strand: Strand, options: Options) -> System {
    let mut model = Model::default();
    model.add(strand).unwrap();
    System::new(model, options).unwrap()
}

pub(crate) fn without_gravity(strand: Strand, options: Options) -> System {
    let mut model = Model::new(Vec3::ZERO);
    model.add(strand).unwrap();
    System::new(model, options).unwrap()
}

pub(crate) fn tip(system: &System, i: usize) -> Vec3 {
    *system.points(i)[0].last().unwrap()
}

pub(crate) fn run_frames(system: &mut System, frames: usize) -> Report {
    let mut report = Report::default();
    for _ in 0..frames {
        report.add(&system.advance_frame(FRAME));
    }
    assert!(report.quarantined.is_empty());
    report
}

/// What this thread has computed so far \[s\]: on Linux without the time in which others had the processor.
pub(crate) fn busy_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = text.split_whitespace().next();
    let nanoseconds: Option<f64> = first.and_then(|n| n.parse().ok());
    nanoseconds.map_or_else(
        || {
            std::time::UNIX_EPOCH
                .elapsed()
                .map_or(0.0, |t| t.as_secs_f64())
        },
        |n| n * 1e-9,
    )
}
