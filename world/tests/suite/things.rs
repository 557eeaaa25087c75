//! Things that come and go while a world runs, by id.

use std::time::Instant;

use drystone_base::{Pose, Vec3};
use drystone_world::*;

fn ground_and_ball() -> (Scene, BodyId, BodyId) {
    let mut scene = Scene::new();
    let ground = scene.ground();
    let ball = scene.add(Body::ball(0.5).named("ball").at(0.0, 3.0, 0.0).mass(2.0));
    (scene, ground, ball)
}

fn sheet(name: &str) -> Cloth {
    let surface = Surface::Sheet {
        columns: 6,
        rows: 6,
        spacing: 0.1,
    };
    Cloth::new(name, surface).at(0.0, 2.0, 0.0)
}

fn hair(name: &str, x: f64) -> Strand {
    Strand::straight([x, 1.0, 0.0], [x + 0.3, 1.0, 0.0], 8).named(name)
}

#[test]
fn ids_of_a_scene_name_its_things_in_the_world() {
    let (mut scene, ground, ball) = ground_and_ball();
    let stack = Stack {
        count: 3,
        shape: Shape::cube(1.0),
        ..Stack::default()
    };
    scene.generate(Generator::new("stack", Pattern::Stack(stack)));
    let rope = scene.add(hair("rope", 2.0));
    let cloth = scene.add(sheet("sheet").at(5.0, 2.0, 0.0));
    let world = World::new(&scene).unwrap();
    assert_eq!(world.body(ground).unwrap().name(), "ground");
    assert_eq!(world.body(ball).unwrap().mass(), 2.0);
    assert_eq!(world.strand(rope).unwrap().name(), "rope");
    assert_eq!(world.cloth(cloth).unwrap().points().len(), 36);
    assert_eq!(world.find("ball"), Some(ball));
    assert_eq!(world.find_strand("rope"), Some(rope));
    assert_eq!(world.find_cloth("sheet"), Some(cloth));
    assert!(world.find("rope").is_none() && world.find("stack/2").is_some());
    assert_eq!(world.body_ids().count(), 5);
}

#[test]
fn user_data_of_a_description_can_be_read_and_changed_by_id() {
    let mut scene = Scene::new();
    let ball = scene.add(Body::ball(0.1).user("price", 3.5));
    let rope = scene.add(hair("rope", 2.0).user("owner", "Ann"));
    let cloth = scene.add(sheet("sheet").at(5.0, 2.0, 0.0));
    let stack = Stack {
        count: 2,
        ..Stack::default()
    };
    let stack = Generator::new("stack", Pattern::Stack(stack)).at(9.0, 0.0, 0.0);
    scene.generate(stack.user("kind", 7));
    let plain = World::new(&scene).unwrap().fingerprint();
    scene.cloths[0]
        .user
        .insert("tags".into(), vec!["a", "b"].into());
    let mut world = World::new(&scene).unwrap();
    assert_eq!(world.fingerprint(), plain, "user data decides nothing");

    let second = world.find("stack/1").unwrap();
    assert_eq!(world.body(ball).unwrap().user_data()["price"], 3.5);
    assert_eq!(world.strand(rope).unwrap().user_data()["owner"], "Ann");
    assert_eq!(world.cloth(cloth).unwrap().user_data()["tags"][1], "b");
    assert_eq!(world.user_data(second)["kind"], 7);

    let mut body = world.body_mut(ball).unwrap();
    body.user_data_mut().insert("sold".into(), true.into());
    world.strand_mut(rope).unwrap().user_data_mut().clear();
    assert_eq!(world.user_data(ball).len(), 2);
    assert!(world.user_data(rope).is_empty());
}

