//! Worlds run, stop, resume, and are held to truths.

use drystone_base::Vec3;
use drystone_world::*;

fn stack(count: u32) -> Scene {
    let mut scene = Scene::new();
    scene.ground_slab(100.0, 1.0, 100.0);
    scene.generate(Generator::new(
        "stack",
        Pattern::Stack(Stack {
            count,
            ..Stack::default()
        }),
    ));
    scene
}

#[test]
fn a_dropped_ball_falls_on_its_parabola() {
    let mut scene = Scene::new();
    scene.add(Body::ball(0.1).named("ball").at(0.0, 10.0, 0.0));
    let mut world = World::new(&scene).unwrap();
    world.run_for(1.0);
    let fallen = 10.0 - world.frame().bodies[0].pose.position.y;
    let wanted = 0.5 * 9.81;
    let error = (fallen - wanted).abs();
    assert!(error < 1e-12, "fell {fallen} m instead of {wanted} m"); // measured: 9e-15
    assert!((world.time() - 1.0).abs() < 1e-12);
}

#[test]
fn a_snapshot_resumes_bit_for_bit() {
    let mut scene = stack(5);
    scene.add(
        Body::ball(0.3)
            .named("late")
            .at(-3.0, 1.0, 0.2)
            .velocity(6.0, 0.0, 0.0)
            .enters_at(0.3),
    );
    let mut world = World::new(&scene).unwrap();
    world.run_for(0.5);
    let text = serde_json::to_string(&world.snapshot()).unwrap();
    world.run_for(0.5);
    let straight = world.snapshot();

    let mut resumed = World::new(&scene).unwrap();
    resumed
        .restore(&serde_json::from_str(&text).unwrap())
        .unwrap();
    resumed.run_for(0.5);
    assert!(resumed.snapshot() == straight, "resumed run differs");

    // and the same world goes back and forth
    world
        .restore(&serde_json::from_str(&text).unwrap())
        .unwrap();
    world.run_for(0.5);
    assert!(world.snapshot() == straight, "repeated run differs");
}

#[test]
fn a_snapshot_of_another_scene_is_refused() {
    let snapshot = World::new(&stack(3)).unwrap().snapshot();
    let mut other = World::new(&stack(4)).unwrap();
    assert!(matches!(
        other.restore(&snapshot),
        Err(SceneError::OtherScene { .. })
    ));
    // names, truths and the camera do not matter
    let mut same = stack(3);
    same.name = "renamed".into();
    same.duration = 99.0;
    same.truth(truth::stays_finite());
    World::new(&same).unwrap().restore(&snapshot).unwrap();
}

#[test]
fn a_damaged_snapshot_is_refused() {
    let mut world = World::new(&stack(3)).unwrap();
    world.run_for(0.1);
    let good = world.snapshot();
    let mut cut = good.clone();
    cut.rigid.position.pop();
    let mut odd = good.clone();
    odd.rigid.rotation[1] = drystone_base::Quat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0);
    let mut wild = good.clone();
    wild.rigid.contacts.patches[0].first = 9999;
    for bad in [cut, odd, wild] {
        assert!(world.restore(&bad).is_err());
    }
    world.restore(&good).unwrap();
}

#[test]
fn frames_show_who_has_entered_and_contacts_carry_the_weight() {
    let mut scene = stack(3);
    scene.add(
        Body::ball(0.3)
            .named("late")
            .at(5.0, 10.0, 0.0)
            .enters_at(0.5),
    );
    let mut world = World::new(&scene).unwrap();
    world.run_for(0.4);
    let frame = world.frame_with_contacts();
    let row = |name| world.body(world.find(name).unwrap()).unwrap().row();
    let late = row("late");
    assert!(!frame.bodies[late].visible);
    let ground = row("ground");
    let weight: f64 = frame
        .contacts
        .iter()
        .filter(|c| c.a == ground || c.b == ground)
        .map(|c| if c.a == ground { c.force.y } else { -c.force.y })
        .sum();
    let wanted = 3.0 * 1000.0 * 9.81;
    assert!(
        (weight / wanted - 1.0).abs() < 0.02,
        "ground carries {weight} N of {wanted} N"
    );
    world.run_for(0.2);
    assert!(world.frame().bodies[late].visible);
}

#[test]
fn a_body_may_be_added_while_running() {
    let mut world = World::new(&stack(2)).unwrap();
    world.run_for(0.1);
    let ball = Body::ball(0.2).named("ball").at(0.0, 4.0, 0.0);
    let id = world.add(ball.clone()).unwrap();
    assert_eq!(world.find("ball"), Some(id));
    assert!(world.add(ball).is_err());
    assert!(world.add(Body::ball(-0.2).named("other")).is_err());
    world.run_for(0.5);
    assert!(world.body(id).unwrap().pose().position.y < 3.9);
}

