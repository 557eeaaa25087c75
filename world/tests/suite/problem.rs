//! The contact problem of a world is that of its rigid bodies, with a name.

use drystone_world::{Body, Scene, World};

#[test]
fn a_world_names_its_problem_after_scene_and_time() {
    let mut scene = Scene::new();
    scene.name = "pair".into();
    scene.ground_slab(10.0, 1.0, 10.0);
    scene.add(Body::ball(0.5).named("ball").at(0.0, 0.5, 0.0));
    let mut world = World::new(&scene).unwrap();
    world.run_for(0.3);
    let before = world.snapshot();
    let problem = world.contact_problem();
    assert_eq!(problem.name, "pair@0.3");
    assert_eq!(problem.contacts(), 1);
    problem.check().unwrap();
    assert!(world.snapshot() == before);
}
