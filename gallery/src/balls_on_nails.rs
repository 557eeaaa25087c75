//! Hollow balls fall on a bed of nails (Harmon 2012, Fig. 10): small ones fit between, one barely, large
//! ones do not.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "balls-on-nails",
    about: "hollow balls of three sizes fall on a bed of nails at an angle",
    system: "cloth",
    build,
};

fn build() -> Scene {
    let mut scene = draping(&ENTRY, 1.0);
    bed_of_nails(&mut scene, [6, 6]);
    // the paper bends at 1e5, ten thousand times as stiff, which asks for steps a hundred times shorter
    let mut material = seed(0.016, 5e4, 1.0, 10.0);
    material.restitution = 0.3;
    scene.cloth_contact.stiffness = 1e4;
    for (k, (radius, place, speed)) in [
        (0.35, [-1.5, 2.4, -1.5], [0.0, -2.0, 0.0]),
        (0.5, [0.5, 2.6, 1.5], [2.0, -4.0, 0.0]),
        (0.8, [1.4, 3.2, -1.2], [-3.0, -3.0, 1.0]),
    ]
    .into_iter()
    .enumerate()
    {
        let ball = Surface::Sphere {
            radius,
            subdivisions: 1,
        };
        let ([x, y, z], [u, v, w]) = (place, speed);
        let ball = Cloth::new(format!("ball-{k}"), ball).at(x, y, z).velocity(u, v, w);
        let shade = 0.3 + 0.2 * k as f64;
        scene.cloth(ball.of(material.clone()).colour(0.8, shade, 0.2));
    }
    scene.camera = Some(Camera::new([5.0, 4.0, 6.0], [0.0, 1.0, 0.0]));
    safe_and_going(&mut scene).cloth_truth(ClothTruth::Above {
        cloths: "*".into(),
        height: 0.0,
        from: 0.0,
    });
    scene
}
