//! Michell's ring: a straight rod bent into a ring and twisted leaves its plane once its twist exceeds
//! `2π√3 EI/GJ` = 13.603 rad at GJ/EI = 0.8. The far end is turned by 2 rad a second. The two ends of a
//! polygon do not point alike, so the ring tilts a little as it is turned; then it snaps.

use drystone_base::functions::{cos, sin};

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "twisted-ring",
    about: "a ring of straight rod is twisted until it buckles",
    system: "strand",
    build,
};

fn build() -> Scene {
    let mut scene = film(&ENTRY, 9.0);
    scene.gravity = [0.0; 3];
    let (radius, n) = (0.05, 48);
    let length = std::f64::consts::TAU * radius;
    let point = |k: u32| {
        let angle = std::f64::consts::TAU * f64::from(k) / f64::from(n);
        let off = 1e-4 * radius * sin(angle) * sin(angle);
        [radius * cos(angle), off, -radius * sin(angle)]
    };
    let mut ring = Strand::through((0..=n).map(point)).named("ring");
    let straight = |k: u32| [radius, 0.0, -length * f64::from(k) / f64::from(n)];
    ring.rest = Some((0..=n).map(straight).collect());
    ring.fibre = Fibre::thread(6.5345e-6, 8.042e-9, 0.8 * 8.042e-9);
    ring.fibre.radius = 5e-4.into();
    ring.fibre.drag = (2.0 * 6.5345e-6).into();

    // the last segment is held where it is, and turned about its own direction
    let end = std::f64::consts::TAU * (f64::from(n) - 0.5) / f64::from(n);
    let along = [-sin(end), 0.0, -cos(end)];
    let key = |k: u32| {
        let time = 0.25 * f64::from(k);
        Key::new(time, [radius, 0.0, 0.0]).turned(along, (2.0 * time).to_degrees())
    };
    ring.holds.push(Hold::tip().posed().to(Anchor::Path((0..=40).map(key).collect())));
    scene.add(ring);
    scene.camera = Some(Camera::new([0.12, 0.12, 0.14], [0.0, 0.0, 0.0]));
    let middle = n as usize / 2;
    scene
        // until 12.6 rad; measured: 23 mm
        .truth(strands::tip_stays("ring", 0.6 * radius).over(..6.3).with("point", middle))
        // measured: 0.19 m, from 14.4 rad on
        .truth(strands::tip_moves("ring", 2.0 * radius).with("point", middle));
    runs_well(&mut scene);
    scene
}
