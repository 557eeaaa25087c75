//! A sheet of 20 x 20 vertices falls on a ball, drapes, and touches itself: the measure of speed.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "cloth-on-sphere",
    about: "a sheet of 20 x 20 falls over a ball and folds",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = draping(&ENTRY, 2.0);
    scene.add(Body::ball(0.8).named("ball").at(0.0, 0.8, 0.0).fixed());
    scene.ground();
    let cloth = Cloth::new("sheet", sheet(20, 20)).at(0.05, 1.9, 0.03);
    // without friction it would slide off
    let mut material = seed(0.1, 750.0, 0.1, 0.01);
    material.friction = 0.5;
    scene.add(cloth.of(material).colour(0.75, 0.25, 0.2));
    scene.camera = Some(Camera::new([3.2, 2.4, 3.6], [0.0, 0.8, 0.0]));
    // its corners hang lower than the middle of the ball
    safe_and_going(&mut scene).truth(cloth::sinks("*", 0.8));
    scene
}
