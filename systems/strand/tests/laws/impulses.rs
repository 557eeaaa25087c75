//! Impulses on bodies between two steps: what hangs from them takes its part at once.

use drystone_base::random::Random;
use drystone_base::{Mat3, Pose, Vec3};
use drystone_strand::*;

use crate::bodies::*;

/// Two bodies on a slack rope without weight.
fn dumbbell(ratio: f64) -> System {
    let sag = |k: u32| {
        let u = f64::from(k) / 12.0;
        Vec3::new(0.95 * u, -0.4 * u * (1.0 - u), 0.0)
    };
    let points: Vec<Vec3> = (0..=12).map(sag).collect();
    let rope = rope_through(&points, 1e-5);
    let mut model = on_body(ball(1.0), Vec3::ZERO, rope, 0.0, Vec3::ZERO);
    let body = model.add_body(ball(ratio * ROPE)).unwrap();
    let at = Pose::IDENTITY;
    hold_tip(&mut model, 0, Anchor::Body { body, at });
    start(model, &[Vec3::ZERO, points[12]], Vec3::ZERO)
}

/// Change of velocity and spin of body `b` by impulse and moment on body `a`.
fn block(tree: &TreeResponse, b: usize, a: usize, [p, l]: [Vec3; 2]) -> [Vec3; 2] {
    let n = 6 * tree.bodies.len();
    let at = |i: usize, j: usize| tree.matrix[(6 * b + i) * n + 6 * a + j];
    let part = |i: usize, j: usize| {
        Mat3::from_cols(
            Vec3::new(at(i, j), at(i + 1, j), at(i + 2, j)),
            Vec3::new(at(i, j + 1), at(i + 1, j + 1), at(i + 2, j + 1)),
            Vec3::new(at(i, j + 2), at(i + 1, j + 2), at(i + 2, j + 2)),
        )
    };
    [
        part(0, 0) * p + part(0, 3) * l,
        part(3, 0) * p + part(3, 3) * l,
    ]
}

/// What all bodies of `tree` receive: the motion of `dt / 2` under it, and where they are then.
fn received(system: &System, tree: &TreeResponse, list: &[[Vec3; 2]], dt: f64) -> Vec<BodyImpulse> {
    let body = |(k, body): (usize, &usize)| {
        let moved = list[k].map(|part| part * (0.5 * dt));
        let mut pose = system.body(*body).pose;
        for (a, _) in list.iter().enumerate() {
            let [shift, turn] = block(tree, k, a, list[a].map(|part| part * (0.5 * dt)));
            pose.position += shift;
            pose.rotation =
                (drystone_base::functions::rotation_vector(turn) * pose.rotation).normalize();
        }
        BodyImpulse {
            body: *body,
            impulse: list[k],
            moved,
            pose: Some(pose),
        }
    };
    tree.bodies.iter().enumerate().map(body).collect()
}

#[test]
fn bodies_answer_no_more_than_alone_and_alike_both_ways() {
    for ratio in RATIOS {
        let mut system = dumbbell(ratio);
        let mut report = Report::default();
        for _ in 0..5 {
            step(&mut system, 0.01, &mut report);
        }
        let tree = tree_of(&mut system, 0, 0.01).unwrap();
        assert_eq!(tree.bodies, [0, 1]);
        let n = 12;
        let mut random = Random::new(3);
        for _ in 0..200 {
            let p: Vec<f64> = (0..n).map(|_| random.range(-1.0, 1.0)).collect();
            let mut answer = 0.0;
            for i in 0..n {
                for j in 0..n {
                    assert_eq!(tree.matrix[i * n + j], tree.matrix[j * n + i]);
                    answer += p[i] * tree.matrix[i * n + j] * p[j];
                }
            }
            let alone: f64 = (0..2)
                .map(|k| {
                    let own = &system.model.bodies[k].body;
                    let linear = Vec3::from_slice(&p[6 * k..]).length_squared() / own.mass;
                    let angular = Vec3::from_slice(&p[6 * k + 3..]).length_squared();
                    linear + angular / own.inertia.xx
                })
                .sum();
            assert!(answer >= 0.0 && answer <= alone * (1.0 + 1e-9), "{ratio}");
        }
    }
}

#[test]
fn a_taut_rope_lets_a_weight_go_sideways_only() {
    for mass in [1e-3, 1.0, 1e3] {
        let mut system = lamp(mass, 0.0, false, 0.0, 10);
        let mut report = Report::default();
        for _ in 0..5 {
            step(&mut system, 0.01, &mut report);
        }
        let tree = tree_of(&mut system, 0, 0.01).unwrap();
        let [down, _] = block(&tree, 0, 0, [-Vec3::Y * mass, Vec3::ZERO]);
        let [across, _] = block(&tree, 0, 0, [Vec3::X * mass, Vec3::ZERO]);
        assert!(down.length() < 1e-6, "{mass} kg: {down}"); // measured: 3e-8
        assert!(across.x > 1e-3 && across.x <= 1.0, "{mass} kg: {across}");
    }
}

