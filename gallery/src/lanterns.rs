//! Lanterns on cords under a beam (Hadap 2006, Fig. 1): heavy ends on light strings. A gust blows, and
//! the hooks turn one after the other, so that the cords twist and the lanterns turn to and fro.

use drystone_base::functions::sin;

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "lanterns",
    about: "lanterns on cords swing in a gust and turn to and fro on their hooks",
    system: "strand",
    build,
};

fn build() -> Scene {
    let mut scene = film(&ENTRY, 8.0);
    scene.add(
        Body::block(2.4, 0.08, 0.08)
            .named("beam")
            .at(0.0, 0.06, 0.0)
            .fixed()
            .colour(0.3, 0.2, 0.15),
    );
    let mut cord = Fibre::rod(2e-3, 2e7, 900.0);
    cord.bend_stiffness = None;
    cord.twist_stiffness = Some(2e-4.into());
    cord.drag = [[0.0, 0.02], [0.6, 0.02], [0.67, 0.6], [1.0, 0.6]].into();
    cord.bend_damping = 0.02.into();
    cord.twist_damping = 0.05.into();
    for k in 0..5u32 {
        let x = 0.45 * (f64::from(k) - 2.0);
        let begin = 0.5 + 0.4 * f64::from(k);
        // three quarters of a turn within a second
        let turned = move |time: f64| {
            let u = (time - begin).clamp(0.0, 1.0);
            let eased = u - sin(std::f64::consts::TAU * u) / std::f64::consts::TAU;
            ([x, 0.0, 0.0], 270.0 * eased)
        };
        let pattern = Lanterns {
            count: 1,
            cord: 0.3 + 0.05 * f64::from(k % 3),
            ..Lanterns::default()
        };
        let mut groom = Groom::new(format!("lantern-{k}"), GroomPattern::Lanterns(pattern))
            .of(cord.clone())
            .colour(0.85, 0.25 + 0.1 * f64::from(k), 0.15);
        groom.base = Base::Path(keys(scene.duration, turned));
        scene.groom(groom);
    }
    scene.field(
        Field::new("gust", FieldKind::Wind { velocity: [2.0, 0.0, 5.0] })
            .strength(&[[0.0, 0.0], [1.0, 1.0], [2.5, 1.0], [4.0, 0.0]]),
    );
    scene.camera = Some(Camera::new([0.9, -0.1, 2.6], [0.0, -0.25, 0.0]));
    scene
        .truth(strands::twists("lantern-*", 60.0))
        .truth(strands::tip_moves("lantern-*", 0.1))
        .truth(strands::tip_speed_below("*", 3.0))
        .truth(strands::twist_below("*", 400.0));
    runs_well(&mut scene);
    scene
}
