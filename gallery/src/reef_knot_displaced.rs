//! The reef knot with ends that are moved, not pulled: there comes a moment from which it cannot go on
//! without something passing through something, and that is said.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "reef-knot-displaced",
    about: "the ends of a reef knot are moved outwards until nothing gives way",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = reef_knot(&ENTRY, 1.0, &Reef { stretch: 5000.0, ..NARROW });
    // layers that need shorter steps than this ask for too much patience; measured: at 0.675 s, layer 8
    scene.solver.cloth.events.shortest_period = 1e-5;
    for cloth in &mut scene.cloths {
        let out = if cloth.name == "red" { -1.0 } else { 1.0 };
        for end in ENDS {
            let path = vec![Key::new(0.0, [0.0; 3]), Key::new(1.0, [out * 10.0, 0.0, 0.0])];
            cloth.pins.push(Pin::along(end, path));
        }
    }
    safe(&mut scene).truth(cloth::stalls(1.0));
    scene
}