#[test]
fn contacts_of_cloth_begin_and_end() {
    let mut scene = Scene::new();
    let ground = scene.ground();
    let low = scene.add(sheet("low").at(0.0, 0.02, 0.0).velocity(0.0, -1.0, 0.0));
    let high = scene.add(sheet("high").at(0.03, 0.1, 0.03).velocity(0.0, -1.0, 0.0));
    let far = scene.add(sheet("far").at(5.0, 1.0, 0.0));
    let mut world = World::new(&scene).unwrap();
    let mut began = Vec::new();
    for _ in 0..15 {
        world.step();
        began.extend(world.events().iter().filter_map(|event| match event {
            Event::ContactBegan { a, b } => Some((*a, *b)),
            Event::ContactEnded { .. } => None,
        }));
    }
    let first = |pair: (Thing, Thing)| began.iter().position(|other| *other == pair);
    let (floor, sheets) = (
        first((ground.into(), low.into())),
        first((low.into(), high.into())),
    );
    assert!(floor.is_some() && floor < sheets, "{began:?}");
    let on_far = |(a, b): &(Thing, Thing)| *a == far.into() || *b == far.into();
    assert!(!began.iter().any(on_far), "{began:?}");

    world.remove(high);
    world.step();
    let ended = Event::ContactEnded {
        a: low.into(),
        b: high.into(),
    };
    assert!(world.events().contains(&ended), "{:?}", world.events());
}

#[test]
fn pushes_move_a_body_as_newton_says() {
    let mut scene = Scene::new();
    scene.gravity = [0.0; 3];
    let id = scene.add(Body::cube(1.0).mass(2.0));
    let mut world = World::new(&scene).unwrap();
    let mut body = world.body_mut(id).unwrap();
    body.apply_impulse(Vec3::X * 4.0, Vec3::ZERO);
    assert!((body.view().velocity() - Vec3::X * 2.0).length() < 1e-15);
    body.apply_force(Vec3::Y * 6.0, Vec3::ZERO);
    world.advance(0.1);
    let wanted = Vec3::new(2.0, 0.3, 0.0);
    let off = (world.body(id).unwrap().velocity() - wanted).length();
    assert!(off < 1e-12, "{off:.1e}"); // measured: 0

    // beside the centre it turns: L = r x p, I = m / 6
    let mut body = world.body_mut(id).unwrap();
    body.set_velocity(Vec3::ZERO);
    body.set_pose(Pose::at(Vec3::ONE)).unwrap();
    body.apply_impulse(Vec3::X, Vec3::ONE + Vec3::Y * 0.5);
    let spin = world.body(id).unwrap().angular_velocity();
    assert!((spin - Vec3::Z * -1.5).length() < 1e-12, "{spin}");
    assert_eq!(world.body(id).unwrap().pose().position, Vec3::ONE);
}

#[test]
fn a_removed_body_is_gone_for_everyone_but_its_snapshots() {
    let (scene, ground, ball) = ground_and_ball();
    let mut world = World::new(&scene).unwrap();
    world.run_for(1.5);
    let contacts = world.body(ball).unwrap().contacts();
    let weight: Vec3 = contacts.iter().map(|c| c.force).sum();
    assert!((weight.y / (2.0 * 9.81) - 1.0).abs() < 0.01, "{weight}");
    assert!(contacts.iter().all(|c| c.other == ground.into()));

    let before = world.snapshot();
    assert!(world.body_mut(ball).unwrap().remove());
    assert!(!world.remove(ball));
    assert!(world.body(ball).is_none() && world.find("ball").is_none());
    assert!(world.ray_cast(Vec3::Y * 9.0, Vec3::NEG_Y).unwrap().body == ground);
    world.step();
    let ended = Event::ContactEnded {
        a: ground.into(),
        b: ball.into(),
    };
    assert_eq!(world.events(), [ended]);
    world.restore(&before).unwrap();
    assert!(world.body(ball).is_some());
    assert_eq!(
        world.ray_cast(Vec3::Y * 9.0, Vec3::NEG_Y).unwrap().body,
        ball
    );
}

#[test]
fn contacts_begin_and_end_in_the_order_of_ids() {
    let mut scene = Scene::new();
    let ground = scene.ground();
    let side = |x: f64| Body::ball(0.1).at(x, 0.2, 0.0);
    let balls = [0.0, 1.0, 2.0].map(|x| scene.add(side(x)));
    let mut world = World::new(&scene).unwrap();
    let mut began = Vec::new();
    for _ in 0..40 {
        world.step();
        began.extend(world.events().to_vec());
    }
    let wanted = balls.map(|ball| Event::ContactBegan {
        a: ground.into(),
        b: ball.into(),
    });
    assert_eq!(began, wanted);
    world
        .body_mut(balls[1])
        .unwrap()
        .set_velocity(Vec3::Y * 5.0);
    world.step();
    world.step();
    let up: Vec<Event> = world.events().to_vec();
    let ended = Event::ContactEnded {
        a: ground.into(),
        b: balls[1].into(),
    };
    assert!(up.contains(&ended) || up.is_empty(), "{up:?}");
    world.run_for(0.1);
    assert!(world.body(balls[1]).unwrap().contacts().is_empty());
}

