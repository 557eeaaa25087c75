//! Points, poses and joints that are held.

use crate::build::*;
use drystone_base::functions::{cos, rotation_about, sin};
use drystone_base::{Pose, Vec3};
use drystone_strand::*;

/// `strand` with its tip held by `to`.
fn held(strand: Strand, to: Anchor, options: Options) -> System {
    let mut model = Model::default();
    let i = model.add(strand).unwrap();
    let link = model.chains[i].link(0, model.chains[i].len() - 1).unwrap();
    let at = Vec3::Y * model.chains[i].length[link];
    model
        .add_constraint(Constraint::new(
            "tip",
            i,
            ConstraintKind::Point { link, at, to },
        ))
        .unwrap();
    System::new(model, options).unwrap()
}

fn fixed(position: Vec3) -> Anchor {
    Anchor::World(MotionPath::fixed(Pose::at(position)))
}

#[test]
fn a_limp_strand_between_two_nails_hangs_as_a_catenary() {
    // sag over length for a span of half and of four fifths of the length
    for (span, expected) in [(0.5, 0.39819), (0.8, 0.26544)] {
        let (length, n) = (0.2, 40);
        // start in the shape of a V
        let depth = 0.5 * length * f64::sqrt(1.0 - span * span);
        let point = |k: usize| {
            let s = k as f64 / n as f64;
            Vec3::new(
                span * length * s,
                -depth * (1.0 - (2.0 * s - 1.0).abs()),
                0.0,
            )
        };
        let points: Vec<Vec3> = (0..=n).map(point).collect();
        let mut strand = Strand::new("chain", Curve::through(&points)).with(hair());
        strand.root = 0.0;
        strand.parameters.bend_stiffness = 1e-14.into();
        strand.parameters.twist_stiffness = 1e-14.into();
        strand.parameters.drag = 3e-5.into();
        let end = Vec3::new(span * length, 0.0, 0.0);
        let mut system = held(strand, fixed(end), options(4));
        let report = run_frames(&mut system, 24 * 6);
        assert_eq!(report.failed, 0);
        let lowest = system.points(0)[0]
            .iter()
            .fold(0.0f64, |low, p| low.min(p.y));
        let sag = -lowest / length;
        let off = (tip(&system, 0) - end).length();
        // measured: 0.39844, 0.26553 with 40 segments; 1e-12 m
        assert!(
            (sag - expected).abs() < 5e-4,
            "span {span}: sag {sag}, {expected} expected"
        );
        assert!(off < 1e-7, "{off:.1e} m");
    }
}

#[test]
fn a_tip_follows_its_path() {
    let keys: Vec<Key> = (0..50)
        .map(|k| f64::from(k) * FRAME)
        .map(|time| {
            let place = Vec3::new(
                0.1 + 0.05 * sin(6.0 * time),
                -0.1,
                0.06 * (cos(8.0 * time) - 1.0),
            );
            Key::new(time, Pose::at(place))
        })
        .collect();
    let path = MotionPath::smooth(&keys).unwrap();
    for base in [false, true] {
        let mut strand = Strand::new(
            "strand",
            Curve::through(&[
                Vec3::ZERO,
                Vec3::new(0.05, 0.0, 0.0),
                Vec3::new(0.1, 0.0, 0.0),
                Vec3::new(0.15, 0.0, 0.0),
                Vec3::new(0.15, -0.05, 0.0),
                Vec3::new(0.1, -0.1, 0.0),
            ]),
        )
        .with(hair());
        if base {
            // the base moves too, and only part of that is felt
            let keys: Vec<Key> = (0..50)
                .map(|k| f64::from(k) * FRAME)
                .map(|time| {
                    let pose = Pose::new(
                        Vec3::Z * (0.05 * sin(7.0 * time)),
                        rotation_about(Vec3::Y, 0.3 * sin(5.0 * time)),
                    );
                    Key::new(time, pose)
                })
                .collect();
            strand.base = Base::on(MotionPath::smooth(&keys).unwrap());
            strand.base.time_scale = 0.5.into();
        }
        let mut system = held(strand, Anchor::World(path.clone()), options(4));
        let mut worst = 0.0f64;
        for k in 0..40 {
            let report = system.advance_frame(FRAME);
            assert_eq!(report.failed, 0);
            if k < 12 {
                continue;
            }
            worst = worst.max((tip(&system, 0) - path.pose(system.state.time).position).length());
        }
        assert!(worst < 2e-6, "{worst:.1e} m"); // measured: 3e-7, 4e-7
    }
}

