//! A loose overhand knot in a rope of 200 segments, whose end is drawn down until the knot is tight.

use drystone_base::Vec3;

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "knotted-rope",
    about: "an overhand knot in a rope is drawn tight, and holds",
    system: "strand",
    build,
};

/// The open trefoil `(t³ − 3t, t⁴ − 4t², 0.15 (t⁵ − 10t))`, from end to end along y and beginning at the origin.
fn knot(segments: usize) -> Vec<[f64; 3]> {
    let (fine, most, scale) = (20_000, 2.15, 0.05);
    let at = |k: usize| {
        let t = most * (2.0 * k as f64 / fine as f64 - 1.0);
        let (t2, t3) = (t * t, t * t * t);
        Vec3::new(
            t3 - 3.0 * t,
            t2 * t2 - 4.0 * t2,
            0.15 * (t3 * t2 - 10.0 * t),
        ) * scale
    };
    let mut along = vec![0.0];
    for k in 0..fine {
        along.push(along[k] + (at(k + 1) - at(k)).length());
    }
    // down the line between the ends, with the loops to the side
    let (first, last) = (at(0), at(fine));
    let down = (last - first).normalize();
    let side = Vec3::Y - down * down.dot(Vec3::Y);
    let (side, front) = (side.normalize(), side.normalize().cross(down));
    (0..=segments)
        .map(|i| {
            let wanted = along[fine] * i as f64 / segments as f64;
            let x = at(along.partition_point(|s| *s < wanted).min(fine)) - first;
            [side.dot(x), -down.dot(x), -front.dot(x)]
        })
        .collect()
}

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 4.0;
    scene.material("hemp", 0.3, 0.0);
    let points = knot(200);
    let end = points[200];
    let mut fibre = Fibre::thread(0.05, 1e-4, 1e-4);
    fibre.radius = 5e-3.into();
    fibre.bend_damping = 0.02.into();
    fibre.twist_damping = 0.02.into();
    fibre.contact_material = Some("hemp".into());
    // drawn down by 0.8 m in two seconds and a half
    let key = |time: f64| {
        let u = (time / 2.5).clamp(0.0, 1.0);
        let way = 0.8 * u * u * (3.0 - 2.0 * u);
        Key::new(time, [end[0], end[1] - way, end[2]])
    };
    let path = (0..=40).map(|k| key(0.1 * f64::from(k))).collect();
    let mut rope = Strand::through(points).named("rope").of(fibre);
    rope.root = 0.0;
    rope.collide_strands = true;
    scene.add(rope.hold(Hold::tip().to(Anchor::Path(path))));
    scene.camera = Some(Camera::new([0.1, -0.6, 1.6], [0.0, -0.62, 0.0]));
    scene
        .truth(strands::contacts(4).at(4.0))
        .truth(strands::depth_below(1e-4))
        .truth(strands::tip_speed_below("rope", 1.0));
    runs_well(&mut scene);
    scene
}
