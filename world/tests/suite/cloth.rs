//! Cloth in a world: read, coupled to bodies, put by and resumed.

use drystone_world::*;

fn material() -> ClothMaterial {
    ClothMaterial {
        stretch: Stretch::Spring(50.0),
        bending: 1e-4,
        friction: 0.3,
        ..ClothMaterial::default()
    }
}

/// A sheet of 12 x 12 over a ball on the ground.
fn draped() -> Scene {
    let mut scene = Scene::new();
    scene.solver.cloth.thickness = Some(0.02);
    scene.add(Body::ball(0.3).named("ball").at(0.0, 0.4, 0.0).fixed());
    let sheet = Surface::Sheet {
        columns: 12,
        rows: 12,
        spacing: 0.08,
    };
    scene.add(Cloth::new("sheet", sheet).at(0.0, 0.75, 0.0).of(material()));
    scene
}

#[test]
fn a_sheet_hangs_over_a_ball_and_nothing_crosses() {
    let mut world = World::new(&draped()).unwrap();
    world.run_for(0.6);
    let system = world.cloths().unwrap();
    assert!(system.crossings().is_empty());
    assert_eq!(world.cloth_total().unwrap().stalled, None);
    let points = &world.frame().cloths[0].points;
    let lowest = points.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    let highest = points.iter().map(|p| p.y).fold(0.0, f64::max);
    assert!(highest > 0.70, "{highest}"); // the ball ends at 0.7 m
    assert!(lowest < 0.6, "{lowest}");
}

#[test]
fn a_scene_with_cloth_survives_its_file() {
    let mut scene = draped();
    scene.cloths[0].pins = vec![
        Pin::fixed(ClothPart::First),
        Pin::on(ClothPart::Vertices(vec![140]), "ball").until(0.5),
        Pin::along(
            ClothPart::Vertices(vec![130]),
            vec![Key::new(0.0, [0.0; 3]), Key::new(1.0, [0.0, 0.1, 0.0])],
        ),
    ];
    scene.truth(truth::cloth::no_crossings());
    let text = toml::to_string(&scene).unwrap();
    let again: Scene = toml::from_str(&text).unwrap();
    assert_eq!(scene, again);
    assert!(World::new(&again).is_ok());
}

#[test]
fn a_run_goes_on_bit_for_bit_from_a_snapshot() {
    let mut through = World::new(&draped()).unwrap();
    through.run_for(0.3);
    let middle = through.snapshot();
    through.run_for(0.2);
    let mut resumed = World::new(&draped()).unwrap();
    resumed.restore(&middle).unwrap();
    resumed.run_for(0.2);
    assert_eq!(through.frame(), resumed.frame());
    assert_eq!(through.snapshot(), resumed.snapshot());
}

/// A sheet between two balls without gravity: what one gives the other receives through the cloth.
#[test]
fn bodies_feel_the_cloth_that_they_push() {
    let mut scene = Scene::new();
    (scene.gravity, scene.dt) = ([0.0; 3], 0.002);
    scene.solver.cloth.thickness = Some(0.02);
    scene.add(
        Body::ball(0.2)
            .named("ball")
            .at(0.0, -0.3, 0.0)
            .mass(0.5)
            .velocity(0.0, 1.0, 0.0),
    );
    let sheet = Surface::Sheet {
        columns: 10,
        rows: 10,
        spacing: 0.08,
    };
    scene.add(Cloth::new("sheet", sheet).of(material()));
    let mut world = World::new(&scene).unwrap();
    let before = world.momentum();
    world.run_for(0.4);
    let ball = world.find("ball").unwrap();
    let speed = world.body(ball).unwrap().velocity().y;
    assert!((0.05..0.95).contains(&speed), "{speed}"); // the sheet has a tenth of its mass
    // what is on its way from the cloth to the ball is missing, no more
    let off = (world.momentum() - before).length();
    assert!(off < 0.01, "{off}");
}

