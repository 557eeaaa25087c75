//! A top on a smooth floor in steady precession. Its centre of mass stays where it is; its axis,
//! leaning by θ, goes round at Ω:
//!
//! `I₁ Ω² cos θ − I₃ ω₃ Ω + m g l = 0`
//!
//! I₁, I₃ across and along the axis through the centre of mass, ω₃ the spin along the axis, l from
//! the centre of the round tip to the centre of mass. Ours: Ω is a quarter turn a second, and ω₃
//! follows from it.

use std::f64::consts::PI;

use drystone_base::functions::{cos, sin};

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "spinning-top",
    about: "a leaning top goes round instead of falling",
    system: "rigid",
    build,
};

/// Of the round tip \[m\].
const TIP: f64 = 0.02;
/// Of the disc: corners, radius, thickness, height of its middle above that of the tip \[m\].
const DISC: (u32, f64, f64, f64) = (24, 0.3, 0.08, 0.25);
/// Of the stem: width, and length from the tip's centre upwards \[m\].
const STEM: (f64, f64) = (0.03, 0.45);

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 5.0;
    // the axis is followed to first order in the step
    scene.dt = 0.0005;
    scene.frame_rate = 100.0;
    scene.material("default", 0.0, 0.0);
    scene.ground_slab(4.0, 1.0, 4.0);

    let (theta, turning, g) = (25f64.to_radians(), 0.5 * PI, 9.81);
    let top = inertia();
    let (s, c) = (sin(theta), cos(theta));
    let along = (top.across * turning * turning * c + top.mass * g * top.height)
        / (top.along * turning);
    // spin about the axis beside the turning of the axis
    let own = along - turning * c;
    scene.add(
        Body::new(shape())
            .named("top")
            .density(1000.0)
            .at(-top.height * s, TIP, 0.0)
            .turned([0.0, 0.0, 1.0], -theta.to_degrees())
            .spin(own * s, turning + own * c, 0.0),
    );
    scene.camera = Some(Camera::new([1.2, 0.9, 1.6], [0.0, 0.25, 0.0]));

    // after five quarter turns the axis leans along −z; 2 % of the way round either way
    let (level, round) = (own * s, 0.02 * 2.5 * PI);
    scene
        .truth(spin_is("top", 0.0, round * level).with("about", [1.0, 0.0, 0.0]).at(5.0))
        .truth(spin_is("top", level, 0.02 * level).with("about", [0.0, 0.0, -1.0]).at(5.0))
        .truth(spin_is("top", turning + own * c, 0.02 * own).with("about", [0.0, 1.0, 0.0]).at(5.0))
        .truth(penetration_below(3e-4))
        .truth(stays_finite());
    scene
}

/// Mass \[kg\], height of the centre of mass above the tip's centre \[m\], and moments of inertia about
/// it, along and across the axis \[kg m²\].
struct Inertia {
    mass: f64,
    height: f64,
    along: f64,
    across: f64,
}

/// Regular prism, square stem and round tip in closed form, 1000 kg/m³ each.
fn inertia() -> Inertia {
    let density = 1000.0;
    let (n, r, t, up) = DISC;
    let pitch = PI / f64::from(n);
    let disc = density * f64::from(n) * r * r * sin(pitch) * cos(pitch) * t;
    let disc_along = 0.5 * disc * r * r * (1.0 - 2.0 / 3.0 * sin(pitch) * sin(pitch));
    let (w, l) = STEM;
    let stem = density * w * w * l;
    let tip = density * 4.0 / 3.0 * PI * TIP * TIP * TIP;
    let tip_along = 0.4 * tip * TIP * TIP;
    // mass, height, along, across of each part
    let parts = [
        [disc, up, disc_along, 0.5 * disc_along + disc * t * t / 12.0],
        [stem, 0.5 * l, stem * w * w / 6.0, stem * (w * w + l * l) / 12.0],
        [tip, 0.0, tip_along, tip_along],
    ];
    let mass = parts.iter().map(|p| p[0]).sum::<f64>();
    let height = parts.iter().map(|p| p[0] * p[1]).sum::<f64>() / mass;
    let from_middle = |p: &[f64; 4]| p[0] * (p[1] - height) * (p[1] - height);
    Inertia {
        mass,
        height,
        along: parts.iter().map(|p| p[2]).sum(),
        across: parts.iter().map(|p| p[3] + from_middle(p)).sum(),
    }
}

/// About the centre of the tip, axis along y.
fn shape() -> Shape {
    let (n, r, t, up) = DISC;
    let mut points = Vec::new();
    for i in 0..n {
        let angle = 2.0 * PI * f64::from(i) / f64::from(n);
        for y in [-0.5 * t, 0.5 * t] {
            points.push([r * cos(angle), y, r * sin(angle)]);
        }
    }
    let (w, l) = STEM;
    Shape::Compound {
        parts: vec![
            Part::new(Shape::Hull { points }, [0.0, up, 0.0]),
            Part::new(Shape::block(w, l, w), [0.0, 0.5 * l, 0.0]),
            Part::new(Shape::ball(TIP), [0.0; 3]),
        ],
    }
}
