//! Curly bangs (Hadap 2006, Fig. 9): 9 strands of 15 segments that keep their curls under gravity, since
//! their shape without load is found from the groom; and come back to it when the head has come
//! to rest.

use drystone_base::functions::sin;

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "curly-bangs",
    about: "nine curls keep their groom under gravity and find back to it",
    system: "strand",
    build,
};

fn build() -> Scene {
    let mut scene = film(&ENTRY, 10.0);
    // shakes for two seconds and comes to rest where it began
    let path = keys(2.0, |time| {
        let on = (time / 0.3).clamp(0.0, 1.0) * ((2.0 - time) / 0.3).clamp(0.0, 1.0);
        let swing = 2.0 * std::f64::consts::TAU * time;
        ([0.02 * on * sin(swing), 0.0, 0.0], 25.0 * on * sin(0.5 * swing))
    });
    scene.add(
        Body::ball(0.09)
            .named("head")
            .along_smoothly(path)
            .colour(0.85, 0.7, 0.6),
    );
    let row = Row {
        count: 9,
        spacing: 0.011,
        segments: 15,
        length: 0.1,
        curl: Some(Curl {
            radius: 8e-3,
            pitch: 0.04,
        }),
        ..Row::default()
    };
    // a wisp of hair rather than one: as stiff and heavy as a rod of 0.2 mm, but looser
    let mut wisp = Fibre::thread(1.63e-4, 5.03e-6, 4.02e-6);
    wisp.radius = 8e-4.into();
    wisp.drag = 1e-3.into();
    wisp.bend_damping = 5e-3.into();
    let mut groom = Groom::new("bangs", GroomPattern::Row(row))
        .on("head")
        .of(wisp)
        .zero_gravity(Some(1.5));
    groom.position = Some([0.0, 0.045, 0.101]);
    scene.groom(groom.colour(0.3, 0.15, 0.08));
    scene.camera = Some(Camera::new([0.16, 0.04, 0.42], [0.0, 0.0, 0.05]));
    scene
        .truth(strands::grooms_hold())
        .truth(strands::tip_moves("bangs/*", 5e-3))
        .truth(strands::tip_returns("bangs/*", 1e-6))
        .truth(strands::depth_below(1e-4));
    runs_well(&mut scene);
    scene
}
