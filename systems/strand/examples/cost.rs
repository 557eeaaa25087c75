//! What a step costs: the shaken strands of the README, then scaling in segments and in strands.
//! `cargo run --release -p drystone-strand --example cost`

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use drystone_base::functions::{rotation_about, sin};
use drystone_base::{Pose, Vec3};
use drystone_strand::{
    Base, Curve, Key, Model, MotionPath, Options, Parameter, Parameters, Ramp, Report, Strand,
    System,
};

const FRAME: f64 = 1.0 / 24.0;

/// Shaken by 15 cm at 2 Hz and turned by 40 degrees at 1.5 Hz.
fn shaken(seconds: f64) -> Base {
    let key = |k: usize| {
        let time = k as f64 * FRAME;
        let turn = 40f64.to_radians() * sin(std::f64::consts::TAU * 1.5 * time);
        let place = Vec3::X * (0.15 * sin(std::f64::consts::TAU * 2.0 * time));
        let pose = Pose::new(place, rotation_about(Vec3::Z, turn));
        Key { time, pose }
    };
    let count = (seconds / FRAME) as usize + 2;
    Base::on(MotionPath::through(&(0..count).map(key).collect::<Vec<_>>()).unwrap())
}

fn hair(bend: f64) -> Parameters {
    Parameters {
        bend_stiffness: bend.into(),
        twist_stiffness: (0.8 * bend).into(),
        ..Parameters::default()
    }
}

fn hanging(n: usize, length: f64) -> Strand {
    Strand::new(
        "strand",
        Curve::straight(Vec3::ZERO, Vec3::new(0.0, -length, 0.0), n),
    )
}

fn curly(n: usize, length: f64) -> Strand {
    let (mut points, mut direction) = (vec![Vec3::ZERO], Vec3::new(0.0, -1.0, 0.0));
    for k in 0..n {
        let last = points[k];
        points.push(last + direction * (length / n as f64));
        let axis = if k % 2 == 0 {
            Vec3::new(0.3, 0.0, 1.0)
        } else {
            Vec3::new(0.3, 0.2, 1.0)
        };
        direction = rotation_about(axis.normalize(), 0.5) * direction;
    }
    Strand::new("strand", Curve::through(&points))
}

fn run(
    strand: Strand,
    copies: usize,
    steps_per_frame: u32,
    tolerance: f64,
    seconds: f64,
) -> (Report, f64) {
    let mut model = Model::default();
    for k in 0..copies {
        let mut copy = strand.clone();
        copy.name = format!("strand {k}");
        model.add(copy).unwrap();
    }
    let options = Options {
        steps_per_frame,
        tolerance,
        error_tolerance: 0.0,
        parallel: false,
        ..Options::default()
    };
    let mut system = System::new(model, options).unwrap();
    let (mut report, mut times) = (Report::default(), Vec::new());
    for _ in 0..(seconds / FRAME) as usize {
        let frame = system.advance_frame(FRAME);
        times.push(frame.seconds * 1e6 / frame.steps as f64);
        report.add(&frame);
    }
    // the median frame: a machine with other work to do stops some of them
    times.sort_by(f64::total_cmp);
    (report, times[times.len() / 2])
}

fn row(name: &str, strand: &Strand, steps_per_frame: u32, tolerance: f64) {
    let seconds = 4.0;
    let strand = strand.clone().on(shaken(seconds));
    let (report, microseconds) = run(strand, 1, steps_per_frame, tolerance, seconds);
    let (mean, p95, most) = report.iteration_figures();
    println!(
        "{name:24} {steps_per_frame:2} spf  iterations {mean:5.2} / {p95} / {most}  halved {}  failed {}  {microseconds:7.1} us a step",
        report.halved, report.failed
    );
}

fn main() {
    let ear = Parameters {
        mass_per_length: 1.2.into(),
        radius: 0.02.into(),
        ..hair(2.1)
    };
    let mut bun = hair(1e-9);
    bun.bend_stiffness = Parameter::along(Ramp::through(&[[0.0, 1e-6], [0.2, 1e-6], [0.25, 1e-9]]));
    bun.twist_stiffness = bun.bend_stiffness.clone();
    let cases = [
        ("hair, EI 8e-9", hanging(25, 0.2).with(hair(8e-9))),
        ("hair, EI 1e-9", hanging(25, 0.2).with(hair(1e-9))),
        ("curly, EI 8e-9", curly(25, 0.2).with(hair(8e-9))),
        ("ear", hanging(25, 0.3).with(ear)),
        ("bun and braid", hanging(25, 0.2).with(bun)),
    ];
    for (name, strand) in &cases {
        for steps_per_frame in [4, 8] {
            row(name, strand, steps_per_frame, 1e-6);
        }
    }
    println!("\nsegments, 8 spf, tolerance 1e-4");
    for n in [5, 10, 25, 50, 100, 200] {
        let strand = hanging(n, 0.008 * n as f64)
            .with(hair(8e-9))
            .on(shaken(2.0));
        let (report, microseconds) = run(strand, 1, 8, 1e-4, 2.0);
        let (mean, ..) = report.iteration_figures();
        println!(
            "{n:4}  {microseconds:8.1} us a step, {:.3} us a segment and iteration, {mean:.2} iterations, failed {}",
            microseconds / (n as f64 * mean),
            report.failed
        );
    }
    println!("\nstrands of 25 segments, 8 spf, tolerance 1e-6");
    for copies in [1, 10, 100, 1000, 10_000] {
        let strand = hanging(25, 0.2).with(hair(8e-9)).on(shaken(2.0));
        let (_, microseconds) = run(
            strand,
            copies,
            8,
            1e-6,
            (200.0 / copies as f64).clamp(FRAME * 1.01, 2.0),
        );
        println!("{copies:6}  {microseconds:7.1} us a strand and step");
    }
}
