//! Reports to charts: what `drystone run --plot` draws.

use drystone_world::{FrameRecord, RunReport};

use crate::plot::{Chart, Line};

/// Energies, penetration and step time against time, and step time against contacts
/// (Erleben 2007, Figs. 18-19).
pub fn charts(report: &RunReport) -> Vec<Chart> {
    let frames = &report.frames;
    let over_time = |label: &str, value: fn(&FrameRecord) -> f64| Line {
        label: label.into(),
        points: frames.iter().map(|f| (f.time, value(f))).collect(),
    };
    // the record of the start knows of no step
    let stepped = || frames.iter().filter(|f| f.step_seconds > 0.0);
    let step_time = |label: &str, value: fn(&FrameRecord) -> f64| Line {
        label: label.into(),
        points: stepped().map(|f| (f.time, 1e3 * value(f))).collect(),
    };
    let against_contacts = |label: &str, value: fn(&FrameRecord) -> f64| Line {
        label: label.into(),
        points: stepped()
            .map(|f| (f.contacts as f64, 1e3 * value(f)))
            .collect(),
    };
    let seconds = || "time [s]".to_owned();
    let dynamics: fn(&FrameRecord) -> f64 = |f| f.step_seconds - f.collision_seconds;
    let lowest = frames
        .iter()
        .map(|f| f.potential_energy)
        .fold(f64::INFINITY, f64::min);
    vec![
        Chart {
            title: format!("{}: energy", report.scene),
            x_label: seconds(),
            y_label: "energy [J]".into(),
            lines: vec![
                over_time("kinetic", |f| f.kinetic_energy),
                Line {
                    label: "potential above its lowest".into(),
                    points: frames
                        .iter()
                        .map(|f| (f.time, f.potential_energy - lowest))
                        .collect(),
                },
                Line {
                    label: "sum".into(),
                    points: frames
                        .iter()
                        .map(|f| (f.time, f.kinetic_energy + f.potential_energy - lowest))
                        .collect(),
                },
            ],
            ..Chart::default()
        },
        Chart {
            title: "Kinetic energy".into(),
            x_label: seconds(),
            y_label: "energy [J]".into(),
            log_y: true,
            lines: vec![over_time("kinetic", |f| f.kinetic_energy)],
            ..Chart::default()
        },
        Chart {
            title: "Penetration".into(),
            x_label: seconds(),
            y_label: "depth [mm]".into(),
            lines: vec![
                over_time("deepest", |f| 1e3 * f.deepest_penetration),
                over_time("mean", |f| 1e3 * f.mean_penetration),
            ],
            ..Chart::default()
        },
        Chart {
            title: "Contacts".into(),
            x_label: seconds(),
            y_label: "contact points [1]".into(),
            lines: vec![over_time("contacts", |f| f.contacts as f64)],
            ..Chart::default()
        },
        Chart {
            title: "Step time".into(),
            x_label: seconds(),
            y_label: "wall time of a step [ms]".into(),
            lines: vec![
                step_time("step", |f| f.step_seconds),
                step_time("collision", |f| f.collision_seconds),
                step_time("dynamics", dynamics),
            ],
            ..Chart::default()
        },
        Chart {
            title: "Step time against contacts".into(),
            x_label: "contact points [1]".into(),
            y_label: "wall time of a step [ms]".into(),
            scatter: vec![
                against_contacts("collision", |f| f.collision_seconds),
                against_contacts("dynamics", dynamics),
            ],
            ..Chart::default()
        },
    ]
}