#[test]
fn a_snapshot_knows_what_there_was() {
    let (scene, _, ball) = ground_and_ball();
    let mut world = World::new(&scene).unwrap();
    world.run_for(0.2);
    let (two, then) = (world.snapshot(), world.frame());
    let first = world.add(Body::cube(1.0).at(4.0, 1.0, 0.0)).unwrap();
    world.run_for(0.2);
    let (three, later) = (world.snapshot(), world.frame());

    // back to before it came; what comes next is somebody else
    world.restore(&two).unwrap();
    assert_eq!(world.frame(), then);
    assert!(world.body(first).is_none() && world.body(ball).is_some());
    let second = world.add(Body::ball(1.0).at(4.0, 1.0, 0.0)).unwrap();
    assert!(second != first && world.body(first).is_none());
    world.run_for(0.2);
    world.restore(&three).unwrap();
    assert_eq!(world.frame(), later);
    assert!(world.body(second).is_none() && world.body(first).is_some());
    world.run_for(0.3);
    let once = world.frame();
    world.restore(&three).unwrap();
    world.run_for(0.3);
    assert_eq!(world.frame(), once);
    let third = world.add(Body::ball(1.0).at(9.0, 1.0, 0.0)).unwrap();
    assert!(![first, second].contains(&third));

    // another world of the same scene may go on from there, one of another may not
    let mut twin = World::new(&scene).unwrap();
    twin.restore(&three).unwrap();
    assert_eq!(twin.frame(), later);
    let mut other = World::new(&Scene { dt: 0.005, ..scene }).unwrap();
    assert!(other.restore(&three).is_err());
}

#[test]
fn three_times_as_many_bodies_cost_three_times_as_much_to_add() {
    let time = |n: u32| {
        let mut world = World::new(&ground_and_ball().0).unwrap();
        let start = Instant::now();
        for i in 0..n {
            let (x, y) = (f64::from(i % 100), f64::from(i / 100));
            world.add(Body::ball(0.1).at(x, y + 5.0, 9.0)).unwrap();
        }
        start.elapsed().as_secs_f64()
    };
    let best = |n: u32| (0..3).map(|_| time(n)).fold(f64::INFINITY, f64::min);
    let (few, many) = (best(10_000), best(30_000));
    // a quadratic cost would be 9 times
    assert!(many < 6.0 * few, "{few} s, {many} s"); // all 120 000 of this test: 0.4 s of processor time
}

#[test]
fn what_is_added_before_the_first_step_runs_as_if_it_had_been_there() {
    let (mut scene, _, _) = ground_and_ball();
    let bare = scene.clone();
    scene.add(hair("hair", 0.2).on("ball"));
    scene.add(sheet("sheet").at(3.0, 1.0, 0.0));
    let mut there = World::new(&scene).unwrap();
    let mut added = World::new(&bare).unwrap();
    added.add(hair("hair", 0.2).on("ball")).unwrap();
    added.add(sheet("sheet").at(3.0, 1.0, 0.0)).unwrap();
    assert_eq!(there.frame(), added.frame());
    there.run_for(0.3);
    added.run_for(0.3);
    assert_eq!(there.frame(), added.frame());
}

#[test]
fn a_strand_comes_and_goes_and_the_others_never_notice() {
    let (scene, _, ball) = ground_and_ball();
    let mut world = World::new(&scene).unwrap();
    world.run_for(0.2);
    let a = world
        .add(hair("a", 0.5).on("ball").at(0.0, 1.8, 0.0))
        .unwrap();
    let root = world.strand(a).unwrap().points()[0];
    // where it was put, and as fast as its ball
    assert!((root - Vec3::new(0.5, 2.8, 0.0)).length() < 1e-9, "{root}");
    let falling = world.body(ball).unwrap().velocity();
    world.step();
    let moved = (world.strand(a).unwrap().points()[0] - root) / world.step_length();
    assert!((moved - falling).length() < 0.2, "{moved} {falling}");

    let b = world.add(hair("b", 5.0)).unwrap();
    let c = world.add(hair("c", 7.0)).unwrap();
    world.run_for(0.1);
    let snapshot = world.snapshot();
    world.run_for(0.1);
    let with = world.strand(c).unwrap().points();
    world.restore(&snapshot).unwrap();
    assert!(world.strand_mut(b).unwrap().remove());
    assert!(world.strand(b).is_none() && !world.remove(b));
    world.run_for(0.1);
    assert_eq!(world.strand(c).unwrap().points(), with);
    assert_eq!(world.frame().strands.len(), 2);
    assert!(world.strand(a).is_some() && world.is_sound());
    // and back, where all three are
    world.restore(&snapshot).unwrap();
    world.run_for(0.1);
    assert_eq!(world.strand(c).unwrap().points(), with);
    assert_eq!(world.strand(b).unwrap().name(), "b");
    assert!(world.add(hair("b", 9.0)).is_err());
}

