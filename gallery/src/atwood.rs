//! Two weights on a rope over a smooth post: Atwood's machine.
//!
//! Nothing rubs. With the rope's mass `λ` a metre, `M` in all, the heavier weight falls by `x` as
//! `M x'' = (m₂ − m₁) g + 2 λ g x`, which is `x = a (cosh k t − 1) / k²` with `a = (m₂ − m₁) g / M` and `k² = 2 λ g / M`.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "atwood",
    about: "weights of 1 and 1.2 kg on a rope over a smooth post",
    system: "strand",
    build,
};

/// \[kg\]
const WEIGHTS: [f64; 2] = [1.0, 1.2];
const ROPE: f64 = 0.05;
/// Of the post, and of the rope \[m\].
const POST: f64 = 0.2;
const THICK: f64 = 2e-3;
/// From the post down to the weights at the start \[m\].
const HANGS: f64 = 0.7;
/// \[s\]
const RUNS: f64 = 0.8;

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = RUNS;
    scene.dt = 0.005;
    scene.frame_rate = 50.0;
    scene.material("default", 0.0, 0.0);
    let post = Shape::Capsule {
        length: 0.25,
        radius: POST,
    };
    let post = Body::new(post).named("post").fixed();
    scene.add(post.turned([1.0, 0.0, 0.0], 90.0).colour(0.5, 0.4, 0.3));
    // up on the left, over the post, down on the right
    let (side, count) = (POST + THICK, 14);
    let arc: u32 = 12;
    let mut points: Vec<[f64; 3]> = Vec::new();
    let straight = |k: u32| -HANGS * (1.0 - f64::from(k) / f64::from(count));
    points.extend((0..count).map(|k| [-side, straight(k), 0.0]));
    points.extend((0..=arc).map(|k| {
        let angle = std::f64::consts::PI * f64::from(k) / f64::from(arc);
        let (sin, cos) = (
            drystone_base::functions::sin(angle),
            drystone_base::functions::cos(angle),
        );
        // outside, so that its segments touch in their middles
        let r = side / drystone_base::functions::cos(0.5 * std::f64::consts::PI / f64::from(arc));
        [-r * cos, r * sin, 0.0]
    }));
    points.extend((0..count).rev().map(|k| [side, straight(k), 0.0]));
    let length = 2.0 * HANGS + std::f64::consts::PI * side;
    let mut fibre = Fibre::thread(ROPE / length, 1e-6, 1e-6);
    fibre.radius = THICK.into();
    for (name, sign, mass) in [("left", -1.0, WEIGHTS[0]), ("right", 1.0, WEIGHTS[1])] {
        let mut weight = Body::ball(0.06).named(name).mass(mass);
        weight.passable = true;
        let weight = weight.at(sign * side, -HANGS - 0.06, 0.0);
        scene.add(weight.colour(0.3, 0.35, 0.5));
    }
    let mut rope = Strand::through(points).named("rope").on("left").of(fibre);
    rope.root = 0.0;
    scene.add(rope.hold(Hold::tip().to(Anchor::On("right".into()))));
    scene.camera = Some(Camera::new([0.7, 0.1, 1.8], [0.0, -0.38, 0.0]));
    let [light, heavy] = WEIGHTS;
    let mass = light + heavy + ROPE;
    let acceleration = 9.81 * (heavy - light) / mass;
    let rate = (2.0 * 9.81 * ROPE / length / mass).sqrt();
    let exp = drystone_base::functions::exp;
    let cosh = 0.5 * (exp(rate * RUNS) + exp(-rate * RUNS));
    let way = acceleration * (cosh - 1.0) / (rate * rate);
    // measured: 0.25 and 0.15 %, never above by more than 2e-5 J
    scene
        .truth(moved_by("right", [0.0, -1.0, 0.0], way, 0.01 * way))
        .truth(moved_by("left", [0.0, 1.0, 0.0], way, 0.01 * way))
        .truth(energy_never_rises(1e-2));
    runs_well(&mut scene);
    scene
}