#[test]
fn a_perturbed_stack_has_gaps_and_no_overlaps() {
    let scene = stack(10).perturbed(0.005, 3).unwrap();
    let world = World::new(&scene).unwrap();
    assert_eq!(Penetration::of(world.system()).pairs, 0);
    let mut previous: Option<Vec3> = None;
    for body in scene
        .bodies
        .iter()
        .filter(|body| body.name.starts_with("stack/"))
    {
        let at = Vec3::from(body.position);
        assert!(at.x.abs() <= 0.005 && at.z.abs() <= 0.005 && at.x != 0.0);
        let gap = previous.map_or(at.y - 0.5, |p| at.y - p.y - 1.0);
        assert!((gap - 0.0005).abs() < 1e-12, "gap {gap}");
        previous = Some(at);
    }
    assert_ne!(stack(10).perturbed(0.005, 4).unwrap(), scene);
}

#[test]
fn perturbed_neighbours_do_not_push_into_each_other() {
    // measured: 1e-15 m at most, but 4.6 mm in the house and 4.4 mm in the arch, whose last stones
    // find no room
    for (pattern, most) in [
        (Pattern::Wall(Wall::default()), 1e-6),
        (Pattern::Ring(Ring::default()), 1e-6),
        (Pattern::CardHouse(CardHouse::default()), 1e-6),
        (
            Pattern::Pyramid(Pyramid {
                base: 6,
                ..Pyramid::default()
            }),
            1e-6,
        ),
        (Pattern::House(House::default()), 5e-3),
        (Pattern::Arch(Arch::default()), 5e-3),
    ] {
        let kind = pattern.kind();
        let mut scene = Scene::new();
        scene.ground();
        scene.generate(Generator::new("x", pattern));
        for seed in 0..3 {
            let world = World::new(&scene.perturbed(0.005, seed).unwrap()).unwrap();
            let deepest = Penetration::of(world.system()).deepest;
            assert!(deepest <= most, "{kind}: {deepest} m");
        }
    }
}

#[test]
fn penetration_is_measured_from_poses() {
    let mut scene = Scene::new();
    scene.add(Body::cube(1.0).named("a"));
    scene.add(Body::cube(1.0).named("b").at(0.0, 0.9, 0.0));
    scene.add(Body::ball(0.5).named("c").at(5.0, 0.0, 0.0));
    scene.add(Body::ball(0.5).named("d").at(5.0, 0.0, 0.98));
    let found = Penetration::of(World::new(&scene).unwrap().system());
    assert_eq!((found.pairs, found.worst), (2, Some((0, 1))));
    assert!((found.deepest - 0.1).abs() < 1e-12 && (found.mean - 0.06).abs() < 1e-12);
}

#[test]
fn the_recorder_reports_the_run() {
    let mut world = World::new(&stack(4)).unwrap();
    let mut recorder = Recorder::new(&world);
    recorder.frame(&world);
    for _ in 0..10 {
        for _ in 0..world.scene().steps_per_frame() {
            let report = world.step();
            recorder.step(&report);
        }
        recorder.frame(&world);
    }
    let report = recorder.report(&world, 1.0);
    assert_eq!(
        (report.steps, report.frames.len(), report.bodies),
        (20, 11, 5)
    );
    assert!((report.frames[10].time - 0.2).abs() < 1e-12);
    let wanted = 1000.0 * 9.81 * (0.5 + 1.5 + 2.5 + 3.5);
    assert!((report.frames[0].potential_energy / wanted - 1.0).abs() < 1e-12);
    let spread = report.step_seconds.total;
    assert!(spread.mean > 0.0 && spread.p95 <= spread.max && spread.mean <= spread.max);
    let back: RunReport = serde_json::from_str(&serde_json::to_string(&report).unwrap()).unwrap();
    assert_eq!(back, report);
}

