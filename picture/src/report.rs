//! Reports to charts: what `drystone run --plot` draws.

use drystone_world::{ClothRun, Frame, FrameRecord, RunReport};

use crate::plot::{Chart, Line};

/// Strands whose tips are followed.
const MOST_TIPS: usize = 8;

/// Titles of charts that are about contacts of bodies.
const OF_BODIES: [&str; 3] = ["Penetration", "Contacts", "Step time against contacts"];

/// Energies, penetration and step time against time, and step time against contacts
/// (Erleben 2007, Figs. 18-19); of strands and cloth, energies, iterations, events and time as well.
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
    // charts of every scene
    let seconds = || "time [s]".to_owned();
    let dynamics: fn(&FrameRecord) -> f64 = |f| f.step_seconds - f.collision_seconds;
    let lowest = frames
        .iter()
        .map(|f| f.potential_energy)
        .fold(f64::INFINITY, f64::min);
    let mut charts = vec![
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
            title: OF_BODIES[0].into(),
            x_label: seconds(),
            y_label: "depth [mm]".into(),
            lines: vec![
                over_time("deepest", |f| 1e3 * f.deepest_penetration),
                over_time("mean", |f| 1e3 * f.mean_penetration),
            ],
            ..Chart::default()
        },
        Chart {
            title: OF_BODIES[1].into(),
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
            title: OF_BODIES[2].into(),
            x_label: "contact points [1]".into(),
            y_label: "wall time of a step [ms]".into(),
            scatter: vec![
                against_contacts("collision", |f| f.collision_seconds),
                against_contacts("dynamics", dynamics),
            ],
            ..Chart::default()
        },
    ];
    // of strands and cloth alone there is nothing to say of contacts between bodies
    let soft = report.strands.is_some() || report.cloth.is_some();
    if soft && frames.iter().all(|f| f.contacts == 0) {
        charts.retain(|chart| !OF_BODIES.contains(&chart.title.as_str()));
    }
    if report.strands.is_some() {
        charts.extend(strand_charts(frames));
    }
    if let Some(cloth) = &report.cloth {
        charts.extend(cloth_charts(frames, cloth));
    }
    charts
}

/// A value of each frame against time.
fn line(frames: &[FrameRecord], label: &str, value: &dyn Fn(&FrameRecord) -> f64) -> Line {
    Line {
        label: label.into(),
        points: frames.iter().map(|f| (f.time, value(f))).collect(),
    }
}

/// Lines against time.
fn chart(title: &str, y_label: &str, lines: Vec<Line>) -> Chart {
    Chart {
        title: title.into(),
        x_label: "time [s]".into(),
        y_label: y_label.into(),
        lines,
        ..Chart::default()
    }
}

/// What strands did in each frame.
fn strand_charts(frames: &[FrameRecord]) -> Vec<Chart> {
    let over_time = |label: &str, value: &dyn Fn(&FrameRecord) -> f64| line(frames, label, value);
    let potential = |f: &FrameRecord| f.strand.potential_energy;
    let lowest = frames.iter().map(potential).fold(f64::INFINITY, f64::min);
    vec![
        chart(
            "Strands: energy",
            "energy [J]",
            vec![
                over_time("kinetic", &|f| f.strand.kinetic_energy),
                over_time("weight and elastic above its lowest", &|f| {
                    potential(f) - lowest
                }),
                over_time("sum", &|f| f.strand.kinetic_energy + potential(f) - lowest),
            ],
        ),
        chart(
            "Strands: Newton's iterations of a step",
            "iterations [1]",
            vec![
                over_time("mean of the frame", &|f| f.strand.iterations),
                over_time("steps accepted unsolved", &|f| f.strand.failed as f64),
            ],
        ),
        chart(
            "Strands: deepest in a body",
            "depth [mm]",
            vec![over_time("deepest", &|f| {
                1e3 * f.strand.deepest_penetration
            })],
        ),
        chart(
            "Strands: points that touch bodies",
            "contact points [1]",
            vec![over_time("contacts", &|f| f.strand.contacts as f64)],
        ),
        chart(
            "Strands: time of a frame",
            "wall time [ms]",
            vec![over_time("strands", &|f| 1e3 * f.strand.seconds)],
        ),
    ]
}

/// What cloth did in each frame, and how it was timed at the end (Harmon 2012, Fig. 2).
fn cloth_charts(frames: &[FrameRecord], cloth: &ClothRun) -> Vec<Chart> {
    let over_time = |label: &str, value: &dyn Fn(&FrameRecord) -> f64| line(frames, label, value);
    let potential = |f: &FrameRecord| f.cloth.potential_energy;
    let lowest = frames.iter().map(potential).fold(f64::INFINITY, f64::min);
    vec![
        chart(
            "Cloth: energy",
            "energy [J]",
            vec![
                over_time("kinetic", &|f| f.cloth.kinetic_energy),
                over_time("weight, elastic and layers above its lowest", &|f| {
                    potential(f) - lowest
                }),
                over_time("sum", &|f| f.cloth.kinetic_energy + potential(f) - lowest),
            ],
        ),
        Chart {
            log_y: true,
            ..chart(
                "Cloth: events of a frame",
                "events [1]",
                vec![
                    over_time("elastic", &|f| f.cloth.events[0] as f64),
                    over_time("layers", &|f| f.cloth.events[1] as f64),
                    over_time("certificates", &|f| f.cloth.events[2] as f64),
                ],
            )
        },
        chart(
            "Cloth: deepest active layer",
            "layer [1]",
            vec![over_time("deepest", &|f| f64::from(f.cloth.layers))],
        ),
        chart(
            "Cloth: time of a frame",
            "wall time [ms]",
            vec![over_time("cloth", &|f| 1e3 * f.cloth.seconds)],
        ),
        Chart {
            title: "Cloth: pairs by active layers at the end".into(),
            x_label: "layers up to [1]".into(),
            y_label: "pairs [1]".into(),
            log_x: true,
            log_y: true,
            lines: vec![Line {
                label: "pairs".into(),
                // the first entry counts pairs without any
                points: bars(cloth.layers.get(1..).unwrap_or_default(), 1.0),
            }],
            ..Chart::default()
        },
        Chart {
            title: "Cloth: vertices by their time step at the end".into(),
            x_label: "time step [s]".into(),
            y_label: "vertices [1]".into(),
            log_x: true,
            log_y: true,
            lines: vec![Line {
                label: "vertices".into(),
                points: bars(&cloth.steps, cloth.tick),
            }],
            ..Chart::default()
        },
    ]
}