#[test]
fn pins_go_with_bodies_along_paths_and_are_let_go() {
    let mut scene = draped();
    scene.gravity = [0.0; 3];
    scene.bodies[0] = Body::ball(0.05).named("ball").at(0.0, 3.0, 0.0).along(vec![
        Key::new(0.0, [0.0, 3.0, 0.0]),
        Key::new(1.0, [0.0, 3.1, 0.0]),
    ]);
    scene.cloths[0].pins = vec![
        Pin::on(ClothPart::Vertices(vec![0]), "ball"),
        Pin::along(
            ClothPart::Vertices(vec![11]),
            vec![Key::new(0.0, [0.0; 3]), Key::new(1.0, [0.0, 0.1, 0.0])],
        ),
        Pin::fixed(ClothPart::Vertices(vec![143])),
    ];
    let mut world = World::new(&scene).unwrap();
    let start = world.frame().cloths[0].points.clone();
    world.run_for(0.5);
    let now = &world.frame().cloths[0].points;
    for (vertex, wanted) in [(0, 0.05), (11, 0.05), (143, 0.0)] {
        let risen = now[vertex].y - start[vertex].y;
        assert!((risen - wanted).abs() < 1e-6, "{vertex}: {risen}");
    }
}

#[test]
fn what_cannot_be_cloth_is_refused_by_name() {
    let sheet = |columns, spacing| Surface::Sheet {
        columns,
        rows: 5,
        spacing,
    };
    let refused = |cloth: Cloth, words: &str| {
        let mut scene = draped();
        scene.cloths = vec![cloth];
        let error = World::new(&scene).err().unwrap().to_string();
        assert!(error.contains(words), "{error}");
    };
    let good = || Cloth::new("flag", sheet(5, 0.08)).at(0.0, 2.0, 0.0);
    refused(Cloth::new("flag", sheet(1, 0.08)), "surface.sheet.columns");
    refused(Cloth::new("flag", sheet(5, -1.0)), "surface.sheet.spacing");
    refused(good().at(f64::NAN, 0.0, 0.0), "flag");
    refused(good().at(0.0, 0.65, 0.0), "flag"); // through the ball
    refused(
        good().pin(Pin::on(ClothPart::All, "bal")),
        "did you mean `ball`?",
    );
    refused(
        good().pin(Pin::fixed(ClothPart::Vertices(vec![99]))),
        "vertex 99",
    );
    let empty = ClothPart::Within {
        low: [9.0; 3],
        high: [10.0; 3],
    };
    refused(good().pin(Pin::fixed(empty)), "no vertex");
    let mut heavy = good();
    heavy.material.density = 0.0;
    refused(heavy, "density");
    let mut stiff = good();
    stiff.material.stretch = Stretch::Spring(f64::INFINITY);
    refused(stiff, "stretch");
    let twice = || {
        let mut scene = draped();
        scene.add(good());
        scene.add(good().at(0.0, 3.0, 0.0));
        World::new(&scene).err().unwrap().to_string()
    };
    assert!(twice().contains("used twice"), "{}", twice());
}

/// A sheet held at its corners, and a ball that enters above it after a tenth of a second.
fn late_ball(height: f64) -> Scene {
    let mut scene = draped();
    scene.dt = 0.005;
    scene.bodies[0] = Body::ball(0.1)
        .named("ball")
        .at(0.0, height, 0.0)
        .mass(0.05)
        .enters_at(0.1);
    scene.cloths[0].pins.push(Pin::fixed(ClothPart::Corners));
    scene
}

#[test]
fn a_body_that_enters_later_is_an_obstacle_from_then_on() {
    let mut world = World::new(&late_ball(0.95)).unwrap();
    world.run_for(0.25);
    let middle = world.snapshot();
    world.run_for(0.35);
    let system = world.cloths().unwrap();
    assert_eq!(system.model().obstacles.len(), 1);
    assert!(system.crossings().is_empty() && system.stall().is_none());
    let ball = world.find("ball").unwrap();
    let height = world.body(ball).unwrap().centre().y;
    // it would be at -0.28 m by now if nothing held it
    assert!((0.3..0.8).contains(&height), "{height}");
    // a run that goes on from within has the same bits
    let mut resumed = World::new(&late_ball(0.95)).unwrap();
    resumed.restore(&middle).unwrap();
    resumed.run_for(0.35);
    assert_eq!(world.snapshot(), resumed.snapshot());
    // and one may go back to before it entered
    let start = World::new(&late_ball(0.95)).unwrap().snapshot();
    resumed.restore(&start).unwrap();
    resumed.run_for(0.25);
    assert_eq!(middle, resumed.snapshot());
}

#[test]
fn a_body_that_enters_where_cloth_is_is_a_stall_with_its_name() {
    let mut world = World::new(&late_ball(0.72)).unwrap();
    world.run_for(0.3);
    let stalled = world.cloth_total().unwrap().stalled.clone().unwrap();
    assert!(stalled.contains("`ball` cannot enter"), "{stalled}");
    assert!(world.cloths().unwrap().crossings().is_empty());
}