#[test]
fn a_constraint_that_comes_on_brings_its_point_in_without_a_jump() {
    let goal = Vec3::new(0.12, -0.05, 0.05);
    let mut system = held(
        straight(Vec3::new(0.0, -0.2, 0.0), 20),
        fixed(goal),
        options(8),
    );
    system.state.constraint_on[0] = false;
    run_frames(&mut system, 6);
    let free = tip(&system, 0);
    assert!((free - Vec3::new(0.0, -0.2, 0.0)).length() < 1e-6, "{free}");
    system.model.constraints[0].frequency = 20.0;
    system.state.constraint_on[0] = true;
    let (mut before, mut fastest, mut distance) = (free, 0.0f64, (free - goal).length());
    for _ in 0..24 {
        system.advance(FRAME / 8.0);
        let now = tip(&system, 0);
        fastest = fastest.max((now - before).length() / (FRAME / 8.0));
        let next = (now - goal).length();
        assert!(
            next < distance + 1e-6,
            "it comes nearer: {next} after {distance} m"
        );
        (before, distance) = (now, next);
    }
    run_frames(&mut system, 18);
    let left = (tip(&system, 0) - goal).length();
    // a critically damped return of d at rate ω is no faster than d ω / e; measured: 1.46 m/s, 1e-7 m
    let distance = (free - goal).length();
    assert!(
        fastest < 1.05 * distance * 20.0 / std::f64::consts::E,
        "{fastest} m/s"
    );
    assert!(left < 1e-5, "{left:.1e} m");
    system.state.constraint_on[0] = false;
    let report = run_frames(&mut system, 24);
    assert_eq!(report.failed, 0);
    assert!(system.state.strands[0].multipliers.is_empty());
}

#[test]
fn contradictory_constraints_are_a_bounded_compromise() {
    let (a, b) = (Vec3::new(0.1, -0.12, 0.0), Vec3::new(0.06, -0.1, 0.05));
    let mut system = held(
        straight(Vec3::new(0.1, -0.12, 0.0), 20),
        fixed(a),
        options(4),
    );
    let link = 19;
    let at = Vec3::Y * system.model.chains[0].length[link];
    system
        .model
        .add_constraint(Constraint::new(
            "other",
            0,
            ConstraintKind::Point {
                link,
                at,
                to: fixed(b),
            },
        ))
        .unwrap();
    // and out of reach
    let far = Vec3::new(0.0, 0.5, 0.0);
    let report = run_frames(&mut system, 24);
    let off = (tip(&system, 0) - (a + b) * 0.5).length();
    // measured: 5e-14 m
    assert!(
        off < 1e-6 && report.failed == 0,
        "{off:.1e} m, {} failed",
        report.failed
    );
    let mut system = held(
        straight(Vec3::new(0.0, -0.2, 0.0), 20),
        fixed(far),
        options(4),
    );
    let report = run_frames(&mut system, 48);
    let found = tip(&system, 0);
    // all but straight, with a force that is bounded; measured: 0.19998 m, 0.17 N
    let force = system.state.strands[0].multipliers[0].force[1];
    assert!((found - Vec3::Y * 0.2).length() < 1e-3, "{found}");
    assert!(
        report.failed == 0 && force.abs() < 10.0,
        "{} failed, {force} N",
        report.failed
    );
    system.state.constraint_on[0] = false;
    let report = run_frames(&mut system, 24);
    assert_eq!(report.failed, 0);
}

