//! A particle comes through parallel curtains (Harmon 2012, Fig. 1): half a metre a second at first, then
//! fifty at once. Whatever its speed, no event is seen too late.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "curtain-small",
    about: "two curtains are poked slowly, then at fifty metres a second",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = curtains(&ENTRY, 2, 9, 12);
    let (slow, fast) = (1.0, 1.02);
    scene.duration = 1.2;
    let start = -1.2;
    let path = vec![
        Key::new(0.0, [0.0, 0.6, start]),
        Key::new(slow, [0.0, 0.6, start + 0.5 * slow]),
        Key::new(fast, [0.0, 0.6, start + 0.5 * slow + 50.0 * (fast - slow)]),
    ];
    scene.add(Body::ball(0.12).named("particle").along(path).at(0.0, 0.6, start));
    scene.camera = Some(Camera::new([3.0, 1.8, -3.2], [0.0, 0.7, 0.0]));
    safe(&mut scene);
    scene
}