/// The outline of bars over logarithmic axes: the bar of entry k stands about `unit` times 2^k; what is empty is
/// as high as half a thing.
fn bars(counts: &[u64], unit: f64) -> Vec<(f64, f64)> {
    const EMPTY: f64 = 0.5;
    let filled = |&k: &usize| counts[k] > 0;
    let Some(first) = (0..counts.len()).find(filled) else {
        return Vec::new();
    };
    let last = (0..counts.len()).rfind(filled).unwrap_or(first);
    let edge = |k: usize| unit * 2f64.powf(k as f64 - 0.5);
    let mut outline = vec![(edge(first), EMPTY)];
    for k in first..=last {
        let height = (counts[k] as f64).max(EMPTY);
        outline.extend([(edge(k), height), (edge(k + 1), height)]);
    }
    outline.push((edge(last + 1), EMPTY));
    outline
}

/// Paths of the tips of some strands.
#[derive(Clone, Debug, Default)]
pub struct Tips {
    /// Name and (x, y) of each frame \[m\].
    paths: Vec<(String, Vec<(f64, f64)>)>,
    /// Indices of the chosen strands in frames.
    chosen: Vec<usize>,
}

impl Tips {
    /// Takes note of where tips are in `frame`; up to eight strands, evenly chosen.
    pub fn push(&mut self, frame: &Frame) {
        let count = frame.strands.len();
        if self.paths.is_empty() {
            let some = count.min(MOST_TIPS);
            self.chosen = (0..some).map(|k| k * count / some).collect();
            let name = |&i: &usize| (frame.strands[i].name.to_string(), Vec::new());
            self.paths = self.chosen.iter().map(name).collect();
        }
        for ((_, path), &i) in self.paths.iter_mut().zip(&self.chosen) {
            if let Some(tip) = frame.strands.get(i).and_then(|strand| strand.points.last()) {
                path.push((tip.x, tip.y));
            }
        }
    }

    /// The paths as seen from the front; nothing without strands.
    pub fn chart(&self) -> Option<Chart> {
        let line = |(name, points): &(String, Vec<(f64, f64)>)| Line {
            label: name.clone(),
            points: points.clone(),
        };
        (!self.paths.is_empty()).then(|| Chart {
            title: "Strands: paths of tips".into(),
            x_label: "x [m]".into(),
            y_label: "y [m]".into(),
            lines: self.paths.iter().map(line).collect(),
            ..Chart::default()
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use drystone_world::{Recorder, Scene, Strand, World};

    #[test]
    fn a_run_with_strands_has_their_charts_and_the_paths_of_tips() {
        let mut scene = Scene::new();
        for i in 0..20 {
            let z = 0.01 * f64::from(i);
            let strand = Strand::straight([0.0, 1.0, z], [0.2, 1.0, z], 10);
            scene.strands.push(strand.named(format!("hair/{i}")));
        }
        let mut world = World::new(&scene).unwrap();
        let mut recorder = Recorder::new(&world);
        let mut tips = Tips::default();
        for _ in 0..5 {
            recorder.frame(&world);
            tips.push(&world.frame());
            recorder.step(&world.step());
        }
        let charts = charts(&recorder.report(&world, 1.0));
        // no body touches another: nothing of their contacts
        assert_eq!(charts.len(), 8);
        let energy = &charts[3].lines[0].points;
        // it falls
        assert!(
            energy[4].1 > energy[1].1 && energy[1].1 > energy[0].1,
            "{energy:?}"
        );
        let paths = tips.chart().unwrap().lines;
        assert_eq!(paths.len(), 8);
        assert!(
            paths
                .iter()
                .all(|path| path.points.len() == 5 && path.points[4].1 < 1.0)
        );
        assert_eq!(Tips::default().chart(), None);
    }

    #[test]
    fn bars_stand_about_their_place_and_leave_out_empty_ends() {
        assert_eq!(bars(&[], 1.0), []);
        assert_eq!(bars(&[0, 0], 1.0), []);
        let outline = bars(&[0, 3, 0, 2, 0], 2.0);
        let heights: Vec<f64> = outline.iter().map(|p| p.1).collect();
        assert_eq!(heights, [0.5, 3.0, 3.0, 0.5, 0.5, 2.0, 2.0, 0.5]);
        let middle = (outline[1].0 * outline[2].0).sqrt();
        assert!((middle - 4.0).abs() < 1e-12, "{outline:?}");
    }
}
