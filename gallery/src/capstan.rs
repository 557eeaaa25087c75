//! A rope drawn over a post with half a turn: the side that draws carries `e^{μφ}` = 1.8745 times the
//! weight of the other, for a coefficient of friction of 0.2, and what friction of the rope's own
//! weight on the arc adds, `2μ w R (e^{μπ} + 1) / (1 + μ²)`.

use drystone_base::functions::{cos, exp, sin};

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "capstan",
    about: "a rope drawn over a post, by Euler's law",
    system: "strand",
    build,
};

fn build() -> Scene {
    let mut scene = film(&ENTRY, 1.0);
    scene.solver.strand.steps_per_frame = 8;
    let (friction, radius, thick, n) = (0.2, 0.02, 1e-3, 60);
    scene.material("default", friction, 0.0);
    scene.add(
        Body::new(Shape::Capsule { length: 0.3, radius })
            .named("post")
            .turned([1.0, 0.0, 0.0], 90.0)
            .fixed(),
    );
    // a polygon about the post, whose sides do not cut into it
    let out = 1.004 * (radius + thick);
    let arc = std::f64::consts::PI * out;
    let (length, down) = (0.3, 0.05);
    let point = |k: u32| {
        let s = length * f64::from(k) / f64::from(n) - down;
        if s < 0.0 {
            [-out, s, 0.0]
        } else if s < arc {
            [-out * cos(s / out), out * sin(s / out), 0.0]
        } else {
            [out, arc - s, 0.0]
        }
    };
    let mass = 3e-3;
    let mut fibre = Fibre::thread(mass, 1e-9, 1e-9);
    fibre.radius = thick.into();
    let mut strand = Strand::through((0..=n).map(point)).named("rope").of(fibre);
    strand.root = 0.0;
    // the root is drawn down at 5 cm/s
    let way = |time: f64| 0.05 * (time - 0.1 * (1.0 - exp(-time / 0.1)));
    strand = strand.along(keys(scene.duration, |time| ([0.0, -way(time), 0.0], 0.0)));
    scene.add(strand);
    scene.camera = Some(Camera::new([0.12, 0.02, 0.28], [0.0, -0.04, 0.0]));
    // what hangs on the far side, what friction of the weight on the arc adds, less what hangs here
    let (grown, weight) = (exp(friction * std::f64::consts::PI), mass * 9.81);
    let own = 2.0 * friction * weight * out * (grown + 1.0) / (1.0 + friction * friction);
    let base = |time: f64| {
        let far = length - down - arc - way(time);
        let newtons = weight * (grown * far - down - way(time)) + own;
        // corners of the polygon come and go; measured: 0.5 and 2.6 %
        strands::base_force("rope", newtons, 0.04 * newtons).at(time)
    };
    scene
        .truth(base(0.75))
        .truth(base(1.0))
        .truth(strands::depth_below(1e-4));
    runs_well(&mut scene);
    scene
}