#[test]
fn a_driven_joint_follows_its_keys() {
    let rest = system(straight(Vec3::new(0.0, -0.2, 0.0), 10), options(4));
    let q = rest.state.strands[0].rotation[4];
    let keys: Vec<Key> = (0..30)
        .map(|k| f64::from(k) * FRAME)
        .map(|time| {
            Key::new(
                time,
                Pose::new(Vec3::ZERO, q * rotation_about(Vec3::X, sin(5.0 * time))),
            )
        })
        .collect();
    let to = MotionPath::smooth(&keys).unwrap();
    let mut model = Model::default();
    model.add(straight(Vec3::new(0.0, -0.2, 0.0), 10)).unwrap();
    let hold = ConstraintKind::Joint {
        link: 4,
        axes: [true; 3],
        to: to.clone(),
    };
    model
        .add_constraint(Constraint::new("joint", 0, hold))
        .unwrap();
    let mut system = System::new(model, options(4)).unwrap();
    let mut worst = 0.0f64;
    for _ in 0..24 {
        assert_eq!(system.advance_frame(FRAME).failed, 0);
        let (found, wanted) = (
            system.state.strands[0].rotation[4],
            to.pose(system.state.time).rotation,
        );
        worst = worst.max(2.0 * (wanted.conjugate() * found).xyz().length());
    }
    assert!(worst < 1e-5, "{worst:.1e} rad"); // measured: 3e-8
}

#[test]
fn a_ring_closed_by_a_constraint_stays_closed() {
    let n = 24;
    let point = |k: usize| {
        let angle = std::f64::consts::TAU * k as f64 / n as f64;
        Vec3::new(0.03 * sin(angle), 0.03 * (cos(angle) - 1.0), 0.0)
    };
    let points: Vec<Vec3> = (0..=n).map(point).collect();
    let mut strand = Strand::new("ring", Curve::through(&points)).with(hair());
    strand.root = 0.0;
    let mut model = Model::default();
    model.add(strand).unwrap();
    let last = n - 1;
    let length = model.chains[0].length[last];
    // the far end is where the first link starts, turned by one more corner
    let links = System::new(model.clone(), options(4)).unwrap().links(0);
    let turn = links[0].rotation.conjugate() * links[last].rotation;
    let hold = ConstraintKind::Pose {
        link: last,
        at: Pose::at(Vec3::Y * length),
        to: Anchor::Link {
            link: 0,
            at: Pose::new(Vec3::ZERO, turn),
        },
    };
    model
        .add_constraint(Constraint::new("clasp", 0, hold))
        .unwrap();
    let mut system = System::new(model, options(8)).unwrap();
    let mut worst = 0.0f64;
    let mut report = Report::default();
    for _ in 0..36 {
        report.add(&system.advance_frame(FRAME));
        let points = system.points(0);
        worst = worst.max((points[0][n] - points[0][0]).length());
    }
    let lowest = system.points(0)[0]
        .iter()
        .fold(0.0f64, |low, p| low.min(p.y));
    // measured: 8e-9 m, 1.8 iterations; the ring hangs longer than it was wide
    assert!(
        worst < 1e-6 && report.failed == 0,
        "{worst:.1e} m, {} failed",
        report.failed
    );
    assert!((-0.07..-0.0601).contains(&lowest), "{lowest} m");
}

#[test]
fn a_strand_held_by_base_and_pose_at_its_tip_is_symmetric() {
    // both ends clamped level: it sags like its mirror image
    let n = 20;
    let mut model = Model::default();
    model.add(straight(Vec3::new(0.1, 0.0, 0.0), n)).unwrap();
    let links = System::new(model.clone(), options(4)).unwrap().links(0);
    let at = Pose::at(Vec3::Y * model.chains[0].length[n - 1]);
    let to = Anchor::Base(Pose::new(
        Vec3::new(0.0999, 0.0, 0.0),
        links[n - 1].rotation,
    ));
    let hold = ConstraintKind::Pose {
        link: n - 1,
        at,
        to,
    };
    model
        .add_constraint(Constraint::new("clamp", 0, hold))
        .unwrap();
    let mut system = System::new(model, options(4)).unwrap();
    let report = run_frames(&mut system, 24 * 4);
    assert_eq!(report.failed, 0);
    let points = &system.points(0)[0];
    for k in 0..=n {
        let (a, b) = (points[k], points[n - k]);
        assert!((a.y - b.y).abs() < 3e-4, "{k}: {a} and {b}"); // measured: 2e-4, the root cell is half
    }
    assert!(points[n / 2].y < -1e-3, "{}", points[n / 2]);
}