#[test]
fn a_strand_is_pulled_and_led() {
    let mut scene = Scene::new();
    scene.gravity = [0.0; 3];
    let id = scene.add(hair("hair", 0.0));
    let mut world = World::new(&scene).unwrap();
    for _ in 0..20 {
        assert!(world.strand_mut(id).unwrap().pull(7, Vec3::Y * 1e-4));
        world.step();
    }
    // as much again at once: a step's pull is an impulse
    assert!(
        world
            .strand_mut(id)
            .unwrap()
            .apply_impulse(7, Vec3::Y * 1e-6)
    );
    assert!(!world.strand_mut(id).unwrap().apply_impulse(8, Vec3::Y));
    world.step();
    let tip = world.strand(id).unwrap().points()[8];
    assert!(tip.y > 1.01, "{tip}");
    let mut strand = world.strand_mut(id).unwrap();
    assert!(!strand.pull(8, Vec3::Y) && strand.move_root(Pose::at(Vec3::Z * 0.01)));
    world.step();
    let root = world.strand(id).unwrap().root().position;
    assert!((root - Vec3::Z * 0.01).length() < 1e-12, "{root}");
}

#[test]
fn cloth_comes_and_goes_and_nothing_passes_through() {
    let (scene, _, ball) = ground_and_ball();
    let mut world = World::new(&scene).unwrap();
    world.run_for(2.0);
    let mut low = sheet("low").at(0.0, 1.1, 0.0);
    low.pins = vec![Pin {
        part: ClothPart::Vertices(vec![0]),
        ..Pin::default()
    }];
    let low = world.add(low).unwrap();
    world.run_for(0.2);
    let high = world.add(sheet("high").at(0.05, 1.5, 0.0)).unwrap();
    world.run_for(0.2);
    let before = world.snapshot();
    assert!(world.cloths().unwrap().crossings().is_empty() && !world.has_stopped());
    let pinned = world.cloth(low).unwrap().points()[0];

    // the lower one goes: the upper one falls on, and the pin of a cloth that is gone cannot be moved
    assert!(world.remove(low) && world.cloth(low).is_none());
    let height = |world: &World| world.cloth(high).unwrap().points()[21].y;
    let then = height(&world);
    world.run_for(0.2);
    assert!(height(&world) < then);
    assert!(world.cloths().unwrap().crossings().is_empty() && !world.has_stopped());

    // a ball that goes lets cloth through where it was
    assert!(world.remove(ball));
    world.run_for(0.8);
    assert!(height(&world) < 0.5, "{}", height(&world));

    // all back where it was
    world.restore(&before).unwrap();
    assert_eq!(world.cloth(low).unwrap().points()[0], pinned);
    assert!(world.cloth_mut(low).unwrap().move_pin(0, Vec3::Y * 0.02));
    world.step();
    let up = world.cloth(low).unwrap().points()[0] - pinned;
    assert!((up - Vec3::Y * 0.02).length() < 1e-9, "{up}");
    assert!(world.cloth_mut(high).unwrap().set_velocity(3, Vec3::X));
    let before = world.momentum();
    assert!(
        world
            .cloth_mut(high)
            .unwrap()
            .apply_impulse(4, Vec3::Z * 1e-3)
    );
    let given = world.momentum() - before;
    assert!((given - Vec3::Z * 1e-3).length() < 1e-12, "{given}");
    assert!(!world.cloth_mut(high).unwrap().apply_impulse(1000, Vec3::Z));
    assert!(world.remove(high) && world.remove(low) && world.cloths().is_none());
    world.step();
    assert!(world.is_sound(), "{:?}", world.findings());
}