#[test]
fn a_body_added_to_a_running_world_is_an_obstacle() {
    let mut scene = late_ball(0.95);
    scene.bodies.clear();
    let mut world = World::new(&scene).unwrap();
    world.run_for(0.1);
    let body = Body::ball(0.1).named("ball").at(0.0, 0.95, 0.0).mass(0.05);
    let ball = world.add(body).unwrap();
    world.run_for(0.5);
    let height = world.body(ball).unwrap().centre().y;
    assert!((0.3..0.8).contains(&height), "{height}");
    assert!(world.cloths().unwrap().crossings().is_empty());
}

/// Two sheets of which one flies off sideways: free of each other at last, but not from the first.
#[test]
fn sheets_that_part_are_apart_at_last_and_do_not_stay_together() {
    let mut scene = Scene::new();
    scene.gravity = [0.0; 3];
    scene.duration = 0.3;
    scene.solver.cloth.thickness = Some(0.02);
    let sheet = Surface::Sheet {
        columns: 4,
        rows: 4,
        spacing: 0.08,
    };
    let slanting = |name| {
        let cloth = Cloth::new(name, sheet.clone()).of(material());
        cloth.turned([0.0, 0.0, 1.0], 30.0)
    };
    let off = slanting("off").at(0.0, 0.1, 0.0).velocity(2.0, 0.0, 0.0);
    scene.add(slanting("still"));
    scene.add(off);
    scene
        .truth(truth::cloth::apart("off", "still"))
        .truth(truth::cloth::together("off", "still"));
    let verdicts = check(&scene, |_| {}).unwrap();
    let holds: Vec<bool> = verdicts.iter().map(|verdict| verdict.holds).collect();
    assert_eq!(holds, [true, false]);
    scene.duration = 0.02;
    let verdicts = check(&scene, |_| {}).unwrap();
    let holds: Vec<bool> = verdicts.iter().map(|verdict| verdict.holds).collect();
    assert_eq!(holds, [false, true]);
}

#[test]
fn a_hidden_body_pushes_as_one_that_is_shown() {
    let fallen = |hidden: bool| {
        let mut scene = draped();
        scene.bodies[0].hidden = hidden;
        let mut world = World::new(&scene).unwrap();
        world.run_for(0.4);
        world.frame()
    };
    let (seen, unseen) = (fallen(false), fallen(true));
    assert_eq!(seen.cloths, unseen.cloths);
    assert!(seen.bodies[0].visible && !unseen.bodies[0].visible);
}

/// Two sheets on a table, and a stamp that would go through both; a ball lies beside them.
fn press() -> Scene {
    let mut scene = Scene::new();
    scene.dt = 0.02;
    scene.solver.cloth.thickness = Some(0.02);
    scene.solver.cloth.events.shortest_period = 1e-4;
    scene.ground();
    scene.add(
        Body::block(0.2, 0.1, 0.2)
            .named("stamp")
            .at(0.0, 0.2, 0.0)
            .along(vec![
                Key::new(0.0, [0.0, 0.2, 0.0]),
                Key::new(0.5, [0.0, -0.3, 0.0]),
            ]),
    );
    scene.add(Body::ball(0.1).named("ball").at(1.0, 0.5, 0.0));
    let sheet = Surface::Sheet {
        columns: 5,
        rows: 5,
        spacing: 0.08,
    };
    scene.add(Cloth::new("sheet", sheet).at(0.0, 0.03, 0.0).of(material()));
    scene
}

#[test]
fn at_a_stall_the_whole_world_stands_still() {
    let mut world = World::new(&press()).unwrap();
    let mut last = world.frame();
    while !world.has_stopped() {
        last = world.frame();
        world.step();
        assert!(world.cloths().unwrap().crossings().is_empty());
        assert!(world.time() < 0.5);
    }
    // where the step began in which it happened, with all that is in it
    assert_eq!(world.frame(), last);
    let [finding] = world.findings() else {
        panic!("{:?}", world.findings());
    };
    assert_eq!(finding.kind, FindingKind::ClothStalled);
    let passed = finding.time - world.time();
    assert!((0.0..=0.02).contains(&passed), "{passed} s later");
    // and there it stays, in a snapshot too
    world.run_for(0.1);
    assert_eq!(world.frame(), last);
    let mut resumed = World::new(&press()).unwrap();
    resumed.restore(&world.snapshot()).unwrap();
    resumed.step();
    assert!(resumed.has_stopped());
    assert_eq!(resumed.frame(), last);
}

