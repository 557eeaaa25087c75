//! A floating T-handle spins about its stem, the axis of its middle moment of inertia, and turns
//! over again and again (Dzhanibekov).
//!
//! The truths are Euler's equations `I ω' = I ω × ω`, integrated beside the scene.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "dzhanibekov",
    about: "a floating T-handle turns over again and again",
    system: "rigid",
    build,
};

/// Length of the bar along z, and of the stem along x, both square \[m\].
const BAR: f64 = 0.6;
const STEM: f64 = 0.3;
const WIDTH: f64 = 0.08;
/// At the start, body axes \[rad/s\].
const SPIN: [f64; 3] = [8.0, 0.02, 0.0];

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 10.0;
    scene.dt = 0.002;
    scene.frame_rate = 100.0;
    scene.gravity = [0.0; 3];
    let parts = vec![
        Part::new(Shape::block(WIDTH, WIDTH, BAR), [0.0; 3]),
        Part::new(
            Shape::block(STEM, WIDTH, WIDTH),
            [0.5 * (WIDTH + STEM), 0.0, 0.0],
        ),
    ];
    let [x, y, z] = SPIN;
    scene.add(
        Body::new(Shape::Compound { parts })
            .named("handle")
            .density(1000.0)
            .spin(x, y, z),
    );
    // the spin is greatest while the handle turns over
    for (time, spin) in turnovers(moments(), scene.duration) {
        scene.truth(spin_is("handle", spin, 0.02 * spin).at(time));
    }
    scene
        .truth(angular_momentum_kept(1e-6))
        .truth(energy_never_rises(1e-3))
        .truth(stands_still("handle", 1e-9))
        .truth(stays_finite());
    scene
}

/// About x (stem), y and z (bar) through the centre of mass \[kg m²\].
fn moments() -> [f64; 3] {
    let density = 1000.0;
    let (w, l, s) = (WIDTH * WIDTH, BAR * BAR, STEM * STEM);
    let (bar, stem) = (density * w * BAR, density * w * STEM);
    let apart = 0.5 * (WIDTH + STEM);
    let reduced = bar * stem / (bar + stem) * apart * apart;
    [
        bar * (w + l) / 12.0 + stem * w / 6.0,
        bar * (w + l) / 12.0 + stem * (w + s) / 12.0 + reduced,
        bar * w / 6.0 + stem * (w + s) / 12.0 + reduced,
    ]
}

/// When the spin is extreme before `end`, to a hundredth of a second, and how fast it then is.
fn turnovers(moments: [f64; 3], end: f64) -> Vec<(f64, f64)> {
    let rate = |w: [f64; 3]| -> [f64; 3] {
        let [a, b, c] = moments;
        [
            (b - c) / a * w[1] * w[2],
            (c - a) / b * w[2] * w[0],
            (a - b) / c * w[0] * w[1],
        ]
    };
    let ahead = |w: [f64; 3], k: [f64; 3], h: f64| [0, 1, 2].map(|i| w[i] + h * k[i]);
    let length = |w: [f64; 3]| w.iter().map(|x| x * x).sum::<f64>().sqrt();

    // Runge-Kutta of fourth order, a hundred steps between the times looked at
    let (h, mut w) = (1e-4, SPIN);
    let mut spins = vec![length(w)];
    while (spins.len() as f64) < 100.0 * end {
        for _ in 0..100 {
            let k1 = rate(w);
            let k2 = rate(ahead(w, k1, 0.5 * h));
            let k3 = rate(ahead(w, k2, 0.5 * h));
            let k4 = rate(ahead(w, k3, h));
            w = [0, 1, 2].map(|i| w[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
        }
        spins.push(length(w));
    }
    let peak = |i: &usize| spins[*i] > spins[i - 1] && spins[*i] >= spins[i + 1];
    let peaks = (1..spins.len() - 1).filter(peak);
    peaks.map(|i| (0.01 * i as f64, spins[i])).collect()
}