#[test]
fn kicks_between_steps_keep_momentum_and_give_no_more_energy_than_their_work() {
    for ratio in RATIOS {
        for dt in [0.002, 0.01, 0.02] {
            let mut system = dumbbell(ratio);
            let (mut report, mut random) = (Report::default(), Random::new(7));
            let (mut given, mut work, mut apart) = (Vec3::ZERO, 0.0, 0.0f64);
            let least = ratio.min(1.0) * ROPE;
            for _ in 0..100 {
                step(&mut system, dt, &mut report);
                let tree = tree_of(&mut system, 1, dt).unwrap();
                let mut any = || Vec3::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0), 0.1);
                let list: Vec<[Vec3; 2]> = (0..2)
                    .map(|_| [any() * (0.05 * least), Vec3::ZERO])
                    .collect();
                let mut wanted = Vec::new();
                for (k, own) in list.iter().enumerate() {
                    let before = system.body(k).linear_velocity;
                    let change = (0..2).map(|a| block(&tree, k, a, list[a])[0]).sum::<Vec3>();
                    work += own[0].dot(before + change * 0.5);
                    given += own[0];
                    wanted.push(before + change);
                }
                let all = received(&system, &tree, &list, dt);
                system.take_impulses(&all, &[], dt);
                for (k, wanted) in wanted.iter().enumerate() {
                    let off = (system.body(k).linear_velocity - *wanted).length();
                    assert!(off < 1e-9, "{ratio} {dt}: velocity off by {off:.1e}");
                }
                let tip = *system.points(0)[0].last().unwrap();
                apart = apart.max((tip - system.body(1).pose.position).length());
                let off = (momentum(&system) - given).length() / (1.0 + ratio * ROPE);
                assert!(off < 1e-9, "{ratio} {dt}: momentum off by {off:.1e}"); // measured: 2e-11
            }
            let left = energy(&system);
            assert_eq!(report.failed, 0, "{ratio} {dt}");
            // differences of second order keep account of energy to some thousandths
            assert!(
                left <= work * 1.01,
                "{ratio} {dt}: {left:.3e} of {work:.3e} J"
            ); // measured: 1.006
            assert!(apart < 1e-6, "{ratio} {dt}: {apart:.1e} m apart"); // measured: 4e-8
        }
    }
}

/// The tree of body `k`, as it answers within `span` seconds.
fn tree_of(system: &mut System, k: usize, span: f64) -> Option<TreeResponse> {
    let tree = system.tree_of(k);
    system.tree_response(&tree, span)
}

#[test]
fn segments_that_are_pushed_between_steps_and_in_them_keep_momentum() {
    for ratio in RATIOS {
        let mut system = dumbbell(ratio);
        let (mut report, mut random) = (Report::default(), Random::new(11));
        let (mut given, mut work) = (Vec3::ZERO, 0.0);
        let segments: Vec<Segment> = [2, 5, 6, 11].map(|link| Segment { strand: 0, link }).into();
        let (dt, least) = (0.002, ratio.min(1.0) * ROPE);
        for k in 0..100 {
            system.open_segments(segments.clone());
            // in the step: a force on one of them, for some time
            let force = match k % 20 {
                0..12 => Vec3::new(0.0, 0.3, 0.1) * least,
                _ => Vec3::ZERO,
            };
            let before = system.segment_motions(0)[5].pose.position;
            system.push_segment(segments[1], force, Vec3::ZERO);
            step(&mut system, dt, &mut report);
            given += force * dt;
            work += force.dot(system.segment_motions(0)[5].pose.position - before);
            // between steps: kicks on all
            let tree = system.tree_of(0);
            assert_eq!(tree.segments, segments);
            let response = system.tree_response(&tree, dt).unwrap();
            let n = 6 * (tree.bodies.len() + segments.len());
            let mut any = || Vec3::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0), 0.1);
            let list: Vec<Vec3> = segments.iter().map(|_| any() * (0.02 * least)).collect();
            let now = system.segment_motions(0);
            let pushed: Vec<SegmentImpulse> = segments
                .iter()
                .zip(&list)
                .map(|(segment, p)| SegmentImpulse {
                    segment: *segment,
                    impulse: [*p, Vec3::ZERO],
                    moved: [*p * (0.5 * dt), Vec3::ZERO],
                })
                .collect();
            let still = |k: &usize| BodyImpulse {
                body: *k,
                impulse: [Vec3::ZERO; 2],
                moved: [Vec3::ZERO; 2],
                pose: None,
            };
            let bodies: Vec<BodyImpulse> = tree.bodies.iter().map(still).collect();
            // what the response foretells of the velocity of each
            let change = |a: usize| {
                let mut sum = Vec3::ZERO;
                for (b, p) in list.iter().enumerate() {
                    for i in 0..3 {
                        let row = 6 * (tree.bodies.len() + a) + i;
                        let at = row * n + 6 * (tree.bodies.len() + b);
                        sum[i] += Vec3::from_slice(&response.matrix[at..at + 3]).dot(*p);
                    }
                }
                sum
            };
            system.take_impulses(&bodies, &pushed, dt);
            for (a, (segment, p)) in segments.iter().zip(&list).enumerate() {
                let before = now[segment.link].linear_velocity;
                let after = system.segment_motions(0)[segment.link].linear_velocity;
                let off = (after - before - change(a)).length();
                assert!(off < 1e-10, "{ratio}: velocity off by {off:.1e}"); // measured: below 1e-11
                work += p.dot(before + change(a) * 0.5);
                given += *p;
            }
            let off = (momentum(&system) - given).length() / (1.0 + ratio * ROPE);
            assert!(off < 1e-10, "{ratio}: momentum off by {off:.1e}"); // measured: 2e-11
        }
        let left = energy(&system);
        assert_eq!(report.failed, 0, "{ratio}");
        assert!(left <= work * 1.02, "{ratio}: {left:.3e} of {work:.3e} J"); // measured: 1.0003
    }
}