#[test]
fn a_step_that_is_interrupted_goes_on_with_the_same_bits() {
    let scene = Scene {
        dt: 0.02,
        ..late_ball(0.95)
    };
    let mut whole = World::new(&scene).unwrap();
    whole.run_for(0.4);
    let mut world = World::new(&scene).unwrap();
    let mut parts = 0;
    while world.time() < 0.4 - 1e-9 || world.is_mid_step() {
        let mut asked = 0;
        world.advance_while(world.step_length(), |_| {
            asked += 1;
            asked < 2
        });
        if world.is_mid_step() {
            parts += 1;
            // put by and taken up in another world
            let snapshot = world.snapshot();
            world = World::new(&scene).unwrap();
            world.restore(&snapshot).unwrap();
            assert!(world.is_mid_step());
        }
    }
    assert!(parts > 2, "{parts} parts");
    assert_eq!(whole.frame(), world.frame());
    assert_eq!(whole.momentum(), world.momentum());
}

#[test]
fn pinned_cloth_that_is_moved_into_a_body_is_a_finding_with_both_names() {
    let mut scene = draped();
    let path = vec![Key::new(0.0, [0.0; 3]), Key::new(0.1, [0.0, -0.2, 0.0])];
    scene.cloths[0].pins = vec![Pin::along(ClothPart::All, path)];
    let mut world = World::new(&scene).unwrap();
    world.run_for(0.2);
    let [finding] = world.findings() else {
        panic!("{:?}", world.findings());
    };
    assert_eq!(finding.kind, FindingKind::ScriptsMeet);
    assert!(finding.thing.contains("sheet") && finding.thing.contains("ball"));
    assert!((finding.time - 0.025).abs() < 0.002, "{finding}");
    assert!(!world.cloths().unwrap().crossings().is_empty());
    // on the body itself it is meant to be
    scene.cloths[0].pins = vec![Pin::on(ClothPart::All, "ball")];
    let mut world = World::new(&scene).unwrap();
    world.run_for(0.1);
    assert!(world.is_sound(), "{:?}", world.findings());
}

#[test]
fn ground_has_no_end_for_cloth() {
    let mut scene = draped();
    scene.bodies.clear();
    scene.ground();
    scene.cloths[0].velocity = [400.0, 0.0, 0.0];
    scene.cloths[0].position = [0.0, 0.1, 0.0];
    let mut world = World::new(&scene).unwrap();
    world.run_for(0.4);
    let points = &world.frame().cloths[0].points;
    assert!(points.iter().all(|p| p.y > 0.0 && p.y < 0.1 && p.x > 50.0));
    assert!(world.is_sound(), "{:?}", world.findings());
}

/// Such a body once ended the program.
#[test]
fn a_floor_as_thin_as_a_hair_beside_cloth_is_an_answer() {
    let mut scene = draped();
    scene.bodies[0] = Body::block(10_000.0, 1e-5, 10_000.0).fixed();
    if let Err(error) = World::new(&scene) {
        assert!(error.to_string().contains("box"), "{error}");
    }
}

/// What a scene asks for and does not get, and what it allows, is told in the report of its run.
#[test]
fn clamped_dashpots_and_pinched_cloth_are_told() {
    let mut scene = draped();
    scene.solver.cloth.events.pinching = 1.0;
    scene.cloths[0].material.stretch_damping = 1e4;
    // a stamp a millimetre into the ball
    let key = |time: f64, y: f64| Key::new(time, [0.0, y, 0.0]);
    let path = vec![
        key(0.0, 1.2),
        key(0.3, 0.899),
        key(0.4, 0.899),
        key(0.6, 1.2),
    ];
    let stamp = Body::ball(0.2).named("stamp").at(0.0, 1.2, 0.0);
    scene.add(stamp.along(path));
    let mut world = World::new(&scene).unwrap();
    world.run_for(0.8);
    assert!(world.is_sound(), "{:?}", world.findings());
    let mut recorder = Recorder::new(&world);
    recorder.frame(&world);
    let run = recorder.report(&world, 0.0).cloth.unwrap();
    assert!(run.clamped_dampers[0].contains("`sheet`: stretch_damping is 10000"));
    let [pinch] = &run.pinches[..] else {
        panic!("{:?}", run.pinches);
    };
    assert_eq!(pinch.between, ["ball", "stamp"]);
    assert!(world.cloths().unwrap().pinched() == 0);
    assert!(world.cloths().unwrap().crossings().is_empty());
}