#[test]
fn bad_constraints_are_refused_by_name() {
    let mut model = Model::default();
    model.add(straight(Vec3::X, 3)).unwrap();
    let hold = |link| ConstraintKind::Point {
        link,
        at: Vec3::ZERO,
        to: fixed(Vec3::ZERO),
    };
    let text = |model: &mut Model, c| model.add_constraint(c).unwrap_err().to_string();
    assert!(
        text(&mut model, Constraint::new("pin", 4, hold(0))).contains("`pin`: the strand is 4")
    );
    assert!(text(&mut model, Constraint::new("pin", 0, hold(9))).contains("the link is 9"));
    let to = |strand, link| ConstraintKind::Point {
        link: 0,
        at: Vec3::ZERO,
        to: Anchor::Strand {
            strand,
            link,
            at: Pose::IDENTITY,
        },
    };
    let found = text(&mut model, Constraint::new("pin", 0, to(0, 0)));
    assert!(found.contains("the strand it is tied to is 0"), "{found}");
    model
        .add(Strand::new(
            "other",
            Curve::straight(Vec3::ZERO, Vec3::X, 2),
        ))
        .unwrap();
    let found = text(&mut model, Constraint::new("pin", 0, to(1, 5)));
    assert!(found.contains("the link it is tied to is 5"), "{found}");
    model
        .add_constraint(Constraint::new("pin", 0, hold(1)))
        .unwrap();
    assert!(text(&mut model, Constraint::new("pin", 0, hold(1))).contains("used twice"));
}

/// Holds point `at` \[m\] of link `link` of strand `a` to the tip of strand `b`.
fn tied(model: &mut Model, name: &str, a: (usize, usize, Vec3), b: usize, turned: bool) {
    let (strand, link, at) = a;
    let last = model.chains[b].len() - 1;
    let on = Pose::at(Vec3::Y * model.chains[b].length[last]);
    let to = Anchor::Strand {
        strand: b,
        link: last,
        at: on,
    };
    let hold = if turned {
        let links = |i: usize| {
            let mut links = Vec::new();
            let chain = &model.chains[i];
            let base = chain.base.path.pose(0.0);
            place(chain, &chain.start_rotation, &[], &base, &mut links);
            links
        };
        let turn = links(b)[last].rotation.conjugate() * links(strand)[link].rotation;
        let to = Anchor::Strand {
            strand: b,
            link: last,
            at: Pose::new(on.position, turn),
        };
        ConstraintKind::Pose {
            link,
            at: Pose::at(at),
            to,
        }
    } else {
        ConstraintKind::Point { link, at, to }
    };
    model
        .add_constraint(Constraint::new(name, strand, hold))
        .unwrap();
}

