//! Hostile input, hostile motion, threads and snapshots.

use crate::build::*;
use drystone_base::functions::{exp, rotation_about, sin};
use drystone_base::random::Random;
use drystone_base::{Pose, Stopwatch, Vec3};
use drystone_common::Turbulence;
use drystone_geometry::Shape;
use drystone_strand::*;

fn refused(strand: Strand) -> String {
    Model::default().add(strand).unwrap_err().to_string()
}

#[test]
fn bad_strands_are_refused_by_name_and_number() {
    let through = |points: &[Vec3]| Strand::new("lock", Curve::through(points));
    let (a, b) = (Vec3::ZERO, Vec3::new(0.0, -0.1, 0.0));
    for (text, wanted) in [
        (
            refused(through(&[a])),
            "strand `lock`: the number of points of curve 0 is 1; wanted at least 2",
        ),
        (
            refused(through(&[a, b, b])),
            "the length of segment 1 of curve 0 is 0 m",
        ),
        (
            refused(through(&[a, Vec3::NAN])),
            "the length of segment 0 of curve 0 is NaN m",
        ),
        (
            refused(Strand {
                curves: vec![],
                ..through(&[a, b])
            }),
            "the number of curves is 0",
        ),
        (
            refused(Strand {
                root: -1.0,
                ..through(&[a, b])
            }),
            "the stiffness factor of the root is -1",
        ),
    ] {
        assert!(text.contains(wanted), "{text}");
    }
    let with = |change: &dyn Fn(&mut Parameters)| {
        let mut strand = through(&[a, b]);
        change(&mut strand.parameters);
        refused(strand)
    };
    let text = with(&|p| p.mass_per_length = 0.0.into());
    assert!(
        text.contains("mass per length is 0; wanted more than zero"),
        "{text}"
    );
    let text = with(&|p| p.bend_stiffness = f64::NAN.into());
    assert!(text.contains("bend stiffness is NaN"), "{text}");
    let text = with(&|p| p.radius = Profile::along(Ramp { keys: vec![] }));
    assert!(text.contains("radius is without keys"), "{text}");
    let mut strand = through(&[a, b]);
    strand
        .curves
        .push(Curve::through(&[b, a]).growing_from(0, 7));
    assert!(refused(strand).contains("the branch of curve 1 is point 7 of curve 0"));
    let mut strand = through(&[a, b]);
    strand.field_weights.push(("gale".into(), 1.0.into()));
    assert!(refused(strand).contains("for `gale`"));
    let mut strand = through(&[a, b]);
    strand.pose = Some(PoseTrack::fixed(&[]));
    assert!(refused(strand).contains("the number of posed tips is 0 in key 0"));
    let mut model = Model::default();
    model.add(through(&[a, b])).unwrap();
    assert_eq!(
        model.add(through(&[a, b])),
        Err(Error::SameName("lock".into()))
    );
}

#[test]
fn bad_options_are_refused() {
    for options in [
        Options {
            steps_per_frame: 0,
            ..Options::default()
        },
        Options {
            tolerance: f64::NAN,
            ..Options::default()
        },
        Options {
            halvings: 30,
            ..Options::default()
        },
        Options {
            continuum: Some(Continuum {
                cell: 0.0,
                ..Continuum::default()
            }),
            ..Options::default()
        },
    ] {
        assert!(options.validate().is_err(), "{options:?}");
    }
}

/// Runs `strand` for a second with the default options; its tip stays within reach of its base.
fn survives(strand: Strand) -> Report {
    let mut model = Model::default();
    model.add(strand).unwrap();
    let mut system = System::new(model, Options::default()).unwrap();
    let mut report = Report::default();
    for _ in 0..24 {
        report.add(&system.advance_frame(FRAME));
        let away = (tip(&system, 0) - system.base(0).position).length();
        let reach = system.model.chains[0].reach;
        assert!(away < 1.01 * reach, "{away} m of {reach} m");
    }
    assert!(report.quarantined.is_empty());
    report
}

#[test]
fn no_stiffness_is_too_small_or_too_large() {
    for stiffness in [0.0, 1e-20, 1e-3, 1e4, 1e12] {
        let mut strand = straight(Vec3::new(0.1, 0.1, 0.0), 20);
        strand.parameters.bend_stiffness = stiffness.into();
        strand.parameters.twist_stiffness = stiffness.into();
        let report = survives(strand);
        assert_eq!(report.failed, 0, "EI {stiffness}"); // measured: 0
    }
}

