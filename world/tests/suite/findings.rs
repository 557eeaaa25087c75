//! What goes wrong in a run is found, named once, and kept.

use drystone_base::Vec3;
use drystone_world::*;

/// A box on the ground, and a rod that the published method spins up.
fn spun_up() -> Scene {
    let mut scene = Scene::new();
    scene.gravity = [0.0; 3];
    let mut rod = Body::block(0.7, 0.03, 0.03).named("rod");
    rod.angular_velocity = [30.0; 3];
    scene.add(rod);
    scene.preset = Some("paper".into());
    scene
}

#[test]
fn a_sound_run_has_no_finding() {
    let mut scene = Scene::new();
    scene.ground_slab(10.0, 1.0, 10.0);
    scene.add(Body::ball(0.1).named("ball").at(0.0, 1.0, 0.0));
    let mut world = World::new(&scene).unwrap();
    let mut recorder = Recorder::new(&world);
    for _ in 0..100 {
        recorder.step(&world.step());
    }
    assert!(world.is_sound(), "{:?}", world.findings());
    let report = recorder.report(&world, 1.0);
    assert!(report.verdict.sound && report.verdict.findings.is_empty());
}

#[test]
fn energy_from_nowhere_is_found_once_and_counted() {
    let mut world = World::new(&spun_up()).unwrap();
    world.run_for(2.0);
    let gained: Vec<&Finding> = (world.findings().iter())
        .filter(|f| f.kind == FindingKind::EnergyGained)
        .collect();
    let [finding] = gained[..] else {
        panic!("{gained:?}")
    };
    assert_eq!(finding.thing, "rod");
    assert!(finding.count > 1 && finding.last_time > finding.time);
    assert!(finding.value > finding.allowed);
    let line = finding.to_string();
    assert!(line.contains("`rod`") && line.contains("dt"), "{line}");
}

#[test]
fn a_body_that_is_no_longer_finite_is_found() {
    let mut scene = Scene::new();
    scene.add(Body::ball(0.1).named("ball"));
    let mut world = World::new(&scene).unwrap();
    world.system_mut().state.force[0] = Vec3::X * f64::NAN;
    world.step();
    let kinds: Vec<FindingKind> = world.findings().iter().map(|f| f.kind).collect();
    assert_eq!(kinds, [FindingKind::BodyLost]);
    assert_eq!(world.findings()[0].thing, "ball");
}

#[test]
fn findings_survive_snapshot_and_resume() {
    let scene = spun_up();
    let mut world = World::new(&scene).unwrap();
    world.run_for(1.0);
    assert!(!world.is_sound());
    let snapshot = world.snapshot();
    let mut resumed = World::new(&scene).unwrap();
    resumed.restore(&snapshot).unwrap();
    assert_eq!(resumed.findings(), world.findings());
    resumed.run_for(0.5);
    let named = |world: &World| world.findings().len();
    assert_eq!(named(&resumed), named(&world), "{:?}", resumed.findings());
}

#[test]
fn a_finding_breaks_a_scene_unless_it_is_known() {
    let mut scene = spun_up();
    scene.duration = 1.0;
    scene.truths = vec![truth::stays_finite()];
    let verdicts = check(&scene, |_| {}).unwrap();
    let broken: Vec<&Verdict> = verdicts.iter().filter(|v| !v.holds).collect();
    assert_eq!(broken.len(), 1, "{verdicts:?}");
    assert!(broken[0].measured.contains("energy-gained of `rod`"));

    for kind in [FindingKind::EnergyGained, FindingKind::BodyTooFast] {
        scene.truth(truth::known_finding(kind, 1).with("things", "r*"));
    }
    let verdicts = check(&scene, |_| {}).unwrap();
    assert!(verdicts.iter().all(|v| v.holds), "{verdicts:?}");
}

/// A box put on a cloth that lies on a table may rest there; if it is thrown up, that is found.
#[test]
fn a_body_thrown_by_cloth_is_found() {
    for mass in [0.05, 5.0] {
        let mut scene = Scene::new();
        scene.dt = 0.01;
        scene.add(Body::block(4.0, 0.2, 4.0).at(0.0, -0.1, 0.0).fixed());
        let mut load = Body::block(0.3, 0.2, 0.3)
            .named("load")
            .at(0.0, 0.1202, 0.0);
        load.mass = Some(mass);
        scene.add(load);
        let sheet = Surface::Sheet {
            columns: 7,
            rows: 7,
            spacing: 0.07,
        };
        scene.solver.cloth.thickness = Some(0.01);
        scene.add(Cloth::new("cloth", sheet).at(0.0, 0.01005, 0.0));
        let mut world = World::new(&scene).unwrap();
        let (load, start) = (world.find("load").unwrap(), 0.1202_f64);
        let mut highest = start;
        for _ in 0..100 {
            world.step();
            let body = world.body(load);
            highest = body.map_or(highest, |body| highest.max(body.pose().position.y));
        }
        let found = world.findings().iter().any(|f| {
            f.thing == "load"
                && matches!(f.kind, FindingKind::CouplingGained | FindingKind::BodyLost)
        });
        assert!(
            found || highest < start + 0.01,
            "{mass} kg: rose to {highest} m in silence"
        );
    }
}