#[test]
fn two_limp_strands_tied_at_their_tips_hang_as_one_catenary() {
    for (span, expected) in [(0.5, 0.39819), (0.8, 0.26544)] {
        let (length, n) = (0.2, 20);
        let depth = 0.5 * length * f64::sqrt(1.0 - span * span);
        let middle = Vec3::new(0.0, -depth, 0.0);
        let mut model = Model::default();
        for side in [-0.5, 0.5] {
            let nail = Vec3::X * (side * span * length);
            let curve = Curve::straight(nail, middle, n);
            let mut strand = Strand::new(format!("side {side}"), curve).with(hair());
            strand.root = 0.0;
            strand.parameters.bend_stiffness = 1e-14.into();
            strand.parameters.twist_stiffness = 1e-14.into();
            strand.parameters.drag = 3e-5.into();
            model.add(strand).unwrap();
        }
        let at = Vec3::Y * model.chains[0].length[n - 1];
        tied(&mut model, "knot", (0, n - 1, at), 1, false);
        let mut system = System::new(model, options(4)).unwrap();
        let (mut apart, mut report) = (0.0f64, Report::default());
        for _ in 0..24 * 6 {
            report.add(&system.advance_frame(FRAME));
            apart = apart.max((tip(&system, 0) - tip(&system, 1)).length());
        }
        let sag = -tip(&system, 0).y / length;
        let weight = 6.5345e-6 * length * 9.81;
        let push: Vec3 = system
            .state
            .strands
            .iter()
            .map(|strand| strand.base_impulse[0] / (FRAME / 4.0))
            .sum();
        let off = (push - Vec3::Y * weight).length() / weight;
        // measured: 0.39844, 0.26553; 3e-9 m apart; 1e-9 of the weight
        assert!(
            (sag - expected).abs() < 5e-4,
            "span {span}: sag {sag}, {expected} expected"
        );
        assert!(
            apart < 1e-7 && report.failed == 0,
            "{apart:.1e} m apart, {} failed",
            report.failed
        );
        assert!(off < 1e-6, "the nails carry the weight but for {off:.1e}");
    }
}

#[test]
fn strands_that_are_tied_pull_each_other_with_equal_force() {
    // two swings of different weight, the tip of one tied to the middle of the other, let go
    let run = |tie: bool| {
        let mut model = Model::default();
        let heavy = Strand::new(
            "heavy",
            Curve::straight(Vec3::ZERO, Vec3::new(0.2, 0.0, 0.0), 10),
        );
        model
            .add(heavy.with(Parameters::rod(1e-3, 1e7, 1000.0, 0.3)))
            .unwrap();
        let light = Strand::new(
            "light",
            Curve::straight(Vec3::new(0.3, 0.1, 0.0), Vec3::new(0.1, 0.0, 0.0), 12),
        );
        model
            .add(light.with(Parameters::rod(5e-4, 1e7, 1000.0, 0.3)))
            .unwrap();
        if tie {
            tied(&mut model, "tie", (0, 4, Vec3::Y * 0.02), 1, false);
        }
        let mut system = System::new(model, options(64)).unwrap();
        let mut impulse = Vec3::ZERO;
        let mut apart = 0.0f64;
        for _ in 0..64 * 6 {
            system.advance(FRAME / 64.0);
            for strand in &system.state.strands {
                impulse += strand.base_impulse[0];
            }
            let links = system.links(0);
            apart = apart.max((links[4].tip - tip(&system, 1)).length());
        }
        let mass: f64 = (0..2)
            .flat_map(|i| system.properties(i).links.iter().map(|link| link.mass))
            .sum();
        let weight = Vec3::NEG_Y * (mass * 9.81 * system.state.time);
        let momentum = energy::linear_momentum(&system);
        let off = (momentum - impulse - weight).length() / weight.length();
        let force = system.state.strands[0]
            .multipliers
            .first()
            .map(|held| held.force);
        (apart, off, force)
    };
    let (apart, off, force) = run(true);
    // measured: 2e-8 m apart; momentum to 2e-3 of the weight's impulse, as without the tie
    assert!(apart < 1e-6, "{apart:.1e} m apart");
    assert!(off < 1e-2, "momentum is off by {off:.1e}");
    assert!(force.is_some_and(|f| f[1].abs() > 1e-5), "{force:?} N");
    let (apart, _, force) = run(false);
    assert!(apart > 0.01 && force.is_none(), "{apart} m without the tie");
}

