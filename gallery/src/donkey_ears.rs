//! The donkey's ears (Hadap 2006, Fig. 7): thick, stiff strands that follow an animated pose as far as
//! their springs let them, and flop as the head nods.

use drystone_base::functions::sin;

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "donkey-ears",
    about: "posed ears flop on a nodding head",
    system: "strand",
    build,
};

fn build() -> Scene {
    let mut scene = film(&ENTRY, 4.0);
    // nods twice a second from 0.5 s to 3 s
    let nod = |k: u32| {
        let time = f64::from(k) / 24.0;
        let on = ((time - 0.5) / 0.3).clamp(0.0, 1.0) * ((3.0 - time) / 0.3).clamp(0.0, 1.0);
        let phase = std::f64::consts::TAU * 2.0 * time;
        let rise = 0.03 * on * sin(phase);
        Key::new(time, [0.0, rise, 0.0]).turned([1.0, 0.0, 0.0], 12.0 * on * sin(phase))
    };
    let path: Vec<Key> = (0..=24 * 4 + 2).map(nod).collect();
    scene.add(
        Body::new(Shape::Capsule { length: 0.25, radius: 0.11 })
            .named("head")
            .along_smoothly(path)
            .passable()
            .colour(0.5, 0.45, 0.42),
    );
    let mut ear = Fibre::thread(1.26, 2.1, 1.7);
    ear.radius = [[0.0, 0.02], [0.5, 0.03], [1.0, 0.008]].into();
    ear.bend_damping = 5e-3.into();
    ear.pose_strength = [[0.0, 40.0], [1.0, 8.0]].into();
    ear.pose_damping = 0.5.into();
    for (name, side) in [("left", -1.0), ("right", 1.0)] {
        let point = |k: u32| {
            let s = f64::from(k) / 12.0;
            [side * (0.06 + 0.06 * s), 0.21 + 0.3 * s, 0.02 * s]
        };
        let mut strand = Strand::through((0..=12).map(point)).named(name).on("head").of(ear.clone());
        // the pose: the ears go down to the sides and up again
        let start = strand.points.clone();
        let posed = |time: f64, angle: f64| PoseKey {
            time,
            points: Strand::swung(&start, [0.0, 0.0, 1.0], -side * angle),
            branches: Vec::new(),
        };
        strand.pose = vec![posed(0.0, 0.0), posed(1.0, 0.0), posed(1.6, 0.9), posed(2.4, 0.9), posed(3.0, 0.0)];
        scene.add(strand.colour(0.45, 0.4, 0.37));
    }
    scene.camera = Some(Camera::new([0.5, 0.5, 1.5], [0.0, 0.22, 0.0]));
    scene
        .truth(strands::tip_moves("*", 0.1))
        .truth(strands::tip_returns("*", 0.02))
        .truth(strands::tip_speed_below("*", 5.0));
    runs_well(&mut scene);
    scene
}
