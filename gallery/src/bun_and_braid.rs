//! Bun and braid (Hadap 2006, Fig. 8): the first third of the braid is the bun, a thousand times stiffer
//! than the rest. The head runs along with the hip; local dynamics takes out most of what the run
//! does to the braid.

use drystone_base::functions::sin;

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "bun-and-braid",
    about: "a braid with a stiff bun on a running head, with local dynamics against the hip",
    system: "strand",
    build,
};

fn build() -> Scene {
    let mut scene = film(&ENTRY, 4.0);
    // runs at 2 m/s from rest, 4 cm up and down 2.5 times a second
    let run = |time: f64, height: f64, bounce: f64| {
        let calm = (time / 0.8).min(1.0);
        let way = if time < 0.8 { 1.25 * time * time } else { 2.0 * (time - 0.4) };
        let up = bounce * calm * sin(std::f64::consts::TAU * 2.5 * time);
        [0.0, height + up, way]
    };
    let path = |height: f64, bounce: f64, degrees: f64| {
        let at = move |time: f64| {
            let turn = degrees * (time / 0.8).min(1.0) * sin(std::f64::consts::TAU * 1.25 * time);
            (run(time, height, bounce), turn)
        };
        keys(4.0, at)
    };
    scene.add(
        Body::ball(0.1)
            .named("head")
            .along_smoothly(path(0.6, 0.05, 15.0))
            .colour(0.85, 0.7, 0.6),
    );
    scene.add(
        Body::block(0.3, 0.2, 0.16)
            .named("hip")
            .along_smoothly(path(0.0, 0.04, 0.0))
            .colour(0.35, 0.4, 0.55),
    );
    let soft = 2e-5;
    let mut lock = Fibre::thread(0.02, soft, soft);
    let stiff = Profile::along([[0.0, 1e3 * soft], [0.32, 1e3 * soft], [0.36, soft], [1.0, soft]]);
    (lock.bend_stiffness, lock.twist_stiffness) = (Some(stiff.clone()), Some(stiff));
    lock.radius = [[0.0, 0.008], [0.8, 0.007], [1.0, 0.003]].into();
    lock.drag = 0.01.into();
    lock.bend_damping = 0.02.into();
    let braid = Braid {
        segments: 25,
        length: 0.35,
        width: 0.03,
        pitch: 0.12,
        ..Braid::default()
    };
    let mut groom = Groom::new("braid", GroomPattern::Braid(braid)).on("head").of(lock);
    groom.position = Some([0.0, 0.64, -0.128]);
    groom.local_dynamics = 0.8.into();
    groom.reference = Base::On("hip".into());
    scene.groom(groom.colour(0.35, 0.2, 0.1));
    // runs along, a little behind
    let beside = |way: f64| ([1.7, 0.9, way - 0.6], [0.0, 0.4, way]);
    let (eye, target) = beside(0.0);
    let follow = [0.8, 2.4, 4.8].into_iter();
    scene.camera = Some(follow.fold(Camera::new(eye, target), |camera, time| {
        let (eye, target) = beside(2.0 * (time - 0.4));
        camera.then(time, eye, target)
    }));
    scene
        .truth(strands::tip_moves("braid/*", 5.0))
        .truth(strands::depth_below(1e-4))
        .truth(strands::tip_speed_below("*", 6.0));
    runs_well(&mut scene);
    scene
}