#[test]
fn a_strand_cut_in_two_and_welded_hangs_as_the_whole() {
    // a bow between a clamp and a nail, whose middle joint is locked
    let n = 16;
    let far = Vec3::new(0.12, -0.04, 0.0);
    let point = |k: usize| {
        let s = k as f64 / n as f64;
        far * s - Vec3::Y * (0.04 * sin(std::f64::consts::PI * s))
    };
    let points: Vec<Vec3> = (0..=n).map(point).collect();
    let limp = Parameters {
        bend_stiffness: 1e-10.into(),
        twist_stiffness: 1e-10.into(),
        drag: 3e-5.into(),
        ..hair()
    };
    let strand =
        |name: &str, points: &[Vec3]| Strand::new(name, Curve::through(points)).with(limp.clone());
    let mut whole = Model::default();
    whole.add(strand("whole", &points)).unwrap();
    let chain = &whole.chains[0];
    let (link, at) = (n - 1, Vec3::Y * chain.length[n - 1]);
    let lock = Pose::new(Vec3::ZERO, chain.start_rotation[n / 2]);
    let to = fixed(far);
    let nail = Constraint::new("nail", 0, ConstraintKind::Point { link, at, to });
    let hold = ConstraintKind::Joint {
        link: n / 2,
        axes: [true; 3],
        to: MotionPath::fixed(lock),
    };
    whole.add_constraint(nail).unwrap();
    whole
        .add_constraint(Constraint::new("lock", 0, hold))
        .unwrap();
    // the same from both sides, welded in the middle
    let mut halves = Model::default();
    halves.add(strand("left", &points[..=n / 2])).unwrap();
    let back: Vec<Vec3> = points[n / 2..].iter().rev().copied().collect();
    let mut right = strand("right", &back);
    right.root = 0.0;
    halves.add(right).unwrap();
    let at = Vec3::Y * halves.chains[0].length[n / 2 - 1];
    tied(&mut halves, "weld", (0, n / 2 - 1, at), 1, true);
    let settled = |model: Model| {
        let mut system = System::new(model, Options::default()).unwrap();
        let report = run_frames(&mut system, 24 * 6);
        assert_eq!(report.failed, 0);
        system
    };
    let (one, two) = (settled(whole), settled(halves));
    let found = &one.points(0)[0];
    let mut worst = 0.0f64;
    for (k, p) in two.points(0)[0].iter().enumerate() {
        worst = worst.max((*p - found[k]).length());
    }
    for (k, p) in two.points(1)[0].iter().enumerate() {
        worst = worst.max((*p - found[n - k]).length());
    }
    let sagged = (found[n / 2] - points[n / 2]).length();
    assert!(worst < 1e-5, "{worst:.1e} m apart, {sagged:.1e} m sagged");
    assert!(sagged > 1e-3, "{sagged:.1e} m");
    let held = &two.state.strands[0].multipliers[0];
    // what is held gives way by a millionth of what the strand would; measured: 1.4e-6 m
    assert!(held.error < 1e-5, "{held:?}");
}

#[test]
fn a_tie_between_strands_comes_and_goes_and_snapshots_resume() {
    let mut model = Model::default();
    for k in 0..3 {
        let x = 0.02 * f64::from(k);
        let curve = Curve::straight(Vec3::X * x, Vec3::new(x, -0.1, 0.02 * f64::from(k)), 8);
        model
            .add(Strand::new(format!("hair {k}"), curve).with(hair()))
            .unwrap();
    }
    let at = Vec3::Y * model.chains[0].length[7];
    tied(&mut model, "a", (0, 7, at), 1, false);
    tied(&mut model, "b", (2, 5, at), 1, false);
    model.constraints[1].active =
        Ramp::through(&[[0.5, 0.0], [0.51, 1.0], [1.0, 1.0], [1.01, 0.0]]);
    let mut system = System::new(model.clone(), Options::default()).unwrap();
    run_frames(&mut system, 16);
    let snapshot = system.state.clone();
    let report = run_frames(&mut system, 40);
    assert_eq!(report.failed, 0);
    let alone = Options {
        parallel: false,
        ..Options::default()
    };
    let mut other = System::new(model, alone).unwrap();
    other.restore(snapshot).unwrap();
    run_frames(&mut other, 40);
    assert_eq!(system.state, other.state);
    assert!(system.state.strands[2].multipliers.is_empty());
    let left = (tip(&system, 0) - tip(&system, 1)).length();
    assert!(left < 1e-6, "{left:.1e} m"); // measured: 1e-12
}
