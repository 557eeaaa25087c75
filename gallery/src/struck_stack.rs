//! A sliding box strikes a stack of five on smooth ice. Nothing outside acts along the ground, so
//! the momentum that way must stay, however the blow spreads; shock propagation loses most of it.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "struck-stack",
    about: "a sliding box strikes a stack on ice, and no momentum is lost",
    system: "rigid",
    build,
};

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 1.0;
    scene.material("ice", 0.0, 0.0);
    scene.add(Body::new(Shape::HalfSpace).named("ground").of("ice").fixed());
    let stack = Stack {
        count: 5,
        ..Stack::default()
    };
    scene.generate(Generator::new("stack", Pattern::Stack(stack)));
    scene.add(
        Body::cube(1.0)
            .named("box")
            .at(-2.0, 0.5, 0.0)
            .velocity(5.0, 0.0, 0.0),
    );
    scene
        .truth(momentum_kept(1e-10).with("along", [1.0, 0.0, 0.0]))
        .truth(moves("stack/0", 0.5))
        .truth(energy_never_rises(1.0))
        .truth(stays_finite());
    scene
}