/// A sheet of springs of `stiffness` that hangs by two corners, beside another that is thrown.
fn hung(stiffness: f64) -> Scene {
    let mut scene = Scene::new();
    let surface = Surface::Sheet {
        columns: 6,
        rows: 6,
        spacing: 0.1,
    };
    let material = ClothMaterial {
        stretch: Stretch::Spring(stiffness),
        ..ClothMaterial::default()
    };
    let thrown = Cloth::new("thrown", surface.clone()).at(5.0, 0.0, 0.0);
    scene.add(thrown.velocity(0.0, 10.0, 0.0));
    let hung = Cloth::new("hung", surface).of(material);
    scene.add(hung.pin(Pin::fixed(ClothPart::Corners)));
    scene.truth(truth::cloth::energy_never_gained().with("share", 0.01));
    scene
}

/// Springs that become a thousand times as stiff while they are stretched have energy that nobody put in.
#[test]
fn energy_that_nobody_put_into_cloth_is_found_and_named() {
    let [mut soft, mut stiff] = [2.0, 2000.0].map(|k| World::new(&hung(k)).unwrap());
    for world in [&mut soft, &mut stiff] {
        world.run_for(0.3);
        assert!(world.is_sound(), "{:?}", world.findings());
    }
    let stretched = soft.cloths().unwrap().state().clone();
    stiff.cloths_mut().unwrap().restore(stretched).unwrap();
    stiff.step();
    let [finding] = stiff.findings() else {
        panic!("{:?}", stiff.findings());
    };
    assert_eq!(finding.kind, FindingKind::ClothGained);
    assert_eq!(finding.thing, "hung");
    assert!(finding.value > finding.allowed && !stiff.verdict().sound);
    let line = finding.to_string();
    assert!(line.contains("J more than was put in"), "{line}");
    // once for the cloth, in a run that goes on from here too
    stiff.step();
    let mut resumed = World::new(&hung(2000.0)).unwrap();
    resumed.restore(&stiff.snapshot()).unwrap();
    resumed.step();
    let found = resumed
        .findings()
        .iter()
        .map(|f| (f.thing.as_str(), f.count));
    assert_eq!(found.collect::<Vec<_>>(), [("hung", 3)]);
}

/// A law of elasticity with a torque across the bend, which is no gradient.
struct Circling;

impl drystone_strand::Law for Circling {
    fn energy(
        &self,
        stiffness: &drystone_strand::JointStiffness,
        turn: drystone_base::Quat,
    ) -> f64 {
        drystone_strand::TangentLaw.energy(stiffness, turn)
    }

    fn torque(
        &self,
        stiffness: &drystone_strand::JointStiffness,
        turn: drystone_base::Quat,
    ) -> Vec3 {
        let torque = drystone_strand::TangentLaw.torque(stiffness, turn);
        torque + Vec3::Y.cross(torque) * 3.0
    }
}

/// Strands that are pumped by their own elasticity have energy that nobody put in.
#[test]
fn energy_that_nobody_put_into_a_strand_is_found_and_named() {
    let mut scene = Scene::new();
    for (k, name) in ["calm", "wild"].into_iter().enumerate() {
        let x = k as f64;
        let strand = Strand::straight([x, 0.0, 0.0], [x + 0.1, 0.0, 0.02], 10);
        let mut strand = strand.named(name);
        // the calm one bends under nothing
        if k == 0 {
            strand.fibre.gravity = 0.0.into();
        }
        scene.add(strand);
    }
    let mut world = World::new(&scene).unwrap();
    world.run_for(0.5);
    assert!(world.is_sound(), "{:?}", world.findings());
    world.strands_mut().unwrap().model.law = std::sync::Arc::new(Circling);
    world.run_for(0.2);
    // such a law also leaves steps unsolved
    let gained = |world: &World| -> Vec<Finding> {
        let all = world.findings().iter();
        let gains = all.filter(|finding| finding.kind == FindingKind::StrandGained);
        gains.cloned().collect()
    };
    let found = gained(&world);
    let [finding] = &found[..] else {
        panic!("{:?}", world.findings());
    };
    assert_eq!(finding.thing, "wild");
    assert!(finding.value > finding.allowed && !world.verdict().sound);
    let line = finding.to_string();
    assert!(line.contains("J that nothing put in"), "{line}");
    // once for the strand, in a run that goes on from here too
    let mut resumed = World::new(&scene).unwrap();
    resumed.restore(&world.snapshot()).unwrap();
    resumed.strands_mut().unwrap().model.law = std::sync::Arc::new(Circling);
    resumed.step();
    let found = gained(&resumed);
    assert!(found.len() == 1 && found[0].thing == "wild", "{found:?}");
}