#[test]
fn a_thread_without_thickness_is_simulated() {
    let mut strand = straight(Vec3::new(0.1, 0.1, 0.0), 20);
    strand.parameters.radius = 0.0.into();
    strand.parameters.bend_stiffness = 0.0.into();
    strand.parameters.twist_stiffness = 0.0.into();
    assert_eq!(survives(strand).failed, 0);
}

#[test]
fn a_base_that_jumps_ten_metres_in_a_frame_takes_the_strand_along() {
    let key = |k: i32| {
        let x = if k < 6 { 0.0 } else { 10.0 };
        let turn = rotation_about(Vec3::Z, if k < 6 { 0.0 } else { 2.5 });
        Key::new(
            f64::from(k) * FRAME,
            Pose::new(Vec3::new(x, 0.0, 0.0), turn),
        )
    };
    let keys: Vec<Key> = (0..26).map(key).collect();
    let base = Base::on(MotionPath::smooth(&keys).unwrap());
    let report = survives(straight(Vec3::new(0.0, -0.2, 0.0), 25).on(base));
    // measured: 16 steps halved, 4.2 iterations in the mean and 32 at most
    assert_eq!(report.failed, 0);
    assert!(report.halved < 100, "{}", report.halved);
}

#[test]
fn a_force_that_is_not_a_number_fails_the_step_and_nothing_else() {
    let mut model = Model::default();
    for name in ["a", "b"] {
        model
            .add(Strand {
                name: name.into(),
                ..straight(Vec3::new(0.1, 0.0, 0.0), 5)
            })
            .unwrap();
    }
    let mut system = System::new(model, options(4)).unwrap();
    system.state.strands[0].force[2] = Vec3::NAN;
    let report = system.advance(0.01);
    assert!(report.failed > 0);
    assert!(tip(&system, 0).is_finite() && tip(&system, 1).is_finite());
    assert_eq!(system.advance_frame(FRAME).failed, 0);
    assert_eq!(system.advance(f64::NAN), Report::default());
}

/// Many strands of different lengths on a shaken base, crowded, in turbulence.
fn many() -> Model {
    let keys: Vec<Key> = (0..30)
        .map(|k| f64::from(k) * FRAME)
        .map(|time| {
            let turn = rotation_about(Vec3::Y, 0.5 * sin(9.0 * time));
            Key::new(time, Pose::new(Vec3::X * (0.1 * sin(12.0 * time)), turn))
        })
        .collect();
    let mut base = Base::on(MotionPath::smooth(&keys).unwrap());
    let mut model = Model::default();
    let gusts = NamedField::new("gusts", Turbulence::new(3, 1.0, 0.1, 0.3));
    model.add_field(gusts).unwrap();
    for k in 0..70 {
        base.time_scale = (1.0 - f64::from(k % 3) * 0.2).into();
        let start = Vec3::new(f64::from(k) * 0.002, 0.0, 0.0);
        let curve = Curve::straight(
            start,
            start + Vec3::new(0.02, -0.1, 0.01),
            5 + k as usize % 7,
        );
        let mut strand = Strand::new(format!("{k}"), curve)
            .with(hair())
            .on(base.clone());
        strand.parameters.drag = 1e-5.into();
        if k % 5 == 0 {
            strand.parameters.stretch_stiffness = Some(1e-2.into());
        }
        model.add(strand).unwrap();
    }
    model
}

fn crowded(parallel: bool) -> Options {
    Options {
        parallel,
        continuum: Some(Continuum::default()),
        ..Options::default()
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let run = |threads: usize, parallel: bool| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let mut system = System::new(many(), crowded(parallel)).unwrap();
        pool.install(|| run_frames(&mut system, 6));
        system.state
    };
    let reference = run(1, false);
    assert!(reference == run(1, true) && reference == run(2, true) && reference == run(5, true));
}