#[test]
fn truths_of_a_free_body_are_judged_right() {
    let mut scene = Scene::new();
    scene.duration = 1.0;
    scene.gravity = [0.0; 3];
    scene.add(
        Body::ball(0.5)
            .named("ball")
            .velocity(2.0, 0.0, 0.0)
            .spin(0.0, 1.0, 0.0),
    );
    let body = "ball";
    let x = [1.0, 0.0, 0.0];
    let cases = [
        (truth::moved_by(body, x, 2.0, 1e-9), true),
        (truth::moved_by(body, x, 1.0, 1e-9).over(0.5..), true),
        (truth::moved_by(body, x, 1.0, 1e-9), false),
        (truth::speed_is(body, 2.0, 1e-9).at(0.3), true),
        (
            truth::speed_is(body, -2.0, 1e-9).with("along", [-1.0, 0.0, 0.0]),
            true,
        ),
        (truth::spin_is(body, 1.0, 1e-9), true),
        (truth::turned_by(body, 57.29578, 0.01), true),
        (truth::tumbles(body, 90.0), false),
        (truth::tumbles(body, 50.0), true),
        (truth::stands_still(body, 0.1).with("sideways", true), false),
        (
            truth::stands_still(body, 0.1)
                .over(..0.04)
                .with("sideways", true),
            true,
        ),
        (truth::moves(body, 1.9), true),
        (truth::moves(body, 1.9).over(..0.5), false),
        (truth::falls(body, 0.1, 0.0, 1.0), false),
        (truth::momentum_kept(1e-12), true),
        (truth::angular_momentum_kept(1e-9), true),
        (truth::energy_never_rises(1e-9), true),
        (truth::kinetic_energy_below().with("per_kg", 2.06), true),
        (truth::kinetic_energy_below().with("per_kg", 2.04), false),
        (truth::speed_below(body, 1.9), false),
        (truth::comes_to_rest(body, 0.5), false),
        (truth::stays_inside(body, [-1.0; 3], [1.0; 3]), false),
        (truth::stays_inside(body, [-1.0; 3], [2.1; 3]), true),
        (truth::stays_above(body, -0.1), true),
        (truth::penetration_below(0.0), true),
        (truth::contact_count(0).with("at_most", 0_u64), true),
        (truth::stays_finite(), true),
        (truth::speed_is(body, 2.0, 1.0).at(3.0), false),
    ];
    scene.truths = cases.iter().map(|case| case.0.clone()).collect();
    let mut steps = 0;
    let verdicts = check(&scene, |_| steps += 1).unwrap();
    assert_eq!(steps, 100);
    for (verdict, (_, holds)) in verdicts.iter().zip(&cases) {
        assert_eq!(
            verdict.holds, *holds,
            "{}: {}",
            verdict.truth, verdict.measured
        );
    }
}

#[test]
fn a_falling_body_falls_at_its_time_and_a_standing_one_stands() {
    let mut scene = stack(2);
    scene.duration = 0.6;
    scene.add(Body::ball(0.3).named("ball").at(5.0, 3.0, 0.0));
    let time = (2.0_f64 / 9.81).sqrt();
    scene.truth(truth::falls("ball", 1.0, time - 0.02, time + 0.02));
    scene.truth(
        truth::standing_fraction("*", 0.1, 0.1)
            .with("at_least", 0.66)
            .with("at_most", 0.67),
    );
    for verdict in check(&scene, |_| ()).unwrap() {
        assert!(verdict.holds, "{}: {}", verdict.truth, verdict.measured);
    }
}

#[test]
fn questions_find_the_body_they_are_about() {
    let mut scene = stack(3);
    scene.add(
        Body::ball(0.5)
            .named("late")
            .at(0.0, 6.0, 0.0)
            .enters_at(1.0),
    );
    let world = World::new(&scene).unwrap();
    let name = |id| world.body(id).unwrap().name();
    // a body that has not entered is not there
    let hit = world
        .ray_cast(Vec3::new(0.1, 9.0, 0.1), Vec3::NEG_Y)
        .unwrap();
    assert_eq!(name(hit.body), "stack/2");
    assert!((hit.distance - 6.0).abs() < 1e-12 && (hit.normal - Vec3::Y).length() < 1e-12);
    let near = world.closest_point(Vec3::new(1.5, 1.4, 0.0)).unwrap();
    assert_eq!(name(near.body), "stack/1");
    assert!((near.distance - 1.0).abs() < 1e-12);
    let probe = drystone_base::Pose::at(Vec3::new(0.6, 2.0, 0.0));
    let found = world.overlapping(&Shape::ball(0.2), &probe).unwrap();
    assert_eq!(
        found.into_iter().map(name).collect::<Vec<_>>(),
        ["stack/1", "stack/2"]
    );
    assert!(world.overlapping(&Shape::ball(-1.0), &probe).is_err());
}

#[test]
fn an_animal_lands_on_its_feet() {
    let mut scene = Scene::new();
    scene.ground();
    scene.add(
        Body::new(Shape::Mesh(Mesh::builtin(Builtin::Animal)))
            .named("animal")
            .at(0.0, 0.35, 0.0),
    );
    let mut world = World::new(&scene).unwrap();
    world.run_for(1.0);
    let body = &world.frame().bodies[1];
    assert!(
        body.linear_velocity.length() < 0.01,
        "{}",
        body.linear_velocity
    );
    let height = body.pose.position.y;
    assert!((height - 0.3).abs() < 0.01, "{height}");
    assert!(Penetration::of(world.system()).deepest < 1e-3);
}
