//! An overhand knot: one ribbon along an opened trefoil, its ends pulled apart.

use drystone_base::functions::{cos, sin};

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "overhand",
    about: "an overhand knot of one ribbon is pulled tight",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = draping(&ENTRY, 3.0);
    scene.gravity = [0.0; 3];
    // a trefoil, opened at its lowest point
    let open = 0.45;
    let points = 20u32;
    let trefoil = |k: u32| {
        let u = f64::from(k) / f64::from(points);
        let t = std::f64::consts::PI * (1.0 + 2.0 * u) + open * (1.0 - 2.0 * u);
        let (x, y) = (sin(t) + 2.0 * sin(2.0 * t), cos(t) - 2.0 * cos(2.0 * t));
        [x, y, -0.8 * sin(3.0 * t)]
    };
    let mut through = vec![[9.0, -4.6, 0.0], [5.0, -4.6, 0.0], [2.2, -4.2, 0.0]];
    through.extend((0..=points).map(trefoil));
    through.extend([[-2.2, -4.2, 0.0], [-5.0, -4.6, 0.0], [-9.0, -4.6, 0.0]]);
    let ribbon = Surface::Ribbon {
        through,
        columns: 4,
        spacing: SPACING,
        along: Some(ALONG),
        across: [0.0, 0.0, 1.0],
    };
    let cloth = Cloth::new("ribbon", ribbon).of(seed(0.1, 750.0, 0.1, 0.01));
    let cloth = cloth.colour(0.75, 0.55, 0.2).pull(ClothPart::First, [0.5, 0.0, 0.0], 0.2);
    scene.add(cloth.pull(ClothPart::Last, [-0.5, 0.0, 0.0], 0.2));
    scene.camera = Some(Camera::new([2.0, -1.0, 14.0], [0.0, -2.8, 0.0]));
    safe(&mut scene);
    scene
}
