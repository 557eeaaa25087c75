//! A reef knot is pulled tight and undone as sailors do: one end is pulled over the knot to the other side, so that
//! its ribbon becomes straight and the other one a hitch around it; then it is drawn out of the hitch.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "reef-knot-untied",
    about: "a reef knot is drawn together, turned over by a pull at one end, and comes undone",
    system: "cloth",
    build,
};

/// When the ends are let go; the knot goes on to draw itself tight \[s\].
const TIGHT: f64 = 0.5;
/// When the end that was pulled over is let go \[s\].
const OVER: f64 = 1.2;

fn build() -> Scene {
    let mut scene = reef_knot(&ENTRY, 3.75, &Reef { stretch: 1000.0, ..NARROW });
    pull_tight(&mut scene, 0.5);
    for load in scene.cloths.iter_mut().flat_map(|cloth| &mut cloth.loads) {
        load.until = Some(TIGHT);
    }
    let [red, blue] = &mut scene.cloths[..] else {
        return scene;
    };
    // one end of red over the knot, the other one away from it
    let mut over = Load::new(ClothPart::First, [0.6, 0.6, 0.0]).raised(TIGHT, 0.2);
    over.until = Some(OVER);
    let out = Load::new(ClothPart::Last, [-2.0, 0.0, 0.0]).raised(TIGHT, 0.2);
    red.loads.extend([over, out]);
    // blue is held against it
    let hold = |end| Load::new(end, [1.0, 0.0, 0.0]).raised(TIGHT, 0.1);
    blue.loads.extend(ENDS.map(hold));
    scene
        .truth(cloth::no_stall())
        .truth(cloth::apart("red", "blue"));
    scene.camera = Some(Camera::new([0.0, 3.0, 16.0], [-1.0, 0.0, 0.0]));
    scene
}