#[test]
fn a_snapshot_goes_on_to_the_same_bits() {
    let mut system = System::new(many(), crowded(true)).unwrap();
    run_frames(&mut system, 3);
    let bytes = postcard::to_allocvec(&system.state).unwrap();
    run_frames(&mut system, 5);
    let mut resumed = System::new(many(), crowded(false)).unwrap();
    resumed
        .restore(postcard::from_bytes(&bytes).unwrap())
        .unwrap();
    run_frames(&mut resumed, 5);
    assert!(system.state == resumed.state);
    let other = system_of_one();
    assert!(resumed.restore(other.state).is_err());
}

#[test]
fn a_snapshot_on_a_driven_base_goes_on_to_the_same_bits() {
    // as on a body that moves by itself: nobody knows its path beforehand, and only part is felt
    let build = || {
        let mut model = Model::default();
        let mut strand = straight(Vec3::new(0.0, -0.2, 0.0), 15);
        strand.base.time_scale = 0.7.into();
        model.add(strand).unwrap();
        let plain = Strand {
            name: "plain".into(),
            ..straight(Vec3::new(0.1, -0.1, 0.0), 15)
        };
        model.add(plain).unwrap();
        System::new(model, options(4)).unwrap()
    };
    let ride = |system: &mut System, steps: usize| {
        for _ in 0..steps {
            let time = system.state.time + 0.01;
            let turn = rotation_about(Vec3::Z, 0.4 * sin(7.0 * time));
            let pose = Pose::new(Vec3::X * (0.1 * sin(9.0 * time)), turn);
            system.drive_base(0, time, pose);
            system.drive_base(1, time, pose);
            system.advance(time - system.state.time);
        }
    };
    let mut system = build();
    ride(&mut system, 17);
    let bytes = postcard::to_allocvec(&system.state).unwrap();
    ride(&mut system, 23);
    let mut resumed = build();
    resumed
        .restore(postcard::from_bytes(&bytes).unwrap())
        .unwrap();
    ride(&mut resumed, 23);
    assert!(system.state == resumed.state);
    assert_eq!(system.points(0), resumed.points(0));
    // and from the start again, before anything was driven
    system.restore(build().state).unwrap();
    ride(&mut system, 40);
    assert!(system.state == resumed.state);
}

fn system_of_one() -> System {
    system(straight(Vec3::X, 3), options(4))
}

#[test]
fn step_control_halves_where_the_motion_is_quick_and_meets_the_frame() {
    let mut rough = options(1);
    rough.error_tolerance = 1e-3;
    let mut controlled = system(straight(Vec3::new(0.2, 0.0, 0.0), 25), rough);
    let mut free = system(straight(Vec3::new(0.2, 0.0, 0.0), 25), options(1));
    let mut fine = system(straight(Vec3::new(0.2, 0.0, 0.0), 25), options(256));
    let report = run_frames(&mut controlled, 12);
    run_frames(&mut free, 12);
    run_frames(&mut fine, 12);
    assert!((controlled.state.time - 0.5).abs() < 1e-12);
    let error = |system: &System| (tip(system, 0) - tip(&fine, 0)).length();
    let (controlled, free) = (error(&controlled), error(&free));
    // measured: 6.6 mm in 58 steps, 49 mm in 14
    assert!(controlled < 0.25 * free, "{controlled} and {free} m");
    assert!(
        report.halved > 0 && report.steps < 80,
        "{} steps",
        report.steps
    );
}

/// Anything from nothing to far too much.
fn wild(random: &mut Random) -> f64 {
    match random.below(8) {
        0 => 0.0,
        1 => 1e-30,
        2 => 1e12,
        3 => f64::NAN,
        4 => -1.0,
        _ => exp(random.range(-25.0, 5.0)),
    }
}

#[test]
fn whatever_is_asked_for_is_refused_or_runs_and_stays_finite() {
    let (mut refused, mut ran, mut most) = (0, 0, 0);
    for seed in 0..80 {
        let mut random = Random::new(seed);
        let n = 1 + random.below(12);
        let mut place = || {
            let mut v = || random.range(-0.1, 0.1);
            Vec3::new(v(), v(), v())
        };
        let points: Vec<Vec3> = (0..=n).map(|_| place()).collect();
        let mut strand = Strand::new("wild", Curve::through(&points));
        let p = &mut strand.parameters;
        for parameter in [
            &mut p.mass_per_length,
            &mut p.radius,
            &mut p.bend_stiffness,
            &mut p.twist_stiffness,
            &mut p.bend_ratio,
            &mut p.bend_damping,
            &mut p.drag,
            &mut p.friction_weight,
        ] {
            if random.below(4) == 0 {
                *parameter = wild(&mut random).into();
            }
        }
        if random.below(6) == 0 {
            strand.parameters.stretch_stiffness = Some(wild(&mut random).into());
        }
        // a base that jumps by up to ten metres and half a turn between keys, at times not a number
        let key = |k: u32, random: &mut Random| {
            let jump = if random.below(4) == 0 { 10.0 } else { 0.05 };
            let x = if random.below(60) == 0 {
                f64::NAN
            } else {
                random.range(-jump, jump)
            };
            let turn = rotation_about(Vec3::Z, random.range(-3.0, 3.0) * jump.min(1.0));
            Key::new(
                f64::from(k) * FRAME,
                Pose::new(Vec3::new(x, 0.0, 0.0), turn),
            )
        };
        let keys: Vec<Key> = (0..8).map(|k| key(k, &mut random)).collect();
        let Ok(path) = MotionPath::smooth(&keys) else {
            refused += 1;
            continue;
        };
        let mut model = Model::default();
        if model.add(strand.on(Base::on(path))).is_err() {
            refused += 1;
            continue;
        }
        let ball = Shape::sphere(0.05).unwrap();
        let at = Pose::at(Vec3::new(0.0, -0.12, 0.0));
        model
            .add_obstacle(Obstacle::fixed("ball", ball, at))
            .unwrap();
        // contradictory goals, out of reach as well
        for k in 0..random.below(4) {
            let to = Vec3::new(random.range(-3.0, 3.0), random.range(-0.2, 0.2), 0.0);
            let hold = ConstraintKind::Point {
                link: random.below(n),
                at: Vec3::ZERO,
                to: Anchor::World(MotionPath::fixed(Pose::at(to))),
            };
            model
                .add_constraint(Constraint::new(format!("{k}"), 0, hold))
                .unwrap();
        }
        let stretches = model.chains[0].extensible;
        let mut system = System::new(model, Options::default()).unwrap();
        ran += 1;
        for _ in 0..6 {
            let report = system.advance_frame(FRAME);
            let iterations = report.iterations.iter().zip(0u64..);
            most = most.max(iterations.map(|(count, k)| count * k).sum::<u64>());
            let reach = system.model.chains[0].reach;
            let (base, first) = (system.base(0), system.points(0));
            let from = base.point(system.model.chains[0].joint[0]);
            for p in first.into_iter().flatten() {
                assert!(p.is_finite(), "seed {seed}: {p}");
                let away = (p - from).length();
                assert!(
                    stretches || away < 1.001 * reach,
                    "seed {seed}: {away} m of {reach} m"
                );
            }
        }
    }
    assert!(refused > 10 && ran > 20, "{refused} refused, {ran} ran");
    // what cannot be solved is not tried for ever: a strand's frame is bounded
    assert!(most < 40_000, "{most} iterations in a frame"); // measured: 20 235
}

#[test]
fn a_minute_of_shaken_curls_fails_no_step() {
    let (mut points, mut direction) = (vec![Vec3::ZERO], Vec3::NEG_Y);
    for k in 0..15 {
        points.push(points[k] + direction * 0.008);
        direction = rotation_about(Vec3::new(0.3, 0.1, 1.0).normalize(), 0.5) * direction;
    }
    let keys: Vec<Key> = (0..24 * 60 + 2)
        .map(|k| f64::from(k) * FRAME)
        .map(|time| {
            let place = Vec3::X * (0.15 * sin(std::f64::consts::TAU * 2.0 * time));
            let turn = rotation_about(Vec3::Z, 0.7 * sin(std::f64::consts::TAU * 1.5 * time));
            Key::new(time, Pose::new(place, turn))
        })
        .collect();
    let base = Base::on(MotionPath::smooth(&keys).unwrap());
    let strand = Strand::new("curl", Curve::through(&points)).with(hair());
    let mut system = system(strand.on(base), Options::default());
    let report = run_frames(&mut system, 24 * 60);
    let (mean, _, most) = report.iteration_figures();
    assert_eq!(
        report.failed, 0,
        "{mean} iterations in the mean, {most} at most"
    );
}

/// Many strands that a base rocks a little, so that every step takes two iterations.
struct Rocked {
    system: System,
    warm: State,
    segments: usize,
    /// Least cost of a segment and step found so far \[s\].
    least: f64,
}

impl Rocked {
    fn new(strand: &Strand, copies: usize) -> Self {
        let key = |k: usize| {
            let time = k as f64 * FRAME;
            let place = Vec3::X * (1e-3 * sin(std::f64::consts::TAU * 2.0 * time));
            let pose = Pose::at(place);
            Key::new(time, pose)
        };
        let keys: Vec<Key> = (0..10).map(key).collect();
        let base = Base::on(MotionPath::smooth(&keys).unwrap());
        let mut model = Model::default();
        for k in 0..copies {
            let mut copy = strand.clone().on(base.clone());
            copy.name = format!("strand {k}");
            model.add(copy).unwrap();
        }
        let segments = model.chains.iter().map(Chain::len).sum();
        let alone = Options {
            parallel: false,
            ..options(4)
        };
        let mut system = System::new(model, alone).unwrap();
        run_frames(&mut system, 2);
        Self {
            warm: system.state.clone(),
            system,
            segments,
            least: f64::INFINITY,
        }
    }

    /// Takes the same frame of four steps again and again, for a while.
    fn measure(&mut self) {
        let (mut frames, mut busy) = (0, 0.0);
        while busy < 0.06 {
            self.system.state.clone_from(&self.warm);
            let before = busy_seconds();
            for _ in 0..4 {
                let watch = Stopwatch::start();
                let report = self.system.advance(FRAME / 4.0);
                self.least = self.least.min(watch.seconds() / self.segments as f64);
                let (mean, ..) = report.iteration_figures();
                assert!(mean == 2.0, "{mean} iterations, {} segments", self.segments);
            }
            (busy, frames) = (busy + busy_seconds() - before, frames + 1);
        }
        // a long step is seldom undisturbed, so that the time the processor gave it counts; of a short one that
        // is not known well
        self.least = self.least.min(busy / (4 * frames * self.segments) as f64);
    }
}

/// The largest over the least.
fn worst_of(costs: &[f64]) -> f64 {
    let least = costs.iter().fold(f64::INFINITY, |a, b| a.min(*b));
    costs.iter().fold(0.0f64, |a, b| a.max(*b)) / least
}

#[test]
fn a_segment_costs_the_same_in_short_strands_long_ones_many_and_trees() {
    let hanging = |n: usize| straight(Vec3::new(0.0, -0.008 * n as f64, 0.0), n);
    let tree = {
        // a trunk of 10 segments with four branches of 10, hanging as it does
        let mut tree = hanging(10);
        for k in 0..4 {
            let from = Vec3::new(0.0, -0.016 * f64::from(k + 1), 0.0);
            let curve = Curve::straight(from, from + Vec3::NEG_Y * 0.08, 10);
            tree.curves
                .push(curve.growing_from(0, 2 * (k as usize + 1)));
        }
        tree
    };
    let cases = [
        (hanging(10), 20),
        (hanging(50), 4),
        (hanging(200), 1),
        (tree, 4),
        (hanging(25), 1),
        (hanging(25), 100),
        (hanging(25), 300),
    ];
    let mut cases = cases.map(|(strand, copies)| Rocked::new(&strand, copies));
    // in turn, so that a machine that changes its pace changes it for all; again until it holds, for what else runs
    // can only make a case dearer
    let mut costs = [0.0; 7];
    for _ in 0..100 {
        for case in &mut cases {
            case.measure();
        }
        costs = cases.each_ref().map(|case| case.least);
        if worst_of(&costs) < 1.3 {
            break;
        }
    }
    let microseconds = costs.map(|s| (s * 1e9).round() / 1e3);
    let worst = worst_of(&costs);
    // measured: 1.06 times over length and in trees, 1.10 in 300 strands. Thousands no longer fit into the caches, and what
    // that costs is up to who else uses them: `--example cost linear` holds 10 000 to the same bar, on a machine that is left alone
    assert!(worst < 1.3, "{worst:.2} times: {microseconds:?} us");
}
